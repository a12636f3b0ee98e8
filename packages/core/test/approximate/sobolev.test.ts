import { describe, expect, it } from "vitest";
import { axisOf } from "../../src/approximate/sobolev/axis.ts";
import { meanRadius, taylorData } from "../../src/approximate/sobolev/taylor-data.ts";
import {
  graphOnBox,
  localPolynomials,
  type SobolevApproximation,
  sobolevApproximation,
} from "../../src/approximate/sobolev/yarotsky.ts";
import { run } from "../../src/engine/run.ts";
import { evaluateFormula } from "../../src/formula/evaluate.ts";
import { parseFormula } from "../../src/formula/formula.ts";
import { variablesOf } from "../../src/formula/variables.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";
import { sizes } from "../../src/passes/sizes.ts";

const boxOf = (formula: string, lower: number, upper: number) =>
  variablesOf(formula).map((name) => ({ name, lower, upper }));

/** Points of the box: corners, uniform ones, and ones close to nodes, ramps' ends and middles of cells. */
function points(box: ReturnType<typeof boxOf>, cells: number, count: number, random: Random): Float64Array[] {
  return box.map(({ lower, upper }, k) =>
    Float64Array.from({ length: count }, (_, i) => {
      if (i < 2 ** box.length) return (i >> k) & 1 ? upper : lower;
      const near =
        random.integer(0, 12 * cells) / (12 * cells) +
        (random.uniform() - 0.5) * 10 ** -random.integer(1, 12);
      const share = i % 2 ? random.uniform() : Math.min(1, Math.max(0, near));
      return Math.min(upper, lower + share * (upper - lower));
    }),
  );
}

async function seen(
  { network, cells }: SobolevApproximation,
  formula: string,
  box: ReturnType<typeof boxOf>,
) {
  const count = 1000;
  const columns = points(box, cells, count, createRandom(formula));
  const exact = evaluateFormula(
    parseFormula(formula),
    new Map(box.map((side, k) => [side.name, columns[k]!])),
  );
  const data = new Float64Array(count * box.length);
  for (const [k, column] of columns.entries())
    for (let i = 0; i < count; i++) data[i * box.length + k] = column[i]!;
  const { y } = await run(network, { x: tensor(data, { dims: [count, box.length] }) });
  return [...numbers(y!)].reduce<number>((most, v, i) => Math.max(most, Math.abs(Number(v) - exact[i]!)), 0);
}

/** A random smooth formula. */
function randomFormula(random: Random, names: readonly string[]): string {
  const c = (): string => (random.uniform() * 3 - 1.5).toFixed(2);
  const linear = (): string => `(${c()} + ${names.map((x) => `${c()} * ${x}`).join(" + ")})`;
  const shapes = [
    (a: string, b: string) => `sin(${a}) * ${b}`,
    (a: string, b: string) => `exp(${a} / 2) + tanh(${b})`,
    (a: string, b: string) => `1 / (1.5 + ${a}^2) - ${b}^2`,
    (a: string, b: string) => `sigmoid(3 * ${a}) * cos(${b})`,
    (a: string, b: string) => `sqrt(2 + ${a}^2) + ${a} * ${b}`,
    (a: string, b: string) => `log(2 + ${a}^2) * atan(${b})`,
  ];
  return shapes[random.integer(0, shapes.length - 1)]!(linear(), linear());
}

it.each([1, 2, 3, 5])(
  "the mean distance to the nodes, to the power of %i, is bounded and hardly more",
  (n) => {
    const [cells, h] = [4, 1 / 4];
    const power = (t: number): number => (h / 3 + (t * h) / 3) ** n;
    let most = 0;
    for (let k = 0; k <= 1e4; k++) {
      const t = k / 1e4;
      most = Math.max(most, (1 - t) * power(t) + t * power(1 - t));
    }
    const ratio = meanRadius(axisOf({ lower: 0, upper: 1 }, cells), n) / most ** (1 / n);
    expect(ratio).toBeGreaterThanOrEqual(1);
    // One of 256 slices costs (1 + 3/n) / 3 of its width; two of them would be too much.
    expect(ratio).toBeLessThan(1 + (1.5 * (1 + 3 / n)) / (3 * 256));
  },
);

