// Operators that are read by their definition in simpler ones. The definition is written in f64, so that none of its
// constants is rounded, for the shapes at hand.

import { boundedDefinitionOf, rewrite } from "../../graph/definitions/index.ts";
import { GraphError } from "../../graph/error.ts";
import type { Attribute, Graph, Node } from "../../graph/graph.ts";
import { attention } from "../../graph/operators/attention.ts";
import type { OperatorName } from "../../graph/operators/index.ts";
import { learning } from "../../graph/operators/learning.ts";
import { quantization } from "../../graph/operators/quantization.ts";
import { elementCount, isFloat, type Tensor } from "../../graph/tensor.ts";
import { canonicalOpset } from "../../graph/upgrade.ts";
import {
  div,
  type Interval,
  type IntervalArray,
  mapIntervals,
  nextDown,
  nextUp,
  sub,
} from "../../numbers/interval/index.ts";
import type { Rules } from "../pass.ts";
import { pNorm } from "./reductions.ts";
import { constantValue, type Inputs, type IntervalTensor, isIntegral, known, mapped } from "./tensor.ts";
import { leafSums } from "./trees.ts";

/** Evaluates a graph whose inputs have these values. */
export type Evaluate = (
  graph: Graph,
  inputs: ReadonlyMap<string, IntervalTensor>,
) => ReadonlyMap<string, IntervalTensor>;

const real = (x: IntervalTensor): IntervalTensor => (isFloat(x.type) ? { ...x, type: "float64" } : x);

interface Written {
  readonly key: string;
  readonly graph: Graph;
}
const written = new WeakMap<Node, Written>();

/** The graph of one node, with constants that shapes depend on as weights, rewritten by its definition. */
function definitionGraph(node: Node, inputs: Inputs): Graph {
  const constants = new Map<string, Tensor>();
  inputs.forEach((x, k) => {
    if (x && known(x)?.value) constants.set(node.inputs[k]!, constantValue(real(x)));
  });
  const describeInput = (x: IntervalTensor | undefined, k: number): string =>
    `${x?.type}[${x?.dims}]${constants.has(node.inputs[k]!) ? x?.lower.join() : ""}`;
  const key = inputs.map(describeInput).join(";");
  const before = written.get(node);
  if (before?.key === key) return before.graph;
  const graph: Graph = {
    name: node.name,
    inputs: node.inputs.flatMap((name, k) => {
      const x = inputs[k] && real(inputs[k]);
      return x && !constants.has(name) ? [{ name, type: { type: x.type, shape: x.dims } }] : [];
    }),
    outputs: node.outputs.flatMap((name) => (name ? [{ name, type: { type: "undefined" } as const }] : [])),
    nodes: [node],
    initializers: constants,
    valueTypes: new Map(),
    opsets: new Map([["", canonicalOpset]]),
    irVersion: 9,
    metadata: new Map(),
    functions: [],
  };
  const expanded = rewrite(graph, (inner) => (inner.op === node.op ? boundedDefinitionOf(inner) : undefined));
  written.set(node, { key, graph: expanded });
  return expanded;
}

/** The node's outputs by its definition. */
export function byDefinition(node: Node, inputs: Inputs, evaluate: Evaluate): readonly IntervalTensor[] {
  const graph = definitionGraph(node, inputs);
  const given = new Map(
    node.inputs.flatMap((name, k) => {
      const x = inputs[k];
      return x && graph.inputs.some((i) => i.name === name) ? [[name, real(x)] as const] : [];
    }),
  );
  const values = evaluate(graph, given);
  // What is outside of ONNX's own operators gives f32, whatever it reads.
  const type = node.domain === "" ? inputs.find((x) => x && !isIntegral(x))?.type : "float32";
  return node.outputs.map((name) => {
    const y = values.get(name);
    return (y && type && !isIntegral(y) ? { ...y, type } : y) as IntervalTensor;
  });
}

const withAttribute = (node: Node, name: string, value: Attribute): Node => ({
  ...node,
  attributes: new Map([...node.attributes, [name, value]]),
});

/** Twice the numbers' magnitude times what rounding costs the weights of an interpolation, on each side. */
function widened(x: IntervalArray, relative: number, magnitude: number): IntervalArray {
  const room = nextUp(magnitude * relative);
  return mapIntervals(x, ({ lower, upper }: Interval) => ({
    lower: nextDown(lower - room),
    upper: nextUp(upper + room),
  }));
}

