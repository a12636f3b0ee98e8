import type { Figure } from "../../figure/figure.ts";
import { splineScaling } from "../../scattering/battle-lemarie.ts";
import { energy } from "../../scattering/energy.ts";
import { angularFrequency, type FilterBank } from "../../scattering/filter-bank.ts";
import { type Complex, complexZeros, gridFourier } from "../../scattering/fourier.ts";
import { littlewoodPaley } from "../../scattering/littlewood-paley.ts";
import { convolved } from "../../scattering/propagate.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { bankNames, bankOf, drawnSignal } from "./signals.ts";

/** Sums of n numbers that are themselves sums of n: a few roundings each. */
const rounding = 1e-11;

export default lemma({
  id: "C8-08",
  covers: ["C8-08"],
  kind: "measure",
  title: "Frame bounds of a wavelet transform by its Littlewood-Paley sum",
  source: "Book, chapter 8, Proposition 8.1",
  statement: String.raw`A \|x\|^2 \le \|\mathcal W_J x\|^2 \le B \|x\|^2 \text{ for real } x, \quad A, B = \operatorname{extr}_\omega |\hat\phi_J(\omega)|^2 + \tfrac12 \sum_\lambda |\hat\psi_\lambda(\omega)|^2 + |\hat\psi_\lambda(-\omega)|^2`,
  parameters: {
    n: integer({ min: 6, max: 48, default: 32, label: "samples" }),
    J: integer({ min: 1, max: 4, default: 3, label: "scale J" }),
    bank: choice(bankNames, { label: "filter bank" }),
    angle: real({ min: 0.2, max: 1.3, default: 0.6, label: "rotation of a wavelet of two variables" }),
  },
  claims: {
    "|Wx|² / |x|² of a cosine where the sum is least": equals("A"),
    "|Wx|² / |x|² of a cosine where the sum is greatest": equals("B"),
    "|Wx|² / |x|² of a signal, from above": atMost("B"),
    "|Wx|² / |x|² of a signal, from below": atLeast("A"),
    "greatest mean of a wavelet": equals("0"),
    "direction of the rotated wavelet's centre": equals(String.raw`r \eta`),
    "scales up to J, and φ at 2^J: least of the sum": equals("1"),
    "|Wx|² / |x|² of a complex exponential": atLeast(String.raw`1 - \epsilon`).printed({
      where: "Proposition 8.1, (8.9)",
      printed: String.raw`(1 - \epsilon)\|\mathbf{x}\|^2 \leq \|\mathcal{W}_J \mathbf{x}\|^2 \leq \|\mathbf{x}\|^2, \quad \mathbf{x} \in \mathbf{L}^2(\mathbb{R}^d).`,
      corrected: String.raw`for real $x$: with $\Lambda_J$ over $G^+$ a complex $x$ of negative frequencies loses its bands`,
    }),
    "direction of the centre, by the printed transform": equals(String.raw`r^{-1} \eta`).printed({
      where: "sect. 8.3.1, after (8.7)",
      printed: String.raw`their Fourier transforms satisfy  $\hat{\psi}_{a^j r}(\omega) = \hat{\psi}(a^j r \omega)$`,
      corrected: String.raw`\hat\psi_{a^j r}(\omega) = \hat\psi(a^j r^{-1} \omega)`,
    }),
    "direction of the centre, as it is said": equals(String.raw`\lambda^{-1} \eta`).printed({
      where: "sect. 8.3.1, before (8.8)",
      printed: String.raw`is centered at  $\lambda^{-1}\eta$`,
      corrected: String.raw`is centered at $a^{-j} r \eta$: $r$ turns the wavelet and its centre the same way`,
    }),
    "scales below J, and φ at 2^J: least of the sum": equals("1").printed({
      where: "sect. 8.4.1, before (8.20)",
      printed: String.raw`If  $\Lambda_J = \{\lambda = 2^j : 2^{-j} > 2^{-J}\}$  denotes the set of scales smaller than  $J$`,
      corrected: String.raw`$\Lambda_J = \{2^j : j \le J\}$ as in section 8.3.1, where $|\hat\phi(\omega)|^2 = \sum_{j > 0} |\hat\psi(2^j \omega)|^2$`,
    }),
  },
  mutants: {
    "both signs counted in full": {
      "|Wx|² / |x|² of a cosine where the sum is greatest": (_, { theory }) => 2 * theory,
    },
    "a scale more": ({ J }) => ({ J: J + 1 }),
    "turned the other way": {
      "direction of the rotated wavelet's centre": (_, { theory }) => -theory,
    },
  },
  run({ n, J, bank: name, angle }, { random, budget }) {
    const bank = bankOf(name, n, J);
    const { lower, upper, lowerAt, upperAt } = littlewoodPaley(bank);
    const cosine = (k: number): Float64Array =>
      Float64Array.from({ length: n }, (_, u) => Math.cos((2 * Math.PI * k * u) / n));
    const x = drawnSignal(random, n);
    const gain = gainOf(bank, { re: x, im: new Float64Array(n) });
    const k = random.integer(1, n - 1);
    const wave = complexZeros(n);
    for (let u = 0; u < n; u++) {
      wave.re[u] = Math.cos((2 * Math.PI * k * u) / n);
      wave.im[u] = Math.sin((2 * Math.PI * k * u) / n);
    }
    const turned = centreOf(angle);
    return {
      ...(budget !== "cheap" && { figure: figure(n, J) }),
      claims: {
        "|Wx|² / |x|² of a cosine where the sum is least": checked(
          gainOf(bank, { re: cosine(lowerAt[0]!), im: new Float64Array(n) }),
          lower,
          { tolerance: rounding },
        ),
        "|Wx|² / |x|² of a cosine where the sum is greatest": checked(
          gainOf(bank, { re: cosine(upperAt[0]!), im: new Float64Array(n) }),
          upper,
          { tolerance: rounding },
        ),
        "|Wx|² / |x|² of a signal, from above": checked(gain, upper, { tolerance: rounding }),
        "|Wx|² / |x|² of a signal, from below": checked(gain, lower, { tolerance: rounding }),
        "greatest mean of a wavelet": checked(greatestMean(bank), 0, { tolerance: rounding }),
        "direction of the rotated wavelet's centre": sampled(turned, angle, { tolerance: 1e-6 }),
        "scales up to J, and φ at 2^J: least of the sum": checked(leastOfSum(J, J), 1, {
          tolerance: rounding,
        }),
        "|Wx|² / |x|² of a complex exponential": checked(gainOf(bank, wave), lower, { tolerance: rounding }),
        "direction of the centre, by the printed transform": sampled(turned, -angle, { tolerance: 1e-6 }),
        "direction of the centre, as it is said": sampled(turned, -angle, { tolerance: 1e-6 }),
        "scales below J, and φ at 2^J: least of the sum": checked(leastOfSum(J - 1, J), 1, {
          tolerance: rounding,
        }),
      },
    };
  },
});

