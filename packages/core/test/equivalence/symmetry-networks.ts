// Networks with one kind of symmetry each, and what a test asks of all of them.

import { run } from "../../src/engine/run.ts";
import { float32, graph } from "../../src/graph/builder.ts";
import { type Graph, requiredInputs, type TensorType } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

const random = createRandom("symmetry networks");
const count = (dims: readonly number[]) => dims.reduce((a, b) => a * b, 1);
export const weight = (...dims: number[]): Tensor =>
  tensor(
    random.normal(count(dims)).map((v) => v / Math.sqrt(dims.at(-1)!)),
    { type: "float32", dims },
  );
const positive = (...dims: number[]): Tensor =>
  tensor(
    random.uniform(count(dims)).map((v) => v + 0.5),
    { type: "float32", dims },
  );

export const perceptron = (activation: (x: Value) => Value, widths = [4, 7, 6, 3]): Graph =>
  graph({ x: float32("N", widths[0]!) }, ({ x }) => {
    const last = widths.length - 2;
    return {
      y: widths.slice(1).reduce<Value>((h, w, l) => {
        const next = h.affine(weight(w, widths[l]!), weight(w));
        return l < last ? activation(next) : next;
      }, x!),
    };
  });

function attention(x: Value, d: number, heads: number, inner: number): Value {
  const head = () =>
    x
      .matmul(weight(d, heads * inner))
      .add(weight(heads * inner))
      .reshape([0, 0, heads, inner]);
  const [q, k, v] = [
    head().transpose([0, 2, 1, 3]),
    head().transpose([0, 2, 3, 1]),
    head().transpose([0, 2, 1, 3]),
  ];
  const scores = q.matmul(k).mul(tensor(1 / Math.sqrt(inner), { type: "float32" }));
  const mixed = scores.op("Softmax", [], { axis: -1 }).matmul(v).transpose([0, 2, 1, 3]);
  return mixed
    .reshape([0, 0, heads * inner])
    .matmul(weight(heads * inner, d))
    .add(weight(d));
}

const normalized = (x: Value, d: number) =>
  x.op("LayerNormalization", [positive(d), weight(d)], { axis: -1 });
const batchNormalized = (x: Value, c: number) =>
  x.op("BatchNormalization", [positive(c), weight(c), weight(c), positive(c)]);
const image = { x: float32(2, 3, 6, 6) };

export const attentionNetwork = graph({ x: float32(2, 5, 6) }, ({ x }) => ({ y: attention(x!, 6, 3, 4) }));
export const transformer = graph({ x: float32(2, 5, 7) }, ({ x }) => {
  const h = x!.matmul(weight(7, 12)).add(weight(12));
  const a = h.add(attention(normalized(h, 12), 12, 3, 4));
  const wide = normalized(a, 12).matmul(weight(12, 20)).add(weight(20)).op("Gelu");
  return { y: normalized(a.add(wide.matmul(weight(20, 12))), 12).matmul(weight(12, 3)) };
});
export const batchNormalizedConvolutions = graph(image, ({ x }) => {
  const pads = [1, 1, 1, 1];
  const h = batchNormalized(x!.op("Conv", [weight(6, 3, 3, 3), weight(6)], { pads }), 6).relu();
  const pooled = h.op("MaxPool", [], { kernel_shape: [2, 2], strides: [2, 2] });
  const g = batchNormalized(pooled.op("Conv", [weight(5, 6, 3, 3)], { pads }), 5).relu();
  return { y: g.op("GlobalAveragePool").op("Flatten").affine(weight(4, 5), weight(4)) };
});
export const groupedConvolutions = graph(image, ({ x }) => ({
  y: x!
    .op("Conv", [weight(8, 3, 1, 1), weight(8)])
    .relu()
    .op("Conv", [weight(12, 2, 3, 3), weight(12)], { group: 4 })
    .relu()
    .op("Conv", [weight(12, 1, 1, 1), weight(12)], { group: 12 })
    .relu()
    .op("Flatten")
    .affine(weight(2, 192), weight(2)),
}));
export const residual = graph({ x: float32("N", 3) }, ({ x }) => {
  let h = x!.affine(weight(6, 3), weight(6)).relu();
  for (let k = 0; k < 3; k++)
    h = h.add(h.affine(weight(9, 6), weight(9)).relu().affine(weight(6, 9), weight(6))).relu();
  return { y: h.affine(weight(2, 6), weight(2)) };
});
export const bidirectional = graph({ x: float32(5, 2, 3) }, ({ x }) => {
  const [, h] = x!.builder.apply(
    "LSTM",
    [x!, weight(2, 24, 3), weight(2, 24, 6), weight(2, 48)],
    { hidden_size: 6, direction: "bidirectional" },
    3,
  );
  return { y: h!.transpose([1, 0, 2]).reshape([2, 12]).affine(weight(2, 12), weight(2)) };
});
/** The example of the slides: rows within a pooling region. */
export const pooledRows = graph({ x: float32(2, 12) }, ({ x }) => ({
  y: x!
    .affine(weight(12, 12), weight(12))
    .reshape([2, 4, 3])
    .op("MaxPool", [], { kernel_shape: [3], strides: [3] }),
}));

