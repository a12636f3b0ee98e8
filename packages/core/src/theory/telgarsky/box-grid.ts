import { boxGridNetwork } from "../../approximate/sobolev/box-indicator.ts";
import type { Figure } from "../../figure/figure.ts";
import { mean } from "../../numbers/sum.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { type Point, valuesAt } from "./plane.ts";

/** Functions with Lipschitz constant 1 in the Euclidean norm. */
const functions: Readonly<Record<string, (x: Point) => number>> = {
  "mean direction": (x) => x.reduce((a, b) => a + b, 0) / Math.sqrt(x.length),
  "distance to the middle": (x) => Math.sqrt(x.reduce((sum, c) => sum + (c - 0.5) ** 2, 0)),
  wave: (x) => Math.sin(x.reduce((a, b) => a + b, 0) / Math.sqrt(x.length)),
};

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
    rho: real({ min: 0.25, max: 2, default: 1, label: "Lipschitz constant ρ" }),
    eps: real({ min: 0.2, max: 0.5, default: 0.2, label: "error ε" }),
  },
  claims: {
    "L1 error": atMost(String.raw`2\varepsilon`).looseBy(1.5),
    "sup error of the step function": atMost(String.raw`\varepsilon`),
    "L1 distance to the step function, less √3 standard deviations": atMost(
      String.raw`\varepsilon \quad (\delta = 1/4, \text{ Cantelli})`,
    ).probable(),
    "hidden units": equals("d(3k + 1) + k^d"),
    "hidden layers": equals("2"),
    "sup error of the step function, printed k": atMost(String.raw`\varepsilon`).printed({
      where: "Theorem 2.3, first line of the proof",
      printed: String.raw`Pick $k := \lceil \rho/(\epsilon\sqrt{d}) \rceil$ [...] $|h(x) - g(x)| = |a_s - g(x)| = |g(u_s) - g(x)| \leq \rho \|u_s - x\| \leq \epsilon.$`,
      corrected: String.raw`$k := \lceil \rho \sqrt d / \epsilon \rceil$: a cell has the diameter $\sqrt d / k$, and the printed $k$ allows $d\epsilon$`,
    }),
    "sup error with the printed k, in truth": atMost(String.raw`d \varepsilon`),
  },
  mutants: {
    "a cell of diameter 1/k": {
      "sup error of the step function": ({ d, eps }) => eps / Math.sqrt(d),
    },
    "boxes that share whole walls": { "hidden units": ({ d, rho, eps }) => unitsOf(d, rho, eps, 2) },
    "the half of d ε": {
      "sup error with the printed k, in truth": ({ d, eps }) => (d * eps) / 2,
    },
  },
  async run({ g: name, d, rho, eps }, { random, scale, budget, progress }) {
    const g = (x: Point): number => rho * functions[name]!(x);
    const k = Math.ceil((rho * Math.sqrt(d)) / eps);
    const made = boxGridNetwork(g, d, k, eps);
    const { hiddenUnits, depth } = sizes(made.network);
    await progress(0.4);
    const points = Array.from({ length: scale(4000) }, () => [...random.uniform(d)]);
    const values = await valuesAt(made.network, points);
    const off = (f: (x: Point) => number): number[] => points.map((x, i) => Math.abs(values[i]! - f(x)));
    const ramps = off((x) => g(corner(x, k)));
    const spread = Math.sqrt(ramps.reduce((sum, e) => sum + (e - mean(ramps)) ** 2, 0)) / ramps.length;
    const printed = Math.ceil(rho / (eps * Math.sqrt(d)));
    return {
      graph: made.network,
      figure: budget === "cheap" ? undefined : figure(rho, eps),
      claims: {
        "L1 error": sampled(mean(off(g)), 2 * eps),
        "sup error of the step function": sampled(stepError(g, d, k, points), eps),
        "L1 distance to the step function, less √3 standard deviations": sampled(
          mean(ramps) - Math.sqrt(3) * spread,
          eps,
          { delta: 1 / 4 },
        ),
        "hidden units": checked(hiddenUnits!, unitsOf(d, rho, eps, 3)),
        "hidden layers": checked(depth, 2),
        "sup error of the step function, printed k": sampled(stepError(g, d, printed, points), eps),
        "sup error with the printed k, in truth": sampled(stepError(g, d, printed, points), d * eps, {
          tolerance: 2 ** -40,
        }),
      },
    };
  },
});

/** Units with so many ramps for each wall of cells, and one for the last. */
const unitsOf = (d: number, rho: number, eps: number, ramps: number): number => {
  const k = Math.ceil((rho * Math.sqrt(d)) / eps);
  return d * (ramps * k + 1) + k ** d;
};

/** The least corner of x's cell. */
const corner = (x: Point, k: number): Point => x.map((c) => Math.min(k - 1, Math.floor(c * k)) / k);

/** The greatest |g(x) - g(corner of x's cell)|, at points and just below the far corners of cells. */
function stepError(g: (x: Point) => number, d: number, k: number, points: readonly Point[]): number {
  const near = (x: Point): Point => corner(x, k).map((c) => c + (1 - 2 ** -30) / k);
  const all = [...points, ...points.map(near), new Array<number>(d).fill((1 - 2 ** -30) / k)];
  return all.reduce((most, x) => Math.max(most, Math.abs(g(x) - g(corner(x, k)))), 0);
}

function figure(rho: number, eps: number): Figure {
  const errors = Array.from({ length: 13 }, (_, k) => eps * 2 ** (1 - k / 2));
  return {
    title: "Boxes on a grid: the curse of dimension",
    panels: [
      {
        title: `Units for a Lipschitz constant ${rho.toPrecision(2)}`,
        x: { label: "ε", scale: "log" },
        y: { label: "hidden units", scale: "log" },
        series: [1, 2, 3, 5].flatMap((d) => [
          {
            name: `d = ${d}`,
            mark: "dots" as const,
            points: errors.map((e) => [e, unitsOf(d, rho, e, 3)] as const),
          },
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
