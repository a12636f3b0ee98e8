import {
  drawSignedThresholds,
  drawThresholds,
  representedValue,
  thresholdMass,
  thresholdSecondMoment,
} from "../../approximate/barron/representation.ts";
import {
  ballPoints,
  meanSquaredGap,
  type Points,
  type RidgeSum,
  ridgeNetwork,
  ridgeValues,
} from "../../approximate/barron/ridge-sum.ts";
import {
  euclideanLength,
  type SpectralFunction,
  type WeightedWave,
} from "../../approximate/barron/spectral-function.ts";
import { spectralNodes } from "../../approximate/barron/spectral-quadrature.ts";
import { barronTarget } from "../../approximate/barron/targets.ts";
import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { mean } from "../../numbers/sum.ts";
import { atMost, checked, equals, type Measurement, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { barronRepresentationFigure } from "./barron-representation-figure.ts";

/** Often enough that the widths of Hoeffding's inequality are narrow. */
const delta = 0.25;

export default lemma({
  id: "T-08",
  covers: ["T-08"],
  kind: "construction",
  title: "Fourier transforms as networks of infinitely many thresholds",
  source: "Telgarsky, Theorem 2.12 and Example 2.18(2)",
  statement: String.raw`g(x) - g(0) = \iint q(w, b) \mathbf{1}[w^\top x \ge b] \, db \, dw \;\; (\|x\| \le 1), \qquad q(w, b) = -4 \pi |\tilde g(w)| \sin(2 \pi (b + \theta(w))) \mathbf{1}[0 \le b \le \|w\|], \qquad \iint |q| \le 2 \int \|\widetilde{\nabla g}\| = 2 C`,
  parameters: {
    g: choice(["odd", "gaussian", "packet", "bumps", "waves"], { label: "function" }),
    d: integer({ min: 1, max: 6, default: 1, label: "variables d" }),
    s: real({ min: 0.4, max: 5, default: 0.5, label: "width s" }),
    k: integer({ min: 1, max: 200, default: 60, label: "thresholds k" }),
  },
  claims: {
    "infinite width at a point of the ball": equals("g(x) - g(0)"),
    "infinite width at |x| = 3/2, off g": equals("0").printed({
      where: "Theorem 2.12",
      printed: String.raw`Suppose $g, \tilde{g} \in L_1$ and $g(0) = 0$ [...] Then $g(x) = \iint q(w, b) \mathbf{1}[w^\top x \geq b] \, db \, dw.$`,
      corrected: String.raw`for $\|x\| \le 1$, which no hypothesis says: the thresholds $b$ of $q$ end at $\|w\|$, and (2.11) needs $|w^\top x| \le \|w\|$`,
    }),
    "one frequency, off (2.11)": equals("0").printed({
      where: "(2.11), last equality",
      printed: String.raw`\cos(2\pi (w^\top x + \theta_{\tilde{g}}(w))) - \cos(2\pi \theta_{\tilde{g}}(w)) [...] = 2\pi \int_0^{\|w\|} \left[ \sin(2\pi (-b + \theta_{\tilde{g}}(-w))) - \sin(2\pi (b + \theta_{\tilde{g}}(w))) \right] \mathbf{1}[w^\top x \geq b] \, db`,
      corrected: String.raw`it holds for the mean over $w$ and $-w$, and so after integration against $|\tilde g(w)| \, dw$`,
    }),
    "one frequency and its opposite": equals("0"),
    "mass of q": atMost(
      String.raw`2 \int \|\widetilde{\nabla g}(w)\| \, dw \text{ (reached as odd } g \text{ become wide)}`,
    ).looseBy(1.01),
    "mean of n thresholds at a point": equals(
      String.raw`g(x) - g(0) \pm 2 C \sqrt{2 \ln(2/\delta) / n} \quad (\text{Hoeffding})`,
    ).probable(),
    "mean of n thresholds ± mass at a point": equals(
      String.raw`g(x) - g(0) \pm \|\mu\|_1 \sqrt{2 \ln(2/\delta) / n} \quad (\text{Hoeffding})`,
    ).probable(),
    "mean square of n thresholds at a point": equals(
      String.raw`v(x) = 4 C^2 \, \mathbb{E} \sin^2(2 \pi (b + \theta(w))) \mathbf{1}[w^\top x \ge b] \pm 4 C^2 \sqrt{\ln(2/\delta) / 2 n}`,
    ).probable(),
    "expected squared error of k thresholds, (v - (g - g(0))²) / k, on a sphere": atMost(
      String.raw`2 C^2 / k, \text{ since at most one of } w \text{ and } -w \text{ has } w^\top x \ge b > 0`,
    ).looseBy(1.1),
    "error on ONNX Runtime": equals("error of the sample"),
  },
  mutants: {
    "2π for 4π: only one of w and -w": {
      "infinite width at a point of the ball": (_, { theory }) => theory / 2,
    },
    "offsets up to |w| / 2": { "mass of q": (_, { theory }) => theory / 2 },
    "g(0) = 0 forgotten": {
      "mean of n thresholds ± mass at a point": ({ g, d, s }, { theory }) =>
        theory + barronTarget(g, d, s).value(new Float64Array(d)),
    },
  },
  async run({ g: name, d, s, k }, { random, scale, progress, budget }) {
    const g = barronTarget(name, d, s);
    const nodes = g.atoms || d <= 3 ? spectrum(g, budget === "cheap") : undefined;
    const points = ballPoints(d, scale(1000), random.split("points"));
    const truth = Float64Array.from(points, (x) => g.value(x));
    const C = g.moment(1);
    const sample = drawThresholds(g, k, random.split("sample"));
    const values = ridgeValues(sample, points);
    await progress(0.3);
    const mass = nodes && g.tight ? thresholdMass(nodes) : undefined;
    const network = ridgeNetwork(sample);
    const n = scale(50000);
    const x = points.at(-1)!;
    const change = g.value(x) - g.value(new Float64Array(d));
    const draws = hits(drawThresholds(g, n, random.split("mean")), x);
    return {
      graph: network,
      ...(budget === "cheap" ? {} : { figure: barronRepresentationFigure(g, random.split("figure")) }),
      claims: {
        ...(nodes ? quadratureClaims(g, nodes, points[0]!) : {}),
        ...(nodes && name === "odd" ? { "infinite width at |x| = 3/2, off g": outside(g, nodes) } : {}),
        ...frequencyClaims(g, points[0]!, random.split("one")),
        "mean of n thresholds at a point": sampled(mean(draws), change, {
          delta,
          tolerance: 2 * C * Math.sqrt((2 * Math.log(2 / delta)) / n),
        }),
        ...(mass !== undefined && {
          "mean of n thresholds ± mass at a point": sampled(
            mean(hits(drawSignedThresholds(g, n, mass, random.split("signed")), x)),
            change,
            { delta, tolerance: mass * Math.sqrt((2 * Math.log(2 / delta)) / n) },
          ),
        }),
        ...(nodes && {
          "mean square of n thresholds at a point": sampled(
            mean(draws.map((v) => v * v)),
            thresholdSecondMoment(nodes, C, x),
            { delta, tolerance: 4 * C ** 2 * Math.sqrt(Math.log(2 / delta) / (2 * n)) },
          ),
          "expected squared error of k thresholds, (v - (g - g(0))²) / k, on a sphere": onSphere(
            g,
            nodes,
            k,
            x,
          ),
        }),
        // Sums of k weights of size 2 C / k in another order.
        "error on ONNX Runtime": sampled(
          Math.sqrt(meanSquaredGap(truth, await valuesOn(network, points))),
          Math.sqrt(meanSquaredGap(truth, values)),
          { tolerance: 1e-12 * (1 + C) },
        ),
      },
    };
  },
});

/** The nodes that matter: the rest is below the rounding of the sum. */
function spectrum(g: SpectralFunction, isCheap: boolean): readonly WeightedWave[] {
  const nodes = spectralNodes(g, isCheap ? { panels: 10 } : {});
  const size = (w: WeightedWave): number => w.weight * (1 + euclideanLength(w.omega));
  const most = Math.max(...nodes.map((w) => w.weight)) * 1e-13;
  return g.atoms ? nodes : nodes.filter((w) => size(w) > most);
}

function quadratureClaims(g: SpectralFunction, nodes: readonly WeightedWave[], x: Float64Array) {
  const first = nodes.reduce((sum, w) => sum + w.weight * euclideanLength(w.omega), 0);
  return {
    // The quadrature over frequencies; frequencies up to about 20 on a ball need no more directions than it has.
    "infinite width at a point of the ball": checked(
      representedValue(nodes, "threshold", x),
      g.value(x) - g.value(x.map(() => 0)),
      { tolerance: 1e-6 },
    ),
    "mass of q": checked(thresholdMass(nodes), 2 * first),
  };
}

function outside(g: SpectralFunction, nodes: readonly WeightedWave[]): Measurement {
  const x = Float64Array.from({ length: g.dimension }, (_, i) => (i === 0 ? 1.5 : 0));
  const off = Math.abs(representedValue(nodes, "threshold", x) - g.value(x));
  return checked(off, 0, { tolerance: 1e-6 }); // of the quadrature, as above
}

/** At x / |x|, where the thresholds vary most. */
function onSphere(
  g: SpectralFunction,
  nodes: readonly WeightedWave[],
  k: number,
  x: Float64Array,
): Measurement {
  const C = g.moment(1);
  const unit = x.map((v) => v / euclideanLength(x));
  const change = g.value(unit) - g.value(x.map(() => 0));
  return checked((thresholdSecondMoment(nodes, C, unit) - change ** 2) / k, (2 * C ** 2) / k);
}

/** (2.11) at one w: with a = 2 pi |w|, z = <w, x> / |w|, the last line is 2 (cos(a z_+ + theta) - cos theta). */
function frequencyClaims(g: SpectralFunction, x: Float64Array, random: Random) {
  const { omega, phase } = g.draw(1, random);
  const turn = omega.reduce((sum, w, i) => sum + w * x[i]!, 0);
  const wave = Math.cos(turn + phase) - Math.cos(phase);
  const last = (t: number, theta: number): number => 2 * (Math.cos(Math.max(0, t) + theta) - Math.cos(theta));
  return {
    "one frequency, off (2.11)": checked(Math.abs(wave - last(turn, phase)), 0, { tolerance: 1e-12 }),
    "one frequency and its opposite": checked(
      Math.abs(wave - (last(turn, phase) + last(-turn, -phase)) / 2),
      0,
      { tolerance: 1e-12 }, // of the cosines
    ),
  };
}

/** The units of a sum at x, each times their number: their mean is the sum without its bias. */
const hits = ({ units }: RidgeSum, x: Float64Array): readonly number[] =>
  units.map(({ direction, offset, weight }) => (dot(direction, x) >= offset ? units.length * weight : 0));

async function valuesOn(network: Graph, points: Points): Promise<Float64Array> {
  const { y } = await run(network, { x: tensor(points.map((x) => [...x])) });
  return Float64Array.from(numbers(y!));
}
