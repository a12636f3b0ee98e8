import { run } from "../../engine/run.ts";
import { release } from "../../engine/session.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { matrixOfRows } from "../../linear-algebra/index.ts";
import { createRandom, type Random } from "../../numbers/random.ts";
import { encoded, type ScatteringCode, scatteringCode, uncoded } from "../../scattering/scattering-code.ts";
import { measuring, type SynthesisOptions } from "../../scattering/synthesis.ts";
import { initialNetwork } from "../../train/network.ts";
import { train } from "../../train/train.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { distance, mean, norm } from "./signals.ts";

const n = 16;
const options: SynthesisOptions = {
  ...{ shape: [n], scale: 2, bank: "spline", padding: "none", type: "float64", averages: "local" },
};

export default lemma({
  id: "C8-51",
  covers: ["C8-51"],
  kind: "algorithm",
  title: "Scattering as an encoder: whitened codes, and a decoder that is learned",
  source: "Book, chapter 8, section 8.6.4, generative networks",
  statement: String.raw`z_i = \Sigma^{-1/2} (S_J x_i - \mu): \quad \frac1N \sum_i z_i = 0, \; \frac1N \sum_i z_i z_i^\top = I; \qquad \hat\theta = \arg\min_\theta \sum_i \|x_i - G_\theta(z_i)\|^2`,
  parameters: {
    count: integer({ min: 24, max: 48, default: 32, label: "examples" }),
    dimension: integer({ min: 4, max: 8, default: 6, label: "numbers in a code" }),
    sharpness: real({ min: 1, max: 2, default: 1.4, label: "width of the bumps" }),
  },
  claims: {
    "mean of the codes, greatest": equals("0"),
    "covariance of the codes less the identity, greatest": equals("0"),
    "code of the coefficients that a code stands for, against the code": equals("0"),
    "what codes leave of the coefficients, squared, over N": equals(
      String.raw`\text{variance less that along the directions}`,
    ),
    "error of the learned decoder on examples, over that of their mean": atMost("1/8").looseBy(1.25),
  },
  mutants: {
    "covariances by N - 1": {
      "covariance of the codes less the identity, greatest": ({ count }) => 1 / (count - 1),
    },
    "codes of another mean": { "mean of the codes, greatest": () => 0.01 },
    "a decoder that keeps a thousandth": {
      "error of the learned decoder on examples, over that of their mean": () => 1e-4,
    },
  },
  async run({ count, dimension, sharpness }, { random, budget }) {
    const examples = Array.from({ length: count }, () => bump(sharpness, random));
    const { code, codes, coefficients } = await codesOf(examples, dimension);
    const size = code.deviations.length;
    const places = Array.from({ length: size }, (_, k) => k);
    const means = places.map((k) => mean(codes.map((z) => z[k]!)));
    const covariances = places.flatMap((k) =>
      places.map((l) => Math.abs(mean(codes.map((z) => z[k]! * z[l]!)) - (k === l ? 1 : 0))),
    );
    const drawn = random.normal(size);
    const left = mean(coefficients.map((s, i) => distance(s, uncoded(code, codes[i]!)) ** 2));
    const variance = mean(coefficients.map((s) => distance(s, code.mean) ** 2));
    const along = code.deviations.reduce((sum, v) => sum + v * v, 0);
    const decoder = await learned(codes, examples, 400);
    const decoded = await decodedOf(decoder, codes);
    await release(decoder);
    const centre = examples[0]!.map((_, u) => mean(examples.map((x) => x[u]!)));
    const error = (of: (i: number) => ArrayLike<number>): number =>
      mean(examples.map((x, i) => distance(of(i), x) ** 2));
    const greatest = variance === 0 ? 1 : variance;
    return {
      ...(budget !== "cheap" && { figure: await figure() }),
      claims: {
        "mean of the codes, greatest": checked(Math.max(...means.map(Math.abs)), 0, {
          tolerance: 1e-12 * conditionOf(code, greatest),
        }),
        "covariance of the codes less the identity, greatest": checked(Math.max(...covariances), 0, {
          tolerance: 1e-12 * conditionOf(code, greatest),
        }),
        "code of the coefficients that a code stands for, against the code": checked(
          distance(encoded(code, uncoded(code, drawn)), drawn),
          0,
          { tolerance: 1e-12 * (1 + norm(drawn)) * conditionOf(code, greatest) },
        ),
        "what codes leave of the coefficients, squared, over N": checked(left, variance - along, {
          tolerance: 1e-12 * greatest,
        }),
        "error of the learned decoder on examples, over that of their mean": checked(
          Math.sqrt(error((i) => decoded[i]!) / error(() => centre)),
          1 / 8,
        ),
      },
    };
  },
});

