import type { Figure } from "../../figure/figure.ts";
import { linearRademacherBound } from "../../generalization/bounds/rademacher.ts";
import { depthFreeFactor, exponentialDepthFactor } from "../../generalization/bounds/rademacher-norm.ts";
import type { Rows } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

type Point = readonly [number, number];
const axes: readonly Point[] = [
  [1, 0],
  [0, 1],
];

export default lemma({
  id: "C1a-35",
  covers: ["C1a-35"],
  kind: "bound",
  title: "Rademacher complexity of networks by the norms of their layers",
  source: "Book, chapter 1, Theorem 1.23; Golowich, Rakhlin and Shamir 2018",
  statement: String.raw`\mathfrak R_S(\widetilde{\mathcal F}) \le \min\bigl\{ 2^{L-1}, \sqrt{2 \ln 2 \, (L-1)} + 1 \bigr\} \prod_{l=1}^{L} \|W^{(l)}\|_F \; \frac1m \sqrt{\textstyle\sum_i \|x_i\|_2^2}`,
  parameters: {
    m: integer({ min: 1, max: 8, default: 6, label: "examples in the unit disk" }),
    L: integer({ min: 1, max: 6, default: 3, label: "layers" }),
    C: real({ min: 0.2, max: 3, default: 1, label: "bound of the Frobenius norms" }),
  },
  claims: {
    "one layer: complexity": atMost(String.raw`C \sqrt{\sum \|x_i\|^2} / m`),
    "two layers: complexity, in the plane exactly": atMost(
      String.raw`2 C^2 \sqrt{\sum \|x_i\|^2} / m`,
    ).looseBy(1.99),
    "two layers, inputs (1, 0) and (0, 1): complexity": equals(String.raw`(1 + \sqrt2) \, C^2 / 4`),
    "two layers: random networks beyond the exact sup": equals("0"),
    "L layers: complexity found by search": atMost(String.raw`C (2C)^{L-1} / \sqrt m`).loose({
      where: "Theorem 1.23",
      printed: String.raw`\mathfrak{R}_m(\widetilde{\mathcal{F}}_{L,C}) \leq \frac{C(2C)^{L-1}}{\sqrt{m}}`,
      corrected: String.raw`$(\sqrt{2 \ln 2 \, (L-1)} + 1) C^L / \sqrt m$, smaller from $L = 3$ on (the text after the theorem mentions $\sqrt L$)`,
    }),
    "L layers: complexity found by search, depth-free": atMost(
      String.raw`(\sqrt{2 \ln 2 \, (L-1)} + 1) \, C^L \sqrt{\sum \|x_i\|^2} / m`,
    ),
    "2^(L-1), from L = 3 on": atLeast(String.raw`\sqrt{2 \ln 2 \, (L-1)} + 1`).looseBy(1.5),
  },
  mutants: {
    "m for its root": { "one layer: complexity": ({ m }, { theory }) => theory / Math.sqrt(m) },
    "C for its power": {
      "L layers: complexity found by search, depth-free": ({ C, L }, { theory }) => theory * C ** (1 - L),
    },
    "an activation costs nothing": {
      "two layers: complexity, in the plane exactly": (_, { theory }) => theory / 2,
    },
  },
  run({ m, L, C }, { random, scale, budget }) {
    const points = Array.from({ length: m }, (): Point => {
      const radius = Math.sqrt(random.uniform());
      const [a, b] = random.sphere(2) as unknown as [number, number];
      return [radius * a, radius * b];
    });
    const dataNorm = Math.hypot(...points.flat());
    const found = complexities(points, L, scale(40), random);
    const rounding = { tolerance: 1e-12 * C ** L }; // sums over at most 256 signs
    return {
      ...(budget === "cheap" ? {} : { figure: figure(random) }),
      claims: {
        "one layer: complexity": checked(C * found.linear, linearRademacherBound(C, points), rounding),
        "two layers: complexity, in the plane exactly": checked(
          C ** 2 * found.shallow,
          (exponentialDepthFactor(2) * C ** 2 * dataNorm) / m,
          rounding,
        ),
        "two layers, inputs (1, 0) and (0, 1): complexity": checked(
          C ** 2 * complexities(axes, 2, 1, random).shallow,
          ((1 + Math.SQRT2) * C ** 2) / 4, // one sign twice: sqrt 2, both signs: 1
          rounding,
        ),
        "two layers: random networks beyond the exact sup": checked(found.beyond, 0),
        "L layers: complexity found by search": checked(
          C ** L * found.deep,
          (C * (2 * C) ** (L - 1)) / Math.sqrt(m),
          rounding,
        ),
        "L layers: complexity found by search, depth-free": checked(
          C ** L * found.deep,
          (depthFreeFactor(L) * C ** L * dataNorm) / m,
          rounding,
        ),
        ...(L >= 3 && { "2^(L-1), from L = 3 on": checked(exponentialDepthFactor(L), depthFreeFactor(L)) }),
      },
    };
  },
});

