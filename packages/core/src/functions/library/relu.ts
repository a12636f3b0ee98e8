// max(0, x).
import { type FunctionOfOneVariable, plain, type Row } from "../definition.ts";
import { twoSlopes } from "../dual.ts";
import { lineJet, twoSided, zeroJet } from "../two-sided.ts";

export const reluRow: Row = {
  apply: (x) => x.relu(),
  jet: twoSided(0, zeroJet, lineJet(1)),
  limits: [0, Number.POSITIVE_INFINITY],
  bounded: false,
  lipschitz: 1,
  smoothness: 0,
  pieces: { breakpoints: [0], degree: 1 },
  homogeneity: 1,
};

export const relu = {
  operator: "Relu",
  activation: plain(reluRow),
  dual: () => twoSlopes(0, 1),
} satisfies FunctionOfOneVariable;