/** The most that rounding grows where coefficients are divided by a deviation. */
const conditionOf = ({ deviations, mean: at }: ScatteringCode, variance: number): number =>
  (Math.sqrt(variance) + norm(at)) / deviations.at(-1)!;

/** A bump somewhere, with a height. */
function bump(width: number, random: Random): Float64Array {
  const [at, height] = [n * random.uniform(), 0.7 + 0.6 * random.uniform()];
  return Float64Array.from({ length: n }, (_, u) => {
    const gap = u - at - n * Math.round((u - at) / n);
    return height * Math.exp(-(gap ** 2) / 2 / width ** 2);
  });
}

async function codesOf(examples: readonly Float64Array[], dimension: number) {
  const measure = measuring(options);
  const coefficients: Float64Array[] = [];
  for (const x of examples) coefficients.push(await measure.of(x));
  await measure.release();
  const code = await scatteringCode(matrixOfRows(coefficients), dimension);
  return { code, coefficients, codes: coefficients.map((s) => encoded(code, s)) };
}

/** A network from codes to signals, by Adam on all examples at once. */
async function learned(
  codes: readonly Float64Array[],
  examples: readonly Float64Array[],
  steps: number,
): Promise<Graph> {
  const rows = (all: readonly Float64Array[]) =>
    tensor(
      all.map((row) => [...row]),
      { type: "float32" },
    );
  const { model } = await train(
    initialNetwork(`${codes[0]!.length}-48-tanh-${n}`, { seed: 1 }),
    { x: rows(codes), target: rows(examples) },
    { loss: "square", optimizer: "adam", rate: 0.02, batch: "full", steps },
  );
  return model;
}

async function decodedOf(decoder: Graph, codes: readonly Float64Array[]): Promise<readonly Float64Array[]> {
  const x = tensor(
    codes.map((z) => [...z]),
    { type: "float32" },
  );
  const found = Object.values(await run(decoder, { x }))[0]!;
  const all = Float64Array.from(numbers(found), Number);
  return codes.map((_, i) => all.subarray(i * n, (i + 1) * n));
}

/** Between two bumps: through codes, and through the samples. */
async function figure(): Promise<Figure> {
  const random = createRandom("decoder");
  const examples = Array.from({ length: 200 }, () => bump(1.4, random));
  const { codes, code } = await codesOf(examples, 8);
  const decoder = await learned(codes, examples, 1500);
  const [from, to] = [0, 1].map((k) =>
    Float64Array.from({ length: n }, (_, u) => Math.exp(-((u - 5 - 4 * k) ** 2) / 2 / 1.4 ** 2)),
  ) as [Float64Array, Float64Array];
  const measure = measuring(options);
  const ends = [encoded(code, await measure.of(from)), encoded(code, await measure.of(to))] as const;
  await measure.release();
  const shares = [0, 1 / 3, 2 / 3, 1];
  const decoded = await decodedOf(
    decoder,
    shares.map((t) => ends[0].map((v, k) => (1 - t) * v + t * ends[1][k]!)),
  );
  const drawn = await decodedOf(
    decoder,
    [0, 1, 2, 3].map(() => random.normal(code.deviations.length)),
  );
  await release(decoder);
  const line = (name: string, values: ArrayLike<number>) => ({
    ...{ name, mark: "line" as const },
    points: Array.from(values, (v, u) => [u, v] as const),
  });
  const panel = (title: string, series: readonly ReturnType<typeof line>[]) => ({
    ...{ title, series },
    x: { label: "u" },
    y: { label: "x" },
  });
  const name = (t: number): string => `${Math.round(100 * t)} %`;
  return {
    title: "A decoder of scattering codes, learned on bumps",
    panels: [
      panel(
        "Between two codes",
        shares.map((t, k) => line(name(t), decoded[k]!)),
      ),
      panel(
        "Between the samples",
        shares.map((t) =>
          line(
            name(t),
            from.map((v, u) => (1 - t) * v + t * to[u]!),
          ),
        ),
      ),
      panel(
        "Codes that are drawn",
        drawn.map((x, k) => line(`draw ${k + 1}`, x)),
      ),
    ],
  };
}
