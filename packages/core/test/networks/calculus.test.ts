import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import {
  affine,
  compose,
  concatenate,
  deepen,
  identity,
  linearCombination,
  parallel,
  power,
  scaleInput,
  scaleOutput,
  share,
  sum,
} from "../../src/networks/calculus/calculus.ts";
import { complexity, layer, layersOf, network } from "../../src/networks/layers/layers.ts";
import { nonzeros } from "../../src/networks/layers/matrix.ts";
import { dyadicPoints, randomNetwork } from "../../src/networks/layers/random.ts";
import { square } from "../../src/networks/square/square.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { linearPieces } from "../../src/passes/pieces.ts";

const count = 12;
const evaluate = async (net: Graph, points: readonly number[]): Promise<number[]> => {
  const { y } = await run(net, { x: tensor(points, { dims: [count, points.length / count] }) });
  return Array.from(numbers(y!));
};
const M = (net: Graph): number => complexity(net).weights;
const L = (net: Graph): number => complexity(net).layers;
const lastM = (net: Graph): number => complexity(net).weightsByLayer.at(-1)!;
const firstW = (net: Graph): number => nonzeros(layersOf(net).layers[0]!.weights.values);

/** Networks R^2 -> R^2 of 1 to 4 layers with short weights, and points: all arithmetic is exact. */
const setting = fc
  .tuple(fc.nat(), fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 3, maxLength: 3 }))
  .map(([seed, depths]) => {
    const random = createRandom(seed);
    const nets = depths.map((depth, k) => {
      const widths = Array.from({ length: depth - 1 }, () => random.integer(1, 5));
      return randomNetwork(random.split(k), [2, ...widths, 2], { denominator: 2 });
    });
    return { nets: nets as [Graph, Graph, Graph], points: [...dyadicPoints(random, count, 2)] };
  });
const always = (check: (s: { nets: [Graph, Graph, Graph]; points: number[] }) => Promise<void>) =>
  fc.assert(fc.asyncProperty(setting, check), { numRuns: 10 });
const pointwise = (a: readonly number[], b: readonly number[], c: (x: number, y: number) => number) =>
  a.map((x, k) => c(x, b[k]!));
/** Rows of two numbers, side by side. */
const sideBySide = (a: readonly number[], b: readonly number[]): number[] =>
  Array.from({ length: count }, (_, k) => [
    ...a.slice(2 * k, 2 * k + 2),
    ...b.slice(2 * k, 2 * k + 2),
  ]).flat();

describe("composition", () => {
  it("is the composition of the functions, with L1 + L2 - 1 layers", () =>
    always(async ({ nets: [f, g], points }) => {
      const fg = compose(f, g);
      expect(L(fg)).toBe(L(f) + L(g) - 1);
      expect(layersOf(fg).exact).toBe(true);
      expect(await evaluate(fg, points)).toEqual(await evaluate(f, await evaluate(g, points)));
    }));

  it("is associative as a function", () =>
    always(async ({ nets: [f, g, h], points }) => {
      expect(await evaluate(compose(compose(f, g), h), points)).toEqual(
        await evaluate(compose(f, compose(g, h)), points),
      );
    }));

  it("rounds once where a weight does not fit a double, and says so", () => {
    const third = affine([[1 / 3]]);
    expect(layersOf(compose(third, affine([[3]]))).exact).toBe(false);
    expect(layersOf(compose(third, affine([[2]]))).exact).toBe(true);
    // 1e16 + 1 - 1e16 needs more than 53 bits on the way, not at the end.
    const cancelling = layersOf(compose(affine([[1, 1, 1]]), affine([[1e16], [1], [-1e16]])));
    expect(cancelling.layers[0]!.weights.values).toEqual(Float64Array.of(1));
    expect(cancelling.exact).toBe(true);
  });

  it("does not store weights that cancel", () => {
    expect(M(compose(affine([[1, -1]]), affine([[0.5], [0.5]], [1, 2])))).toBe(1);
  });

  it("refuses dimensions and activations that do not fit", () => {
    expect(() => compose(affine([[1, 1]]), affine([[1]]))).toThrow(
      "compose: the outer network takes 2 numbers, the inner one gives 1",
    );
    const tanh = network([layer([[1]]), layer([[1]])], { activation: "tanh" });
    expect(() => compose(square(1), tanh)).toThrow(
      "compose: networks with different activations, relu and tanh",
    );
    expect(layersOf(compose(affine([[2]]), tanh)).activation).toBe("tanh");
    expect(() => concatenate(tanh, affine([[2]]))).toThrow("it needs relu networks, not tanh");
    expect(() => share(tanh, affine([[1]]))).toThrow("it needs relu networks, not tanh");
  });
});

describe("sparse concatenation", () => {
  it("has L1 + L2 layers and exactly M1 + |W1| + M2 + M_L2 weights", () =>
    always(async ({ nets: [f, g], points }) => {
      const fg = concatenate(f, g);
      expect(L(fg)).toBe(L(f) + L(g));
      expect(M(fg)).toBe(M(f) + firstW(f) + M(g) + lastM(g));
      expect(await evaluate(fg, points)).toEqual(await evaluate(f, await evaluate(g, points)));
    }));
});

