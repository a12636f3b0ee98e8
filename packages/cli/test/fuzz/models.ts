// Models to mutate: those of the shared folder where it is there, and one of each kind of graph built here.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import {
  bool,
  float32,
  float64,
  type Graph,
  graph,
  int64,
  type NumericType,
  type SparseTensor,
  type Tensor,
  tensor,
  writeModel,
} from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";

export interface BaseModel {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const largestBase = 60_000;

/** Every base model: the same list in the same order wherever the folder is the same. */
export function baseModels(folder: string): readonly BaseModel[] {
  const own = Object.entries(builtModels).map(([name, build]) => ({ name, bytes: writeModel(build()) }));
  return [...own, ...sharedModels(folder)];
}

function sharedModels(folder: string): BaseModel[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".onnx") && statSync(join(folder, path)).size < largestBase)
    .sort()
    .map((path) => ({
      name: basename(path, ".onnx"),
      bytes: new Uint8Array(readFileSync(join(folder, path))),
    }));
}

const f32 = { type: "float32" } as const;
const i64 = { type: "int64" } as const;
const random = createRandom("base models");
const weight = (dims: readonly number[], type: NumericType = "float32"): Tensor =>
  tensor(random.normal(dims.reduce((n, d) => n * d, 1)), { type, dims });
const integers = (...values: number[]): Tensor => tensor(values, { type: "int64", dims: [values.length] });
const scalar = (value: number, type: NumericType = "int64"): Tensor => tensor([value], { type, dims: [] });

const sparseWeight = (dims: readonly number[]): SparseTensor => ({
  type: "float32",
  dims,
  values: weight([3]),
  indices: BigInt64Array.of(0n, 3n, 5n),
});

