// What a falsifier's report leaves open: claims that it could not have seen broken.
import type { ClaimStatement } from "./claim.ts";
import type { Report } from "./falsify.ts";
import type { Lemma } from "./lemma.ts";

/** Of the trials, at most this part may lie outside a hypothesis. */
const mostExcluded = 1 / 4;
/** Some trial comes this near to a bound that does not say that it is loose; draws of probable ones spread. */
const near = { sure: 0.9, probable: 0.7 } as const;
/** A bound that says by what factor it is loose is that loose, up to this factor. */
const overstated = 5;

/**
 * Why the falsifier's silence about a lemma would prove little; empty if it is worth something.
 * @example shortcomings(await findLemma("T-27"), await falsify(await findLemma("T-27"), { trials: 20 })) // []
 */
export function shortcomings(lemma: Lemma, report: Report): readonly string[] {
  const { trials, excluded, unmeasured, survivors } = report;
  return [
    ...(Object.keys(lemma.mutants).length === 0 ? ["no mutants"] : []),
    ...survivors.map((name) => `mutant survives: ${name}`),
    ...(excluded > mostExcluded * trials ? [`${excluded} of ${trials} trials outside a hypothesis`] : []),
    ...unmeasured.map((name) => `never measured: ${name}`),
    ...farFromBound(lemma, report),
  ];
}

/** Inequalities that no trial brought near their bounds, and that do not say so. */
export const farFromBound = ({ claims }: Lemma, { nearest }: Report): readonly string[] =>
  Object.entries(nearest).flatMap(([name, nearness]) => far(name, claims[name]!, nearness));

function far(name: string, { kind, erratum, sharper, slack }: ClaimStatement, nearness: number): string[] {
  if (erratum || sharper || kind === "rate") return [];
  if (slack !== undefined) {
    const loose = 1 / (nearness * slack);
    return loose > overstated ? [`looser than it says, ${loose.toPrecision(2)} times: ${name}`] : [];
  }
  return nearness < near[kind] ? [`nearest trial at ${nearness.toPrecision(2)} of its bound: ${name}`] : [];
}
