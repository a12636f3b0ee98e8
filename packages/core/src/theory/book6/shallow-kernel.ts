import { unitsOf } from "../../discrete/stochastic/belief-network.ts";
import { couplingBound } from "../../discrete/stochastic/certified-kernel.ts";
import { exactKernel } from "../../discrete/stochastic/exact-kernel.ts";
import { bitsOf, totalVariation } from "../../discrete/stochastic/kernel.ts";
import { randomKernel } from "../../discrete/stochastic/random-kernel.ts";
import {
  largestIndexLaw,
  largestIndexLayer,
  shallowNetwork,
  stickBreaking,
} from "../../discrete/stochastic/shallow.ts";
import { copyUnit, edgeUnit, gammaOf } from "../../discrete/stochastic/unit.ts";
import type { Figure } from "../../figure/figure.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const sigma = (z: number): number => 1 / (1 + Math.exp(-z));

/** Bits of the output layer for a state z whose largest index that is on is l: the least margin over gamma. */
function leastMargin(s: number, eps: number): number {
  const N = 2 ** s - 1;
  const layer = largestIndexLayer(s, 1, eps);
  let least = Number.POSITIVE_INFINITY;
  for (let z = 0; z < 2 ** N; z++) {
    const l = z === 0 ? 0 : 32 - Math.clz32(z);
    layer.forEach(({ bias, reads }, r) => {
      const pre = reads.reduce((sum, [c, w]) => sum + ((z >> c) & 1) * w, bias);
      least = Math.min(least, (bitsOf(l, s)[r] === 1 ? pre : -pre) / gammaOf(eps));
    });
  }
  return least;
}

/** Off its edge, the greatest chance that a unit fires. */
function leak(d: number, low: number, high: number, eps: number): number {
  const unit = edgeUnit(bitsOf(0, d), low, high, eps);
  return Array.from({ length: 2 ** d - 2 }, (_, k) => bitsOf(k + 2, d)).reduce(
    (most, x) => Math.max(most, sigma(unit.reads.reduce((sum, [c, w]) => sum + w * x[c]!, unit.bias))),
    0,
  );
}

export default lemma({
  id: "C6-09",
  covers: ["C6-01", "C6-04", "C6-05", "C6-06", "C6-07", "C6-08", "C6-09", "C6-13"],
  kind: "construction",
  title: "Any table of probabilities by one hidden layer of stochastic units",
  source: "Book, chapter 6, Theorem 6.2",
  statement: String.raw`m = 2^{d-1}(2^s - 1): \qquad \max_x \| P(\cdot | x) - P^*(\cdot | x) \|_{TV} \le 1 - (1 - \epsilon)^{m + s}`,
  parameters: {
    d: integer({ min: 1, max: 2, default: 2, label: "input bits d" }),
    s: integer({ min: 1, max: 2, default: 2, label: "output bits s" }),
    eps: real({ min: 1e-6, max: 0.05, default: 0.01, label: "error ε of a unit" }),
    law: choice(["dirichlet", "deterministic"], { label: "rows of the table" }),
  },
  claims: {
    "hidden units": equals("2^{d-1}(2^s - 1)"),
    "hidden units, against the count of parameters": atLeast(String.raw`2^d (2^s - 1) / (d + 1)`),
    "hidden units for one input bit, against the count": equals(String.raw`2^s - 1`),
    "total variation, exactly": atMost(String.raw`1 - (1 - \epsilon)^{m + s}`),
    "a copy, chance to be right": equals(String.raw`1 - \epsilon`),
    "an edge unit, greatest chance elsewhere": atMost(String.raw`\epsilon`),
    "sticks broken and put together, error": equals("0"),
    "largest index, least margin": equals(String.raw`\gamma`),
    "greatest weight of the output layer": equals(String.raw`2^{2^s - 1} \gamma`),
  },
  mutants: {
    "a block for every input": { "hidden units": ({ d, s }) => 2 ** d * (2 ** s - 1) },
    "only the outputs err": { "total variation, exactly": ({ s, eps }) => couplingBound(eps, s) / 2 },
    "a copy of weight γ": { "a copy, chance to be right": ({ eps }) => 1 - Math.sqrt(eps) },
  },
  run({ d, s, eps, law }, { random, budget }) {
    const kernel = randomKernel(random, d, s, law);
    const network = shallowNetwork(kernel, eps);
    const m = network.layers[0]!.length;
    const copy = copyUnit(0, eps);
    const row = kernel.rows[0]!;
    const rounding = 2 ** -44;
    return {
      figure: budget === "cheap" ? undefined : figure(kernel),
      claims: {
        "hidden units": checked(m, 2 ** (d - 1) * (2 ** s - 1)),
        "hidden units, against the count of parameters": checked(m, (2 ** d * (2 ** s - 1)) / (d + 1)),
        ...(d === 1 && { "hidden units for one input bit, against the count": checked(m, 2 ** s - 1) }),
        "total variation, exactly": checked(
          totalVariation(exactKernel(network), kernel),
          couplingBound(eps, unitsOf(network)),
          { tolerance: rounding },
        ),
        "a copy, chance to be right": checked(sigma(copy.bias + copy.reads[0]![1]), 1 - eps, {
          tolerance: rounding,
        }),
        ...(d > 1 && {
          "an edge unit, greatest chance elsewhere": checked(
            leak(d, random.uniform(), random.uniform(), eps),
            eps,
            {
              tolerance: rounding,
            },
          ),
        }),
        "sticks broken and put together, error": sampled(
          largestIndexLaw(stickBreaking(row)).reduce(
            (most, p, k) => Math.max(most, Math.abs(p - row[k]!)),
            0,
          ),
          0,
          { tolerance: rounding },
        ),
        "largest index, least margin": checked(leastMargin(s, eps), 1, { tolerance: rounding }),
        "greatest weight of the output layer": checked(
          largestIndexLayer(s, 1, eps).reduce(
            (m, { reads }) => reads.reduce((k, [, w]) => Math.max(k, w), m),
            0,
          ),
          2 ** (2 ** s - 1) * gammaOf(eps),
          { tolerance: rounding },
        ),
      },
    };
  },
});

function figure(kernel: Parameters<typeof shallowNetwork>[0]): Figure {
  const errors = [0.05, 0.02, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 1e-4];
  const units = unitsOf(shallowNetwork(kernel, 0.01));
  return {
    title: `A table of ${kernel.inputs} bits in, ${kernel.outputs} out, by ${units} units`,
    panels: [
      {
        title: "Total variation against the error of a unit",
        x: { label: "ε", scale: "log" },
        y: { label: "total variation", scale: "log" },
        series: [
          {
            name: "exactly",
            mark: "dots",
            points: errors.map(
              (e) => [e, totalVariation(exactKernel(shallowNetwork(kernel, e)), kernel)] as const,
            ),
          },
          {
            name: "theory: 1 - (1 - ε)^N",
            mark: "line",
            role: "theory",
            points: errors.map((e) => [e, couplingBound(e, units)] as const),
          },
        ],
      },
    ],
  };
}
