import type { Figure } from "../../figure/figure.ts";
import { type Path, paths } from "../../scattering/paths.ts";
import { scatteringPlan } from "../../scattering/plan.ts";
import { polarBank } from "../../scattering/polar.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

function binomial(n: number, k: number): number {
  let value = 1;
  for (let i = 0; i < k; i++) value = (value * (n - i)) / (i + 1);
  return k > n ? 0 : Math.round(value);
}

/** sum_m K^m (J choose m), m = 0 .. last. */
const pathsUpTo = (last: number, J: number, K: number): number =>
  Array.from({ length: last + 1 }, (_, m) => K ** m * binomial(J, m)).reduce((a, b) => a + b, 0);

export default lemma({
  id: "C8-13",
  covers: ["C8-13"],
  kind: "algorithm",
  title: "Sizes of the fast scattering transform: paths, samples, coefficients",
  source: "Book, chapter 8, section 8.3.4, (8.19), Algorithm 8.1",
  statement: String.raw`\#\mathcal P_\downarrow^m = K^m \binom J m, \qquad P = N 4^{-J} \sum_{m \le \bar m} K^m \binom J m, \qquad \sum_{p \in \mathcal P_\downarrow^m} 4^{-j_m} = K^m \sum_{j = m}^J \binom{j - 1}{m - 1} 4^{-j} < (K / 3)^m`,
  parameters: {
    J: integer({ min: 1, max: 5, default: 3, label: "scale J" }),
    K: integer({ min: 4, max: 8, default: 8, label: "angles K" }),
    m: integer({ min: 1, max: 3, default: 2, label: "order m" }),
    blocks: integer({ min: 1, max: 3, default: 2, label: "outputs along a side" }),
  },
  claims: {
    "paths of order m": equals(String.raw`K^m \binom J m`),
    "coefficients of a picture, orders up to 2": equals(String.raw`N 4^{-J} \sum_{m \le 2} K^m \binom J m`),
    "samples of layer m, a sample of the picture": equals(
      String.raw`K^m \sum_{j = m}^J \binom{j - 1}{m - 1} 4^{-j}`,
    ),
    "paths of order m, scales that may stay": equals(String.raw`K^m \binom J m`).printed({
      where: "sect. 8.3.4, before (8.19)",
      printed: String.raw`satisfies  $0 < j_k \leq j_{k+1} \leq J$ . If the wavelet transform is computed over  $K$  rotation angles then the total number of frequency-decreasing paths of length  $m$  is  $K^m \binom{J}{m}$`,
      corrected: String.raw`$0 < j_k < j_{k+1} \le J$; with $\le$ there are $K^m \binom{J + m - 1} m$`,
    }),
    "paths of order m, scales compared for 1 < k < m": equals(String.raw`K^m \binom J m`).printed({
      where: "after Table 8.1",
      printed: String.raw`where  $|\lambda_k| < |\lambda_{k-1}|$  for  $1 \leq k < m$`,
      corrected: String.raw`$1 < k \le m$: there is no $\lambda_0$, and the last one is compared too`,
    }),
    "samples of layer m, as printed": equals(String.raw`(K / 3)^m`).printed({
      where: "sect. 8.3.4, after Algorithm 8.1",
      printed: String.raw`layer  $m$  has a total number of samples equal to  $\alpha^{-2} (K/3)^m N$`,
      corrected: String.raw`fewer than that: it is the limit for $J \to \infty$`,
    }),
    "coefficients of a picture, orders up to 2, as approximated": equals(
      String.raw`N 4^{-J} K^2 J^2 / 2`,
    ).printed({
      where: "sect. 8.3.4, after (8.19)",
      printed: String.raw`If  $\bar{m} = 2$  then  $P \simeq \alpha^{-2} N 2^{-2J} K^2 J^2 / 2$`,
      corrected: String.raw`$N 4^{-J} (1 + K J + K^2 J (J - 1) / 2)$, for which that is the leading term`,
    }),
    "second-order paths of N² samples for N samples' one": equals(
      String.raw`\log N^4 / \log N^2 = 2`,
    ).printed({
      where: "sect. 8.3.5, on Figure 8.7",
      printed: String.raw`Adding second-order coefficients results in  $O(\log N^2)$  coefficients`,
      corrected: String.raw`$O((\log N)^2)$`,
    }),
  },
  mutants: {
    "an octave more": ({ J }) => ({ J: J + 1 }),
    "angles of the first order only": { "paths of order m": ({ J, K, m }) => K * binomial(J, m) },
    "outputs along one side": {
      "coefficients of a picture, orders up to 2": (_, { theory }) => Math.sqrt(theory),
    },
  },
  run({ J, K, m, blocks }, { budget }) {
    // A grid of 2 x 2 is enough to count on.
    const bank = polarBank({ shape: [2, 2], scale: J, angles: K });
    const all = paths([bank, bank, bank], m).filter(({ order }) => order === m);
    const side = blocks * 2 ** Math.min(J, 3);
    const scale = Math.min(J, 3);
    const { paths: planned, geometry } = scatteringPlan({
      ...{ shape: [side, side], scale, angles: K, bank: "spline", padding: "none" },
    });
    const coefficients = planned.length * geometry.output[0]! * geometry.output[1]!;
    const share = (p: Path): number => 4 ** -(p.scales.at(-1)! + 1);
    const samples = all.reduce((sum, p) => sum + share(p), 0);
    const expected = K ** m * binomial(J, m);
    return {
      ...(budget !== "cheap" && { figure: figure(K) }),
      claims: {
        "paths of order m": checked(all.length, expected),
        "coefficients of a picture, orders up to 2": checked(
          coefficients,
          side ** 2 * 4 ** -scale * pathsUpTo(2, scale, K),
        ),
        "samples of layer m, a sample of the picture": checked(samples, samplesOf(m, J, K), {
          tolerance: 1e-12 * samples,
        }),
        "paths of order m, scales that may stay": checked(
          counted(J, K, m, (j) => j.every((v, k) => k === 0 || j[k - 1]! <= v)),
          expected,
        ),
        "paths of order m, scales compared for 1 < k < m": checked(
          counted(J, K, m, (j) => j.every((v, k) => k === 0 || k === m - 1 || j[k - 1]! < v)),
          expected,
        ),
        "samples of layer m, as printed": checked(samples, (K / 3) ** m),
        "coefficients of a picture, orders up to 2, as approximated": checked(
          coefficients,
          (side ** 2 * 4 ** -scale * K ** 2 * scale ** 2) / 2,
        ),
        ...(J > 1 && {
          "second-order paths of N² samples for N samples' one": checked(
            counted(2 * J, 1, 2, ([a, b]) => a! < b!) / counted(J, 1, 2, ([a, b]) => a! < b!),
            2,
          ),
        }),
      },
    };
  },
});

