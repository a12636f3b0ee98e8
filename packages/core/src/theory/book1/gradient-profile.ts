import { drawDeepSquare, type GradientProfile, gradientProfile } from "../../dynamics/gradient-profile.ts";
import { run } from "../../engine/run.ts";
import type { Figure, Series } from "../../figure/figure.ts";
import { float64, graph } from "../../graph/builder.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { Random } from "../../numbers/random.ts";
import { mean } from "../../numbers/sum.ts";
import { gradient } from "../../passes/gradient.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const delta = 1e-3;
/** Means of some hundred terms, each with a deviation of its own size at most: beyond this there is nothing. */
const deviations = 7;

export default lemma({
  id: "C1b-29",
  covers: ["C1b-29"],
  kind: "measure",
  title: "Gradients that vanish or explode with depth",
  source: "Book, chapter 1, sect. 1.6.2",
  statement: String.raw`\pi(x) = \prod_{\ell=1}^L x_\ell: \; |\partial_k \pi| \le \lambda^{L-1} \text{ if all } |x_\ell| \le \lambda, \; \ge \text{ if all } \ge; \qquad W^{(\ell)} \sim \mathcal{N}(0, \sigma^2/n): \; \mathbb{E} \Bigl\| \frac{\partial \bar\Phi^{(\ell)}}{\partial \bar\Phi^{(\ell-1)}} u \Bigr\|^2 = \frac{\sigma^2}{2} \|u\|^2 \text{ for ReLUs at any width}`,
  parameters: {
    L: integer({ min: 2, max: 40, default: 20, label: "layers L" }),
    n: integer({ min: 8, max: 64, default: 48, label: "width n" }),
    lambda: real({ min: 0.5, max: 2, default: 0.8, label: "greatest factor of the product" }),
    sigma: real({ min: 0.5, max: 2, default: 1.2, label: "deviation of weights, times √n" }),
  },
  claims: {
    "|∂π/∂x_k| by the gradient pass, less the product of the others, relative": equals("0"),
    "greatest |∂π/∂x_k|, to the power 1/(L - 1)": atMost(String.raw`\lambda = \max_\ell |x_\ell|`),
    "least |∂π/∂x_k|, to the power 1/(L - 1)": atLeast(String.raw`\min_\ell |x_\ell|`),
    "growth of a direction in one layer of ReLUs, mean of all layers and draws":
      equals(String.raw`\tfrac12 \sigma^2`).probable(),
    "variance of that growth": equals(String.raw`\tfrac54 \sigma^4 / n`).probable(),
    "|gradient pulled back through two layers|² over that of its seed, mean":
      equals(String.raw`\tfrac14 \sigma^4`).probable(),
    "growth of a direction in a residual layer of tanh, mean of many draws": atLeast("1").probable(),
    "growth of a direction in a residual linear layer, mean of many draws":
      equals(String.raw`1 + \sigma^2`).probable(),
  },
  mutants: {
    "σ² for σ²/2": {
      "growth of a direction in one layer of ReLUs, mean of all layers and draws": ({ sigma }) => sigma ** 2,
    },
    "L factors": {
      "greatest |∂π/∂x_k|, to the power 1/(L - 1)": ({ L }, { theory }) => theory ** (L / (L - 1)),
      "least |∂π/∂x_k|, to the power 1/(L - 1)": ({ L }, { theory }) => theory ** (L / (L - 1)),
    },
    "σ for 1 + σ²": {
      "growth of a direction in a residual linear layer, mean of many draws": ({ sigma }) => sigma,
    },
  },
  async run({ L, n, lambda, sigma }, { random, budget, scale, progress }) {
    const product = await products(L, lambda, random.split("product"));
    await progress(0.2);
    const depth = Math.min(L, 8);
    const draws = Math.ceil(Math.max(40, scale(200)) / depth) * 4;
    const plain = profiles({ n, sigma, depth, draws, rho: "relu", isResidual: false }, random.split("plain"));
    const growths = plain.flatMap(({ tangents }) =>
      tangents.slice(1).flatMap((v, l) => ratio(v, tangents[l]!)),
    );
    const twice = profiles(
      { n, sigma, depth: 2, draws: 150, rho: "relu", isResidual: false },
      random.split("two"),
    );
    const back = twice.map(({ gradients }) => gradients[0]! / gradients[2]!);
    const linear = single({ n, sigma, rho: "linear" }, random.split("linear"));
    const tanh = single({ n, sigma, rho: "tanh" }, random.split("tanh"));
    const half = sigma ** 2 / 2;
    return {
      ...(budget !== "cheap" && { figure: figure(n, random.split("figure")) }),
      claims: {
        ...product,
        // Rows are independent, each term is 1[z > 0] (w u)^2 with mean s/2 and square 3 s^2/2 in the mean.
        "growth of a direction in one layer of ReLUs, mean of all layers and draws": sampled(
          mean(growths),
          half,
          {
            delta,
            tolerance: deviations * half * Math.sqrt(5 / (n * growths.length)),
          },
        ),
        "variance of that growth": sampled(varianceAround(growths, half), (5 * half ** 2) / n, {
          delta,
          tolerance: ((5 * half ** 2) / n) * deviations * Math.sqrt((2 + 60 / n) / growths.length),
        }),
        "|gradient pulled back through two layers|² over that of its seed, mean": sampled(
          mean(back),
          half ** 2,
          {
            delta,
            tolerance: deviations * spread(back),
          },
        ),
        "growth of a direction in a residual layer of tanh, mean of many draws": sampled(mean(tanh), 1, {
          delta,
          tolerance: deviations * spread(tanh),
        }),
        "growth of a direction in a residual linear layer, mean of many draws": sampled(
          mean(linear),
          1 + sigma ** 2,
          {
            delta,
            tolerance: deviations * spread(linear),
          },
        ),
      },
    };
  },
});

