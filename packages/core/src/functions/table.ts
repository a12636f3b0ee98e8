// The table of activations: one row a family.
import type { Value } from "../graph/value.ts";
import type { ActivationFacts } from "./facts.ts";
import {
  arctanJet,
  expJet,
  gaussianJet,
  isruJet,
  type Jet,
  logisticJet,
  powerJet,
  sineJet,
  softplusJet,
  softsignJet,
  tanhJet,
} from "./jets.ts";
import * as write from "./operators.ts";

interface Row extends ActivationFacts {
  apply(x: Value): Value;
  /** Taylor coefficients at x; NaN from the order on at which there is no derivative. */
  jet(order: number, x: number): Jet;
}

export interface Family {
  readonly parameter?: { readonly default: number; readonly range: string; allows(value: number): boolean };
  make(parameter: number): Row;
}

const inf = Number.POSITIVE_INFINITY;
const smooth = { smoothness: inf } as const;
const plain = (row: Row): Family => ({ make: () => row });

/** A function made of two at 0, where it has `smoothness` derivatives and the next does not exist. */
const twoSided =
  (smoothness: number, left: Row["jet"], right: Row["jet"]): Row["jet"] =>
  (order, x) => {
    const jet = (x < 0 ? left : right)(order, x);
    return x === 0 ? jet.map((c, k) => (k === 0 || k <= smoothness ? c : Number.NaN)) : jet;
  };
const zeroJet = (order: number): Jet => new Float64Array(order + 1);
const lineJet =
  (slope: number) =>
  (order: number, x: number): Jet =>
    Float64Array.from({ length: order + 1 }, (_, k) => (k === 0 ? slope * x : k === 1 ? slope : 0));
const oneJet = (order: number): Jet => zeroJet(order).fill(1, 0, 1);

const positive = (standard: number) => ({
  default: standard,
  range: "a finite number above 0",
  allows: (a: number) => a > 0 && a < inf,
});

const reluRow: Row = {
  apply: (x) => x.relu(),
  jet: twoSided(0, zeroJet, lineJet(1)),
  limits: [0, inf],
  bounded: false,
  lipschitz: 1,
  smoothness: 0,
  pieces: { breakpoints: [0], degree: 1 },
  homogeneity: 1,
};

const step = (closed: boolean): Row => ({
  apply: closed ? write.threshold : write.heaviside,
  jet: twoSided(-1, zeroJet, (order, x) => (x === 0 && !closed ? zeroJet(order) : oneJet(order))),
  limits: [0, 1],
  bounded: true,
  lipschitz: inf,
  smoothness: -1,
  pieces: { breakpoints: [0], degree: 0 },
  homogeneity: 0,
});

const sine = (quarterTurns: number): Row => ({
  apply: (x) => (quarterTurns === 0 ? x.sin() : x.cos()),
  jet: (order, x) => sineJet(order, x, quarterTurns),
  limits: [undefined, undefined],
  bounded: true,
  lipschitz: 1,
  genericPoint: 0.75,
  ...smooth,
});

