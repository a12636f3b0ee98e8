import type { Figure, Panel } from "../../figure/figure.ts";
import { type GeneralizationBound, tightestBound } from "../../generalization/bounds/bound.ts";
import { classifierBounds } from "../../generalization/bounds/classifier-bounds.ts";
import {
  drawIndexed,
  halfSpaceLaw,
  indexedRisk,
  type KnownLaw,
  knownRisk,
} from "../../generalization/bounds/known-law.ts";
import { gaussianPacBayesBound } from "../../generalization/bounds/pac-bayes.ts";
import { coinMemory } from "../../generalization/memorization/coin-memory.ts";
import type { Random } from "../../numbers/random.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { type ShallowNet, scoreOf, shallowNorms, trainShallow } from "./vacuity-network.ts";

export default lemma({
  id: "C1a-25",
  covers: ["C1a-25"],
  kind: "measure",
  title: "What the bounds say of one trained network",
  source: "Book, chapter 1, (1.14) and sect. 1.1.3",
  statement: String.raw`\mathcal R(f_S) \le \min_k B_k, \; \delta = \sum_k \delta_k; \qquad B_k \ge 1: \text{ vacuous, such as } \sqrt{P \ln P / m} = 21.4 \text{ for } P = 1.6 \cdot 10^6, \; m = 50\,000`,
  parameters: {
    n: integer({ min: 10, max: 600, default: 400, label: "examples" }),
    d: integer({ min: 2, max: 6, default: 3, label: "inputs" }),
    width: integer({ min: 2, max: 8, default: 4, label: "hidden units" }),
    noise: real({ min: 0, max: 0.4, default: 0.05, label: "noise of the labels" }),
    layers: integer({ min: 2, max: 4, default: 2, label: "layers of a network that memorizes" }),
    delta: real({ min: 0.001, max: 0.05, default: 0.05, label: "δ" }),
  },
  claims: {
    "risk of the network": atMost("least of its bounds").probable().looseBy(1.2),
    // A network that knows coin throws by heart has risk 1/2, whatever it saw: how loose each bound is where it must not fail.
    "coin throws by heart, Occam": atMost("\\text{bound by 64 bits a parameter}").probable().looseBy(35),
    "coin throws by heart, VC": atMost(String.raw`\sqrt{2 \ln \mathrm{growth}(n) / n} + \dots`)
      .probable()
      .looseBy(2),
    "coin throws by heart, norms": atMost("\\text{margin bound by Frobenius norms}").probable().looseBy(7),
    "coin throws by heart, spectral": atMost("\\text{spectral margin bound}").probable().looseBy(6000),
    "coin throws by heart, PAC-Bayes margins": atMost("\\text{PAC-Bayes margin bound}")
      .probable()
      .looseBy(9e4),
    "coin throws by heart, covering": atMost("\\text{bound by covering numbers}").probable().looseBy(15),
    "risk of the network with noisy weights": atMost("PAC-Bayes bound").probable().looseBy(1.8),
    "√(P ln P / m) of the book's example": equals("21.4, \\text{ vacuous}"),
    "bounds with an unmet hypothesis that still give a number": equals("0"),
  },
  mutants: {
    "the 2 of symmetrization forgotten": { "coin throws by heart, norms": (_, { theory }) => theory / 2 },
    "2 ln growth without its 2": { "coin throws by heart, VC": (_, { theory }) => theory / Math.SQRT2 },
    "decimal logarithm": {
      "√(P ln P / m) of the book's example": () => Math.sqrt((1.6e6 * Math.log10(1.6e6)) / 5e4),
    },
  },
  run({ n, d, width, noise, layers, delta }, { random, scale, budget }) {
    const law = halfSpaceLaw(100, d, noise, random);
    const sample = drawIndexed(law, n, random);
    const start = randomStart(d, width, random);
    const network = trainShallow(start, law, sample, 60);
    const scores = law.points.map((x) => scoreOf(network, x));
    const says = (j: number): number => Number(scores[j]! > 0);
    const risk = knownRisk(law, says);
    const train = indexedRisk(sample, says);
    const margins = Array.from(sample.inputs, (j, i) => sample.labels[i]! * scores[j]!);
    const bounds = boundsOf(network, margins, { n, delta: delta / 8, train });
    const best = tightestBound(bounds)!;
    const noisy = noisyWeights(start, network, { law, sample, draws: scale(200), n, delta, random });
    const memory = memoryBounds(5 * n, layers, delta / 8, random);
    const byHeart = (id: string) => {
      const found = memory.filter((b) => b.id.startsWith(id) && b.id !== "occam-kl"); // which is 1 here
      return checked(0.5, Math.min(...found.map((b) => b.value!)), { delta: delta / 4 });
    };
    const refused = boundsOf(network, margins, { n, delta: delta / 8, train, biasFree: false });
    return {
      graph: denseNetwork([{ W: network.W }, { W: [network.a] }], "relu"),
      ...(budget === "cheap" ? {} : { figure: figure(start, law, random) }),
      claims: {
        "risk of the network": checked(risk, best.value!, { delta: best.delta }),
        "coin throws by heart, Occam": byHeart("occam"),
        "coin throws by heart, VC": byHeart("vc-network"),
        "coin throws by heart, norms": byHeart("rademacher-norm"),
        "coin throws by heart, spectral": byHeart("spectral-margin"),
        "coin throws by heart, PAC-Bayes margins": byHeart("pac-bayes-margin"),
        "coin throws by heart, covering": byHeart("covering"),
        "risk of the network with noisy weights": checked(noisy.risk, noisy.bound.value!, {
          delta: delta + noisy.riskDelta,
        }),
        "√(P ln P / m) of the book's example": checked(Math.sqrt((1.6e6 * Math.log(1.6e6)) / 5e4), 21.4, {
          tolerance: 0.05,
        }),
        "bounds with an unmet hypothesis that still give a number": checked(
          refused.filter((b) => b.unmet.length > 0 && b.value !== undefined).length,
          0,
        ),
      },
    };
  },
});