export const networks: Readonly<Record<string, Graph>> = {
  relu: perceptron((h) => h.relu()),
  tanh: perceptron((h) => h.tanh()),
  sigmoid: perceptron((h) => h.sigmoid()),
  cosine: perceptron((h) => h.cos()),
  "squared relu": perceptron((h) => h.relu().pow(2)),
  gelu: perceptron((h) => h.op("Gelu")),
  "width 1": perceptron((h) => h.relu(), [2, 1, 1, 2]),
  "sigmoid, then relu, then tanh": graph({ x: float32("N", 3) }, ({ x }) => ({
    y: x!
      .affine(weight(6, 3), weight(6))
      .sigmoid()
      .affine(weight(5, 6), weight(5))
      .relu()
      .affine(weight(4, 5), weight(4))
      .tanh()
      .affine(weight(2, 4), weight(2)),
  })),
  gated: graph({ x: float32("N", 3) }, ({ x }) => ({
    y: x!
      .affine(weight(6, 3), weight(6))
      .mul(x!.affine(weight(6, 3), weight(6)).sigmoid())
      .affine(weight(2, 6), weight(2)),
  })),
  sliced: graph({ x: float32("N", 3) }, ({ x }) => {
    const h = x!.affine(weight(8, 3), weight(8)).relu();
    return {
      y: h
        .slice(1, 0, 4)
        .mul(h.slice(1, 4, 8))
        .affine(weight(2, 4), weight(2)),
    };
  }),
  concatenated: graph({ x: float32("N", 3) }, ({ x }) => {
    const a = x!.affine(weight(5, 3), weight(5)).relu();
    const b = x!.concat([a], 1).affine(weight(4, 8), weight(4)).tanh();
    return { y: x!.concat([a, b], 1).affine(weight(2, 12), weight(2)) };
  }),
  residual,
  "batch normalization": batchNormalizedConvolutions,
  "grouped convolutions": groupedConvolutions,
  attention: attentionNetwork,
  transformer,
  "bidirectional LSTM": bidirectional,
  "pooled rows": pooledRows,
};

/** Random inputs of a network; open dimensions are 3. */
export function inputsOf(source: Graph, draw: Random): Record<string, Tensor> {
  return Object.fromEntries(
    requiredInputs(source).map(({ name, type }) => {
      const dims = (type as TensorType).shape!.map((d) => (typeof d === "number" ? d : 3));
      return [name, tensor(draw.normal(count(dims)), { type: "float32", dims })];
    }),
  );
}

/** The greatest difference between two networks on random inputs, relative to the greatest output. */
export async function relativeDifference(a: Graph, b: Graph, draw: Random): Promise<number> {
  const inputs = inputsOf(a, draw);
  const [left, right] = [await run(a, inputs), await run(b, inputs)];
  return Math.max(
    ...Object.keys(left).map((name) => {
      const [u, v] = [left, right].map((outputs) => Float64Array.from(numbers(outputs[name]!))) as [
        Float64Array,
        Float64Array,
      ];
      const size = u.reduce((m, w) => Math.max(m, Math.abs(w)), 2 ** -100);
      return u.reduce((m, w, k) => Math.max(m, Math.abs(w - v[k]!)), 0) / size;
    }),
  );
}

/** How many weights differ between two networks of one form. */
export const changedWeights = (a: Graph, b: Graph): number =>
  [...b.initializers].filter(([name, w]) => {
    const before = a.initializers.get(name);
    return before && numbers(before as Tensor).some((v, k) => v !== numbers(w as Tensor)[k]);
  }).length;
