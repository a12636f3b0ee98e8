import type { Figure } from "../../figure/figure.ts";
import { type ActivationName, activation } from "../../functions/activation.ts";
import { gaussianRule } from "../../functions/gaussian-rule.ts";
import { type Tensor, tensor } from "../../graph/tensor.ts";
import { empiricalKernel } from "../../kernels/empirical-kernel.ts";
import { limitKernel } from "../../kernels/limit-kernel.ts";
import type { Random } from "../../numbers/random.ts";
import { initialNetwork } from "../../train/network.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const delta = 1e-3;
const names = ["relu", "tanh", "logistic", "softplus", "arctan", "gaussian", "sin"] as const;
type Name = (typeof names)[number];

export default lemma({
  id: "T-19",
  covers: ["T-19"],
  kind: "measure",
  title: "The tangent kernel of infinitely many units of any kind",
  source: "Telgarsky, Theorem 3.19",
  statement: String.raw`k_\infty(x, x') = \lim_{m \to \infty} \left\langle \frac{\rho}{\sqrt m} \bar\partial F(x; w_0), \frac{\rho}{\sqrt m} \bar\partial F(x'; w_0) \right\rangle = \rho^2 \langle x, x' \rangle \, \mathbb{E}_{v \sim \mathcal N} \, \sigma'(v^\top x) \sigma'(v^\top x')`,
  parameters: {
    sigma: choice(names, { label: "activation" }),
    d: integer({ min: 2, max: 6, default: 3, label: "inputs" }),
    rho: real({ min: 0.4, max: 2.5, default: 1.5, label: "temperature" }),
    m: integer({ min: 16, max: 4096, default: 1024, label: "units of a finite network" }),
  },
  claims: {
    "k(x, x'), by the recursion of kernels": equals(
      String.raw`\rho^2 \langle x, x' \rangle \, \mathbb{E} \, \sigma'(v^\top x) \sigma'(v^\top x')`,
    ),
    "k(x, x'), as another way to it is printed": equals(
      String.raw`\mathbb{E} \langle x \sigma'(v^\top x), x' \sigma'(v^\top x') \rangle`,
    ).printed({
      where: 'after Theorem 3.19, "another way to k_\\infty is"',
      printed: String.raw`k_\infty(x, x') = \int \langle x \sigma'(v^\top x), x' \sigma'(v^\top x') \rangle \, d\mathcal{N}(v)`,
      corrected: String.raw`k_\infty(x, x') = \rho^2 \int \langle x \sigma'(v^\top x), x' \sigma'(v^\top x') \rangle \, d\mathcal{N}(v)`,
    }),
    "k(x, x) of a vector of length 2": equals(String.raw`4 \rho^2 \, \mathbb{E} \, \sigma'(2g)^2`),
    "k_m(x, x') of m units": equals(
      String.raw`k(x, x') \pm \rho^2 |\langle x, x' \rangle| \, \mathrm{Lip}(\sigma)^2 \sqrt{2 \ln(2 / \delta) / m}`,
    ).probable(),
    "F_∞ at a point, by the representer Σ α_i k(x_i, x)": equals(
      String.raw`\mathbb{E} \langle T(v), x \sigma'(v^\top x) \rangle, \quad T(v) = \rho^2 \textstyle\sum_i \alpha_i x_i \sigma'(v^\top x_i)`,
    ),
  },
  mutants: {
    "ρ for ρ²": { "k(x, x'), by the recursion of kernels": ({ rho }, { theory }) => theory / rho },
    "σ for σ'": {
      "k(x, x) of a vector of length 2": ({ sigma, rho }) =>
        4 * rho ** 2 * squareMean(activation(sigma as ActivationName).value, 2),
    },
    "x of length 1": {
      "k(x, x) of a vector of length 2": ({ sigma, rho }) => 4 * rho ** 2 * squareMean(slopeOf(sigma), 1),
    },
  },
  async run({ sigma, d, rho, m }, { random, budget, progress }) {
    const points = Array.from({ length: 3 }, () => [...random.normal(d)]);
    const [x, z, u] = points as [number[], number[], number[]];
    const inner = dot(x, z);
    const mean = slopesMean(sigma, dot(x, z), dot(x, x), dot(z, z));
    const length = Math.hypot(...x);
    const { kernel, error } = await innerKernel(
      sigma,
      tensor([...points, x.map((v) => (2 * v) / length)]),
      d,
    );
    const k = rho * rho * kernel[1]!;
    await progress(0.4);
    // Without a closed form, the kernel says itself how far its series may be off, as a part of E sigma'^2 <= Lip^2.
    // The quadrature beside it is across a kink of ReLU, which is steep where the two points are close.
    const quadrature = sigma === "relu" ? 1e-6 : 1e-10;
    const inexact = rho * rho * (quadrature + error) * activation(sigma).lipschitz ** 2;
    const tolerance = Math.abs(inner) * inexact;
    const finite = await finiteKernel(sigma, tensor([x, z]), d, m, rho, random);
    const alpha = [random.normal(), random.normal()] as const;
    const represented =
      rho *
      rho *
      (alpha[0] * dot(x, u) * slopesMean(sigma, dot(x, u), dot(x, x), dot(u, u)) +
        alpha[1] * dot(z, u) * slopesMean(sigma, dot(z, u), dot(z, z), dot(u, u)));
    return {
      ...(budget !== "cheap" && { figure: await figure(d) }),
      claims: {
        "k(x, x'), by the recursion of kernels": checked(k, rho * rho * inner * mean, { tolerance }),
        "k(x, x'), as another way to it is printed": checked(k, inner * mean, { tolerance }),
        "k(x, x) of a vector of length 2": checked(
          rho * rho * kernel[15]!,
          4 * rho * rho * squareMean(slopeOf(sigma), 2),
          { tolerance: 4 * inexact },
        ),
        "k_m(x, x') of m units": sampled(finite[1]!, k, {
          delta,
          tolerance: rho * rho * Math.abs(inner) * deviation(sigma, m) + tolerance,
        }),
        "F_∞ at a point, by the representer Σ α_i k(x_i, x)": checked(
          rho * rho * (alpha[0] * kernel[2]! + alpha[1] * kernel[6]!),
          represented,
          { tolerance: inexact * (Math.abs(alpha[0] * dot(x, u)) + Math.abs(alpha[1] * dot(z, u))) },
        ),
      },
    };
  },
});

