import type { Random } from "../../numbers/random.ts";
import { type Dictionary, synthesize } from "../../sparse/pursuit/dictionary.ts";
import { alikeness, babel, dictionaryQuality } from "../../sparse/pursuit/dictionary-quality.ts";
import { fitOn, orthogonalMatching } from "../../sparse/pursuit/greedy-pursuits.ts";
import { lassoCode } from "../../sparse/pursuit/lasso-code.ts";
import { subsets } from "../../sparse/restricted-isometry.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { pairOfBases } from "./draws.ts";

export default lemma({
  id: "C7-04",
  covers: ["C7-03", "C7-04"],
  kind: "measure",
  title: "Sparse codes are unique, and found, where atoms are unlike enough",
  source: "Book, chapter 7, (7.4) and section 7.2; Donoho and Elad 2003, Tropp 2004",
  statement: String.raw`\mu = \max_{i \ne j} |d_i^T d_j|, \quad \operatorname{spark} D \ge 1 + 1/\mu, \qquad \|x\|_0 < \tfrac12 (1 + 1/\mu) \; \Rightarrow \; x \text{ is the only code of } D x \text{ so sparse, and orthogonal matching and basis pursuit find it}`,
  parameters: {
    n: choice(["16", "4", "64"], { label: "numbers of a signal" }),
    s: integer({ min: 1, max: 4, default: 2, label: "nonzeros, as far as the theorem goes" }),
  },
  claims: {
    "coherence of unit vectors and a Hadamard matrix": equals(String.raw`1/\sqrt n`),
    "coherence against Welch's bound": atLeast(String.raw`\sqrt{(N - n) / (n (N - 1))}`).looseBy(1.3),
    "babel function of k, by all sets": equals(String.raw`\mu_1(k)`),
    "atoms that orthogonal matching gets wrong": equals("0"),
    "greatest error of its code": equals("0"),
    "atoms that basis pursuit gets wrong": equals("0"),
    "spark, n = 4: by all sets": equals(String.raw`2 \sqrt n`),
    "spark of normal atoms": equals("n + 1"),
    "codes of a comb with √n nonzeros": equals("2"),
    "codes with fewer nonzeros than half the spark, n = 4: signals with a second one": atMost("0"),
  },
  mutants: {
    "the bound without its half: a comb has one code": { "codes of a comb with √n nonzeros": () => 1 },
    "spark from coherence alone": { "spark, n = 4: by all sets": () => 3 },
    "unit vectors for half": {
      "coherence of unit vectors and a Hadamard matrix": ({ n }) => 1 / Number(n),
    },
  },
  run({ n: chosen, s }, { random }) {
    const n = Number(chosen);
    const root = Math.sqrt(n);
    const dictionary = pairOfBases(n);
    const quality = dictionaryQuality(n <= 16 ? dictionary : pairOfBases(16));
    const mu = 1 / root;
    // The greatest whole number below (1 + 1 / mu) / 2, a half-integer or an integer.
    const most = Math.ceil((1 + root) / 2) - 1;
    const nonzeros = Math.min(s, most);
    const x = planted(dictionary.count, nonzeros, random.split("code"));
    const y = synthesize(dictionary, x);
    const matched = orthogonalMatching(dictionary, y, nonzeros);
    const pursued = lassoCode(dictionary, y, 1e-4, { gap: 1e-14 });
    const wrong = (found: Float64Array): number =>
      x.reduce((count, e, j) => count + Number((e !== 0) !== Math.abs(found[j]!) > 1e-3), 0);
    const small = pairOfBases(4);
    const normal: Dictionary = { size: 4, count: 7, atoms: random.split("atoms").normal(28) };
    const alike = alikeness(normal);
    return {
      claims: {
        "coherence of unit vectors and a Hadamard matrix": checked(babel(alikeness(dictionary), 1), mu, {
          tolerance: 1e-14,
        }),
        // 1 / sqrt(n) over it is sqrt(2 - 1/n), at least 1.32.
        "coherence against Welch's bound": checked(quality.coherence, quality.welch),
        "babel function of k, by all sets": checked(
          babel(alike, Math.min(s, 3)),
          babelBySets(alike, Math.min(s, 3)),
          { tolerance: 1e-14 },
        ),
        "atoms that orthogonal matching gets wrong": checked(wrong(matched.x), 0),
        "greatest error of its code": checked(
          matched.x.reduce((m, e, j) => Math.max(m, Math.abs(e - x[j]!)), 0),
          0,
          { tolerance: 1e-12 },
        ),
        "atoms that basis pursuit gets wrong": checked(wrong(pursued.x), 0),
        "spark, n = 4: by all sets": checked(dictionaryQuality(small).spark.lower, 4),
        "spark of normal atoms": checked(dictionaryQuality(normal).spark.lower, 5),
        "codes of a comb with √n nonzeros": checked(combCodes(small), 2),
        "codes with fewer nonzeros than half the spark, n = 4: signals with a second one": checked(
          secondCodes(small, 1, random.split("second")),
          0,
        ),
      },
    };
  },
});

function planted(count: number, nonzeros: number, random: Random): Float64Array {
  const x = new Float64Array(count);
  for (const j of random.shuffle(Array.from(x.keys())).slice(0, nonzeros))
    x[j] = (random.uniform() < 0.5 ? -1 : 1) * (1 + random.uniform());
  return x;
}

const babelBySets = (alike: readonly Float64Array[], k: number): number =>
  Math.max(
    ...alike.flatMap((row, i) =>
      [...subsets(alike.length - 1, k)].map((set) =>
        set.reduce((sum, j) => sum + row[j < i ? j : j + 1]!, 0),
      ),
    ),
  );

/** Codes with two nonzeros of (1, 0, 1, 0) in dimension 4. */
function combCodes(dictionary: Dictionary): number {
  const comb = Float64Array.of(1, 0, 1, 0);
  return [...subsets(dictionary.count, 2)].filter((set) => fits(dictionary, set, comb)).length;
}

/** Of some signals with k nonzeros, those that another set of at most k atoms makes as well. */
function secondCodes(dictionary: Dictionary, k: number, random: Random): number {
  return Array.from({ length: 5 }, () => planted(dictionary.count, k, random)).filter((x) => {
    const y = synthesize(dictionary, x);
    return [...subsets(dictionary.count, k)].some(
      (set) => set.some((j) => x[j] === 0) && fits(dictionary, set, y),
    );
  }).length;
}

function fits(dictionary: Dictionary, set: readonly number[], y: Float64Array): boolean {
  const x = fitOn(dictionary, set, y);
  if (!x) return false;
  const fit = synthesize(dictionary, x);
  return y.every((v, i) => Math.abs(v - fit[i]!) < 1e-10);
}
