// Exact bounds of piecewise-linear networks as mixed-integer programs: one binary variable for each activation that can
// bend on the box. The solver is the caller's (HiGHS: `highs.solve(text, options)`); it computes in floating point with
// tolerances of its own, so these bounds are checked, not proved.

import { Clock, type SearchOptions } from "../engine/clock.ts";
import { GraphError } from "../graph/error.ts";
import type { Graph } from "../graph/graph.ts";
import { BoxBounder } from "./linear/box-bounds.ts";
import type { Layer, Network } from "./linear/network.ts";
import type { BoxBounds } from "./linear/row-bounds.ts";
import {
  checkedBox,
  type InputRange,
  linearBoundsInTime,
  networkInTime,
  type OutputBounds,
} from "./linear.ts";
import { boundInTime } from "./split/in-time.ts";

/** What the solver answers. */
export interface MilpSolution {
  readonly Status: string;
  readonly ObjectiveValue: number;
}

/** Solves a problem in the LP format; may end with the status "Time limit reached" after so many seconds. */
export type MilpSolver = (problem: string, seconds: number) => MilpSolution | Promise<MilpSolution>;

/** `+ 2 s1 - 0.5 s2` */
const terms = (parts: readonly (readonly [number, string])[]): string =>
  parts.map(([w, name]) => `${w < 0 ? "-" : "+"} ${Math.abs(w)} ${name}`).join(" ") || "0 s0";

/** Constraints, bounds and binaries of a network on a box; variable s<k> is slot k, z<k> row k. */
class MixedIntegerProgram {
  readonly constraints: string[] = [];
  readonly bounds: string[] = [];
  readonly binaries: string[] = [];

  constructor({ inputs, layers }: Network, known: BoxBounds) {
    for (let i = 0; i < inputs; i++)
      this.bounds.push(`${known.box.lower[i]} <= s${i} <= ${known.box.upper[i]}`);
    for (const layer of layers) {
      this.#rows(layer, known);
      for (let unit = 0; unit < layer.units; unit++) this.#unit(layer, unit, known);
    }
  }

  /** z = W x + b, with the bounds that are known. */
  #rows(layer: Layer, { rowLower, rowUpper }: BoxBounds): void {
    const { dense, width, source, weights, starts, slots, constants, firstRow } = layer;
    for (let row = 0; row < layer.rows; row++) {
      const parts: [number, string][] = [[1, `z${firstRow + row}`]];
      const [from, end] = dense ? [row * width, (row + 1) * width] : [starts[row]!, starts[row + 1]!];
      for (let k = from; k < end; k++)
        if (weights[k] !== 0) parts.push([-weights[k]!, `s${dense ? source + k - from : slots[k]}`]);
      this.constraints.push(`${terms(parts)} = ${constants[row]}`);
      this.bounds.push(`${rowLower[firstRow + row]} <= z${firstRow + row} <= ${rowUpper[firstRow + row]}`);
    }
  }

  #unit(layer: Layer, unit: number, known: BoxBounds): void {
    const { kind, firstRow, firstSlot, below, above } = layer;
    const [s, z] = [`s${firstSlot + unit}`, `z${firstRow + unit}`];
    this.bounds.push(`${s} free`);
    if (kind === "max") {
      this.#maximum(layer, unit, known);
      return;
    }
    const [l, u] = [known.rowLower[firstRow + unit]!, known.rowUpper[firstRow + unit]!];
    const [b, a] = kind === "linear" ? [1, 1] : [below[unit]!, above[unit]!];
    if (l >= 0 || u <= 0 || a === b) {
      this.constraints.push(
        `${terms([
          [1, s],
          [-(l >= 0 ? a : b), z],
        ])} = 0`,
      );
      return;
    }
    // p = max(0, z) with d = 1 where z > 0: z <= p <= z - l (1 - d), 0 <= p <= u d; s = b z + (a - b) p.
    const [p, d] = [`p${firstSlot + unit}`, `d${firstSlot + unit}`];
    this.binaries.push(d);
    this.bounds.push(`0 <= ${p} <= ${u}`);
    this.constraints.push(
      `${terms([
        [1, p],
        [-1, z],
      ])} >= 0`,
      `${terms([
        [1, p],
        [-1, z],
        [-l, d],
      ])} <= ${-l}`,
      `${terms([
        [1, p],
        [-u, d],
      ])} <= 0`,
      `${terms([
        [1, s],
        [-b, z],
        [b - a, p],
      ])} = 0`,
    );
  }

  /** s >= z_i; s <= z_i + (U - l_i) (1 - d_i); one d_i is 1. */
  #maximum({ firstRow, firstSlot, groups }: Layer, unit: number, { rowLower, rowUpper }: BoxBounds): void {
    const s = `s${firstSlot + unit}`;
    const rows = Array.from(
      { length: groups[unit + 1]! - groups[unit]! },
      (_, k) => firstRow + groups[unit]! + k,
    );
    const greatest = Math.max(...rows.map((row) => rowUpper[row]!));
    for (const row of rows) {
      const slack = greatest - rowLower[row]!;
      this.binaries.push(`d_${row}`);
      this.constraints.push(
        `${terms([
          [1, s],
          [-1, `z${row}`],
        ])} >= 0`,
        `${terms([
          [1, s],
          [-1, `z${row}`],
          [slack, `d_${row}`],
        ])} <= ${slack}`,
      );
    }
    this.constraints.push(`${terms(rows.map((row) => [1, `d_${row}`]))} = 1`);
  }

  /** The problem in the LP format. */
  text(sense: "Minimize" | "Maximize", slot: number): string {
    const binary = this.binaries.length > 0 ? `Binary\n ${this.binaries.join("\n ")}\n` : "";
    return `${sense}\n obj: s${slot}\nSubject To\n ${this.constraints.join("\n ")}\nBounds\n ${this.bounds.join("\n ")}\n${binary}End\n`;
  }
}

