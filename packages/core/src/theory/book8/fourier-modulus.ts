import type { Figure } from "../../figure/figure.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import { energy } from "../../scattering/energy.ts";
import { angularFrequency } from "../../scattering/filter-bank.ts";
import { type Complex, complexZeros, fourier } from "../../scattering/fourier.ts";
import { propagate } from "../../scattering/propagate.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { difference, distance, norm } from "./signals.ts";

/** Samples, and the width of the packet's Gaussian: at the ends of the line it is below 1e-13. */
const [n, width] = [320, 19];

export default lemma({
  id: "C8-05",
  covers: ["C8-05", "C1b-42"],
  kind: "measure",
  title: "The Fourier modulus: invariant to translations, unstable to dilations",
  source: "Book, chapter 8, section 8.2.4, Figure 8.1; chapter 1, section 1.7.1",
  statement: String.raw`x(u) = e^{i \xi u} \theta(u), \; x_\tau(u) = x((1 - s) u): \quad \| |\hat x_\tau| - |\hat x| \|^2 = \|\hat x\|^2 + \|\hat x_\tau\|^2 - 2 \langle |\hat x|, |\hat x_\tau| \rangle \to 2 \|\hat x\|^2 \text{ for } s \xi \gg \sigma_\theta`,
  parameters: {
    xi: real({ min: 0.2, max: 2.3, default: 1.2, label: "frequency ξ" }),
    s: real({ min: 0.005, max: 0.2, default: 0.05, label: "dilation s" }),
    shift: integer({ min: 1, max: 40, default: 7, label: "translation" }),
    half: integer({ min: 2, max: 60, default: 32, label: "samples of the chirp, half of them" }),
  },
  claims: {
    "| |x̂_c| - |x̂| | of a translation": equals("0"),
    "| |x̂| |, unitary": equals(String.raw`\|x\|`),
    "| |x̂_τ| - |x̂| | of a dilation, unitary": equals(
      String.raw`\sqrt{\|x\|^2 + \|x_\tau\|^2 - 2 \langle |\hat x|, |\hat x_\tau| \rangle}, \text{ a Gaussian's closed form}`,
    ),
    "centre frequency of x_τ, τ(u) = su": equals(String.raw`(1 - s) \xi`),
    "spread of x((1 + s)u), over that of x": equals("1 + s"),
    "|R_x| over ||x̂|²|": equals(String.raw`(2 \pi)^{-1/2}`),
    "modulus of a chirp's transform, deviation from a Dirac's": equals("0"),
    "flipped zeros: difference of the moduli": equals("0"),
    "centre frequency of x_τ, as printed": equals(String.raw`(1 + s) \xi`).printed({
      where: "sect. 8.2.4, Power spectra",
      printed: String.raw`Then the dilation  $\mathbf{x}_\tau(u) = L[\tau]\mathbf{x}(u) = \mathbf{x}((1+s)u)$  moves the central frequency of  $\hat{\mathbf{x}}$  from  $\xi$  to  $(1+s)\xi$`,
      corrected: String.raw`$x_\tau(u) = x(u - \tau(u)) = x((1 - s) u)$ moves it to $(1 - s) \xi$`,
    }),
    "spread of x((1 + s)u), as printed": equals("(1 + s)^2").printed({
      where: "sect. 8.2.4, Power spectra",
      printed: String.raw`\int |(1+s)(\omega - \xi)|^2 |\hat{x}(\omega)|^2 d\omega = (1+s)^2 \sigma_x^2.`,
      corrected: String.raw`$(1 + s)^{2 - d} \sigma_x^2$, since $\hat x_\tau(\omega) = (1 + s)^{-d} \hat x(\omega / (1 + s))$; as printed for spreads over $\|x_\tau\|^2$`,
    }),
    "|R_x| over ||x̂|²|, as printed": equals(String.raw`(2 \pi)^{-1}`).printed({
      where: "sect. 8.2.4, Power spectra",
      printed: String.raw`\|R_{\mathbf{x}} - R_{\mathbf{x}_\tau}\| = (2\pi)^{-1} \||\hat{\mathbf{x}}|^2 - |\hat{\mathbf{x}}_\tau|^2\|.`,
      corrected: String.raw`$(2 \pi)^{-d/2}$: a norm, not its square`,
    }),
    "| |x̂_τ| - |x̂| | / |x|, spectra that hardly meet": equals("1").printed({
      where: "sect. 8.2.4, Power spectra",
      printed: String.raw`\||\hat{\mathbf{x}}_\tau| - |\hat{\mathbf{x}}|\| \sim \|\mathbf{x}\|,`,
      corrected: String.raw`$\sim \sqrt 2 \, \|x\|$: both spectra count`,
    }),
    "flipped zeros: distance to the nearest translate": equals("0").printed({
      where: "sect. 1.7.1",
      printed: String.raw`if  $u$  is a generic compactly supported function (Grohs et al., [2020](#)),  $u$  can be reconstructed up to a translation from its Fourier modulus`,
      corrected:
        "not in one dimension, where zeros of the transform may be flipped: (1, 5, 6) and (2, 7, 3) have the same modulus; a reflection and a sign are lost in any dimension",
    }),
  },
  mutants: {
    "dilated the other way": { "centre frequency of x_τ, τ(u) = su": ({ s, xi }) => (1 + s) * xi },
    "a packet of twice the frequency": ({ xi }) => ({ xi: 2 * xi }),
    "spectra that never meet": {
      "| |x̂_τ| - |x̂| | of a dilation, unitary": ({ s }) =>
        Math.sqrt(width * Math.sqrt(Math.PI) * (1 + 1 / (1 - s))),
    },
  },
  run({ xi, s, shift, half }, { random, budget }) {
    const [x, smaller, larger] = [packet(xi, 1), packet(xi, 1 - s), packet(xi, 1 + s)];
    const unitary = (z: Complex): Float64Array => modulus(fourier(z)).map((v) => v / Math.sqrt(z.re.length));
    const [a, b] = [unitary(x), unitary(smaller)];
    const moved = { re: rotated(x.re, shift), im: rotated(x.im, shift) };
    const gap = distance(a, b);
    const [w, other] = [width, width / (1 - s)];
    const joint = w * w + other * other;
    const overlap =
      w *
      other *
      Math.sqrt((2 * Math.PI) / joint) *
      Math.exp((-((w * other) ** 2 / joint) * (s * xi) ** 2) / 2);
    const size = Math.sqrt(Math.PI) * (w + other);
    const isApart = overlap < 1e-3 * size;
    const N = 2 * half;
    const chirp = complexZeros(N);
    for (let u = 0; u < N; u++) {
      chirp.re[u] = Math.cos((Math.PI * u * u) / N);
      chirp.im[u] = Math.sin((Math.PI * u * u) / N);
    }
    const flipped = flippedZeros(Array.from({ length: 4 }, () => random.integer(1, 5)));
    const centre = (1 + s) * xi;
    return {
      ...(budget !== "cheap" && { figure: figure(s) }),
      claims: {
        "| |x̂_c| - |x̂| | of a translation": checked(distance(unitary(moved), a), 0, { tolerance: 1e-12 * n }),
        "| |x̂| |, unitary": checked(norm(a), Math.hypot(norm(x.re), norm(x.im)), { tolerance: 1e-11 }),
        // Frequencies beyond pi are folded back: e^(-((pi - 1.2 xi) width / 1.2)^2), below 2e-16 of these packets.
        "| |x̂_τ| - |x̂| | of a dilation, unitary": sampled(gap ** 2, size - 2 * overlap, { tolerance: 1e-8 }),
        "centre frequency of x_τ, τ(u) = su": sampled(meanFrequency(smaller), (1 - s) * xi, {
          tolerance: 1e-8,
        }),
        "spread of x((1 + s)u), over that of x": sampled(spread(larger, centre) / spread(x, xi), 1 + s, {
          tolerance: 1e-7,
        }),
        "|R_x| over ||x̂|²|": checked(plancherel(x), (2 * Math.PI) ** -0.5, { tolerance: 1e-11 }),
        "modulus of a chirp's transform, deviation from a Dirac's": checked(
          Math.max(...modulus(fourier(chirp)).map((v) => Math.abs(v / Math.sqrt(N) - 1))),
          0,
          { tolerance: 1e-11 },
        ),
        "flipped zeros: difference of the moduli": checked(flipped.moduli, 0, { tolerance: 1e-11 }),
        "centre frequency of x_τ, as printed": sampled(meanFrequency(smaller), (1 + s) * xi, {
          tolerance: 1e-8,
        }),
        "spread of x((1 + s)u), as printed": sampled(spread(larger, centre) / spread(x, xi), (1 + s) ** 2, {
          tolerance: 1e-7,
        }),
        "|R_x| over ||x̂|²|, as printed": checked(plancherel(x), 1 / (2 * Math.PI), { tolerance: 1e-11 }),
        ...(isApart && {
          "| |x̂_τ| - |x̂| | / |x|, spectra that hardly meet": sampled(gap / norm(a), 1, { tolerance: 0.1 }),
        }),
        "flipped zeros: distance to the nearest translate": checked(flipped.nearest, 0, { tolerance: 1e-11 }),
      },
    };
  },
});