const randomStart = (d: number, width: number, random: Random): ShallowNet => ({
  W: Array.from({ length: width }, () => Array.from(random.normal(d), (v) => v / Math.sqrt(d))),
  a: Array.from(random.normal(width), (v) => v / Math.sqrt(width)),
});

/** Every bound that reads off one network, at the same share of delta. */
function boundsOf(
  network: ShallowNet,
  margins: readonly number[],
  o: { readonly n: number; readonly delta: number; readonly train: number; readonly biasFree?: boolean },
): readonly GeneralizationBound[] {
  const widths = [network.W[0]!.length, network.W.length, 1];
  const norms = shallowNorms(network);
  return classifierBounds({
    n: o.n,
    delta: o.delta,
    widths,
    parameters: widths[0]! * widths[1]! + widths[1]!,
    bits: 64,
    trainError: o.train,
    margins,
    ...norms,
    lastRowNorm: norms.frobeniusNorms[1]!,
    dataNorm: Math.sqrt(o.n), // inputs lie on the unit sphere
    inputRadius: 1,
    greatestParameter: Math.max(...network.W.flat().map(Math.abs), ...network.a.map(Math.abs)),
    activation: "relu",
    biasFree: o.biasFree ?? true,
    layered: true,
    fullyConnected: true,
  });
}

/** Every bound of a network that fits coin throws: f(x) = <w, x> on unit vectors of so many dimensions that few come twice. */
function memoryBounds(
  n: number,
  layers: number,
  delta: number,
  random: Random,
): readonly GeneralizationBound[] {
  const memory = coinMemory(n, layers, random);
  return classifierBounds({
    ...memory,
    ...{ n, delta, bits: 64, lastRowNorm: memory.frobeniusNorms.at(-1)!, activation: "relu" as const },
    ...{ biasFree: true, layered: true, fullyConnected: true },
  });
}