/** Complexities for C = 1, over all signs of the sample. */
function complexities(points: readonly Point[], L: number, tries: number, random: Random) {
  const m = points.length;
  const networks = Array.from({ length: tries }, () => randomNetwork(L, random));
  const outputs = networks.map((layers) => points.map((x) => valueAt(layers, x)));
  const shallow = Array.from({ length: tries }, () => randomNetwork(2, random));
  const shallowOutputs = shallow.map((layers) => points.map((x) => valueAt(layers, x)));
  const sum = { linear: 0, shallow: 0, deep: 0 };
  let beyond = 0;
  for (let mask = 0; mask < 2 ** m; mask++) {
    const signs = points.map((_, i) => ((mask >> i) & 1 ? 1 : -1));
    const along = (values: readonly number[]): number =>
      Math.abs(values.reduce((s, v, i) => s + signs[i]! * v, 0));
    const straight = Math.hypot(
      points.reduce((s, x, i) => s + signs[i]! * x[0], 0),
      points.reduce((s, x, i) => s + signs[i]! * x[1], 0),
    );
    const { most, least } = reluSup(points, signs);
    const sup = Math.max(most, -least);
    for (const values of shallowOutputs) if (along(values) > sup * (1 + 1e-12) + 1e-12) beyond++;
    sum.linear += straight;
    sum.shallow += sup; // the last weight has either sign: with or without absolute value
    // One unit a layer passes relu(<v, x>) on: deeper networks have at least that.
    const chain = L === 1 ? straight : sup;
    sum.deep += outputs.reduce((best, values) => Math.max(best, along(values)), chain);
  }
  const mean = (total: number): number => total / (m * 2 ** m);
  return {
    linear: mean(sum.linear),
    shallow: mean(sum.shallow),
    deep: mean(sum.deep),
    beyond,
  };
}

/**
 * The extremes over unit v of sum_i tau_i relu(<v, x_i>): between the directions where some <v, x_i> = 0 it is
 * <v, s> with s the signed sum of the active points, greatest at s / |s| or at an end.
 */
function reluSup(
  points: readonly Point[],
  signs: readonly number[],
): { readonly most: number; readonly least: number } {
  const value = (angle: number): number => {
    const [a, b] = [Math.cos(angle), Math.sin(angle)];
    return points.reduce((sum, x, i) => sum + signs[i]! * Math.max(0, a * x[0] + b * x[1]), 0);
  };
  const kinks = points
    .flatMap(([x, y]) => [Math.atan2(y, x) + Math.PI / 2, Math.atan2(y, x) - Math.PI / 2])
    .map((t) => ((t % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI))
    .sort((s, t) => s - t);
  let [most, least] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  kinks.forEach((from, k) => {
    const to = kinks[k + 1] ?? kinks[0]! + 2 * Math.PI;
    const middle = (from + to) / 2;
    const [a, b] = [Math.cos(middle), Math.sin(middle)];
    let [sx, sy] = [0, 0];
    points.forEach((x, i) => {
      if (a * x[0] + b * x[1] <= 0) return;
      sx += signs[i]! * x[0];
      sy += signs[i]! * x[1];
    });
    const candidates = [from, to];
    for (const turn of [0, Math.PI]) {
      let angle = Math.atan2(sy, sx) + turn;
      while (angle < from) angle += 2 * Math.PI;
      if (angle <= to) candidates.push(angle);
    }
    for (const angle of candidates) {
      most = Math.max(most, value(angle));
      least = Math.min(least, value(angle));
    }
  });
  return { most, least };
}

/** ReLU layers of width 3 without biases, each of Frobenius norm 1; the last one has one output. */
const randomNetwork = (L: number, random: Random): readonly Rows[] =>
  Array.from({ length: L }, (_, l) => {
    const [rows, columns] = [l === L - 1 ? 1 : 3, l === 0 ? 2 : 3];
    const entries = random.sphere(rows * columns);
    return Array.from({ length: rows }, (__, i) => [...entries.subarray(i * columns, (i + 1) * columns)]);
  });

const valueAt = (layers: readonly Rows[], x: Point): number =>
  layers.reduce<readonly number[]>(
    (h, W, l) =>
      W.map((row) => {
        const z = row.reduce((sum, w, k) => sum + w * h[k]!, 0);
        return l === layers.length - 1 ? z : Math.max(0, z);
      }),
    x,
  )[0]!;

function figure(random: Random): Figure {
  const depths = Array.from({ length: 12 }, (_, k) => k + 1);
  const sizes = [1, 2, 3, 4, 5, 6, 7, 8];
  const disk = (m: number) =>
    Array.from({ length: m }, (): Point => random.sphere(2) as unknown as [number, number]);
  const shallow = sizes.map((m) => [m, complexities(disk(m), 2, 1, random).shallow] as const);
  return {
    title: "Networks with layers of Frobenius norm 1, inputs on the unit circle",
    panels: [
      {
        title: "What depth costs",
        x: { label: "layers L" },
        y: { label: "factor", scale: "log" },
        series: [
          {
            name: "2^(L-1), Theorem 1.23",
            mark: "line",
            role: "theory",
            points: depths.map((l) => [l, exponentialDepthFactor(l)]),
          },
          {
            name: "√(2 ln2 (L-1)) + 1",
            mark: "line",
            role: "theory",
            points: depths.map((l) => [l, depthFreeFactor(l)]),
          },
        ],
      },
      {
        title: "Two layers",
        x: { label: "examples m" },
        y: { label: "complexity" },
        series: [
          { name: "exact, all signs", mark: "dots", points: shallow },
          { name: "2 / √m", mark: "line", role: "theory", points: sizes.map((m) => [m, 2 / Math.sqrt(m)]) },
        ],
      },
    ],
  };
}
