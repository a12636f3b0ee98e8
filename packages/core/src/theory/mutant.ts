// A mutant: a damaged version of what a lemma computes. A falsifier that lets it pass could not have seen that damage.
import type { Exact } from "../numbers/exact/rational.ts";
import { poissonBinomialTail } from "../numbers/statistics.ts";
import { type Claim, type ClaimStatement, judge, type Measurement } from "./claim.ts";
import type { ParameterRecord, Parameters, ParameterValues } from "./parameter.ts";

/** What an undamaged run found for the claim. */
export interface Honest {
  readonly theory: number;
  readonly measured: number;
}

/** Other numbers of the theory, claim by claim: `{ "sup error": ({ i }) => 4 ** -i }`. */
export type OtherTheory<V, C extends string> = {
  readonly [claim in C]?: (parameters: V, honest: Honest) => Exact;
};

/** Other parameters: what is measured with them is judged by the theory of the drawn ones. `({ i }) => ({ i: i - 1 })` */
export type OtherParameters<V> = (parameters: V) => Partial<V>;

/** One damage, named by what would be wrong. */
export type Mutant<P extends Parameters, C extends string> =
  | OtherTheory<ParameterValues<P>, C>
  | OtherParameters<ParameterValues<P>>;

/** A mutant as the falsifier sees it. */
export type AnyMutant =
  | OtherTheory<ParameterRecord, string>
  | ((parameters: ParameterRecord) => ParameterRecord);

export type Measurements = Readonly<Record<string, Measurement | undefined>>;

/** A probable claim is violated when its failures would be this unlikely if it were true. */
export const significance = 1e-6;

/** Whether these outcomes of one claim are more failures than it is allowed: none, or as many as its deltas explain. */
export function violated({ kind }: Pick<ClaimStatement, "kind">, outcomes: readonly Claim[]): boolean {
  const failures = outcomes.filter((c) => !c.holds).length;
  if (failures === 0 || kind !== "probable") return failures > 0;
  return (
    poissonBinomialTail(
      outcomes.map((c) => c.delta ?? 0),
      failures,
    ) < significance
  );
}

/** The claims of one run as the damaged theory would have them. A number that is no number leaves its claim out. */
export function withOtherTheory(
  mutant: OtherTheory<ParameterRecord, string>,
  statements: Readonly<Record<string, ClaimStatement>>,
  parameters: ParameterRecord,
  measurements: Measurements,
  honest: readonly Claim[],
): Claim[] {
  return Object.entries(mutant).flatMap(([name, damaged]) => {
    const measurement = measurements[name];
    const claim = honest.find((c) => c.name === name);
    if (!measurement || !claim || !damaged) return [];
    const theory = damaged(parameters, claim);
    return Number.isNaN(theory) ? [] : [judge(name, statements[name]!, { ...measurement, theory })];
  });
}

/** What was measured with other parameters, judged by the theory of the true ones. */
export const measuredElsewhere = (
  statements: Readonly<Record<string, ClaimStatement>>,
  here: Measurements,
  elsewhere: Measurements,
): Claim[] =>
  Object.entries(statements).flatMap(([name, statement]) => {
    const [mine, other] = [here[name], elsewhere[name]];
    if (!mine || !other || statement.reading === "printed") return [];
    return [judge(name, statement, { ...other, theory: mine.theory })];
  });
