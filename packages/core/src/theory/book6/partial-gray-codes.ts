import { grayCode, partialGrayCodes } from "../../discrete/stochastic/gray.ts";
import { bitsOf } from "../../discrete/stochastic/kernel.ts";
import { copyUnit, type StochasticUnit, sharingUnit } from "../../discrete/stochastic/unit.ts";
import type { Figure } from "../../figure/figure.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

type Codes = ReturnType<typeof partialGrayCodes>;
const sigma = (z: number): number => 1 / (1 + Math.exp(-z));
const fires = ({ bias, reads }: StochasticUnit, bits: readonly number[]): number =>
  sigma(reads.reduce((z, [c, w]) => z + w * bits[c]!, bias));
const apart = (a: readonly number[], b: readonly number[]): number => a.filter((v, k) => v !== b[k]).length;
const distinct = (states: readonly (readonly number[])[]): number =>
  new Set(states.map((state) => state.join(""))).size;

/** Distances of consecutive states: all of them together, and the greatest. */
function walks(codes: Codes): { readonly total: number; readonly greatest: number } {
  const steps = codes.flatMap((code) => code.slice(1).map((state, k) => apart(state, code[k]!)));
  return { total: steps.reduce((a, b) => a + b, 0), greatest: Math.max(...steps) };
}

/** Pairs of sequences that flip the same bit in a step: of states that are no neighbours, and of neighbours. */
function sharedFlips(codes: Codes): { readonly apart: number; readonly neighbours: number } {
  let [far, near] = [0, 0];
  const flip = (code: Codes[number], k: number): number =>
    code[k]!.findIndex((v, i) => v !== code[k + 1]![i]);
  for (let k = 0; k + 1 < codes[0]!.length; k++)
    for (let i = 0; i < codes.length; i++)
      for (let r = 0; r < i; r++) {
        if (flip(codes[i]!, k) !== flip(codes[r]!, k)) continue;
        if (apart(codes[i]![k]!, codes[r]![k]!) === 1) near++;
        else far++;
      }
  return { apart: far, neighbours: near };
}

/** A layer in which one unit shares the mass of a state and of its neighbour, and all others copy. */
function sharingLayer(
  state: readonly number[],
  flips: number,
  place: number,
  stay: readonly [number, number],
  eps: number,
) {
  const columns = state.map((_, k) => k);
  return columns.map((k) =>
    k === flips
      ? sharingUnit({ columns, state, flips, stay: stay[0], partner: { place, stay: stay[1] } }, eps)
      : copyUnit(k, eps),
  );
}

/** The (6.23) of the book, first states. */
const printedStarts = [
  [1, 0],
  [1, 1],
];

