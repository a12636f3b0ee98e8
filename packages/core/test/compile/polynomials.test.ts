import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leafBox } from "../../src/compile/binary-tree.ts";
import { ChebyshevSums } from "../../src/compile/chebyshev.ts";
import { circuitBound } from "../../src/compile/circuit-taylor.ts";
import { compile } from "../../src/compile/compile.ts";
import { candidates, proved } from "../../src/compile/expansion.ts";
import { foldings } from "../../src/compile/fold.ts";
import { arithmetics } from "../../src/compile/precision.ts";
import { sampledError } from "../../src/compile/sample.ts";
import { type FunctionNode, NodeBuilder } from "../../src/formula/nodes.ts";
import { univariateFunction } from "../../src/functions/univariate.ts";
import { circuitValue } from "./expand.ts";

const { f64 } = arithmetics;

describe("sums of Chebyshev series", () => {
  /** The nodes of a sum in the variable t. */
  function circuitOf(a: readonly number[]) {
    const builder = new NodeBuilder([{ op: "variable", args: [], name: "t" }]);
    const sums = new ChebyshevSums((node: FunctionNode) => builder.add(node), f64.round);
    return { nodes: builder.nodes, output: sums.sum(0, a), knots: [-1, 1], degree: a.length - 1 };
  }

  it("are sum a_k cos(k arccos t), for any coefficients, even and odd ones too", () => {
    const coefficients = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
      minLength: 1,
      maxLength: 70,
    });
    fc.assert(
      fc.property(coefficients, fc.constantFrom(-1, 0, 1), (all, parity) => {
        const a = all.map((c, k) => (parity >= 0 && k % 2 !== parity && k > 0 ? 0 : c));
        const circuit = circuitOf(a);
        for (const angle of [0, 0.3, 1, 1.7, 3, Math.PI]) {
          const direct = a.reduce((s, c, k) => s + c * Math.cos(k * angle), 0);
          expect(circuitValue(circuit, Math.cos(angle))).toBeCloseTo(direct, 9);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("take about degree / 4 products", () => {
    const { nodes } = circuitOf(Array.from({ length: 64 }, (_, k) => 1 / (k + 1)));
    expect(nodes.filter(({ op }) => op === "product").length).toBeLessThanOrEqual(17);
    expect(nodes.filter(({ op }) => op === "square").length).toBeLessThanOrEqual(5);
  });
});

describe("local polynomials", () => {
  it.each([
    ["log", { lower: 0.01, upper: 10 }],
    ["atan", { lower: -10, upper: 10 }],
    ["reciprocal", { lower: 0.05, upper: 1 }],
    ["sigmoid", { lower: -20, upper: 30 }],
    ["exp", { lower: -30, upper: 1 }],
  ] as const)("%s: every cut that is tried is proved, and true between the ends and at them", (name, on) => {
    const f = univariateFunction(name);
    const [plain] = foldings(f, on, f64);
    const cuts = candidates(plain!, 1e-6, f64).filter(({ knots }) => knots.length > 2);
    expect(cuts.length).toBeGreaterThan(2);
    for (const circuit of cuts) {
      const expansion = proved(circuit, plain!, on, 1e-6);
      expect(expansion).toBeDefined();
      const near = circuit.knots.flatMap((x) => [x - 1e-6, x - 1e-12, x, x + 1e-12, x + 1e-6]);
      const grid = Array.from({ length: 1001 }, (_, k) => on.lower + ((on.upper - on.lower) * k) / 1000);
      for (const x of [...grid, ...near].filter((x) => x >= on.lower && x <= on.upper))
        expect(Math.abs(circuitValue(circuit, x) - f.value(x))).toBeLessThanOrEqual(
          expansion!.truncation + 1e-13,
        );
    }
  });

  it("no bound is proved that a point violates", () => {
    const [f, on] = [univariateFunction("log"), { lower: 0.1, upper: 10 }];
    const [plain] = foldings(f, on, f64);
    const cut = candidates(plain!, 1e-5, f64).find(({ knots }) => knots.length > 2)!;
    const [id, weight] = [...cut.output.terms][0]!;
    for (const change of [1e-3, -1e-3]) {
      const output = { ...cut.output, terms: new Map([...cut.output.terms, [id, weight + change]]) };
      const mutant = { ...cut, output };
      const most = Array.from({ length: 200 }, (_, k) => 0.1 + (9.9 * k) / 199).reduce(
        (m, x) => Math.max(m, Math.abs(circuitValue(mutant, x) - f.value(x))),
        0,
      );
      expect(circuitBound(f, mutant, on, most * 0.999)).toBeUndefined();
    }
  });
});

describe("units", () => {
  it.each<[string, number, number, number, number]>([
    ["exp(x)", -20, 5, 1e-6, 220],
    ["sigmoid(10x)", -1, 1, 1e-10, 440],
    ["sin(x)", -10, 10, 1e-4, 40],
    ["sin(x)", -10, 10, 1e-8, 100],
    ["tanh(x)", -5, 5, 1e-8, 330],
    ["log(x)", 0.01, 10, 1e-8, 1000],
    ["1/x", 0.01, 1, 1e-8, 660],
    ["log(x)", 0.001, 10, 1e-5, 700],
  ])("%s on [%d, %d] to %d takes at most %d", async (formula, lower, upper, eps, most) => {
    const box = [{ name: "x", lower, upper }];
    const { graph, sizes, certificate } = await compile({ formula, box, eps });
    expect(sizes.hiddenUnits).toBeLessThanOrEqual(most);
    expect(certificate.certifiedError).toBeLessThanOrEqual(eps);
    const seen = await sampledError(graph, formula, box, sizes.hiddenUnits!, { points: 5000 });
    expect(seen).toBeLessThanOrEqual(certificate.certifiedError + 1e-14);
  });

  it("what a polynomial would round too much, a spline computes", async () => {
    const box = [{ name: "x", lower: -20, upper: 5 }];
    const { certificate } = await compile({ formula: "exp(x)", box, eps: 5e-3, dtype: "f32" });
    expect(certificate.certifiedError).toBeLessThanOrEqual(5e-3);
  });
});

describe("trees", () => {
  /** Nodes sin(a + b), tanh(2a - b), a b in turn. */
  function mixedTree(leaves: number): string {
    const nodes = [
      (a: string, b: string) => `sin(${a}+${b})`,
      (a: string, b: string) => `tanh(2*${a}-${b})`,
      (a: string, b: string) => `(${a}*${b})`,
    ];
    let [level, count] = [Array.from({ length: leaves }, (_, k) => `x${k + 1}`), 0];
    while (level.length > 1)
      level = Array.from({ length: level.length / 2 }, (_, k) =>
        nodes[count++ % nodes.length]!(level[2 * k]!, level[2 * k + 1]!),
      );
    return level[0]!;
  }

  it("of waves and products grow like n log n, and each node's argument stays where its polynomial holds", async () => {
    const units: number[] = [];
    for (const leaves of [128, 512]) {
      const box = leafBox(leaves, [-1, 1]);
      const formula = mixedTree(leaves);
      const { sizes, certificate, realized, graph } = await compile({ formula, box, eps: 1e-2 });
      expect(certificate.certifiedError).toBeLessThanOrEqual(1e-2);
      expect(realized.some((r) => r.isOutOfRoom)).toBe(false);
      const seen = await sampledError(graph, formula, box, sizes.hiddenUnits!, { points: 200 });
      expect(seen).toBeLessThanOrEqual(certificate.certifiedError);
      units.push(sizes.hiddenUnits!);
    }
    const [small, large] = units as [number, number];
    // Sensitivities are up to 2 for each level, so up to n in all: log(n^2 / eps) for each node.
    const logs = Math.log(512 ** 2 / 1e-2) / Math.log(128 ** 2 / 1e-2);
    expect(large / small).toBeLessThanOrEqual(4 * logs * 1.1);
  });
});
