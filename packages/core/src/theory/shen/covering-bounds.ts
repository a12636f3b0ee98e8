import type { Figure, Panel } from "../../figure/figure.ts";
import {
  certifiedLogCovering,
  deepLogCovering,
  leastLogCovering,
  logPermutations,
  type NetworkClass,
  shallowLogCovering,
} from "../../generalization/covering.ts";
import { lineLogCovering, tanhLogCovering } from "../../generalization/covering-below.ts";
import { logFactorial } from "../../numbers/combinatorics.ts";
import { atMost, checked } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

export default lemma({
  id: "S-12",
  covers: ["S-12", "S-13", "S-14"],
  kind: "bound",
  title: "Covering numbers of networks, divided by their permutations",
  source: "Shen, Theorems 3 and 4",
  statement: String.raw`\mathcal N(\mathcal F, \varepsilon, \|\cdot\|_\infty) \le n^{\mathcal S - \mathcal U} \prod_{l=1}^L \binom{n + d_l - 1}{d_l}, \qquad n = \lceil B \Lambda / \varepsilon \rceil, \quad \Lambda = \sup_{s \ne t} \frac{\|f(\cdot; s) - f(\cdot; t)\|_\infty}{\|s - t\|_\infty}`,
  parameters: {
    inputs: integer({ min: 1, max: 20, default: 10, label: "inputs d_0" }),
    width: integer({ min: 1, max: 256, default: 128, label: "units of a hidden layer" }),
    layers: integer({ min: 1, max: 4, default: 1, label: "hidden layers L" }),
    logB: integer({ min: -3, max: 1, default: 0, label: "log₁₀ B" }),
    logEps: integer({ min: -4, max: 3, default: -2, label: "log₁₀ ε" }),
    activation: choice(["relu", "tanh", "sigmoid"], { label: "activation" }),
    digits: integer({ min: 1, max: 300, default: 30, label: "-log₁₀ of a small ε" }),
  },
  claims: {
    "ln of functions on a line, Theorem 3": atMost(
      String.raw`\ln \frac{(16 B^2 (B_x + 1) \sqrt{d_0}\, d_1 / \varepsilon)^{\mathcal S} \rho^{\mathcal S_h}}{d_1!}`,
    ).printed({
      where: "Theorem 3",
      printed: String.raw`Then for any $\epsilon > 0$, the covering number $\mathcal{N}(\mathcal{F}, \epsilon, \|\cdot\|_\infty) \leq (16B^2(B_x + 1)\sqrt{d_0}d_1/\epsilon)^{\mathcal{S}} \times \rho^{\mathcal{S}_h}/d_1!$`,
      corrected: String.raw`false for small $B$ (the output's bias alone needs $B/\epsilon$ functions) and for great $\epsilon$ (the bound falls below 1); $n^{\mathcal S - \mathcal U} \prod_l \binom{n + d_l - 1}{d_l}$ holds for all`,
    }),
    "ln of functions on a line, Theorem 4": atMost(
      String.raw`\ln \frac{(4 (L+1)(B_x+1)(2B)^{L+2} \prod \rho_j \prod d_j / \varepsilon)^{\mathcal S}}{d_1! \cdots d_L!}`,
    ).printed({
      where: "Theorem 4",
      printed: String.raw`Then for any $\epsilon > 0$, the covering number $\mathcal{N}(\mathcal{F}, \epsilon, \|\cdot\|_\infty)$ is bounded by $\frac{\left(4(L+1)(B_x+1)(2B)^{L+2}(\prod_{j=1}^L \rho_j)(\prod_{j=0}^L d_j) \cdot \epsilon^{-1}\right)^{\mathcal{S}}}{d_1! \times d_2! \times \dots \times d_L!}$`,
      corrected: String.raw`false for small $B$, where $B^{L+2}$ falls below the bias's own $B$, and for great $\epsilon$; $n^{\mathcal S - \mathcal U} \prod_l \binom{n + d_l - 1}{d_l}$ holds for all`,
    }),
    "greatest argument of σ₁": atMost("B^{(1)} = 2B").printed({
      where: "Theorem 4, the range of layers",
      printed: String.raw`the range of $(i-1)$-th hidden layer is bounded by $[-B^{(i)}, B^{(i)}]$ with $B^{(i)} \leq (2B)^i \prod_{j=1}^{i-1} \rho_j d_j$ for $i = 1, \dots, L$`,
      corrected: String.raw`$B^{(1)} = B (\sqrt{d_0} B_x + 1)$, which weights and biases $B$ reach at $x = (1, \dots, 1) B_x / \sqrt{d_0}$`,
    }),
    "ln of functions on a line, one unit a layer": atMost(
      String.raw`\ln \bigl( n^{\mathcal S - \mathcal U} \prod_l \binom{n + d_l - 1}{d_l} \bigr)`,
    ).looseBy(4),
    "ln N of lines w x + b, from below": atMost(String.raw`\ln n^2, \; n = \lceil 2B / \varepsilon \rceil`),
    "ln N of a tanh(w x + b) + c, from below": atMost(String.raw`\ln n^4`),
    "discount for permutations": atMost(String.raw`\ln \prod_l d_l!`),
  },
  mutants: {
    "Λ of weights only": {
      "ln N of lines w x + b, from below": (_, { theory }) => theory - 2 * Math.LN2,
    },
    "three parameters for a unit with a, w, b, c": {
      "ln N of a tanh(w x + b) + c, from below": (_, { theory }) => 0.75 * theory,
    },
    "(d - 1)! for d!": {
      "discount for permutations": ({ width, layers }) => layers * logFactorial(width - 1),
    },
  },
  run({ inputs, width, layers, logB, logEps, activation, digits }, { budget }) {
    const widths = [inputs, ...Array.from({ length: layers }, () => width), 1];
    const networks: NetworkClass = { widths, B: 10 ** logB, inputRadius: 1, activation };
    const eps = 10 ** logEps;
    const least = leastLogCovering(networks, eps);
    const certified = certifiedLogCovering(networks, eps);
    const [B, small] = [networks.B, 10 ** -digits];
    const narrow: NetworkClass = { ...networks, widths: widths.map(() => 1) };
    const narrowBound = certifiedLogCovering(narrow, eps).logCovering;
    const grid = (of: readonly number[], name: NetworkClass["activation"], radius: number) =>
      certifiedLogCovering({ widths: of, B, inputRadius: 1, activation: name }, radius).logCovering;
    return {
      ...(budget === "cheap" ? {} : { figure: figure(networks, eps) }),
      claims: {
        ...(layers === 1 && {
          "ln of functions on a line, Theorem 3": checked(least, shallowLogCovering(networks, eps)),
        }),
        "ln of functions on a line, Theorem 4": checked(least, deepLogCovering(networks, eps)),
        "greatest argument of σ₁": checked(greatestArgument(inputs, B), 2 * B),
        ...(narrowBound > 0 && {
          "ln of functions on a line, one unit a layer": checked(leastLogCovering(narrow, eps), narrowBound),
        }),
        "ln N of lines w x + b, from below": checked(lineLogCovering(B, small), grid([1, 1], "relu", small)),
        "ln N of a tanh(w x + b) + c, from below": checked(
          tanhLogCovering(B, small),
          grid([1, 1, 1], "tanh", small),
        ),
        "discount for permutations": checked(
          certified.logGrid - certified.logCovering,
          logPermutations(widths),
          { tolerance: 1e-11 * certified.logGrid }, // a difference of two large sums
        ),
      },
    };
  },
});

