import { multiIndices } from "../../approximate/sobolev/multi-index.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { isGate } from "../../networks/circuit/circuit.ts";
import { monomials } from "../../networks/monomial.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const binomial = (n: number, k: number): number => (k === 0 ? 1 : (binomial(n - 1, k - 1) * n) / k);

export default lemma({
  id: "T-35",
  covers: ["T-35"],
  kind: "construction",
  title: "All monomials up to a degree, one product each",
  source: "Telgarsky, Lemma 5.4",
  statement: String.raw`\big|\mathrm{mono}_{k,r}(x)_\alpha - x^\alpha\big| \le r\,4^{-k} \quad (|\alpha| \le r), \qquad N = \binom{d+r}{r}`,
  parameters: {
    d: integer({ min: 1, max: 3, default: 2, label: "variables d" }),
    r: integer({ min: 1, max: 6, default: 3, label: "degree r" }),
    k: integer({ min: 1, max: 8, default: 5, label: "levels k" }),
  },
  claims: {
    "certified error": equals("(r - 1) 4^{-k-1}"),
    "certified error against the lemma's": atMost("r 4^{-k}").printed().looseBy(4),
    "error on ONNX Runtime": atMost(String.raw`\text{the certified error of a run in f64}`),
    "squares and products": equals("N - 1 - d"),
    "hidden layers": atMost(String.raw`(k + 1) \lceil \log_2 r \rceil`),
    "hidden units": atMost(String.raw`(N - 1 - d)(4k + 3) + (k+1) \lceil \log_2 r \rceil N`).looseBy(1.25),
    monomials: equals(String.raw`\tbinom{d+r}{r}`),
    "monomials, printed": atMost("d^r").printed({
      where: "Lemma 5.4, last line of the proof",
      printed: String.raw`let $N$ denote the number of monomials of degree at most $r$ [...] noting $N \leq d^r$`,
      corrected: String.raw`$N = \tbinom{d+r}{r} \leq (d+1)^r$: there are $d^r$ words of length $r$, and monomials of lower degree too`,
    }),
    "monomials, mended": atMost("(d+1)^r"),
  },
  mutants: {
    "r products for a monomial of degree r": { "certified error": ({ r, k }) => r * 4 ** -(k + 1) },
    "the constant counted as a product": { "squares and products": ({ d, r }) => binomial(d + r, r) - d },
    "a level lost": ({ k }) => ({ k: k - 1 }),
  },
  async run({ d, r, k }, { random, scale, budget }) {
    const { all } = multiIndices(d, r);
    const made = monomials(all, { levels: k, layout: "tree", nonnegative: true });
    const count = scale(1000);
    const points = Array.from({ length: count }, () => [...random.uniform(d)].map((u) => u ** 0.5));
    const x = tensor(Float64Array.from(points.flat()), { dims: [count, d] });
    const outputs = numbers((await run(made.network, { x })).y!);
    let seen = 0;
    points.forEach((p, i) => {
      all.forEach((alpha, j) => {
        const exact = alpha.reduce((product, n, c) => product * p[c]! ** n, 1);
        seen = Math.max(seen, Math.abs(outputs[i * all.length + j]! - exact));
      });
    });
    const { hiddenUnits, depth } = sizes(made.network);
    const gates = made.circuit.values.filter(isGate).length;
    const stages = Math.ceil(Math.log2(r));
    const error = Math.max(0, r - 1) * 4 ** -(k + 1);
    return {
      graph: made.network,
      figure: budget === "cheap" ? undefined : figure(),
      claims: {
        "certified error": proved(made.error, error),
        "certified error against the lemma's": proved(made.error, r * 4 ** -k),
        // The powers are rounded: a few units in the last place of numbers up to 1.
        "error on ONNX Runtime": sampled(seen, made.runError, { tolerance: 2 ** -48 }),
        "squares and products": checked(gates, all.length - 1 - d),
        "hidden layers": checked(depth, (k + 1) * stages),
        // Degree 1 needs no units.
        ...(r > 1 && {
          "hidden units": checked(
            hiddenUnits!,
            (all.length - 1 - d) * (4 * k + 3) + (k + 1) * stages * all.length,
          ),
        }),
        monomials: checked(all.length, binomial(d + r, r)),
        "monomials, printed": checked(all.length, d ** r),
        "monomials, mended": checked(all.length, (d + 1) ** r),
      },
    };
  },
});

function figure(): Figure {
  const degrees = [1, 2, 3, 4, 5, 6, 7, 8];
  return {
    title: "Monomials of degree at most r",
    panels: [2, 3].map((d) => ({
      title: `${d} variables`,
      x: { label: "degree r" },
      y: { label: "monomials", scale: "log" as const },
      series: [
        {
          name: "counted",
          mark: "dots" as const,
          points: degrees.map((r) => [r, multiIndices(d, r).all.length] as const),
        },
        {
          name: "printed bound d^r",
          mark: "line" as const,
          role: "theory" as const,
          points: degrees.map((r) => [r, d ** r] as const),
        },
        {
          name: "(d+1)^r",
          mark: "line" as const,
          role: "theory" as const,
          points: degrees.map((r) => [r, (d + 1) ** r] as const),
        },
      ],
    })),
  };
}
