// The definitions in f64: how many units in the last place they are off, and that no branch of them blows up.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { definitionOf, rewrite } from "../../src/graph/definitions/index.ts";
import type { Graph } from "../../src/graph/graph.ts";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";

const unaryGraph = (op: OperatorName): Graph => graph({ x: float64("N") }, ({ x }) => ({ y: x.op(op) }));

async function valuesOf(op: OperatorName, points: readonly number[]): Promise<Float64Array> {
  const { y } = await run(unaryGraph(op), { x: tensor(points) });
  return y!.data as Float64Array;
}

/** The greatest |y - f(x)| / |f(x)|, in units of 2^-52. */
function worstUnits(points: readonly number[], y: Float64Array, f: (x: number) => number): number {
  return points.reduce((worst, x, k) => {
    const exact = f(x);
    return Object.is(y[k], exact) || y[k] === exact
      ? worst
      : Math.max(worst, Math.abs(y[k]! - exact) / Math.abs(exact) / 2 ** -52);
  }, 0);
}

const count = 4001;
const evenly = (low: number, high: number) =>
  Array.from({ length: count }, (_, k) => low + ((high - low) * k) / (count - 1));
/** 10^-low down to 10^-high, with both signs. */
const shrinking = (low: number, high: number) =>
  evenly(low, high).flatMap((exponent) => [10 ** -exponent, -(10 ** -exponent)]);
const to1 = evenly(1, 16).flatMap((exponent) => [1 - 10 ** -exponent, 10 ** -exponent - 1]);

/** The functions of JavaScript are themselves off by up to one unit, and the runtime's Tanh by 3.5. */
const limit = 8;
const references: readonly [OperatorName, (x: number) => number, readonly number[]][] = [
  ["Tan", Math.tan, [...evenly(-100, 100), ...shrinking(0, 30), 1e5, -3e5]],
  ["Asin", Math.asin, [...evenly(-1, 1), ...shrinking(0, 30), ...to1]],
  ["Acos", Math.acos, [...evenly(-1, 1), ...shrinking(0, 30), ...to1]],
  ["Atan", Math.atan, [...evenly(-20, 20), ...shrinking(0, 30), ...shrinking(-300, 0)]],
  ["Sinh", Math.sinh, [...evenly(-710, 710), ...evenly(-2, 2), ...shrinking(0, 30)]],
  ["Cosh", Math.cosh, [...evenly(-710, 710), ...evenly(-2, 2), ...shrinking(0, 30)]],
  ["Asinh", Math.asinh, [...evenly(-20, 20), ...shrinking(0, 30), ...shrinking(-307, 0)]],
  [
    "Acosh",
    Math.acosh,
    [...evenly(1, 20), ...evenly(0, 15).map((e) => 1 + 10 ** -e), ...evenly(0, 307).map((e) => 10 ** e)],
  ],
  ["Atanh", Math.atanh, [...evenly(-0.999, 0.999), ...shrinking(1, 30), ...to1]],
  [
    "Softplus",
    (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))),
    [...evenly(-700, 700), ...evenly(-3, 3)],
  ],
  ["Elu", (x) => (x > 0 ? x : Math.expm1(x)), [...evenly(-50, 5), ...shrinking(0, 30)]],
  ["Softsign", (x) => x / (1 + Math.abs(x)), evenly(-50, 50)],
];

describe("definitions in f64", () => {
  it.each(references)("%s is exact to a few units in the last place", async (op, f, points) => {
    expect(worstUnits(points, await valuesOf(op, points), f)).toBeLessThanOrEqual(limit);
  });

  it.each([
    ["Atan", Math.atan],
    ["Sinh", Math.sinh],
    ["Cosh", Math.cosh],
    ["Asinh", Math.asinh],
    ["Acosh", Math.acosh],
    ["Atanh", Math.atanh],
    ["Asin", Math.asin],
    ["Acos", Math.acos],
  ] as const)("%s at the ends of the line and of its domain", async (op, f) => {
    const points = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 1, -1, 0];
    const results = await valuesOf(op, points);
    points.forEach((x, k) => {
      const exact = f(x);
      if (Number.isFinite(exact)) expect(results[k]).toBeCloseTo(exact, 14);
      else expect(results[k]).toBe(exact);
    });
  });
});

