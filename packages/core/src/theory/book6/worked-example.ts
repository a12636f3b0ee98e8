import { type BeliefNetwork, greatestParameter } from "../../discrete/stochastic/belief-network.ts";
import { couplingBound } from "../../discrete/stochastic/certified-kernel.ts";
import { exactKernel } from "../../discrete/stochastic/exact-kernel.ts";
import { bitsOf, greatestDifference, type Kernel } from "../../discrete/stochastic/kernel.ts";
import { randomKernel } from "../../discrete/stochastic/random-kernel.ts";
import { gammaOf, type StochasticUnit } from "../../discrete/stochastic/unit.ts";
import { workedExample } from "../../discrete/stochastic/worked-example.ts";
import { type Figure, power } from "../../figure/figure.ts";
import { createRandom } from "../../numbers/random.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

/** Table 6.1, by k with 10 eps = 2^-k. */
const printed: Readonly<
  Record<
    number,
    { readonly alpha: number; readonly bound: number; readonly average: number; readonly most: number }
  >
> = {
  2: { alpha: 14.65, bound: 0.416, average: 0.0522, most: 0.1642 },
  3: { alpha: 17.47, bound: 0.2276, average: 0.0248, most: 0.1004 },
  4: { alpha: 20.28, bound: 0.1192, average: 0.0134, most: 0.0541 },
  5: { alpha: 23.06, bound: 0.061, average: 0.0077, most: 0.0425 },
  6: { alpha: 25.84, bound: 0.0308, average: 0.006, most: 0.0306 },
};
const units = 18;
const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
const boundOf = (eps: number): number => couplingBound(eps, units) + 2 * eps;

/** The kernel from the four sections, which are independent: an output sees how many of its units are on. */
function bySections({ layers: [first, second, outputs] }: BeliefNetwork): Kernel {
  const fires = ({ bias, reads }: StochasticUnit, on: (column: number) => number): number =>
    1 / (1 + Math.exp(-reads.reduce((z, [c, w]) => z + w * on(c), bias)));
  const bit = (p: number, value: number): number => (value ? p : 1 - p);
  const rows = [0, 1, 2, 3].map((x) => {
    let counts = new Map([["0 0", 1]]);
    for (let i = 0; i < 4; i++) {
      const law = [0, 0, 0, 0];
      for (let h = 0; h < 4; h++)
        for (let g = 0; g < 4; g++)
          law[g]! += [0, 1].reduce(
            (p, u) =>
              p *
              bit(
                fires(first![2 * i + u]!, (c) => bitsOf(x, 2)[c]!),
                bitsOf(h, 2)[u]!,
              ) *
              bit(
                fires(second![2 * i + u]!, (c) => bitsOf(h, 2)[c - 2 * i]!),
                bitsOf(g, 2)[u]!,
              ),
            1,
          );
      const next = new Map<string, number>();
      for (const [key, p] of counts)
        law.forEach((q, g) => {
          const sums = key.split(" ").map((n, u) => Number(n) + bitsOf(g, 2)[u]!);
          next.set(sums.join(" "), (next.get(sums.join(" ")) ?? 0) + p * q);
        });
      counts = next;
    }
    const weight = outputs![0]!.reads[0]![1];
    return Float64Array.from({ length: 4 }, (_, y) =>
      [...counts].reduce((sum, [key, p]) => {
        const chances = key
          .split(" ")
          .map((n, u) => 1 / (1 + Math.exp(-(outputs![u]!.bias + weight * Number(n)))));
        return sum + p * bit(chances[0]!, bitsOf(y, 2)[0]!) * bit(chances[1]!, bitsOf(y, 2)[1]!);
      }, 0),
    );
  });
  return { inputs: 2, outputs: 2, rows };
}

