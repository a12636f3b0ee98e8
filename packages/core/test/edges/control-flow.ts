// Branches and loops around small bodies, with names of the values around them used again inside.

import type { Attribute, Graph, Node, ValueInfo } from "../../src/graph/graph.ts";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Random } from "../../src/numbers/random.ts";
import { graphWith, nodeWith } from "../graph/operators-runtime.ts";
import { chance, drawTensor, oneOf } from "./edge-values.ts";
import { graphOf, type Model } from "./model.ts";

const graphAttribute = (value: Graph): Attribute => ({ type: "graph", value });
const info = (name: string, type: Tensor["type"] = "float32", shape?: readonly number[]): ValueInfo => ({
  name,
  type: { type, ...(shape && { shape }) },
});

/** x op w, where w is a weight of the body that may have the name of one outside. */
function branch(random: Random, name: string, dims: readonly number[]): Graph {
  const weight = oneOf(random, ["w", "w", "x", "inner", `${name}_w`]);
  const isOwn = weight !== "x" && (weight !== "w" || chance(random, 0.5));
  const data = chance(random, 0.8) ? "x" : "w";
  return graphWith({
    name,
    nodes: [
      nodeWith(oneOf(random, ["Add", "Mul", "Sub", "Max"]), [data, weight], [`${name}_a`]),
      nodeWith(oneOf(random, ["Relu", "Neg", "Tanh", "Identity"]), [`${name}_a`], [`${name}_y`]),
    ],
    outputs: [info(`${name}_y`)],
    initializers: new Map(
      isOwn ? [[weight, drawTensor(random, "float32", chance(random, 0.5) ? dims : [1])]] : [],
    ),
  });
}

function drawIf(random: Random, dims: readonly number[]): Node[] {
  const condition = oneOf(random, [
    [] as Node[],
    [
      nodeWith("ReduceSum", ["x"], ["total"], { keepdims: { type: "int", value: 0n } }),
      nodeWith("Greater", ["total", "zero"], ["choice"]),
    ],
  ]);
  return [
    ...condition,
    nodeWith("If", [condition.length > 0 ? "choice" : "flag"], ["y"], {
      then_branch: graphAttribute(branch(random, "then", dims)),
      else_branch: graphAttribute(branch(random, "else", dims)),
    }),
  ];
}

const two = tensor([2], { type: "int64", dims: [] });

function loopBody(random: Random, dims: readonly number[]): Graph {
  const step = oneOf(random, ["w", "own"]);
  return graphWith({
    name: "body",
    inputs: [info("turn", "int64", []), info("goes", "bool", []), info("state", "float32", dims)],
    nodes: [
      nodeWith("Identity", ["goes"], ["still"]),
      nodeWith(oneOf(random, ["Add", "Mul", "Sub"]), ["state", step], ["next"]),
      nodeWith(oneOf(random, ["Relu", "Abs", "Neg"]), ["next"], ["each"]),
    ],
    outputs: [info("still", "bool", []), info("next", "float32", dims), info("each", "float32", dims)],
    initializers: new Map(
      step === "own" || chance(random, 0.5) ? [[step, drawTensor(random, "float32", dims)]] : [],
    ),
  });
}

const drawLoop = (random: Random, dims: readonly number[]): Node[] => [
  nodeWith("Loop", ["trips", oneOf(random, ["flag", ""]), "x"], ["y", "all"], {
    body: graphAttribute(loopBody(random, dims)),
  }),
];

function drawScan(random: Random): Node[] {
  const body = graphWith({
    name: "scan_body",
    inputs: [info("state", "float32"), info("item", "float32")],
    nodes: [
      nodeWith(oneOf(random, ["Add", "Max", "Sub"]), ["state", "item"], ["next"]),
      nodeWith(oneOf(random, ["Neg", "Relu"]), ["next"], ["each"]),
    ],
    outputs: [info("next", "float32"), info("each", "float32")],
  });
  const direction = (): Attribute => ({ type: "ints", value: [BigInt(random.integer(0, 1))] });
  const axis = (): Attribute => ({ type: "ints", value: [BigInt(random.integer(-2, 1))] });
  return [
    nodeWith("Scan", ["start", "x"], ["y", "all"], {
      body: graphAttribute(body),
      num_scan_inputs: { type: "int", value: 1n },
      ...(chance(random, 0.5) && { scan_input_directions: direction() }),
      ...(chance(random, 0.5) && { scan_output_directions: direction() }),
      ...(chance(random, 0.5) && { scan_output_axes: axis() }),
      ...(chance(random, 0.5) && { scan_input_axes: axis() }),
    }),
  ];
}

export function drawControl(random: Random, opset: number): Model {
  const kind = random.integer(0, 2);
  const dims = kind === 2 ? [2, 2] : oneOf(random, [[1], [2], [1, 2]]);
  const nodes = kind === 0 ? drawIf(random, dims) : kind === 1 ? drawLoop(random, dims) : drawScan(random);
  const feeds = new Map([["x", drawTensor(random, "float32", dims)]]);
  const initializers = new Map<string, Tensor>([
    ["w", drawTensor(random, "float32", dims)],
    ["inner", drawTensor(random, "float32", dims)],
    ["start", drawTensor(random, "float32", [2])],
    ["zero", tensor([0], { type: "float32", dims: [] })],
    ["flag", tensor([random.integer(0, 1)], { type: "bool", dims: [] })],
    ["trips", chance(random, 0.8) ? two : tensor([0], { type: "int64", dims: [] })],
  ]);
  const outputs = nodes.at(-1)!.outputs;
  return { feeds, graph: graphOf(feeds, initializers, nodes, outputs, opset) };
}
