import type { Figure } from "../../figure/figure.ts";
import { linearRisk } from "../../landscape/linear/linear-risk.ts";
import {
  escapeTime,
  flowedEscapeTime,
  leadingEscapeTime,
  type ScalarChain,
} from "../../landscape/linear/scalar-chain.ts";
import { matrixAlgebra, rationals } from "../../linear-algebra/matrix-algebra.ts";
import { abs, compare, type Exact, mul } from "../../numbers/exact/rational.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atMost, checked, equals, fitted, proved } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C4-10",
  covers: ["C4-10"],
  kind: "experiment",
  title: "Depth makes the origin flat, and leaving it slow",
  source: "Book, chapter 4, (4.32)",
  statement: String.raw`\mathcal R(w) = \sigma_{yy} - 2 \sigma_{yx} w_1 \cdots w_L + \sigma_{xx} (w_1 \cdots w_L)^2: \quad \nabla^2 \mathcal R(0) = 0 \text{ for } L \ge 3, \qquad T(\varepsilon) \approx \frac{\ln(1/\varepsilon)}{2 \sigma_{yx}} \; (L = 2), \quad \frac{\varepsilon^{2 - L}}{2 \sigma_{yx} (L - 2)} \; (L \ge 3)`,
  parameters: {
    L: integer({ min: 2, max: 5, default: 3, label: "layers" }),
    xx: integer({ min: 1, max: 3, default: 1, label: "σ_xx" }),
    yx: integer({ min: 1, max: 3, default: 1, label: "σ_yx" }),
    eps: real({ min: 0.02, max: 0.2, default: 0.1, label: "start ε of every weight" }),
  },
  claims: {
    "greatest entry of the Hessian at the origin": equals(
      String.raw`2 \sigma_{yx} \; (L = 2), \; 0 \; (L \ge 3)`,
    ),
    "second derivative of (1 - u^L)² at 0": equals(String.raw`-4 \; (L = 2), \; 0 \; (L \ge 3)`),
    "time to half of the optimal product, by flow of all weights": equals(
      String.raw`\frac{1}{2 \sigma_{yx}} \int_\varepsilon^{w_T} \frac{dw}{w^{L-1} (1 - w^L \sigma_{xx} / \sigma_{yx})}`,
    ),
    "distance of the time from its leading term": atMost(
      String.raw`\frac{1}{2 \sigma_{yx}} \left( w_T^{2-L} + w_T^2 \sigma_{xx} / \sigma_{yx} \right), \; \text{with } |\ln w_T| \text{ for the first term if } L = 2`,
    ).looseBy(1.02),
    "time against the start, exponent": equals("2 - L").rate(),
  },
  mutants: {
    "the exponent of one layer fewer": { "time against the start, exponent": ({ L }) => 3 - L },
    "flow without the 2 of the square": {
      "time to half of the optimal product, by flow of all weights": (_, { theory }) => 2 * theory,
    },
    "a layer more": ({ L }) => ({ L: L + 1 }),
  },
  run({ L, xx, yx, eps }, { budget }) {
    const chain = { layers: L, xx, yx };
    const risk = linearRisk(matrixAlgebra(rationals), { xx: [[xx]], yx: [[yx]], yy: [[5]] });
    const origin = Array.from({ length: L }, () => [[0]]);
    const hessian = risk.hessian(origin).flat();
    const largest = hessian.reduce<Exact>((most, h) => (compare(abs(h), most) > 0 ? abs(h) : most), 0);
    const time = escapeTime(chain, eps);
    const end = (yx / (2 * xx)) ** (1 / L);
    const first = L === 2 ? Math.abs(Math.log(end)) : end ** (2 - L) / 1;
    const starts = [0.002, 0.001, 0.0005, 0.00025, 0.000125];
    return {
      graph: denseNetwork(
        origin.map(() => ({ W: [[eps]] })),
        "linear",
      ),
      ...(budget !== "cheap" && { figure: times(chain) }),
      claims: {
        "greatest entry of the Hessian at the origin": proved(largest, L === 2 ? 2 * yx : 0),
        // (1 - u^L)^2 is the chain with all weights equal to u and covariances 1: <d, H d> along d = (1, ..., 1).
        "second derivative of (1 - u^L)² at 0": proved(
          linearRisk(matrixAlgebra(rationals), { xx: [[1]], yx: [[1]], yy: [[1]] }).form(
            origin,
            origin.map(() => [[mul(1, 1)]]),
          ),
          L === 2 ? -4 : 0,
        ),
        "time to half of the optimal product, by flow of all weights": checked(
          flowedEscapeTime(chain, eps),
          time,
          // Runge and Kutta of fourth order with 200 steps a doubling.
          { tolerance: 1e-8 * time },
        ),
        "distance of the time from its leading term": checked(
          Math.abs(time - leadingEscapeTime(chain, eps)),
          (first + (end ** 2 * xx) / yx) / (2 * yx),
        ),
        ...(L > 2 && {
          "time against the start, exponent": fitted(
            starts.map((s) => [s, escapeTime(chain, s)] as const),
            2 - L,
            // The terms that do not grow, relative to those that do.
            0.01,
          ),
        }),
      },
    };
  },
});

function times({ xx, yx }: ScalarChain): Figure {
  const starts = Array.from({ length: 12 }, (_, k) => 0.2 / 1.4 ** k);
  const series = [2, 3, 4].flatMap((layers) => {
    const chain = { layers, xx, yx };
    return [
      {
        name: `${layers} layers`,
        mark: "dots" as const,
        points: starts.map((s) => [s, flowedEscapeTime(chain, s, 50)] as const),
      },
      {
        name: `leading term, ${layers} layers`,
        mark: "line" as const,
        role: "theory" as const,
        points: starts.map((s) => [s, leadingEscapeTime(chain, s)] as const),
      },
    ];
  });
  return {
    title: "How long gradient flow stays near the origin",
    panels: [
      {
        title: "Time to half of the optimal product",
        x: { label: "start ε", scale: "log" },
        y: { label: "time", scale: "log" },
        series,
      },
    ],
  };
}
