export * from "./claim.ts";
export { errataDocument, errataMarkdown, errataSection, isSound, tried } from "./errata.ts";
export * from "./falsify.ts";
export * from "./lemma.ts";
export type { Mutant } from "./mutant.ts";
export * from "./parameter.ts";
export { allLemmata, findLemma, lemmaIds, subjectOf } from "./registry.ts";
export { farFromBound, shortcomings } from "./shortcomings.ts";
export { type Subject, subjects } from "./subjects.ts";
