import type { Figure } from "../../figure/figure.ts";
import { energyLedger } from "../../scattering/energy.ts";
import { littlewoodPaley } from "../../scattering/littlewood-paley.ts";
import { cubicSpline, polarBank } from "../../scattering/polar.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const rounding = 1e-12;

export default lemma({
  id: "C8-11",
  covers: ["C8-11"],
  kind: "construction",
  title: "Unitary wavelets of two variables: a radial band times an angular window",
  source: "Book, chapter 8, section 8.3.4, Figure 8.4",
  statement: String.raw`\hat\psi(\omega) = \hat\psi_1(|\omega|) \gamma(\eta), \quad \tfrac12 \sum_{r \in G} |\gamma(r^{-1} \eta)|^2 = 1`,
  parameters: {
    rows: integer({ min: 2, max: 16, default: 16, label: "rows" }),
    columns: integer({ min: 2, max: 16, default: 12, label: "columns" }),
    J: integer({ min: 1, max: 3, default: 2, label: "scale J" }),
    K: integer({ min: 4, max: 8, default: 6, label: "angles K" }),
    eta: real({ min: 0, max: 6.28, default: 4, label: "direction η" }),
  },
  claims: {
    "least of the Littlewood-Paley sum": equals("1"),
    "greatest of the Littlewood-Paley sum": equals("1"),
    "energy of a picture that is in no account, order 1": equals("0"),
    "½ Σ |γ(r⁻¹η)|² over the whole circle": equals("1"),
    "Σ |γ(r⁻¹η)|² over half of the circle": equals("1").printed({
      where: "sect. 8.3.4",
      printed: String.raw`\text{for all } \eta, \quad \sum_{r \in G^+} |\gamma(r^{-1}\eta)|^2 = 1.`,
      corrected: String.raw`$\tfrac12 \sum_{r \in G} |\gamma(r^{-1} \eta)|^2 = 1$: a window in one half-plane leaves the directions of the other to the negatives`,
    }),
  },
  mutants: {
    "windows without the factor 2": { "½ Σ |γ(r⁻¹η)|² over the whole circle": () => 0.5 },
    "the finest band at half of its height": { "least of the Littlewood-Paley sum": () => 0.75 },
  },
  run({ rows, columns, J, K, eta }, { random, budget }) {
    const bank = polarBank({ shape: [rows, columns], scale: J, angles: K });
    const { lower, upper } = littlewoodPaley(bank);
    const ledger = energyLedger(random.normal(rows * columns), bank, { order: 1, paths: "all" });
    const half = windows(eta, K);
    return {
      ...(budget !== "cheap" && { figure: figure(K) }),
      claims: {
        "least of the Littlewood-Paley sum": checked(lower, 1, { tolerance: rounding }),
        "greatest of the Littlewood-Paley sum": checked(upper, 1, { tolerance: rounding }),
        "energy of a picture that is in no account, order 1": checked(ledger.missing[1]!, 0, {
          tolerance: 1e-11 * ledger.input,
        }),
        "½ Σ |γ(r⁻¹η)|² over the whole circle": checked((half + windows(eta + Math.PI, K)) / 2, 1, {
          tolerance: rounding,
        }),
        "Σ |γ(r⁻¹η)|² over half of the circle": checked(half, 1, { tolerance: rounding }),
      },
    };
  },
});

/** Sum of |gamma|^2 = 2 B_3(K / pi (eta - q pi / K)), q = 0 .. K - 1, angles to the nearest turn. */
const windows = (eta: number, K: number): number =>
  Array.from({ length: K }, (_, q) => {
    const turn = (eta - (q * Math.PI) / K) / (2 * Math.PI);
    return 2 * cubicSpline(2 * K * (turn - Math.round(turn)));
  }).reduce((a, b) => a + b, 0);

function figure(K: number): Figure {
  const n = 48;
  const { re } = polarBank({ shape: [n, n], scale: 2, angles: K }).wavelets[K + 1]!;
  const at = (k: number): number => (k + n / 2) % n;
  return {
    title: "Figure 8.4: a polar-separable spline wavelet, and its window",
    panels: [
      {
        title: "Fourier transform, j = 1, second angle",
        x: { label: "ω₂" },
        y: { label: "ω₁" },
        series: [],
        field: {
          x: [-Math.PI, Math.PI],
          y: [-Math.PI, Math.PI],
          values: Array.from({ length: n }, (_, k) =>
            Array.from({ length: n }, (__, l) => re[at(k) * n + at(l)]!),
          ),
        },
      },
      {
        title: "Sums of windows over directions",
        x: { label: "η" },
        y: { label: "sum" },
        series: [
          {
            ...{ name: "half of the circle", mark: "line" },
            points: Array.from({ length: 181 }, (_, k) => {
              const eta = (Math.PI * k) / 90;
              return [eta, windows(eta, K)] as const;
            }),
          },
          {
            ...{ name: "half the sum over all of it", mark: "line" },
            points: Array.from({ length: 181 }, (_, k) => {
              const eta = (Math.PI * k) / 90;
              return [eta, (windows(eta, K) + windows(eta + Math.PI, K)) / 2] as const;
            }),
          },
        ],
      },
    ],
  };
}