const greatestMagnitude = ({ lower, upper }: IntervalArray): number => {
  let greatest = 0;
  for (let k = 0; k < lower.length; k++) greatest = Math.max(greatest, -lower[k]!, upper[k]!);
  return greatest;
};

/** Quantization, attention and what scikit-learn is exported to, by their definitions. */
const writtenOut = [...Object.keys(attention), ...Object.keys(quantization), ...Object.keys(learning)].filter(
  (op) => !/^(LinearClassifier|TreeEnsemble.*)$/.test(op),
) as readonly OperatorName[];

/**
 * Whole numbers, scale and zero point that depend on all numbers together: with the range r = max(x, 0) - min(x, 0) the
 * scale is r / 255, or 1 where r is 0.
 */
function dynamicSteps(x: IntervalTensor): readonly IntervalTensor[] {
  const zero: Interval = { lower: 0, upper: 0 };
  let [least, greatest] = [zero, zero];
  for (let k = 0; k < x.lower.length; k++) {
    const [lower, upper] = [x.lower[k]!, x.upper[k]!];
    least = { lower: Math.min(least.lower, lower), upper: Math.min(least.upper, upper) };
    greatest = { lower: Math.max(greatest.lower, lower), upper: Math.max(greatest.upper, upper) };
  }
  const range = sub(greatest, least);
  const steps = div({ lower: Math.max(0, range.lower), upper: range.upper }, { lower: 255, upper: 255 });
  const scale = range.lower > 0 ? steps : { lower: 0, upper: Math.max(1, steps.upper) };
  const whole = (dims: readonly number[]): IntervalTensor => {
    const count = elementCount(dims);
    return { type: "uint8", dims, lower: new Float64Array(count), upper: new Float64Array(count).fill(255) };
  };
  const scalar = { lower: Float64Array.of(scale.lower), upper: Float64Array.of(scale.upper) };
  return [whole(x.dims), { type: "float32", dims: [], ...scalar }, whole([])];
}

export function definedRules(evaluate: Evaluate): Rules<IntervalTensor> {
  const defined = (inputs: Inputs, _: unknown, node: Node) => byDefinition(node, inputs, evaluate);
  const scored = (inputs: Inputs, _: unknown, node: Node): readonly IntervalTensor[] => {
    try {
      return byDefinition(node, inputs, evaluate);
    } catch (error) {
      if (!(error instanceof GraphError) || !node.attributes.has("classlabels_strings")) throw error;
      return byDefinition({ ...node, outputs: ["", ...node.outputs.slice(1)] }, inputs, evaluate);
    }
  };
  return {
    Conv: defined,
    ConvTranspose: defined,
    /** Where the greatest element was has no bounds; a node that reads it says so. */
    MaxPool: (inputs, _, node) =>
      byDefinition(
        node.outputs.length > 1 ? { ...node, outputs: node.outputs.slice(0, 1) } : node,
        inputs,
        evaluate,
      ),
    AveragePool: defined,
    /** The sum of powers is the definition for p = 1; the root is taken afterwards. */
    LpPool: ([x], { p }, node) => {
      const { before, after } = pNorm(p);
      const sums = withAttribute(node, "p", { type: "int", value: 1n });
      return mapped(byDefinition(sums, [mapped(x!, before)], evaluate)[0]!, after);
    },
    BatchNormalization: defined,
    Hardmax: defined,
    Det: defined,
    /** Interpolation weights are computed in doubles from coordinates: off by less than size 2^-47 each, four a place. */
    Resize: (inputs, { mode }, node) => {
      const [y] = byDefinition(node, inputs, evaluate);
      if (mode === "nearest") return y!;
      const size = Math.max(...inputs[0]!.dims, ...y!.dims);
      return {
        ...y!,
        ...widened(y!, size * inputs[0]!.dims.length * 2 ** -44, greatestMagnitude(inputs[0]!)),
      };
    },
    /** Words are no numbers: where labels are such, scores alone are read. */
    LinearClassifier: scored,
    TreeEnsembleClassifier: scored,
    TreeEnsembleRegressor: (inputs, attributes, node) =>
      attributes.post_transform === "NONE"
        ? leafSums(inputs[0]!, attributes, node)
        : byDefinition(node, inputs, evaluate),
    ...Object.fromEntries(writtenOut.map((op) => [op, defined])),
    DynamicQuantizeLinear: ([x]) => dynamicSteps(x!),
    RNN: defined,
    GRU: defined,
    LSTM: defined,
  };
}