const outOfTime = "Time limit reached";

function checkPiecewiseLinear({ layers }: Network): void {
  const curve = layers.find(({ kind }) => kind === "curve");
  if (curve)
    throw new GraphError(
      `${curve.node} is not read as piecewise linear, which a mixed-integer program needs`,
    );
}

/**
 * The least and the greatest value of every output on a box, by a mixed-integer solver; for small networks. What the
 * time does not suffice for is bounded by linear bounds, or by intervals.
 * @example (await milpBounds(net, { lower: [0], upper: [1] }, () => ({ Status: "Optimal", ObjectiveValue: 0 }))).names // ["y"]
 */
export async function milpBounds(
  graph: Graph,
  range: InputRange,
  solve: MilpSolver,
  options: SearchOptions = {},
): Promise<OutputBounds & { readonly complete: boolean }> {
  const clock = new Clock(options);
  const left = (): number => (options.seconds ?? Number.POSITIVE_INFINITY) - clock.seconds;
  const network = networkInTime(graph, clock);
  if (network) checkPiecewiseLinear(network);
  const time = options.seconds === undefined ? {} : { seconds: Math.max(0, left()) };
  const {
    names,
    lower,
    upper,
    complete: isLinear,
  } = await linearBoundsInTime(graph, range, {
    ...(options.signal && { signal: options.signal }),
    ...time,
  });
  if (!network || !isLinear || left() <= 0) return { names, lower, upper, complete: false };
  const known = await boundInTime(new BoxBounder(network), checkedBox(network, range), clock);
  const program = new MixedIntegerProgram(network, known);
  let complete = true;
  for (let n = 0; n < 2 * names.length; n++) {
    if (left() <= 0) return { names, lower, upper, complete: false };
    const k = n >> 1;
    const problem = program.text(n % 2 ? "Maximize" : "Minimize", network.firstOutput + k);
    const { Status, ObjectiveValue } = await solution(solve, problem, left() / (2 * names.length - n));
    if (Status === "Optimal") (n % 2 ? upper : lower)[k] = ObjectiveValue;
    else if (Status === outOfTime) complete = false;
    else throw new GraphError(`the mixed-integer solver ended with "${Status}"`);
    options.onProgress?.((n + 1) / (2 * names.length), 1);
    await clock.rest();
  }
  return { names, lower, upper, complete };
}

/** What the solver says; errors of its own as errors about the model. */
async function solution(solve: MilpSolver, problem: string, seconds: number): Promise<MilpSolution> {
  if (!(seconds > 0)) return { Status: outOfTime, ObjectiveValue: Number.NaN };
  try {
    return await solve(problem, seconds);
  } catch (error) {
    throw new GraphError(`the mixed-integer solver failed: ${(error as Error).message}`);
  }
}
