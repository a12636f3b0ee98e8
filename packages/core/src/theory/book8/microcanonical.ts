import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import { haarScattering, neighbourPairings } from "../../scattering/haar-scattering.ts";
import { isInside, microcanonicalSet } from "../../scattering/microcanonical.ts";
import { propagate } from "../../scattering/propagate.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { distance, mean, norm } from "./signals.ts";

export default lemma({
  id: "C8-47",
  covers: ["C8-47"],
  kind: "measure",
  title: "Microcanonical sets: who is in them, how large they are, how narrow statistics are",
  source: "Book, chapter 8, section 8.6.2, (8.51)-(8.53)",
  statement: String.raw`\Omega_{J, \epsilon} = \{x : \|S_J(x) - y\| \le \epsilon\}, \qquad H = \log \int_{\Omega_{J, \epsilon}} dx`,
  parameters: {
    eps: real({ min: 0.05, max: 0.5, default: 0.3, label: "width ε" }),
    lead: real({ min: 0.6, max: 2, default: 1, label: "difference of the two samples" }),
    k: integer({ min: 4, max: 6, default: 5, label: "samples of a signal, log2" }),
    share: real({ min: 0.3, max: 1, default: 0.9, label: "share of the samples inside" }),
  },
  claims: {
    "area of Ω for two samples under Haar scattering": equals(String.raw`2 \cdot \pi \epsilon^2 / 2`),
    "entropy at 2ε less that at ε": equals(String.raw`n \log 2, \; n = 2`),
    "samples that are inside": atLeast(String.raw`\text{the share asked for}`),
    "mean distance of the statistics, squared": equals(
      String.raw`\text{their total variance, over the samples}`,
    ),
    "spread of statistics over everything, against over a quarter": atMost("1").looseBy(1.05),
    "entropy at 2ε less that at ε, for a picture of side 2, J = 1": equals(
      String.raw`2^J \log 2, \text{ if its growth were of the order of } 2^J`,
    ).printed({
      where: "sect. 8.6.2, after (8.53)",
      printed: String.raw`entropy is an *extensive* quantity, meaning that its growth is of the same order as  $2^J$ , the support of the representation`,
      corrected: String.raw`$2^{dJ}$ samples in the support, for signals of $d$ variables`,
    }),
  },
  mutants: {
    "one of the two pieces": {
      "area of Ω for two samples under Haar scattering": (_, { theory }) => theory / 2,
    },
    "three dimensions": { "entropy at 2ε less that at ε": () => 3 * Math.LN2 },
    "distances, not squared": {
      "mean distance of the statistics, squared": (_, { theory }) => Math.sqrt(theory) * 1.01,
    },
  },
  run({ eps, lead, k, share }, { random, budget }) {
    // S(a, b) = (a + b, |a - b|): sqrt 2 times a rotation, on each side of a = b; both sides have a disk of their own.
    const y = haarScattering(Float64Array.of(lead, 0), neighbourPairings(2));
    const width = Math.min(eps, 0.7 * lead * 0.5);
    const [small, large] = [area(y, width), area(y, 2 * width)];
    const n = 2 ** k;
    const bank = battleLemarieBank({ length: n, scale: k - 2 });
    const draws = Array.from({ length: 12 }, () => propagate(random.normal(n), bank, { order: 1 }));
    const statistics = draws.map((paths) => Float64Array.from(paths, ({ averaged }) => mean(averaged)));
    const local = draws.map((paths) =>
      Float64Array.from(paths, ({ averaged }) => mean(averaged.subarray(0, n / 4))),
    );
    const set = microcanonicalSet(statistics, share);
    const spreadOf = (all: readonly Float64Array[]): number =>
      Math.sqrt(mean(microcanonicalSet(all, 1).distances.map((d) => d * d)));
    const variance = set.centre.reduce(
      (sum, c, p) => sum + statistics.reduce((s, values) => s + (values[p]! - c) ** 2, 0) / statistics.length,
      0,
    );
    return {
      ...(budget !== "cheap" && { figure: figure(random.split("figure")) }),
      claims: {
        // Counted on a grid of 61 cells a side, of which those at the edge are off by halves.
        "area of Ω for two samples under Haar scattering": checked(small, Math.PI * width ** 2, {
          tolerance: 0.02 * Math.PI * width ** 2,
        }),
        "entropy at 2ε less that at ε": checked(Math.log(large / small), 2 * Math.LN2, { tolerance: 0.03 }),
        "samples that are inside": checked(
          statistics.filter((s) => isInside(set, s)).length / statistics.length,
          share,
          { tolerance: 1e-12 },
        ),
        "mean distance of the statistics, squared": checked(mean(set.distances.map((d) => d * d)), variance, {
          tolerance: 1e-12,
        }),
        "spread of statistics over everything, against over a quarter": sampled(
          spreadOf(statistics) / spreadOf(local),
          1,
        ),
        // Some 80 of the points are in the smaller set.
        "entropy at 2ε less that at ε, for a picture of side 2, J = 1": sampled(
          growth(lead, width, random.split("points")),
          2 * Math.LN2,
          { tolerance: 0.6 },
        ),
      },
    };
  },
});

