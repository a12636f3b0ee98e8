import {
  drawSignedThresholds,
  drawThresholds,
  representedValue,
  thresholdMass,
} from "../../approximate/barron/representation.ts";
import {
  ballPoints,
  meanSquaredGap,
  type Points,
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
import type { Random } from "../../engine/random.ts";
import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { barronRepresentationFigure } from "./barron-representation-figure.ts";

const delta = 0.05;

export default lemma({
  id: "T-08",
  covers: ["T-08"],
  kind: "construction",
  title: "Fourier transforms as networks of infinitely many thresholds",
  source: "Telgarsky, Theorem 2.12 and Example 2.18(2)",
  statement: String.raw`g(x) - g(0) = \iint q(w, b) \mathbf{1}[w^\top x \ge b] \, db \, dw \;\; (\|x\| \le 1), \qquad q(w, b) = -4 \pi |\tilde g(w)| \sin(2 \pi (b + \theta(w))) \mathbf{1}[0 \le b \le \|w\|], \qquad \iint |q| \le 2 \int \|\widetilde{\nabla g}\| = 2 C`,
  parameters: {
    g: choice(["odd", "gaussian", "packet", "bumps", "waves"], { label: "function" }),
    d: integer({ min: 1, max: 10, default: 1, label: "variables d" }),
    s: real({ min: 0.4, max: 2, default: 0.5, label: "width s" }),
    k: integer({ min: 1, max: 200, default: 60, label: "thresholds k" }),
  },
  claims: {
    "infinite width in the ball, off g - g(0)": equals("0"),
    "infinite width at |x| = 3/2, as printed": equals("0").printed({
      where: "Theorem 2.12",
      printed: String.raw`$g(x) = \iint q(w, b) \mathbf{1}[w^\top x \ge b] \, db \, dw$ for all $x$`,
      corrected: String.raw`for $\|x\| \le 1$: thresholds $b$ end at $\|w\|$, so that $w^\top x \le \|w\|$ is needed in (2.11)`,
    }),
    "one frequency, as printed": equals("0").printed({
      where: "(2.11), last equality",
      printed: String.raw`$\cos(2 \pi (w^\top x + \theta(w))) - \cos(2 \pi \theta(w)) = 2 \pi \int_0^{\|w\|} [\sin(2 \pi (-b + \theta(-w))) - \sin(2 \pi (b + \theta(w)))] \mathbf{1}[w^\top x \ge b] \, db$`,
      corrected: String.raw`it holds for the mean over $w$ and $-w$, and so after integration against $|\tilde g(w)| \, dw$`,
    }),
    "one frequency and its opposite": equals("0"),
    "mass of q": atMost(String.raw`2 \int \|\widetilde{\nabla g}(w)\| \, dw`),
    "mass of q, as printed": atMost(String.raw`2 \|\widehat{\nabla f}(w)\|`).printed({
      where: "Example 2.18(2)",
      printed: String.raw`$\|\mu\|_1 \le 2 \|\widehat{\nabla f}(w)\|$, error at most $4 \|\widehat{\nabla f}(w)\|^2 / k$`,
      corrected: String.raw`$\|\mu\|_1 \le 2 \int \|\widehat{\nabla f}(w)\| \, dw$, error at most $4 (\int \|\widehat{\nabla f}(w)\| \, dw)^2 / k$`,
    }),
    "mean of n thresholds at a point, off g - g(0)": atMost(
      String.raw`2 C \sqrt{2 \ln(2/\delta) / n} \quad (\text{Hoeffding})`,
    ).probable(),
    "squared error of a sample": atMost(
      String.raw`\tfrac{4 C^2}{k} (1 + \sqrt{2 \ln(1/\delta)})^2 \quad (\text{McDiarmid})`,
    ).probable(),
    "squared error of a signed sample": atMost(
      String.raw`\tfrac{\|\mu\|_1^2}{k} (1 + \sqrt{2 \ln(1/\delta)})^2`,
    ).probable(),
    "error on ONNX Runtime": equals("error of the sample"),
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
    const factor = (1 + Math.sqrt(2 * Math.log(1 / delta))) ** 2;
    const network = ridgeNetwork(sample);
    const signed = mass && drawSignedThresholds(g, k, mass, random.split("signed"));
    const n = scale(20000);
    return {
      graph: network,
      ...(budget === "cheap" ? {} : { figure: barronRepresentationFigure(g, random.split("figure")) }),
      claims: {
        ...(nodes ? quadratureClaims(g, nodes, points.slice(0, 2), random.split("frequency")) : {}),
        ...frequencyClaims(g, points[0]!, random.split("one")),
        "mean of n thresholds at a point, off g - g(0)": sampled(
          Math.abs(meanAt(g, points.at(-1)!, n, random.split("mean"))),
          2 * C * Math.sqrt((2 * Math.log(2 / delta)) / n),
          { delta },
        ),
        "squared error of a sample": sampled(meanSquaredGap(truth, values), ((4 * C ** 2) / k) * factor, {
          delta,
        }),
        ...(signed
          ? {
              "squared error of a signed sample": sampled(
                meanSquaredGap(truth, ridgeValues(signed, points)),
                (mass ** 2 / k) * factor,
                { delta },
              ),
            }
          : {}),
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

const represented = (g: SpectralFunction, nodes: readonly WeightedWave[], x: Float64Array): number =>
  Math.abs(representedValue(nodes, "threshold", x) - (g.value(x) - g.value(x.map(() => 0))));

function quadratureClaims(
  g: SpectralFunction,
  nodes: readonly WeightedWave[],
  points: Points,
  random: Random,
) {
  const outside = Float64Array.from({ length: g.dimension }, (_, i) => (i === 0 ? 1.5 : 0));
  const [first, mass] = [
    nodes.reduce((sum, w) => sum + w.weight * euclideanLength(w.omega), 0),
    thresholdMass(nodes),
  ];
  const omega = random.sphere(g.dimension).map((v) => 4 * g.bandwidth * v); // some w far out: it is free in the text
  const at = g.transform?.(omega);
  return {
    // The quadrature over frequencies; frequencies up to about 20 on a ball need no more directions than it has.
    "infinite width in the ball, off g - g(0)": checked(
      Math.max(...points.map((x) => represented(g, nodes, x))),
      0,
      {
        tolerance: 1e-6,
      },
    ),
    "infinite width at |x| = 3/2, as printed": checked(represented(g, nodes, outside), 0, {
      tolerance: 1e-6,
    }),
    "mass of q": checked(mass, 2 * first),
    ...(at
      ? {
          "mass of q, as printed": checked(
            mass,
            2 * euclideanLength(omega) * (2 * Math.PI) ** g.dimension * Math.hypot(...at),
          ),
        }
      : {}),
  };
}

/** (2.11) at one w: with a = 2 pi |w|, z = <w, x> / |w|, the last line is 2 (cos(a z_+ + theta) - cos theta). */
function frequencyClaims(g: SpectralFunction, x: Float64Array, random: Random) {
  const { omega, phase } = g.draw(1, random);
  const turn = omega.reduce((sum, w, i) => sum + w * x[i]!, 0);
  const wave = Math.cos(turn + phase) - Math.cos(phase);
  const last = (t: number, theta: number): number => 2 * (Math.cos(Math.max(0, t) + theta) - Math.cos(theta));
  return {
    "one frequency, as printed": checked(Math.abs(wave - last(turn, phase)), 0, { tolerance: 1e-12 }),
    "one frequency and its opposite": checked(
      Math.abs(wave - (last(turn, phase) + last(-turn, -phase)) / 2),
      0,
      { tolerance: 1e-12 }, // of the cosines
    ),
  };
}

function meanAt(g: SpectralFunction, x: Float64Array, n: number, random: Random): number {
  return ridgeValues(drawThresholds(g, n, random), [x])[0]! - g.value(x);
}

async function valuesOn(network: Graph, points: Points): Promise<Float64Array> {
  const { y } = await run(network, { x: tensor(points.map((x) => [...x])) });
  return Float64Array.from(numbers(y!));
}