const bits = 300n;
const one = 1n << bits;
/** A double as a fixed-point number; exact, for doubles that are not tiny. */
const fixedPoint = (x: number): bigint => (BigInt(x * 2 ** 150) << bits) >> 150n;
const pi = BigInt(
  "3141592653589793238462643383279502884197169399375105820974944592307816406286208998628034825342117067982",
);
const squareRoot = (n: bigint): bigint => {
  let root = 1n << BigInt(Math.ceil(n.toString(2).length / 2));
  for (let next = (root + n / root) >> 1n; next < root; next = (root + n / root) >> 1n) root = next;
  return root;
};
const rootOfPi = squareRoot(((pi << bits) / 10n ** 102n) << bits);

/** erf x = 2 / sqrt(pi) * sum over n of (-1)^n x^(2n+1) / (n! (2n+1)), in fixed point. */
function erfSeries(x: number): bigint {
  const at = fixedPoint(x);
  const square = (at * at) >> bits;
  let [power, sum] = [at, 0n];
  for (let n = 0n; power !== 0n && n < 1000n; n++) {
    sum += power / (2n * n + 1n);
    power = -((power * square) >> bits) / (n + 1n);
  }
  return (2n * sum * one) / rootOfPi;
}

describe("Erf in f64", () => {
  const points = [...evenly(-7, 7), ...evenly(0.4, 0.55), ...shrinking(0, 20)];

  it("is within 2 units in the last place of its series", async () => {
    const results = await valuesOf("Erf", points);
    const units = points.map((x, k) => {
      const exact = erfSeries(x);
      const lastPlace = 2 ** (Math.floor(Math.log2(Math.abs(results[k]!))) - 52);
      return x === 0 ? 0 : Number(fixedPoint(results[k]!) - exact) / 2 ** 300 / lastPlace;
    });
    expect(Math.max(...units.map(Math.abs))).toBeLessThanOrEqual(2);
  });

  it("is odd, exactly", async () => {
    const [there, back] = [
      await valuesOf("Erf", points),
      await valuesOf(
        "Erf",
        points.map((x) => -x),
      ),
    ];
    expect(Array.from(there)).toEqual(Array.from(back, (y) => 0 - y));
  });

  it("ends at 1 and keeps NaN", async () => {
    const far = [6, 30, 1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];
    expect(Array.from(await valuesOf("Erf", far))).toEqual([1, 1, 1, 1, -1, Number.NaN]);
  });
});

/** Every value inside a graph becomes an output. */
function exposed(original: Graph): Graph {
  const inner = original.nodes.flatMap((node) => node.outputs).filter((name) => name !== "y");
  return {
    ...original,
    outputs: [...original.outputs, ...inner.map((name) => ({ name, type: { type: "undefined" as const } }))],
  };
}

describe("branches that are not taken", () => {
  const functions: OperatorName[] = [
    "Elu",
    "Selu",
    "Celu",
    "Gelu",
    "Softplus",
    "Softsign",
    "HardSigmoid",
    "HardSwish",
    "Mish",
    "LeakyRelu",
    "ThresholdedRelu",
    "Shrink",
    "Erf",
    "Atan",
    "Asinh",
    "Sinh",
    "Cosh",
    "Tan",
  ];
  // Beyond 700 Sinh and Cosh are themselves infinite.
  const points = [-700, -100, -40, -1, -0.3, -1e-200, 0, 1e-200, 0.3, 1, 40, 100, 700];

  it.each(functions)("%s computes nothing infinite on the way", async (op) => {
    const written = exposed(rewrite(unaryGraph(op), definitionOf));
    expect(written.nodes.length).toBeGreaterThan(1);
    const results = await run(written, { x: tensor(points) }, { optimization: "none" });
    for (const [name, result] of Object.entries(results))
      expect(Array.from(numbers(result)).every(Number.isFinite), name).toBe(true);
  });
});
