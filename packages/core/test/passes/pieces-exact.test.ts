// Exactness: the pieces against a plain evaluation of the network in fractions of integers, at rational points.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { sparseMatrix } from "../../src/graph/sparse.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { compare, type Exact, fraction, reduce, toNumber } from "../../src/numbers/exact/rational.ts";
import { evaluate, linearPieces, piecesAlong, slopes } from "../../src/passes/pieces.ts";

interface Layer {
  readonly W: readonly (readonly number[])[];
  readonly b: readonly number[];
}

/** Plain fractions of BigInts, reduced never: a second way to the same numbers. */
type Plain = readonly [bigint, bigint];
const plain = (x: Exact): Plain => [fraction(x).numerator, fraction(x).denominator];
const plus = ([a, b]: Plain, [c, d]: Plain): Plain => [a * d + c * b, b * d];
const times = ([a, b]: Plain, [c, d]: Plain): Plain => [a * c, b * d];
const positivePart = (x: Plain): Plain => (x[0] < 0n ? [0n, 1n] : x);

const forward = (layers: readonly Layer[], x: Exact): Plain =>
  layers.reduce<readonly Plain[]>(
    (units, { W, b }, depth) =>
      W.map((row, i) =>
        row.reduce(
          (sum, w, j) => plus(sum, times(plain(w), depth === 0 ? units[j]! : positivePart(units[j]!))),
          plain(b[i]!),
        ),
      ),
    [plain(x)],
  )[0]!;

const weight = fc.float({ min: -2, max: 2, noNaN: true }).map(Math.fround);
const layer = (rows: number, columns: number): fc.Arbitrary<Layer> =>
  fc.record({
    W: fc.array(fc.array(weight, { minLength: columns, maxLength: columns }), {
      minLength: rows,
      maxLength: rows,
    }),
    b: fc.array(weight, { minLength: rows, maxLength: rows }),
  });
const layersOf = fc.tuple(layer(5, 1), layer(4, 5), layer(3, 4), layer(1, 3));

const network = (layers: readonly Layer[]): Graph =>
  graph({ x: float32("N", 1) }, ({ x }) => ({
    y: layers.reduce(
      (value, { W, b }, k) =>
        (k === 0 ? value : value.relu()).affine(tensor(W as number[][], { type: "float32" }), [...b]),
      x,
    ),
  }));

const rational = fc
  .tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.bigInt({ min: 1n, max: 10n ** 6n }))
  .map(([n, d]) => reduce(n % (3n * d), d));

