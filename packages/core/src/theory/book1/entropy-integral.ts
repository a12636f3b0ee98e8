import type { Figure } from "../../figure/figure.ts";
import {
  dudleyBound,
  entropyIntegral,
  farthestFirst,
  hausslerLogCovering,
  sampleDiameter,
} from "../../generalization/bounds/entropy-integral.ts";
import { finiteRademacher } from "../../generalization/bounds/rademacher.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

type Vectors = readonly (readonly number[])[];

export default lemma({
  id: "C1a-24",
  covers: ["C1a-24"],
  kind: "bound",
  title: "Covering numbers on the sample, and Dudley's entropy integral",
  source: "Book, chapter 1, (1.17), (1.18) and (1.19)",
  statement: String.raw`\mathfrak R_S(\mathcal G) \le \frac{\|g_0\|_S}{\sqrt m} + \frac{24}{\sqrt m} \int_0^{\mathrm{diam}/2} \sqrt{\ln N_\alpha(\mathcal G, d_S)} \, d\alpha, \qquad \ln N_\alpha \le 1 + \ln(D + 1) + D \ln \frac{8e}{\alpha^2} \; (\pm 1\text{-valued, VC dimension } D)`,
  parameters: {
    m: integer({ min: 1, max: 9, default: 8, label: "examples" }),
    size: integer({ min: 1, max: 30, default: 16, label: "functions" }),
    spread: choice(["normal", "thresholds", "clusters"], { label: "class" }),
    alpha: real({ min: 0.05, max: 1.9, default: 0.6, label: "radius α" }),
    logC: integer({ min: 0, max: 6, default: 2, label: "log₁₀ of the constant c" }),
  },
  claims: {
    "complexity without absolute values, |G| > 1": atMost(
      String.raw`(12/\sqrt m) \int_0^{\mathrm{diam}/2} \sqrt{\ln N_\alpha}`,
    ).looseBy(8),
    "complexity with absolute values": atMost(
      String.raw`\|g_0\|_S/\sqrt m + (24/\sqrt m) \int_0^{\mathrm{diam}/2} \sqrt{\ln N_\alpha}`,
    ),
    "functions more than 2α apart": atMost(String.raw`\text{cover of radius } \alpha`),
    "ln of thresholds more than α apart, 1000 examples": atMost(
      String.raw`1 + \ln 2 + \ln(8e / \alpha^2)`,
    ).looseBy(1.4),
    "cover of the losses at α": equals(String.raw`\text{cover of the classifiers at } 2 \alpha`),
    "complexity of g = 1": atMost(String.raw`c \int_0^\infty \sqrt{\ln N_\alpha / m} = 0`).printed({
      where: "(1.17)",
      printed: String.raw`\mathfrak{R}_m(\mathcal{G}) \lesssim \mathbb{E} \left[ \int_0^\infty \sqrt{\frac{\log N_\alpha(\mathcal{G}, d_S)}{m}} \, d\alpha \right]`,
      corrected: String.raw`with the absolute value in $\mathfrak R_m$ a single $g$, such as $g = 1$, has $N_\alpha = 1$, integral 0, and $\mathfrak R_m > 0$; add $\|g_0\|_S / \sqrt m$, or put 0 into $\mathcal G$, or leave out the absolute value`,
    }),
    "ln N of the constants 1 and -1 at α = 1 - 1/(4c)": atMost(
      String.raw`c \, \mathrm{VCdim}(\mathcal F) \ln(1/\alpha)`,
    ).printed({
      where: "(1.19)",
      printed: String.raw`for $\alpha \in (0, 1)$, we have $\log(N_\alpha(\mathcal{F}, d_{(X^{(i)})_{i=1}^m})) \lesssim \text{VCdim}(\mathcal{F}) \log(1/\alpha)$`,
      corrected: String.raw`$\{1, -1\}$ has VC dimension 1 and $N_\alpha = 2$ for all $\alpha < 2$, while $\log(1/\alpha) \to 0$ at 1 (here $c = 10^{\text{logC}}$, $\alpha = 1 - 1/(4c)$); $\log(c/\alpha)$ with a $c > 2$ is needed, e.g. $1 + \ln(D+1) + D \ln(8e/\alpha^2)$`,
    }),
  },
  mutants: {
    "the term of one function forgotten": {
      "complexity with absolute values": ({ size }, { theory }) => (size === 1 ? 0 : theory),
    },
    "constants forgotten": {
      "ln of thresholds more than α apart, 1000 examples": ({ alpha }) => 2 * Math.log(1 / alpha),
    },
    "α for 2α": ({ alpha }) => ({ alpha: alpha / 2 }),
  },
  run({ m, size, spread, alpha, logC }, { random, budget }) {
    const vectors = drawClass(spread, m, size, random);
    const [complexity, dudley] = [finiteRademacher(vectors), dudleyBound(vectors)];
    const { radii, apart } = farthestFirst(vectors);
    const cover = radii.findIndex((r) => r <= alpha) + 1;
    const packed = apart.filter((r) => r > 2 * alpha).length;
    const signs = drawClass("thresholds", m, size, random);
    const steps = farthestFirst(signs);
    // Losses (1 - f y) / 2 for random labels y.
    const labels = Array.from({ length: m }, () => (random.uniform() < 0.5 ? -1 : 1));
    const losses = farthestFirst(signs.map((f) => f.map((v, i) => (1 - v * labels[i]!) / 2)));
    const rounding = { tolerance: 1e-12 }; // a few hundred terms of size 1
    const c = 10 ** logC;
    const one = [new Array<number>(m).fill(1)];
    return {
      ...(budget === "cheap" ? {} : { figure: figure(random) }),
      claims: {
        ...(vectors.length > 1 && {
          "complexity without absolute values, |G| > 1": checked(complexity.plain, dudley.plain, rounding),
        }),
        "complexity with absolute values": checked(complexity.absolute, dudley.absolute, rounding),
        "functions more than 2α apart": checked(packed, cover),
        "ln of thresholds more than α apart, 1000 examples": checked(
          Math.log(thresholdPacking(1000, alpha)),
          hausslerLogCovering(1, alpha),
        ),
        "cover of the losses at α": checked(
          losses.radii.findIndex((r) => r <= alpha / 2 + 1e-12) + 1,
          steps.radii.findIndex((r) => r <= alpha + 2e-12) + 1,
        ),
        "complexity of g = 1": checked(
          finiteRademacher(one).absolute,
          c * entropyIntegral(farthestFirst(one), sampleDiameter(one)),
        ),
        "ln N of the constants 1 and -1 at α = 1 - 1/(4c)": checked(
          Math.log(constantsCover(m, 1 - 1 / (4 * c))),
          c * Math.log(1 / (1 - 1 / (4 * c))),
        ),
      },
    };
  },
});