/** Hoeffding's, of a mean of m numbers between -Lip^2 and Lip^2. */
const deviation = (sigma: ActivationName, m: number): number =>
  activation(sigma).lipschitz ** 2 * Math.sqrt((2 * Math.log(2 / delta)) / m);

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((s, v, k) => s + v * b[k]!, 0);

/** sigma', with 0 where it jumps: nodes of a rule may lie there. */
function slopeOf(sigma: Name): (x: number) => number {
  const { derivative } = activation(sigma as ActivationName);
  return (x) => (x === 0 ? 0 : derivative(1, x));
}

/** E f(r g)^2, g ~ N(0, 1). */
function squareMean(f: (x: number) => number, r: number): number {
  const { nodes, weights } = gaussianRule([], 24);
  return nodes.reduce((sum, x, q) => sum + weights[q]! * f(r * x) ** 2, 0);
}

/** E sigma'(u) sigma'(v) of a pair with these moments, by quadrature over both; panels end where v is 0. */
function slopesMean(sigma: Name, k: number, a: number, b: number): number {
  const slope = slopeOf(sigma);
  const outer = gaussianRule([], 8);
  const [s, r] = [Math.sqrt(a), k / Math.sqrt(a)];
  const t = Math.sqrt(Math.max(0, b - r * r));
  const isBent = activation(sigma as ActivationName).smoothness < 1;
  return outer.nodes.reduce((sum, x, i) => {
    const at = slope(s * x);
    if (at === 0) return sum;
    const inner = isBent ? gaussianRule([(-r * x) / t], 8) : outer;
    const along = inner.nodes.reduce((part, y, j) => part + inner.weights[j]! * slope(r * x + t * y), 0);
    return sum + outer.weights[i]! * at * along;
  }, 0);
}

/** The inner layer's part of the tangent kernel, at temperature 1: with W_std = sqrt(d) units are v x, v ~ N(0, I). */
async function innerKernel(sigma: Name, x: Tensor, d: number) {
  const { nngp, ntk, error } = await limitKernel(`${d}-8nobias-${sigma}-1nobias`, x, { wStd: Math.sqrt(d) });
  return { kernel: ntk.map((k, n) => (k - nngp[n]!) / d), error };
}

async function finiteKernel(
  sigma: Name,
  x: Tensor,
  d: number,
  m: number,
  rho: number,
  random: Random,
): Promise<Float64Array> {
  const net = initialNetwork(`${d}-${m}nobias-${sigma}-1nobias`, {
    initialization: `t11-chapter(${rho})`,
    seed: random.integer(0, 2 ** 30),
    type: "float64",
  });
  return (await empiricalKernel(net, x, { wrt: ["layer1.weight"] })).ntk;
}

/** Kernels of two vectors of length 1 over the angle between them. */
async function figure(d: number): Promise<Figure> {
  const angles = Array.from({ length: 46 }, (_, k) => (Math.PI * k) / 45);
  const rest = Array<number>(d - 2).fill(0);
  const points = tensor([[1, 0, ...rest], ...angles.map((t) => [Math.cos(t), Math.sin(t), ...rest])]);
  const series = await Promise.all(
    names.map(async (name) => {
      const { kernel } = await innerKernel(name, points, d);
      return {
        name,
        mark: "line" as const,
        points: angles.map((t, k) => [t, kernel[k + 1]!] as const),
      };
    }),
  );
  return {
    title: "Limit kernels of one trained layer",
    panels: [{ title: "Two vectors of length 1", x: { label: "angle θ" }, y: { label: "k(x, x')" }, series }],
  };
}
