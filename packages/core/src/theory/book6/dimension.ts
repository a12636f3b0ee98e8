import {
  closedUnit,
  denseKernel,
  kernelJacobian,
  randomParameters,
  rankOf,
} from "../../discrete/stochastic/dimension.ts";
import type { Figure } from "../../figure/figure.ts";
import { createRandom } from "../../numbers/random.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const sigma = (z: number): number => 1 / (1 + Math.exp(-z));
const tables = (d: number, s: number): number => 2 ** d * (2 ** s - 1);
const parameterCount = (d: number, m: number, s: number): number => d * m + m + s * m + s;

/** The greatest difference of a derivative from a quotient of differences, for one parameter. */
function slopeError(d: number, m: number, s: number, random: ReturnType<typeof createRandom>): number {
  const parameters = randomParameters(random, [d, m, s]);
  const [layer, h] = [random.integer(0, 1), 1e-5];
  const unit = random.integer(0, parameters[layer]!.length - 1);
  const column = random.integer(0, parameters[layer]![unit]!.length - 1);
  const place =
    parameters.slice(0, layer).reduce((n, units) => n + units.length * units[0]!.length, 0) +
    unit * parameters[layer]![0]!.length +
    column;
  const moved = (by: number): number[] =>
    denseKernel(
      parameters.map((units, l) =>
        units.map((row, u) => row.map((v, c) => (l === layer && u === unit && c === column ? v + by : v))),
      ),
      d,
    ).flatMap((row) => [...row]);
  const [up, down] = [moved(h), moved(-h)];
  return kernelJacobian(parameters, d)[place]!.reduce(
    (most, v, k) => Math.max(most, Math.abs(v - (up[k]! - down[k]!) / (2 * h))),
    0,
  );
}

export default lemma({
  id: "C6-25",
  covers: ["C6-24", "C6-25"],
  kind: "measure",
  title: "How many dimensions the kernels of an architecture have",
  source: "Book, chapter 6, Proposition 6.20, Theorem 6.21, section 6.11",
  statement: String.raw`\operatorname{rank} \frac{\partial P}{\partial \theta} \le \min \bigl( dm + m + sm + s, \; 2^d (2^s - 1) \bigr)`,
  parameters: {
    d: integer({ min: 1, max: 2, default: 2, label: "inputs d" }),
    m: integer({ min: 1, max: 5, default: 3, label: "hidden units m" }),
    s: integer({ min: 1, max: 3, default: 2, label: "outputs s" }),
  },
  claims: {
    "dimension of a shallow network": atMost(String.raw`\min(dm + m + sm + s, 2^d (2^s - 1))`),
    "dimension without hidden units": equals("s (d + 1)"),
    "dimension with the hidden units of Theorem 6.2": equals("2^d (2^s - 1)"),
    "derivatives and differences": equals("0"),
    "unit on the closure, difference from the sigmoid": equals("0"),
    "unit on the closure, weight minus infinity": equals("0"),
    "limits of a unit along two ways to the same point, difference": equals("0").printed({
      where: "proof of Proposition 6.20",
      printed: String.raw`Since the map  $\psi_S$  is continuous and its domain is compact and its co-domain is Hausdorff, the image  $\psi_S([0, 1]^{m+1})$  is closed.`,
      corrected: String.raw`$\psi_S$ is $0/0$ where some $\omega_j = 0$ and some $\gamma_k = 0$ act together, and has no limit there; Theorem 6.21 survives, since the kernels are a semialgebraic set of no more dimensions than parameters`,
    }),
  },
  mutants: {
    "biases forgotten": { "dimension without hidden units": ({ d, s }) => s * d },
    "tables with a free sum": {
      "dimension with the hidden units of Theorem 6.2": ({ d, s }) => 2 ** (d + s),
    },
    "a dimension less": { "dimension of a shallow network": (_, { theory }) => theory - 1 },
  },
  run({ d, m, s }, { random, budget }) {
    const rank = (widths: readonly number[]): number =>
      rankOf(kernelJacobian(randomParameters(random, widths), d));
    const w = Array.from({ length: d + 1 }, () => random.normal());
    const bits = w.map((_, k) => (k === 0 ? 1 : random.integer(0, 1)));
    const closed = w.map((v) => ({ value: Math.exp(-Math.abs(v)), isNegative: v < 0 }));
    const along = (t: number, u: number): number => sigma(-t + u);
    return {
      figure: budget === "cheap" ? undefined : figure(),
      claims: {
        "dimension of a shallow network": sampled(
          rank([d, m, s]),
          Math.min(parameterCount(d, m, s), tables(d, s)),
        ),
        "dimension without hidden units": sampled(rank([d, s]), s * (d + 1)),
        ...(d * s <= 4 && {
          "dimension with the hidden units of Theorem 6.2": sampled(
            rank([d, 2 ** (d - 1) * (2 ** s - 1), s]),
            tables(d, s),
          ),
        }),
        "derivatives and differences": sampled(slopeError(d, m, s, random), 0, {
          tolerance: 1e-9, // of second order in 1e-5, and rounding 2^-53 over 1e-5
        }),
        "unit on the closure, difference from the sigmoid": checked(
          Math.abs(closedUnit(closed, bits) - sigma(w.reduce((z, v, k) => z + v * bits[k]!, 0))),
          0,
          { tolerance: 2 ** -50 },
        ),
        "unit on the closure, weight minus infinity": checked(
          closedUnit([{ value: 0, isNegative: true }], [1]),
          0,
        ),
        // w_1 to minus, w_2 to plus infinity, one twice as fast as the other: both ways end at omega_1 = gamma_2 = 0.
        "limits of a unit along two ways to the same point, difference": checked(
          along(40, 80) - along(80, 40),
          0,
        ),
      },
    };
  },
});

function figure(): Figure {
  const [d, s] = [2, 2];
  const sizes = [0, 1, 2, 3, 4, 5, 6];
  const random = createRandom("dimension");
  const rank = (m: number): number =>
    rankOf(kernelJacobian(randomParameters(random, m === 0 ? [d, s] : [d, m, s]), d));
  return {
    title: "Kernels of two bits given two, by shallow networks",
    panels: [
      {
        title: "Dimension against hidden units",
        x: { label: "hidden units m" },
        y: { label: "dimension" },
        series: [
          { name: "rank of the derivatives", mark: "dots", points: sizes.map((m) => [m, rank(m)] as const) },
          {
            name: "theory: parameters, at most 2^d (2^s - 1)",
            mark: "line",
            role: "theory",
            points: sizes.map(
              (m) => [m, Math.min(m === 0 ? s * (d + 1) : parameterCount(d, m, s), tables(d, s))] as const,
            ),
          },
        ],
      },
    ],
  };
}
