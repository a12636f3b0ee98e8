// What a generalization bound is: a number with its confidence, what it assumes, and what of that does not hold.

/** risk: of the expected loss itself; gap: of its distance from the empirical one; excess: of that from the class's best. */
export type BoundedQuantity = "risk" | "gap" | "excess";

export interface GeneralizationBound {
  readonly id: string;
  readonly name: string;
  readonly quantity: BoundedQuantity;
  /** There is none where a hypothesis is unmet. */
  readonly value?: number;
  /** Not below what is known without data. */
  readonly vacuous: boolean;
  /** It holds with probability at least 1 - delta over the sample. */
  readonly delta: number;
  readonly assumptions: readonly string[];
  /** Those of the assumptions, and demands on the numbers, that do not hold. */
  readonly unmet: readonly string[];
}

/** The parts of a sum of deviations that every bound needs. */
export interface SampleSize {
  /** Examples, independent and of one law. */
  readonly n: number;
  readonly delta: number;
}

/** A demand and whether it is met; without a truth value it is assumed, as nothing here can check it. */
export type Hypothesis = readonly [text: string, met?: boolean];

export interface BoundStatement {
  readonly id: string;
  readonly name: string;
  readonly quantity?: BoundedQuantity;
  readonly delta: number;
  /** Known without data; losses lie in [0, 1] unless said otherwise. */
  readonly trivial?: number;
  readonly hypotheses: readonly Hypothesis[];
}

/** Makes up for the rounding of the few hundred operations of a formula. */
const roundedUp = 1 + 1e-12;

/** The bound that a formula gives, where its hypotheses are met; the formula is not tried otherwise. */
export function stated(
  { id, name, quantity = "risk", delta, trivial = 1, hypotheses }: BoundStatement,
  formula: () => number,
): GeneralizationBound {
  const assumptions = hypotheses.map(([text]) => text);
  const unmet = hypotheses.flatMap(([text, met]) => (met === false ? [text] : []));
  const common = { id, name, quantity, delta, assumptions, unmet };
  if (unmet.length > 0) return { ...common, vacuous: true };
  const raw = formula();
  // What is known without data stays true: rounding up does not pass it.
  const value = raw <= trivial ? Math.min(trivial, raw * roundedUp) : raw * roundedUp;
  // Where numbers overflow, nothing is known.
  const known = Number.isNaN(value) ? Number.POSITIVE_INFINITY : value;
  return { ...common, value: known, vacuous: known >= trivial };
}

/** What every bound asks of the sample. */
export const sampleHypotheses = ({ n, delta }: SampleSize): readonly Hypothesis[] => [
  ["the examples are independent and of one law"],
  ["n is a positive whole number", Number.isInteger(n) && n >= 1],
  ["0 < delta < 1", delta > 0 && delta < 1],
];

/** A number that a bound reads as a share. */
export const isShare = (value: number): boolean => value >= 0 && value <= 1;

/** Lists of numbers that are all finite and positive. */
export const arePositive = (...values: readonly number[]): boolean =>
  values.every((v) => v > 0 && v < Number.POSITIVE_INFINITY);

/** What the bounds by norms ask of them. */
export const normHypotheses = (...norms: readonly number[]): readonly Hypothesis[] => [
  ["norms are positive", norms.length > 0 && norms.every((v) => v > 0)],
  ["norms do not overflow", norms.every((v) => v < Number.POSITIVE_INFINITY)],
];

/** sqrt(ln(1 / delta) / (2 n)): Hoeffding's deviation, and McDiarmid's for changes of at most 1 / n. */
export const deviationTerm = (n: number, delta: number): number => Math.sqrt(Math.log(1 / delta) / (2 * n));

/** The least of several bounds on the risk, with the sum of their deltas: they hold together, so that one may choose. */
export function tightestBound(bounds: readonly GeneralizationBound[]): GeneralizationBound | undefined {
  let best: GeneralizationBound | undefined;
  const known = bounds.filter(({ quantity, value }) => quantity === "risk" && value !== undefined);
  for (const bound of known) if (best === undefined || bound.value! < best.value!) best = bound;
  if (!best) return undefined;
  const delta = known.reduce((sum, bound) => sum + bound.delta, 0);
  return { ...best, delta };
}