/** e^(i xi t) theta(t) at t = stretch u, u = -n/2 .. n/2 - 1. */
function packet(xi: number, stretch: number): Complex {
  const x = complexZeros(n);
  for (let k = 0; k < n; k++) {
    const t = stretch * (k - n / 2);
    const size = Math.exp(-(t * t) / (2 * width * width));
    x.re[k] = size * Math.cos(xi * t);
    x.im[k] = size * Math.sin(xi * t);
  }
  return x;
}

const modulus = ({ re, im }: Complex): Float64Array => re.map((v, k) => Math.hypot(v, im[k]!));
const rotated = (x: Float64Array, by: number): Float64Array =>
  x.map((_, u) => x[(u - by + x.length) % x.length]!);

/** The mean of omega by |x^|^2, around a frequency; of squares of what is left, not normalised. */
const meanFrequency = (x: Complex): number => {
  const weights = modulus(fourier(x)).map((v) => v * v);
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.reduce((sum, w, k) => sum + w * angularFrequency(k, n), 0) / total;
};
const spread = (x: Complex, centre: number): number =>
  modulus(fourier(x)).reduce((sum, v, k) => sum + v * v * (angularFrequency(k, n) - centre) ** 2, 0);

/** |R_x| by sums in time, over | |x^|^2 | with the measure d omega = 2 pi / n. */
function plancherel({ re, im }: Complex): number {
  const R = complexZeros(n);
  for (let v = 0; v < n; v++)
    for (let u = 0; u < n; u++) {
      const w = (u - v + n) % n;
      R.re[v]! += re[u]! * re[w]! + im[u]! * im[w]!;
      R.im[v]! += im[u]! * re[w]! - re[u]! * im[w]!;
    }
  const squares = modulus(fourier({ re, im })).map((v) => v * v);
  return Math.hypot(norm(R.re), norm(R.im)) / Math.sqrt((energy(squares) * 2 * Math.PI) / n);
}

