import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import {
  type AffineSpace,
  affineDistances,
  affineSpace,
  nearestSpace,
} from "../../scattering/affine-classes.ts";
import { expansion } from "../../scattering/expansion.ts";
import { scatteringPlan } from "../../scattering/plan.ts";
import { type SynthesisOptions, statistics } from "../../scattering/synthesis.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { distance, norm } from "./signals.ts";

export default lemma({
  id: "C8-24",
  covers: ["C8-24"],
  kind: "algorithm",
  title: "Classes as affine spaces of scattering coefficients, with a radius of certainty",
  source: "Book, chapter 8, section 8.3.6",
  statement: String.raw`\hat c(x) = \arg\min_c \|\Phi x - \mu_c - P_c (\Phi x - \mu_c)\|, \qquad r = \frac{d_{c'} - d_{\hat c}}{2 L}, \; \|\Phi x - \Phi y\| \le L \|x - y\|`,
  parameters: {
    k: integer({ min: 3, max: 4, default: 4, label: "samples, log2" }),
    classes: integer({ min: 2, max: 4, default: 3, label: "classes" }),
    dimension: integer({ min: 0, max: 4, default: 2, label: "directions of a class" }),
    part: real({ min: 0.5, max: 0.999, default: 0.99, label: "part of the radius that is moved" }),
    kind: choice(["spline", "morlet"], { label: "wavelets" }),
  },
  claims: {
    "|Φx - Φy|": atMost(String.raw`L \|x - y\|`),
    "distance to the space of its own class, an example of it, all directions": equals("0"),
    "the most that a distance changes": atMost(String.raw`\|\Phi x - \Phi y\|`),
    "lead of the nearest space after a move inside of the radius": atLeast("0"),
    "distance, by least squares": equals(String.raw`\text{by projections}`),
  },
  mutants: {
    "a transform that halves distances": { "|Φx - Φy|": (_, { theory }) => theory / 2 },
    "the mean left out": {
      "distance, by least squares": (_, { theory }) => theory + 1e-3,
    },
    "spaces that repel": { "lead of the nearest space after a move inside of the radius": () => 1e3 },
  },
  async run({ k, classes, dimension, part, kind }, { random, budget }) {
    const n = 2 ** k;
    const options: SynthesisOptions = {
      ...{ shape: [n], scale: 2, padding: "none", type: "float64", averages: "local" },
      ...(kind === "spline" && { bank: "spline" }),
    };
    const features = (x: Float64Array): Promise<Float64Array> => statistics(x, options);
    const factor = expansion(scatteringPlan(options));
    const patterns = Array.from({ length: classes }, () => random.normal(n));
    const count = 5;
    const spaces: AffineSpace[] = [];
    let example: Float64Array = new Float64Array(0);
    for (const pattern of patterns) {
      const rows = [];
      for (let i = 0; i < count; i++)
        rows.push(await features(pattern.map((v) => v + 0.3 * random.normal())));
      const [columns] = [rows[0]!.length];
      const entries = Float64Array.from(rows.flatMap((row) => [...row]));
      example = rows[0]!;
      spaces.push(await affineSpace({ rows: count, columns, entries }, { dimension: count - 1, random }));
    }
    const distancesOf = async (phi: Float64Array, d: number): Promise<Float64Array> =>
      (await affineDistances(spaces, { rows: 1, columns: phi.length, entries: phi }, [d]))[0]!.entries;
    // From one class towards another, and a constant, which the low-pass filter passes whole.
    const x = patterns[0]!.map((v, u) => 0.8 * v + 0.2 * patterns[1]![u]!);
    const direction = random.integer(0, 1) === 0 ? x.map(() => 1) : x.map((v, u) => patterns[1]![u]! - v);
    const phi = await features(x);
    const before = await distancesOf(phi, dimension);
    const { predicted, radius } = nearestSpace(before, factor);
    const step = part * radius;
    const y = x.map((v, u) => v + (step * direction[u]!) / norm(direction));
    const moved = await features(y);
    const after = await distancesOf(moved, dimension);
    const far = await features(x.map((v) => v + 1));
    const farther = await distancesOf(far, dimension);
    const leads = [...after].map((d) => d - after[predicted]!).filter((_, c) => c !== predicted);
    const changes = [...farther].map((d, c) => Math.abs(d - before[c]!));
    const own = await distancesOf(example, count - 1);
    const size = norm(phi) + norm(example);
    return {
      ...(budget !== "cheap" && { figure: await figure(random.split("figure")) }),
      claims: {
        "|Φx - Φy|": checked(distance(far, phi), factor * Math.sqrt(n), { tolerance: 1e-9 * size }),
        "distance to the space of its own class, an example of it, all directions": checked(own.at(-1)!, 0, {
          tolerance: 1e-5 * size,
        }),
        "the most that a distance changes": checked(Math.max(...changes), distance(far, phi), {
          tolerance: 1e-9 * size,
        }),
        "lead of the nearest space after a move inside of the radius": checked(Math.min(...leads), 0, {
          tolerance: 1e-9 * size,
        }),
        "distance, by least squares": checked(byElimination(spaces[0]!, phi, dimension), before[0]!, {
          tolerance: 1e-6 * size,
        }),
      },
    };
  },
});

