import { taylorData } from "../../approximate/sobolev/taylor-data.ts";
import { graphOnBox, localPolynomials, sobolevApproximation } from "../../approximate/sobolev/yarotsky.ts";
import { factorial } from "../../numbers/factorial.ts";
import { atMost, checked, fitted, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import {
  derivativeBound,
  gridPoints,
  remainderBound,
  remainderSizes,
  smoothErrorSeen,
  smoothFormula,
  smoothNames,
  unitSides,
} from "../telgarsky/sobolev-targets.ts";
import { sobolevFigure } from "./sobolev-figure.ts";

const log4 = (x: number): number => Math.log(x) / Math.log(4);

export default lemma({
  id: "C3-15",
  covers: ["C3-15", "C1a-53"],
  kind: "construction",
  title: "Smooth functions by local polynomials: a certified network for every error",
  source: "Mathematical Aspects of Deep Learning, Theorems 3.10 (r = 0) and 1.25 (s = 0, p = ∞)",
  statement: String.raw`\|f - \Phi_{f,\varepsilon}\|_\infty \le \varepsilon, \qquad M(\Phi_{f,\varepsilon}) \lesssim \varepsilon^{-d/n} \log_2^2(1/\varepsilon), \qquad L(\Phi_{f,\varepsilon}) \lesssim \log_2(1/\varepsilon)`,
  parameters: {
    f: choice(smoothNames, { label: "function" }),
    a: real({ min: 0.25, max: 4, default: 2, label: "steepness" }),
    d: integer({ min: 1, max: 2, default: 2, label: "variables d" }),
    n: integer({ min: 1, max: 4, default: 3, label: "smoothness n" }),
    digits: real({ min: 1, max: 4, default: 2, label: "digits" }),
  },
  claims: {
    "certified error of a run in f64": atMost(
      String.raw`\varepsilon = 10^{-\text{digits}}, \text{ or the least error of as many cells as fit}`,
    ),
    "error on ONNX Runtime": atMost(String.raw`\text{the certified error of a run in f64}`),
    "error of the local polynomials": atMost(
      String.raw`\tfrac{d^n}{n!} \left(\tfrac{2}{3N}\right)^n \max_{|\alpha|=n} \|D^\alpha f\|_\infty`,
    ).looseBy(1.1),
    "nonzero weights": atMost(
      String.raw`(39 + 2N)(1 + \nu \varepsilon^{-1/n})^d + 40 \cdot 2^d N (4 + \log_4 \tfrac{F}{\varepsilon}) + 60 d (2 + \nu \varepsilon^{-1/n}), \; N = \tbinom{d+n-1}{d}, \; \nu = \tfrac d2 \left(\tfrac{1.3 F_n}{n!}\right)^{1/n}`,
    ).looseBy(2),
    "hidden layers": atMost(String.raw`6 + (2 + \log_2 n)(6 + \log_4(F/\varepsilon))`).looseBy(1.5),
    "bound on the Taylor remainder against N, exponent": atMost("-n").rate(),
    "hidden units": atMost(String.raw`\text{those of one architecture, with no weight zero}`),
  },
  mutants: {
    "Taylor polynomials of degree n": {
      "bound on the Taylor remainder against N, exponent": ({ n }) => -n - 1,
    },
    "half the radius of a cell": { "error of the local polynomials": ({ n }, { theory }) => theory / 2 ** n },
    "a digit lost": ({ digits }) => ({ digits: digits - 1 }),
  },
  async run({ f, a, d, n, digits }, { random, scale, budget, progress }) {
    const formula = smoothFormula[f](d, Number(a.toPrecision(6)));
    const sides = unitSides(d);
    const F = Math.max(1e-3, derivativeBound(formula, d, [n, n], 4));
    const all = Math.max(1, derivativeBound(formula, d, [0, n], 4));
    // F^(1/n) d / (n!)^(1/n) / 2 cells a side for eps = 1, by the bound below and the share that products get.
    const nu = (d * ((1.3 * F) / factorial(n)) ** (1 / n)) / 2;
    const cellsThatFit = (budget === "cheap" ? 1500 : 20_000) ** (1 / d) - 1;
    const eps = Math.max(10 ** -digits, (nu / cellsThatFit) ** n);
    const made = sobolevApproximation({ formula, box: sides, eps, order: n });
    await progress(0.4);
    const seen = await smoothErrorSeen(made.network, formula, gridPoints(d, made.cells, scale(1000), random));
    const data = taylorData(graphOnBox(formula, sides), sides, n, made.cells);
    const other = taylorData(
      graphOnBox(`exp(${sides.map((s) => s.name).join(" + ")})`, sides),
      sides,
      n,
      made.cells,
    );
    const rival = localPolynomials(other, made.levels, "table");
    await progress(0.6);
    const graph = graphOnBox(formula, sides);
    const grids = remainderSizes(d).map((cells) => [cells, remainderBound(graph, d, n, cells)] as const);
    const count = data.indices.length;
    const gates = 2 ** d * 2 * count * 20;
    const weights = (39 + 2 * count) * (1 + nu * eps ** (-1 / n)) ** d;
    return {
      graph: made.network,
      figure: budget === "cheap" ? undefined : await sobolevFigure({ formula, d, n, eps, random }),
      claims: {
        "certified error of a run in f64": proved(made.certificate.runError, eps),
        // The formula itself is computed in doubles.
        "error on ONNX Runtime": sampled(seen, made.certificate.runError, { tolerance: 2 ** -44 }),
        "error of the local polynomials": proved(
          data.error,
          ((derivativeBound(formula, d, [n, n], made.cells) * d ** n) / factorial(n)) *
            (2 / (3 * made.cells)) ** n +
            2 ** -40, // rounded coefficients
        ),
        // An inequality with all its constants: products outweigh cells at these errors, and no exponent could be fitted.
        "nonzero weights": checked(
          made.nonzeros,
          weights + gates * (4 + log4(all / eps)) + 60 * d * (2 + nu * eps ** (-1 / n)),
        ),
        "hidden layers": checked(made.depth, 6 + (2 + Math.log2(n)) * (6 + log4((all * 2 ** d) / eps))),
        "bound on the Taylor remainder against N, exponent": fitted(grids, -n),
        "hidden units": checked(made.units, rival.units),
      },
    };
  },
});
