import type { Figure } from "../../figure/figure.ts";
import { bestSigns, signNetwork } from "../../generalization/bounds/sign-changes.ts";
import { growthGapBound, vcGapBound } from "../../generalization/bounds/vc.ts";
import { logNetworkGrowth } from "../../generalization/bounds/vc-dimension.ts";
import type { Random } from "../../numbers/random.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma, type RunContext } from "../lemma.ts";
import { valuesAt } from "../line.ts";
import { choice, integer, real } from "../parameter.ts";

export default lemma({
  id: "C1a-22",
  covers: ["C1a-22"],
  kind: "bound",
  title: "Uniform convergence from the VC dimension, with constants",
  source: "Book, chapter 1, Theorem 1.21, (1.14) and (1.15)",
  statement: String.raw`\sup_{f \in \mathcal F} |\mathcal R(f) - \widehat{\mathcal R}_S(f)| \le \sqrt{\frac{2 \ln(2 \, \mathrm{growth}(m))}{m}} + \sqrt{\frac{\ln(1/\delta)}{2m}} \le \sqrt{\frac{2 (D \ln(em/D) + \ln 2)}{m}} + \sqrt{\frac{\ln(1/\delta)}{2m}}`,
  parameters: {
    of: choice(["thresholds", "intervals"], { label: "class" }),
    m: integer({ min: 1, max: 2000, default: 200, label: "examples" }),
    noise: real({ min: 0, max: 0.5, default: 0.2, label: "noise of the labels" }),
    delta: real({ min: 0.001, max: 0.2, default: 0.05, label: "δ" }),
    w: integer({ min: 1, max: 24, default: 8, label: "hidden units of networks on the line" }),
    logC: integer({ min: 0, max: 6, default: 2, label: "log₁₀ of the constant c" }),
  },
  claims: {
    "greatest deviation": atMost(
      String.raw`\sqrt{2 \ln(2 \, \mathrm{growth}(m)) / m} + \sqrt{\ln(1/\delta) / (2m)}`,
    )
      .probable()
      .looseBy(2),
    "labels all alike: greatest deviation of thresholds": atMost(
      String.raw`\sqrt{\ln(2/\delta) / (2m)} \text{ (Dvoretzky, Kiefer, Wolfowitz; Massart)}`,
    ).probable(),
    "networks (1, w, 1), labels by a coin: greatest deviation": atMost(
      String.raw`\sqrt{2 \ln(2 \, \mathrm{growth}(m)) / m} + \sqrt{\ln(1/\delta) / (2m)}`,
    )
      .probable()
      .looseBy(2.2),
    "networks (1, w, 1), from below: mean of N samples": atLeast(
      String.raw`\tfrac{w+1}{2m} \mathbb E |S_{\lfloor m/(w+1) \rfloor}| - \sqrt{\ln(1/\delta) / (2mN)}, \quad S_n \text{ a sum of } n \text{ signs}`,
    ).probable(),
    "networks (1, w, 1), by (1.14)": atMost(String.raw`c \sqrt{P \ln P / m}, \; P = 3w + 1, \; c = 1`)
      .printed()
      .probable()
      .looseBy(1.4),
    "mistakes of the network that deviates most, on ONNX Runtime": equals(
      String.raw`\tfrac12 (m - \max_s \textstyle\sum_i s_i y_i)`,
    ),
    "all patterns of m/8 points, labels by a coin: 1/2 less the least training error": atMost(
      String.raw`\text{the bound, growth} \le 2^{m/8}`,
    )
      .probable()
      .looseBy(2),
    "bound by growth": atMost("bound by VC dimension"),
    "greatest deviation less the mean of N others": atMost(String.raw`\sqrt{(1 + 1/N) \ln(2/\delta) / (2m)}`)
      .probable()
      .looseBy(1.3),
    "chance that one function deviates by at most c √(log(1/δ)), m = 1": atLeast(
      String.raw`1 - \delta`,
    ).printed({
      where: "Theorem 1.21",
      printed: String.raw`There exists a constant $c \in (0, \infty)$ with the following property. [...] every $m \in \mathbb{N}$, $\delta \in (0, 1)$, then, with probability $1 - \delta$ [...] $\sup_{f \in \mathcal{F}} |\mathcal{R}(f) - \widehat{\mathcal{R}}_S(f)| \leq c \sqrt{\frac{\text{VCdim}(\mathcal{F}) + \log(1/\delta)}{m}}$`,
      corrected: String.raw`a single $f$ (VC dimension 0) of risk 1/2 deviates by 1/2 with certainty for $m = 1$, while the right side tends to 0 as $\delta \to 1$: it is 1/4 for $c = 10^{\text{logC}}$ and $\delta = e^{-1/(4c)^2}$; it holds with $\log(2/\delta)$, or for VC dimensions of at least 1`,
    }),
  },
  mutants: {
    "half the width": {
      "labels all alike: greatest deviation of thresholds": ({ m, delta }) =>
        Math.sqrt(Math.log(2 / delta) / (8 * m)),
    },
    "E S² for E |S|": {
      "networks (1, w, 1), from below: mean of N samples": ({ m, w }) =>
        ((w + 1) * Math.floor(m / (w + 1))) / (2 * m),
    },
    "parameters of one layer": {
      "networks (1, w, 1), by (1.14)": ({ m, w }) => Math.sqrt((w + 1) / m) / 2,
    },
  },
  async run({ of, m, noise, delta, w, logC }, context) {
    const { random, scale, budget } = context;
    const law = { noise, cut: random.uniform() };
    const deviations = Array.from({ length: 1 + scale(100) }, () => greatestDeviation(of, m, law, random));
    const growth = of === "thresholds" ? m + 1 : (m * (m + 1)) / 2 + 1;
    const byGrowth = growthGapBound({ logGrowth: Math.log(growth), n: m, delta }).value!;
    const dimension = of === "thresholds" ? 1 : 2;
    const points = Math.ceil(m / 8);
    const [first, ...others] = deviations;
    const mean = others.reduce((a, b) => a + b, 0) / others.length;
    // c sqrt(ln(1/delta)) = 1/4: a constant c does not help where delta is near 1.
    const near = Math.exp(-1 / (4 * 10 ** logC) ** 2);
    return {
      ...(budget === "cheap" ? {} : { figure: figure(of, law, delta, random) }),
      claims: {
        "greatest deviation": checked(first!, byGrowth, { delta }),
        // Thresholds are too simple for the growth function to be missed: here it is.
        "all patterns of m/8 points, labels by a coin: 1/2 less the least training error": checked(
          0.5 - majorityError(points, m, random),
          growthGapBound({ logGrowth: points * Math.LN2, n: m, delta }).value!,
          { delta },
        ),
        "labels all alike: greatest deviation of thresholds": checked(
          greatestDeviation("thresholds", m, { noise: 0, cut: 0 }, random),
          Math.sqrt(Math.log(2 / delta) / (2 * m)),
          { delta },
        ),
        ...(await networkClaims(w, m, delta, context)),
        "bound by growth": checked(byGrowth, vcGapBound({ dimension, n: m, delta }).value!),
        // McDiarmid for the difference: an example of the first sample moves it by 1/m, one of the N others by 1/(mN).
        "greatest deviation less the mean of N others": checked(
          Math.abs(first! - mean),
          Math.sqrt(((1 + 1 / others.length) * Math.log(2 / delta)) / (2 * m)),
          { delta },
        ),
        "chance that one function deviates by at most c √(log(1/δ)), m = 1": checked(
          coinWithin(10 ** logC * Math.sqrt(Math.log(1 / near))),
          1 - near,
        ),
      },
    };
  },
});