describe("smooth functions by local polynomials", () => {
  it.each([
    ["sin(3*x)", -0.7, 1.1, 1e-6],
    ["1/(1+100*x^2)", -1, 1, 1e-2],
    ["tanh(40*x)", -1, 1, 1e-2],
    ["exp(-x^2-y^2)", -1, 1, 1e-2],
    ["x*y", 10, 11, 1e-4],
    ["sin(x+y)*cos(z)", 0, 1, 2e-2],
    ["x+y+z+w", 0, 1, 1e-2],
  ])("%s on [%d, %d] within %d", async (formula, lower, upper, eps) => {
    const box = boxOf(formula, lower, upper);
    const made = sobolevApproximation({ formula, box, eps });
    expect(made.certificate.runError).toBeLessThanOrEqual(eps);
    expect(await seen(made, formula, box)).toBeLessThanOrEqual(made.certificate.runError);
    const { hiddenUnits, depth } = sizes(made.network);
    expect([made.units, made.depth]).toEqual([hiddenUnits, depth]);
  });

  it("no random formula in 1, 2 or 3 variables goes beyond its certificate, in either layout", async () => {
    const random = createRandom("sobolev");
    for (let trial = 0; trial < 12; trial++) {
      const names = ["x", "y", "z"].slice(0, 1 + (trial % 3));
      const formula = randomFormula(random, names);
      const box = names.map((name) => ({ name, lower: -random.uniform(), upper: 0.1 + random.uniform() }));
      const order = random.integer(1, 4);
      const cells = random.integer(1, [20, 5, 2][names.length - 1]!);
      const data = taylorData(graphOnBox(formula, box), box, order, cells);
      for (const layout of ["table", "products"] as const) {
        const made = localPolynomials(data, random.integer(1, 7), layout);
        const error = await seen(made, formula, box);
        expect([formula, layout, error <= made.certificate.runError]).toEqual([formula, layout, true]);
        expect(made.certificate.rounding).toBeLessThan(1e-5);
      }
    }
  });

  it.each(["abs(x)", "max(x, 0)^2", "min(x, -x)"])(
    "%s, whose kink is on a node of every even grid, is certified by order 1 only",
    async (formula) => {
      const box = boxOf("x", -1, 1);
      const { network, order, certificate } = sobolevApproximation({ formula, box, eps: 0.1 });
      expect(order).toBe(1);
      const x = Float64Array.from({ length: 2001 }, (_, k) => -1 + k / 1000);
      const exact = evaluateFormula(parseFormula(formula), new Map([["x", x]]));
      const { y } = await run(network, { x: tensor(x, { dims: [2001, 1] }) });
      numbers(y!).forEach((v, i) => {
        expect(Math.abs(Number(v) - exact[i]!)).toBeLessThanOrEqual(certificate.runError);
      });
    },
  );

  it("the error falls like cells^-order", () => {
    const formula = "sin(2*x+y)";
    const box = boxOf(formula, 0, 1);
    for (const order of [1, 2, 3, 4]) {
      const [coarse, fine] = [8, 16].map((n) => taylorData(graphOnBox(formula, box), box, order, n).error);
      expect(coarse! / fine!).toBeGreaterThan(2 ** order * 0.95);
    }
  });

  it("tables need far fewer weights than products", () => {
    const given = { formula: "exp(-x^2-y^2)", box: boxOf("x+y", 0, 1), eps: 0.01, order: 3 };
    const [table, products] = (["table", "products"] as const).map((layout) =>
      sobolevApproximation({ ...given, layout }),
    );
    expect(table!.nonzeros * 3).toBeLessThan(products!.nonzeros);
  });

  it("says in one line what it cannot do", () => {
    const box = boxOf("x", 0, 1);
    expect(() => sobolevApproximation({ formula: "log(x)", box, eps: 0.1 })).toThrow(/log\(x\)/);
    expect(() => sobolevApproximation({ formula: "x", box, eps: 0 })).toThrow(/eps = 0/);
    expect(() => sobolevApproximation({ formula: "x^2", box, eps: 0.1, order: 0 })).toThrow(/order/);
    expect(() => sobolevApproximation({ formula: "x", box: boxOf("x", 1, 1), eps: 0.1 })).toThrow(
      /ranges from 1 to 1/,
    );
    expect(() => sobolevApproximation({ formula: "x", box: [...box, ...box], eps: 0.1 })).toThrow(
      /two sides "x"/,
    );
    expect(() => sobolevApproximation({ formula: "abs(x-0.5)", box, eps: 0.1, order: 2 })).toThrow(/kink/);
    const wide = "exp(a+b+c+d+f+g)";
    expect(() =>
      sobolevApproximation({ formula: wide, box: boxOf(wide, 0, 1), eps: 1e-6, limit: 1e5 }),
    ).toThrow(/6 variables .* weights: more than the limit/);
    expect(() =>
      sobolevApproximation({ formula: "x*y", box: boxOf("x*y", 0, 1), eps: 1e-13, order: 4 }),
    ).toThrow(/double precision|limit/);
  });
});
