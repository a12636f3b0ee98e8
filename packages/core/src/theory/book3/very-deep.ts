import { veryDeep } from "../../discrete/representation/very-deep.ts";
import type { Figure } from "../../figure/figure.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { greatestError, grid, valuesAt } from "../line.ts";
import { integer, real } from "../parameter.ts";

/** Grid points, middles of cells, and points on both sides of ramps. */
const probes = (N: number, ramp: number): number[] => [
  ...grid(4 * N * N),
  ...Array.from({ length: N - 1 }, (_, k) =>
    [-5, -3, -2, -1, -0.5, 1, 2, 3].map((s) => (k + 1) / N + (s * ramp) / 2),
  ).flat(),
];

/** At distance t from the nearest point of the grid of spacing h: height -+ t. */
const tents =
  (h: number, height: number, sign: 1 | -1) =>
  (x: number): number =>
    height + sign * Math.abs(x / h - Math.round(x / h)) * h;

/** A path of slopes 1 and -1 on a grid four times as fine as what is coded. */
function path(cells: number, random: { uniform(): number }): (x: number) => number {
  const values = [0];
  for (let k = 0; k < cells; k++) values.push(values[k]! + (random.uniform() < 0.5 ? 1 : -1) / cells);
  return (x) => {
    const k = Math.min(Math.floor(x * cells), cells - 1);
    return values[k]! + (x * cells - k) * (values[k + 1]! - values[k]!);
  };
}

export default lemma({
  id: "C3-18",
  covers: ["C3-18"],
  kind: "construction",
  title: "Very deep networks: the increments of a function as digits of a few weights",
  source: "Book, Remark 3.13 (Yarotsky 2018)",
  statement: String.raw`|f|_{\mathrm{Lip}} \le 1: \qquad \sup_{x \in [0,1]} | \Phi_N(x) - f(x) | \le N^{-2} + 2 \delta, \quad M(\Phi_N) \le 129 N + 8, \quad L(\Phi_N) = 2N + 7`,
  parameters: {
    e: integer({ min: 1, max: 4, default: 3, label: "log2 of the pieces N" }),
    phase: real({ min: 0, max: 6, default: 0.3, label: "phase of the sine" }),
  },
  claims: {
    "sup error on a sine": atMost(String.raw`\tfrac12 N^{-2} + \tfrac18 N^{-4} + 2 \delta`),
    "sup error on a random path of slopes 1 and -1": atMost(String.raw`N^{-2} + 2 \delta`),
    "sup error on tents, the worst function": equals("N^{-2}"),
    "sup error on tents if values are cut, not rounded": equals(String.raw`\tfrac32 N^{-2} - \eta`),
    "weights that are not zero": atMost("129 N + 8"),
    "hidden layers": equals("2N + 6"),
    "bits of a weight": atMost("2N"),
    "layers, with n for r, d = n = 1, ζ = 1/2": atMost(
      String.raw`\epsilon^{-d/(n(\zeta - 1))} = \epsilon^2`,
    ).printed({
      where: "Remark 3.13",
      printed: String.raw`there exist neural networks with  $M_\varepsilon \lesssim \varepsilon^{-\zeta}$  non-zero weights and  $L_\varepsilon \lesssim \varepsilon^{-d/(r(\zeta-1))}$  layers`,
      corrected: String.raw`$L_\varepsilon \lesssim \varepsilon^{-(d/n - \zeta)}$; with $r = 0$, of which the remark speaks, the printed exponent divides by 0, and with $n$ for $r$ the layers vanish with $\varepsilon$`,
    }),
  },
  mutants: {
    "an error of N^-3": { "sup error on tents, the worst function": ({ e }) => 2 ** (-3 * e) },
    "half of the pieces": ({ e }) => ({ e: e - 1 }),
    "one layer for a digit": { "hidden layers": ({ e }) => 2 ** e + 6 },
  },
  async run({ e, phase }, { random, budget }) {
    const N = 2 ** e;
    const h = N ** -2;
    const ramp = h / 2 ** 7;
    const at = probes(N, ramp);
    const sine = (x: number): number => Math.sin(x + phase);
    const network = veryDeep(sine, N);
    const walk = path(4 * N * N, random);
    const { depth, nonzeros } = sizes(network);
    const dips = tents(h, h / 2, -1);
    const eta = h / 2 ** 10;
    const rises = tents(h, h - eta, 1);
    // Codes of 2 N bits, and places of e + 7 more: all sums are exact but the sine's values.
    const rounding = 2 ** -40;
    const longest = Math.max(...codeBits(walk, N));
    return {
      graph: network,
      figure: budget === "cheap" ? undefined : await figure(N, random),
      claims: {
        // Rounded values, and chords of a function whose second derivative is at most 1.
        "sup error on a sine": sampled(await greatestError(network, at, sine), h / 2 + h ** 2 / 8 + 2 * ramp),
        "sup error on a random path of slopes 1 and -1": sampled(
          await greatestError(veryDeep(walk, N), at, walk),
          h + 2 * ramp,
          { tolerance: rounding },
        ),
        "sup error on tents, the worst function": sampled(
          await greatestError(veryDeep(dips, N), at, dips),
          h,
          {
            tolerance: rounding,
          },
        ),
        "sup error on tents if values are cut, not rounded": sampled(
          await greatestError(veryDeep(rises, N, { rounding: "down" }), at, rises),
          1.5 * h - eta,
          { tolerance: rounding },
        ),
        "weights that are not zero": checked(nonzeros, 129 * N + 8),
        "hidden layers": checked(depth, 2 * N + 6),
        "bits of a weight": checked(longest, 2 * N),
        "layers, with n for r, d = n = 1, ζ = 1/2": checked(depth, h ** 2),
      },
    };
  },
});