describe("pieces of a network with f32 weights", () => {
  it("are exact at random rational points and at the knots", () => {
    fc.assert(
      fc.property(layersOf, fc.array(rational, { minLength: 3, maxLength: 8 }), (layers, points) => {
        const f = linearPieces(network(layers), -3, 3);
        for (const x of [...points, ...f.knots]) {
          const [n, d] = forward(layers, x);
          const [p, q] = plain(evaluate(f, x));
          expect(n * q).toBe(p * d);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("bend at every knot", () => {
    fc.assert(
      fc.property(layersOf, (layers) => {
        const slope = slopes(linearPieces(network(layers), -3, 3));
        expect(slope.every((s, k) => k === 0 || compare(s, slope[k - 1]!) !== 0)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("stay exact where weights are not dyadic: means and divisions", () => {
    const thirds = graph({ x: float64("N", 1) }, ({ x }) => ({
      y: x
        .div(3)
        .sub(1 / 4)
        .relu()
        .op("Mean", [x, x.neg().relu()]),
    }));
    const f = linearPieces(thirds, 0, 1);
    expect(f.knots).toEqual([0, 0.75, 1]);
    expect(f.values.map(toNumber)).toEqual([0, 0.25, (1 / 12 + 1) / 3]);
    expect(f.values[2]).toEqual({ numerator: 13n, denominator: 36n });
  });
});

const step = fc.constantFrom(
  "relu",
  "leaky",
  "abs",
  "max",
  "min",
  "clip",
  "skip",
  "concat",
  "pool",
  "sparse",
);
const dyadic = fc.integer({ min: -24, max: 24 }).map((k) => k / 8);
const plan = fc.array(fc.tuple(step, fc.array(dyadic, { minLength: 16, maxLength: 16 })), {
  minLength: 2,
  maxLength: 5,
});

/** A random network of many operators, three values wide. */
function mixed(steps: readonly (readonly [string, readonly number[]])[]): Graph {
  return graph({ x: float64("N", 1) }, ({ x }) => {
    let y: Value = x.affine([[1], [-2], [0.5]], [0.25, 0.5, -0.25]);
    for (const [kind, w] of steps) {
      const rows = [w.slice(0, 3), w.slice(3, 6), w.slice(6, 9)];
      const z = y.affine(rows, w.slice(9, 12));
      const next: Readonly<Record<string, () => Value>> = {
        relu: () => z.relu(),
        leaky: () => z.max(z.mul(0.125)),
        abs: () => z.abs(),
        max: () => z.max(y, [w[12]!]),
        min: () => z.min(y, [w[13]!]),
        clip: () => z.op("Clip", [tensor(-1), tensor(0.5)]),
        skip: () => z.relu().add(y),
        concat: () => z.relu().concat([y], 1).slice(1, 1, 4),
        pool: () =>
          z
            .concat([y], 1)
            .reshape([-1, 1, 6])
            .op("MaxPool", [], { kernel_shape: [2], strides: [2] })
            .reshape([-1, 3]),
        sparse: () =>
          z.relu().affine(
            sparseMatrix(3, 3, [
              [0, 1, w[14]!],
              [2, 0, w[15]!],
              [2, 2, 1],
            ]),
          ),
      };
      y = next[kind]!();
    }
    return { y: y.affine([[1, 1, -1]], [0.5]) };
  });
}

describe("pieces of networks of many operators", () => {
  it("agree with the runtime", async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (steps) => {
        const net = mixed(steps);
        const f = linearPieces(net, -2, 2);
        const x = Float64Array.from({ length: 129 }, (_, k) => -2 + k / 32);
        const { y } = await run(net, { x: tensor(x, { dims: [129, 1] }) });
        numbers(y!).forEach((value, k) => {
          const exact = toNumber(evaluate(f, x[k]!));
          expect(Math.abs(exact - value)).toBeLessThanOrEqual(1e-9 * (1 + Math.abs(exact)));
        });
      }),
      { numRuns: 80 },
    );
  });

  it("are the same for a sparse and a dense layer", () => {
    const entries = [
      [0, 0, 1],
      [1, 0, -2],
      [2, 0, 0.5],
      [3, 0, 3],
    ] as const;
    const build = (sparse: boolean) =>
      graph({ x: float64("N", 1) }, ({ x }) => {
        const first = x
          .affine(
            entries.map(([, , w]) => [w]),
            [0.5, 1, -0.25, -1],
          )
          .relu();
        const W = [
          [1, 0, 0, 2],
          [0, 0, 0, 0],
          [1, -1, 0.5, 0],
        ];
        const triples = W.flatMap((row, r) => row.map((w, c) => [r, c, w] as const)).filter(
          ([, , w]) => w !== 0,
        );
        const second = sparse ? first.affine(sparseMatrix(3, 4, triples)) : first.affine(W);
        return { y: second.relu().affine([[1, 1, -1]]) };
      });
    expect(linearPieces(build(true), -2, 2)).toEqual(linearPieces(build(false), -2, 2));
  });

  it("follow a segment through several inputs and outputs", async () => {
    const net = graph({ a: float64(1, 2), b: float64(1, 3) }, ({ a, b }) => ({
      sum: a.concat([b], 1).relu().sum([1]),
      both: a
        .affine([
          [1, -1],
          [2, 1],
          [0, 1],
        ])
        .max(b),
    }));
    const start = { a: tensor([[-1, 2]]), b: tensor([[0.5, -3, 1]]) };
    const end = { a: tensor([[2, -1]]), b: tensor([[-0.5, 3, 1]]) };
    const { sum, both } = piecesAlong(net, start, end);
    expect(sum!.dims).toEqual([1]);
    expect(both!.components).toHaveLength(3);
    for (const t of [0, 0.2, 0.45, 0.7, 1]) {
      const mix = (p: typeof start.a, q: typeof start.a) => {
        const [u, v] = [numbers(p), numbers(q)];
        return tensor(
          Float64Array.from(u, (c, k) => c + t * (v[k]! - c)),
          { dims: p.dims },
        );
      };
      const computed = await run(net, { a: mix(start.a, end.a), b: mix(start.b, end.b) });
      expect(toNumber(evaluate(sum!.components[0]!, t))).toBeCloseTo(numbers(computed["sum"]!)[0]!, 12);
      both!.components.forEach((f, k) => {
        expect(toNumber(evaluate(f, t))).toBeCloseTo(numbers(computed["both"]!)[k]!, 12);
      });
    }
  });

  it("say what they lack", () => {
    const net = graph({ a: float64(1, 2), b: float64(1, 2) }, ({ a, b }) => ({ y: a.mul(b) }));
    const point = { a: tensor([[0, 1]]), b: tensor([[1, 1]]) };
    expect(() => piecesAlong(net, point, { a: point.a })).toThrow(/end of the segment lacks input "b"/);
    expect(() => piecesAlong(net, point, { a: tensor([[5, 5]]), b: tensor([[6, 6]]) })).toThrow(
      /cannot read Mul node "mul": a product of two functions is not piecewise linear/,
    );
    // One of the two stands still: then the product is linear.
    expect(piecesAlong(net, point, { a: tensor([[2, 2]]), b: point.b }).y!.components[0]!.values).toEqual([
      0, 2,
    ]);
    expect(() => linearPieces(net, 0, 1)).toThrow(/one input/);
    const one = graph({ x: float64("N", 1) }, ({ x }) => ({ y: x.div([0]) }));
    expect(() => linearPieces(one, 0, 1)).toThrow(/Div node "div": it divides by zero/);
    const infinite = graph({ x: float64("N", 1) }, ({ x }) => ({ y: x.mul([Infinity]) }));
    expect(() => linearPieces(infinite, 0, 1)).toThrow(/Mul node "mul": Infinity is not a number/);
    const swish = graph({ x: float64("N", 1) }, ({ x }) => ({ y: x.op("HardSwish") }));
    expect(() => linearPieces(swish, 0, 1)).toThrow(/cannot read HardSwish node "hardswish"/);
    expect(() => linearPieces(one, 1, 1)).toThrow(/positive length/);
  });
});
