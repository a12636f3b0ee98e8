import { unitsOf } from "../../discrete/stochastic/belief-network.ts";
import { couplingBound } from "../../discrete/stochastic/certified-kernel.ts";
import { exactKernel } from "../../discrete/stochastic/exact-kernel.ts";
import { generativeNetwork, lastBitWeights } from "../../discrete/stochastic/generative.ts";
import { totalVariation } from "../../discrete/stochastic/kernel.ts";
import { randomKernel } from "../../discrete/stochastic/random-kernel.ts";
import { stickBreaking } from "../../discrete/stochastic/shallow.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const sigma = (z: number): number => 1 / (1 + Math.exp(-z));

/** The chance that the last bit is on, given that l is the largest index that is on: a sum over all smaller units. */
function lastBit(mu: readonly number[], on: readonly number[], l: number): number {
  let total = 0;
  for (let z = 0; z < 2 ** Math.max(0, l - 1); z++) {
    let [weight, pre] = [1, mu[0]! + (l > 0 ? mu[l]! : 0)];
    for (let k = 1; k < l; k++) {
      const isOn = (z >> (k - 1)) & 1;
      weight *= isOn ? on[k - 1]! : 1 - on[k - 1]!;
      pre += isOn * mu[k]!;
    }
    total += weight * sigma(pre);
  }
  return total;
}

export default lemma({
  id: "C6-10",
  covers: ["C6-10"],
  kind: "construction",
  title: "Any distribution of s bits by half as many hidden units, with a free output layer",
  source: "Book, chapter 6, Propositions 6.5 and 6.12",
  statement: String.raw`N = 2^{s-1} - 1 \text{ independent hidden units}: \qquad \| p - p^* \|_{TV} \le 1 - (1 - \epsilon)^{N + s}`,
  parameters: {
    s: integer({ min: 2, max: 4, default: 3, label: "output bits s" }),
    eps: real({ min: 1e-8, max: 0.02, default: 1e-3, label: "error ε of a unit" }),
    law: choice(["dirichlet", "deterministic"], { label: "distribution" }),
  },
  claims: {
    "hidden units": equals("2^{s-1} - 1"),
    "total variation, exactly": atMost(String.raw`1 - (1 - \epsilon)^{N + s}`),
    "total variation in the limit of large weights": equals("0"),
    "last bit for each largest index, greatest error": equals("0"),
    "weight of the largest index, influence on smaller ones": equals("0"),
    "weight of the largest index, influence on itself": equals("0").printed({
      where: "proof of Lemma 6.11",
      printed: String.raw`Hence changing  $\mu_l$  does not have any influence on the images of  $Z_l$ , nor on  $\lambda_{\mathbf{z}}$  for  $\mathbf{z}: l(\mathbf{z}) < l$ .`,
      corrected: String.raw`on the images of $Z_j$, $j < l$: those of $Z_l$ are what $\mu_l$ is tuned for`,
    }),
  },
  mutants: {
    "a unit for each output": { "hidden units": ({ s }) => 2 ** s - 1 },
    "units err half as often": { "total variation, exactly": ({ s, eps }) => couplingBound(eps / 4, s - 1) },
    "one unit more": { "hidden units": ({ s }) => 2 ** (s - 1) },
  },
  run({ s, eps, law }, { random, budget }) {
    const kernel = randomKernel(random, 0, s, law);
    const row = kernel.rows[0]!;
    const network = generativeNetwork(row, eps);
    const drawn = randomKernel(random, 0, s, "dirichlet").rows[0]!;
    const pairs = Array.from({ length: drawn.length / 2 }, (_, l) => drawn[2 * l]! + drawn[2 * l + 1]!);
    const on = stickBreaking(pairs);
    const chances = pairs.map((mass, l) => drawn[2 * l + 1]! / mass);
    const mu = lastBitWeights(on, chances);
    const l = random.integer(1, pairs.length - 1);
    const moved = mu.map((w, k) => (k === l ? w + 1 : w));
    const smaller = Array.from({ length: l }, (_, k) => Math.abs(lastBit(moved, on, k) - lastBit(mu, on, k)));
    const rounding = 2 ** -40; // bisection to doubles, sums of 2^(N-1) products
    return {
      figure: budget === "cheap" ? undefined : figure(row),
      claims: {
        "hidden units": checked(network.layers[0]!.length, 2 ** (s - 1) - 1),
        "total variation, exactly": checked(
          totalVariation(exactKernel(network), kernel),
          couplingBound(eps, unitsOf(network)),
          { tolerance: 2 ** -44 },
        ),
        "total variation in the limit of large weights": checked(
          totalVariation(exactKernel(generativeNetwork(drawn, 1e-14)), { ...kernel, rows: [drawn] }),
          0,
          { tolerance: rounding },
        ),
        "last bit for each largest index, greatest error": checked(
          chances.reduce((m, t, k) => Math.max(m, Math.abs(lastBit(mu, on, k) - t)), 0),
          0,
          { tolerance: rounding },
        ),
        "weight of the largest index, influence on smaller ones": checked(Math.max(...smaller), 0),
        "weight of the largest index, influence on itself": checked(
          Math.abs(lastBit(moved, on, l) - lastBit(mu, on, l)),
          0,
        ),
      },
    };
  },
});

function figure(row: Float64Array): Figure {
  const errors = [0.02, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 1e-4];
  const kernel = { inputs: 0, outputs: Math.log2(row.length), rows: [row] };
  const units = unitsOf(generativeNetwork(row, 0.01));
  return {
    title: `A distribution of ${kernel.outputs} bits by ${units} units`,
    panels: [
      {
        title: "Error against the error of a unit",
        x: { label: "ε", scale: "log" },
        y: { label: "total variation", scale: "log" },
        series: [
          {
            name: "exact",
            mark: "dots",
            points: errors.map(
              (e) => [e, totalVariation(exactKernel(generativeNetwork(row, e)), kernel)] as const,
            ),
          },
          {
            name: "theory: 1 - (1 - ε)^(N + s)",
            mark: "line",
            role: "theory",
            points: errors.map((e) => [e, couplingBound(e, units)] as const),
          },
        ],
      },
    ],
  };
}
