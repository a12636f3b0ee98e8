import type { Figure } from "../../figure/figure.ts";
import { activation } from "../../functions/activation.ts";
import { covariancesOf } from "../../landscape/linear/covariances.ts";
import { linearLandscape } from "../../landscape/linear/critical-points.ts";
import {
  criticalPointFrom,
  type FoundPoint,
  rankCorrelation,
} from "../../landscape/statistics/critical-search.ts";
import {
  type SmallTask,
  type SmoothRisk,
  smallNetworkRisk,
} from "../../landscape/statistics/small-network.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

export default lemma({
  id: "C1b-15",
  covers: ["C1b-15"],
  kind: "measure",
  title: "Index of critical points against the loss",
  source: "Book, chapter 1, sect. 1.5.1; Dauphin et al. 2014",
  statement: String.raw`\text{index}(\theta) = \#\{\lambda_k(\nabla^2 r(\theta)) < 0\} \text{ at } \nabla r(\theta) = 0, \text{ against } r(\theta)`,
  parameters: {
    rho: choice(["tanh", "linear"], { label: "activation" }),
    hidden: integer({ min: 1, max: 3, default: 2, label: "hidden units" }),
  },
  claims: {
    "least eigenvalue of the Hessian, by the risk itself along its vector":
      equals(String.raw`\lambda_{\min}`),
    "slope there, by the risk itself, over the gradient's at the start": equals("0"),
    "linear: distance of a risk from the nearest R_J, relative": equals("0"),
    "linear: index at points of full rank less the inversions of J": equals("0"),
    "linear, one unit: rank correlation of index and risk": equals("1"),
  },
  mutants: {
    "half of the Hessian": {
      "least eigenvalue of the Hessian, by the risk itself along its vector": (_, { theory }) =>
        theory / 2 + 1e-3,
    },
    "risk and index go opposite ways": {
      "linear, one unit: rank correlation of index and risk": () => -1,
    },
    "every saddle has one way down more": {
      "linear: index at points of full rank less the inversions of J": () => 1,
    },
  },
  async run({ rho, hidden }, { random, budget, scale, progress }) {
    const isLinear = rho === "linear";
    const task = drawTask(isLinear, random.split("task"));
    const risk = smallNetworkRisk(task, activation(rho), hidden);
    const points = await search(risk, budget === "cheap" ? 8 : scale(150), random.split("starts"), progress);
    const correlation = rankCorrelation(
      points.map(({ index }) => index),
      points.map((p) => p.risk),
    );
    return {
      ...(budget !== "cheap" && { figure: figure(points, risk.size, rho) }),
      table: {
        title: `critical points; rank correlation of index and risk ${correlation.toFixed(3)}`,
        columns: ["risk", "negative eigenvalues", "of", "norm of the gradient", "least eigenvalue"],
        rows: points.map((p) => [p.risk, p.index, risk.size, p.gradientNorm, p.eigenvalues[0]!]),
      },
      claims: {
        ...(points.length > 0 && byValues(risk, points[0]!)),
        ...(isLinear && points.length > 0 && againstTheory(task, hidden, points)),
      },
    };
  },
});

function drawTask(isLinear: boolean, random: Random): SmallTask {
  const [m, d, outputs] = isLinear ? [12, 3, 3] : [12, 3, 1];
  const inputs = Array.from({ length: m }, (_, i) => {
    const x = random.split(`x ${i}`).normal(d);
    return isLinear ? x : Float64Array.of(x[0]!, x[1]!, 1);
  });
  return { inputs, targets: inputs.map((_, i) => random.split(`y ${i}`).normal(outputs)) };
}

