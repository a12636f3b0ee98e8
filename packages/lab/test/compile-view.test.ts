// What the compile page knows without a browser.
import { compile } from "@lemmata/core/compile";
import { parseFormula } from "@lemmata/core/formula";
import katex from "katex";
import { describe, expect, it } from "vitest";
import { compiledView } from "../src/compile/compiled-view.ts";
import { examples } from "../src/compile/examples.ts";
import { expressionTex } from "../src/compile/expression-tex.ts";
import { functionGraphLayout } from "../src/compile/function-graph-layout.ts";
import { latest } from "../src/compile/latest.ts";
import { boxFor, boxText, commandLine, parseBox, problemOf, problemQuery } from "../src/compile/problem.ts";
import { curveOf } from "../src/compile/surface.ts";
import { ticks } from "../src/compile/ticks.ts";
import { isOutgrown, trackFor } from "../src/compile/track.ts";
import { compileFormula } from "../src/worker/jobs/compile-formula.ts";
import { compileRead } from "../src/worker/jobs/compile-read.ts";
import type { JobContext } from "../src/worker/protocol.ts";

const tex = (formula: string): string => expressionTex(parseFormula(formula));
const context: JobContext = {
  signal: new AbortController().signal,
  progress: () => {},
  partial: () => {},
  onTell: () => {},
};

describe("a formula, typeset", () => {
  it("keeps the meaning of brackets, signs and powers", () => {
    expect(tex("-x^2")).toBe("- x^{2}");
    expect(tex("(-x)^2")).toContain("\\left(- x\\right)^{2}");
    expect(tex("(x + 1) * y")).toBe("\\left( x + 1\\right) \\, y");
    expect(tex("x - (y - z)")).toContain("\\left( y - z\\right)");
    expect(tex("(x^y)^z")).toBe("\\left(x^{y}\\right)^{z}");
    expect(tex("a / b * c")).toBe("\\frac{a \\, c}{b}");
    expect(tex("2 * 3")).toBe("2 \\cdot 3");
    expect(tex("sin(x)^2")).toBe("\\sin^{2}\\left(x\\right)");
    expect(tex("sin(x)^-1")).toContain("\\left(\\sin\\left(x\\right)\\right)^");
    expect(tex("sum(i, 1, 4, x[i]^2)")).toBe("\\sum_{i=1}^{4} x_{i}^{2}");
    expect(tex("1e-7 x_12")).toBe("10^{-7} \\, x_{12}");
  });

  it("is LaTeX that KaTeX reads, for every example and every construct", () => {
    const more = [
      "norm([x, y])",
      "dot([a, b], [c, d])",
      "[a, b] .* 2",
      "long_name_3",
      "sigma1 * ünï",
      "prod(k, 1, 3, y_k + 1)",
    ];
    for (const formula of [...examples.map((e) => e.formula), ...more])
      expect(() => katex.renderToString(tex(formula), { throwOnError: true, strict: false })).not.toThrow();
  });
});

describe("a problem", () => {
  it("comes back from its link", () => {
    for (const { label: _, ...problem } of examples)
      expect(problemOf(problemQuery(problem), examples[0]!)).toEqual(problem);
  });

  it("survives a link that makes no sense", () => {
    const found = problemOf({ f: "x", on: "x=..,y=1..q,=,z=3", eps: "-1", dtype: "f7" }, examples[0]!);
    expect(found).toEqual({
      formula: "x",
      box: [{ name: "z", lower: 3, upper: 3 }],
      eps: examples[0]!.eps,
      dtype: "f64",
    });
  });

  it("keeps the intervals of the variables that stay", () => {
    const box = boxFor(["y", "z"], parseBox("x=0..1, y=2..3"));
    expect(box).toEqual(parseBox("y=2..3, z=-1..1"));
    expect(boxText(parseBox("-2..2"))).toBe("-2..2");
    const many = boxFor(
      Array.from({ length: 20 }, (_, k) => `x${k}`),
      parseBox("-2..2"),
    );
    expect(many.every(({ lower, upper }) => lower === -2 && upper === 2)).toBe(true);
  });

  it("is a line for the shell", () => {
    expect(commandLine({ formula: "x*y", box: parseBox("x=-1..1, y=0.5"), eps: 1e-7, dtype: "f32" })).toBe(
      'lemmata compile "x*y" --on "x=-1..1, y=0.5" --eps 1e-7 --dtype f32 --out net.onnx --certificate net.json',
    );
  });
});

