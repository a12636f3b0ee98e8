// From a graph to the layers that the relaxation reads. What has no rule is read by its definition or enclosed.

import { TimeOver } from "../../engine/time-over.ts";
import { boundedDefinitionOf, rewrite } from "../../graph/definitions/index.ts";
import { GraphError } from "../../graph/error.ts";
import { type Graph, isSparse, type Node, outerReferences, subgraphs } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { plain } from "../../graph/plain.ts";
import { prune } from "../../graph/prune.ts";
import { recognized } from "../../graph/recognize.ts";
import { densify, isFloat } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { inputForms, inputShapes, numericDims, outputRows } from "../../passes/affine/compile.ts";
import { type Forms, isConstant, liftWeight, rowCount } from "../../passes/affine/forms.ts";
import { moverRules } from "../../passes/affine/mover-rules.ts";
import type { Stage } from "../../passes/affine/program.ts";
import { applyRule } from "../../passes/pass.ts";
import type { Context } from "./context.ts";
import { enclosedOutputs } from "./enclosed.ts";
import { type Layer, layerOf, type Network } from "./network.ts";
import { relaxationRules } from "./rules.ts";
import { RelaxationWriter } from "./writer.ts";

/** Operators that are read by their definitions, whose constants are no more rounded than the operators' own. */
export const readByDefinition = new Set([
  "LayerNormalization",
  "InstanceNormalization",
  "GroupNormalization",
  "RNN",
  "GRU",
  "LSTM",
  "ConvTranspose",
  "DepthToSpace",
  "SpaceToDepth",
]);

/** The graph for inputs of these shapes, with definitions in place where there are any. */
function simplified(graph: Graph, shapes: ReturnType<typeof inputShapes>): Graph {
  const whole = canonical(graph);
  const given = new Map(shapes.map(({ name, type, dims }) => [name, { ...type, shape: dims }]));
  const inputs = whole.inputs.map((input) => ({ ...input, type: given.get(input.name) ?? input.type }));
  const shaped: Graph = recognized(plain({ ...whole, inputs }, { bounds: true }));
  if (!shaped.nodes.some(({ op }) => readByDefinition.has(op))) return shaped;
  try {
    return prune(
      rewrite(shaped, (node) => (readByDefinition.has(node.op) ? boundedDefinitionOf(node) : undefined)),
    );
  } catch (error) {
    if (error instanceof GraphError) return shaped;
    throw error;
  }
}

/** Reads a graph node by node: by a rule, or else by bounds of the node's outputs. */
class Reader {
  readonly program: RelaxationWriter;
  readonly values = new Map<string, Forms>();
  readonly #types: ReturnType<typeof inferTypes>;
  readonly #context: Context;
  readonly #rules: ReturnType<typeof relaxationRules>;
  readonly #movers: ReturnType<typeof moverRules>;
  readonly #read: ReadonlySet<string>;

  constructor(
    graph: Graph,
    inputs: ReadonlyMap<string, Forms>,
    count: number,
    isOver: () => boolean,
    rulesOf: typeof relaxationRules,
  ) {
    this.program = new RelaxationWriter(count, isOver);
    const counts = new Map<string, number>();
    for (const name of [...graph.outputs.map((output) => output.name), ...graph.nodes.flatMap(readNames)])
      counts.set(name, (counts.get(name) ?? 0) + 1);
    this.#read = new Set(counts.keys());
    this.#types = inferTypes(graph, {});
    this.#context = {
      program: this.program,
      dims: (node, k = 0) => numericDims(this.#types, node, k),
      type: (name) => this.#types.get(name)?.type ?? "undefined",
      isReadOnce: (name) => counts.get(name) === 1,
    };
    this.#rules = rulesOf(this.#context);
    this.#movers = moverRules(this.#context);
    for (const [name, weight] of graph.initializers)
      this.values.set(name, liftWeight(isSparse(weight) ? densify(weight) : weight));
    for (const [name, forms] of inputs) this.values.set(name, forms);
    for (const node of graph.nodes) {
      if (isOver()) throw new TimeOver();
      this.#node(node);
    }
  }

