import {
  chanceNear,
  copiesOf,
  copyDistance,
  distinctOrders,
  isNearCopy,
  type LayerRows,
  leastRowDistance,
  rowsOf,
  signStartsNear,
  type UnitRows,
} from "../../equivalence/initialization-odds.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { preActivations } from "../../train/dense-network.ts";
import { draw, layerLaws } from "../../train/initialization.ts";
import { type DenseLayers, levenbergMarquardt, meanSquare } from "../../train/levenberg-marquardt.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

const delta = 0.05;
const laws = ["he-normal", "he-uniform", "glorot-normal", "glorot-uniform"] as const;
type LawName = (typeof laws)[number];

export default lemma({
  id: "S-18",
  covers: ["S-18", "S-19"],
  kind: "bound",
  title: "Permutations help initialization",
  source: "Shen, Theorem 5 and the remark on Xavier's and He's initialization",
  statement: String.raw`\Delta_{\min}(\theta_n) = \delta: \qquad P\bigl(\theta^{(0)} \text{ within } \tfrac{\delta}{2} \text{ of a permuted copy of } \theta_n\bigr) = d_1^* \cdots d_L^* \; P\bigl(\Delta_{\max}(\theta^{(0)} - \theta_n) \le \tfrac{\delta}{2}\bigr)`,
  parameters: {
    units: integer({ min: 2, max: 3, default: 3, label: "units of the first hidden layer" }),
    layers: integer({ min: 1, max: 2, default: 1, label: "hidden layers" }),
    equal: integer({ min: 1, max: 2, default: 1, label: "its units that are equal, fewer than all" }),
    law: choice(laws, { label: "initialization" }),
  },
  claims: {
    "least distance of two copies": atLeast(String.raw`\delta`),
    "P(least squares finds a solution from a random start near a copy)": equals(
      String.raw`d_1^* \cdots d_L^* \, P(\Delta_{\max}(\theta^{(0)} - \theta_n) \le \delta / 2)`,
    ),
    "share of hidden layers within δ/2 of a copy": equals(
      String.raw`d_1^* \, P(\Delta_{\max}(\theta^{(0)} - \theta_n) \le \delta / 2)`,
    ).probable(),
    "P(success) of an algorithm that leaves starts alone unless they are near θ_n": atLeast(
      String.raw`d_1^* \cdots d_L^* \, P(\Delta_{\max}(\theta^{(0)} - \theta_n) \le \delta / 2)`,
    ).printed({
      where: "Theorem 5",
      printed: String.raw`For any optimization algorithm $\mathcal{A}$, if it guarantees producing a convergent solution of $\theta_n$ when its initialization $\theta_n^{(0)}$ satisfies $\Delta_{\max}(\theta_n^{(0)} - \theta_n) \leq \delta/2$, then any initialization scheme [...] will produce a convergent solution with probability at least $d_1^* \times \dots \times d_L^* \times \mathbb{P}(\Delta_{\max}(\theta^{(0)} - \theta_n) \leq \delta/2)$`,
      corrected: String.raw`for algorithms with that guarantee near every permuted copy of $\theta_n$, such as all that commute with permutations of units (gradient descent, least squares)`,
    }),
    "distance of the laws of the first and the last unit (Kolmogorov-Smirnov)":
      atMost(String.raw`\sqrt{\ln(e/\delta') / N}`).probable(),
  },
  mutants: {
    "d! although units are equal": {
      "P(least squares finds a solution from a random start near a copy)": (p, { theory }) =>
        theory * equalUnits(p),
      "share of hidden layers within δ/2 of a copy": (p, { theory }) => theory * equalUnits(p),
    },
    "permutations of the first layer only": {
      "P(least squares finds a solution from a random start near a copy)": ({ layers }, { theory }) =>
        layers === 2 ? theory / 2 : theory,
    },
    "N for its root": {
      "distance of the laws of the first and the last unit (Kolmogorov-Smirnov)": (_, { theory }) =>
        theory ** 2,
    },
  },
  run({ units, layers, equal, law }, { random, scale, budget }) {
    const widths = [1, units, ...(layers === 2 ? [2] : []), 1];
    const count = equalUnits({ units, equal });
    const sizes = layerSizes(law, widths);
    const solution = solutionOf(widths, sizes, count, random);
    const hidden = solution.slice(0, -1).map(rowsOf);
    const radius = Math.min(...hidden.map(leastRowDistance)) / 2;
    const copies = copiesOf(solution);
    const orders = hidden.reduce((product, rows) => product * distinctOrders(rows), 1);
    const single = solution.reduce(
      (p, layer, l) => p * chanceNear(rowsOf(layer), radius, { shape: "signs", size: sizes[l]! }),
      1,
    );
    const points = pointsOf(solution);
    const starts = signStartsNear(copies, sizes, radius);
    const chance = 1 / 2 ** solution.reduce((sum, { W, b }) => sum + W.flat().length + b.length, 0);
    const solves = (start: DenseLayers): boolean => meanSquare(start, activation, points) < solved;
    const found = starts.filter((start) => solves(levenbergMarquardt(start, activation, points, 20)));
    const stubborn = starts.filter((start) =>
      solves(
        copyDistance(start, solution) <= radius ? levenbergMarquardt(start, activation, points, 20) : start,
      ),
    );
    const tested = scale(2000);
    return {
      ...(budget === "cheap" ? {} : { figure: figure(random) }),
      claims: {
        ...(copies.length > 1 && {
          "least distance of two copies": checked(leastDistance(copies), 2 * radius),
        }),
        "P(least squares finds a solution from a random start near a copy)": checked(
          found.length * chance,
          orders * single,
        ),
        "share of hidden layers within δ/2 of a copy": nearShare(hidden[0]!, law, scale(20000), random),
        ...(orders > 1 && {
          "P(success) of an algorithm that leaves starts alone unless they are near θ_n": checked(
            stubborn.length * chance,
            orders * single,
          ),
        }),
        "distance of the laws of the first and the last unit (Kolmogorov-Smirnov)": sampled(
          lawDistance(law, tested, random),
          // Wei and Dudley (2012): two samples of N numbers differ by more than t with probability at most e exp(-N t^2).
          Math.sqrt(Math.log(Math.E / delta) / tested),
          { delta },
        ),
      },
    };
  },
});