describe("trouble", () => {
  const troubleOf = async (formula: string, on: string, eps = 1e-2, dtype: "f32" | "f64" = "f64") => {
    const found = await compileFormula({ formula, box: parseBox(on), eps, dtype }, context);
    return "trouble" in found ? found.trouble : undefined;
  };

  it("with a formula says at which character", async () => {
    expect(await compileRead("x + sni(x)", context)).toMatchObject({ trouble: { where: "formula", at: 5 } });
    expect(await compileRead("x + ", context)).toMatchObject({ trouble: { where: "formula" } });
    expect(await compileRead("", context)).toMatchObject({ trouble: { message: "the formula is empty" } });
  });

  it("with a box is told at the box", async () => {
    expect(await troubleOf("log(x)", "x=-1..1")).toMatchObject({ where: "box" });
    expect(await troubleOf("1/x", "x=-1..1")).toMatchObject({ where: "box" });
    expect(await troubleOf("x", "x=1..-1")).toMatchObject({ where: "box", name: "x" });
  });

  it("with eps is told at eps", async () => {
    expect(await troubleOf("sin(x)", "x=0..6", 1e-12, "f32")).toMatchObject({ where: "eps" });
  });

  it("is none where there is none", async () => {
    expect(await troubleOf("log(x)", "x=1..2")).toBeUndefined();
  });
});

describe("the view of a compilation", () => {
  const problem = {
    formula: "sin(x) * y + x",
    box: parseBox("x=0..3, y=-1..1"),
    eps: 1e-4,
    dtype: "f64",
  } as const;

  it("gives every unit to a node, and no more than eps in all", async () => {
    const compiled = await compile(problem);
    const { nodes, units } = compiledView(compiled, problem, 0);
    const sum = (of: (n: (typeof nodes)[number]) => number) => nodes.reduce((s, n) => s + of(n), 0);
    expect(sum((n) => n.units)).toBe(units);
    expect(sum((n) => n.share)).toBeGreaterThan(0);
    expect(sum((n) => n.share)).toBeLessThanOrEqual(1 + 1e-6);
  });

  it("draws arguments to the left of what needs them, and no two boxes over each other", async () => {
    const { nodes } = compiledView(await compile(problem), problem, 0);
    const layout = functionGraphLayout(nodes);
    const at = new Map(layout.nodes.map((p) => [p.node.id, p]));
    for (const { node, x } of layout.nodes)
      for (const arg of node.args) expect(at.get(arg)!.x).toBeLessThan(x);
    expect(new Set(layout.nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length);
  });
});

describe("plots", () => {
  it("keep the greatest error, however narrow", () => {
    const points = Float64Array.from({ length: 1000 }, (_, k) => k);
    const network = new Float64Array(1000);
    network[437] = 5;
    const { greatest, at } = curveOf("x", points, new Float64Array(1000), network, 50);
    expect(Math.max(...greatest)).toBe(5);
    expect([at[0], at.at(-1), at.length]).toEqual([0, 999, 50]);
  });

  it("have round numbers at their axes", () => {
    expect(ticks(0, 6.3, 5).map((t) => t.label)).toEqual(["0", "2", "4", "6"]);
    expect(ticks(-0.3, 0.3, 3).map((t) => t.at)).toEqual([-0.2, 0, 0.2]);
    expect(ticks(2, 2, 5)).toHaveLength(1);
  });

  it("have tracks that hold their interval", () => {
    for (const [l, u] of [
      [-1, 1],
      [0.8, 1.2],
      [0, 6.3],
      [3, 3],
      [-1e6, 2e6],
      [1e-5, 2e-5],
    ] as const) {
      const track = trackFor(l, u);
      expect(track.lower).toBeLessThan(l);
      expect(track.upper).toBeGreaterThan(u);
      expect(isOutgrown(track, l, u)).toBe(false);
    }
  });
});

describe("the newest input", () => {
  it("wins; what it overtakes is stopped when it takes long", async () => {
    const seen: string[] = [];
    const { push } = latest<string>(
      (input, signal) =>
        new Promise((resolve) => {
          const timer = setTimeout(() => resolve(void seen.push(input)), input === "slow" ? 60_000 : 1);
          signal.addEventListener("abort", () => {
            clearTimeout(timer);
            seen.push(`${input} stopped`);
            resolve();
          });
        }),
      { delay: 0, patience: 20 },
    );
    push("slow");
    await new Promise((ok) => setTimeout(ok, 30));
    for (const input of ["a", "b", "c"]) push(input);
    await new Promise((ok) => setTimeout(ok, 120));
    expect(seen).toEqual(["slow stopped", "c"]);
  });
});
