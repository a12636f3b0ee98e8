// Where a computed value can lie, node by node: the interval pass on inputs that are wider by what rounding costs.
//
// A sum of n products in floating point is the exact sum of factors that are off by at most gamma = n u / (1 - n u) of
// themselves each; what is computed from single numbers is off by a few units in the last place of the result. So the
// computed value of a node lies in the image of inputs widened by gamma, widened by gamma once more. Here n is the number
// of all numbers that the node reads and writes, and 32 for what functions cost. The runtime's functions of floats are
// polynomials with an absolute error, below 2^-20 in float32: that is added where a function has such a kernel.
import type { Graph, Node } from "../../src/graph/graph.ts";
import { isSparse } from "../../src/graph/graph.ts";
import { integerRange } from "../../src/graph/integer-range.ts";
import { type DataType, dataTypes, densify, type Tensor } from "../../src/graph/tensor.ts";
import { canonical } from "../../src/graph/upgrade.ts";
import { constantTensor, type IntervalTensor } from "../../src/passes/interval/tensor.ts";
import { intervalPass } from "../../src/passes/interval.ts";

const units: Partial<Record<DataType, number>> = {
  float64: 2 ** -53,
  float32: 2 ** -24,
  float16: 2 ** -11,
  bfloat16: 2 ** -8,
};
/** What a result that is too small for its type loses, at most. */
const leastOf = (type: DataType): number => (type === "float16" ? 2 ** -24 : 2 ** -133);

const curved =
  /^(Erf|Tanh|Sigmoid|Softmax|LogSoftmax|Gelu|Mish|Softplus|Exp|Log|Sin|Cos|Tan|A?(sin|cos|tan)h?|Elu|Selu|Celu|RNN|GRU|LSTM|ReduceLog.*|Pow|HardSwish|Resize|LinearClassifier|TreeEnsemble.*)$/i;

/** What the runtime computes in f32, or with constants in f32, whatever the type: ONNX's own definition of Gelu has such. */
const inSingle = /^(Shrink|HardSwish|Gelu)$/;

/** Wider on both sides by a share of each end, and by an absolute amount. */
function widened(x: IntervalTensor, share: number, absolute: number): IntervalTensor {
  const by = (v: number, side: 1 | -1): number =>
    Number.isFinite(v) ? v + side * (Math.abs(v) * share + absolute) : v;
  return { ...x, lower: x.lower.map((v) => by(v, -1)), upper: x.upper.map((v) => by(v, 1)) };
}

/** Where there is no enclosure: room for some hundred roundings in the type. */
export const roomAround = (value: number, type: DataType): number =>
  Math.max(2 ** -14, 32 * (units[type] ?? 0)) * (1 + Math.abs(value));

/** What the values of a function are multiplied with before they are added: alpha (e^x - 1) is off by its alpha. */
const factorOf = ({ attributes }: Node): number =>
  ["alpha", "gamma"].reduce((product, name) => {
    const found = attributes.get(name);
    return found?.type === "float" ? product * Math.max(1, Math.abs(found.value)) : product;
  }, 1);

/** Constants among the terms are rounded with what is added to them. */
const sums = new Set(["Sum", "Mean"]);

/**
 * The squares that a window of LRN moves over are added and taken away: what is left of the greatest may be all there is,
 * where nothing is added to it.
 */
const isErratic = ({ op, attributes }: Node): boolean => {
  const bias = attributes.get("bias");
  return op === "LRN" && bias?.type === "float" && Math.abs(bias.value) < 0.1;
};

const countOf = (x: IntervalTensor | undefined): number => x?.lower.length ?? 0;

/** The coarsest rounding among the floating-point numbers that a node reads or writes. */
const unitOf = (tensors: readonly (IntervalTensor | undefined)[]): number =>
  Math.max(0, ...tensors.map((x) => (x && units[x.type]) ?? 0));

function nodeValues(
  graph: Graph,
  node: Node,
  values: ReadonlyMap<string, IntervalTensor>,
): ReadonlyMap<string, IntervalTensor> {
  const one: Graph = { ...graph, inputs: [], initializers: new Map(), nodes: [node] };
  try {
    return intervalPass(one, values);
  } catch (error) {
    const any = /may leave the range/.test((error as Error).message) && anyInteger(node, values);
    if (!any) throw error;
    return new Map([...values, [node.outputs[0]!, any]]);
  }
}

/** What rounding carries over the end of an integer type is cast to any number of it. */
function anyInteger(
  { op, inputs, attributes }: Node,
  values: ReadonlyMap<string, IntervalTensor>,
): IntervalTensor | undefined {
  const [x, like] = inputs.map((name) => values.get(name));
  const to = attributes.get("to");
  const type =
    op === "Cast" && to?.type === "int"
      ? dataTypes[Number(to.value)]
      : op === "CastLike"
        ? like?.type
        : undefined;
  const range = type && integerRange(type);
  return range && x && { ...x, type, lower: x.lower.map(() => range[0]), upper: x.upper.map(() => range[1]) };
}

/** Bounds on every value that a run computes from these inputs. */
export function runningEnclosure(
  original: Graph,
  feeds: ReadonlyMap<string, Tensor>,
): ReadonlyMap<string, IntervalTensor> {
  const graph = canonical(original);
  const values = new Map<string, IntervalTensor>();
  const varying = new Set(feeds.keys());
  for (const [name, t] of graph.initializers) values.set(name, constantTensor(isSparse(t) ? densify(t) : t));
  for (const [name, t] of feeds) values.set(name, constantTensor(t));
  for (const node of graph.nodes) {
    const inputs = node.inputs.map((name) => values.get(name));
    const plain = node.outputs.some((name) => name) ? nodeValues(graph, node, values) : values;
    const outputs = node.outputs.map((name) => plain.get(name));
    const count = [...inputs, ...outputs].reduce((n, x) => n + countOf(x), 32);
    const unit = Math.max(unitOf([...inputs, ...outputs]), inSingle.test(node.op) ? 2 ** -24 : 0);
    const share = 2 * count * unit;
    const isConstant = !node.inputs.some((name) => varying.has(name));
    const wide = new Map(values);
    for (const name of node.inputs) {
      const x = values.get(name);
      const isRounded = varying.has(name) || isConstant || sums.has(node.op);
      if (x && units[x.type] && isRounded) wide.set(name, widened(x, share, 0));
    }
    const results = unit > 0 ? tryValues(graph, node, wide, plain) : plain;
    const absolute = curved.test(node.op) ? unit * 16 * factorOf(node) : 0;
    node.outputs.forEach((name) => {
      const y = results.get(name);
      const more = isErratic(node) ? Number.POSITIVE_INFINITY : absolute;
      if (name && y) values.set(name, units[y.type] ? widened(y, share, more + leastOf(y.type)) : y);
      if (!isConstant) varying.add(name);
    });
  }
  return values;
}

/** A rule that needs a constant does not read a wide one; any other refusal of what a run may compute stands. */
function tryValues(
  graph: Graph,
  node: Node,
  wide: ReadonlyMap<string, IntervalTensor>,
  plain: ReadonlyMap<string, IntervalTensor>,
): ReadonlyMap<string, IntervalTensor> {
  try {
    return nodeValues(graph, node, wide);
  } catch (error) {
    if (/constant/.test((error as Error).message)) return plain;
    throw error;
  }
}
