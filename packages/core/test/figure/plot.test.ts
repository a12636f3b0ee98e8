import { drawFigure, drawPanel, type Figure } from "@lemmata/core/figure";
import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";

const { document } = parseHTML("<!doctype html><html><body></body></html>") as unknown as {
  document: Document;
};
const points = [0, 1, 2].map((x) => [x, x * x] as const);
const figure: Figure = {
  title: "Squares",
  panels: [
    {
      title: "of three numbers",
      x: { label: "x" },
      y: { label: "x²" },
      series: [
        { name: "theory", mark: "line", role: "theory", points },
        { name: "measured", mark: "dots", points },
      ],
    },
  ],
};

describe("a figure", () => {
  it("by itself has a white ground and fixed colours", () => {
    const svg = drawFigure(figure, { document }).outerHTML;
    expect(svg).toContain('fill="white"');
    expect(svg).toContain('stroke="#0072b2"');
    expect(svg).not.toContain("--series");
  });

  it("in a page has the page's colours, with its own where the page has none", () => {
    const svg = drawFigure(figure, { document, theme: "page" }).outerHTML;
    expect(svg).not.toContain('fill="white"');
    expect(svg).toContain('stroke="var(--series-1, #0072b2)"');
    expect(svg).toContain('fill="var(--series-2, #d55e00)"');
  });

  it("gives what was measured the colour of its theory, where it says so", () => {
    const [panel] = figure.panels;
    const [theory, measured] = panel!.series;
    const svg = (like?: string): string =>
      drawFigure(
        {
          ...figure,
          panels: [
            {
              ...panel!,
              series: [theory!, { ...measured!, ...(like ? { like } : {}) }, { ...measured!, name: "other" }],
            },
          ],
        },
        { document },
      ).outerHTML;
    expect(svg("theory")).not.toContain("#009e73");
    expect(svg("theory").match(/fill="#0072b2"/g)).not.toBeNull();
    expect(svg("unknown")).toContain("#009e73");
    expect(svg()).toBe(svg("unknown"));
  });

  it("labels a logarithmic axis of less than a decade too", () => {
    const at = (y: readonly number[]): Figure => ({
      title: "log",
      panels: [
        {
          ...{ title: "", x: { label: "x" }, y: { label: "y", scale: "log" } },
          series: [{ name: "", mark: "line", points: y.map((v, k) => [k, v] as const) }],
        },
      ],
    });
    const labels = (y: readonly number[]): string[] =>
      [...drawFigure(at(y), { document }).outerHTML.matchAll(/<text[^>]*0\.32em[^>]*>([^<]+)</g)].map(
        (m) => m[1]!,
      );
    expect(labels([0.018, 0.047])).toEqual(["0.02", "0.025", "0.03", "0.035", "0.04", "0.045"]);
    expect(labels([6.1, 9.2])).toEqual(["6.5", "7", "7.5", "8", "8.5", "9"]);
    expect(labels([1, 9])).toEqual(["2", "4", "6", "8"]);
    expect(labels([0.00032, 0.0005])).toContain("4e-4");
    expect(labels([0.9, 110])).toEqual(["1", "2", "10", "20", "100"]);
    expect(labels([2e-5, 0.9e-3])).toContain("1e-4");
  });

  it("draws panels that are to be compared over one range", () => {
    const panel = { ...figure.panels[0]!, y: { label: "y", domain: [0, 100] as const } };
    const heights = (p: Figure["panels"][number]): number[] =>
      [...drawPanel(p, { document }).querySelectorAll("circle")].map((c) => Number(c.getAttribute("cy")));
    const [own, shared] = [heights(figure.panels[0]!), heights(panel)];
    expect(own[0]! - own[2]!).toBeCloseTo(25 * (shared[0]! - shared[2]!), 6);
  });

  it("of many panels has rows of at most four", () => {
    const size = (count: number): number[] => {
      const svg = drawFigure({ ...figure, panels: Array(count).fill(figure.panels[0]) }, { document });
      const at = [...svg.outerHTML.matchAll(/translate\((\d+), (\d+)\)"><text font-weight/g)];
      const places = at.map(([, x, y]) => [Number(x), Number(y)] as const);
      expect(new Set(places.map(String)).size).toBe(count);
      const [width, height] = ["width", "height"].map((name) => Number(svg.getAttribute(name))) as [
        number,
        number,
      ];
      for (const [x, y] of places) expect(x + 460 <= width && y + 320 <= height).toBe(true);
      return [new Set(places.map(([x]) => x)).size, new Set(places.map(([, y]) => y)).size];
    };
    expect([1, 4, 5, 6, 9].map(size)).toEqual([
      [1, 1],
      [4, 1],
      [3, 2],
      [3, 2],
      [3, 3],
    ]);
  });

  it("gives its panels one by one, without title and legend", () => {
    const svg = drawPanel(figure.panels[0]!, { document, panelWidth: 300, panelHeight: 200 });
    expect([svg.getAttribute("width"), svg.getAttribute("height")]).toEqual(["300", "200"]);
    expect(svg.outerHTML).not.toContain("of three numbers");
    expect(svg.outerHTML).not.toContain("measured");
    expect(svg.querySelectorAll("circle")).toHaveLength(3);
  });
});
