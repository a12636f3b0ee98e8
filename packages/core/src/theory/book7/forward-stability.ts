import { run as execute } from "../../engine/run.ts";
import { numbers, view } from "../../graph/tensor.ts";
import { forwardStability } from "../../sparse/layers/guarantees.ts";
import { codesOf } from "../../sparse/layers/model.ts";
import { type Dictionary, synthesize } from "../../sparse/pursuit/dictionary.ts";
import { layeredThresholding } from "../../sparse/pursuit/multilayer.ts";
import { layeredGraph } from "../../sparse/pursuit/unrolled.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { codeWithin, pairOfBases } from "./draws.ts";

export default lemma({
  id: "C7-10",
  covers: ["C7-09", "C7-10", "C1b-45"],
  kind: "bound",
  title: "A forward pass finds the supports of sparse codes, and its errors grow from layer to layer",
  source:
    "Book, chapter 7, Theorem 7.2, (7.12) to (7.15); chapter 1, (1.65); Papyan, Romano and Elad 2017, Theorem 10",
  statement: String.raw`s_i < \tfrac12 \Bigl(1 + \frac{c_i}{\mu_i}\Bigr) - \frac{\epsilon_{i-1}}{\mu_i} k_i \;\Rightarrow\; \operatorname{supp} \hat x_i = \operatorname{supp} x_i, \quad \|x_i - \hat x_i\|_2 \le \epsilon_i = \sqrt{s_i} \bigl(\epsilon_{i-1} + \beta_i + \mu_i |x_i|_{\max} (s_i - 1)\bigr)`,
  parameters: {
    second: choice(["lines", "units"], {
      label: "second dictionary: lines of four entries, or unit vectors",
    }),
    s: integer({ min: 1, max: 4, default: 2, label: "nonzeros of the last code; of lines one" }),
    spread: real({ min: 0.7, max: 1, default: 0.9, label: "least entry over the greatest" }),
    noise: real({ min: 0, max: 0.05, default: 0.01, label: "length of the noise" }),
    at: real({
      min: 0.01,
      max: 0.3,
      default: 0.05,
      label: "threshold, of the way through those that are allowed",
    }),
    code: integer({ min: 0, max: 1e6, default: 1, label: "which random code" }),
  },
  claims: {
    "wrong entries of the first support": equals("0"),
    "|x_1 - found|, first layer": atMost(String.raw`\epsilon_1`),
    "wrong entries of the second support": equals("0"),
    "|x_2 - found|, second layer": atMost(String.raw`\epsilon_2`),
    "error of the worst code, which meets the bound": equals(String.raw`\epsilon_1`),
    "a code that breaks the condition: thresholds that find its support": equals("0"),
    "error without noise": atMost("0").printed({
      where: "section 7.4.1",
      printed:
        "the vectors computed by the forward pass,  $\\hat{\\mathbf{x}}^{[i]}$ , provide approximations to such underlying sparse representations",
      corrected:
        "approximations within $\\epsilon_i$, which does not go to 0 with the noise: thresholds shrink every entry by $\\beta_i > 0$",
    }),
    "the ReLU network of the same thresholds, less layered thresholding": equals("0"),
    "ReLU layers": equals("L - 1").printed({
      where: "(7.13)",
      printed:
        "$\\hat{\\mathbf{x}}^{[i]} = \\sigma(\\mathbf{W}^{[i]}\\hat{\\mathbf{x}}^{[i-1]} + \\mathbf{b}^{[i]}), \\quad \\text{for all } 2 \\leq i \\leq L$",
      corrected:
        "for all $1 \\le i \\le L$, with $\\hat x^{[0]} = x^{[0]}$: nothing else says what $\\hat x^{[1]}$ is",
    }),
    "entries that a threshold makes 0": equals(String.raw`\#\{\psi_i \le |b_i|\}`).printed({
      where: "below (1.65)",
      printed: "nullifying those entries of  $\\psi$  with  $\\psi_i \\leq |b_i|$",
      corrected: "those with $|\\psi_i| \\le b_i$, for $b \\ge 0$: an entry far below 0 is kept, and shrunk",
    }),
  },
  mutants: {
    "the noise left out": {
      "error of the worst code, which meets the bound": (_, { theory }) => Number(theory) * 0.9,
    },
    "half a support": { "wrong entries of the first support": () => 1 },
    "thresholds twice": {
      "the ReLU network of the same thresholds, less layered thresholding": () => 1e-3,
    },
  },
  async run({ second: kind, s, spread, noise, at, code }, { random }) {
    const n = kind === "lines" ? 1024 : 256;
    const first = pairOfBases(n);
    const second = kind === "lines" ? lines(2 * n) : identity(2 * n);
    const layers = [first, second] as const;
    const coherences = [1 / Math.sqrt(n), kind === "lines" ? 1 / 4 : 0];
    const drawn = random.split(`code ${code}`);
    const nonzeros = kind === "lines" ? 1 : s;
    const x2 = codeWithin(second.count, nonzeros, [nonzeros === 1 ? 1 : spread, 1], drawn);
    const codes = codesOf(layers, x2);
    const [x1] = codes as [Float64Array];
    const clean = synthesize(first, x1);
    const away = drawn.split("noise").sphere(n);
    const y = clean.map((v, i) => v + noise * away[i]!);
    const verdicts = forwardStability(layers, codes, noise, { at, coherences });
    const found = layeredThresholding(
      layers,
      y,
      layers.map((_, i) => verdicts[i]?.threshold ?? 0),
    );
    const layer = (i: number) => {
      const verdict = verdicts[i];
      if (!verdict?.holds) return {};
      const [wrong, error] =
        i === 0
          ? (["wrong entries of the first support", "|x_1 - found|, first layer"] as const)
          : (["wrong entries of the second support", "|x_2 - found|, second layer"] as const);
      return {
        [wrong]: checked(wrongEntries(codes[i]!, found[i]!), 0),
        [error]: checked(distance(codes[i]!, found[i]!), verdict.error, { tolerance: 1e-12 }),
      };
    };
    const worst = worstCase(64, noise, at);
    const small = [pairOfBases(16), identity(32)];
    const few = drawn.split("few").normal(16);
    const network = layeredGraph(small, [0.2, 0.1], { nonnegative: true });
    const rectified = layeredThresholding(small, few, [0.2, 0.1], { nonnegative: true });
    const outputs = await execute(network, { y: view("float64", [1, 16], few.slice()) });
    const last = Float64Array.from(numbers(outputs["x2"]!));
    const values = Float64Array.of(-3, -0.5, 0.2, 2);
    const quiet = forwardStability([first], [x1], 0, { at, coherences })[0];
    return {
      graph: network,
      claims: {
        ...layer(0),
        ...layer(1),
        "error of the worst code, which meets the bound": checked(worst.error, worst.bound, {
          tolerance: 1e-12,
        }),
        "a code that breaks the condition: thresholds that find its support": checked(brokenCase(64), 0),
        ...(quiet?.holds && {
          "error without noise": checked(
            distance(x1, layeredThresholding([first], clean, [quiet.threshold])[0]!),
            0,
          ),
        }),
        "the ReLU network of the same thresholds, less layered thresholding": checked(
          distance(last, rectified[1]!),
          0,
          { tolerance: 1e-12 },
        ),
        "ReLU layers": checked(network.nodes.filter(({ op }) => op === "Relu").length, small.length - 1),
        "entries that a threshold makes 0": checked(
          layeredThresholding([identity(4)], values, [1])[0]!.filter((v) => v === 0).length,
          values.filter((v) => v <= 1).length,
        ),
      },
    };
  },
});

