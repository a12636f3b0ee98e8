import { greatestParameter, unitsOf } from "../../discrete/stochastic/belief-network.ts";
import { couplingBound } from "../../discrete/stochastic/certified-kernel.ts";
import { deepNetwork } from "../../discrete/stochastic/deep.ts";
import { exactKernel } from "../../discrete/stochastic/exact-kernel.ts";
import { overlayBits } from "../../discrete/stochastic/gray.ts";
import {
  greatestDifference,
  type Kernel,
  kernelOf,
  totalVariation,
} from "../../discrete/stochastic/kernel.ts";
import { randomKernel } from "../../discrete/stochastic/random-kernel.ts";
import { deepSizes } from "../../discrete/stochastic/sizes.ts";
import { gammaOf } from "../../discrete/stochastic/unit.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const sigma = (z: number): number => 1 / (1 + Math.exp(-z));

/** Sections, subsections and steps that Theorem 6.13 allows. */
const depthOf = (d: number, s: number, j: number): number => {
  const b = overlayBits(s)!;
  return 2 ** (d - j) * (2 ** (s - b) + 2 ** b - 1);
};

/** Weights and biases that are not the same for another table. */
function targetParameters(a: Kernel, b: Kernel, j: number, eps: number): number {
  const numbersOf = (k: Kernel): number[] =>
    deepNetwork(k, j, eps).layers.flatMap((l) =>
      l.flatMap(({ bias, reads }) => [bias, ...reads.map(([, w]) => w)]),
    );
  const [p, q] = [numbersOf(a), numbersOf(b)];
  return p.filter((v, k) => v !== q[k]).length;
}

/** For one bit: 10, or 00. An error of any unit that something reads gives another output, but for one. */
const hardTable = kernelOf([
  [0, 0, 1, 0],
  [1, 0, 0, 0],
]);

/** The exact distance of the network of a table, over its bound. */
function overBound(kernel: Kernel, j: number, eps: number): number {
  const network = deepNetwork(kernel, j, eps);
  const read = unitsOf(network) - 2 ** j * (kernel.inputs - j);
  return totalVariation(exactKernel(network), kernel) / couplingBound(eps, read);
}

/** The unit of Lemma 6.18 for the block g = (1, ..., 1): W x + b at x = g, over gamma, as printed. */
const printedSelection = (j: number): number => j + (j - 1 / 2);

