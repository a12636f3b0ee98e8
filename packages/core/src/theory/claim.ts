// A claim relates what the theory says to what was measured.
import { compare, type Exact, sub, toNumber } from "../numbers/exact/rational.ts";
import { fitPowerLaw, type PowerLawFit } from "../numbers/statistics.ts";

export type Relation = "<=" | "=" | ">=";
/** proved: exact or outward-rounded arithmetic; checked: counted or computed by code; sampled: seen at points. */
export type Strength = "proved" | "checked" | "sampled";
/** printed: as the document has it; corrected: as it should be. */
export type Reading = "printed" | "corrected";
/** sure: always; probable: with probability at least 1 - delta; rate: an exponent, fitted over a grid. */
export type ClaimKind = "sure" | "probable" | "rate";

type Interval = ReturnType<PowerLawFit["interval"]>;

export interface Erratum {
  /** Where the document says it: page, equation or line. */
  readonly where: string;
  readonly printed: string;
  readonly corrected: string;
}

/** The static part of a claim: what it says, before anything is run. */
export interface ClaimStatement {
  readonly relation: Relation;
  readonly says: string;
  readonly kind: ClaimKind;
  readonly reading: Reading;
  readonly erratum?: Erratum;
  /** What is printed is true, but a better constant is known. */
  readonly sharper?: Erratum;
  /** No draw comes nearer to the bound than this factor: it is that loose. */
  readonly slack?: number;
}

class Statement implements ClaimStatement {
  readonly kind: ClaimKind = "sure";
  readonly reading: Reading = "corrected";
  readonly erratum?: Erratum;
  readonly sharper?: Erratum;
  readonly slack?: number;
  readonly relation: Relation;
  readonly says: string;

  constructor(relation: Relation, says: string, rest: Partial<ClaimStatement> = {}) {
    this.relation = relation;
    this.says = says;
    Object.assign(this, rest);
  }

  /** As the document prints it. With an erratum, the falsifier is expected to find a counterexample. */
  printed(erratum?: Erratum): Statement {
    return new Statement(this.relation, this.says, { ...this, reading: "printed", erratum });
  }

  /** As the document prints it: true, but not the best that is known. */
  loose(sharper: Erratum): Statement {
    return new Statement(this.relation, this.says, { ...this, reading: "printed", sharper });
  }

  /** Holds with probability at least 1 - delta (delta comes with each measurement). */
  probable(): Statement {
    return new Statement(this.relation, this.says, { ...this, kind: "probable" });
  }

  /** Says by what factor the bound is loose at the nearest; a draw that comes nearer violates the claim. */
  looseBy(slack: number): Statement {
    if (!(slack > 1)) throw new RangeError(`a bound that is loose by ${slack} is not loose`);
    return new Statement(this.relation, this.says, { ...this, slack });
  }

  /** Is about a fitted exponent. */
  rate(): Statement {
    return new Statement(this.relation, this.says, { ...this, kind: "rate" });
  }
}

/** `atMost("3i - 1")`: what was measured is at most what the formula says. */
export const atMost = (says: string): Statement => new Statement("<=", says);
export const equals = (says: string): Statement => new Statement("=", says);
export const atLeast = (says: string): Statement => new Statement(">=", says);

/** What one run found for one claim. */
export interface Measurement {
  readonly theory: Exact;
  readonly measured: Exact;
  readonly strength: Strength;
  /** Rounding that the measurement itself may have, with its reason in the lemma; 0 for exact numbers. */
  readonly tolerance?: number;
  /** For a probable claim: how often it may fail. */
  readonly delta?: number;
  /** For a rate: the confidence interval that decides, and the one that people read. */
  readonly interval?: Interval;
  readonly decisive?: Interval;
}

type Rest = Pick<Measurement, "tolerance" | "delta">;
const measurement =
  (strength: Strength) =>
  (measured: Exact, theory: Exact, rest: Rest = {}): Measurement => ({ measured, theory, strength, ...rest });
