import {
  chanceNear,
  distinctOrders,
  isNearCopy,
  leastRowDistance,
  type Rows,
  rowDistance,
  uniformRows,
} from "../../capacity/initialization.ts";
import type { Random } from "../../engine/random.ts";
import type { Figure } from "../../figure/figure.ts";
import { draw, layerLaws } from "../../train/initialization.ts";
import { atLeast, atMost, checked, sampled } from "../claim.ts";
import { HypothesisError, lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

const delta = 1e-6;

export default lemma({
  id: "S-18",
  covers: ["S-18", "S-19"],
  kind: "bound",
  title: "Permutations help initialization",
  source: "Shen, Theorem 5 and the remark on Xavier's and He's initialization",
  statement: String.raw`\Delta_{\min}(\theta_n) = \delta: \qquad P\bigl(\theta^{(0)} \text{ within } \tfrac{\delta}{2} \text{ of a permuted copy of } \theta_n\bigr) = d_1^* \cdots d_L^* \; P\bigl(\Delta_{\max}(\theta^{(0)} - \theta_n) \le \tfrac{\delta}{2}\bigr)`,
  parameters: {
    units: integer({ min: 2, max: 4, default: 3, label: "hidden units" }),
    equal: integer({ min: 1, max: 3, default: 1, label: "units of the solution that are equal" }),
    law: choice(["he-normal", "he-uniform", "glorot-normal", "glorot-uniform"], { label: "initialization" }),
  },
  claims: {
    "frequency of starts near a copy, less d* P(near θ_n), in size":
      atMost(String.raw`\sqrt{\ln(2/\delta') / 2N}`).probable(),
    "least distance of two copies": atLeast(String.raw`\delta`),
    "chance of an algorithm that succeeds near θ_n only": atLeast(
      String.raw`d^* \, P(\Delta_{\max}(\theta^{(0)} - \theta_n) \le \delta / 2)`,
    ).printed({
      where: "Theorem 5",
      printed: String.raw`for any optimization algorithm that converges to $\theta_n$ from any start with $\Delta_{\max}(\theta^{(0)} - \theta_n) \le \delta/2$, the probability is at least $d_1^* \cdots d_L^* \, P(\Delta_{\max}(\theta^{(0)} - \theta_n) \le \delta/2)$`,
      corrected: String.raw`for algorithms that also succeed near every permuted copy of $\theta_n$, such as gradient descent, which commutes with permutations; an algorithm that looks for $\theta_n$ itself has only $P(\Delta_{\max}(\theta^{(0)} - \theta_n) \le \delta/2)$`,
    }),
    "distance of the laws of the first and the last unit (Kolmogorov-Smirnov)":
      atMost(String.raw`\sqrt{\ln(4/\delta') / N}`).probable(),
  },
  run({ units, equal, law }, { random, scale, budget }) {
    if (equal > units) throw new HypothesisError(`${equal} of ${units} units cannot be equal`);
    const solution = solutionOf(units, equal, random);
    const radius = leastRowDistance(solution) / 2;
    const draws = scale(20000);
    let near = 0;
    for (let k = 0; k < draws; k++) if (isNearCopy(uniformRows(units, 2, random), solution, radius)) near++;
    const [orders, single] = [distinctOrders(solution), chanceNear(solution, radius)];
    const tested = scale(2000);
    return {
      ...(budget === "cheap" ? {} : { figure: figure(random) }),
      claims: {
        "frequency of starts near a copy, less d* P(near θ_n), in size": sampled(
          Math.abs(near / draws - orders * single),
          Math.sqrt(Math.log(2 / delta) / (2 * draws)),
          { delta },
        ),
        ...(orders > 1 && {
          "least distance of two copies": checked(leastCopyDistance(solution), 2 * radius),
          "chance of an algorithm that succeeds near θ_n only": checked(single, orders * single),
        }),
        "distance of the laws of the first and the last unit (Kolmogorov-Smirnov)": sampled(
          lawDistance(law, tested, random),
          // Each empirical law is within sqrt(ln(4 / delta) / (2 N)) of its own, by Massart's inequality; of each other, twice that.
          2 * Math.sqrt(Math.log(4 / delta) / (2 * tested)),
          { delta },
        ),
      },
    };
  },
});

/** Rows (w, b) of a solution; the first `equal` ones are the same. */
function solutionOf(units: number, equal: number, random: Random): Rows {
  const rows = [...uniformRows(units, 2, random)];
  for (let k = 1; k < equal; k++) rows[k] = rows[0]!;
  return rows;
}

function leastCopyDistance(rows: Rows): number {
  const orders = permutations(rows.length);
  let least = Number.POSITIVE_INFINITY;
  for (const order of orders) {
    const distance = Math.max(...order.map((i, k) => rowDistance(rows[i]!, rows[k]!)));
    if (distance > 0) least = Math.min(least, distance);
  }
  return least;
}

function permutations(n: number): readonly (readonly number[])[] {
  if (n === 0) return [[]];
  return permutations(n - 1).flatMap((order) =>
    Array.from({ length: n }, (_, at) => [...order.slice(0, at), n - 1, ...order.slice(at)]),
  );
}

/** The greatest difference of the empirical distributions of the sum of incoming weights, of two units of a layer. */
function lawDistance(
  law: "he-normal" | "he-uniform" | "glorot-normal" | "glorot-uniform",
  count: number,
  random: Random,
): number {
  const [fanIn, fanOut] = [5, 4];
  const { weight } = layerLaws(law, [{ fanIn, fanOut, isOutput: false }])[0]!;
  const sums = Array.from({ length: count }, () => {
    const values = draw(weight, fanIn * fanOut, random, "float64");
    const sum = (row: number) =>
      Array.from(values.subarray(row * fanIn, (row + 1) * fanIn)).reduce((a, b) => a + b);
    return [sum(0), sum(fanOut - 1)] as const;
  });
  const sorted = ([0, 1] as const).map((k) => sums.map((s) => s[k]).sort((a, b) => a - b));
  let [i, j, most] = [0, 0, 0];
  while (i < count && j < count) {
    if (sorted[0]![i]! <= sorted[1]![j]!) i++;
    else j++;
    most = Math.max(most, Math.abs(i - j) / count);
  }
  return most;
}

function figure(random: Random): Figure {
  const points = [2, 3, 4].flatMap((units) =>
    Array.from({ length: 8 }, (_, k) => {
      const solution = solutionOf(units, 1, random.split(`${units}/${k}`));
      const radius = leastRowDistance(solution) / 2;
      const starts = 10000;
      let near = 0;
      for (let s = 0; s < starts; s++)
        if (isNearCopy(uniformRows(units, 2, random), solution, radius)) near++;
      return { units, theory: distinctOrders(solution) * chanceNear(solution, radius), seen: near / starts };
    }),
  );
  const shown = points.filter((p) => p.seen > 0 && p.theory > 1e-4);
  const ends = [1e-4, 1];
  return {
    title: "Starts near a permuted copy of the solution",
    panels: [
      {
        title: "10,000 random starts for each solution",
        x: { label: "d* P(near the solution itself)", scale: "log" },
        y: { label: "frequency of starts near a copy", scale: "log" },
        series: [
          ...[2, 3, 4].map((units) => ({
            name: `${units} units`,
            mark: "dots" as const,
            points: shown.filter((p) => p.units === units).map((p) => [p.theory, p.seen] as const),
          })),
          { name: "equal", mark: "line", role: "theory", points: ends.map((e) => [e, e]) },
        ],
      },
    ],
  };
}