  #node(node: Node): void {
    const results = this.#results(node);
    node.outputs.forEach((name, k) => {
      if (name && results[k]) this.values.set(name, results[k]);
    });
  }

  #results(node: Node): readonly (Forms | undefined)[] {
    const known = this.#knownOutputs(node);
    if (known) return known;
    const { program } = this;
    const [stages, slots] = [program.stages.length, program.slots];
    const inputs = node.inputs.map((name) => (name ? this.values.get(name) : undefined));
    let reason: unknown;
    if (this.#isReal(node, inputs))
      try {
        return applyRule("linear bounds", this.#rules, node, inputs);
      } catch (error) {
        if (!(error instanceof GraphError)) throw error;
        reason = error;
        program.undo(stages, slots);
      }
    try {
      return enclosedOutputs(this.#context, node, this.values, this.#types, (name) => this.#read.has(name));
    } catch (error) {
      throw error instanceof GraphError && reason ? reason : error;
    }
  }

  /** Integers that only shapes decide are constants, whatever the shapes are of. */
  #knownOutputs({ outputs }: Node): readonly (Forms | undefined)[] | undefined {
    const known = outputs.map((name) => (name ? this.#types.get(name) : undefined));
    const isKnown = known.every((type, k) => !outputs[k] || (type?.value && !isFloat(type.value.type)));
    return isKnown ? known.map((type) => type?.value && liftWeight(type.value)) : undefined;
  }

  /** Integers have an arithmetic of their own; constants that are only moved have not. */
  #isReal({ outputs, op }: Node, inputs: readonly (Forms | undefined)[]): boolean {
    const type = this.#types.get(outputs[0]!)?.type;
    if (type === undefined || isFloat(type) || type === "bfloat16") return true;
    return (
      Object.hasOwn(this.#movers, op) && !op.startsWith("Cast") && inputs.every((x) => !x || isConstant(x))
    );
  }
}

const readNames = (node: Node): readonly string[] => [
  ...node.inputs,
  ...subgraphs(node).flatMap((body) => [...outerReferences(body)]),
];

/** The writer of relaxations makes no stages that jump. */
export function kindOf({ kind, node }: Stage): Exclude<Stage["kind"], "jump"> {
  if (kind === "jump") throw new GraphError(`${node}: linear bounds have no rule for a unit that jumps`);
  return kind;
}

/** What a graph says of its layers, before they are packed. */
export interface Lowered {
  readonly program: RelaxationWriter;
  readonly inputs: number;
  readonly shapes: ReturnType<typeof inputShapes>;
  readonly outputs: Forms;
  readonly outputNames: readonly string[];
}

/** Reads a graph by rules; an error names the node that has neither a relaxation nor bounds. A `TimeOver` once `isOver`. */
export function lowered(graph: Graph, isOver: () => boolean, rulesOf: typeof relaxationRules): Lowered {
  const shapes = inputShapes(graph);
  const { inputs, count } = inputForms(shapes);
  const { program, values } = new Reader(simplified(graph, shapes), inputs, count, isOver, rulesOf);
  return { program, shapes, inputs: count, ...outputRows(graph, values) };
}

const none = new Float64Array(0);

/** The rows of the outputs as a last layer. */
export const lastLayer = ({ program, outputs }: Lowered, firstRow: number): Layer => {
  const last = { rows: outputs, units: rowCount(outputs), firstSlot: program.slots, node: "the outputs" };
  return layerOf({ ...last, below: none, above: none, groups: new Int32Array(0) }, "linear", firstRow);
};

/** The layers of a graph, all rows written. */
export function lowerNetwork(graph: Graph, isOver: () => boolean = () => false): Network {
  const read = lowered(graph, isOver, relaxationRules);
  const { program, outputNames } = read;
  const layers: Layer[] = [];
  let rows = 0;
  program.stages.forEach((stage, k) => {
    const bending = program.bendings.get(k);
    layers.push(layerOf(stage, bending ? "curve" : kindOf(stage), rows, bending));
    rows += stage.rows.constants.length;
  });
  const last = lastLayer(read, rows);
  layers.push(last);
  return {
    isWritten: true,
    inputs: read.inputs,
    slots: program.slots + last.units,
    rows: rows + last.units,
    layers,
    firstOutput: program.slots,
    outputNames,
    isExact: !program.isRounded,
  };
}