/** |W x|^2 / |x|^2 by convolutions. */
function gainOf(bank: FilterBank, { re, im }: Complex): number {
  const spectrum = gridFourier(bank.shape, re, im);
  const size = (z: Complex): number => energy(z.re) + energy(z.im);
  return (
    [bank.lowPass, ...bank.wavelets].reduce((sum, h) => sum + size(convolved(bank, spectrum, h)), 0) /
    size({ re, im })
  );
}

/** What a wavelet makes of the constant 1, at most. */
const greatestMean = (bank: FilterBank): number => {
  const ones = gridFourier(bank.shape, new Float64Array(bank.shape[0]!).fill(1));
  return bank.wavelets.reduce((most, h) => {
    const { re, im } = convolved(bank, ones, h);
    return Math.max(most, Math.hypot(re[0]!, im[0]!));
  }, 0);
};

/** The direction of the mean frequency of psi(r^-1 u), psi(u) = e^(i eta u) theta(u) with eta along the first axis. */
function centreOf(angle: number): number {
  const [n, eta, width] = [28, 1.2, 2.5];
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const [re, im] = [new Float64Array(n * n), new Float64Array(n * n)];
  for (let a = 0; a < n; a++)
    for (let b = 0; b < n; b++) {
      const [u, v] = [a - n / 2, b - n / 2];
      const along = c * u + s * v; // the first coordinate of r^-1 (u, v)
      const size = Math.exp(-(u * u + v * v) / (2 * width * width));
      re[a * n + b] = size * Math.cos(eta * along);
      im[a * n + b] = size * Math.sin(eta * along);
    }
  const spectrum = gridFourier([n, n], re, im);
  let [first, second] = [0, 0];
  for (let k = 0; k < n * n; k++) {
    const weight = spectrum.re[k]! ** 2 + spectrum.im[k]! ** 2;
    first += weight * angularFrequency(Math.floor(k / n), n);
    second += weight * angularFrequency(k % n, n);
  }
  return Math.atan2(second, first);
}

/** Of |phi^(2^J w)|^2 + sum_{j <= last} |psi^(2^j w)|^2, with |psi^(w)|^2 = |phi^(w / 2)|^2 - |phi^(w)|^2 of splines. */
function leastOfSum(last: number, J: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let k = 1; k <= 64; k++) {
    const omega = (Math.PI * k) / 64;
    let sum = splineScaling(2 ** J * omega);
    // Finer wavelets than 2^-40 have nothing left to add.
    for (let j = -40; j <= last; j++)
      sum += splineScaling(2 ** (j - 1) * omega) - splineScaling(2 ** j * omega);
    least = Math.min(least, sum);
  }
  return least;
}

function figure(n: number, J: number): Figure {
  return {
    title: "Littlewood-Paley sums: their extremes are the frame bounds",
    panels: [
      {
        title: `On a grid of ${n}, J = ${J}`,
        x: { label: "frequency" },
        y: { label: "sum" },
        series: bankNames.map((name) => ({
          ...{ name, mark: "line" as const },
          points: Array.from(
            littlewoodPaley(bankOf(name, n, J)).sum.subarray(0, Math.floor(n / 2) + 1),
            (v, k) => [(2 * Math.PI * k) / n, v] as const,
          ),
        })),
      },
    ],
  };
}