/** From points along a descent, with noise: the search ends near, at whatever kind of critical point there is. */
async function search(
  risk: SmoothRisk,
  starts: number,
  random: Random,
  progress: (share: number) => Promise<void> | void,
): Promise<readonly FoundPoint[]> {
  const found: FoundPoint[] = [];
  for (let k = 0; k < starts; k++) {
    const draw = random.split(`${k}`);
    let theta = draw.normal(risk.size);
    for (let step = 0; step < (k % 5) * 10; step++) {
      const slope = risk.gradient(theta);
      theta = theta.map((w, a) => w - 0.05 * slope[a]!);
    }
    const noise = draw.normal(risk.size);
    const point = criticalPointFrom(
      risk,
      theta.map((w, a) => w + 0.3 * noise[a]!),
    );
    // Far away a saturated unit is flat: no critical point, but a slope below any number.
    if (point?.theta.every((w) => Math.abs(w) < 20)) found.push(point);
    await progress((k + 1) / starts);
  }
  return found;
}

function byValues(risk: SmoothRisk, point: FoundPoint) {
  const { vectors, values } = symmetricEigen(risk.hessian(point.theta).map((row) => [...row]));
  const at = (t: number): number => risk.value(point.theta.map((w, k) => w + t * vectors[0]![k]!));
  const step = 1e-3;
  const [up, down] = [at(step), at(-step)];
  return {
    // Fourth derivatives: the second difference is off by step^2 / 12 times one, which is below 10^3 for weights of some units,
    // and by rounding of the risk over step^2.
    "least eigenvalue of the Hessian, by the risk itself along its vector": checked(
      (up + down - 2 * point.risk) / step ** 2,
      values[0]!,
      { tolerance: 1e-4 * (1 + Math.abs(values.at(-1)!)) + (8 * 2 ** -53 * point.risk) / step ** 2 },
    ),
    // Third derivatives take step^2 / 6 of themselves.
    "slope there, by the risk itself, over the gradient's at the start": checked(
      (up - down) / (2 * step),
      0,
      {
        tolerance: 1e-4 * (1 + Math.abs(values.at(-1)!)),
      },
    ),
  };
}

function againstTheory({ inputs, targets }: SmallTask, hidden: number, points: readonly FoundPoint[]) {
  const { classes, eigenvalues } = linearLandscape(
    covariancesOf(
      inputs.map((x) => [...x]),
      targets.map((y) => [...y]),
    ),
    hidden,
  );
  const scale = classes.at(-1)!.risk;
  const nearest = points.map((p) =>
    classes.reduce((best, c) => (Math.abs(c.risk - p.risk) < Math.abs(best.risk - p.risk) ? c : best)),
  );
  // Two classes of nearly one risk cannot be told apart by it.
  const isSure = (k: number): boolean =>
    classes.filter((c) => Math.abs(c.risk - points[k]!.risk) < 1e-3 * eigenvalues[0]!).length === 1 &&
    nearest[k]!.chosen.length === hidden;
  const off = points.flatMap((p, k) => (isSure(k) ? [Math.abs(p.index - nearest[k]!.index)] : []));
  const correlation = rankCorrelation(
    points.map(({ index }) => index),
    points.map((p) => Number(p.risk.toPrecision(8))),
  );
  const isVaried = new Set(points.map(({ index }) => index)).size > 1;
  return {
    // A gradient of 10^-8 leaves the risk within 10^-16 of the value over the least curvature.
    "linear: distance of a risk from the nearest R_J, relative": checked(
      Math.max(...points.map((p, k) => Math.abs(p.risk - nearest[k]!.risk) / scale)),
      0,
      { tolerance: 1e-7 },
    ),
    ...(off.length > 0 && {
      "linear: index at points of full rank less the inversions of J": checked(Math.max(...off), 0),
    }),
    ...(hidden === 1 &&
      isVaried && {
        "linear, one unit: rank correlation of index and risk": checked(correlation, 1, { tolerance: 1e-12 }),
      }),
  };
}

const figure = (points: readonly FoundPoint[], size: number, rho: string): Figure => ({
  title: `Critical points of a small ${rho} network`,
  panels: [
    {
      title: "Directions that lead down, against the risk",
      x: { label: "risk" },
      y: { label: `negative eigenvalues of ${size}` },
      series: [
        { name: "critical points", mark: "dots", points: points.map((p) => [p.risk, p.index] as const) },
      ],
    },
  ],
});
