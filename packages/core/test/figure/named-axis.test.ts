import { parseHTML } from "linkedom";
import { describe, expect, it } from "vitest";
import type { Figure } from "../../src/figure/figure.ts";
import { drawFigure } from "../../src/figure/plot.ts";

describe("an axis of names", () => {
  it("has a tick for each of them, and grows with their number", () => {
    const names = Array.from({ length: 40 }, (_, k) => `measure ${k + 1}`);
    const figure = (y: Figure["panels"][number]["y"]): Figure => ({
      title: "t",
      panels: [
        {
          ...{ title: "p", x: { label: "tau" }, y },
          series: [{ name: "s", mark: "dots", points: names.map((_, k) => [k / 40, k] as const) }],
        },
      ],
    });
    const { document } = parseHTML("<html></html>");
    const named = drawFigure(figure({ label: "measure", names }), { document });
    const plain = drawFigure(figure({ label: "measure" }), { document });
    const texts = [...named.querySelectorAll("text")].map((t) => t.textContent);
    for (const name of names) expect(texts).toContain(name);
    const height = (svg: Element): number => Number(svg.getAttribute("height"));
    expect(height(named)).toBeGreaterThan(height(plain));
    expect([...plain.querySelectorAll("text")].map((t) => t.textContent)).not.toContain("measure 1");
  });
});
