// A function of one variable by polynomials on one or more pieces of its range, as nodes: squares, products, weighted sums.
// With clamp_j(z) = max(t_j, min(z, t_{j+1})), f(z) = f(t_0) + sum_j (f(clamp_j(z)) - f(t_j)): each piece has a polynomial of
// its own, and all but one of them stand still.

import { type FunctionNode, NodeBuilder } from "../formula/nodes.ts";
import { nodeRange } from "../formula/range.ts";
import { type Slope, sensitivities } from "../numbers/dataflow.ts";
import { type Interval, magnitude } from "../numbers/interval/index.ts";
import { ChebyshevSums, type WeightedSum } from "./chebyshev.ts";
import { levelsFor } from "./plan/square.ts";
import type { Arithmetic } from "./precision.ts";
import { slopesOf } from "./slopes.ts";

/** A polynomial sum_k a_k T_k on one piece of the range. */
export interface LocalSeries {
  readonly lower: number;
  readonly upper: number;
  readonly series: readonly number[];
}

export interface ServantCircuit {
  /** The first node is the variable z; arguments are places in this list. */
  readonly nodes: readonly FunctionNode[];
  readonly output: WeightedSum;
  /** Ends of the pieces, from left to right. */
  readonly knots: readonly number[];
  readonly degree: number;
}

/** t = scale z + shift for a piece, in [-1, 1] up to rounding. */
export function frameOf(
  { lower, upper }: Interval,
  { round }: Arithmetic,
): { readonly scale: number; readonly shift: number } {
  const scale = round(2 / (upper - lower));
  return { scale, shift: round(0 - (lower / 2 + upper / 2) * scale) };
}

/** The circuit of the pieces; they agree where they meet, and with `start` at the left end. */
export function servantCircuit(
  pieces: readonly LocalSeries[],
  start: number,
  arithmetic: Arithmetic,
): ServantCircuit {
  const builder = new NodeBuilder([{ op: "variable", args: [], name: "z" }]);
  const add = (node: FunctionNode): number => builder.add(node);
  const sums = new ChebyshevSums(add, arithmetic.round);
  const terms = new Map<number, number>();
  let constant = pieces.length === 1 ? 0 : start;
  pieces.forEach((piece, j) => {
    const bound = (op: "max" | "min", of: number, at: number): number =>
      add({ op, args: [of, sums.node({ constant: at, terms: new Map() })] });
    const below = j === pieces.length - 1 ? 0 : bound("min", 0, piece.upper);
    const clamped = j === 0 ? below : bound("max", below, piece.lower);
    const { scale, shift } = frameOf(piece, arithmetic);
    const t = sums.node({ constant: shift, terms: new Map([[clamped, scale]]) });
    const sum = sums.sum(t, piece.series);
    const atLeft = piece.series.reduce((s, a, k) => s + (k % 2 === 0 ? a : -a), 0);
    constant += sum.constant - (pieces.length === 1 ? 0 : atLeft);
    for (const [id, w] of sum.terms) terms.set(id, (terms.get(id) ?? 0) + w);
  });
  const { round } = arithmetic;
  const used = [...terms].flatMap(([id, w]) => (round(w) === 0 ? [] : [[id, round(w)] as const]));
  return {
    nodes: builder.nodes,
    output: { constant: round(constant), terms: new Map(used) },
    knots: [pieces[0]!.lower, ...pieces.map((p) => p.upper)],
    degree: pieces.reduce((most, { series }) => Math.max(most, series.length - 1), 0),
  };
}

/** About how many units a circuit takes for an error of delta, which its squares and products share; too many if rounding alone exceeds it. */
export function circuitUnits(circuit: ServantCircuit, z: Interval, delta: number, { u }: Arithmetic): number {
  const { nodes, output } = circuit;
  const ranges: Interval[] = [];
  for (const node of nodes) {
    const args = (node.args as readonly number[]).map((a) => ranges[a]!);
    ranges.push(nodeRange(node, args, z));
  }
  const L = sensitivities(
    nodes.map((_, id) => id),
    nodes.map((_, id) => Math.abs(output.terms.get(id) ?? 0)),
    (id) => slopesOf(nodes[id]!, ranges, 0).map((slope, k): Slope => [nodes[id]!.args[k]!, slope]),
  );
  const radius = (id: number): number => ranges[id]!.upper / 2 - ranges[id]!.lower / 2;
  const sizes = nodes.map((_, id) => magnitude(ranges[id]!));
  let [whole, bends] = [0, 0];
  let rounding = [...output.terms].reduce((sum, [id, w]) => sum + u * Math.abs(w) * sizes[id]!, 0);
  const operations = nodes.flatMap((node, id) => {
    const [a, b = a] = node.args as readonly number[] as readonly [number, number];
    if (node.op === "max" || node.op === "min") bends++;
    rounding += 4 * u * L[id]! * sizes[id]!;
    if (node.op !== "square" && node.op !== "product") return [];
    const weight = node.op === "square" ? 1 : 2;
    whole += weight;
    rounding += 16 * weight * u * L[id]! * sizes[a]! * sizes[b]!;
    return [{ weight, gain: weight * L[id]! * radius(a) * radius(b) }];
  });
  if (rounding > delta / 2) return Number.POSITIVE_INFINITY;
  return operations.reduce(
    (sum, { weight, gain }) => sum + weight * levelsFor((delta * weight) / (whole * Math.max(gain, 1e-300))),
    bends,
  );
}
