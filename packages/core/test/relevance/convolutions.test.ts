// A convolution follows each rule as the matrix that it is: padded, strided, dilated, grouped, transposed.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";
import { parseRule, type Rule, relevance } from "../../src/passes/relevance.ts";
import {
  alphaBeta,
  boxRule,
  epsilonRule,
  explainPlainly,
  gammaRule,
  type PlainLayer,
  type PlainRule,
  squareRule,
  zPlus,
} from "./plain-loops.ts";

const size = (dims: readonly number[]): number => dims.reduce((n, d) => n * d, 1);
const drawn = (random: Random, ...dims: number[]): Tensor =>
  tensor(random.normal(size(dims)), { type: "float64", dims });
const list = (t: Tensor): number[] => Array.from(numbers(t));
type Layer = (x: Value) => Value;

/** What a layer does, as a matrix: column by column, at unit vectors. */
async function matrixOf(layer: Layer, dims: readonly number[]): Promise<number[][]> {
  const n = size(dims);
  const net = graph({ x: float64(n, ...dims.slice(1)) }, ({ x }) => ({
    y: layer(x!).op("Flatten"),
  }));
  const units = Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
  const { y } = await run(net, { x: tensor(units, { type: "float64", dims: [n, ...dims.slice(1)] }) });
  const [columns, width] = [numbers(y!), y!.dims[1]!];
  return Array.from({ length: width }, (_, k) =>
    Array.from({ length: n }, (_, j) => columns[j * width + k]!),
  );
}

describe("a convolution hands on as its matrix does", () => {
  const dims = [1, 2, 5, 4];
  const low = [-3, -2.5];
  const high = [2.5, 4];
  const geometries: Readonly<Record<string, readonly ["Conv" | "ConvTranspose", readonly number[], object]>> =
    {
      padded: ["Conv", [3, 2, 3, 2], { pads: [1, 0, 1, 1] }],
      strided: ["Conv", [3, 2, 2, 2], { strides: [2, 1], pads: [0, 1, 0, 0] }],
      dilated: ["Conv", [2, 2, 2, 2], { dilations: [2, 2] }],
      grouped: ["Conv", [4, 1, 3, 3], { group: 2, pads: [1, 1, 1, 1] }],
      transposed: ["ConvTranspose", [2, 3, 2, 3], { strides: [2, 1], pads: [1, 0, 0, 1] }],
    };
  const rules: Readonly<Record<string, readonly [Rule, (ones: number[][]) => PlainRule]>> = {
    zero: [parseRule("zero"), () => epsilonRule(0)],
    "epsilon=0.1": [parseRule("epsilon=0.1"), () => epsilonRule(0.1)],
    "gamma=0.25": [parseRule("gamma=0.25"), () => gammaRule(0.25)],
    "alpha-beta=2,1": [parseRule("alpha-beta=2,1"), () => alphaBeta(2, 1)],
    "z-plus": [parseRule("z-plus"), () => zPlus],
    flat: [parseRule("flat"), (ones) => (layer, a, R) => squareRule({ ...layer, W: ones }, a, R)],
    "w-square": [parseRule("w-square"), () => squareRule],
    "z-box": [
      { kind: "z-box", low, high },
      () => {
        const each = (bound: readonly number[]) => bound.flatMap((v) => new Array<number>(20).fill(v));
        return boxRule(each(low), each(high));
      },
    ],
  };
  const cases = Object.keys(geometries).flatMap((g) => Object.keys(rules).map((r) => [g, r] as const));
  it.each(cases)("%s, %s", async (geometry, named) => {
    const [op, kernel, attributes] = geometries[geometry]!;
    const [rule, plainOf] = rules[named]!;
    const random = createRandom(geometry);
    const channels = op === "Conv" ? kernel[0]! : kernel[1]!;
    const [K, bias] = [drawn(random, ...kernel), drawn(random, channels)];
    const fullOfOnes = tensor(new Float64Array(size(kernel)).fill(1), { type: "float64", dims: kernel });
    const W = await matrixOf((x) => x.op(op, [K], attributes), dims);
    const ones = await matrixOf((x) => x.op(op, [fullOfOnes], attributes), dims);
    const [top, topBias] = [drawn(random, 3, W.length), drawn(random, 3)];
    const net = graph({ x: float64(...dims) }, ({ x }) => {
      const features = x!.op(op, [K, bias], attributes).relu().op("Flatten");
      return { y: features.affine(top, topBias) };
    });
    const places = W.length / channels;
    const layers: PlainLayer[] = [
      { W, b: W.map((_, k) => list(bias)[Math.floor(k / places)]!) },
      { W: [0, 1, 2].map((k) => list(top).slice(k * W.length, (k + 1) * W.length)), b: list(topBias) },
    ];
    const { graph: backward } = relevance(net, {
      assign: () => ({
        product: "all",
        ruleOf: ({ op: met }) => (met === op ? rule : met === "Gemm" ? parseRule("epsilon=0.01") : undefined),
      }),
      target: { kind: "class", index: 2 },
    });
    for (let trial = 0; trial < 2; trial++) {
      const x = drawn(random, ...dims);
      const { relevance_x } = await run(backward, { x });
      const expected = explainPlainly(layers, list(x), [plainOf(ones), epsilonRule(0.01)], 2).relevance;
      const worst = Math.max(...list(relevance_x!).map((v, j) => Math.abs(v - expected[j]!)));
      expect(worst / Math.max(1, ...expected.map(Math.abs))).toBeLessThan(1e-9);
    }
  });
});
