import { boxGridNetwork } from "../../approximate/sobolev/box-indicator.ts";
import type { Figure } from "../../figure/figure.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { HypothesisError, lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { type Point, valuesAt } from "./plane.ts";

/** Functions with Lipschitz constant 1 in the Euclidean norm. */
const functions: Readonly<Record<string, (x: Point) => number>> = {
  "mean direction": (x) => x.reduce((a, b) => a + b, 0) / Math.sqrt(x.length),
  "distance to the middle": (x) => Math.sqrt(x.reduce((sum, c) => sum + (c - 0.5) ** 2, 0)),
  wave: (x) => Math.sin(x.reduce((a, b) => a + b, 0) / Math.sqrt(x.length)),
};
const mostCells = 2 ** 14;

export default lemma({
  id: "T-05",
  covers: ["T-05"],
  kind: "construction",
  title: "Lipschitz functions by boxes on a grid: three layers, and the curse of dimension",
  source: "Telgarsky, Theorem 2.3",
  statement: String.raw`\int_{[0,1]^d} |f - g| \le 2\varepsilon \text{ with } k^d \text{ boxes}, \qquad k = \lceil \rho \sqrt d / \varepsilon \rceil`,
  parameters: {
    g: choice(["mean direction", "distance to the middle", "wave"], { label: "function" }),
    d: integer({ min: 1, max: 3, default: 2, label: "variables d" }),
    rho: real({ min: 0.25, max: 4, default: 1, label: "Lipschitz constant ρ" }),
    eps: real({ min: 0.05, max: 0.5, default: 0.15, label: "error ε" }),
  },
  claims: {
    "L1 error": atMost(String.raw`2\varepsilon`).probable(),
    "sup error of the step function": atMost(String.raw`\varepsilon`),
    "L1 error that the ramps cost": atMost(String.raw`\varepsilon`),
    "hidden units": equals("d(3k + 1) + k^d"),
    "hidden layers": equals("2"),
    "sup error of the step function, printed k": atMost(String.raw`\varepsilon`).printed({
      where: "Theorem 2.3, first line of the proof",
      printed: String.raw`k := \lceil \rho / (\varepsilon \sqrt d) \rceil \text{ and so } |h(x) - g(x)| \le \rho \|u_s - x\| \le \varepsilon`,
      corrected: String.raw`k := \lceil \rho \sqrt d / \varepsilon \rceil: \text{ a cell has diameter } \sqrt d / k, \text{ and the printed } k \text{ allows } d\varepsilon`,
    }),
    "sup error with the printed k, in truth": atMost(String.raw`d \varepsilon`),
  },
  async run({ g: name, d, rho, eps }, { random, scale, budget, progress }) {
    const g = (x: Point): number => rho * functions[name]!(x);
    const k = Math.ceil((rho * Math.sqrt(d)) / eps);
    if (k ** d > mostCells)
      throw new HypothesisError(
        `T-05: ${k}^${d} boxes are more than ${mostCells}: a larger eps, or fewer variables`,
      );
    const made = boxGridNetwork(g, d, k, eps);
    const { hiddenUnits, depth } = sizes(made.network);
    await progress(0.4);
    const points = Array.from({ length: scale(4000) }, () => [...random.uniform(d)]);
    const values = await valuesAt(made.network, points);
    const gaps = points.map((x, i) => Math.abs(values[i]! - g(x)));
    const mean = gaps.reduce((a, b) => a + b, 0) / gaps.length;
    const spread = Math.sqrt(gaps.reduce((sum, e) => sum + (e - mean) ** 2, 0) / gaps.length ** 2);
    const printed = Math.ceil(rho / (eps * Math.sqrt(d)));
    return {
      graph: made.network,
      figure: budget === "cheap" ? undefined : figure(rho, eps),
      claims: {
        "L1 error": sampled(mean - 6 * spread, 2 * eps, { delta: 1e-6 }),
        "sup error of the step function": sampled(stepError(g, d, k, points), eps),
        // The exact distance of T-04, times the weights; the last digits are rounded.
        "L1 error that the ramps cost": checked(made.rampError, eps, { tolerance: 2 ** -40 }),
        "hidden units": checked(hiddenUnits!, d * (3 * k + 1) + k ** d),
        "hidden layers": checked(depth, 2),
        "sup error of the step function, printed k": sampled(stepError(g, d, printed, points), eps),
        "sup error with the printed k, in truth": sampled(stepError(g, d, printed, points), d * eps, {
          tolerance: 2 ** -40,
        }),
      },
    };
  },
});

/** The greatest |g(x) - g(corner of x's cell)|, at points and just below the far corners of cells. */
function stepError(g: (x: Point) => number, d: number, k: number, points: readonly Point[]): number {
  const corner = (x: Point): Point => x.map((c) => Math.min(k - 1, Math.floor(c * k)) / k);
  const near = (x: Point): Point => corner(x).map((c) => c + (1 - 2 ** -30) / k);
  const all = [...points, ...points.map(near), new Array<number>(d).fill((1 - 2 ** -30) / k)];
  return all.reduce((most, x) => Math.max(most, Math.abs(g(x) - g(corner(x)))), 0);
}

function figure(rho: number, eps: number): Figure {
  const errors = Array.from({ length: 13 }, (_, k) => eps * 2 ** (1 - k / 2));
  const units = (d: number, e: number): number => {
    const k = Math.ceil((rho * Math.sqrt(d)) / e);
    return d * (3 * k + 1) + k ** d;
  };
  return {
    title: "Boxes on a grid: the curse of dimension",
    panels: [
      {
        title: `Units for a Lipschitz constant ${rho.toPrecision(2)}`,
        x: { label: "ε", scale: "log" },
        y: { label: "hidden units", scale: "log" },
        series: [1, 2, 3, 5].flatMap((d) => [
          { name: `d = ${d}`, mark: "dots" as const, points: errors.map((e) => [e, units(d, e)] as const) },
          {
            name: `(ρ√d/ε)^d, d = ${d}`,
            mark: "line" as const,
            role: "theory" as const,
            points: errors.map((e) => [e, ((rho * Math.sqrt(d)) / e) ** d] as const),
          },
        ]),
      },
    ],
  };
}