/** The distance to mean + span of the first directions, these made orthogonal one by one to what is left. */
function byElimination(
  { mean, directions }: Awaited<ReturnType<typeof affineSpace>>,
  phi: Float64Array,
  dimension: number,
): number {
  let rest = phi.map((v, k) => v - mean[k]!);
  for (let r = 0; r < Math.min(dimension, directions.rows); r++) {
    const row = directions.entries.subarray(r * phi.length, (r + 1) * phi.length);
    const share = rest.reduce((sum, v, k) => sum + v * row[k]!, 0) / norm(row) ** 2;
    rest = rest.map((v, k) => v - share * row[k]!);
  }
  return norm(rest);
}

/** Errors on signals of two classes that are moved about, with coefficients and with the samples themselves. */
async function figure(random: Random): Promise<Figure> {
  const [n, classes, tested] = [32, 4, 60];
  const options: SynthesisOptions = {
    ...{ shape: [n], scale: 4, padding: "none", bank: "spline", type: "float64", averages: "local" },
  };
  const patterns = Array.from({ length: classes }, (_, c) =>
    Float64Array.from(
      { length: n },
      (__, u) => Math.exp(-((u - 16) ** 2) / 18) * Math.cos((0.5 + 0.6 * c) * u),
    ),
  );
  const draw = (c: number): Float64Array => {
    const shift = random.integer(0, n - 1);
    return patterns[c]!.map((_, u) => patterns[c]![(u + shift) % n]! + 0.15 * random.normal());
  };
  const error = async (count: number, map: (x: Float64Array) => Promise<Float64Array>): Promise<number> => {
    const spaces: AffineSpace[] = [];
    for (let c = 0; c < classes; c++) {
      const rows = await Promise.all(Array.from({ length: count }, () => map(draw(c))));
      const entries = Float64Array.from(rows.flatMap((row) => [...row]));
      spaces.push(await affineSpace({ rows: count, columns: rows[0]!.length, entries }, { dimension: 2 }));
    }
    let wrong = 0;
    for (let i = 0; i < tested; i++) {
      const phi = await map(draw(i % classes));
      const [found] = await affineDistances(spaces, { rows: 1, columns: phi.length, entries: phi });
      if (nearestSpace(found!.entries).predicted !== i % classes) wrong++;
    }
    return (100 * wrong) / tested;
  };
  const counts = [3, 5, 10, 20];
  const curve = async (name: string, map: (x: Float64Array) => Promise<Float64Array>) => {
    const points: (readonly [number, number])[] = [];
    for (const count of counts) points.push([count, await error(count, map)]);
    return { name, mark: "line" as const, points };
  };
  return {
    title: "Four packets at any place, read by affine spaces",
    panels: [
      {
        title: "Test error",
        x: { label: "examples of a class", scale: "log" },
        y: { label: "%" },
        series: [
          await curve("scattering", (x) => statistics(x, options)),
          await curve("samples", async (x) => x),
        ],
      },
    ],
  };
}