export default lemma({
  id: "C6-12",
  covers: ["C6-12", "C6-14"],
  kind: "construction",
  title: "Partial Gray codes, and a unit that moves the mass of two states at a time",
  source: "Book, chapter 6, Theorems 6.16 and 6.17",
  statement: String.raw`m = 2^{b-1} + b: \quad 2^b \text{ paths of } 2^{m-b} \text{ states that partition } \{0, 1\}^m, \quad \Pr(h'_i = h_i) \ge 1 - \epsilon \text{ but at } g, \hat g`,
  parameters: {
    b: integer({ min: 1, max: 3, default: 3, label: "bits b of the index" }),
    m: integer({ min: 2, max: 5, default: 4, label: "width m that a unit sees" }),
    eps: real({ min: 1e-6, max: 0.05, default: 0.01, label: "error ε of a unit" }),
    d: integer({ min: 1, max: 6, default: 3, label: "inputs d of the example" }),
  },
  claims: {
    "(i) states of all sequences, each counted once": equals("2^m"),
    "(i) states of all sequences, counted": equals("2^m"),
    "(ii) beginnings by their first m - b bits": equals("1"),
    "(ii) beginnings of (6.23) by their last m - b bits": equals("1").printed({
      where: "Theorem 6.17, (ii)",
      printed: String.raw`The vectors  $\mathcal{S}_{1,1}, \dots, \mathcal{S}_{2^b,1}$  share the same values in their last  $m - b$  bits.`,
      corrected: String.raw`in their first $m - b$ bits, as they do in (6.23)`,
    }),
    "(iii) ones at the end of the first sequence": equals("0"),
    "(iv) steps, their distances added": equals("2^b (2^{m-b} - 1)"),
    "(iv) greatest distance of a step": equals("1"),
    "(v) bits that two sequences flip together, not being neighbours": equals("0"),
    "(v) bits that neighbours flip together": equals(String.raw`2^{b-1} (2^{m-b} - 1)`),
    "chances to stay of two neighbours, error": equals("0"),
    "a bit elsewhere, greatest chance to be wrong": atMost(String.raw`\epsilon`),
    "a state elsewhere, greatest chance to be copied": equals(String.raw`(1 - \epsilon)^m`).printed({
      where: "section 6.7.2, (6.15)",
      printed: String.raw`\Pr(\mathbf{h}^l = \mathbf{h}^{l-1} \mid \mathbf{h}^{l-1} \neq \mathbf{g}) = (1 - \epsilon)^m, \quad (6.15)`,
      corrected: String.raw`at least $(1 - \epsilon)^m$: far from $g$ the unit that shares errs with much less than $\epsilon$`,
    }),
    "partial Gray codes of the example with two outputs": equals("2 (d - b)").printed({
      where: "section 6.9, before (6.23)",
      printed: String.raw`The sharing schedule of the single subsection of each section follows the  $2^b = 2(d - b) = 2$  partial Gray codes`,
      corrected: String.raw`$2^b = 2 (s - b)$: the number of inputs has no part in it, and is $s$ in the example alone`,
    }),
  },
  mutants: {
    "a sequence for each pair": { "(v) bits that neighbours flip together": (_, { theory }) => 2 * theory },
    "closed paths": { "(iv) steps, their distances added": ({ b }) => 2 ** b * 2 ** (2 ** (b - 1)) },
    "a unit that always errs a little": {
      "a bit elsewhere, greatest chance to be wrong": ({ eps }) => eps / 50,
    },
  },
  run({ b, m, eps, d }, { random, budget }) {
    const codes = partialGrayCodes(b);
    const n = 2 ** (b - 1);
    const [steps, flips] = [walks(codes), sharedFlips(codes)];
    const state = bitsOf(random.integer(0, 2 ** m - 1), m);
    const place = random.integer(0, m - 1);
    const flipped = (place + 1 + random.integer(0, m - 2)) % m;
    const stay: [number, number] = [eps + (1 - 2 * eps) * random.uniform(), 0.5];
    const layer = sharingLayer(state, flipped, place, stay, eps);
    const partner = state.map((bit, k) => (k === place ? 1 - bit : bit));
    let [wrongChance, wrongBit, mostCopied] = [0, 0, 0];
    for (let h = 0; h < 2 ** m; h++) {
      const bits = bitsOf(h, m);
      const kept = layer.map((unit, k) => (bits[k] === 1 ? fires(unit, bits) : 1 - fires(unit, bits)));
      const which = [state, partner].findIndex((one) => apart(one, bits) === 0);
      if (which >= 0) wrongChance = Math.max(wrongChance, Math.abs(kept[flipped]! - stay[which]!));
      else {
        wrongBit = Math.max(wrongBit, ...kept.map((p) => 1 - p));
        mostCopied = Math.max(
          mostCopied,
          kept.reduce((p, q) => p * q, 1),
        );
      }
    }
    const rounding = { tolerance: 2 ** -44 };
    return {
      figure: budget === "cheap" ? undefined : figure(),
      claims: {
        "(i) states of all sequences, each counted once": checked(distinct(codes.flat()), 2 ** (n + b)),
        "(i) states of all sequences, counted": checked(codes.flat().length, 2 ** (n + b)),
        "(ii) beginnings by their first m - b bits": checked(
          distinct(codes.map((code) => code[0]!.slice(0, n))),
          1,
        ),
        "(ii) beginnings of (6.23) by their last m - b bits": checked(
          distinct(printedStarts.map((start) => start.slice(1))),
          1,
        ),
        "(iii) ones at the end of the first sequence": checked(
          codes[0]!.at(-1)!.reduce((sum, bit) => sum + bit, 0),
          0,
        ),
        "(iv) steps, their distances added": checked(steps.total, 2 ** b * (2 ** n - 1)),
        "(iv) greatest distance of a step": checked(steps.greatest, 1),
        "(v) bits that two sequences flip together, not being neighbours": checked(flips.apart, 0),
        "(v) bits that neighbours flip together": checked(flips.neighbours, 2 ** (b - 1) * (2 ** n - 1)),
        "chances to stay of two neighbours, error": checked(wrongChance, 0, rounding),
        "a bit elsewhere, greatest chance to be wrong": checked(wrongBit, eps, rounding),
        ...(m > 2 && {
          "a state elsewhere, greatest chance to be copied": checked(mostCopied, (1 - eps) ** m),
        }),
        "partial Gray codes of the example with two outputs": checked(
          partialGrayCodes(1).length,
          2 * (d - 1),
        ),
      },
    };
  },
});

/** Which bit each of the four sequences of four bits flips, step by step, and one Gray code of all sixteen states. */
/** The corner of the cube of four dimensions, drawn in the plane. */
const corner = (bits: readonly number[]): readonly [number, number] => [
  2 * bits[0]! + 0.9 * bits[2]! - 0.5 * bits[3]!,
  2 * bits[1]! + 0.6 * bits[2]! + 0.9 * bits[3]!,
];

/** All 32 edges in one line: every corner has four of them, so that there is a way over each of them once (Hierholzer). */
function everyEdge(): readonly (readonly [number, number])[] {
  const left = Array.from({ length: 16 }, () => new Set([1, 2, 4, 8]));
  const open = [0];
  const way: number[] = [];
  while (open.length > 0) {
    const at = open.at(-1)!;
    const [bit] = left[at]!;
    if (bit === undefined) way.push(open.pop()!);
    else {
      left[at]!.delete(bit);
      left[at ^ bit]!.delete(bit);
      open.push(at ^ bit);
    }
  }
  return way.map((v) => corner([8, 4, 2, 1].map((bit) => (v & bit ? 1 : 0))));
}

function figure(): Figure {
  const edges = {
    name: "edges of the cube",
    mark: "line" as const,
    points: everyEdge(),
    role: "theory" as const,
  };
  const along = (name: string, code: readonly (readonly number[])[]) => ({
    ...{ name, mark: "line" as const, role: "measured" as const },
    points: code.map(corner),
  });
  const starts = (codes: readonly (readonly (readonly number[])[])[]) => ({
    ...{ name: "where they begin", mark: "dots" as const },
    points: codes.map(([first]) => corner(first!)),
  });
  const codes = partialGrayCodes(2);
  return {
    title: "Gray codes on the cube of four dimensions",
    panels: [
      {
        title: "Four partial codes, which move mass at the same time",
        x: { label: "projection of {0, 1}^4" },
        y: { label: "" },
        series: [edges, ...codes.map((code) => along(`from ${code[0]!.join("")}`, code)), starts(codes)],
      },
      {
        title: "One code of all states",
        x: { label: "projection of {0, 1}^4" },
        y: { label: "" },
        series: [edges, along("reflected, from 0000", grayCode(4)), starts([grayCode(4)])],
      },
    ],
  };
}