export default lemma({
  id: "C6-17",
  covers: ["C6-15", "C6-16", "C6-17", "C6-19"],
  kind: "construction",
  title: "Any table of probabilities by deep networks, from narrow to wide",
  source: "Book, chapter 6, Theorems 6.13 and 6.14",
  statement: String.raw`2^{d-j}(2^{s-b} + 2^b - 1) \text{ hidden layers of } 2^j (s + d - j) \text{ units}, \; s = 2^{b-1} + b: \qquad \| P - P^* \|_{TV} \le 1 - (1 - \epsilon)^N`,
  parameters: {
    d: integer({ min: 1, max: 2, default: 2, label: "input bits d" }),
    j: integer({ min: 0, max: 2, default: 1, label: "shape j, at most d" }),
    eps: real({ min: 1e-6, max: 0.01, default: 1e-3, label: "error ε of a unit" }),
    law: choice(["dirichlet", "deterministic"], { label: "rows of the table" }),
  },
  claims: {
    "total variation over its bound, also for a hard table": atMost(
      String.raw`1, \text{ the bound } 1 - (1 - \epsilon)^{N'}, \; N' = N - 2^j (d - j) \text{ units that something reads}`,
    ),
    "greatest difference of two entries": atMost(String.raw`1 - (1 - \epsilon)^N + 2 \epsilon`).loose({
      where: "Theorem 6.14",
      printed: String.raw`If one considers an arbitrary target kernel  $p^*$ , the error bound increases by  $\epsilon$ .`,
      corrected: String.raw`$1 - (1 - \epsilon)^N$ for every target kernel, and in total variation: coupled with units that never err, each unit agrees but for probability $\epsilon$, clipped ones too`,
    }),
    "hidden layers": atMost(String.raw`2^{d-j}(2^{s-b} + 2^b - 1)`),
    "units of a hidden layer": equals(String.raw`2^j (s + d - j)`),
    "greatest weight": equals(String.raw`2 (s + d - j) \gamma`),
    "parameters that depend on the table": equals("2^d (2^s - 1)"),
    "error bound of the summary": atMost(String.raw`1 - \sigma(\tfrac{\alpha}{2}(d+s))^N`).printed({
      where: "section 6.1, the third result",
      printed: String.raw`the approximation error for any target kernel can be bounded in infinity norm by  $1 - \sigma(\frac{\alpha}{2}(d+s))^N + 2\sigma(-\frac{\alpha}{2}(d+s))$`,
      corrected: String.raw`$1 - \sigma(\frac{\alpha}{2(d+s)})^N + 2\sigma(-\frac{\alpha}{2(d+s)})$`,
    }),
    "first unit of a section on its own inputs": equals(String.raw`\tfrac12 \gamma`).printed({
      where: "proof of Lemma 6.18",
      printed: String.raw`we may choose  $\mathbf{W} = \gamma(2(\mathbf{g} - \frac{1}{2}), \mathbf{0})^\top$  and  $b = \gamma(\|\mathbf{g}\|_1 - \frac{1}{2})$ , which gives  $\mathbf{W}\mathbf{x} + b = \frac{1}{2}\gamma$  for all  $\mathbf{x} \in S$`,
      corrected: String.raw`$b = -\gamma(\|\mathbf{g}\|_1 - \frac{1}{2})$`,
    }),
    "an output that should copy a bit, chance to be right": equals(String.raw`1 - \epsilon`).printed({
      where: "section 6.7.3, the output layer, (6.20)",
      printed: String.raw`This can be achieved, with probability  $1 - \epsilon$ , by setting the bias of each output unit as  $-\alpha$ , and the weight matrix`,
      corrected: String.raw`the bias of each output unit as $-\alpha/2$`,
    }),
    "units of a layer for j = 0, logarithm": equals(String.raw`d + s`).printed({
      where: "after Theorem 6.13",
      printed: String.raw`whereas  $j = 0$  has depth exponential in  $d$  and  $s$ , but width exponential only in  $d + s$ .`,
      corrected: String.raw`width $s + d$, linear in $d + s$`,
    }),
  },
  mutants: {
    "the outputs forgotten": { "total variation over its bound, also for a hard table": () => 14 / 16 },
    "a section for each input": { "units of a hidden layer": ({ d, j }) => 2 ** d * (2 + d - j) },
    "a parameter more for each row": { "parameters that depend on the table": ({ d }) => 2 ** d * 4 },
  },
  run({ d, j: shape, eps, law }, { random, budget }) {
    const s = 2;
    const j = Math.min(shape, d);
    const kernel = randomKernel(random, d, s, law);
    const network = deepNetwork(kernel, j, eps);
    const hidden = network.layers.slice(0, -1);
    const exact = exactKernel(network);
    const N = unitsOf(network);
    const m = Math.max(j, s + d - j);
    const alpha = 2 * m * gammaOf(eps);
    const rounding = 2 ** -40;
    const drawn = [0, 1].map(() => randomKernel(random, d, s, "dirichlet")) as [Kernel, Kernel];
    return {
      figure: budget === "cheap" ? undefined : figure(),
      claims: {
        "total variation over its bound, also for a hard table": checked(
          Math.max(overBound(kernel, j, eps), overBound(hardTable, 0, eps)),
          1,
          { tolerance: 2 ** -30 }, // rounding of the kernel over the least bound
        ),
        "greatest difference of two entries": checked(
          greatestDifference(exact, kernel),
          couplingBound(eps, N) + 2 * eps,
        ),
        "hidden layers": checked(hidden.length, depthOf(d, s, j)),
        "units of a hidden layer": checked(hidden[0]!.length, 2 ** j * (s + d - j)),
        "greatest weight": checked(greatestParameter(network), 2 * (s + d - j) * gammaOf(eps), {
          tolerance: rounding,
        }),
        "parameters that depend on the table": checked(
          targetParameters(drawn[0], drawn[1], j, 1e-6),
          2 ** d * (2 ** s - 1),
        ),
        "error bound of the summary": checked(
          totalVariation(exact, kernel),
          1 - sigma((alpha / 2) * (d + s)) ** N,
        ),
        ...(j > 0 && { "first unit of a section on its own inputs": checked(printedSelection(j), 1 / 2) }),
        "an output that should copy a bit, chance to be right": checked(sigma(0), 1 - eps),
        "units of a layer for j = 0, logarithm": checked(Math.log2(s + d), d + s),
      },
    };
  },
});

/** Figure 6.4 (c) and (d): units and parameters against j, for d = 6 and two numbers of outputs. */
function figure(): Figure {
  const d = 6;
  const js = Array.from({ length: d + 1 }, (_, j) => j);
  const outputs = [4, 7] as const;
  const sizes = (s: number, j: number) => deepSizes(d, s, overlayBits(s)!, j);
  return {
    title: `Figure 6.4, (c) and (d): networks for ${d} bits in, from narrow to wide`,
    panels: [
      {
        title: "Units",
        x: { label: "shape j" },
        y: { label: "units" },
        series: [
          ...outputs.map((s) => ({
            name: `${s} bits out`,
            mark: "dots" as const,
            points: js.map((j) => [j, sizes(s, j).units] as const),
          })),
          ...outputs.map((s) => ({
            name: `theory: at most depth times width and outputs, ${s} bits out`,
            mark: "line" as const,
            role: "theory" as const,
            like: `${s} bits out`,
            points: js.map((j) => [j, depthOf(d, s, j) * 2 ** j * (s + d - j) + s] as const),
          })),
        ],
      },
      {
        title: "Parameters",
        x: { label: "shape j" },
        y: { label: "parameters", scale: "log" },
        series: [
          ...outputs.map((s) => ({
            name: `fully connected, ${s} bits out`,
            mark: "line" as const,
            points: js.map((j) => [j, sizes(s, j).parameters] as const),
          })),
          ...outputs.map((s) => ({
            name: `theory: that depend on the table, ${s} bits out`,
            mark: "line" as const,
            role: "theory" as const,
            like: `fully connected, ${s} bits out`,
            points: js.map((j) => [j, 2 ** d * (2 ** s - 1)] as const),
          })),
        ],
      },
    ],
  };
}