/** A direction that no unit lets through has no growth. */
const ratio = (after: number, before: number): readonly number[] => (before > 0 ? [after / before] : []);
const varianceAround = (values: readonly number[], centre: number): number =>
  mean(values.map((v) => (v - centre) ** 2));
/** The deviation of the mean. */
const spread = (values: readonly number[]): number =>
  Math.sqrt(varianceAround(values, mean(values)) / values.length);

interface Drawn {
  readonly n: number;
  readonly sigma: number;
  readonly depth: number;
  readonly draws: number;
  readonly rho: "relu" | "tanh" | "linear";
  readonly isResidual: boolean;
}

const profiles = (
  { n, sigma, depth, draws, rho, isResidual }: Drawn,
  random: Random,
): readonly GradientProfile[] =>
  Array.from({ length: draws }, () => {
    const network = drawDeepSquare({ rho, width: n, depth, deviation: sigma, isResidual }, random);
    return gradientProfile(network, random.sphere(n), random.sphere(n), random.sphere(n));
  });

/** Growth of a direction in one residual layer. */
const single = (given: Pick<Drawn, "n" | "sigma" | "rho">, random: Random): readonly number[] =>
  profiles({ ...given, depth: 1, draws: 150, isResidual: true }, random).map(({ tangents }) => tangents[1]!);

/** The product as a graph, its derivatives by the gradient pass, and both bounds with the factors that reach them. */
async function products(L: number, lambda: number, random: Random) {
  const factors = Array.from(
    { length: L },
    (_, k) => (k % 2 === 0 ? 1 : -1) * lambda * (0.9 + 0.1 * random.uniform()),
  );
  factors[random.integer(0, L - 1)] = lambda;
  const net = graph({ x: float64("N", L) }, ({ x }) => ({ y: productOf(x, L) }), { name: "product" });
  const slopes = gradient(net, { wrt: ["x"] });
  const at = async (x: readonly number[]) => {
    const found = await run(slopes, { x: tensor([[...x]]), seed_y: tensor([[1]]) }, { threads: 1 });
    return [...numbers(found["grad_x"]!)];
  };
  const found = await at(factors);
  const gaps = found.map((v, k) => {
    const others = factors.reduce((p, f, j) => (j === k ? p : p * f), 1);
    return Math.abs(v - others) / Math.abs(others);
  });
  const root = (v: number): number => Math.abs(v) ** (1 / (L - 1));
  const sizes = factors.map(Math.abs);
  return {
    "|∂π/∂x_k| by the gradient pass, less the product of the others, relative": checked(
      Math.max(...gaps),
      0,
      {
        tolerance: 2 * L * 2 ** -53, // products in two orders
      },
    ),
    "greatest |∂π/∂x_k|, to the power 1/(L - 1)": checked(Math.max(...found.map(root)), Math.max(...sizes), {
      tolerance: 2 ** -44,
    }),
    "least |∂π/∂x_k|, to the power 1/(L - 1)": checked(Math.min(...found.map(root)), Math.min(...sizes), {
      tolerance: 2 ** -44,
    }),
  };
}

/** x_1 x_2 ... x_L, factor by factor. */
function productOf(x: Value, L: number): Value {
  const entry = (k: number): Value => x.op("Gather", [tensor([k], { type: "int64" })], { axis: 1 });
  let result = entry(0);
  for (let k = 1; k < L; k++) result = result.mul(entry(k));
  return result;
}

function figure(n: number, random: Random): Figure {
  const depth = 24;
  const curve = (name: string, found: readonly GradientProfile[], key: "tangents" | "gradients"): Series => ({
    name,
    mark: "line",
    role: "measured",
    points: found[0]![key].map((_, l) => [l, mean(found.map((each) => each[key][l]!))]),
  });
  const layers = Array.from({ length: depth + 1 }, (_, l) => l);
  const deviationsShown = [1, Math.SQRT2, 1.7];
  const plain = deviationsShown.map((sigma) => ({
    sigma,
    found: profiles({ n, sigma, depth, draws: 60, rho: "relu", isResidual: false }, random.split(`${sigma}`)),
  }));
  const residual = (["tanh", "relu"] as const).map((rho) => ({
    rho,
    found: profiles({ n, sigma: 0.5, depth, draws: 60, rho, isResidual: true }, random.split(rho)),
    without: profiles(
      { n, sigma: 0.5, depth, draws: 60, rho, isResidual: false },
      random.split(`${rho}/plain`),
    ),
  }));
  return {
    title: "Gradients by layer",
    panels: [
      {
        title: `ReLU networks, width ${n}`,
        x: { label: "layer, from the input" },
        y: { label: "mean |gradient|²", scale: "log" },
        series: plain.flatMap(({ sigma, found }) => [
          curve(`σ² = ${(sigma ** 2).toFixed(2)}`, found, "gradients"),
          {
            name: `(σ²/2)^(L - ℓ), σ² = ${(sigma ** 2).toFixed(2)}`,
            mark: "line" as const,
            role: "theory" as const,
            like: `σ² = ${(sigma ** 2).toFixed(2)}`,
            points: layers.map((l) => [l, (sigma ** 2 / 2) ** (depth - l)] as const),
          },
        ]),
      },
      {
        title: "With and without skips, σ = 1/2",
        x: { label: "layer, from the input" },
        y: { label: "mean |gradient|²", scale: "log" },
        series: residual.flatMap(({ rho, found, without }) => [
          curve(`residual, ${rho}`, found, "gradients"),
          curve(`plain, ${rho}`, without, "gradients"),
        ]),
      },
    ],
  };
}
