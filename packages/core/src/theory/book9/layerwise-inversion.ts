import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, view } from "../../graph/tensor.ts";
import { layerwiseInversion } from "../../inverse/layerwise.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { initialNetwork } from "../../train/network.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { plainLinearProgram } from "./plain-linear-program.ts";

export default lemma({
  id: "C9-09",
  covers: ["C9-09"],
  kind: "algorithm",
  title: "A ReLU generator is inverted layer by layer, each by a linear program",
  source: "Book, chapter 9, section 9.3.2; Lei, Jalal, Dhillon and Dimakis 2019",
  statement: String.raw`x_i > 0: \; |w_i z + b_i - x_i| \le \epsilon, \qquad x_i = 0: \; w_i z + b_i \le \epsilon, \qquad \epsilon \to \min`,
  parameters: {
    k: integer({ min: 1, max: 3, default: 2, label: "latent numbers" }),
    growth: integer({ min: 1, max: 4, default: 3, label: "how much wider each layer is" }),
    layers: integer({ min: 1, max: 2, default: 2, label: "layers" }),
    noise: real({ min: 0.001, max: 0.2, default: 0.05, label: "noise of each number, at most" }),
    network: integer({ min: 0, max: 1e6, default: 1, label: "which random network" }),
  },
  claims: {
    "|z - found| where active rows span every layer": equals("0"),
    "misfit of the last layer": equals("0"),
    "misfit of the last layer with noise": atMost("the noise"),
    "one layer, active rows r < k: dimension of what z is made from the same x": equals("k - r"),
    "active units of a layer, share": equals(String.raw`\tfrac12`),
  },
  mutants: {
    "a layer left out": { "|z - found| where active rows span every layer": () => 0.1 },
    "half of the noise": { "misfit of the last layer with noise": ({ noise }) => noise / 2 },
    "rows that are not active count, too": {
      "one layer, active rows r < k: dimension of what z is made from the same x": () => 0,
    },
    "all units active": { "active units of a layer, share": () => 1 },
  },
  async run({ k, growth, layers, noise, network: seed }, { random, budget }) {
    const draws = random.split(`network ${seed}`);
    const widths = Array.from({ length: layers }, (_, l) => k * growth ** (l + 1));
    const generator = initialNetwork([k, ...widths.flatMap((w) => [w, "relu"])].join("-"), {
      seed,
      type: "float64",
    });
    const z = draws.split("z").normal(k);
    const values = await layerValues(generator, widths, z);
    const x = values.at(-1)!;
    const isSpanned = values.every(
      (value, l) => rankOf(activeRows(generator, l, value)) === (widths[l - 1] ?? k),
    );
    const alive = x.some((v) => v > 0);
    const found = await layerwiseInversion(generator, x, plainLinearProgram);
    // Signs of noise at random; units that are 0 stay so, as noise below 0 would be cut off by the ReLU.
    const signs = draws.split("signs");
    const seen = x.map((v) => (v > noise ? v + (signs.uniform() < 0.5 ? -1 : 1) * noise : v));
    const noisy = await layerwiseInversion(generator, seen, plainLinearProgram);
    const narrow = await narrowLayer(draws);
    return {
      graph: generator,
      ...(budget !== "cheap" && { figure: await recoveryFigure() }),
      claims: {
        ...(isSpanned && {
          "|z - found| where active rows span every layer": checked(
            Math.hypot(...z.map((v, i) => v - found.z[i]!)),
            0,
            // Solutions of the simplex method, through layers whose active rows may be nearly dependent.
            { tolerance: 1e-6 },
          ),
        }),
        ...(alive && {
          "misfit of the last layer": checked(found.misfits[1]!, 0, { tolerance: 1e-9 }),
          "misfit of the last layer with noise": checked(noisy.misfits[1]!, noise, { tolerance: 1e-9 }),
        }),
        "one layer, active rows r < k: dimension of what z is made from the same x": checked(
          narrow.dimension,
          narrow.expected,
        ),
        "active units of a layer, share": await activeShare(draws),
      },
    };
  },
});

const weightsOf = (generator: Graph, l: number): { W: ArrayLike<number>; width: number } => {
  const W = generator.initializers.get(`layer${l + 1}.weight`)!;
  return { W: numbers(W as never), width: (W as { dims: readonly number[] }).dims[1]! };
};

/** The values behind each ReLU; biases of these networks are 0. */
async function layerValues(
  generator: Graph,
  widths: readonly number[],
  z: Float64Array,
): Promise<Float64Array[]> {
  const values: Float64Array[] = [];
  for (const [l, width] of widths.entries()) {
    const before = values.at(-1) ?? z;
    const { W } = weightsOf(generator, l);
    values.push(
      Float64Array.from({ length: width }, (_, i) =>
        Math.max(
          0,
          before.reduce((sum, v, j) => sum + v * W[j * width + i]!, 0),
        ),
      ),
    );
  }
  const made = numbers((await run(generator, { x: view("float64", [1, z.length], z) }))["y"]!);
  values[values.length - 1] = Float64Array.from(made);
  return values;
}

