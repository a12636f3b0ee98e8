import { holisticUniqueness, sharedSignals } from "../../sparse/layers/guarantees.ts";
import { effectiveDictionary, type LayerPattern, unitAtoms } from "../../sparse/layers/model.ts";
import { isDependent } from "../../sparse/pursuit/dictionary-quality.ts";
import { subsets } from "../../sparse/restricted-isometry.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { normalDictionary } from "./draws.ts";

export default lemma({
  id: "C7-13",
  covers: ["C7-13"],
  kind: "bound",
  title: "Codes in two layers are unique where both layers together are sparse enough",
  source: "Book, chapter 7, Theorem 7.3; Aberdam, Sulam and Elad 2019, Theorem 5.1",
  statement: String.raw`2 (s_2 - r) \le \operatorname{spark}(D_1 D_2) - 1 \text{ and } 2 (s_2 - r) \le s_1 \;\Rightarrow\; \text{no signal has two codes with } s_1, s_2 \text{ nonzeros}, \qquad s_2 < \tfrac12 (1 + 1/\mu(D_1 D_2)) + r \text{ alone does not suffice}`,
  parameters: {
    n0: integer({ min: 2, max: 6, default: 4, label: "numbers of a signal" }),
    n1: integer({ min: 2, max: 7, default: 6, label: "atoms of the first dictionary" }),
    n2: integer({ min: 3, max: 8, default: 7, label: "atoms of the second" }),
    s1: integer({
      min: 1,
      max: 6,
      default: 4,
      label: "nonzeros of the first code, where the model is not empty",
    }),
    s2: integer({ min: 1, max: 6, default: 4, label: "nonzeros of the second code" }),
  },
  claims: {
    "within both bounds: pairs of patterns with a common signal": equals("0"),
    "beyond a bound, with atoms enough: are there pairs with a common signal": equals("1"),
    "spark of the effective dictionary": equals(String.raw`\min(n_0, n_1) + 1`),
    "coherence form: nonzeros that it allows": atMost("those of the spark form"),
    "within the bound of (7.20): pairs of patterns with a common signal": equals("0").printed({
      where: "Theorem 7.3",
      printed:
        "for a set of dictionaries  $\\{\\mathbf{D}^{[i]}\\}_{i=1}^L$  in general position,<sup>5</sup> this set is the unique ML-SC representation",
      corrected:
        "the inner dictionaries need room as well: $2 (s_2 - r) \\le s_1$. With $s_1 = 1$, $s_2 = n_1$ and $r = n_1 - 1$ (7.20) always holds, and every $n_1$ atoms of $D_2$ make the same $x_1$",
    }),
  },
  mutants: {
    "the rank left out": {
      "within both bounds: pairs of patterns with a common signal": ({ s2, n0, n2 }) =>
        Number(2 * Math.min(s2, n2) > n0),
    },
    "one pair overlooked": {
      "beyond a bound, with atoms enough: are there pairs with a common signal": () => 0,
    },
    "a dimension more": { "spark of the effective dictionary": ({ n0, n1 }) => Math.min(n0, n1) },
  },
  async run({ n0, n1, n2, s1: few1, s2: few2 }, { random, scale, progress }) {
    // As many nonzeros as there are atoms, and enough for a code other than 0.
    const s2 = Math.min(few2, n2);
    const s1 = Math.min(n1, Math.max(few1, n1 - s2 + 1));
    const layers = [
      normalDictionary(n0, n1, random.split("D1")),
      normalDictionary(n1, n2, random.split("D2")),
    ] as const;
    const supports = [...subsets(n2, s2)];
    const zeros = [...subsets(n1, n1 - s1)];
    const patterns: LayerPattern[] = supports.flatMap((support) =>
      zeros.map((set) => ({ support, zeros: [set] })),
    );
    const [first] = patterns as [LayerPattern];
    const { rank, below, printed, holds } = holisticUniqueness(layers, first);
    // In general position patterns are alike but for what they share: the first with all others, then any two.
    const pairs = Math.min(scale(2000), patterns.length ** 2);
    const second = random.split("pairs");
    let common = 0;
    for (let k = 0; k < pairs; k++) {
      const b = k < patterns.length ? patterns[k]! : patterns[second.integer(0, patterns.length - 1)]!;
      const a = k < patterns.length ? first : patterns[second.integer(0, patterns.length - 1)]!;
      if (sharedSignals(layers, a, b) > 0) common++;
      if (k % 50 === 0) await progress(k / pairs);
    }
    const effective = unitAtoms(effectiveDictionary(layers));
    const independent = Math.min(n0, n1);
    const dimension = s2 - rank;
    // Two codes without common atoms, and as many zeros in common as there can be.
    const beyond =
      (n1 > n0 && 2 * dimension > n0 && supports.length > 1) ||
      (2 * dimension > s1 && n2 >= 2 * s2 && n2 > n1);
    return {
      claims: {
        ...(holds && {
          "within both bounds: pairs of patterns with a common signal": checked(common, 0),
        }),
        ...(beyond &&
          pairs >= patterns.length && {
            "beyond a bound, with atoms enough: are there pairs with a common signal": checked(
              Math.min(common, 1),
              1,
            ),
          }),
        ...(independent < n2 && {
          "spark of the effective dictionary": checked(sparkBySets(effective), independent + 1),
          "coherence form: nonzeros that it allows": checked(
            Math.ceil(below) - 1,
            Math.floor(independent / 2) + rank,
          ),
        }),
        ...(printed && {
          "within the bound of (7.20): pairs of patterns with a common signal": checked(common, 0),
        }),
      },
    };
  },
});

/** By all sets of atoms. */
function sparkBySets(dictionary: ReturnType<typeof effectiveDictionary>): number {
  for (let k = 1; k <= dictionary.count; k++)
    for (const set of subsets(dictionary.count, k)) if (isDependent(dictionary, set)) return k;
  return dictionary.count + 1;
}
