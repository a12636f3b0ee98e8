// Functions to compile for the lemma on polynomials and rational functions: random, of size about 1 on their box, and
// such as are computed badly by powers.

import type { Certified } from "../../networks/circuit/certified.ts";
import type { Circuit } from "../../networks/circuit/circuit.ts";
import { BoundError, boundsOf } from "../../networks/circuit/error-bounds.ts";
import { uniformLevels, unitsOf } from "../../networks/circuit/levels.ts";
import { degree, type Exponents, monomials } from "../../networks/monomial.ts";
import { polynomial } from "../../networks/polynomial/polynomial.ts";
import {
  changeVariables,
  type Interval,
  type PolynomialTerms,
  univariate,
  valueAt,
} from "../../networks/polynomial/terms.ts";
import { rational } from "../../networks/rational/rational.ts";
import { reciprocal } from "../../networks/rational/reciprocal.ts";
import { div, type Exact, sub } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import type { Point } from "../telgarsky/plane.ts";

export interface Target {
  readonly name: string;
  readonly box: readonly Interval[];
  /** A bound of |f| on the box. */
  readonly size: number;
  readonly f: (x: Point) => number;
  readonly exact: (x: Point) => Exact;
  /** Coefficients of a polynomial in one variable. */
  readonly terms?: PolynomialTerms;
  compile(eps: number): Certified;
}

interface Setting {
  readonly degree: number;
  readonly variables: number;
  readonly from: number;
  readonly width: number;
  readonly delta: number;
}

/** All exponents of `variables` variables with a sum of at most `most`. */
export function exponentsUpTo(most: number, variables: number): Exponents[] {
  if (variables === 0) return [[]];
  return Array.from({ length: most + 1 }, (_, k) => k).flatMap((k) =>
    exponentsUpTo(most - k, variables - 1).map((rest) => [k, ...rest]),
  );
}

const monomialAt = (u: Point, alpha: Exponents): number => alpha.reduce((p, a, k) => p * u[k]! ** a, 1);

/** A random polynomial of u in [-1, 1]^d with coefficients that add up to 1 in size. */
function randomTerms(random: Random, setting: Pick<Setting, "degree" | "variables">): DoubleTerm[] {
  const all = exponentsUpTo(setting.degree, setting.variables).map((exponents) => ({
    exponents,
    coefficient: 2 * random.uniform() - 1,
  }));
  const total = all.reduce((sum, { coefficient }) => sum + Math.abs(coefficient), 0);
  return all.map(({ exponents, coefficient }) => ({ exponents, coefficient: coefficient / total }));
}

/** Polynomials of u = (x - middle) / radius on the box [from, from + width]^d as such of y = x - middle. */
function frame({ from, width, variables }: Setting) {
  const [radius, middle] = [width / 2, from + width / 2];
  const changes = Array.from({ length: variables }, () => ({ scale: 1, shift: middle }));
  return {
    box: Array.from({ length: variables }, (): Interval => [from, from + width]),
    /** With coefficients that are doubles, so that exact values are found fast. */
    inY: (p: readonly DoubleTerm[]): DoubleTerm[] =>
      p.map((t) => ({ ...t, coefficient: t.coefficient / radius ** degree(t.exponents) })),
    toY: (x: Point): Point => x.map((c) => c - middle),
    toYExactly: (x: Point): Exact[] => x.map((c) => sub(c, middle)),
    inX: (p: PolynomialTerms): PolynomialTerms => changeVariables(p, changes),
  };
}

interface DoubleTerm {
  readonly exponents: Exponents;
  readonly coefficient: number;
}

const sumAt = (terms: readonly DoubleTerm[], y: Point): number =>
  terms.reduce((sum, t) => sum + t.coefficient * monomialAt(y, t.exponents), 0);

export function monomialTarget(random: Random, { degree: total, variables }: Setting): Target {
  const alpha: number[] = Array.from({ length: variables }, () => 0);
  for (let k = 0; k < total; k++) alpha[Math.floor(random.uniform() * variables)]! += 1;
  return {
    name: `x^(${alpha})`,
    box: alpha.map((): Interval => [-1, 1]),
    size: 1,
    terms: [{ coefficient: 1, exponents: alpha }],
    f: (x) => monomialAt(x, alpha),
    exact: (x) => valueAt([{ coefficient: 1, exponents: alpha }], x),
    compile(eps) {
      let levels = 1;
      while ((total - 1) * 4 ** -(levels + 1) > eps) levels++;
      const found = monomials([alpha], { levels });
      return found.runError <= eps ? found : monomials([alpha], { levels: levels + 1 });
    },
  };
}

