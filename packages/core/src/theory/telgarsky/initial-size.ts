import {
  climbedSize,
  greatestOnCircle,
  sizeAtPointBound,
  sizeOnBallBound,
  sizeOnBallBySigns,
} from "../../dynamics/initial-size.ts";
import {
  drawShallow,
  type ShallowNetwork,
  shallowGraph,
  shallowValue,
} from "../../dynamics/shallow-network.ts";
import type { Figure } from "../../figure/figure.ts";
import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

/** Few enough units to try all their signs. */
const fewUnits = 8;
/** Directions of the circle at which the exact search is looked at again. */
const directions = 720;

export default lemma({
  id: "T-15",
  covers: ["T-15"],
  kind: "bound",
  title: "How large a network is at initialization",
  source: "Telgarsky, Lemma 3.15",
  statement: String.raw`|F(x; w_0)| \le 4 \|x\| \sqrt m \ln(2m / \delta), \qquad \sup_{\|x\| \le 1} |F(x; w_0)| \le 32 d \sqrt m \ln(m / \delta); \qquad \sup_{\|x\| \le 1} |F(x; w_0)| \le \Big( \sum_j \|v_j\|^2 \Big)^{1/2} \big( 1 + \sqrt{2 \ln(2 / \delta)} \big) \approx \sqrt{md} \, \big( 1 + \sqrt{2 \ln(2 / \delta)} \big)`,
  parameters: {
    d: integer({ min: 2, max: 24, default: 2, label: "inputs d" }),
    k: integer({ min: 2, max: 9, default: 8, label: "log₂ of the units m" }),
    r: real({ min: 0.1, max: 3, default: 1, label: "length of x" }),
    delta: real({ min: 0.01, max: 0.4, default: 0.1, label: "δ" }),
  },
  claims: {
    "mean of F(x)² over all signs of 8 units": equals(String.raw`\textstyle\sum_j \sigma(v_j^\top x)^2`),
    "|F(x)|, given the rows": atMost(
      String.raw`\big( 2 \ln(2 / \delta) \textstyle\sum_j \sigma(v_j^\top x)^2 \big)^{1/2} \quad (\text{Hoeffding})`,
    ).probable(),
    "|F(x)|": atMost(String.raw`4 \|x\| \sqrt m \ln(2m / \delta)`).probable().looseBy(3),
    "longest row": atMost(String.raw`\sqrt d + \sqrt{2 \ln(m / \delta)}`).probable(),
    "longest row, as printed": atMost(String.raw`1 + \sqrt{2 \ln(m / \delta)}`).probable().printed({
      where: "proof of Lemma 3.15, part 2",
      printed: String.raw`by standard Gaussian concentration and a union bound, with probability at least $1 - \delta_1$, then $\max_j \|v_j\| \leq 1 + \sqrt{2 \ln(m/\delta_1)}$`,
      corrected: String.raw`$\max_j \|v_j\| \leq \sqrt d + \sqrt{2 \ln(m/\delta_1)}$: a row has the length $\sqrt d$, nearly`,
    }),
    "probability of both events, δ₀ = 2δ₁ = δ": atMost("1").printed({
      where: "proof of Lemma 3.15, part 2",
      printed: String.raw`Together, with probability at least $1 - \delta_1 + \delta_0$`,
      corrected: String.raw`with probability at least $1 - \delta_1 - \delta_0$`,
    }),
    "greatest |F| on the circle, arc by arc": equals(
      String.raw`\max |F(\cos t, \sin t)|, \text{ by search over } t`,
    ),
    "greatest |F| on the ball": atMost(
      String.raw`\big( \textstyle\sum_j \|v_j\|^2 \big)^{1/2} \big( 1 + \sqrt{2 \ln(2 / \delta)} \big)`,
    )
      .probable()
      .looseBy(1.3),
    "greatest |F| on the ball, as the text before Theorem 3.10 has it": atMost(
      String.raw`4 \sqrt{m d \ln(m / \delta)}`,
    )
      .probable()
      .looseBy(1.5),
    "greatest |F| on the ball, as Lemma 3.15 has it": atMost(String.raw`32 d \sqrt m \ln(m / \delta)`)
      .probable()
      .looseBy(25),
  },
  mutants: {
    "squares of all units, on or off": {
      "mean of F(x)² over all signs of 8 units": (_, { theory }) => 2 * theory,
    },
    "a row of length 1": { "longest row": ({ d }, { theory }) => theory - Math.sqrt(d) + 1 },
    "one side of the circle": {
      "greatest |F| on the circle, arc by arc": (_, { theory }) => theory / 2,
    },
  },
  async run({ d, k, r, delta }, { random, budget, progress }) {
    const m = 2 ** k;
    const network = drawShallow("relu", m, d, random.split("network"));
    const x = random
      .split("x")
      .sphere(d)
      .map((v) => r * v);
    const units = network.V.map((v) => Math.max(0, dot(v, x)));
    const [squares, few] = [sumOfSquares(units), units.slice(0, fewUnits)];
    await progress(0.2);
    const starts = random.split("starts");
    const most =
      d === 2
        ? greatestOnCircle(network)
        : Math.max(...Array.from({ length: 8 }, () => climbedSize(network, starts.sphere(d))));
    const plane = drawShallow("relu", Math.min(m, 40), 2, random.split("plane"));
    const onCircle = searchedOnCircle(plane);
    const longest = Math.max(...network.V.map((v) => Math.sqrt(dot(v, v))));
    const spread = Math.sqrt(2 * Math.log(m / delta));
    return {
      graph: shallowGraph(network),
      ...(budget !== "cheap" && { figure: figure(delta, random.split("figure")) }),
      claims: {
        "mean of F(x)² over all signs of 8 units": checked(overAllSigns(few), sumOfSquares(few), {
          tolerance: 2 ** -44 * sumOfSquares(few),
        }),
        "|F(x)|, given the rows": sampled(
          Math.abs(shallowValue(network, x)),
          Math.sqrt(2 * Math.log(2 / delta) * squares),
          { delta },
        ),
        "|F(x)|": sampled(Math.abs(shallowValue(network, x)), sizeAtPointBound(r, m, delta), { delta }),
        "longest row": sampled(longest, Math.sqrt(d) + spread, { delta }),
        "longest row, as printed": sampled(longest, 1 + spread, { delta }),
        "probability of both events, δ₀ = 2δ₁ = δ": checked(1 - delta / 2 + delta, 1),
        // A search in steps of half a degree, and around the best of them, may miss a sharper peak by a little.
        "greatest |F| on the circle, arc by arc": checked(greatestOnCircle(plane), onCircle, {
          tolerance: 5e-3 * onCircle,
        }),
        "greatest |F| on the ball": sampled(most, sizeOnBallBySigns(network.V, delta), { delta }),
        "greatest |F| on the ball, as the text before Theorem 3.10 has it": sampled(
          most,
          4 * Math.sqrt(m * d * Math.log(m / delta)),
          { delta },
        ),
        "greatest |F| on the ball, as Lemma 3.15 has it": sampled(most, sizeOnBallBound(d, m, delta), {
          delta: 2 * delta,
        }),
      },
    };
  },
});