export default lemma({
  id: "C6-20",
  covers: ["C6-20"],
  kind: "experiment",
  title: "Table 6.1: random tables of two bits given two bits, with exact kernels",
  source: "Book, chapter 6, section 6.9",
  statement: String.raw`\epsilon = 2^{-k} / 10, \; \alpha = 4 \sigma^{-1}(1 - \epsilon), \; N = 18: \qquad \max_{x, y} | p(y | x) - p^*(y | x) | \le 1 - (1 - \epsilon)^N + 2 \epsilon`,
  parameters: {
    k: integer({ min: 2, max: 6, default: 4, label: "k, 10 ε = 2^-k" }),
    tables: integer({ min: 1, max: 1000, default: 1, label: "which tables" }),
  },
  claims: {
    "units without inputs": equals("18"),
    "greatest weight of the corrected network": equals(String.raw`3 \gamma`),
    "corrected network, greatest error": atMost(String.raw`1 - (1 - \epsilon)^N + 2 \epsilon`).loose({
      where: "Theorem 6.14",
      printed: String.raw`If one considers an arbitrary target kernel  $p^*$ , the error bound increases by  $\epsilon$ .`,
      corrected: String.raw`$1 - (1 - \epsilon)^{16} (1 - \epsilon^3)^2$ for every kernel: both first units of the section two bits away see $-3 \gamma$`,
    }),
    "corrected network, kernel and sections one by one, difference": equals("0"),
    "α of the table, to two digits": equals(String.raw`4 \sigma^{-1}(1 - \epsilon)`).printed({
      where: "Table 6.1, second row",
      printed: "17.47",
      corrected: "17.48",
    }),
    "bound of the table, to four digits": equals(String.raw`1 - (1 - \epsilon)^N + 2 \epsilon`).printed({
      where: "Table 6.1, last row",
      printed: "0.0308",
      corrected: "0.0309",
    }),
    "printed network, greatest error": atMost(String.raw`1 - (1 - \epsilon)^N + 2 \epsilon`).printed({
      where: "section 6.9, (6.24) and (6.25)",
      printed: String.raw`$\mathbf{W}^2 = \begin{pmatrix} \gamma & \omega_1 & 0 & 0 & 0 & 0 & 0 & 0 \\ 0 & 2\gamma & 0 & 0 & 0 & 0 & 0 & 0 \end{pmatrix}$`,
      corrected: String.raw`$2\gamma$ for $\gamma$ in the first unit of each section, with biases $-2\gamma$, and $\gamma + \max(0, \sigma^{-1}(p))$ for $\gamma$ in rows 2 and 8 of $\mathbf{W}^1$: else sections of other inputs are not silenced`,
    }),
  },
  mutants: {
    "half of the units": { "units without inputs": () => 10 },
    "an ε twice as good": { "corrected network, greatest error": ({ k }) => boundOf(2 ** -(k + 4) / 10) },
    "weights of 2 γ": { "greatest weight of the corrected network": ({ k }) => 2 * gammaOf(2 ** -k / 10) },
  },
  run({ k, tables }, { scale, random, budget }) {
    const eps = 2 ** -k / 10;
    const drawn = random.split(tables);
    const kernels = Array.from({ length: scale(60) }, () => randomKernel(drawn, 2, 2, "dirichlet"));
    const networks = kernels.map((kernel) => workedExample(kernel, eps, "corrected"));
    const exact = networks.map(exactKernel);
    const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
    const wrong = kernels.map((kernel) =>
      greatestDifference(exactKernel(workedExample(kernel, eps, "printed")), kernel),
    );
    const row = printed[k]!;
    const rows = budget === "cheap" ? undefined : comparison();
    return {
      table: rows && table(rows),
      figure: rows && figure(rows),
      claims: {
        "units without inputs": checked(
          networks[0]!.layers.reduce((sum, l) => sum + l.length, 0),
          units,
        ),
        "greatest weight of the corrected network": checked(
          most(networks.map(greatestParameter)),
          3 * gammaOf(eps),
          { tolerance: 2 ** -44 },
        ),
        "corrected network, greatest error": checked(
          most(exact.map((e, n) => greatestDifference(e, kernels[n]!))),
          boundOf(eps),
        ),
        "corrected network, kernel and sections one by one, difference": checked(
          most(networks.slice(0, 4).map((network, n) => greatestDifference(bySections(network), exact[n]!))),
          0,
          { tolerance: 2 ** -44 },
        ),
        "α of the table, to two digits": checked(row.alpha, rounded(4 * gammaOf(eps), 2)),
        "bound of the table, to four digits": checked(row.bound, rounded(boundOf(eps), 4)),
        "printed network, greatest error": checked(most(wrong), boundOf(eps)),
      },
    };
  },
});