/** The binary places of each code, read off the values on the grid. */
const codeBits = (f: (x: number) => number, N: number): number[] =>
  Array.from({ length: N }, (_, k) => {
    const value = (j: number): number => Math.floor(f((k * N + j) / N ** 2) * N ** 2 + 1 / 2);
    let last = 0;
    for (let j = 0; j < N; j++) {
      const digit = value(j + 1) - value(j) + 1;
      if (digit > 0) last = 2 * j + (digit === 2 ? 1 : 2);
    }
    return last;
  });

async function figure(N: number, random: { uniform(): number }): Promise<Figure> {
  const few = 4;
  const walk = path(4 * few * few, random);
  const points = grid(640);
  const values = await valuesAt(veryDeep(walk, few), points);
  const sizesShown = [2, 4, 8, 16];
  const measured = await Promise.all(
    sizesShown.map(async (n) => {
      const f = path(4 * n * n, random);
      const network = veryDeep(f, n);
      return [sizes(network).nonzeros, await greatestError(network, probes(n, 2 ** -7 / n ** 2), f)] as const;
    }),
  );
  return {
    title: `Increments as digits: ${N} pieces, error ${N}⁻²`,
    panels: [
      {
        title: `A path and the network of ${few} codes`,
        x: { label: "x" },
        y: { label: "value" },
        series: [
          { name: "network", mark: "line", points: points.map((x, k) => [x, values[k]!] as const) },
          {
            name: "theory: the path",
            mark: "line",
            role: "theory",
            points: points.map((x) => [x, walk(x)] as const),
          },
        ],
      },
      {
        title: "Error against weights",
        x: { label: "weights that are not zero", scale: "log" },
        y: { label: "sup error", scale: "log" },
        series: [
          { name: "random paths, measured", mark: "dots", points: measured },
          {
            name: "theory: N⁻², 129 N + 8 weights",
            mark: "line",
            role: "theory",
            points: sizesShown.map((n) => [129 * n + 8, n ** -2] as const),
          },
          {
            name: "theory: interpolation at as many points",
            mark: "line",
            role: "theory",
            points: sizesShown.map((n) => [129 * n + 8, 1 / (2 * (129 * n + 8))] as const),
          },
        ],
      },
    ],
  };
}