/** Q = N(weights, s^2 I) around the trained network, priors around the start; s was fixed beforehand. */
function noisyWeights(
  start: ShallowNet,
  network: ShallowNet,
  {
    law,
    sample,
    draws,
    n,
    delta,
    random,
  }: {
    readonly law: KnownLaw;
    readonly sample: ReturnType<typeof drawIndexed>;
    readonly draws: number;
    readonly n: number;
    readonly delta: number;
    readonly random: Random;
  },
) {
  const s = 0.5;
  const flat = ({ W, a }: ShallowNet): readonly number[] => [...W.flat(), ...a];
  const [from, to] = [flat(start), flat(network)];
  const meanOf = (count: number, value: (says: (j: number) => number) => number): number => {
    let sum = 0;
    for (let k = 0; k < count; k++) {
      const drawn: ShallowNet = {
        W: network.W.map((row) => row.map((v) => v + s * random.normal())),
        a: network.a.map((v) => v + s * random.normal()),
      };
      const scores = law.points.map((x) => scoreOf(drawn, x));
      sum += value((j) => Number(scores[j]! > 0));
    }
    return Math.min(1, sum / count);
  };
  const empirical = meanOf(draws, (says) => indexedRisk(sample, says));
  const risk = meanOf(10 * draws, (says) => knownRisk(law, says));
  const q = {
    parameters: to.length,
    squaredDistance: to.reduce((sum, v, k) => sum + (v - from[k]!) ** 2, 0),
    varianceSum: to.length * s ** 2,
    logVarianceSum: 2 * to.length * Math.log(s),
  };
  const bound = gaussianPacBayesBound(q, {
    empirical,
    n,
    delta,
    draws,
    grid: { ceiling: 100, precision: 100 },
  });
  // The true risk of Q is estimated by draws, too: a lower estimate of it, by Hoeffding.
  const riskDelta = 1e-3;
  return { bound, risk: risk - Math.sqrt(Math.log(1 / riskDelta) / (20 * draws)), riskDelta };
}

/** The same start trained on ever more examples. */
function figure(start: ShallowNet, law: KnownLaw, random: Random): Figure {
  const sizes = [100, 300, 1000, 3000, 10_000, 30_000];
  const rows = sizes.map((n) => {
    const sample = drawIndexed(law, n, random.split(n));
    const network = trainShallow(start, law, sample, 200);
    const scores = law.points.map((x) => scoreOf(network, x));
    const says = (j: number): number => Number(scores[j]! > 0);
    const margins = Array.from(sample.inputs, (j, i) => sample.labels[i]! * scores[j]!);
    const train = indexedRisk(sample, says);
    const noisy = noisyWeights(start, network, { law, sample, draws: 50, n, delta: 0.05, random });
    const bounds = [...boundsOf(network, margins, { n, delta: 0.05, train }), noisy.bound];
    return { n, bounds, risk: knownRisk(law, says) };
  });
  const panel = (title: string, has: (bound: GeneralizationBound) => boolean): Panel => ({
    title,
    x: { label: "examples", scale: "log" },
    y: { label: "probability of error", scale: "log" },
    series: [
      ...rows[0]!.bounds.flatMap((b, k) =>
        has(b)
          ? [
              {
                name: b.name,
                mark: "line" as const,
                role: "theory" as const,
                points: rows.map((row) => [row.n, row.bounds[k]!.value!] as const),
              },
            ]
          : [],
      ),
      { name: "vacuous from here on", mark: "line", points: sizes.map((n) => [n, 1] as const) },
      {
        name: "true risk",
        mark: "dots",
        points: rows.flatMap(({ n, risk }) => (risk > 0 ? [[n, risk] as const] : [])),
      },
    ],
  });
  const byNorms = ({ id }: GeneralizationBound): boolean => /margin|norm/.test(id);
  return {
    title: "What the bounds say of one network, trained on ever more examples; each at δ = 0.05",
    panels: [panel("By counting", (b) => !byNorms(b)), panel("By norms and margins", byNorms)],
  };
}
