import type { Figure } from "../../figure/figure.ts";
import { type ActivationName, activation } from "../../functions/activation.ts";
import { gaussianRule } from "../../functions/gaussian-rule.ts";
import { tensor } from "../../graph/tensor.ts";
import { empiricalKernel } from "../../kernels/empirical-kernel.ts";
import { limitKernel } from "../../kernels/limit-kernel.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atLeast, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const names = ["relu", "tanh", "sin", "softplus"] as const;
type Name = (typeof names)[number];

export default lemma({
  id: "C1a-32",
  covers: ["C1a-32"],
  kind: "algorithm",
  title: "Infinite width: the covariance and the tangent kernel",
  source: "Book, chapter 1, after (1.23)",
  statement: String.raw`\Sigma^{\ell+1} = \sigma_w^2 \, \mathbb{E} \varrho(u) \varrho(v) + \sigma_b^2, \quad K^{\ell+1} = \Sigma^{\ell+1} + \sigma_w^2 \, \mathbb{E} \varrho'(u) \varrho'(v) \, K^\ell, \qquad (u, v) \sim \mathcal{N}(0, \Sigma^\ell), \quad \Sigma^1 = K^1 = \sigma_w^2 \frac{\langle x, x' \rangle}{d} + \sigma_b^2`,
  parameters: {
    rho: choice(names, { label: "activation" }),
    L: integer({ min: 1, max: 4, default: 3, label: "layers" }),
    d: integer({ min: 2, max: 8, default: 3, label: "inputs" }),
    w: real({ min: 0.6, max: 1.6, default: 1.5, label: "deviation of weights" }),
    b: real({ min: 0.05, max: 0.8, default: 0.1, label: "deviation of biases" }),
    n: integer({ min: 32, max: 256, default: 128, label: "width of finite networks" }),
  },
  claims: {
    "Σ(x, x')": equals(String.raw`\text{the recursion by quadrature over } (u, v)`),
    "K(x, x')": equals(String.raw`\text{the recursion by quadrature over } (u, v)`),
    "least eigenvalue of the kernel of six points": atLeast("0"),
    "mean of finite networks less K(x, x), in deviations of that mean": equals("0").probable(),
    "kernel of width 4n over that of width n, weights of variance σ²/fan-in": equals("1").printed({
      where: "after (1.23)",
      printed: String.raw`entries corresponding to the weight matrix and bias vector in the $\ell$th layer follow a normal distribution with zero mean and variances $\sigma_w^2/N_\ell$ and $\sigma_b^2$ [...] $K_{\Theta_0}$ also converges to a deterministic kernel $K^\infty$`,
      corrected: String.raw`$\Phi^{\ell+1} = \frac{\sigma_w}{\sqrt{N_\ell}} W \bar\Phi^\ell + \sigma_b b$ with entries of variance 1; with weights that have the variance themselves the kernel grows like the width`,
    }),
    "the same, with the factor outside of the weights": equals("1"),
    "variance of the output at width 4n over that at n, last weights of variance σ²/N_L": equals("1").printed(
      {
        where: "after (1.23)",
        printed: String.raw`variances $\sigma_w^2/N_\ell$ [...] the pre-activations converge to i.i.d. centered Gaussian processes`,
        corrected: String.raw`variances $\sigma_w^2/N_{\ell-1}$, by the fan-in: with $N_L = 1$ the output's variance grows like the width $N_{L-1}$`,
      },
    ),
  },
  mutants: {
    "no kernel of the layers before": {
      "K(x, x')": ({ L }, { theory, measured }) => (L === 1 ? measured + 1 : 0.5 * theory),
    },
    "biases forgotten": { "Σ(x, x')": ({ b }, { theory }) => theory - b * b },
    "one layer less": ({ L }) => ({ L: L === 1 ? 2 : L - 1 }),
  },
  async run({ rho, L, d, w, b, n }, { random, budget, progress, scale }) {
    const points = Array.from({ length: 6 }, () => [...random.normal(d)]);
    const [x, z] = points as [number[], number[]];
    const options = { wStd: w, bStd: b };
    const spec = (width: number): string => [d, ...Array(L - 1).fill(`${width}-${rho}`), 1].join("-");
    const { nngp, ntk, error } = await limitKernel(spec(8), tensor(points), options);
    const exact = recursion(rho, L, w, b, [dot(x, x) / d, dot(x, z) / d, dot(z, z) / d]);
    await progress(0.3);
    const rows = points.map((_, i) => [...ntk.subarray(i * 6, (i + 1) * 6)]);
    const { values } = symmetricEigen(rows);
    const size = Math.sqrt(ntk[0]! * ntk[7]!) * L;
    const tolerance = size * (w ** (2 * L) + 1) * ((rho === "relu" ? 1e-6 : 1e-9) + 10 * error);
    const kernels: number[] = [];
    for (let k = 0; k < Math.max(8, scale(16)); k++)
      kernels.push(await finiteKernel(rho, L, x, w, b, n, random));
    const standard = await Promise.all(
      [n, 4 * n].map((width) =>
        limitKernel(spec(width), tensor([x]), { ...options, parameterization: "standard" }),
      ),
    );
    return {
      ...(budget !== "cheap" && { figure: await figure(rho, L, x, { w, b }, ntk[0]!, random) }),
      claims: {
        "Σ(x, x')": checked(nngp[1]!, exact.nngp, { tolerance }),
        "K(x, x')": checked(ntk[1]!, exact.ntk, { tolerance }),
        "least eigenvalue of the kernel of six points": checked(values[0]!, 0, {
          tolerance: values.at(-1)! * (2 ** -40 + 10 * error),
        }),
        "mean of finite networks less K(x, x), in deviations of that mean": sampled(
          inDeviations(kernels, ntk[0]!, n),
          0,
          { tolerance: 9, delta: 1e-3 }, // of eight networks or more, whose deviation is not well known
        ),
        ...(L > 1 && {
          "kernel of width 4n over that of width n, weights of variance σ²/fan-in": checked(
            standard[1]!.ntk[0]! / standard[0]!.ntk[0]!,
            1,
          ),
          "the same, with the factor outside of the weights": checked(
            (await limitKernel(spec(4 * n), tensor([x]), options)).ntk[0]! / ntk[0]!,
            1,
            { tolerance: 2 ** -30 },
          ),
          // sigma_w^2 N_(L-1) / N_L E rho^2 + sigma_b^2 with N_L = 1, exactly, given the layer before.
          "variance of the output at width 4n over that at n, last weights of variance σ²/N_L": checked(
            (4 * n * (nngp[0]! - b * b) + b * b) / (n * (nngp[0]! - b * b) + b * b),
            1,
          ),
        }),
      },
    };
  },
});