const builtModels: Readonly<Record<string, () => Graph>> = {
  mlp: () =>
    graph({ x: float32("N", 3) }, ({ x }) => ({
      y: x
        .affine(weight([8, 3]), weight([8]))
        .relu()
        .affine(weight([2, 8]), weight([2]))
        .op("Softmax", [], { axis: 1 }),
    })),
  convolution: () =>
    graph({ x: float32("N", 2, 8, 8) }, ({ x }) => ({
      y: x
        .op("Conv", [weight([4, 1, 3, 3]), weight([4])], {
          group: 2,
          pads: [1, 1, 1, 1],
          strides: [2, 1],
          dilations: [1, 2],
        })
        .op("BatchNormalization", [weight([4]), weight([4]), weight([4]), tensor([1, 2, 3, 4], f32)])
        .relu()
        .op("MaxPool", [], { kernel_shape: [2, 2], strides: [2, 2], ceil_mode: 1 })
        .op("AveragePool", [], { kernel_shape: [2, 2], pads: [1, 1, 1, 1], count_include_pad: 1 })
        .op("Flatten")
        .matmul(weight([48, 2])),
    })),
  transposedConvolution: () =>
    graph({ x: float32(1, 2, 5, 5) }, ({ x }) => ({
      y: x
        .op("ConvTranspose", [weight([2, 3, 3, 3])], {
          strides: [2, 2],
          pads: [1, 1, 1, 1],
          output_padding: [1, 1],
        })
        .op("GlobalAveragePool"),
    })),
  attention: () =>
    graph({ x: float32("N", 6, 8) }, ({ x }) => {
      const project = () =>
        x
          .matmul(weight([8, 8]))
          .reshape([0, 6, 2, 4])
          .transpose([0, 2, 1, 3]);
      const [queries, keys, values] = [project(), project(), project()];
      const scores = queries
        .matmul(keys.transpose([0, 1, 3, 2]))
        .mul(0.5)
        .op("Softmax", [], { axis: -1 });
      const mixed = scores.matmul(values).transpose([0, 2, 1, 3]).reshape([0, 0, 8]);
      return { y: mixed.add(x).op("LayerNormalization", [weight([8]), weight([8])], { axis: -1 }) };
    }),
  lstm: () =>
    graph({ x: float32(5, 2, 3) }, ({ x }) => ({
      y: x.op("LSTM", [weight([1, 16, 3]), weight([1, 16, 4]), weight([1, 32])], { hidden_size: 4 }),
    })),
  gru: () =>
    graph({ x: float32(5, 2, 3) }, ({ x }) => ({
      y: x.op("GRU", [weight([2, 12, 3]), weight([2, 12, 4])], {
        hidden_size: 4,
        direction: "bidirectional",
        linear_before_reset: 1,
      }),
    })),
  loop: () =>
    graph({ x: float32(4), go: bool() }, ({ x, go }) => {
      const body = x.builder.subgraph(
        { turn: int64(), goesOn: bool(), state: float32(4) },
        ({ turn, goesOn, state }) => ({
          still: goesOn!.op("Identity"),
          next: state!.add(turn!.cast("float32")).tanh(),
          seen: state!.sum([0]),
        }),
      );
      const [state, seen] = x.builder.apply("Loop", [scalar(10), go, x], { body }, 2);
      return { state: state!, seen: seen! };
    }),
  scan: () =>
    graph({ x: float32(6, 4) }, ({ x }) => {
      const body = x.builder.subgraph({ sum: float32(4), item: float32(4) }, ({ sum, item }) => ({
        next: sum!.add(item!),
        seen: sum!.mul(item!),
      }));
      const attributes = { body, num_scan_inputs: 1 };
      const [sum, seen] = x.builder.apply("Scan", [weight([4]), x], attributes, 2);
      return { sum: sum!, seen: seen! };
    }),
  branch: () =>
    graph({ x: float32(4), flag: bool() }, ({ x, flag }) => ({
      y: flag.op("If", [], {
        then_branch: x.builder.subgraph({}, () => ({ out: x.add(1) })),
        else_branch: x.builder.subgraph({}, () => ({ out: x.matmul(weight([4, 4])) })),
      }),
    })),
  sparse: () =>
    graph({ x: float32("N", 4) }, ({ x }) => ({ y: x.matmul(x.builder.weight(sparseWeight([4, 3]))) })),
  half: () =>
    graph({ x: { type: "float16", shape: ["N", 4] } }, ({ x }) => ({
      y: x
        .matmul(weight([4, 4], "float16"))
        .relu()
        .cast("float32"),
    })),
  double: () =>
    graph({ x: float64("N", 4) }, ({ x }) => ({
      y: x
        .matmul(weight([4, 4], "float64"))
        .exp()
        .log(),
    })),
  shapesAsWeights: () =>
    graph({ x: float32(2, 3, 4) }, ({ x }) => ({
      reshaped: x.reshape([4, -1]),
      sliced: x.op("Slice", [integers(0, 1), integers(2, 3), integers(0, 2), integers(1, 1)]),
      gathered: x.gather([0, 2], 1),
      padded: x.op("Pad", [integers(0, 1, 0, 1, 0, 1), scalar(0.5, "float32")]),
      expanded: x.op("Expand", [integers(5, 2, 3, 4)]),
      tiled: x.op("Tile", [integers(1, 2, 3)]),
      split: x.builder.apply("Split", [x, integers(1, 3)], { axis: 2 }, 2)[1]!,
      squeezed: x.op("Unsqueeze", [integers(0, 4)]).op("Squeeze", [integers(0)]),
    })),
  shapesAsInputs: () =>
    graph({ x: float32(1, 1), shape: int64(2), count: int64() }, ({ x, shape, count }) => ({
      expanded: x.op("Expand", [shape]),
      tiled: x.op("Tile", [shape]),
      filled: shape.op("ConstantOfShape", [], { value: weight([1]) }),
      range: x.builder.apply("Range", [scalar(0), count, scalar(1)])[0]!,
      computed: x.cast("int64").reshape([1]).abs().mul(integers(5)).op("ConstantOfShape"),
    })),
  reshapedByInput: () =>
    graph({ x: float32(1, 1), shape: int64(2) }, ({ x, shape }) => ({ y: x.op("Reshape", [shape]) })),
  generated: () =>
    graph({ x: float32(3, 5) }, ({ x }) => ({
      filled: x.builder.apply("ConstantOfShape", [integers(2, 3)])[0]!,
      range: x.builder.apply("Range", [scalar(0), scalar(12), scalar(3)])[0]!,
      top: x.builder.apply("TopK", [x, integers(2)], { axis: 1 }, 2)[0]!,
      oneHot: x.op("ArgMax", [], { axis: 1 }).op("OneHot", [scalar(5), tensor([0, 1], f32)]),
      nonZero: x.relu().op("NonZero"),
      cumulated: x.op("CumSum", [scalar(1)]),
      triangle: x.op("Trilu", [scalar(1)], { upper: 0 }),
    })),
  resize: () =>
    graph({ x: float32(1, 1, 4, 4) }, ({ x }) => ({
      scaled: x.op("Resize", [undefined, tensor([1, 1, 2, 1.5], f32)], { mode: "linear" }),
      sized: x.op("Resize", [undefined, undefined, integers(1, 1, 3, 7)], { mode: "nearest" }),
      rearranged: x.op("SpaceToDepth", [], { blocksize: 2 }).op("DepthToSpace", [], { blocksize: 2 }),
    })),
  einsum: () =>
    graph({ x: float32("N", 3, 4) }, ({ x }) => ({
      y: x.op("Einsum", [weight([4, 5])], { equation: "bij,jk->bik" }),
    })),
  scatter: () =>
    graph({ x: float32(4, 3) }, ({ x }) => ({
      elements: x.op("ScatterElements", [tensor([[0, 2, 1]], i64), weight([1, 3])], { axis: 0 }),
      byIndex: x.op("ScatterND", [tensor([[1], [3]], i64), weight([2, 3])]),
      gathered: x.op("GatherND", [tensor([[0, 1]], i64)]),
      picked: x.op("GatherElements", [tensor([[0, 2, 1]], i64)], { axis: 0 }),
      chosen: x.op("Greater", [0]).op("Where", [x, x.neg()]),
    })),
  reductions: () =>
    graph({ x: float32("N", 3, 4) }, ({ x }) => ({
      sum: x.sum([1], 1),
      mean: x.mean([-1]),
      most: x.op("ReduceMax", [integers(0, 2)]),
      norm: x.op("ReduceL2", [integers(1)]),
      normalized: x.op("InstanceNormalization", [weight([3]), weight([3])]),
    })),
};