/** w . x + b with all weights B, at a point of the unit sphere. */
const greatestArgument = (inputs: number, B: number): number =>
  Array.from({ length: inputs }, () => 1 / Math.sqrt(inputs)).reduce((sum, x) => sum + B * x, B);

function figure(networks: NetworkClass, eps: number): Figure {
  const isShallow = networks.widths.length === 3;
  const panel = (
    title: string,
    label: string,
    grid: readonly number[],
    at: (v: number) => readonly [NetworkClass, number],
  ): Panel => {
    const curve = (f: (c: NetworkClass, e: number) => number): (readonly [number, number])[] =>
      grid.flatMap((v) => {
        const y = f(...at(v));
        return y > 0.5 ? [[v, y] as const] : [];
      });
    return {
      title,
      x: { label, scale: "log" },
      y: { label: "ln N", scale: "log" },
      series: [
        { name: "certified", mark: "line", points: curve((c, e) => certifiedLogCovering(c, e).logCovering) },
        ...(isShallow
          ? [
              {
                name: "Theorem 3, as printed",
                mark: "line",
                role: "theory",
                points: curve(shallowLogCovering),
              } as const,
            ]
          : []),
        { name: "Theorem 4, as printed", mark: "line", role: "theory", points: curve(deepLogCovering) },
        { name: "lower bound", mark: "line", points: curve(leastLogCovering) },
      ],
    };
  };
  const powers = (from: number, to: number): readonly number[] =>
    Array.from({ length: 41 }, (_, k) => 10 ** (from + ((to - from) * k) / 40));
  return {
    title: `ln of covering numbers, widths ${networks.widths.join("-")}`,
    panels: [
      panel(`by ε, B = ${Number(networks.B.toPrecision(3))}`, "ε", powers(-4, 4), (e) => [networks, e]),
      panel(`by B, ε = ${Number(eps.toPrecision(3))}`, "B", powers(-3, 1), (B) => [{ ...networks, B }, eps]),
    ],
  };
}