const identity = (n: number): Dictionary => ({
  size: n,
  count: n,
  atoms: Float64Array.from({ length: n * n }, (_, k) => Number(k % (n + 1) === 0)),
});

/** Lines of a plane over the integers modulo 509: four entries 1/2 each, two of them share one place at most. */
function lines(size: number): Dictionary {
  const prime = 509;
  const count = 2 * prime;
  const atoms = new Float64Array(size * count);
  for (let j = 0; j < count; j++) {
    const [start, slope] = [j % prime, Math.floor(j / prime)];
    for (let k = 0; k < 4; k++) atoms[j * size + ((start + slope * k) % prime) * 4 + k] = 1 / 2;
  }
  return { size, count, atoms };
}

const distance = (a: Float64Array, b: Float64Array): number => Math.hypot(...a.map((v, i) => v - b[i]!));

const wrongEntries = (x: Float64Array, found: Float64Array): number =>
  x.reduce((count, v, j) => count + Number((v !== 0) !== (found[j] !== 0)), 0);

/** One atom, and noise against it: the bound is what happens. */
function worstCase(n: number, noise: number, at: number): { error: number; bound: number } {
  const dictionary = pairOfBases(n);
  const x = new Float64Array(2 * n);
  x[0] = 1;
  const [verdict] = forwardStability([dictionary], [x], noise, { at });
  const y = synthesize(dictionary, x);
  y[0]! -= noise;
  const [found] = layeredThresholding([dictionary], y, [verdict!.threshold]);
  return { error: distance(x, found!), bound: verdict!.error };
}

/**
 * s equal unit vectors with signs against a Hadamard column: it correlates as much as they do once s mu >= 1 - (s - 1) mu, and
 * with the signs of one column s mu is what it has. With s = sqrt n no threshold keeps them apart.
 */
function brokenCase(n: number): number {
  const dictionary = pairOfBases(n);
  const x = new Float64Array(2 * n);
  for (let j = 0; j < Math.sqrt(n); j++) x[j] = 1;
  const y = synthesize(dictionary, x);
  let good = 0;
  for (let k = 0; k < 200; k++) {
    const [found] = layeredThresholding([dictionary], y, [k / 100]);
    if (wrongEntries(x, found!) === 0) good++;
  }
  return good;
}
