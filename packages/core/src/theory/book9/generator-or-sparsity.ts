import type { Figure } from "../../figure/figure.ts";
import { float64, graph } from "../../graph/builder.ts";
import { tensor } from "../../graph/tensor.ts";
import { cosineBasis } from "../../inverse/bases.ts";
import { type Generator, generatorOf } from "../../inverse/generator.ts";
import { latentDescent } from "../../inverse/latent-descent.ts";
import { gaussianOperator } from "../../inverse/operators.ts";
import { sparseRecovery } from "../../inverse/sparse-recovery.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const side = 8;
const n = side * side;
const width = 1.5;

export default lemma({
  id: "C9-19",
  covers: ["C9-19", "C9-20"],
  kind: "experiment",
  title: "A generator wins with few measurements, and stops where its range ends",
  source: "Book, chapter 9, Figures 9.2 and 9.3; Bora et al. 2017",
  statement: String.raw`G(z)_p = (1 + z_0/4) \, e^{-|p - c(z)|^2 / 2 s^2}, \quad x = G(z_1) + \beta G(z_2): \qquad |G(\hat z) - x| \ge \min_z |G(z) - x|`,
  parameters: {
    few: integer({ min: 6, max: 12, default: 8, label: "few measurements of 64 numbers" }),
    beside: real({ min: 0.1, max: 0.25, default: 0.15, label: "share β of the second bump" }),
    draw: integer({ min: 0, max: 1e6, default: 1, label: "which random numbers" }),
  },
  claims: {
    "all numbers measured: error of the generator's answer": atLeast(String.raw`\min_z |G(z) - x|^2 / n`),
    "few measurements: its error, less that of the sparsest cosines": atMost("0").probable(),
    "all numbers measured: error of the cosines, less that of the generator's answer": atMost("0").probable(),
  },
  mutants: {
    "a range that ends a tenth further": {
      "all numbers measured: error of the generator's answer": (_, { theory }) => theory * 1.1,
    },
    "a generator that errs by a whole bump": {
      "few measurements: its error, less that of the sparsest cosines": () => -0.1,
    },
    "cosines that lose nothing": {
      "all numbers measured: error of the cosines, less that of the generator's answer": () => -0.1,
    },
  },
  async run({ few, beside, draw }, { random, budget }) {
    const draws = random.split(`draw ${draw}`);
    const x = target(beside, draws.split("x"));
    const [early, late] = [await race(x, few, draws), await race(x, n, draws)];
    return {
      ...(budget !== "cheap" && { figure: await curves(beside, draws, budget === "thorough" ? 4 : 1) }),
      claims: {
        "all numbers measured: error of the generator's answer": checked(late.generator, leastError(x), {
          tolerance: 1e-9,
        }),
        // How often the other one wins is not derived: one in twenty is what a draw may show.
        "few measurements: its error, less that of the sparsest cosines": sampled(
          early.generator - early.cosines,
          0,
          { delta: 0.05 },
        ),
        "all numbers measured: error of the cosines, less that of the generator's answer": sampled(
          late.cosines - late.generator,
          0,
          { delta: 0.05 },
        ),
      },
    };
  },
});

const [across, down] = [(p: number) => p % side, (p: number) => Math.floor(p / side)];

/** A bump of height 1 around a place. */
const bump = (column: number, row: number): Float64Array =>
  Float64Array.from({ length: n }, (_, p) =>
    Math.exp(-((across(p) - column) ** 2 + (down(p) - row) ** 2) / (2 * width ** 2)),
  );

const [middle, spread] = [(side - 1) / 2, 1.2];
const made = (z: ArrayLike<number>): Float64Array =>
  bump(middle + spread * z[1]!, middle + spread * z[2]!).map((v) => (1 + z[0]! / 4) * v);

/** The same as a network. */
const bumps: Generator = generatorOf(
  graph({ z: float64("N", 3) }, ({ z }) => {
    const { builder } = z;
    const entry = (k: number) =>
      z.op("Gather", [builder.lift(tensor([k], { type: "int64" }), "int64")], { axis: 1 });
    const grid = (of: (p: number) => number) =>
      builder.lift(tensor([Array.from({ length: n }, (_, p) => of(p) - middle)]), "float64");
    const [dx, dy] = [grid(across).sub(entry(1).mul(spread)), grid(down).sub(entry(2).mul(spread))];
    const shape = dx
      .mul(dx)
      .add(dy.mul(dy))
      .mul(-1 / (2 * width ** 2))
      .exp();
    return { x: entry(0).mul(0.25).add(1).mul(shape) };
  }),
);