export function polynomialTarget(random: Random, setting: Setting): Target {
  const { box, inY, toY, toYExactly, inX } = frame(setting);
  const inTheMiddle = inY(randomTerms(random, setting));
  const terms = inX(inTheMiddle);
  return {
    name: `a polynomial of degree ${setting.degree}`,
    box,
    size: 1,
    terms,
    f: (x) => sumAt(inTheMiddle, toY(x)),
    exact: (x) => valueAt(inTheMiddle, toYExactly(x)),
    compile: (eps) => polynomial(terms, { eps, box }),
  };
}

/** The same where powers of x cancel: on a box as far as 64 widths from 0. */
export const farTarget = (random: Random, setting: Setting): Target => ({
  ...polynomialTarget(random, { ...setting, from: setting.from + 64 * setting.width }),
  name: `a polynomial of degree ${setting.degree}, far from 0`,
});

/** T_2n, n the degree: its coefficients are up to 2^12 times its values, and cancel. */
export function chebyshevTarget({ degree: half }: Setting): Target {
  let [before, now] = [[1], [0, 1]];
  for (let k = 2; k <= 2 * half; k++)
    [before, now] = [now, [0, ...now].map((c, j) => 2 * c - (before[j] ?? 0))];
  const terms = univariate(now);
  return {
    name: `T_${2 * half}`,
    box: [[-1, 1]],
    size: 1,
    terms,
    f: ([x]) => Math.cos(2 * half * Math.acos(x!)),
    exact: (x) => valueAt(terms, x),
    compile: (eps) => polynomial(terms, { eps }),
  };
}

export function reciprocalTarget({ width, delta }: Setting): Target {
  const interval: Interval = [delta * width, width];
  return {
    name: "1/x",
    box: [interval],
    size: 1 / interval[0],
    f: ([x]) => 1 / x!,
    exact: ([x]) => div(1, x!),
    compile: (eps) => reciprocal(interval, { eps }),
  };
}

/** p / (delta + |u - a|^2 / d), p of degree two. */
export function rationalTarget(random: Random, setting: Setting): Target {
  const { variables, delta } = setting;
  const { box, inY, toY, toYExactly, inX } = frame(setting);
  const top = inY(randomTerms(random, { degree: 2, variables }));
  const at = Array.from({ length: variables }, () => Math.round(16 * (2 * random.uniform() - 1)) / 16);
  const ofU: DoubleTerm[] = [
    { exponents: at.map(() => 0), coefficient: delta + at.reduce((sum, a) => sum + a ** 2, 0) / variables },
  ];
  at.forEach((a, k) => {
    ofU.push({ exponents: at.map((_, j) => (j === k ? 1 : 0)), coefficient: (-2 * a) / variables });
    ofU.push({ exponents: at.map((_, j) => (j === k ? 2 : 0)), coefficient: 1 / variables });
  });
  const bottom = inY(ofU);
  return {
    name: "p / q",
    box,
    size: 1 / delta,
    f: (x) => sumAt(top, toY(x)) / sumAt(bottom, toY(x)),
    exact: (x) => div(valueAt(top, toYExactly(x)), valueAt(bottom, toYExactly(x))),
    compile: (eps) => rational(inX(top), inX(bottom), { eps, box }),
  };
}

/** The fewest units, without those that only reduce rounding, of the same circuit with the same levels for every gate. */
export function uniformUnits(circuit: Circuit, eps: number): number | undefined {
  for (let levels = 1; levels <= 40; levels++) {
    const same = uniformLevels(circuit, levels);
    try {
      if (boundsOf(circuit, same)[circuit.outputs[0]!]!.error <= eps) return unitsOf(circuit, same);
    } catch (cause) {
      if (!(cause instanceof BoundError)) throw cause;
    }
  }
  return undefined;
}
