import type { Figure } from "../../figure/figure.ts";
import { angularFrequency } from "../../scattering/filter-bank.ts";
import { littlewoodPaley, nonExpansive } from "../../scattering/littlewood-paley.ts";
import { morletBank2d } from "../../scattering/morlet-2d.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

/** The wavelet of Figure 8.3 and its low-pass filter. */
const [sigma, xi, lowSigma] = [0.85, (3 * Math.PI) / 4, 0.7];
const beta = Math.exp(-((sigma * xi) ** 2) / 2);

export default lemma({
  id: "C8-09",
  covers: ["C8-09"],
  kind: "construction",
  title: "Morlet wavelets of two variables, and the frame that they make",
  source: "Book, chapter 8, section 8.3.4, Figure 8.3",
  statement: String.raw`\psi(u) = \alpha (e^{i u \cdot \xi} - \beta) e^{-|u|^2 / 2 \sigma^2}, \; \beta = e^{-\sigma^2 |\xi|^2 / 2}: \quad \hat\psi(\omega) = 2 \pi \sigma^2 \alpha \bigl(e^{-\sigma^2 |\omega - \xi|^2 / 2} - \beta e^{-\sigma^2 |\omega|^2 / 2}\bigr)`,
  parameters: {
    K: integer({ min: 4, max: 8, default: 6, label: "angles K" }),
    n: integer({ min: 12, max: 20, default: 16, label: "rows and columns of the grid" }),
    j: integer({ min: 0, max: 1, default: 1, label: "scale of a wavelet" }),
  },
  claims: {
    "β, by integrals": equals(String.raw`e^{-\sigma^2 |\xi|^2 / 2}`),
    "the grid's wavelet at its centre, over the closed form": equals("1"),
    "ε over all scales": atMost("0.25").looseBy(1.2),
    "upper frame bound on the grid, after scaling": equals("1"),
    "mean of a wavelet of the grid": equals("0"),
    "ε of the scales j ≥ 0, up to |ω| = π": atMost("0.25").printed({
      where: "sect. 8.3.4, on Figure 8.3",
      printed: String.raw`satisfies (8.9) with  $\epsilon = 0.25$`,
      corrected: String.raw`0.25 with scales $j \to -\infty$; a grid has $j \ge 0$ only, and then $\epsilon$ is about 0.64 at $|\omega| = \pi$`,
    }),
  },
  mutants: {
    "σ in place of σ²": { "β, by integrals": () => Math.exp(-(sigma * xi * xi) / 2) },
    "a wavelet that passes constants": { "mean of a wavelet of the grid": () => beta },
    "as good as a unitary bank": { "ε over all scales": () => 0.1 },
  },
  run({ K, n, j }, { budget }) {
    const bank = morletBank2d({
      ...{ shape: [n, n], scale: 2, angles: K, sigma, centre: xi, lowPassSigma: lowSigma / 2, slant: 1 },
      pi: Math.PI,
    });
    const wavelet = bank.wavelets.find((w) => w.j === j)!;
    const along = centreIndex(wavelet.re, n);
    return {
      ...(budget !== "cheap" && { figure: figure(K) }),
      table: {
        title: "1 - ε of the continuous family",
        columns: ["angles", "all scales", "scales j ≥ 0"],
        rows: [4, 6, 8].map((k) => [k, 1 - epsilon(k, -8), 1 - epsilon(k, 0)]),
      },
      claims: {
        "β, by integrals": sampled(integralBeta(), beta, { tolerance: 1e-9 }),
        "the grid's wavelet at its centre, over the closed form": checked(
          wavelet.re[along]! / closedForm(along, n, j, wavelet.angle!),
          1,
          // Aliases: the same wave at 2 pi minus its frequency, and a sum over them for beta.
          { tolerance: j === 0 ? 0.1 : 1e-3 },
        ),
        "ε over all scales": sampled(epsilon(K, -8), 0.25),
        "upper frame bound on the grid, after scaling": checked(
          littlewoodPaley(nonExpansive(bank)).upper,
          1,
          {
            tolerance: 1e-12,
          },
        ),
        "mean of a wavelet of the grid": checked(littlewoodPaley(bank).mean, 0, { tolerance: 1e-12 }),
        "ε of the scales j ≥ 0, up to |ω| = π": sampled(epsilon(K, 0), 0.25),
      },
    };
  },
});