/** Thresholds on m points, j and k of them at the distance 2 sqrt(|j - k| / m): the most that are more than alpha apart. */
function thresholdPacking(m: number, alpha: number): number {
  let step = 1;
  while (2 * Math.sqrt(step / m) <= alpha) step++;
  return Math.floor(m / step) + 1;
}

/** How many of the two constants are needed to cover both, found by the same algorithm. */
const constantsCover = (m: number, alpha: number): number =>
  farthestFirst([1, -1].map((v) => new Array<number>(m).fill(v))).radii.findIndex((r) => r <= alpha) + 1;

function drawClass(
  spread: "normal" | "thresholds" | "clusters",
  m: number,
  size: number,
  random: Random,
): Vectors {
  if (spread === "normal") return Array.from({ length: size }, () => [...random.normal(m)]);
  if (spread === "thresholds")
    return Array.from({ length: Math.min(size, m + 1) }, (_, k) =>
      Array.from({ length: m }, (__, i) => (i < k ? -1 : 1)),
    );
  const centres = Array.from({ length: 3 }, () => random.normal(m));
  return Array.from({ length: size }, (_, k) =>
    Array.from(centres[k % 3]!, (v) => v + 0.05 * random.normal()),
  );
}

function figure(random: Random): Figure {
  const vectors = drawClass("normal", 9, 60, random);
  const clusters = drawClass("clusters", 9, 60, random);
  const curve = (set: Vectors) => {
    const { radii } = farthestFirst(set);
    return radii.map((r, k) => [r, k + 1] as const);
  };
  const alphas = Array.from({ length: 40 }, (_, k) => 0.1 + k * 0.05);
  const steps = drawClass("thresholds", 200, 201, random);
  return {
    title: "Covers in the mean square distance on the sample",
    panels: [
      {
        title: "60 functions, 9 examples",
        x: { label: "radius α" },
        y: { label: "functions that cover", scale: "log" },
        series: [
          { name: "normal", mark: "step", points: curve(vectors) },
          { name: "three clusters", mark: "step", points: curve(clusters) },
        ],
      },
      {
        title: "Thresholds, 200 examples",
        x: { label: "radius α" },
        y: { label: "functions that cover", scale: "log" },
        series: [
          { name: "greedy cover", mark: "step", points: curve(steps) },
          {
            name: "Haussler: 2e · 8e/α²",
            mark: "line",
            role: "theory",
            points: alphas.map((a) => [a, Math.exp(hausslerLogCovering(1, a))]),
          },
        ],
      },
    ],
  };
}
