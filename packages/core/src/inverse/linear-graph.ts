// An ONNX graph as a measurement operator: read as a matrix, and refused where it is not linear.

import { GraphError } from "../graph/error.ts";
import type { Graph } from "../graph/graph.ts";
import { affineProgram } from "../passes/affine/compile.ts";
import type { AffineProgram } from "../passes/affine/program.ts";
import { inputShapes } from "../passes/index.ts";
import { InverseError } from "./error.ts";
import { denseMap, type LinearMap } from "./linear-map.ts";

export interface LinearGraph {
  readonly map: LinearMap;
  /** Of the graph's input, without the batch. */
  readonly shape: readonly number[];
}

/**
 * The operator that a graph is: its weights are read, not tried. Bends (ReLU, max) and constants that it adds are refused.
 * @example linearGraph(graph({ x: float64("N", 2) }, ({ x }) => ({ y: x.affine([[1, 2]]) }))).map.apply(Float64Array.of(1, 1)) // Float64Array [3]
 */
export function linearGraph(graph: Graph): LinearGraph {
  const program = readAffine(graph);
  const bend = program.stages.find((stage) => stage.kind !== "linear");
  if (bend) throw new InverseError(`the graph is not linear: ${bend.node} bends`);
  const { inputs, outputs } = program;
  const count = outputs.constants.length;
  if (inputs * count > 2 ** 27)
    throw new InverseError(`a graph from ${inputs} to ${count} numbers is too large to be read as a matrix`);
  const rows = slotRows(program);
  const entries = new Float64Array(count * inputs);
  for (let i = 0; i < count; i++) {
    let constant = outputs.constants[i]!;
    for (let t = outputs.starts[i]!; t < outputs.starts[i + 1]!; t++) {
      const [row, weight] = [rows(outputs.slots[t]!), outputs.weights[t]!];
      constant += weight * row.constant;
      for (let j = 0; j < inputs; j++) entries[i * inputs + j]! += weight * row.terms[j]!;
    }
    if (constant !== 0)
      throw new InverseError(`the graph is not linear: output ${i} of the input 0 is ${constant}`);
  }
  const [input] = inputShapes(graph);
  return { map: denseMap({ rows: count, columns: inputs, entries }), shape: shapeOf(input!.dims) };
}

/** Without the batch; with more than three axes all numbers in one. */
function shapeOf(dims: readonly number[]): readonly number[] {
  const rest = dims.length > 1 && dims[0] === 1 ? dims.slice(1) : dims;
  return rest.length >= 1 && rest.length <= 3 ? rest : [rest.reduce((a, b) => a * b, 1)];
}

function readAffine(graph: Graph): AffineProgram {
  try {
    return affineProgram(graph);
  } catch (error) {
    if (error instanceof GraphError)
      throw new InverseError(`the graph cannot be read as a linear one: ${error.message}`);
    throw error;
  }
}

interface Row {
  readonly terms: Float64Array;
  readonly constant: number;
}

/** Each slot as a row over the inputs; stages read earlier ones only. */
function slotRows({ inputs, stages }: AffineProgram): (slot: number) => Row {
  const known = new Map<number, Row>();
  const rowOf = (slot: number): Row => {
    if (slot < inputs) {
      const terms = new Float64Array(inputs);
      terms[slot] = 1;
      return { terms, constant: 0 };
    }
    return known.get(slot)!;
  };
  for (const { rows, units, firstSlot } of stages)
    for (let k = 0; k < units; k++) {
      const terms = new Float64Array(inputs);
      let constant = rows.constants[k]!;
      for (let t = rows.starts[k]!; t < rows.starts[k + 1]!; t++) {
        const [row, weight] = [rowOf(rows.slots[t]!), rows.weights[t]!];
        constant += weight * row.constant;
        for (let j = 0; j < inputs; j++) terms[j]! += weight * row.terms[j]!;
      }
      known.set(firstSlot + k, { terms, constant });
    }
  return rowOf;
}