/**
 * Labels are coin throws, so that every risk is 1/2. Networks (1, w, 1) have all signs with at most w changes: the best of
 * them deviates by max_s |sum_i s_i y_i| / (2m); w + 1 blocks, each with the sign of its majority, deviate as is said.
 */
async function networkClaims(w: number, m: number, delta: number, { random, scale }: RunContext) {
  const points = [...random.uniform(m)].sort((a, b) => a - b);
  const coins = () => points.map(() => (random.uniform() < 0.5 ? -1 : 1));
  const labels = coins();
  const { sum, signs } = bestSigns(labels, w);
  const deviation = sum / (2 * m);
  const network = denseNetwork(signNetwork(points, signs, w), "relu");
  const says = await valuesAt(network, points);
  const logGrowth = logNetworkGrowth({ widths: [1, w, 1] }, m);
  const P = 3 * w + 1;
  const block = Math.floor(m / (w + 1));
  const samples = scale(100);
  const sums = Array.from({ length: samples }, () => bestSigns(coins(), w).sum);
  return {
    "networks (1, w, 1), labels by a coin: greatest deviation": checked(
      deviation,
      growthGapBound({ logGrowth, n: m, delta }).value!,
      { delta },
    ),
    ...(block > 0 && {
      "networks (1, w, 1), from below: mean of N samples": checked(
        sums.reduce((a, b) => a + b) / (2 * m * samples),
        ((w + 1) * meanSize(block)) / (2 * m) - Math.sqrt(Math.log(1 / delta) / (2 * m * samples)),
        { delta },
      ),
    }),
    "networks (1, w, 1), by (1.14)": checked(deviation, Math.sqrt((P * Math.log(P)) / m), { delta }),
    "mistakes of the network that deviates most, on ONNX Runtime": checked(
      says.filter((v, i) => Math.sign(v) !== labels[i]).length,
      (m - sum) / 2,
    ),
  };
}

