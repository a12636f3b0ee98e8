import { patchGroups } from "../../explain/methods/groups.ts";
import { shapley } from "../../explain/methods/removal.ts";
import { kernelShap, lime, shapleyKernel } from "../../explain/methods/surrogate.ts";
import { modelAt, row } from "../../explain/model-at.ts";
import type { Point, ScoreModel } from "../../explain/score-model.ts";
import type { Figure } from "../../figure/figure.ts";
import { float64, graph } from "../../graph/builder.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, type Measurement } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { byInput, inputAxis } from "./by-input.ts";
import { apart, dot, drawLayers, drawnNetwork, dyadic, sum } from "./drawn.ts";

export default lemma({
  id: "C5-24",
  covers: ["C5-24"],
  kind: "algorithm",
  title: "Surrogates and Shapley values",
  source: "Book, chapter 5, sect. 5.3.3 (Ribeiro et al. 2016, Lundberg and Lee 2017)",
  statement: String.raw`\phi_i = \sum_{S \not\ni i} \frac{|S|! \, (n - |S| - 1)!}{n!} \bigl( f(x_{S \cup i}) - f(x_S) \bigr), \quad \sum_i \phi_i = f(x) - f(x'); \qquad \phi = \arg\min_c \sum_{z \ne 0, 1} \frac{n - 1}{\binom{n}{|z|} |z| (n - |z|)} \bigl( f(x_z) - f(x') - c^T z \bigr)^2`,
  parameters: {
    n: integer({ min: 2, max: 6, default: 5, label: "features" }),
    width: integer({ min: 1, max: 8, default: 6, label: "hidden units" }),
    eighths: integer({ min: -8, max: 8, default: 0, label: "what stands for nothing, in eighths" }),
  },
  claims: {
    "Shapley: less the mean over all n! orders, greatest": equals("0"),
    "Shapley: sum": equals("f(x) - f(x')"),
    "linear: Shapley less w_i (x_i - x'_i), greatest": equals("0"),
    "x y from 0: Shapley of x": equals("x y / 2"),
    "a feature that is not read: its Shapley value": equals("0"),
    "KernelSHAP on all coalitions less Shapley, greatest": equals("0"),
    "weights of the kernel, all coalitions together": equals(
      String.raw`(n - 1) \sum_{s=1}^{n-1} \frac{1}{s (n - s)}`,
    ),
    "linear: LIME less w_i (x_i - x'_i), greatest": equals("0"),
    "linear: LIME, explained variance": equals("1"),
    "LIME: explained variance": atMost("1"),
  },
  mutants: {
    "weights of another count": {
      "weights of the kernel, all coalitions together": ({ n }, { theory }) => (theory * n) / (n - 1),
    },
    "x y counted twice": { "x y from 0: Shapley of x": (_, { theory }) => 2 * theory },
    "another baseline": ({ eighths }) => ({ eighths: eighths + 1 }),
  },
  async run({ n, width, eighths }, { random, progress }) {
    const layers = drawLayers(random, [n, width, width, 1], true);
    const x = dyadic(random, n);
    const baseline = new Float64Array(n).fill(eighths / 8);
    const net = drawnNetwork(layers);
    const model = await modelAt(net, row(x));
    const setting: Setting = { groups: patchGroups([1, n], 1), baseline, random };
    const exact = await shapley(model, { ...setting, permutations: 0 });
    const [here, there] = await model.at([x, baseline]);
    await progress(0.4);
    const kernel = await kernelShap(model, { ...setting, samples: 2 ** n });
    const surrogate = await lime(model, { ...setting, samples: 2 ** n });
    const size =
      1 + Math.abs(here!.score) + Math.abs(there!.score) + Math.max(...exact.relevance.map(Math.abs));
    await progress(0.7);
    return {
      graph: net,
      figure: figure(exact.relevance, kernel.relevance, surrogate.relevance),
      claims: {
        "Shapley: less the mean over all n! orders, greatest": checked(
          apart(exact.relevance, await overAllOrders(model, baseline)),
          0,
          { tolerance: 2 ** -40 * size },
        ),
        "Shapley: sum": checked(sum(exact.relevance), here!.score - there!.score, {
          tolerance: 2 ** -40 * size,
        }),
        // Normal equations of up to 62 rows, weights within a factor of 100.
        "KernelSHAP on all coalitions less Shapley, greatest": checked(
          apart(kernel.relevance, exact.relevance),
          0,
          { tolerance: 1e-10 * size },
        ),
        "weights of the kernel, all coalitions together": checked(kernelTotal(n), kernelFormula(n), {
          tolerance: 1e-10,
        }),
        "LIME: explained variance": checked(surrogate.details["r2"]!, 1, { tolerance: 1e-9 }),
        ...(await ofLinear(setting, x)),
        ...(await ofProduct(x[0]!, x[1]!, random)),
      },
    };
  },
});