/** A bump near the middle and, three pixels from it, a smaller one: nearer they would look like one. */
function target(beside: number, random: Random): Float64Array {
  const z = [random.normal(), ...[0, 1].map(() => 1.2 * random.uniform() - 0.6)];
  const angle = 2 * Math.PI * random.uniform();
  const [column, row] = [z[1]! + (3 / spread) * Math.cos(angle), z[2]! + (3 / spread) * Math.sin(angle)];
  const second = made([random.normal(), column, row]);
  return made(z).map((v, p) => v + beside * second[p]!);
}

const meanSquare = (a: Float64Array, b: Float64Array): number =>
  a.reduce((sum, v, p) => sum + (v - b[p]!) ** 2, 0) / n;

/** Mean squared errors of both from the same measurements, with noise of deviation 0.01. */
async function race(
  x: Float64Array,
  m: number,
  random: Random,
): Promise<{ readonly generator: number; readonly cosines: number }> {
  const map = gaussianOperator(m, n, random.split(`A ${m}`));
  const noise = random.split(`noise ${m}`).normal(m);
  const y = map.apply(x).map((v, i) => v + 0.01 * noise[i]!);
  const options = { steps: 150, restarts: 8 };
  const [found, sparse] = [
    await latentDescent(bumps, map, y, random.split(`starts ${m}`), options),
    await sparseRecovery(map, y, cosineBasis([side, side]), { lambda: 1e-3, gap: 1e-8, iterations: 3000 }),
  ];
  return { generator: meanSquare(found.x, x), cosines: meanSquare(sparse.x, x) };
}

/** The least error of all G(z): places on a grid that is made finer around the best, each with its best height. */
function leastError(x: Float64Array): number {
  let best = { error: Number.POSITIVE_INFINITY, column: middle, row: middle };
  for (let [step, reach] = [0.25, 40]; step > 1e-6; [step, reach] = [step / 4, 6]) {
    const { column, row } = best;
    for (let i = -reach; i <= reach; i++)
      for (let j = -reach; j <= reach; j++) {
        const [c, r] = [column + step * i, row + step * j];
        const b = bump(c, r);
        const [product, square] = [dot(b, x), dot(b, b)];
        const height = square > 0 ? product / square : 0;
        const error = meanSquare(
          b.map((v) => height * v),
          x,
        );
        if (error < best.error) best = { error, column: c, row: r };
      }
  }
  return best.error;
}

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, v, p) => sum + v * b[p]!, 0);

/** Errors of both, and the end of the range, over numbers of measurements: means over targets. */
async function curves(beside: number, random: Random, count: number): Promise<Figure> {
  const many = count > 1 ? [4, 6, 8, 12, 16, 24, 32, 48, 64] : [4, 8, 24, 64];
  const targets = Array.from({ length: count }, (_, k) => ({ x: target(beside, random.split(`x ${k}`)), k }));
  const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;
  const points = await Promise.all(
    many.map(async (m) => {
      const found = await Promise.all(targets.map(({ x, k }) => race(x, m, random.split(`race ${k}`))));
      return {
        m,
        generator: mean(found.map((f) => f.generator)),
        cosines: mean(found.map((f) => f.cosines)),
      };
    }),
  );
  const floor = mean(targets.map(({ x }) => leastError(x)));
  return {
    title: "Two bumps, measured by random sums",
    panels: [
      {
        title: "Mean squared error, pictures of 8 x 8",
        x: { label: "measurements", scale: "log" },
        y: { label: "error", scale: "log" },
        series: [
          {
            name: "generator of one bump",
            mark: "line",
            points: points.map((p) => [p.m, p.generator] as const),
          },
          { name: "sparse cosines", mark: "line", points: points.map((p) => [p.m, p.cosines] as const) },
          {
            ...{ name: "the end of the generator's range", mark: "line", role: "theory" },
            points: [4, 64].map((m) => [m, floor] as const),
          },
        ],
      },
    ],
  };
}