function activeRows(generator: Graph, l: number, value: Float64Array): number[][] {
  const { W, width } = weightsOf(generator, l);
  const rows: number[][] = [];
  value.forEach((v, i) => {
    if (v > 0) rows.push(Array.from({ length: W.length / width }, (_, j) => W[j * width + i]!));
  });
  return rows;
}

/** Rows count as independent where no combination of length 1 is shorter than a thousandth. */
function rankOf(rows: readonly (readonly number[])[]): number {
  if (rows.length === 0) return 0;
  const columns = rows[0]!.map((_, a) =>
    rows[0]!.map((__, b) => rows.reduce((sum, row) => sum + row[a]! * row[b]!, 0)),
  );
  return symmetricEigen(columns).values.filter((v) => v > 1e-6).length;
}

/**
 * A layer of k = 3 numbers to 3 units. The latent vectors of one signal are those that keep its active values, with the others
 * still below 0: directions in which small steps change nothing, counted along a basis of the latent space turned to them.
 */
async function narrowLayer(
  random: Random,
): Promise<{ readonly dimension: number; readonly expected: number }> {
  const k = 3;
  const rows = Array.from({ length: k }, () => Array.from(random.split("narrow").normal(k)));
  for (let i = 0; i < k; i++) rows[i] = Array.from(random.split(`narrow ${i}`).normal(k));
  const z = random.split("narrow z").normal(k);
  const values = rows.map((row) => row.reduce((sum, w, j) => sum + w * z[j]!, 0));
  const active = rows.filter((_, i) => values[i]! > 0);
  // Gradients of what the ReLU layer makes, by differences: its rank is what the signal tells of z.
  const h = (1e-6 * Math.min(...values.map(Math.abs))) / Math.max(...rows.flat().map(Math.abs));
  const made = (at: Float64Array): number[] =>
    rows.map((row) =>
      Math.max(
        0,
        row.reduce((sum, w, j) => sum + w * at[j]!, 0),
      ),
    );
  const first = made(z);
  const slopes = first.map((v, i) =>
    Array.from({ length: k }, (_, j) => (made(z.map((e, b) => (b === j ? e + h : e)))[i]! - v) / h),
  );
  return { dimension: k - rankOf(slopes), expected: k - active.length };
}

/** Of 400 units of one layer, for one latent vector. */
async function activeShare(random: Random) {
  const units = 400;
  const wide = initialNetwork(`3-${units}-relu`, { seed: random.integer(0, 1e6), type: "float64" });
  const x = numbers((await run(wide, { x: view("float64", [1, 3], random.split("wide").normal(3)) }))["y"]!);
  const share = Array.from(x, Number).filter((v) => v > 0).length / units;
  const delta = 1e-4;
  // Hoeffding.
  return sampled(share, 1 / 2, { delta, tolerance: Math.sqrt(Math.log(2 / delta) / (2 * units)) });
}

/** How often a random layer of 4 latent numbers gives them back, against its growth. */
async function recoveryFigure(): Promise<Figure> {
  const [k, trials] = [4, 30];
  const units = [4, 6, 8, 10, 12, 14, 16, 20];
  const shares: (readonly [number, number])[] = [];
  const expected: (readonly [number, number])[] = [];
  for (const n of units) {
    let found = 0;
    for (let seed = 0; seed < trials; seed++) {
      const layer = initialNetwork(`${k}-${n}-relu`, { seed, type: "float64" });
      const z = initialNetwork(`1-${k}`, { seed: seed + 1000, type: "float64" }).initializers.get(
        "layer1.weight",
      );
      const truth = Float64Array.from(numbers(z as never));
      const x = Float64Array.from(numbers((await run(layer, { x: view("float64", [1, k], truth) }))["y"]!));
      const back = await layerwiseInversion(layer, x, plainLinearProgram);
      if (Math.hypot(...truth.map((v, i) => v - back.z[i]!)) < 1e-6) found++;
    }
    shares.push([n / k, found / trials]);
    // At least k of n fair coins.
    let [term, below] = [2 ** -n, 0];
    for (let j = 0; j < k; j++) [below, term] = [below + term, (term * (n - j)) / (j + 1)];
    expected.push([n / k, 1 - below]);
  }
  return {
    title: "A random layer gives its latent vector back where half of its rows are enough equations",
    panels: [
      {
        ...{ title: `${k} latent numbers, ${trials} layers each`, x: { label: "growth n / k" } },
        y: { label: "share found", domain: [0, 1] },
        series: [
          { name: "found", mark: "dots", points: shares },
          { name: "at least k of n rows are active", mark: "line", role: "theory", points: expected },
        ],
      },
    ],
  };
}