const spectrum = (p: number, q: number, angle: number): number => {
  const [a, b] = [xi * Math.cos(angle), xi * Math.sin(angle)];
  const gauss = (x: number, y: number): number => Math.exp((-(sigma ** 2) * (x * x + y * y)) / 2);
  return gauss(p - a, q - b) - beta * gauss(p, q);
};

/** |phi^|^2 and the sum over wavelets without its factor, at a frequency, scales from `first` to 0, phi at 2^0. */
function parts(radius: number, direction: number, K: number, first: number): { low: number; bands: number } {
  let bands = 0;
  for (let j = first; j <= 0; j++)
    for (let q = 0; q < 2 * K; q++) {
      const turned = direction - (q * Math.PI) / K;
      bands += spectrum(2 ** j * radius * Math.cos(turned), 2 ** j * radius * Math.sin(turned), 0) ** 2 / 2;
    }
  return { low: Math.exp(-((lowSigma * radius) ** 2)), bands };
}

/**
 * epsilon with the largest factor that keeps the sum at most 1. Scales first .. 0 for first < 0 stand for all j <= 0; first = 0
 * stands for a grid whose finest scale is 0 and whose coarsest is 8, so frequencies are up to pi.
 */
function epsilon(K: number, first: number): number {
  const isGrid = first === 0;
  const coarsest = isGrid ? 8 : 0;
  const places: { low: number; bands: number }[] = [];
  for (let r = 0; r <= 120; r++) {
    const radius = (isGrid ? Math.PI : 12) * 2 ** (-r / 12);
    for (let t = 0; t < 4; t++) {
      const unit = 2 ** coarsest;
      places.push(parts(radius * unit, (Math.PI * t) / (3 * K), K, isGrid ? -coarsest : first));
    }
  }
  const factor = Math.min(
    ...places.filter(({ bands }) => bands > 1e-9).map(({ low, bands }) => (1 - low) / bands),
  );
  return 1 - Math.min(...places.map(({ low, bands }) => low + factor * bands));
}

/** int cos(xi u) g(u) du / int g(u) du. */
function integralBeta(): number {
  let [wave, all] = [0, 0];
  for (let k = -200; k <= 200; k++) {
    const u = k / 20;
    const g = Math.exp(-(u * u) / (2 * sigma * sigma));
    wave += g * Math.cos(xi * u);
    all += g;
  }
  return wave / all;
}

const centreIndex = (re: Float64Array, n: number): number => {
  let best = 0;
  for (let k = 0; k < n * n; k++) if (re[k]! > re[best]!) best = k;
  return best;
};

/** psi^(2^j r^-1 omega) at an index of the grid; slants and norms as of a Gabor of integral 1. */
function closedForm(at: number, n: number, j: number, angle: number): number {
  const [p, q] = [angularFrequency(Math.floor(at / n), n), angularFrequency(at % n, n)];
  return spectrum(2 ** j * p, 2 ** j * q, angle);
}

function figure(K: number): Figure {
  const places = Array.from({ length: 241 }, (_, k) => 12 * 2 ** (-k / 24));
  const line = (name: string, first: number, unit: number) => ({
    ...{ name, mark: "line" as const },
    points: places
      .filter((r) => first < 0 || r <= Math.PI)
      .map((r) => {
        const { low, bands } = parts(r * unit, 0, K, first === 0 ? -8 : first);
        return [r, low + 0.7675 * bands] as const;
      }),
  });
  return {
    title: `Littlewood-Paley sums of the Morlet wavelet of Figure 8.3, K = ${K}`,
    panels: [
      {
        title: "α² (2πσ²)² = 0.7675",
        x: { label: "|ω|", scale: "log" },
        y: { label: "sum" },
        series: [line("all scales j ≤ 0", -8, 1), line("a grid: 0 ≤ j ≤ 8", 0, 2 ** 8)],
      },
    ],
  };
}
