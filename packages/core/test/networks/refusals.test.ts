import { describe, expect, it } from "vitest";
import { ConstructError } from "../../src/functions/error.ts";
import { monomials } from "../../src/networks/monomial.ts";
import { polynomial } from "../../src/networks/polynomial/polynomial.ts";
import { univariate } from "../../src/networks/polynomial/terms.ts";
import { multiplicationLevels } from "../../src/networks/product/product.ts";
import { rational } from "../../src/networks/rational/rational.ts";
import { reciprocal } from "../../src/networks/rational/reciprocal.ts";

describe("requests that double precision cannot meet", () => {
  it.each([
    [() => reciprocal([0.001, 1], { eps: 1e-12 }), "1/x on [0.001, 1] cannot be certified to 1e-12"],
    [
      () => polynomial(univariate([0, 0, 0, 1]), { eps: 1e-12, box: [[1000, 1000.001]] }),
      "the polynomial on [1000, 1000.001] cannot be certified to 1e-12",
    ],
    [
      () => polynomial(univariate([0, 0, 1]), { eps: 1e-20, box: [[0, 1]] }),
      "the polynomial on [0, 1] cannot be certified to 1e-20",
    ],
  ])("are refused, with what rounding costs: %#", (make, message) => {
    expect(make).toThrow(ConstructError);
    expect(make).toThrow(`${message} in double precision: rounding alone may cost`);
  });

  it("and what the message names is about what can be had", () => {
    const cost = (make: () => unknown): number => {
      try {
        make();
      } catch (cause) {
        return Number(/may cost (\S+)$/.exec((cause as Error).message)![1]);
      }
      return 0;
    };
    const ofX = cost(() => reciprocal([0.001, 1], { eps: 1e-12 }));
    expect(reciprocal([0.001, 1], { eps: 3 * ofX }).runError).toBeLessThanOrEqual(3 * ofX);
    const square = (eps: number) => polynomial(univariate([0, 0, 1]), { eps, box: [[0, 1]] });
    expect(square(3 * cost(() => square(1e-20))).runError).toBeLessThan(1e-14);
  });
});

describe("what is no number", () => {
  it.each([
    [
      () => polynomial(univariate([1, Number.NaN]), { eps: 1e-3 }),
      /coefficient of the term with exponents \[1\] is NaN/,
    ],
    [
      () => polynomial(univariate([1, Number.POSITIVE_INFINITY]), { eps: 1e-3 }),
      /is Infinity, not a finite number/,
    ],
    [
      () => rational(univariate([1]), [{ coefficient: Number.NaN, exponents: [1] }], { eps: 1e-3 }),
      /denominator: the coefficient/,
    ],
    [
      () => polynomial(univariate([1, 2]), { eps: 1e-3, box: [[0, Number.NaN]] }),
      /\[0, NaN\] is not an interval/,
    ],
    [
      () => polynomial(univariate([1, 2]), { eps: 1e-3, box: [[0, Number.POSITIVE_INFINITY]] }),
      /\[0, Infinity\] is not an interval/,
    ],
    [
      () => polynomial(univariate([1, 2]), { eps: 1e-3, box: [[2, 1]] }),
      /\[2, 1\] is not an interval of positive length/,
    ],
    [() => polynomial(univariate([1, 2]), { eps: 1e-3, box: [] }), /a box of 0 intervals for 1 variables/],
    [() => rational(univariate([1]), univariate([1, 2]), { eps: 1e-3, box: [] }), /a box of 0 intervals/],
    [() => polynomial(univariate([0, 0, 1e308]), { eps: 1e300 }), /too large for double precision/],
    [
      () => polynomial(univariate([0, 0, 1]), { eps: 1, box: [[0, 1e200]] }),
      /too large for double precision/,
    ],
    [() => polynomial(univariate([1, 2]), { eps: Number.NaN }), /eps = NaN/],
    [() => reciprocal([Number.NaN, 1], { eps: 1e-3 }), /positive ends, not \[NaN, 1\]/],
    [() => reciprocal([1, 1], { eps: 1e-3 }), /positive ends, not \[1, 1\]/],
    [() => monomials([], { levels: 3 }), /number of monomials is a whole number of at least 1, not 0/],
    [() => monomials([[]], { levels: 3 }), /number of variables is a whole number of at least 1, not 0/],
    [() => multiplicationLevels(1e-3, Number.NaN), /bound of a product's factors is positive/],
  ])("is refused in one line: %#", (make, message) => {
    expect(make).toThrow(ConstructError);
    expect(make).toThrow(message);
  });
});
