import type { Figure } from "../../figure/figure.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import { energy } from "../../scattering/energy.ts";
import { type FilterBank, power } from "../../scattering/filter-bank.ts";
import { fourier, gridFourier } from "../../scattering/fourier.ts";
import { convolved, propagate, type Scattered } from "../../scattering/propagate.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { mean, norm } from "./signals.ts";

const rounding = 1e-12;
/** Of the noise on which the Rayleigh law is seen. */
const longLine = 2048;

export default lemma({
  id: "C8-27",
  covers: ["C8-27", "C8-28", "C8-29"],
  kind: "measure",
  title: "Expected scattering of a process: where its power goes, and what averages leave to chance",
  source: "Book, chapter 8, section 8.4.1, (8.24)-(8.30), Corollary 8.16",
  statement: String.raw`\mathbb E |U[p] X|^2 = (\mathbb E U[p] X)^2 + \sum_\lambda \mathbb E |U[p + \lambda] X|^2, \quad 1 = \rho_{U[p] X}^2 + \frac{\sum_\lambda \mathbb E |U[p + \lambda] X|^2}{\mathbb E |U[p] X|^2}, \quad \sum_p \operatorname{Var} S_J[p] X + \sum_p |\bar S X(p)|^2 = \mathbb E |X|^2`,
  parameters: {
    k: integer({ min: 3, max: 5, default: 5, label: "samples, log2" }),
    J: integer({ min: 1, max: 3, default: 2, label: "scale J" }),
    process: choice(["Gaussian", "Bernoulli"], { label: "noise" }),
    q: real({ min: 0.1, max: 0.9, default: 0.3, label: "chance of a one" }),
  },
  claims: {
    "power of x, without what goes on to the wavelets of all scales": equals(String.raw`(\mathbb E U[p])^2`),
    "ρ² and the share that goes on, of |x ⋆ ψ_0|": equals("1"),
    "variance, squared means and what goes on, over the power": equals("1"),
    "paths that begin with λ, and what goes on": equals(String.raw`\mathbb E |X \star \psi_\lambda|^2`),
    "E |X ⋆ ψ_λ|², by the spectrum": equals(
      String.raw`(2\pi)^{-1} \int \widehat{RX}(\omega) |\hat\psi_\lambda(\omega)|^2 d\omega`,
    ),
    "mean of S_J[p]x, against that of U[p]x, greatest": equals("0"),
    "ρ² of Gaussian noise in an analytic band": equals(String.raw`\pi / 4`),
    "ρ² of Gaussian noise in a real band": equals(String.raw`2 / \pi`),
    "ρ and the share that goes on, of |x ⋆ ψ_0|": equals("1").printed({
      where: "(8.28)",
      printed: String.raw`1 = \rho_{U[p]X} + \frac{1}{\mathbb{E}(|U[p]X|^2)} \sum_{\lambda} \mathbb{E}(|U[p+\lambda]X|^2).`,
      corrected: String.raw`$\rho_{U[p]X}^2$: the line before it, divided by $\mathbb E |U[p] X|^2$`,
    }),
    "paths that end with λ": equals(String.raw`\mathbb E |X \star \psi_\lambda|^2`).printed({
      where: "(8.29)",
      printed: String.raw`\sum_{p \in \mathcal{P}_J} \mathbb{E}(|S_J[p+\lambda]X|^2) = \mathbb{E}(|X \star \psi_\lambda|^2).`,
      corrected: String.raw`$S_J[\lambda + p]$: the band comes first, as in (8.32)`,
    }),
    "E |X ⋆ ψ_λ|², by the printed integral": equals(
      String.raw`\int \widehat{RX}(\omega) |\hat\psi_\lambda(\omega)|^2 d\omega`,
    ).printed({
      where: "(8.30)",
      printed: String.raw`\mathbb{E}(|X \star \psi_\lambda|^2) = \int \widehat{RX}(\omega) |\hat{\psi}(\lambda^{-1}\omega)|^2 d\omega.`,
      corrected: String.raw`$(2 \pi)^{-d} \int \widehat{RX}(\omega) |\hat\psi(\lambda \omega)|^2 d\omega$`,
    }),
    "mean of U[p]x ⋆ ψ_J": equals(String.raw`\bar S X(p)`).printed({
      where: "after (8.24)",
      printed: String.raw`estimated with the windowed scattering  $S_J[p]X = U[p]X \star \psi_J$`,
      corrected: String.raw`$U[p] X \star \phi_J$: a wavelet has mean 0`,
    }),
    "total variance at this J": equals("0").printed({
      where: "(8.25)",
      printed: String.raw`\lim_{J \rightarrow \infty} \mathbb{E}(\|S_J[\mathcal{P}_J]X - \bar{S}X\|^2) = \sum_{p \in \mathcal{P}_J} \mathbb{E}(|S_J[p]X - \bar{S}X(p)|^2) = 0.`,
      corrected: String.raw`the limit of the sum is 0, not the sum at a $J$`,
    }),
  },
  mutants: {
    "the moduli of real bands": { "ρ² of Gaussian noise in an analytic band": () => 2 / Math.PI },
    "first orders only": {
      "paths that begin with λ, and what goes on": (_, { theory }) => theory * (1 - 1e-3),
    },
    "2π left out": { "E |X ⋆ ψ_λ|², by the spectrum": (_, { theory }) => 2 * Math.PI * theory },
  },
  run({ k, J, process, q }, { random, budget }) {
    const n = 2 ** k;
    const x =
      process === "Gaussian"
        ? random.normal(n)
        : Float64Array.from(random.uniform(n), (u) => (u < q ? 1 : 0));
    x.set([1, 0]); // not constant
    const whole = propagate(x, battleLemarieBank({ length: n, scale: k }), { order: 2, paths: "all" });
    const at = (...path: number[]): Float64Array =>
      whole.find(({ wavelets }) => wavelets.join() === path.join())!.propagated;
    const on = (...path: number[]): number =>
      Array.from({ length: k }, (_, j) => power2(at(...path, j))).reduce((a, b) => a + b, 0);
    const bank = battleLemarieBank({ length: n, scale: J });
    const some = propagate(x, bank, { order: 3, paths: "all" });
    const total = power2(x);
    const first = at(0);
    const [rho, rest] = [mean(first) / Math.sqrt(power2(first)), on(0) / power2(first)];
    const band = power2(some.find(({ wavelets }) => wavelets.join() === "0")!.propagated);
    const books = bookkeeping(some);
    const spectrum = fourier({ re: x, im: new Float64Array(n) });
    const integral = spectrum.re.reduce(
      (sum, v, f) =>
        sum + ((v ** 2 + spectrum.im[f]! ** 2) / n) * power(bank.wavelets[0]!, f) * ((2 * Math.PI) / n),
      0,
    );
    const noise = random.split("noise").normal(longLine);
    const [analytic, real] = [false, true].map((isReal) => sparsity(noise, isReal));
    const tolerance = rounding * n * total;
    // Six standard errors: a Rayleigh number's mean over its root mean square, from about n / 4 that are independent.
    const chance = 6 * Math.sqrt(4 / longLine);
    return {
      ...(budget !== "cheap" && { figure: figure(random.split("figure").normal(512)) }),
      claims: {
        "power of x, without what goes on to the wavelets of all scales": checked(
          total - on(),
          mean(x) ** 2,
          {
            tolerance,
          },
        ),
        "ρ² and the share that goes on, of |x ⋆ ψ_0|": checked(rho ** 2 + rest, 1, { tolerance: 1e-9 }),
        "variance, squared means and what goes on, over the power": checked(
          (books.variance + books.means + books.rest) / total,
          1,
          { tolerance: 1e-10 },
        ),
        "paths that begin with λ, and what goes on": checked(books.beginning, band, { tolerance }),
        "E |X ⋆ ψ_λ|², by the spectrum": checked(integral / (2 * Math.PI), band, { tolerance }),
        "mean of S_J[p]x, against that of U[p]x, greatest": checked(
          Math.max(...some.map(({ averaged, propagated }) => Math.abs(mean(averaged) - mean(propagated)))),
          0,
          { tolerance: rounding * n * Math.sqrt(total) },
        ),
        "ρ² of Gaussian noise in an analytic band": sampled(analytic!, Math.PI / 4, {
          tolerance: chance * 0.4,
        }),
        "ρ² of Gaussian noise in a real band": sampled(real!, 2 / Math.PI, { tolerance: chance * 0.4 }),
        "ρ and the share that goes on, of |x ⋆ ψ_0|": checked(rho + rest, 1, { tolerance: 1e-9 }),
        "paths that end with λ": checked(books.ending, band, { tolerance: tolerance + books.rest }),
        "E |X ⋆ ψ_λ|², by the printed integral": checked(integral, band, { tolerance }),
        "mean of U[p]x ⋆ ψ_J": checked(
          mean(convolved(bank, gridFourier([n], first), bank.wavelets[J - 1]!).re),
          mean(first),
          { tolerance },
        ),
        "total variance at this J": checked(books.variance / total, 0, { tolerance: 1e-10 }),
      },
    };
  },
});

