// 1 on (0, inf) or on [0, inf), else 0.
import { type FunctionOfOneVariable, plain, type Row } from "../definition.ts";
import { oneJet, twoSided, zeroJet } from "../two-sided.ts";

const facts = {
  limits: [0, 1],
  bounded: true,
  lipschitz: Number.POSITIVE_INFINITY,
  smoothness: -1,
  pieces: { breakpoints: [0], degree: 0 },
  homogeneity: 0,
} satisfies Partial<Row>;

/** 0 at 0. */
export const heaviside = {
  activation: plain({
    ...facts,
    apply: (x) => x.op("Sign").relu(),
    jet: twoSided(-1, zeroJet, (x, order) => (x === 0 ? zeroJet : oneJet)(x, order)),
  }),
} satisfies FunctionOfOneVariable;

/** 1 at 0. */
export const threshold = {
  activation: plain({
    ...facts,
    apply: (x) => x.op("Sign").neg().relu().neg().add(1),
    jet: twoSided(-1, zeroJet, oneJet),
  }),
} satisfies FunctionOfOneVariable;
