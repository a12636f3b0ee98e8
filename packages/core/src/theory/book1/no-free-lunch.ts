import type { Figure } from "../../figure/figure.ts";
import {
  expectedRisk,
  freeLunch,
  type LearningRule,
  unseenRisk,
} from "../../generalization/no-free-lunch.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { type LemmaTable, lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

const filled = (seen: ReadonlyMap<number, number>, domain: number, unseen: (x: number) => number) =>
  Array.from({ length: domain }, (_, x) => seen.get(x) ?? unseen(x));

const majority = (seen: ReadonlyMap<number, number>): number => {
  const ones = [...seen.values()].reduce((a, b) => a + b, 0);
  return Number(2 * ones > seen.size);
};

/** Rules that keep what they saw, and one that does not. */
const rules = {
  "nearest neighbour": (seen, domain) =>
    filled(seen, domain, (x) => {
      const nearest = [...seen.keys()].reduce((a, b) => (Math.abs(b - x) < Math.abs(a - x) ? b : a));
      return seen.get(nearest)!;
    }),
  "memory and majority": (seen, domain) => filled(seen, domain, () => majority(seen)),
  "memory and 0": (seen, domain) => filled(seen, domain, () => 0),
  "least errors of a threshold": (seen, domain) => bestThreshold(seen, domain),
  "a constant": (seen, domain) => new Array<number>(domain).fill(majority(seen)),
} satisfies Readonly<Record<string, LearningRule>>;
type RuleName = keyof typeof rules;
const memorizes = (name: RuleName): boolean =>
  name !== "least errors of a threshold" && name !== "a constant";

/** Empirical risk minimization over x >= t and x < t. */
function bestThreshold(seen: ReadonlyMap<number, number>, domain: number): readonly number[] {
  const candidates = Array.from({ length: 2 * (domain + 1) }, (_, k) =>
    Array.from({ length: domain }, (__, x) => Number(x >= k >> 1 === (k % 2 === 0))),
  );
  const errors = candidates.map((c) => [...seen].filter(([x, y]) => c[x] !== y).length);
  return candidates[errors.indexOf(Math.min(...errors))]!;
}

export default lemma({
  id: "C1a-11",
  covers: ["C1a-11"],
  kind: "bound",
  title: "No free lunch, counted",
  source: "Book, chapter 1, Theorem 1.14; Devroye, Györfi, Lugosi 1996, Theorem 7.2",
  statement: String.raw`\frac{1}{2^n} \sum_{f : [n] \to \{0, 1\}} \mathbb E\, \mathcal R_f(\mathcal A(S)) \ge \tfrac12 \bigl(1 - \tfrac1n\bigr)^m, \qquad \mathcal R_f^* = 0`,
  parameters: {
    rule: choice(
      [
        ...(["nearest neighbour", "memory and majority"] as const),
        ...(["memory and 0", "least errors of a threshold", "a constant"] as const),
      ],
      { label: "learning rule" },
    ),
    n: integer({ min: 2, max: 5, default: 4, label: "points of the domain" }),
    m: integer({ min: 1, max: 3, default: 2, label: "examples m" }),
  },
  claims: {
    "mean risk over all labellings": atLeast(String.raw`\tfrac12 (1 - 1/n)^m`),
    "mean risk of a rule that remembers": equals(String.raw`\tfrac12 (1 - 1/n)^m`),
    // The least ratios over all 60 rules, domains and numbers of examples are 1.2 and 1.5, less rounding.
    "risk at the worst labelling": atLeast(String.raw`\text{the mean}`).looseBy(1.19),
    "risk at the worst labelling, n = 2m": atLeast(String.raw`1/4`).looseBy(1.49),
    "the worst labelling of n points, 4n examples and more": atLeast(String.raw`a_m = 1/16`).printed({
      where: "Theorem 1.14",
      printed: String.raw`Let $a_m \in (0, \infty)$, $m \in \mathbb{N}$, be a monotonically decreasing sequence with $a_1 \leq 1/16$`,
      corrected: String.raw`a sequence that converges to $0$: with $a_m = 1/16$ for all $m$, one distribution would have to be bad for every $m$, but rules are universally consistent; on $n$ points, memory has risk at most $(1 - 1/n)^m$`,
    }),
  },
  mutants: {
    "points that were seen counted": { "mean risk of a rule that remembers": () => 0.5 },
    "an example forgotten": {
      "mean risk of a rule that remembers": ({ n, m }) => unseenRisk(n, m - 1),
    },
    "one point more": ({ n }) => ({ n: n + 1 }),
  },
  run({ rule: name, n, m }, { budget }) {
    const rule: LearningRule = rules[name];
    const { mean, worst } = freeLunch(rule, n, m);
    const balanced = freeLunch(rule, 2 * Math.min(m, 2), Math.min(m, 2));
    const rounding = { tolerance: 2 ** -46 }; // sums of 2^n means
    return {
      ...(budget === "cheap" ? {} : shown()),
      claims: {
        "mean risk over all labellings": checked(mean, unseenRisk(n, m), rounding),
        ...(memorizes(name) && {
          "mean risk of a rule that remembers": checked(mean, unseenRisk(n, m), rounding),
        }),
        "risk at the worst labelling": checked(worst, mean, rounding),
        "risk at the worst labelling, n = 2m": checked(balanced.worst, 1 / 4, rounding),
        ...(n === 2 && memorizes(name)
          ? {
              "the worst labelling of n points, 4n examples and more": checked(
                Math.max(...[0, 1, 2, 3].map((k) => expectedRisk(rule, [k & 1, k >> 1], 8))),
                1 / 16,
              ),
            }
          : {}),
      },
    };
  },
});

function shown(): { figure: Figure; table: LemmaTable } {
  const names = Object.keys(rules) as readonly RuleName[];
  const domains = [2, 3, 4, 5, 6];
  const found = names.map((name) => domains.map((n) => freeLunch(rules[name], n, 2)));
  return {
    figure: {
      title: "No free lunch: two examples, all labellings",
      panels: (["mean", "worst"] as const).map((which) => ({
        title: which === "mean" ? "Mean over labellings" : "The worst labelling",
        x: { label: "points of the domain" },
        y: { label: "expected risk" },
        series: [
          ...names.map((name, k) => ({
            ...{ name, mark: "dots" as const },
            points: domains.map((n, j) => [n, found[k]![j]![which]] as const),
          })),
          {
            ...{ name: "½ (1 - 1/n)²", mark: "line" as const, role: "theory" as const },
            points: domains.map((n) => [n, unseenRisk(n, 2)] as const),
          },
        ],
      })),
    },
    table: {
      title: "Two examples of four points: expected risk over the 16 labellings",
      columns: ["rule", "mean", "least possible mean", "worst", "a worst labelling"],
      rows: names.map((name, k) => {
        const { mean, worst, worstLabels } = found[k]![2]!;
        return [name, mean, unseenRisk(4, 2), worst, worstLabels.join("")];
      }),
    },
  };
}