const plainFamilies = {
  relu: plain(reluRow),
  linear: plain({
    apply: (x) => x,
    jet: lineJet(1),
    polynomialDegree: 1,
    limits: [-inf, inf],
    bounded: false,
    lipschitz: 1,
    pieces: { breakpoints: [], degree: 1 },
    homogeneity: 1,
    ...smooth,
  }),
  heaviside: plain(step(false)),
  threshold: plain(step(true)),
  logistic: plain({
    apply: (x) => x.sigmoid(),
    jet: logisticJet,
    limits: [0, 1],
    bounded: true,
    lipschitz: 1 / 4,
    genericPoint: 1,
    ...smooth,
  }),
  elu: plain({
    apply: write.elu,
    jet: twoSided(1, (order, x) => expJet(order, x).with(0, Math.expm1(x)), lineJet(1)),
    limits: [-1, inf],
    bounded: false,
    lipschitz: 1,
    smoothness: 1,
    genericPoint: -1,
  }),
  softsign: plain({
    apply: write.softsign,
    jet: (order, x) => twoSided(1, softsignJet, softsignJet)(order, x),
    limits: [-1, 1],
    bounded: true,
    lipschitz: 1,
    smoothness: 1,
    genericPoint: 1,
  }),
  tanh: plain({
    apply: (x) => x.tanh(),
    jet: tanhJet,
    limits: [-1, 1],
    bounded: true,
    lipschitz: 1,
    genericPoint: 0.5,
    ...smooth,
  }),
  arctan: plain({
    apply: write.arctan,
    jet: arctanJet,
    limits: [-Math.PI / 2, Math.PI / 2],
    bounded: true,
    lipschitz: 1,
    genericPoint: 0.5,
    ...smooth,
  }),
  softplus: plain({
    apply: write.softplus,
    jet: softplusJet,
    limits: [0, inf],
    bounded: false,
    lipschitz: 1,
    genericPoint: 1,
    ...smooth,
  }),
  gaussian: plain({
    apply: write.gaussian,
    jet: gaussianJet,
    limits: [0, 0],
    bounded: true,
    lipschitz: Math.exp(-1 / 2),
    genericPoint: 0.5,
    ...smooth,
  }),
  exp: plain({
    apply: (x) => x.exp(),
    jet: expJet,
    limits: [0, inf],
    bounded: false,
    lipschitz: inf,
    genericPoint: 0,
    ...smooth,
  }),
  sin: plain(sine(0)),
  cos: plain(sine(1)),
} satisfies Record<string, Family>;

const parametricFamilies = {
  leakyRelu: {
    parameter: {
      default: 0.01,
      range: "a slope a >= 0 that is not 1",
      allows: (a: number) => a >= 0 && a < inf && a !== 1,
    },
    // max(a x, x): for a > 1, the slope a is the one on the right.
    make: (a: number): Row => ({
      ...reluRow,
      apply: write.leakyRelu(a),
      jet: twoSided(0, lineJet(Math.min(a, 1)), lineJet(Math.max(a, 1))),
      limits: [a === 0 ? 0 : -inf, inf],
      lipschitz: Math.max(a, 1),
    }),
  },
  repu: {
    parameter: {
      default: 2,
      range: "a whole exponent of at least 1",
      allows: (k: number) => Number.isSafeInteger(k) && k >= 1,
    },
    make: (k: number): Row => ({
      apply: write.repu(k),
      jet: twoSided(k - 1, zeroJet, (order, x) => powerJet(order, k, x)),
      limits: [0, inf],
      bounded: false,
      lipschitz: k === 1 ? 1 : inf,
      smoothness: k - 1,
      pieces: { breakpoints: [0], degree: k },
      homogeneity: k,
    }),
  },
  isrlu: {
    parameter: positive(1),
    make: (a: number): Row => ({
      apply: write.isrlu(a),
      jet: twoSided(2, (order, x) => isruJet(order, a, x), lineJet(1)),
      limits: [-1 / Math.sqrt(a), inf],
      bounded: false,
      lipschitz: 1,
      smoothness: 2,
      genericPoint: -1 / Math.sqrt(a),
    }),
  },
  isru: {
    parameter: positive(1),
    make: (a: number): Row => ({
      apply: write.isru(a),
      jet: (order, x) => isruJet(order, a, x),
      limits: [-1 / Math.sqrt(a), 1 / Math.sqrt(a)],
      bounded: true,
      lipschitz: 1,
      genericPoint: 1 / Math.sqrt(a),
      ...smooth,
    }),
  },
} satisfies Record<string, Family>;

export type PlainFamily = keyof typeof plainFamilies;
export type ParametricFamily = keyof typeof parametricFamilies;
export const families: Readonly<Record<PlainFamily | ParametricFamily, Family>> = {
  ...plainFamilies,
  ...parametricFamilies,
};