/** E |S_n| = n C(n - 1, floor((n - 1) / 2)) / 2^(n - 1) for a sum of n signs. */
function meanSize(n: number): number {
  let value = 1; // E |S_1|; E |S_(2k + 1)| = E |S_(2k)| (1 + 1 / 2k), and E |S_(2k)| = E |S_(2k - 1)|
  for (let k = 3; k <= n; k += 2) value *= k / (k - 1);
  return value;
}

/** The training error of the majority's label at each of some inputs; labels are coin throws. */
function majorityError(points: number, m: number, random: Random): number {
  const sums = new Int32Array(points);
  for (let i = 0; i < m; i++) sums[random.integer(0, points - 1)]! += random.uniform() < 0.5 ? -1 : 1;
  return sums.reduce((errors, s) => errors - Math.abs(s) / 2, m / 2) / m;
}

/** One function of risk 1/2 and one example: its deviation is |1/2 - 0| or |1/2 - 1|. */
const coinWithin = (width: number): number =>
  [0, 1].filter((loss) => Math.abs(0.5 - loss) <= width).length / 2;

/**
 * X is uniform on [0, 1], Y = 1 from the cut on, flipped with probability `noise`. R(f) - R^(f) is, for thresholds and
 * intervals alike, a constant and a difference of G at two ends, G(t) the centred signed mass of [0, t]; its sup is
 * found at examples, from both sides.
 */
function greatestDeviation(
  of: "thresholds" | "intervals",
  m: number,
  { noise, cut }: { readonly noise: number; readonly cut: number },
  random: Random,
): number {
  const examples = Array.from({ length: m }, () => {
    const x = random.uniform();
    const clean = x >= cut ? 1 : -1;
    return { x, y: random.uniform() < noise ? -clean : clean };
  }).sort((a, b) => a.x - b.x);
  // Saying 1 where Y = -1 is an error: the loss of f = 1 on A is 1{Y = 1} + sum over A of -Y.
  const positive = (1 - noise) * (1 - cut) + noise * cut;
  const constant = positive - examples.filter(({ y }) => y > 0).length / m;
  const signed = (t: number): number => (1 - 2 * noise) * (Math.max(0, t - cut) - Math.min(t, cut));
  // G(t) = E[-Y; X <= t] - its mean on the sample; extremes lie at 0, at examples (before and after), at the cut, at 1.
  const values: number[] = [0];
  let sum = 0;
  let passedCut = false;
  for (const { x, y } of examples) {
    if (!passedCut && x >= cut) {
      values.push(-signed(cut) + sum / m);
      passedCut = true;
    }
    values.push(-signed(x) + sum / m);
    sum += y;
    values.push(-signed(x) + sum / m);
  }
  if (!passedCut) values.push(-signed(cut) + sum / m);
  const last = -signed(1) + sum / m;
  values.push(last);
  if (of === "thresholds") return Math.max(...values.map((g) => Math.abs(constant + last - g)));
  // f = 1 on [s, t], s <= t: constant + G(t) - G(s).
  let [low, high, most] = [0, 0, Math.abs(constant)];
  for (const g of values) {
    low = Math.min(low, g);
    high = Math.max(high, g);
    most = Math.max(most, Math.abs(constant + g - low), Math.abs(constant + g - high));
  }
  return most;
}

function figure(
  of: "thresholds" | "intervals",
  law: { readonly noise: number; readonly cut: number },
  delta: number,
  random: Random,
): Figure {
  const sizes = [10, 20, 50, 100, 200, 500, 1000, 2000];
  const dimension = of === "thresholds" ? 1 : 2;
  const growth = (m: number): number => Math.log(of === "thresholds" ? m + 1 : (m * (m + 1)) / 2 + 1);
  return {
    title: `Greatest deviation of ${of}, δ = ${Number(delta.toPrecision(2))}`,
    panels: [
      {
        title: `Noise ${Number(law.noise.toPrecision(2))}`,
        x: { label: "examples m", scale: "log" },
        y: { label: "sup |R − R̂|", scale: "log" },
        series: [
          {
            name: "20 samples each",
            mark: "dots",
            points: sizes.flatMap((m) =>
              Array.from({ length: 20 }, () => [m, greatestDeviation(of, m, law, random)] as const),
            ),
          },
          {
            name: "bound by the growth function",
            mark: "line",
            role: "theory",
            points: sizes.map((m) => [m, growthGapBound({ logGrowth: growth(m), n: m, delta }).value!]),
          },
          {
            name: "bound by the VC dimension",
            mark: "line",
            role: "theory",
            points: sizes.map((m) => [m, vcGapBound({ dimension, n: m, delta }).value!]),
          },
        ],
      },
    ],
  };
}
