import type { Figure } from "../../figure/figure.ts";
import { battleLemarieBank, splineLowPass, splineScaling } from "../../scattering/battle-lemarie.ts";
import { opposite, power } from "../../scattering/filter-bank.ts";
import { littlewoodPaley } from "../../scattering/littlewood-paley.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const rounding = 1e-12;

export default lemma({
  id: "C8-10",
  covers: ["C8-10"],
  kind: "construction",
  title: "Cubic-spline wavelets of Battle and Lemarié, unitary and analytic",
  source: "Book, chapter 8, section 8.3.4",
  statement: String.raw`|\hat h(\omega)|^2 = \frac{S_8(\omega)}{2^8 S_8(2\omega)}, \; S_8(\omega) = \sum_k (\omega + 2 k \pi)^{-8}: \quad |\hat h(\omega)|^2 + |\hat h(\omega + \pi)|^2 = 1, \; |\hat\phi_J|^2 + \tfrac12 \sum_j |\hat\psi_j(\omega)|^2 + |\hat\psi_j(-\omega)|^2 = 1`,
  parameters: {
    n: integer({ min: 3, max: 100, default: 64, label: "samples" }),
    J: integer({ min: 1, max: 6, default: 4, label: "scale J" }),
    omega: real({ min: 0.05, max: 3, default: 1, label: "frequency ω" }),
    wavelets: choice(["analytic", "real"], { label: "wavelets" }),
  },
  claims: {
    "|ĥ|², against the lattice sums": equals(String.raw`S_8(\omega) / (2^8 S_8(2 \omega))`),
    "|φ̂|², against the lattice sum": equals(String.raw`1 / (\omega^8 S_8(\omega))`),
    "|ĥ(ω)|² + |ĥ(ω + π)|²": equals("1"),
    "least of the Littlewood-Paley sum": equals("1"),
    "greatest of the Littlewood-Paley sum": equals("1"),
    "analytic: energy of a wavelet at negative frequencies": equals("0"),
    "|φ̂(ω)|² of the cascade, ω small: log2 of its fall from 1, for twice ω": equals("8"),
    "positive half of real wavelets: least of the sum": equals(
      String.raw`\min \tfrac12 (1 + |\hat\phi_J|^2)`,
    ),
    "S_8(2ω) as printed": equals(String.raw`\sum_k (2 \omega + 2 k \pi)^{-8}`).printed({
      where: "sect. 8.3.4",
      printed: String.raw`\frac{5 + 30 \cos^2(\omega) + 30 \sin^2(\omega) \cos^2(\omega)}{1052^8 \sin^8(\omega)}`,
      corrected: String.raw`$105 \cdot 2^8 \sin^8(\omega)$ in the first denominator, as in the second`,
    }),
  },
  mutants: {
    "Mallat's 2^7, with ĥ(0) = √2": { "|ĥ|², against the lattice sums": (_, { theory }) => 2 * theory },
    "two vanishing moments": {
      "|φ̂(ω)|² of the cascade, ω small: log2 of its fall from 1, for twice ω": () => 4,
    },
    "a wavelet without √2": { "least of the Littlewood-Paley sum": () => 0.5 },
  },
  run({ n, J, omega, wavelets }, { budget }) {
    const bank = battleLemarieBank({ length: n, scale: J, real: wavelets === "real" });
    const { lower, upper } = littlewoodPaley(bank);
    const fall = (w: number): number => splineFall(w);
    const small = 0.02;
    const lattice = latticeSum(2 * omega);
    const halved = littlewoodPaley({
      ...bank,
      wavelets: bank.wavelets.map(({ re, ...rest }) => ({
        ...rest,
        re: re.map((v, k) =>
          2 * k > n ? 0 : wavelets === "real" ? v : v / ((2 * k) % n === 0 ? 1 : Math.SQRT2),
        ),
      })),
    });
    const half = bank.lowPass.re.reduce(
      (least, v, k) => Math.min(least, (2 * k) % n === 0 ? 1 : (1 + v * v) / 2),
      1,
    );
    const mirrored = opposite(bank.shape);
    const negative = bank.wavelets.reduce(
      (sum, wavelet) =>
        sum + mirrored.reduce((part, at, k) => part + (0 < k && 2 * k < n ? power(wavelet, at) : 0), 0),
      0,
    );
    return {
      ...(budget !== "cheap" && { figure: figure(J) }),
      claims: {
        "|ĥ|², against the lattice sums": checked(
          splineLowPass(omega),
          latticeSum(omega) / (2 ** 8 * latticeSum(2 * omega)),
          { tolerance: rounding },
        ),
        "|φ̂|², against the lattice sum": checked(splineScaling(omega), 1 / (omega ** 8 * latticeSum(omega)), {
          tolerance: rounding,
        }),
        "|ĥ(ω)|² + |ĥ(ω + π)|²": checked(splineLowPass(omega) + splineLowPass(omega + Math.PI), 1, {
          tolerance: rounding,
        }),
        "least of the Littlewood-Paley sum": checked(lower, 1, { tolerance: rounding }),
        "greatest of the Littlewood-Paley sum": checked(upper, 1, { tolerance: rounding }),
        ...(wavelets === "analytic" && {
          "analytic: energy of a wavelet at negative frequencies": checked(negative, 0),
        }),
        // 1 - |phi^|^2 is omega^8 times a constant; the next term is of the relative size omega^2.
        "|φ̂(ω)|² of the cascade, ω small: log2 of its fall from 1, for twice ω": checked(
          Math.log2(fall(2 * small) / fall(small)),
          8,
          { tolerance: 0.01 },
        ),
        "positive half of real wavelets: least of the sum": checked(halved.lower, half, {
          tolerance: rounding,
        }),
        "S_8(2ω) as printed": checked(printedSum(omega) / lattice, 1, { tolerance: 1e-9 }),
      },
    };
  },
});