/** log of the share of points near a picture of four samples whose coefficients are within 2 eps, over that within eps. */
function growth(lead: number, eps: number, random: Random): number {
  const pairing = neighbourPairings(4);
  const x = Float64Array.of(4, 1, 1, 0).map((v) => lead * v);
  const y = haarScattering(x, pairing);
  const counts = [0, 0];
  for (let k = 0; k < 4000; k++) {
    // |S x - S z| = 2 |x - z| here: a cube around the larger ball.
    const z = x.map((v) => v + eps * (2 * random.uniform() - 1));
    const apart = distance(haarScattering(z, pairing), y);
    if (apart <= eps) counts[0]!++;
    if (apart <= 2 * eps) counts[1]!++;
  }
  return Math.log(counts[1]! / counts[0]!);
}

/** {(a, b): |S(a, b) - y| <= eps}, by a grid around each of the two solutions. */
function area(y: ArrayLike<number>, eps: number): number {
  const pairing = neighbourPairings(2);
  const radius = eps / Math.SQRT2;
  const steps = 61;
  const cell = (2.2 * radius) / steps;
  let inside = 0;
  for (const sign of [1, -1])
    for (let i = 0; i < steps; i++)
      for (let j = 0; j < steps; j++) {
        const [p, q] = [(i + 0.5) * cell - 1.1 * radius, (j + 0.5) * cell - 1.1 * radius];
        const x = Float64Array.of((y[0]! + sign * y[1]!) / 2 + p, (y[0]! - sign * y[1]!) / 2 + q);
        if (distance(haarScattering(x, pairing), y) <= eps) inside++;
      }
  return inside * cell * cell;
}

/** How narrow global averages are, over the number of samples. */
function figure(random: Random): Figure {
  const sizes = [4, 5, 6, 7, 8, 9];
  const points = sizes.map((k) => {
    const n = 2 ** k;
    const bank = battleLemarieBank({ length: n, scale: 4 });
    const all = Array.from({ length: 20 }, () =>
      Float64Array.from(propagate(random.normal(n), bank), ({ averaged }) => mean(averaged)),
    );
    const { distances, centre } = microcanonicalSet(all, 1);
    return [n, Math.sqrt(mean(distances.map((d) => d * d))) / norm(centre)] as const;
  });
  return {
    title: "Statistics of noise concentrate",
    panels: [
      {
        title: "Averages over the whole signal, 20 draws",
        x: { label: "samples", scale: "log" },
        y: { label: "spread / size", scale: "log" },
        series: [
          { name: "spread", mark: "dots", points },
          {
            ...{ name: "n^(-1/2)", mark: "line", role: "theory" },
            points: points.map(([n]) => [n, points[0]![1] * Math.sqrt(points[0]![0] / n)] as const),
          },
        ],
      },
    ],
  };
}
