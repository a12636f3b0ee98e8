import type { Dictionary } from "../../sparse/pursuit/dictionary.ts";
import { lassoCode } from "../../sparse/pursuit/lasso-code.ts";
import { layeredThresholding, multilayerPursuit, safeSteps } from "../../sparse/pursuit/multilayer.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C7-20",
  covers: ["C7-09", "C7-18", "C7-20"],
  kind: "algorithm",
  title: "Multilayer iterations: a forward pass is the first, and how long their steps may be",
  source: "Book, chapter 7, (7.10) to (7.13), (7.25) to (7.29), Theorem 7.4; Sulam et al. 2020",
  statement: String.raw`x_2 \leftarrow \mathcal T_{t \lambda_2}\bigl(x_2 - \tfrac t\rho D_2^T (x_1 - \mathcal T_{\rho \lambda_1}(x_1 - \rho D_1^T (D_1 x_1 - x_0)))\bigr), \; x_1 = D_2 x_2, \qquad \rho < 1 / \|D_1\|^2, \; t < \tfrac{4 \rho}{3 \|D_2\|^2}`,
  parameters: {
    n: integer({ min: 2, max: 6, default: 4, label: "numbers of a signal" }),
    lambda: real({ min: 0.01, max: 0.5, default: 0.1, label: "λ" }),
    c: real({ min: 1.6, max: 3, default: 2, label: "norm of the second dictionary, in the test of steps" }),
  },
  claims: {
    "first iterate from 0, less t times the forward pass": equals("0"),
    "nonnegative codes: less t times the ReLU network": equals("0"),
    "one layer: objective, less that of basis pursuit": equals("0"),
    "steps that grow, of safe sizes": equals("0"),
    "t at 0.99 of 4ρ / (3 |D_2|²): size of the 400th iterate": atMost("|x_0| / c"),
    "t at 0.99 of the range: size of the 400th iterate": atMost("|x_0| / c").printed({
      where: "Theorem 7.4",
      printed:
        "$\\rho \\in \\left(0, \\frac{1}{\\|\\mathbf{D}^{[1]}\\|_2^2}\\right)$ and $t \\in \\left(0, \\frac{4\\rho}{3\\|\\mathbf{D}^{[2]}\\|_2}\\right)$",
      corrected:
        "$t \\in (0, 4\\rho / (3 \\|\\mathbf{D}^{[2]}\\|_2^2))$: for $D_1 = I$, $D_2 = c I$ with $c > 3/2$ the printed range has steps beyond $2 / \\|D_2\\|^2$, with which the iterates grow without bound",
    }),
  },
  mutants: {
    "the step of the first layer stays": {
      "first iterate from 0, less t times the forward pass": (_, { theory }) => theory + 1e-3,
    },
    "a third of the basis pursuit lost": {
      "one layer: objective, less that of basis pursuit": () => 0.1,
    },
  },
  run({ n, lambda, c }, { random }) {
    const layers: readonly Dictionary[] = [
      { size: n, count: n + 2, atoms: random.split("D1").normal(n * (n + 2)) },
      { size: n + 2, count: n + 4, atoms: random.split("D2").normal((n + 2) * (n + 4)) },
    ];
    const y = random.split("signal").normal(n);
    const lambdas = [lambda, lambda];
    const steps = safeSteps(layers);
    const away = (nonnegative: boolean): number => {
      const first = multilayerPursuit(layers, y, lambdas, { iterations: 1, nonnegative }).codes.at(-1)!;
      const forward = layeredThresholding(layers, y, lambdas, { nonnegative }).at(-1)!;
      return first.reduce((m, v, j) => Math.max(m, Math.abs(v - steps[1]! * forward[j]!)), 0);
    };
    const size = Math.hypot(...y);
    const single = multilayerPursuit([layers[0]!], y, [lambda], { iterations: 4000, accelerated: true });
    const best = lassoCode(layers[0]!, y, lambda);
    return {
      claims: {
        // The step cancels but for rounding.
        "first iterate from 0, less t times the forward pass": checked(away(false), 0, {
          tolerance: 1e-13 * size,
        }),
        "nonnegative codes: less t times the ReLU network": checked(away(true), 0, {
          tolerance: 1e-13 * size,
        }),
        "one layer: objective, less that of basis pursuit": checked(
          (Math.min(...single.objectives) - best.objective) / size ** 2,
          0,
          // 2 L |x|^2 / k^2 after k accelerated steps is far above: linear convergence at the end is what is seen.
          { tolerance: 1e-4 },
        ),
        "steps that grow, of safe sizes": checked(growing(layers, y, lambdas), 0),
        "t at 0.99 of 4ρ / (3 |D_2|²): size of the 400th iterate": checked(
          iterateSize(n, c, lambda, y, (rho) => (4 * rho) / (3 * c * c)),
          size / c,
        ),
        "t at 0.99 of the range: size of the 400th iterate": checked(
          iterateSize(n, c, lambda, y, (rho) => (4 * rho) / (3 * c)),
          size / c,
        ),
      },
    };
  },
});

/** How often |x_(k+1) - x_k| is greater than the one before. */
function growing(layers: readonly Dictionary[], y: Float64Array, lambdas: readonly number[]): number {
  let [x, before, count]: [Float64Array, number, number] = [
    new Float64Array(layers.at(-1)!.count),
    Number.POSITIVE_INFINITY,
    0,
  ];
  for (let k = 0; k < 40; k++) {
    const { codes, moved } = multilayerPursuit(layers, y, lambdas, { iterations: 1, start: x });
    if (moved > before * (1 + 1e-12)) count++;
    [x, before] = [codes.at(-1)!, moved];
  }
  return count;
}

const scaled = (n: number, factor: number): Dictionary => ({
  ...{ size: n, count: n },
  atoms: Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? factor : 0)),
});

/** |x| after 400 iterations with D_1 = I and D_2 = c I, or at 1e6 if that is reached before. */
function iterateSize(
  n: number,
  c: number,
  lambda: number,
  y: Float64Array,
  longest: (rho: number) => number,
): number {
  const rho = 0.99;
  const layers = [scaled(n, 1), scaled(n, c)];
  let x: Float64Array = new Float64Array(n);
  for (let k = 0; k < 400 && Math.hypot(...x) < 1e6; k++)
    x = multilayerPursuit(layers, y, [lambda, lambda], {
      ...{ iterations: 1, steps: [rho, 0.99 * longest(rho)], start: x },
    }).codes.at(-1)!;
  return Math.hypot(...x);
}