describe("identity and depth padding", () => {
  it.each([
    [1, 1, 1],
    [3, 1, 3],
    [2, 2, 8],
    [3, 5, 30],
  ])("the identity of R^%i in %i layers has %i weights", async (d, layers, weights) => {
    const one = identity(d, layers);
    const points = [...dyadicPoints(createRandom(1), count, d)];
    expect([L(one), M(one)]).toEqual([layers, weights]);
    expect(await evaluate(one, points)).toEqual(points);
  });

  it("one neuron per coordinate carries nonnegative values", async () => {
    const one = identity(3, 4, { nonnegative: true });
    expect([M(one), complexity(one).width]).toEqual([12, 3]);
    const points = [...dyadicPoints(createRandom(1), count, 3)].map(Math.abs);
    expect(await evaluate(one, points)).toEqual(points);
  });

  it("keeps the function, at the weights it says", () =>
    always(async ({ nets: [f], points }) => {
      const more = 3;
      const [after, before] = [deepen(f, L(f) + more), deepen(f, L(f) + more, { side: "input" })];
      expect([L(after), M(after)]).toEqual([L(f) + more, M(f) + lastM(f) + 4 * more]);
      expect([L(before), M(before)]).toEqual([L(f) + more, M(f) + firstW(f) + 4 * more]);
      const values = await evaluate(f, points);
      expect(await evaluate(after, points)).toEqual(values);
      expect(await evaluate(before, points)).toEqual(values);
    }));

  it("of the squaring network costs one neuron a layer", () => {
    const deep = deepen(square(3), 6, { nonnegative: true });
    expect([L(deep), M(deep)]).toEqual([6, M(square(3)) + 2]);
    expect(linearPieces(deep, 0, 1)).toEqual(linearPieces(square(3), 0, 1));
    expect(() => deepen(square(3), 2)).toThrow("at least 4, not 2");
    expect(deepen(square(3), 4)).toEqual(square(3));
  });
});

describe("networks side by side", () => {
  it("parallel: their own inputs, and the sum of their weights", () =>
    always(async ({ nets: [f, g], points }) => {
      const depth = Math.max(L(f), L(g));
      const both = parallel(f, g);
      expect(M(both)).toBe(M(deepen(f, depth)) + M(deepen(g, depth)));
      const other = points.map((x) => 1 - x);
      expect(await evaluate(both, sideBySide(points, other))).toEqual(
        sideBySide(await evaluate(f, points), await evaluate(g, other)),
      );
    }));

  it("share: one input, and the sum of their weights", () =>
    always(async ({ nets: [f, g, h], points }) => {
      const depth = Math.max(L(f), L(g), L(h));
      const all = share(f, g, h);
      expect(M(all)).toBe([f, g, h].reduce((m, net) => m + M(deepen(net, depth)), 0));
      const values = await Promise.all([f, g, h].map((net) => evaluate(net, points)));
      const rows = Array.from({ length: count }, (_, k) => values.flatMap((v) => v.slice(2 * k, 2 * k + 2)));
      expect(await evaluate(all, points)).toEqual(rows.flat());
    }));

  it("linear combination and sum", () =>
    always(async ({ nets: [f, g], points }) => {
      const [fx, gx] = [await evaluate(f, points), await evaluate(g, points)];
      expect(await evaluate(linearCombination([2, -0.5], [f, g]), points)).toEqual(
        pointwise(fx, gx, (x, y) => 2 * x - 0.5 * y),
      );
      expect(await evaluate(sum([f, g]), points)).toEqual(pointwise(fx, gx, (x, y) => x + y));
    }));

  it("refuse different dimensions by number", () => {
    expect(() => share(affine([[1]]), affine([[1, 1]]))).toThrow(
      "share: network 2 takes 2 numbers, network 1 takes 1",
    );
    expect(() => sum([affine([[1]]), affine([[1], [1]])])).toThrow(
      "network 2 gives 2 numbers, network 1 gives 1",
    );
    expect(() => linearCombination([1], [])).toThrow("1 coefficients for 0 networks");
    expect(() => parallel()).toThrow("parallel needs a network");
    expect(() => share()).toThrow("share needs a network");
  });
});

describe("iterates and changes of variables", () => {
  const triangle = network([layer([[1], [1]], [0, -0.5]), layer([[2, -4]])]);

  it.each([1, 2, 5, 8])("the triangle map iterated %i times has 2^k pieces", (k) => {
    const iterate = power(triangle, k);
    expect(complexity(iterate)).toMatchObject({ layers: k + 1, neurons: 2 * k + 2 });
    expect(linearPieces(iterate, 0, 1).knots).toHaveLength(2 ** k + 1);
    expect(layersOf(iterate).exact).toBe(true);
  });

  it("is repeated composition", () =>
    always(async ({ nets: [f], points }) => {
      expect(L(power(f, 3))).toBe(3 * (L(f) - 1) + 1);
      expect(await evaluate(power(f, 3), points)).toEqual(await evaluate(compose(f, compose(f, f)), points));
      expect(await evaluate(power(f, 0), points)).toEqual(points);
    }));

  it("changes variables coordinate by coordinate", () =>
    always(async ({ nets: [f], points }) => {
      const moved = points.map((x, k) => (k % 2 === 0 ? 2 * x + 1 : -x));
      expect(await evaluate(scaleInput(f, [2, -1], [1, 0]), points)).toEqual(
        (await evaluate(f, moved)).map((y) => y + 0),
      );
      expect(await evaluate(scaleOutput(f, 4, -1), points)).toEqual(
        (await evaluate(f, points)).map((y) => 4 * y - 1),
      );
    }));

  it("moves the squaring network to [-1, 1] without another layer", () => {
    const moved = scaleOutput(scaleInput(square(4), 0.5, 0.5), 4);
    expect(L(moved)).toBe(5);
    expect(linearPieces(moved, -1, 1).values.at(-1)).toBe(4);
    expect(() => scaleInput(square(1), [1, 2])).toThrow("scaleInput: 2 numbers for 1 coordinates");
    expect(() => power(affine([[1, 1]]), -1)).toThrow("a whole number of at least 0, not -1");
    expect(() => power(network([layer([[1, 1]]), layer([[1]])]), 2)).toThrow(
      "takes 2 numbers, the inner one gives 1",
    );
  });
});