interface Row {
  readonly k: number;
  readonly eps: number;
  /** The greatest error of each table. */
  readonly corrected: readonly number[];
  readonly printed: readonly number[];
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** What exact kernels of both readings give for every row of Table 6.1, on the same 100 tables. */
function comparison(): readonly Row[] {
  const random = createRandom("table 6.1");
  const kernels = Array.from({ length: 100 }, () => randomKernel(random, 2, 2, "dirichlet"));
  return Object.keys(printed)
    .map(Number)
    .map((k) => {
      const eps = 2 ** -k / 10;
      const errors = (reading: "corrected" | "printed"): readonly number[] =>
        kernels.map((kernel) => greatestDifference(exactKernel(workedExample(kernel, eps, reading)), kernel));
      return { k, eps, corrected: errors("corrected"), printed: errors("printed") };
    });
}

/** Table 6.1 beside that. */
function table(rows: readonly Row[]) {
  return {
    title: "Table 6.1, as printed and with exact kernels of 100 tables",
    columns: [
      "10 ε",
      "α printed",
      "α",
      "bound printed",
      "bound",
      "mean printed",
      "mean",
      "most printed",
      "most",
      "most, printed weights",
    ],
    rows: rows.map(({ k, eps, ...errors }) => {
      const row = printed[k]!;
      return [
        `2^-${k}`,
        ...[row.alpha, rounded(4 * gammaOf(eps), 2), row.bound, rounded(boundOf(eps), 4), row.average],
        ...[rounded(mean(errors.corrected), 4), row.most, rounded(Math.max(...errors.corrected), 4)],
        rounded(Math.max(...errors.printed), 4),
      ];
    }),
  };
}

/** The same: printed weights leave the bound, whatever ε is. */
function figure(rows: readonly Row[]): Figure {
  const names = rows.map(({ k }) => power(2, -k));
  const points = (of: (row: Row) => number) => rows.map((row, n) => [n, of(row)] as const);
  const axes = {
    x: { label: "10 ε", names },
    y: { label: "error", scale: "log", domain: [0.003, 1] },
  } as const;
  return {
    title: "Table 6.1: 100 random tables, by networks of 18 units",
    panels: [
      {
        title: "Greatest error of all tables, by 10 ε",
        ...axes,
        series: [
          { name: "theory: bound", mark: "line", role: "theory", points: points(({ eps }) => boundOf(eps)) },
          { name: "corrected weights", mark: "dots", points: points((row) => Math.max(...row.corrected)) },
          { name: "printed weights", mark: "dots", points: points((row) => Math.max(...row.printed)) },
          { name: "as the book has it", mark: "dots", points: points(({ k }) => printed[k]!.most) },
        ],
      },
      {
        title: "Mean of the tables' greatest errors, by 10 ε",
        ...axes,
        series: [
          { name: "theory: bound", mark: "line", role: "theory", points: points(({ eps }) => boundOf(eps)) },
          { name: "corrected weights", mark: "dots", points: points((row) => mean(row.corrected)) },
          { name: "printed weights", mark: "dots", points: points((row) => mean(row.printed)) },
          { name: "as the book has it", mark: "dots", points: points(({ k }) => printed[k]!.average) },
        ],
      },
    ],
  };
}