interface Setting {
  readonly groups: readonly (readonly number[])[];
  readonly baseline: Point;
  readonly random: Random;
}

const ordersOf = (items: readonly number[]): number[][] =>
  items.length === 0
    ? [[]]
    : items.flatMap((item) =>
        ordersOf(items.filter((other) => other !== item)).map((rest) => [item, ...rest]),
      );

/** What each feature adds when it comes in, averaged over every order. */
async function overAllOrders(model: ScoreModel, baseline: Point): Promise<number[]> {
  const x = model.start;
  const orders = ordersOf(Array.from(x, (_, i) => i));
  const known = new Map<string, number>();
  const points = new Map<string, Point>();
  const keyOf = (members: readonly number[]): string => members.toSorted().join();
  for (const order of orders)
    for (let k = 0; k <= order.length; k++) {
      const members = order.slice(0, k);
      points.set(
        keyOf(members),
        baseline.map((v, i) => (members.includes(i) ? x[i]! : v)),
      );
    }
  const waves = await model.at([...points.values()]);
  [...points.keys()].forEach((key, k) => {
    known.set(key, waves[k]!.score);
  });
  const gains = new Array<number>(x.length).fill(0);
  for (const order of orders)
    order.forEach((i, k) => {
      gains[i]! += known.get(keyOf(order.slice(0, k + 1)))! - known.get(keyOf(order.slice(0, k)))!;
    });
  return gains.map((g) => g / orders.length);
}

function kernelTotal(n: number): number {
  let total = 0;
  for (let mask = 1; mask < 2 ** n - 1; mask++)
    total += shapleyKernel(n, mask.toString(2).replaceAll("0", "").length);
  return total;
}

const kernelFormula = (n: number): number =>
  (n - 1) * sum(Array.from({ length: n - 1 }, (_, k) => 1 / ((k + 1) * (n - 1 - k))));

async function ofLinear(setting: Setting, x: Point): Promise<Record<string, Measurement>> {
  const w = dyadic(setting.random, x.length);
  const model = await modelAt(network([layer([[...w]], [0.5])]), row(x));
  const parts = w.map((v, i) => v * (x[i]! - setting.baseline[i]!));
  const { relevance } = await shapley(model, { ...setting, permutations: 0 });
  const surrogate = await lime(model, { ...setting, samples: 2 ** x.length });
  const tolerance = 1e-10 * (1 + Math.sqrt(dot(parts, parts)));
  return {
    "linear: Shapley less w_i (x_i - x'_i), greatest": checked(apart(relevance, parts), 0, { tolerance }),
    // The kernel gives the empty coalition e^-16 of the weight of the whole: least squares lose half of the digits.
    "linear: LIME less w_i (x_i - x'_i), greatest": checked(apart(surrogate.relevance, parts), 0, {
      tolerance: 1e4 * tolerance,
    }),
    "linear: LIME, explained variance": checked(surrogate.details["r2"]!, 1, { tolerance: 1e-9 }),
  };
}

async function ofProduct(x: number, y: number, random: Random): Promise<Record<string, Measurement>> {
  const product = graph({ x: float64("N", 3) }, ({ x: v }) => ({
    y: v!.slice(1, 0, 1).mul(v!.slice(1, 1, 2)),
  }));
  const model = await modelAt(product, row([x, y, 1]));
  const { relevance } = await shapley(model, {
    groups: [[0], [1], [2]],
    baseline: new Float64Array(3),
    permutations: 0,
    random,
  });
  const tolerance = 2 ** -50 * (1 + Math.abs(x * y));
  return {
    "x y from 0: Shapley of x": checked(relevance[0]!, (x * y) / 2, { tolerance }),
    "a feature that is not read: its Shapley value": checked(relevance[2]!, 0),
  };
}

const figure = (exact: Point, kernel: Point, surrogate: Point): Figure => ({
  title: "Shapley values, and two linear surrogates",
  panels: [
    {
      title: "By feature",
      x: inputAxis(exact.length),
      y: { label: "relevance" },
      series: [
        byInput("KernelSHAP", kernel),
        byInput("LIME", surrogate),
        byInput("Shapley", exact, { mark: "line", role: "theory" }),
      ],
    },
  ],
});