const dot = (p: readonly number[], q: readonly number[]): number => p.reduce((s, v, k) => s + v * q[k]!, 0);

/** E g(u) g(v), panels ending where v is 0. */
function pairMean(g: (x: number) => number, [a, k, b]: readonly [number, number, number]): number {
  const outer = gaussianRule([], 8);
  const [s, r] = [Math.sqrt(a), k / Math.sqrt(a)];
  const t = Math.sqrt(Math.max(0, b - r * r));
  return outer.nodes.reduce((sum, x, i) => {
    const inner = t > 1e-9 ? gaussianRule([(-r * x) / t], 6) : outer;
    const along = inner.nodes.reduce((part, y, j) => part + inner.weights[j]! * g(r * x + t * y), 0);
    return sum + outer.weights[i]! * g(s * x) * along;
  }, 0);
}

/** Both recursions for one pair, from (|x|^2, <x, x'>, |x'|^2) / d. */
function recursion(
  name: Name,
  L: number,
  w: number,
  b: number,
  start: readonly [number, number, number],
): { readonly nngp: number; readonly ntk: number } {
  const rho = activation(name as ActivationName);
  const slope = (x: number): number => (x === 0 ? 0 : rho.derivative(1, x));
  const squareMean = (a: number): number => {
    const { nodes, weights } = gaussianRule([], 12);
    return nodes.reduce((sum, x, q) => sum + weights[q]! * rho.value(Math.sqrt(a) * x) ** 2, 0);
  };
  const next = (e: number): number => w * w * e + b * b;
  let moments = start.map(next) as [number, number, number];
  let ntk = moments[1];
  for (let layer = 1; layer < L; layer++) {
    const slopes = pairMean(slope, moments);
    moments = [
      next(squareMean(moments[0])),
      next(pairMean(rho.value, moments)),
      next(squareMean(moments[2])),
    ];
    ntk = moments[1] + w * w * slopes * ntk;
  }
  return { nngp: moments[1], ntk };
}

/**
 * The tangent kernel at (x, x) of a drawn network of width n. Weights are drawn with the factors in them, and the kernel of
 * each is multiplied by the square of its factor, since the derivative by a weight of variance 1 is that.
 */
async function finiteKernel(
  rho: Name,
  L: number,
  x: readonly number[],
  w: number,
  b: number,
  n: number,
  random: Random,
): Promise<number> {
  const widths = [x.length, ...Array<number>(L - 1).fill(n), 1];
  const layers = widths.slice(1).map((rows, l) => ({
    W: Array.from({ length: rows }, () =>
      Array.from(random.normal(widths[l]!), (v) => (w * v) / Math.sqrt(widths[l]!)),
    ),
    b: Array.from(random.normal(rows), (v) => b * v),
  }));
  const { weights } = await empiricalKernel(denseNetwork(layers, rho), tensor([[...x]]), { perWeight: true });
  let total = 0;
  for (const [name, [kernel]] of weights) {
    const fanIn = widths[Number(name.slice(1)) - 1]!;
    total += kernel! * (name.startsWith("W") ? (w * w) / fanIn : b * b);
  }
  return total;
}

/** (mean - K) / (deviation / sqrt(R)), after the part of order 1/n that a finite network is off by has been granted. */
function inDeviations(kernels: readonly number[], limit: number, n: number): number {
  const mean = kernels.reduce((s, k) => s + k) / kernels.length;
  const variance = kernels.reduce((s, k) => s + (k - mean) ** 2, 0) / (kernels.length - 1);
  const rest = Math.max(0, Math.abs(mean - limit) - (4 * limit) / n);
  return rest === 0 ? 0 : rest / Math.sqrt(variance / kernels.length);
}

async function figure(
  rho: Name,
  L: number,
  x: readonly number[],
  { w, b }: { readonly w: number; readonly b: number },
  limit: number,
  random: Random,
): Promise<Figure> {
  const widths = [8, 16, 32, 64, 128, 256];
  const drawn: [number, number][] = [];
  for (const n of widths)
    for (let k = 0; k < 8; k++) drawn.push([n, await finiteKernel(rho, L, x, w, b, n, random)]);
  return {
    title: "A wide network has the kernel of an infinitely wide one",
    panels: [
      {
        title: `Tangent kernel at one point, ${L} layers of ${rho}`,
        x: { label: "width n", scale: "log" },
        y: { label: "K(x, x)" },
        series: [
          {
            name: "infinite width",
            mark: "line",
            points: [
              [8, limit],
              [256, limit],
            ],
            role: "theory",
          },
          { name: "drawn networks", mark: "dots", points: drawn, role: "measured" },
        ],
      },
    ],
  };
}