const samplesOf = (m: number, J: number, K: number): number =>
  Array.from({ length: J }, (_, k) => K ** m * binomial(k, m - 1) * 4 ** -(k + 1)).reduce((a, b) => a + b, 0);

/** K^m for each m-tuple of scales 1 .. J that is admitted. */
function counted(J: number, K: number, m: number, admits: (scales: readonly number[]) => boolean): number {
  let count = 0;
  for (let code = 0; code < J ** m; code++)
    if (admits(Array.from({ length: m }, (_, k) => 1 + (Math.floor(code / J ** k) % J)))) count++;
  return count * K ** m;
}

function figure(K: number): Figure {
  const scales = Array.from({ length: 8 }, (_, k) => k + 1);
  return {
    title: `Samples of the layers, a sample of the picture, K = ${K}`,
    panels: [
      {
        title: "Against the limit (K / 3)^m",
        x: { label: "J" },
        y: { label: "samples", scale: "log" },
        series: [1, 2, 3].flatMap((m) => [
          {
            ...{ name: `layer ${m}`, mark: "dots" as const },
            points: scales.filter((J) => J >= m).map((J) => [J, samplesOf(m, J, K)] as const),
          },
          {
            ...{ name: `limit of layer ${m}`, mark: "line" as const, role: "theory" as const },
            points: scales.map((J) => [J, (K / 3) ** m] as const),
          },
        ]),
      },
    ],
  };
}
