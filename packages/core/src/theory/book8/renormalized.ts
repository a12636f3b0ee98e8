import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import { angularFrequency, power } from "../../scattering/filter-bank.ts";
import { renormalizedMoments, scalingExponents } from "../../scattering/moments.ts";
import {
  cascadeIncrements,
  fractionalIncrements,
  pathOf,
  poissonPoints,
  stableIncrements,
} from "../../scattering/processes.ts";
import { propagate } from "../../scattering/propagate.ts";
import { atLeast, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { mean } from "./signals.ts";

/** Where the exponents of a sampled path are read: past the finest octave, before the coarsest ones. */
const fitted = [1, 5] as const;

export default lemma({
  id: "C8-34",
  covers: ["C8-33", "C8-34"],
  kind: "measure",
  title: "Renormalised scattering moments: self-similarity, and how intermittent a process is",
  source: "Book, chapter 8, section 8.4.3, (8.33)-(8.37), Figure 8.10",
  statement: String.raw`\tilde S X(j) = \frac{\mathbb E |X \star \psi_j|}{\mathbb E |X \star \psi_0|} = 2^{jH}, \quad \tilde S X(j_1, j_2) = \frac{\mathbb E ||X \star \psi_{j_1}| \star \psi_{j_2}|}{\mathbb E |X \star \psi_{j_1}|}, \quad \frac{\mathbb E |X \star \psi_j|^2}{(\mathbb E |X \star \psi_j|)^2} \ge 1 + \sum_{j_2} |\tilde S X(j, j_2)|^2`,
  parameters: {
    H: real({ min: 0.2, max: 0.8, default: 0.5, label: "exponent H" }),
    process: choice(["fractional", "Poisson", "Lévy", "cascade"], { label: "process" }),
    k: integer({ min: 5, max: 7, default: 6, label: "samples, log2" }),
    j: integer({ min: 0, max: 3, default: 1, label: "scale j" }),
    c: real({ min: 1.5, max: 4, default: 2, label: "amplitude c" }),
  },
  claims: {
    "log2 of S̃(j + 1) / S̃(j) of fractional Brownian motion, by its spectrum": equals("H"),
    "E|X ⋆ ψ_j|² / (E|X ⋆ ψ_j|)²": atLeast(String.raw`1 + \sum_{j_2} |\tilde S X(j, j_2)|^2`),
    "moments of order 2 of cX, against those of X": equals("0"),
    "ζ(1) of a fractional path": equals("H"),
    "ζ(2) - 2ζ(1) of a fractional path": equals("0"),
    "S̃(2, 4) / S̃(1, 3) of a fractional path": equals("1"),
    "the printed S̃(0, 1) of cX, over that of X": equals("1").printed({
      where: "(8.34)",
      printed: String.raw`\tilde{S}X(j_1, j_2) = \frac{\mathbb{E}[|X \star \psi_{j_1}| \star |X \star \psi_{j_2}|]}{\mathbb{E}[|X \star \psi_{j_1}|]}`,
      corrected: String.raw`$\mathbb E [||X \star \psi_{j_1}| \star \psi_{j_2}|]$ in the numerator: the printed one has the amplitude of $X$ twice, its denominator once`,
    }),
    "E|X(2) - X(1)|² of t^H g, g normal, which is Gaussian and has (8.33)": equals(
      String.raw`|2 - 1|^{2H}, \text{ as of fractional Brownian motion}`,
    ).printed({
      where: "after (8.33)",
      printed: String.raw`Fractional Brownian motions are the only Gaussian processes satisfying (8.33) with  $A_s := s^H$`,
      corrected: String.raw`the only ones with stationary increments`,
    }),
  },
  mutants: {
    "the exponent of energies": {
      "log2 of S̃(j + 1) / S̃(j) of fractional Brownian motion, by its spectrum": ({ H }) => 2 * H,
    },
    "moments that are added without squares": {
      "E|X ⋆ ψ_j|² / (E|X ⋆ ψ_j|)²": (_, { theory }) => 1 + Math.sqrt(Math.max(0, theory - 1)) * 1.5,
    },
    "the exponent of increments": { "ζ(1) of a fractional path": ({ H }) => H - 1 },
  },
  run({ H, process, k, j, c }, { random, budget }) {
    const n = 2 ** k;
    const x = drawn(process, n, H, random);
    const bank = battleLemarieBank({ length: n, scale: k });
    const moments = renormalizedMoments(x, bank);
    const scaled = renormalizedMoments(
      x.map((v) => c * v),
      bank,
    );
    const at = Math.min(j, k - 1);
    const off = scaled.second.flatMap((row, a) => row.map((v, b) => Math.abs(v - moments.second[a]![b]!)));
    const longer = pathOf(fractionalIncrements(2 ** 11, H, random.split("path")));
    const long = battleLemarieBank({ length: 2 ** 11, scale: 8 });
    const [first, second] = scalingExponents(longer, long, [1, 2], fitted) as [number, number];
    const shifted = secondMoments(longer, [
      [1, 3],
      [2, 4],
    ]);
    return {
      ...(budget !== "cheap" && { figure: figure(random.split("figure")) }),
      claims: {
        // Aliases of the finest octaves fall off like 4^-j.
        "log2 of S̃(j + 1) / S̃(j) of fractional Brownian motion, by its spectrum": checked(
          Math.log2(gaussianMoment(5, H) / gaussianMoment(4, H)),
          H,
          { tolerance: 0.01 },
        ),
        "E|X ⋆ ψ_j|² / (E|X ⋆ ψ_j|)²": checked(
          moments.spread[at]!,
          1 + moments.second[at]!.reduce((sum, v) => sum + v * v, 0),
          { tolerance: 1e-9 },
        ),
        "moments of order 2 of cX, against those of X": checked(Math.max(...off), 0, { tolerance: 1e-9 }),
        // Six standard errors, with some 2^11 / 2^5 independent samples at the coarsest scale.
        "ζ(1) of a fractional path": sampled(first, H, { tolerance: 0.35 }),
        "ζ(2) - 2ζ(1) of a fractional path": sampled(second - 2 * first, 0, { tolerance: 0.35 }),
        "S̃(2, 4) / S̃(1, 3) of a fractional path": sampled(shifted[1]! / shifted[0]!, 1, { tolerance: 0.6 }),
        "the printed S̃(0, 1) of cX, over that of X": checked(c ** 2 / c, 1),
        "E|X(2) - X(1)|² of t^H g, g normal, which is Gaussian and has (8.33)": checked((2 ** H - 1) ** 2, 1),
      },
    };
  },
});

const processes = ["fractional", "Poisson", "Lévy", "cascade"] as const;

function drawn(process: (typeof processes)[number], n: number, H: number, random: Random): Float64Array {
  if (process === "fractional") return pathOf(fractionalIncrements(n, H, random));
  if (process === "Lévy") return pathOf(stableIncrements(n, 1.5, random));
  if (process === "cascade") return cascadeIncrements(n, 0.08, random);
  const points = poissonPoints(n, 0.1, random);
  points[0] = 1; // at least one
  return points;
}

/** E |X * psi_j| of a Gaussian process with the spectrum |omega|^(-2H - 1) and an analytic wavelet: Rayleigh's law. */
function gaussianMoment(j: number, H: number): number {
  const n = 2 ** 11;
  const wavelet = battleLemarieBank({ length: n, scale: j + 1 }).wavelets[j]!;
  let square = 0;
  for (let f = 1; f < n; f++) square += Math.abs(angularFrequency(f, n)) ** (-2 * H - 1) * power(wavelet, f);
  return Math.sqrt(((Math.PI / 4) * square) / n);
}

/** S~(j1, j2) of a path. */
function secondMoments(x: Float64Array, pairs: readonly (readonly [number, number])[]): readonly number[] {
  const bank = battleLemarieBank({ length: x.length, scale: 5 });
  const few = { ...bank, wavelets: bank.wavelets.slice(1) };
  const all = propagate(x, few);
  const meanOf = (...path: number[]): number =>
    mean(all.find(({ wavelets }) => wavelets.join() === path.map((j) => j - 1).join())!.propagated);
  return pairs.map(([j1, j2]) => meanOf(j1, j2) / meanOf(j1));
}

/** Figure 8.10: log2 of S~(j1, j1 + l) over l. */
function figure(random: Random): Figure {
  const n = 2 ** 13;
  const bank = battleLemarieBank({ length: n, scale: 10 });
  const j1 = 1;
  const samples = {
    "Brownian motion": pathOf(fractionalIncrements(n, 0.5, random)),
    "Poisson points": poissonPoints(n, 2 ** -6, random),
    "Lévy, α = 1.5": pathOf(stableIncrements(n, 1.5, random)),
    cascade: cascadeIncrements(n, 0.08, random),
  };
  const few = { ...bank, wavelets: bank.wavelets.slice(j1) };
  const series = Object.entries(samples).map(([name, x]) => {
    const all = propagate(x, few);
    const first = mean(all.find(({ wavelets }) => wavelets.join() === "0")!.propagated);
    const points = all.flatMap(({ wavelets, propagated }) =>
      wavelets.length === 2 && wavelets[0] === 0
        ? [[wavelets[1]!, Math.log2(mean(propagated) / first)] as const]
        : [],
    );
    return { name, mark: "line" as const, points };
  });
  const start = series[0]!.points.at(-4)!;
  return {
    title: "Figure 8.10: renormalised moments of order 2",
    panels: [
      {
        title: `Paths of ${n} samples, j1 = ${j1}`,
        x: { label: "l = j2 - j1" },
        y: { label: "log2 S̃(j1, j1 + l)" },
        series: [
          ...series,
          {
            ...{ name: "slope -1/2", mark: "line" as const, role: "theory" as const },
            points: [start, [start[0] + 3, start[1] - 1.5]],
          },
        ],
      },
    ],
  };
}