/** sum over |k| <= 400 of (omega + 2 k pi)^-8: the rest is below 1e-19. */
function latticeSum(omega: number): number {
  let sum = 0;
  for (let k = 400; k > 0; k--) sum += (omega + 2 * k * Math.PI) ** -8 + (omega - 2 * k * Math.PI) ** -8;
  return sum + omega ** -8;
}

/** 1 - 1 / (omega^8 S_8(omega)) without cancellation. */
function splineFall(omega: number): number {
  let rest = 0;
  for (let k = 400; k > 0; k--) rest += (omega + 2 * k * Math.PI) ** -8 + (omega - 2 * k * Math.PI) ** -8;
  return (omega ** 8 * rest) / (1 + omega ** 8 * rest);
}

function printedSum(omega: number): number {
  const [c, s] = [Math.cos(omega) ** 2, Math.sin(omega) ** 2];
  return (
    (5 + 30 * c + 30 * s * c) / (1052 ** 8 * s ** 4) +
    (70 * c * c + 2 * s * s * c + (2 / 3) * s ** 3) / (105 * 2 ** 8 * s ** 4)
  );
}

function figure(J: number): Figure {
  const n = 512;
  const { wavelets, lowPass } = battleLemarieBank({ length: n, scale: J });
  const line = (name: string, values: Float64Array) => ({
    ...{ name, mark: "line" as const },
    points: Array.from({ length: n / 2 + 1 }, (_, k) => [(2 * Math.PI * k) / n, values[k]!] as const),
  });
  return {
    title: "Analytic cubic-spline wavelets: squares add up to 2 where φ̂ is small",
    panels: [
      {
        title: "Fourier transforms",
        x: { label: "ω" },
        y: { label: "value" },
        series: [line("φ̂", lowPass.re), ...wavelets.map(({ j, re }) => line(`ψ̂, j = ${j}`, re))],
      },
    ],
  };
}
