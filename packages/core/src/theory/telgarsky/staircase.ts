import { run } from "../../engine/run.ts";
import type { Figure, Panel } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { complexity } from "../../networks/layers/layers.ts";
import { lipschitz, type Target, targets } from "../../networks/spline/target.ts";
import {
  gridSteps,
  midpointSteps,
  type Steps,
  staircase,
  staircaseError,
  variationSteps,
} from "../../networks/threshold/staircase.ts";
import { variation } from "../../networks/threshold/variation.ts";
import { toNumber } from "../../numbers/exact/rational.ts";
import { supDistance } from "../../passes/distance.ts";
import { limitsOf, linearPieces, type PiecewiseLinear } from "../../passes/pieces.ts";
import { atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { greatestError } from "../line.ts";
import { choice, real } from "../parameter.ts";

// Not claimed, for want of a consequence that could fail: the printed proof writes x_i for x, and its sum starts at
// i = 0 where the weights start at 1; Remark 2.2 means that |x| takes degree Omega(1/eps), not O(1/eps).

/** Values of g, a few units in the last place of numbers below 3, and of ceil(rho / eps). */
const rounding = 1e-14;
const on = [0, 1] as const;

export default lemma({
  id: "T-03",
  covers: ["T-03"],
  kind: "construction",
  title: "Staircases of thresholds",
  source: "Telgarsky, Proposition 2.1",
  statement: String.raw`f(x) = \sum_{i=1}^{m} a_i \mathbf{1}[x \ge b_i], \; m = \lceil \rho / \epsilon \rceil, \qquad \sup_{x \in [0,1]} |f(x) - g(x)| \le \epsilon`,
  parameters: {
    g: choice(["sine", "ramp", "wave", "square", "cube", "exp", "runge"], { label: "function" }),
    eps: real({ min: 0.05, max: 1, default: 0.1, label: "error ε" }),
  },
  claims: {
    "sup error": atMost(String.raw`\epsilon`),
    "sup error, exact (polynomials)": atMost(String.raw`\epsilon`),
    units: equals(String.raw`\lceil \rho / \epsilon \rceil`),
    "error at the thresholds": equals("0"),
    "sup error, values at midpoints": atMost(String.raw`\epsilon`),
    "units, values at midpoints": equals(String.raw`\lceil \rho / 2 \epsilon \rceil`),
    "sup error, steps of equal variation": atMost(String.raw`\epsilon`),
    "units, steps of equal variation": equals(String.raw`\lceil \mathrm{TV}(g) / 2 \epsilon \rceil`),
    "steps in flat parts, equal variation": equals("0"),
    "error on ONNX Runtime": equals("sup error"),
  },
  mutants: {
    "cells of half the width": { "sup error": ({ eps }) => eps / 2 },
    "a value at the middle of a cell that is no wider": {
      "units, values at midpoints": ({ g, eps }) => Math.ceil(lipschitz(targets[g], on) / eps),
    },
    "the Lipschitz constant for the variation": {
      "units, steps of equal variation": ({ g, eps }) => Math.ceil(lipschitz(targets[g], on) / (2 * eps)),
    },
  },
  async run({ g: name, eps }) {
    const g: Target = targets[name];
    const rho = lipschitz(g, on);
    const [grid, middle, adaptive] = [gridSteps(g, eps), midpointSteps(g, eps), variationSteps(g, eps)];
    const network = staircase(grid);
    const pieces = linearPieces(network, 0, 1);
    const error = staircaseError(stepsOf(pieces), g);
    const polynomial = polynomials[name];
    const units = (steps: Steps): number => complexity(staircase(steps)).architecture[1]!;
    const within = (steps: Steps) => checked(staircaseError(steps, g), eps, { tolerance: rounding });
    const flat = adaptive.thresholds.slice(1).filter((b) => g.derivative(b) === 0 && g.second(b) === 0);
    return {
      graph: network,
      figure: figure(g, eps, grid, adaptive),
      claims: {
        "sup error": within(stepsOf(pieces)),
        ...(polynomial
          ? { "sup error, exact (polynomials)": proved(supDistance(pieces, polynomial).upper, eps) }
          : {}),
        units: checked(units(grid), Math.ceil(rho / eps)),
        "error at the thresholds": checked(
          Math.max(
            ...(await values(network, grid.thresholds)).map((f, i) =>
              Math.abs(f - g.value(grid.thresholds[i]!)),
            ),
          ),
          0,
          { tolerance: 1e-12 }, // the sum of up to 300 rounded weights
        ),
        "sup error, values at midpoints": within(middle),
        "units, values at midpoints": checked(units(middle), Math.ceil(rho / (2 * eps))),
        "sup error, steps of equal variation": within(adaptive),
        "units, steps of equal variation": checked(
          units(adaptive),
          Math.ceil(variation(g, on).total / (2 * eps)),
        ),
        ...(name === "ramp" ? { "steps in flat parts, equal variation": checked(flat.length, 0) } : {}),
        "error on ONNX Runtime": sampled(await runtimeError(grid, g), error, { tolerance: 1e-12 }),
      },
    };
  },
});

const polynomials: Readonly<Record<string, readonly number[]>> = { square: [0, 0, 1], cube: [0, 0, 0, 1] };

/** The steps that the network really makes: exact, from its weights. */
function stepsOf(f: PiecewiseLinear): Steps {
  const thresholds = f.knots.slice(0, -1).map(toNumber);
  return { thresholds, levels: limitsOf(f).right.slice(0, -1).map(toNumber) };
}

const values = async (network: ReturnType<typeof staircase>, points: readonly number[]): Promise<number[]> =>
  Array.from(numbers((await run(network, { x: tensor(points.map((x) => [x])) })).y!));

/** At the thresholds, just before them, at the turning points of g, and at 1: among them are all extremes. */
async function runtimeError(steps: Steps, g: Target): Promise<number> {
  const before = steps.thresholds.slice(1).map((b) => b * (1 - 2 ** -52));
  const points = [...steps.thresholds, ...before, ...g.turns, 1].filter((x) => x >= 0 && x <= 1);
  return greatestError(staircase(steps), points, g.value);
}

const drawn = ({ thresholds, levels }: Steps) =>
  [...thresholds.map((b, i) => [b, levels[i]!] as const), [1, levels.at(-1)!] as const] as const;

function figure(g: Target, eps: number, grid: Steps, adaptive: Steps): Figure {
  const xs = Array.from({ length: 201 }, (_, k) => k / 200);
  const stairs: Panel = {
    title: `${g.formula} to ±${eps}`,
    x: { label: "x" },
    y: { label: "value" },
    series: [
      { name: g.formula, mark: "line", role: "theory", points: xs.map((x) => [x, g.value(x)]) },
      { name: `uniform grid: ${grid.thresholds.length} thresholds`, mark: "step", points: drawn(grid) },
      { name: `equal variation: ${adaptive.thresholds.length}`, mark: "step", points: drawn(adaptive) },
    ],
  };
  const [rho, total] = [lipschitz(g, on), variation(g, on).total];
  const levels = [0.5, 0.3, 0.2, 0.1, 0.05, 0.03, 0.02, 0.01].map((e) => e * Math.max(1, total));
  const measured = (make: (g: Target, eps: number) => Steps) =>
    levels
      .map((e) => make(g, e))
      .map((steps) => [steps.thresholds.length, staircaseError(steps, g)] as const);
  const bound = (scale: number) => levels.map((e) => [Math.max(1, scale / e), e] as const);
  const cost: Panel = {
    title: "Sup error against thresholds",
    x: { label: "thresholds", scale: "log" },
    y: { label: "sup error", scale: "log" },
    series: [
      { name: "uniform grid", mark: "dots", points: measured(gridSteps) },
      { name: "values at midpoints", mark: "dots", points: measured(midpointSteps) },
      { name: "equal variation", mark: "dots", points: measured(variationSteps) },
      { name: `theory: ρ/m, ρ = ${short(rho)}`, mark: "line", role: "theory", points: bound(rho) },
      { name: "theory: ρ/2m", mark: "line", role: "theory", points: bound(rho / 2) },
      { name: `theory: TV/2m, TV = ${short(total)}`, mark: "line", role: "theory", points: bound(total / 2) },
    ],
  };
  return { title: `A staircase for ${g.formula}`, panels: [stairs, cost] };
}

const short = (x: number): string => String(Number(x.toPrecision(4)));
