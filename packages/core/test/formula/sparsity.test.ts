import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binaryTree, leafBox, treeNodes } from "../../src/compile/binary-tree.ts";
import { compile } from "../../src/compile/compile.ts";
import { describeConstituents } from "../../src/compile/constituents.ts";
import { gridEnclosure } from "../../src/compile/error-enclosure.ts";
import { gridError } from "../../src/compile/grid-interpolation.ts";
import { reordered, sparsityOf } from "../../src/compile/sparsity.ts";
import { constituentsOf, deepUnits, reachableError } from "../../src/compile/theory/approximation-degree.ts";
import { evaluateFormula } from "../../src/formula/evaluate.ts";
import { parseFormula } from "../../src/formula/formula.ts";
import { functionGraph } from "../../src/formula/function-graph.ts";

const names = (n: number) => Array.from({ length: n }, (_, k) => `x${k + 1}`);
const cube = (n: number) => Array.from({ length: n }, () => ({ lower: -1, upper: 1 }));

describe("the sparsity of a function graph", () => {
  it("a product of eight variables is a tree of seven nodes in three levels", () => {
    const graph = functionGraph(binaryTree(treeNodes.product, 8), names(8));
    const report = sparsityOf(graph, cube(8));
    expect(report).toEqual({
      variables: 8,
      constituents: 7,
      constituentsOfTwo: 7,
      maxArity: 2,
      curvedArity: 2,
      depth: 3,
      arities: [0, 0, 7],
      lipschitz: 8,
    });
  });

  it("a sum of n terms is one constituent of n variables, or n - 1 of two", () => {
    const { constituents, constituentsOfTwo, maxArity, curvedArity } = sparsityOf(
      functionGraph("x1^2 + x2^2 + x3^2 + x4^2", names(4)),
      cube(4),
    );
    expect({ constituents, constituentsOfTwo, maxArity, curvedArity }).toEqual({
      constituents: 5,
      constituentsOfTwo: 7,
      maxArity: 4,
      curvedArity: 1,
    });
  });

  it("says of each constituent how smooth and how steep it is", () => {
    const graph = functionGraph("sqrt(x1) + abs(x2) * exp(x1) + x2^1.5 + max(x1, x1 + 2)", names(2));
    const found = describeConstituents(graph, [
      { lower: 0, upper: 1 },
      { lower: 0, upper: 1 },
    ]);
    const of = (text: string) => found.find((c) => c.expression === text)!;
    expect(of("sqrt(x1)")).toMatchObject({ arity: 1, smoothness: 0.5, lipschitz: Number.POSITIVE_INFINITY });
    expect(of("abs(x2)")).toMatchObject({ smoothness: Number.POSITIVE_INFINITY, lipschitz: 1 });
    expect(of("exp(x1)").lipschitz).toBeCloseTo(Math.E, 9);
    expect(of("x2^1.5")).toMatchObject({ arity: 1, smoothness: 1.5 });
    expect(of("x2^1.5").lipschitz).toBeCloseTo(1.5, 9);
    expect(
      sparsityOf(
        graph,
        cube(2).map(() => ({ lower: 0, upper: 1 })),
      ).lipschitz,
    ).toBe(Number.POSITIVE_INFINITY);
    const [kink] = describeConstituents(functionGraph("abs(x1)", ["x1"]), [{ lower: -1, upper: 1 }]);
    expect(kink).toEqual({ expression: "abs(x1)", arity: 1, smoothness: 1, lipschitz: 1 });
  });

  it("a graph in another order has arguments before nodes and the same report", () => {
    const graph = functionGraph("sin(x1*x2) + exp(x1) * (x2 - x1)^2", names(2));
    const own = sparsityOf(graph, cube(2));
    fc.assert(
      fc.property(fc.array(fc.double(), { minLength: 12, maxLength: 12 }), (ranks) => {
        const other = reordered(graph, (id) => ranks[id % 12]!);
        other.nodes.forEach((node, id) => {
          for (const arg of node.args) expect(arg).toBeLessThan(id);
        });
        expect({ ...sparsityOf(other, cube(2)), lipschitz: 0 }).toEqual({ ...own, lipschitz: 0 });
      }),
    );
  });

  it("every tree's node maps its interval into itself", () => {
    for (const { formula, on } of Object.values(treeNodes)) {
      const side = Float64Array.from({ length: 41 }, (_, k) => on[0] + ((on[1] - on[0]) * k) / 40);
      const a = Float64Array.from({ length: 41 * 41 }, (_, i) => side[i % 41]!);
      const b = Float64Array.from({ length: 41 * 41 }, (_, i) => side[Math.floor(i / 41)]!);
      const values = evaluateFormula(parseFormula(formula("a", "b")), new Map(Object.entries({ a, b })));
      expect(Math.min(...values)).toBeGreaterThanOrEqual(on[0]);
      expect(Math.max(...values)).toBeLessThanOrEqual(on[1]);
    }
  });
});

describe("degree of approximation", () => {
  it("the error that the units for eps reach is eps", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ arity: fc.integer({ min: 1, max: 4 }), smoothness: fc.integer({ min: 1, max: 6 }) }),
          {
            minLength: 1,
            maxLength: 5,
          },
        ),
        fc.double({ min: 1e-6, max: 0.5, noNaN: true }),
        (constituents, eps) => {
          expect(reachableError(constituents, deepUnits(constituents, eps)) / eps).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it("affine and piecewise linear constituents need no units", () => {
    const graph = functionGraph("max(x1, abs(x2)) + x1^2 * x2", names(2));
    expect(constituentsOf(graph, 2).map((c) => c.arity)).toEqual([1, 2]);
  });

  it("a grid interpolates multilinear functions exactly, and squares within h^2/4 for each variable", () => {
    expect(gridError("x1*x2 + 2*x1", ["x1", "x2"], [-1, 1], 4)).toBe(0);
    expect(gridError("x1^2 + x2^2", ["x1", "x2"], [0, 1], 8)).toBe(2 / 4 / 64);
  });

  it("a grid and Lipschitz constants enclose the error that the certificate bounds", async () => {
    const box = leafBox(2, [0, 1]);
    const formula = binaryTree(treeNodes.wave, 2);
    const { graph, certificate } = await compile({ formula, box, eps: 1e-2 });
    const { lower, upper } = await gridEnclosure(graph, formula, box, 64);
    expect(lower).toBeLessThanOrEqual(certificate.certifiedError);
    expect(upper).toBeGreaterThan(lower);
    const finer = await gridEnclosure(graph, formula, box, 256);
    expect(finer.lower).toBeLessThanOrEqual(upper);
    expect(finer.upper).toBeLessThan(upper);
  });
});