const activation = "softplus";
/** The mean square that counts as a solution: starts have about 0.1, ends of 20 steps at most 1e-7. */
const solved = 1e-6;

const equalUnits = ({ units, equal }: { readonly units: number; readonly equal: number }): number =>
  Math.min(equal, units - 1);

/** The standard deviation of weights of each layer. */
const layerSizes = (law: LawName, widths: readonly number[]): readonly number[] =>
  layerLaws(
    law,
    widths.slice(1).map((fanOut, l) => ({ fanIn: widths[l]!, fanOut, isOutput: l === widths.length - 2 })),
  ).map(({ weight }) => Math.sqrt(weight.variance));

/** Near the corners of the cubes of starts; rows of a hidden layer have different signs, the first `equal` are the same. */
function solutionOf(
  widths: readonly number[],
  sizes: readonly number[],
  equal: number,
  random: Random,
): DenseLayers {
  return widths.slice(1).map((rows, l) => {
    const entry = (sign: number): number => sign * sizes[l]! * (1 - 0.15 * random.uniform());
    const W = Array.from({ length: rows }, (_, i) =>
      Array.from({ length: widths[l]! }, (_, j) =>
        entry(j === 0 ? (i % 2 === 0 ? 1 : -1) : random.uniform() < 0.5 ? -1 : 1),
      ),
    );
    const b = Array.from({ length: rows }, (_, i) => entry(i < 2 ? 1 : -1));
    if (l > 0) return { W, b };
    return { W: W.map((row, i) => (i < equal ? W[0]! : row)), b: b.map((v, i) => (i < equal ? b[0]! : v)) };
  });
}

/** What the solution says on a grid: its error there is 0. */
const pointsOf = (solution: DenseLayers) =>
  Array.from({ length: 21 }, (_, k) => {
    const x = [(k - 10) / 4];
    return { x, y: preActivations(solution, activation, x).at(-1)![0]! };
  });

const leastDistance = (copies: readonly (readonly LayerRows[])[]): number =>
  Math.min(...copies.flatMap((a, i) => copies.slice(i + 1).map((b) => copyDistance(a, b))));

/** Random starts of the first hidden layer near a copy, against the sum of the chances of all copies. */
function nearShare(rows: UnitRows, law: LawName, draws: number, random: Random) {
  const { weight } = layerLaws(law, [{ fanIn: 1, fanOut: rows.length, isOutput: false }])[0]!;
  const radius = leastRowDistance(rows) / 2;
  const length = rows[0]!.length;
  let near = 0;
  for (let k = 0; k < draws; k++) {
    const start = rows.map(() => draw(weight, length, random, "float64") as Float64Array);
    if (isNearCopy(start, rows, radius)) near++;
  }
  const shape = weight.shape === "uniform" ? "uniform" : "normal";
  const size = Math.sqrt((shape === "uniform" ? 3 : 1) * weight.variance);
  const expected = distinctOrders(rows) * chanceNear(rows, radius, { shape, size });
  const log = Math.log(2 / delta);
  // Bernstein: a share of N draws is off by no more with probability 1 - delta.
  const tolerance = Math.sqrt((2 * expected * (1 - expected) * log) / draws) + log / (3 * draws);
  return sampled(near / draws, expected, { tolerance, delta });
}

/** The greatest difference of the empirical distributions of the sum of incoming weights, of two units of a layer. */
function lawDistance(law: LawName, count: number, random: Random): number {
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
  const points = [2, 3].flatMap((units) =>
    laws.flatMap((law, k) => {
      const sizes = layerSizes(law, [1, units, 1]);
      return [1, 2].map((equal) => {
        const count = equalUnits({ units, equal });
        const solution = solutionOf([1, units, 1], sizes, count, random.split(`${units}/${k}/${equal}`));
        const { theory, measured } = nearShare(rowsOf(solution[0]!), law, 10000, random);
        return { units, theory: Number(theory), seen: Number(measured) };
      });
    }),
  );
  const ends = [1e-2, 1];
  return {
    title: "Starts near a permuted copy of the solution",
    panels: [
      {
        title: "10,000 random starts for each solution",
        x: { label: "d* P(near the solution itself)", scale: "log" },
        y: { label: "frequency of starts near a copy", scale: "log" },
        series: [
          ...[2, 3].map((units) => ({
            name: `${units} units`,
            mark: "dots" as const,
            points: points
              .filter((p) => p.units === units && p.seen > 0)
              .map((p) => [p.theory, p.seen] as const),
          })),
          { name: "equal", mark: "line", role: "theory", points: ends.map((e) => [e, e]) },
        ],
      },
    ],
  };
}
