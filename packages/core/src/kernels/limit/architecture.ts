// What the limit kernel reads of a network: the graph, its input, and for which values all pairs of positions are needed.
import { GraphError } from "../../graph/error.ts";
import { type Graph, isSparse, isTensorType, requiredInputs } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { elementCount } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { openNetwork } from "../../train/network.ts";
import type { NetworkSpec } from "../../train/spec/layer-spec.ts";
import { KernelError } from "../error.ts";
import type { Weight } from "./meaning.ts";

/** A graph, whose weights are read for their shapes alone, or an architecture in one line. */
export type Architecture = Graph | NetworkSpec | string;

export interface ReadArchitecture {
  readonly graph: Graph;
  readonly input: string;
  readonly output: string;
  /** The shape of an example. */
  readonly example: readonly number[];
  /** Inputs that stand for weights. */
  readonly weights: ReadonlyMap<string, Weight>;
  /** Whether the units are the last axis of the data: a dense layer reads it first, not a convolution. */
  readonly unitsLast: boolean;
  readonly allPairs: ReadonlySet<string>;
  shape(name: string): readonly number[];
}

const isGraph = (model: Graph | NetworkSpec): model is Graph => "nodes" in model;

/** `example`: the shape of one example of the data, where the graph leaves it open. */
export function readArchitecture(model: Architecture, example: readonly number[]): ReadArchitecture {
  const isSpec = typeof model === "string" || !isGraph(model);
  const graph = canonical(isSpec ? openNetwork(model) : model);
  const [input, ...others] = requiredInputs(graph);
  const [output, another] = graph.outputs;
  if (!input || !output || another || (!isSpec && others.length > 0))
    throw new KernelError(
      `a limit kernel is of a graph with one input and one output, not ${requiredInputs(graph).length} and ${graph.outputs.length}`,
    );
  const weights = new Map(
    others.map(({ name, type }) => [
      name,
      { kind: "weight", dims: isTensorType(type) ? (type.shape as readonly number[]) : [] } as const,
    ]),
  );
  const shape = shapesOf(graph, input.name, example);
  return {
    ...{ graph, input: input.name, output: output.name, weights, shape, example },
    unitsLast:
      example.length > 1 && (readsLastAxis(graph) || movesLastAxis(graph, input.name, example, shape)),
    allPairs: needingAllPairs(graph, output.name),
  };
}

function shapesOf(graph: Graph, input: string, example: readonly number[]): ReadArchitecture["shape"] {
  const declared = graph.inputs.find((i) => i.name === input)!.type;
  if (!isTensorType(declared)) throw new KernelError(`input "${input}" is a ${declared.description}`);
  const dims = declared.shape?.slice(1);
  if (
    dims &&
    (dims.length !== example.length || dims.some((d, k) => typeof d === "number" && d !== example[k]))
  )
    throw new KernelError(
      `an example of the data has shape [${example}], but the network reads [${dims.map((d) => d ?? "?")}]`,
    );
  // The batch may be written into the file as a number.
  const batch = typeof declared.shape?.[0] === "number" ? declared.shape[0] : 1;
  const types = inferTypes(graph, {
    inputs: new Map([[input, { type: declared.type, shape: [batch, ...example] }]]),
  });
  return (name) => {
    const found = types.get(name)?.shape?.slice(1);
    if (!found?.every((d) => typeof d === "number"))
      throw new GraphError(`the shape of "${name}" is not known before the network runs`);
    return found as readonly number[];
  };
}

/** Is the first layer with weights a product of matrices? */
const readsLastAxis = (graph: Graph): boolean =>
  /^(MatMul|Gemm)$/.test(graph.nodes.find(({ op }) => /^(Conv|MatMul|Gemm)$/.test(op))?.op ?? "Conv") &&
  !graph.nodes.some(({ op }) => op === "Flatten" || op === "Reshape");

/** Is the first step to move the units from last to first, as TensorFlow's convolutions are written? */
function movesLastAxis(
  graph: Graph,
  input: string,
  example: readonly number[],
  shape: ReadArchitecture["shape"],
): boolean {
  const readers = graph.nodes.filter(({ inputs }) => inputs.includes(input));
  const places = example.map((_, k) => k + 1);
  const unitsFirst = [0, places.at(-1)!, ...places.slice(0, -1)];
  return (
    readers.length > 0 &&
    readers.every(({ op, attributes, outputs }) => {
      const perm = attributes.get("perm");
      if (op === "Transpose") return perm?.type === "ints" && `${perm.value.map(Number)}` === `${unitsFirst}`;
      // Of one unit there is nothing to move.
      return (
        op === "Reshape" &&
        example.at(-1) === 1 &&
        `${shape(outputs[0]!)}` === `${[1, ...example.slice(0, -1)]}`
      );
    })
  );
}

const means = new Set(["AveragePool", "GlobalAveragePool", "ReduceMean"]);
const forgets = new Set(["Flatten"]);

/** From the output back: a mean over positions needs all pairs of its operand, and so do all values before it. */
function needingAllPairs(graph: Graph, output: string): ReadonlySet<string> {
  const needed = new Set<string>();
  const reached = new Set([output]);
  for (const node of graph.nodes.toReversed()) {
    if (!node.outputs.some((name) => reached.has(name))) continue;
    const passesOn = node.outputs.some((name) => needed.has(name)) && !forgets.has(node.op);
    for (const name of node.inputs) {
      if (!name || isConstant(graph, name)) continue;
      reached.add(name);
      if (passesOn || means.has(node.op)) needed.add(name);
    }
  }
  return needed;
}

function isConstant(graph: Graph, name: string): boolean {
  const weight = graph.initializers.get(name);
  return weight !== undefined && (isSparse(weight) || elementCount(weight.dims) >= 0);
}
