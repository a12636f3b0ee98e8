export * from "./claim.ts";
export { errataMarkdown } from "./errata.ts";
export * from "./falsify.ts";
export * from "./lemma.ts";
export type { Mutant } from "./mutant.ts";
export * from "./parameter.ts";
export { allLemmata, findLemma, lemmaIds } from "./registry.ts";