const sumOfSquares = (values: readonly number[]): number => values.reduce((sum, v) => sum + v * v, 0);

/** The mean of (sum +-f_j)^2. */
function overAllSigns(f: readonly number[]): number {
  const count = 2 ** f.length;
  let sum = 0;
  for (let mask = 0; mask < count; mask++)
    sum += f.reduce((value, each, j) => value + ((mask >> j) & 1 ? each : -each), 0) ** 2;
  return sum / count;
}

/** max |F| over the circle: directions all around, then finer and finer around the best one. */
function searchedOnCircle(network: ShallowNetwork): number {
  const size = (t: number): number => Math.abs(shallowValue(network, [Math.cos(t), Math.sin(t)]));
  const best = (angles: readonly number[]): number => angles.reduce((p, q) => (size(q) > size(p) ? q : p));
  let step = (2 * Math.PI) / directions;
  let at = best(Array.from({ length: directions }, (_, k) => k * step));
  for (let round = 0; round < 8; round++) {
    at = best(Array.from({ length: 21 }, (_, k) => at + ((k - 10) * step) / 10));
    step /= 5;
  }
  return size(at);
}

function figure(delta: number, random: Random): Figure {
  const sizes = Array.from({ length: 10 }, (_, k) => 2 ** k);
  const drawn = sizes.flatMap((m) =>
    Array.from({ length: 6 }, (_, n) => ({
      m,
      network: drawShallow("relu", m, 2, random.split(`${m}/${n}`)),
    })),
  );
  const angles = Array.from({ length: 361 }, (_, k) => (2 * Math.PI * k) / 360);
  const line = (name: string, f: (m: number) => number) => ({
    name,
    mark: "line" as const,
    role: "theory" as const,
    points: sizes.map((m) => [m, f(m)] as const),
  });
  return {
    title: "A network of two inputs at initialization",
    panels: [
      {
        title: "Greatest value on the circle",
        x: { label: "units m", scale: "log" },
        y: { label: "max |F|", scale: "log" },
        series: [
          line("32 d √m ln(m/δ)", (m) => sizeOnBallBound(2, m, delta)),
          line("4 √(m d ln(m/δ))", (m) => 4 * Math.sqrt(2 * m * Math.log(m / delta))),
          line(
            "√(m d) (1 + √(2 ln(2/δ)))",
            (m) => Math.sqrt(2 * m) * (1 + Math.sqrt(2 * Math.log(2 / delta))),
          ),
          {
            name: "drawn networks, exact",
            mark: "dots",
            points: drawn.map(({ m, network }) => [m, greatestOnCircle(network)] as const),
          },
        ],
      },
      {
        title: "F along the circle, over √m",
        x: { label: "angle" },
        y: { label: "F(x) / √m" },
        series: [4, 32, 512].map((m) => {
          const { network } = drawn.find((each) => each.m === m)!;
          return {
            name: `${m} units`,
            mark: "line" as const,
            points: angles.map(
              (t) => [t, shallowValue(network, [Math.cos(t), Math.sin(t)]) / Math.sqrt(m)] as const,
            ),
          };
        }),
      },
    ],
  };
}
