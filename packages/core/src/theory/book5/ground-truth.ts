import { type Localization, localization } from "../../explain/evaluate.ts";
import type { Random } from "../../numbers/random.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { figure } from "./ground-truth-figure.ts";

export default lemma({
  id: "C5-22",
  covers: ["C5-22"],
  kind: "measure",
  title: "Explanations against the truth: mass and rank on a mask, and what chance has of them",
  source: "Book, chapter 5, section 5.3; Osman et al. 2020",
  statement: String.raw`\text{mass} = \frac{\sum_{i \in G} R_i^+}{\sum_i R_i^+}, \quad \text{rank} = \frac{|\{|G| \text{ greatest } R_i\} \cap G|}{|G|}; \qquad \text{mean over all places of } G: \; |G| / n`,
  parameters: {
    side: integer({ min: 2, max: 8, default: 6, label: "side of the image" }),
    part: real({ min: 0, max: 1, default: 0.2, label: "part of the pixels on the mask" }),
  },
  claims: {
    "relevance that is the mask: mass": equals("1"),
    "relevance that is the mask: rank": equals("1"),
    "relevance that is everywhere the same: mass": equals("|G| / n"),
    "mean mass over all shifts of the mask": equals("|G| / n"),
    "mean rank over all shifts of the mask": equals("|G| / n"),
    "mean hits of the greatest over all shifts of the mask": equals("|G| / n"),
    "rank: difference to a count by thresholds": equals("0"),
  },
  mutants: {
    "the mask's border counted twice": {
      "mean mass over all shifts of the mask": ({ side }, { theory }) => theory + 1 / side ** 2,
    },
    "one relevant pixel more": {
      "mean rank over all shifts of the mask": ({ side }, { theory }) => theory + 1 / side ** 2,
    },
    "mass without its total": {
      "relevance that is everywhere the same: mass": ({ side }, { theory }) => theory * side ** 2,
    },
  },
  run({ side, part }, { random }) {
    const n = side * side;
    const inside = Math.min(n, Math.max(1, Math.round(part * n)));
    const mask = maskOf(n, inside, random);
    const relevance = random.normal(n);
    relevance[random.integer(0, n - 1)] = 1; // some relevance is positive
    const all = Array.from({ length: n }, (_, by) => localization(relevance, shifted(mask, by)));
    const mean = (of: (l: Localization) => number): number => all.reduce((s, l) => s + of(l), 0) / n;
    const rounding = { tolerance: 1e-12 };
    const truth = localization(mask, mask);
    return {
      figure: figure(relevance, mask, all, inside / n),
      table: {
        title: "One map and its mask",
        columns: ["mass", "rank", "greatest on the mask"],
        rows: [[all[0]!.mass, all[0]!.rank, all[0]!.isHit ? "yes" : "no"]],
      },
      claims: {
        "relevance that is the mask: mass": checked(truth.mass, 1),
        "relevance that is the mask: rank": checked(truth.rank, 1),
        "relevance that is everywhere the same: mass": checked(
          localization(new Float64Array(n).fill(0.5), mask).mass,
          inside / n,
          rounding,
        ),
        "mean mass over all shifts of the mask": checked(
          mean((l) => l.mass),
          inside / n,
          rounding,
        ),
        "mean rank over all shifts of the mask": checked(
          mean((l) => l.rank),
          inside / n,
          rounding,
        ),
        "mean hits of the greatest over all shifts of the mask": checked(
          mean((l) => Number(l.isHit)),
          inside / n,
          rounding,
        ),
        "rank: difference to a count by thresholds": checked(
          all[0]!.rank - byThreshold(relevance, mask, inside),
          0,
          rounding,
        ),
      },
    };
  },
});

function maskOf(n: number, inside: number, random: Random): Float64Array {
  const mask = new Float64Array(n);
  for (const k of random.permutation(n).subarray(0, inside)) mask[k] = 1;
  return mask;
}

const shifted = (mask: Float64Array, by: number): Float64Array =>
  mask.map((_, k) => mask[(k + by) % mask.length]!);

/** The part of the mask whose relevance fewer than |G| pixels exceed. */
function byThreshold(relevance: Float64Array, mask: Float64Array, inside: number): number {
  let above = 0;
  mask.forEach((on, k) => {
    if (on && relevance.filter((r) => r > relevance[k]!).length < inside) above++;
  });
  return above / inside;
}
