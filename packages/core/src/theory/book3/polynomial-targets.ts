// Functions to compile for the lemma on polynomials and rational functions: random, of size about 1 on their box.
import { type Exponents, monomials } from "../../construct/monomial.ts";
import { polynomial } from "../../construct/polynomial.ts";
import { changeVariables, type Interval, type PolynomialTerms } from "../../construct/polynomial-terms.ts";
import type { Certified } from "../../construct/product-certified.ts";
import type { Circuit } from "../../construct/product-circuit.ts";
import { BoundError, boundsOf } from "../../construct/product-error.ts";
import { uniformLevels, unitsOf } from "../../construct/product-levels.ts";
import { rational } from "../../construct/rational.ts";
import { reciprocal } from "../../construct/reciprocal.ts";
import type { Random } from "../../engine/random.ts";
import type { Point } from "../telgarsky/plane.ts";

export interface Target {
  readonly name: string;
  readonly box: readonly Interval[];
  /** A bound of |f| on the box. */
  readonly size: number;
  readonly f: (x: Point) => number;
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

/** All exponents of `variables` variables with a sum of at most `degree`. */
export function exponentsUpTo(degree: number, variables: number): Exponents[] {
  if (variables === 0) return [[]];
  return Array.from({ length: degree + 1 }, (_, k) => k).flatMap((k) =>
    exponentsUpTo(degree - k, variables - 1).map((rest) => [k, ...rest]),
  );
}

const monomialAt = (u: Point, alpha: Exponents): number => alpha.reduce((p, a, k) => p * u[k]! ** a, 1);

/** A random polynomial of u in [-1, 1]^d with coefficients that add up to 1 in size. */
function randomTerms(random: Random, { degree, variables }: Pick<Setting, "degree" | "variables">) {
  const all = exponentsUpTo(degree, variables).map((exponents) => ({
    exponents,
    coefficient: 2 * random.uniform() - 1,
  }));
  const total = all.reduce((sum, { coefficient }) => sum + Math.abs(coefficient), 0);
  return all.map(({ exponents, coefficient }) => ({ exponents, coefficient: coefficient / total }));
}

/** u = (x - middle) / radius on the box [from, from + width]^d. */
function frame({ from, width, variables }: Setting) {
  const [radius, middle] = [width / 2, from + width / 2];
  return {
    box: Array.from({ length: variables }, (): Interval => [from, from + width]),
    toUnit: (x: Point): Point => x.map((c) => (c - middle) / radius),
    /** A polynomial of u as one of x = radius u + middle, exactly. */
    inX: (p: PolynomialTerms): PolynomialTerms =>
      changeVariables(
        p,
        Array.from({ length: variables }, () => ({ scale: radius, shift: middle })),
      ),
  };
}

export function monomialTarget(random: Random, { degree, variables }: Setting): Target {
  const alpha: number[] = Array.from({ length: variables }, () => 0);
  for (let k = 0; k < degree; k++) alpha[Math.floor(random.uniform() * variables)]! += 1;
  return {
    name: `x^(${alpha})`,
    box: alpha.map((): Interval => [-1, 1]),
    size: 1,
    f: (x) => monomialAt(x, alpha),
    compile(eps) {
      let levels = 1;
      while ((degree - 1) * 4 ** -(levels + 1) > eps) levels++;
      return monomials([alpha], { levels });
    },
  };
}

export function polynomialTarget(random: Random, setting: Setting): Target {
  const unit = randomTerms(random, setting);
  const { box, toUnit, inX } = frame(setting);
  const terms = inX(unit);
  return {
    name: `a polynomial of degree ${setting.degree}`,
    box,
    size: 1,
    terms,
    f: (x) => unit.reduce((sum, t) => sum + t.coefficient * monomialAt(toUnit(x), t.exponents), 0),
    compile: (eps) => polynomial(terms, { eps, box }),
  };
}

export function reciprocalTarget({ width, delta }: Setting): Target {
  const interval: Interval = [delta * width, width];
  return {
    name: "1/x",
    box: [interval],
    size: 1 / interval[0],
    f: ([x]) => 1 / x!,
    compile: (eps) => reciprocal(interval, { eps }),
  };
}

/** p / (delta + |u - a|^2 / d), p of degree two. */
export function rationalTarget(random: Random, setting: Setting): Target {
  const { variables, delta } = setting;
  const { box, toUnit, inX } = frame(setting);
  const top = randomTerms(random, { degree: 2, variables });
  const at = Array.from({ length: variables }, () => Math.round(16 * (2 * random.uniform() - 1)) / 16);
  const bottom: { exponents: number[]; coefficient: number }[] = [
    { exponents: at.map(() => 0), coefficient: delta + at.reduce((sum, a) => sum + a ** 2, 0) / variables },
  ];
  at.forEach((a, k) => {
    bottom.push({ exponents: at.map((_, j) => (j === k ? 1 : 0)), coefficient: (-2 * a) / variables });
    bottom.push({ exponents: at.map((_, j) => (j === k ? 2 : 0)), coefficient: 1 / variables });
  });
  const sumAt = (terms: readonly { exponents: Exponents; coefficient: number }[], u: Point): number =>
    terms.reduce((sum, t) => sum + t.coefficient * monomialAt(u, t.exponents), 0);
  return {
    name: "p / q",
    box,
    size: 1 / delta,
    f: (x) => sumAt(top, toUnit(x)) / sumAt(bottom, toUnit(x)),
    compile: (eps) => rational(inX(top), inX(bottom), { eps, box }),
  };
}

/** The fewest units of the same circuit with the same levels for every gate. */
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