/** The mean of squares. */
const power2 = (x: Float64Array): number => energy(x) / x.length;

/** Variances over places, squares of means, and what goes on from the last order; sums over paths with the band 0. */
function bookkeeping(all: readonly Scattered[]) {
  const last = Math.max(...all.map(({ wavelets }) => wavelets.length));
  const books = { variance: 0, means: 0, rest: 0, beginning: 0, ending: 0 };
  for (const { wavelets, averaged, propagated } of all) {
    const isLast = wavelets.length === last;
    const share = isLast ? power2(propagated) : power2(averaged);
    if (isLast) books.rest += share;
    else {
      books.variance += share - mean(averaged) ** 2;
      books.means += mean(averaged) ** 2;
    }
    if (wavelets[0] === 0) books.beginning += share;
    if (wavelets.at(-1) === 0 && !isLast) books.ending += share;
  }
  return books;
}

/** (E |x * psi|)^2 / E |x * psi|^2 of the finest wavelet. */
function sparsity(x: Float64Array, real: boolean): number {
  const bank: FilterBank = battleLemarieBank({ length: x.length, scale: 1, real });
  const { re, im } = convolved(bank, gridFourier([x.length], x), bank.wavelets[0]!);
  const modulus = re.map((v, u) => Math.hypot(v, im[u]!));
  return mean(modulus) ** 2 / power2(modulus);
}

/** Table 8.2 on noise: total variance over J. */
function figure(noise: Float64Array): Figure {
  const n = noise.length;
  const spikes = noise.map((v) => (v > 1.6 ? 1 : 0));
  const variance = (x: Float64Array, J: number): number => {
    const books = bookkeeping(propagate(x, battleLemarieBank({ length: n, scale: J }), { order: 3 }));
    return (100 * books.variance) / power2(x);
  };
  const scales = [1, 2, 3, 4, 5, 6];
  return {
    title: "Total variance of windowed scattering, in percent of the power",
    panels: [
      {
        title: `One line of ${n} samples, paths of decreasing frequency`,
        x: { label: "J" },
        y: { label: "%" },
        series: [
          ...[
            { name: "Gaussian noise", x: noise },
            { name: "sparse spikes", x: spikes.map((v) => v / norm(spikes)) },
          ].map(({ name, x }) => ({
            ...{ name, mark: "line" as const },
            points: scales.map((J) => [J, variance(x, J)] as const),
          })),
          {
            ...{ name: "Table 8.2, textures", mark: "line" as const, role: "theory" as const },
            points: [85, 65, 45, 26, 14, 7].map((v, k) => [k + 1, v] as const),
          },
        ],
      },
    ],
  };
}