/** `proved(distance.sup, 4 ** -(i + 1))`: measured first, then what the theory says. */
export const proved = measurement("proved");
export const checked = measurement("checked");
export const sampled = measurement("sampled");

/** A fitted exponent is judged only if the interval that decides is within this of it: a wider one agrees with anything. */
const mostUncertainty = 1 / 4;

/**
 * An exponent fitted to points (x, y) in log-log coordinates, against the theorem's; undefined if it is too uncertain.
 * `lowerOrders` is how large further terms are relative to the leading one, which shift the exponent by no more.
 */
export function fitted(
  points: readonly (readonly [number, number])[],
  theory: number,
  lowerOrders = 0,
): Measurement | undefined {
  const fit = fitPowerLaw(
    points.map(([x]) => x),
    points.map(([, y]) => y),
  );
  const { lower, upper } = fit.interval(1 - 1e-6);
  const decisive = { lower: lower - lowerOrders, upper: upper + lowerOrders };
  if (decisive.upper - decisive.lower > 2 * mostUncertainty) return undefined;
  return { measured: fit.exponent, theory, strength: "sampled", interval: fit.interval(0.95), decisive };
}

export interface Claim extends Omit<Measurement, "theory" | "measured">, ClaimStatement {
  readonly name: string;
  readonly theory: number;
  readonly measured: number;
  readonly holds: boolean;
}

const related = (relation: Relation, order: number): boolean =>
  relation === "<=" ? order <= 0 : relation === ">=" ? order >= 0 : order === 0;

/** Whether a measurement agrees with its statement. Exact unless a tolerance is given. */
export function holds({ relation }: ClaimStatement, m: Measurement): boolean {
  if (m.decisive) {
    const { lower: low, upper: high } = m.decisive;
    const theory = toNumber(m.theory);
    return relation === "<="
      ? low <= theory
      : relation === ">="
        ? high >= theory
        : low <= theory && theory <= high;
  }
  const [measured, theory] = [toNumber(m.measured), toNumber(m.theory)];
  if (Number.isNaN(measured) || Number.isNaN(theory)) return false;
  if (!Number.isFinite(measured) || !Number.isFinite(theory)) {
    return related(relation, measured > theory ? 1 : measured < theory ? -1 : 0);
  }
  if (m.tolerance && Math.abs(toNumber(sub(m.measured, m.theory))) <= m.tolerance) return true;
  return related(relation, compare(m.measured, m.theory));
}

/** A statement and what a run measured for it, judged. NaN is no measurement: it neither supports nor refutes. */
export function judge(name: string, statement: ClaimStatement, m: Measurement): Claim {
  const [measured, theory] = [toNumber(m.measured), toNumber(m.theory)];
  if (Number.isNaN(measured) || Number.isNaN(theory)) {
    throw new RangeError(`claim "${name}": measured ${measured}, theory ${theory}`);
  }
  const claim = { ...statement, ...m, name, theory, measured };
  const tooNear = statement.slack !== undefined && nearness(claim) * statement.slack > 1;
  return { ...claim, holds: holds(statement, m) && !tooNear };
}

/** The claims of which a run measured something, judged. */
export const judgeAll = (
  statements: Readonly<Record<string, ClaimStatement>>,
  measurements: Readonly<Record<string, Measurement | undefined>>,
): readonly Claim[] =>
  Object.entries(statements).flatMap(([name, statement]) => {
    const measurement = measurements[name];
    return measurement ? [judge(name, statement, measurement)] : [];
  });

/** How near a measurement is to its bound: 1 at the bound, 1/2 at half or double of it; 0 across 0. */
export function nearness({ measured, theory }: Pick<Claim, "measured" | "theory">): number {
  if (measured === theory) return 1;
  const ratio = measured / theory;
  return ratio > 0 ? Math.min(ratio, 1 / ratio) : 0;
}