/** (a, b) * (c, d) and (b, a) * (c, d): the same modulus on 8 points; the distance over all translations. */
function flippedZeros([a, b, c, d]: readonly number[]): { moduli: number; nearest: number } {
  const product = (p: number, q: number): Float64Array =>
    Float64Array.of(p * c!, p * d! + q * c!, q * d!, 0, 0, 0, 0, 0);
  const [x, y] = [product(a!, b!), product(b!, a!)];
  const spectrum = (z: Float64Array): Float64Array => modulus(fourier({ re: z, im: new Float64Array(8) }));
  return {
    moduli: distance(spectrum(x), spectrum(y)),
    nearest: Math.min(...Array.from(x, (_, by) => distance(rotated(x, by), y))),
  };
}

function figure(s: number): Figure {
  const bank = battleLemarieBank({ length: n, scale: 5 });
  const frequencies = Array.from({ length: 12 }, (_, k) => 0.1 * 2 ** (k / 2.8));
  const ratios = frequencies.map((xi) => {
    const [x, y] = [packet(xi, 1).re, packet(xi, 1 - s).re];
    const real = (z: Float64Array): Complex => ({ re: z, im: new Float64Array(n) });
    const scattered = (z: Float64Array): readonly Float64Array[] =>
      propagate(z, bank).map(({ averaged }) => averaged);
    const [Sx, Sy] = [scattered(x), scattered(y)];
    const fourierGap = distance(modulus(fourier(real(x))), modulus(fourier(real(y)))) / Math.sqrt(n);
    const scatteringGap = norm(Sx.map((v, k) => norm(difference(v, Sy[k]!))));
    return { fourier: fourierGap / (s * norm(x)), scattering: scatteringGap / (s * norm(x)) };
  });
  const limit = Math.sqrt(1 + 1 / (1 - s)) / s;
  return {
    title: `A dilation by ${s}: the Fourier modulus grows with frequency, scattering does not`,
    panels: [
      {
        title: "Change of a packet over s |x|",
        x: { label: "frequency ξ", scale: "log" },
        y: { label: "change", scale: "log" },
        series: [
          {
            ...{ name: "Fourier modulus", mark: "line" },
            points: frequencies.map((f, k) => [f, ratios[k]!.fourier] as const),
          },
          {
            ...{ name: "scattering, orders up to 2", mark: "line" },
            points: frequencies.map((f, k) => [f, ratios[k]!.scattering] as const),
          },
          {
            ...{ name: "spectra that do not meet", mark: "line", role: "theory" },
            points: frequencies.map((f) => [f, limit] as const),
          },
        ],
      },
    ],
  };
}
