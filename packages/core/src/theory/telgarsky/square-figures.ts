import type { Figure, Panel } from "../../figure/figure.ts";
import { square } from "../../networks/square/square.ts";
import { triangle } from "../../networks/triangle/triangle.ts";
import { add, compare, type Exact, mul, sub, toNumber } from "../../numbers/exact/rational.ts";
import { evaluate, linearPieces, type PiecewiseLinear } from "../../passes/pieces.ts";
import { equals, proved } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { curve, grid } from "../line.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "T-38",
  covers: ["T-38"],
  kind: "experiment",
  title: "The figures of squares and triangles",
  source: "Telgarsky, Figures 4.1 and 4.2, and the proof that counts triangles",
  statement: String.raw`h_i - h_{i+1} = 4^{-i-1} \Delta^{i+1}, \qquad h_i\!\left(\tfrac{2k+1}{2^{i+1}}\right) - \left(\tfrac{2k+1}{2^{i+1}}\right)^2 = 4^{-i-1}; \qquad \Delta^{i+1} \text{ and } \tfrac12: \; 2^{i+1} - 1 \text{ triangles of area } \tfrac14 2^{-i-1}`,
  parameters: { i: integer({ min: 0, max: 7, default: 1, label: "level" }) },
  claims: {
    "Figure 4.1: gaps to the square between the knots that are not 4^{-i-1}": equals("0"),
    "Figure 4.2: greatest difference between h_i - h_{i+1} and a multiple of the triangles": equals(
      String.raw`0, \text{ the multiple } 4^{-i-1}`,
    ),
    "Figure 4.2: greatest value": equals("4^{-i-1}"),
    "triangles between Δ and the line 1/2, cut ones left out": equals("2^{i+1} - 1"),
    "area of each": equals(String.raw`\tfrac14 2^{-i-1}`),
  },
  mutants: {
    "a level more": ({ i }) => ({ i: i + 1 }),
    "cut triangles counted": {
      "triangles between Δ and the line 1/2, cut ones left out": ({ i }) => 2 ** (i + 1) + 1,
    },
  },
  run({ i }) {
    const [h, finer] = [interpolant(i), interpolant(i + 1)];
    const teeth = linearPieces(triangle(i + 1), 0, 1);
    const knots = finer.knots;
    const differences = knots.map((x, k) => sub(evaluate(h, x), finer.values[k]!));
    const offTeeth = knots.map((x, k) =>
      Math.abs(toNumber(sub(differences[k]!, mul(4 ** -(i + 1), evaluate(teeth, x))))),
    );
    const gaps = knots.filter((_, k) => k % 2 === 1).map((x) => sub(evaluate(h, x), mul(x, x)));
    const triangles = betweenCrossings(teeth);
    return {
      graph: square(i + 1),
      figure: figure(i),
      claims: {
        "Figure 4.1: gaps to the square between the knots that are not 4^{-i-1}": proved(
          gaps.filter((gap) => compare(gap, 4 ** -(i + 1)) !== 0).length,
          0,
        ),
        // Both sides are linear between the knots of the finer one.
        "Figure 4.2: greatest difference between h_i - h_{i+1} and a multiple of the triangles": proved(
          Math.max(...offTeeth),
          0,
        ),
        "Figure 4.2: greatest value": proved(
          differences.reduce((most, v) => (compare(v, most) > 0 ? v : most)),
          4 ** -(i + 1),
        ),
        "triangles between Δ and the line 1/2, cut ones left out": proved(triangles.length, 2 ** (i + 1) - 1),
        "area of each": proved(triangles[0]!, 2 ** -(i + 3)),
      },
    };
  },
});

/** h_0 is the identity. */
const interpolant = (i: number): PiecewiseLinear =>
  i === 0 ? { knots: [0, 1], values: [0, 1] } : linearPieces(square(i), 0, 1);

/** The areas between 1/2 and a function that crosses it once in each of its pieces, from crossing to crossing. */
function betweenCrossings({ knots, values }: PiecewiseLinear): readonly Exact[] {
  const crossings = knots.slice(1).map((to, k) => mul(1 / 2, add(knots[k]!, to))); // pieces go from 0 to 1 or back
  return crossings.slice(1).map((to, k) => {
    const height = sub(values[k + 1]!, 1 / 2);
    const area = mul(mul(1 / 2, sub(to, crossings[k]!)), height);
    return compare(area, 0) < 0 ? sub(0, area) : area;
  });
}

function figure(i: number): Figure {
  const levels = [0, 1, 2];
  const squares: Panel = {
    title: "Figure 4.1: interpolants of the square",
    x: { label: "x" },
    y: { label: "value" },
    series: [
      { name: "x²", mark: "line", role: "theory", points: grid(200).map((x) => [x, x * x]) },
      ...levels.map((level) => ({
        name: `h, i = ${level}`,
        mark: "line" as const,
        points: curve(interpolant(level)),
      })),
    ],
  };
  const [h, finer] = [interpolant(i), interpolant(i + 1)];
  const difference: Panel = {
    title: "Figure 4.2: from one level to the next",
    x: { label: "x" },
    y: { label: "difference" },
    series: [
      {
        name: `h with i = ${i} less that with i = ${i + 1}`,
        mark: "line",
        points: finer.knots.map((x, k) => [toNumber(x), toNumber(sub(evaluate(h, x), finer.values[k]!))]),
      },
    ],
  };
  const teeth: Panel = {
    title: "Triangles at the line 1/2",
    x: { label: "x" },
    y: { label: "value" },
    series: [
      { name: `Δ iterated ${i + 1} times`, mark: "line", points: curve(linearPieces(triangle(i + 1), 0, 1)) },
      {
        name: "1/2",
        mark: "line",
        role: "theory",
        points: [
          [0, 0.5],
          [1, 0.5],
        ],
      },
    ],
  };
  return { title: "Squares and triangles", panels: [squares, difference, teeth] };
}
