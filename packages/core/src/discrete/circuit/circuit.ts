// Boolean circuits: gates are functions of how many of their literals are true, or sums of disjoint products. A literal is
// 2 node + 1 if it is negated, as in AIGER; node 0 is false, then come the inputs, then the gates, each after what it reads.

export type Literal = number;

/** 1 for `on[c]`, where c of the literals are true: and, or, xor, majority, thresholds. A literal may come twice. */
export interface CountGate {
  readonly kind: "count";
  readonly args: readonly Literal[];
  /** args.length + 1 numbers, 0 or 1. */
  readonly on: readonly number[];
}

/** A product of arguments: those of `mask` have the bits of `value`. */
export interface Cube {
  readonly mask: number;
  readonly value: number;
}

/** 1 where one of its products is 1; no two of them are 1 together. */
export interface CubesGate {
  readonly kind: "cubes";
  readonly args: readonly Literal[];
  readonly cubes: readonly Cube[];
}

export type Gate = CountGate | CubesGate;

export interface Output {
  readonly name: string;
  readonly literal: Literal;
}

export interface Circuit {
  readonly inputs: readonly string[];
  /** Gate k is node inputs.length + 1 + k. */
  readonly gates: readonly Gate[];
  readonly outputs: readonly Output[];
}

export const [falseLiteral, trueLiteral] = [0, 1];
export const nodeOf = (literal: Literal): number => literal >> 1;
export const isNegated = (literal: Literal): boolean => (literal & 1) === 1;
export const negated = (literal: Literal): Literal => literal ^ 1;

/**
 * The node that gate 0 is.
 * @example firstGate({ inputs: ["a", "b"], gates: [], outputs: [] }) // 3
 */
export const firstGate = ({ inputs }: Pick<Circuit, "inputs">): number => inputs.length + 1;

/** What a gate is where the arguments have these bits. */
export function gateValue(gate: Gate, bits: (arg: Literal) => number): number {
  if (gate.kind === "count") return gate.on[gate.args.reduce((sum, a) => sum + bits(a), 0)]!;
  const word = gate.args.reduce((sum, a, k) => sum | (bits(a) << k), 0);
  return gate.cubes.some(({ mask, value }) => (word & mask) === value) ? 1 : 0;
}
