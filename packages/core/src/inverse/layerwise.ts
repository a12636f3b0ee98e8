// A signal back through a ReLU generator, layer by layer, each by a linear program (Lei, Jalal, Dhillon and Dimakis 2019). The
// solver is the caller's (HiGHS), in floating point with tolerances of its own.

import { GraphError } from "../graph/error.ts";
import type { Graph } from "../graph/graph.ts";
import { affineProgram } from "../passes/affine/compile.ts";
import type { SparseRows } from "../passes/affine/forms.ts";
import type { AffineProgram, Stage } from "../passes/affine/program.ts";
import { InverseError } from "./error.ts";

/** What the solver answers: the values of the variables by name. */
export interface LinearSolution {
  readonly Status: string;
  readonly ObjectiveValue: number;
  readonly Columns: Readonly<Record<string, { readonly Primal?: number }>>;
}

/** Solves a problem in the LP format. */
export type LinearSolver = (problem: string) => LinearSolution | Promise<LinearSolution>;

export interface LayerwiseInversion {
  readonly z: Float64Array;
  /** Of each layer, from the last one: the least eps with which all its equations and inequalities hold. */
  readonly misfits: readonly number[];
}

/**
 * z with G(z) = x for a G of dense layers with ReLU (or leaky ReLU) between them: active units give equations, others
 * inequalities. Where layers grow to twice their width or more, random ones have one solution.
 */
export async function layerwiseInversion(
  generator: Graph,
  x: Float64Array,
  solve: LinearSolver,
): Promise<LayerwiseInversion> {
  const program = readChain(generator);
  const { inputs, stages, outputs } = program;
  if (outputs.constants.length !== x.length)
    throw new InverseError(`a generator of ${outputs.constants.length} numbers for a signal of ${x.length}`);
  const misfits: number[] = [];
  let wanted: Float64Array = x;
  let [rows, after]: [SparseRows, Stage | undefined] = [outputs, undefined];
  for (let k = stages.length - 1; k >= -1; k--) {
    const stage = stages[k];
    const [first, count] = stage ? [stage.firstSlot, stage.units] : [0, inputs];
    const isPositive = stage !== undefined && isRectifier(stage);
    const problem = layerProblem(rows, after, wanted, { first, count, isPositive });
    const answer = await solve(problem);
    if (answer.Status !== "Optimal")
      throw new InverseError(`layer ${k + 2}: the solver ended with ${answer.Status}`);
    misfits.push(answer.ObjectiveValue);
    wanted = Float64Array.from({ length: count }, (_, i) => answer.Columns[`s${i}`]?.Primal ?? 0);
    if (stage) [rows, after] = [stage.rows, stage];
  }
  return { z: wanted, misfits };
}

const isRectifier = ({ kind, below }: Stage): boolean => kind === "hinge" && below.every((v) => v === 0);

/** A program whose stages each read the one before alone. */
function readChain(generator: Graph): AffineProgram {
  let program: AffineProgram;
  try {
    program = affineProgram(generator);
  } catch (error) {
    if (error instanceof GraphError)
      throw new InverseError(`only dense layers with ReLU can be inverted layer by layer: ${error.message}`);
    throw error;
  }
  const { inputs, stages, outputs } = program;
  [...stages.map(({ rows }) => rows), outputs].forEach((rows, k) => {
    const before = stages[k - 1];
    const [first, end] = before ? [before.firstSlot, before.firstSlot + before.units] : [0, inputs];
    const bad = rows.slots
      .subarray(0, rows.starts[rows.constants.length]!)
      .some((slot) => slot < first || slot >= end);
    if (bad)
      throw new InverseError("a generator that is inverted layer by layer has no connections past a layer");
  });
  const bend = stages.find(({ kind }) => kind === "max");
  if (bend)
    throw new InverseError(`a generator with ${bend.node}, which takes maxima, cannot be inverted so`);
  return program;
}

/** Units whose value is this near to 0 count as not active. */
const inactive = 1e-9;

/**
 * min eps: |w s + c - x_i| <= eps for rows whose value is known (all outputs, active units, divided by their slope), and
 * w s + c <= eps for units that are 0.
 */
function layerProblem(
  { starts, slots, weights, constants }: SparseRows,
  after: Stage | undefined,
  wanted: Float64Array,
  {
    first,
    count,
    isPositive,
  }: { readonly first: number; readonly count: number; readonly isPositive: boolean },
): string {
  const lines: string[] = [];
  const scale = wanted.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
  for (let i = 0; i < constants.length; i++) {
    const row: string[] = [];
    for (let t = starts[i]!; t < starts[i + 1]!; t++) {
      const w = weights[t]!;
      if (w !== 0) row.push(`${w < 0 ? "-" : "+"} ${Math.abs(w)} s${slots[t]! - first}`);
    }
    if (row.length === 0) row.push("+ 0 s0");
    const left = row.join(" ");
    const value = wanted[i]!;
    const isHinge = after?.kind === "hinge";
    if (isHinge && value <= inactive * scale && after.below[i] === 0) {
      lines.push(`${left} - 1 eps <= ${-constants[i]!}`);
      continue;
    }
    const slope = isHinge ? (value > 0 ? after.above[i]! : after.below[i]!) : 1;
    const target = value / slope - constants[i]!;
    lines.push(`${left} - 1 eps <= ${target}`, `${left} + 1 eps >= ${target}`);
  }
  const bounds = Array.from({ length: count }, (_, j) => (isPositive ? `0 <= s${j}` : `s${j} free`));
  return `Minimize\n eps\nSubject To\n${lines.map((text, i) => ` c${i}: ${text}`).join("\n")}\nBounds\n 0 <= eps\n ${bounds.join("\n ")}\nEnd\n`;
}
