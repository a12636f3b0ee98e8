// Gradients of Einstein summations and determinants against central differences.
import fc from "fast-check";
import { expect, it } from "vitest";
import { float64, graph } from "../../src/graph/builder.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { ramp } from "../graph/operators-runtime.ts";
import { checkGradient, randomTensor } from "./gradient-check.ts";
import { checkOperators, checkTwice, errorOfCase } from "./gradient-layers.ts";

checkOperators(["Einsum", "Det"], []);
checkTwice(["Einsum", "Det"], 5);

it.each([
  ["a diagonal", "ii->i", [[3, 3]]],
  ["a trace", "ii", [[3, 3]]],
  ["two diagonals in one operand", "iijj->ij", [[2, 2, 3, 3]]],
  ["a diagonal of three axes", "iii->i", [[3, 3, 3]]],
  ["a diagonal times a vector", "ii,i->i", [[3, 3], [3]]],
  [
    "a letter summed away in one operand",
    "ijk,jl->il",
    [
      [2, 3, 4],
      [3, 2],
    ],
  ],
  [
    "an ellipsis broadcast from size 1",
    "...ij,...jk->...ik",
    [
      [1, 2, 3],
      [4, 3, 2],
    ],
  ],
  ["a letter of size 1 in one operand", "ij,j->i", [[2, 3], [1]]],
  ["a letter of size 1 in the other operand", "ij,j->i", [[2, 1], [3]]],
  ["an ellipsis of one operand only", "...i,i->...", [[2, 3, 4], [4]]],
  [
    "three operands",
    "ab,bc,cd->da",
    [
      [2, 3],
      [3, 4],
      [4, 2],
    ],
  ],
  [
    "no result letters",
    "ij,ij->",
    [
      [2, 3],
      [2, 3],
    ],
  ],
  [
    "a result in alphabetical order",
    "zy,yx",
    [
      [2, 3],
      [3, 4],
    ],
  ],
] as const)("%s: %s", async (_, equation, shapes) => {
  const given = { inputs: shapes.map((dims) => ramp(dims)), attributes: { equation } };
  expect(await errorOfCase("Einsum", given)).toBeLessThan(1e-6);
});

it("any equation", async () => {
  const sizes: Readonly<Record<string, number>> = { a: 2, b: 3, c: 2, d: 1 };
  const term = fc
    .tuple(fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 1, maxLength: 3 }), fc.boolean())
    .map(([letters, dots]) => ({ letters, dots }));
  const equations = fc.array(term, { minLength: 1, maxLength: 3 }).chain((terms) => {
    const letters = [...new Set(terms.flatMap((t) => t.letters))];
    return fc.record({ terms: fc.constant(terms), result: fc.shuffledSubarray(letters) });
  });
  await fc.assert(
    fc.asyncProperty(equations, async ({ terms, result }) => {
      const written = (letters: readonly string[], dots: boolean) => (dots ? "..." : "") + letters.join("");
      const dots = terms.some((t) => t.dots);
      const left = terms.map((t) => written(t.letters, t.dots)).join(",");
      const given = {
        inputs: terms.map((t) => ramp([...(t.dots ? [2] : []), ...t.letters.map((c) => sizes[c]!)])),
        attributes: { equation: `${left}->${written(result, dots)}` },
      };
      expect(await errorOfCase("Einsum", given)).toBeLessThan(1e-6);
    }),
    { numRuns: 60, seed: 6 },
  );
});

it("Einsum over a batch of any size", async () => {
  const net = graph({ x: float64("N", 3), w: float64(3, 3, 2) }, ({ x, w }) => ({
    y: x.builder.apply("Einsum", [x, x, w], { equation: "ni,nj,ijk->nk" })[0]!,
  }));
  const inputs = { x: randomTensor([4, 3], 1), w: randomTensor([3, 3, 2], 2) };
  expect((await checkGradient(net, inputs)).error).toBeLessThan(1e-6);
});

it("the determinant of a singular matrix, and a size too large", async () => {
  const rows = [
    [1, 2, 3],
    [2, 4, 6],
    [0, 1, 1],
  ];
  const net = graph({ x: float64(3, 3) }, ({ x }) => ({ y: x.op("Det") }));
  const singular = randomTensor([3, 3], 1);
  (singular.data as Float64Array).set(rows.flat());
  expect((await checkGradient(net, { x: singular })).error).toBeLessThan(1e-6);
  const large = graph({ x: float64(9, 9) }, ({ x }) => ({ y: x.op("Det") }));
  expect(() => gradient(large)).toThrow(/^Det node "det": no gradient for matrices beyond 8 x 8$/);
});
