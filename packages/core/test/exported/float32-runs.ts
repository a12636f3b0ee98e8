// All that a run in f32 can give, as a graph for the interval pass: the margin by which such a run may leave a bound on
// the real function.
//
// Every value that a node computes is multiplied by 1 + d, |d| <= 8 u with u = 2^-24: correct rounding has |d| <= u, and
// single-precision functions are good to a few units in the last place. A sum of K products, in whatever order and with
// or without fused multiply-add, is off by at most gamma_K times the sum of the products' sizes: that is what comes out
// when each factor on one side has an error (1 + d) of its own, |d| <= gamma_K < 2 K u. Interval arithmetic treats every
// occurrence of the factor as another number, so one scalar for each K is enough. Normalizations and recurrences are
// written out by their definitions first. Underflow is left to an absolute margin of 1e-30.
import { definitionOf, rewrite } from "../../src/graph/definitions/index.ts";
import { type Graph, type Node, requiredInputs, type ValueInfo } from "../../src/graph/graph.ts";
import { inferTypes } from "../../src/graph/infer.ts";
import { elementCount } from "../../src/graph/tensor.ts";
import { canonical } from "../../src/graph/upgrade.ts";
import { inputShapes } from "../../src/passes/affine/compile.ts";
import { type IntervalTensor, type NamedBox, outputBounds } from "../../src/passes/interval.ts";

const unit = 2 ** -24;
/** Units in the last place that a function of one number may be off by. */
const functionError = 8;

const composed = new Set(
  "LayerNormalization GroupNormalization InstanceNormalization MeanVarianceNormalization LpNormalization RMSNormalization BatchNormalization LogSoftmax Softmax Attention RNN GRU LSTM".split(
    " ",
  ),
);
/** These move numbers, or choose among them. */
const exact = new Set(
  "Identity Relu Reshape Flatten Squeeze Unsqueeze Transpose Concat Split Slice Gather GatherElements GatherND Expand Tile Pad Max Min MaxPool GlobalMaxPool ReduceMax ReduceMin Clip Abs Neg Where DepthToSpace SpaceToDepth TopK Dropout Cast Constant ConstantOfShape Shape Size Sign Floor Ceil Round Greater GreaterOrEqual Less LessOrEqual Equal Not And Or Xor ArgMax ArgMin ScatterND ScatterElements Trilu".split(
    " ",
  ),
);

type DimsOf = (name: string | undefined) => readonly number[] | undefined;

/** How many products a node sums up; 0 for a function of single numbers. */
function terms({ op, inputs, attributes }: Node, dimsOf: DimsOf): number {
  const [a, b] = [dimsOf(inputs[0]), dimsOf(inputs[1])];
  if (op === "MatMul") return a?.at(-1) ?? 1;
  if (op === "Gemm") return 1 + (a?.[Number(attributes.get("transA")?.value ?? 0) ? 0 : 1] ?? 1);
  if (op === "Conv") return 1 + elementCount(b!) / b![0]!;
  if (op === "ConvTranspose") return 1 + elementCount(b!) / b![1]!;
  if (/^(Reduce|.*Pool|CumSum|Einsum|Resize|LRN|Softmax|Mean$|Sum$)/.test(op)) return elementCount(a ?? []);
  return 0;
}

/** The graph whose interval bounds at a point hold every f32 run there, and the box of its factors. */
export interface Float32Runs {
  readonly graph: Graph;
  readonly factors: NamedBox;
}

export function float32Runs(original: Graph): Float32Runs {
  const graph = rewrite(canonical(original), (node) =>
    composed.has(node.op) ? definitionOf(node) : undefined,
  );
  const shapes = inputShapes(graph);
  const types = inferTypes(graph, {
    inputs: new Map(shapes.map(({ name, type, dims }) => [name, { type: type.type, shape: dims }])),
  });
  const dimsOf: DimsOf = (name) => types.get(name ?? "")?.shape as readonly number[] | undefined;
  const isRounded = (name: string): boolean => types.get(name)?.type === "float32";
  const varying = new Set(requiredInputs(graph).map((i) => i.name));
  const counts = new Set<number>();
  const factor = (count: number): string => {
    counts.add(count);
    return `round ${count}`;
  };
  const times = (x: string, count: number, y: string): Node => ({
    op: "Mul",
    domain: "",
    name: `round ${y}`,
    inputs: [x, factor(count)],
    outputs: [y],
    attributes: new Map(),
  });
  const nodes = graph.nodes.flatMap((node): readonly Node[] => {
    if (!node.inputs.some((name) => varying.has(name))) return [node];
    for (const name of node.outputs) varying.add(name);
    if (exact.has(node.op)) return [node];
    const sum = terms(node, dimsOf);
    const isFactor = (name: string): boolean => sum > 0 && varying.has(name) && isRounded(name);
    const before = node.inputs.map((name, k) =>
      isFactor(name) ? `${name} in ${node.outputs[0]} ${k}` : name,
    );
    const after = node.outputs.map((name) => (isRounded(name) ? `${name} exact` : name));
    return [
      ...node.inputs.flatMap((name, k) => (isFactor(name) ? [times(name, 2 * sum, before[k]!)] : [])),
      { ...node, inputs: before, outputs: after },
      ...node.outputs.flatMap((name, k) =>
        after[k] === name ? [] : [times(after[k]!, functionError, name)],
      ),
    ];
  });
  const scalars = [...counts].map(
    (count): ValueInfo => ({ name: factor(count), type: { type: "float32", shape: [] } }),
  );
  const around = (count: number) => ({ lower: 1 - count * unit, upper: 1 + count * unit });
  return {
    graph: { ...graph, inputs: [...graph.inputs, ...scalars], nodes, valueTypes: new Map() },
    factors: Object.fromEntries([...counts].map((count) => [factor(count), around(count)])),
  };
}

/** Bounds on what f32 runs give with inputs in a box: the same names and sizes as the network's own. */
export const float32Bounds = (
  { graph, factors }: Float32Runs,
  box: NamedBox,
): ReadonlyMap<string, IntervalTensor> => outputBounds(graph, { ...box, ...factors });
