import { layerwiseUniqueness } from "../../sparse/layers/guarantees.ts";
import { codesOf, nonzeros } from "../../sparse/layers/model.ts";
import { type Dictionary, synthesize } from "../../sparse/pursuit/dictionary.ts";
import { fitOn } from "../../sparse/pursuit/greedy-pursuits.ts";
import { lassoCode } from "../../sparse/pursuit/lasso-code.ts";
import { subsets } from "../../sparse/restricted-isometry.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { pairOfBases } from "./draws.ts";

export default lemma({
  id: "C7-08",
  covers: ["C7-08", "C7-11"],
  kind: "bound",
  title:
    "Codes that are sparse enough layer by layer are the only ones, and basis pursuit finds them layer by layer",
  source: "Book, chapter 7, Theorem 7.1 and (7.16); Papyan, Romano and Elad 2017, Theorem 4",
  statement: String.raw`x_{i-1} = D_i x_i, \; \|x_i\|_0 < \tfrac12 (1 + 1/\mu(D_i)) \text{ for all } i \;\Rightarrow\; \text{no other codes are so sparse}; \quad \text{with } \|x_i\|_0 = \tfrac12 (1 + 1/\mu(D_i)) \text{ there can be others}`,
  parameters: {
    n: choice(["16", "4", "64"], { label: "numbers of a signal" }),
    code: integer({ min: 0, max: 1e6, default: 1, label: "which random code" }),
  },
  claims: {
    "codes within the bound, of those with as few nonzeros: first layer": equals("1"),
    "second layer": equals("1"),
    "layers within the bound": equals("2"),
    "at the bound, μ = 1: sparsest codes of a signal": equals("2"),
    "greatest error of layered basis pursuit, as λ goes to 0": equals("0"),
    "|x_1 - D_2 x_2| of layered basis pursuit, at λ = 1/10": equals("0").printed({
      where: "(7.16) against (7.8)",
      printed: "this allows recovery of the representations exactly in an ideal (noiseless) setting",
      corrected:
        "exactly only in the limit $\\lambda_i \\to 0$: for every $\\lambda_i > 0$ the codes are shrunk, and $\\hat x^{[i-1]} \\ne D^{[i]} \\hat x^{[i]}$",
    }),
  },
  mutants: {
    "a second code": { "second layer": () => 2 },
    "the bound at its own value": { "at the bound, μ = 1: sparsest codes of a signal": () => 1 },
    "a layer fails": { "layers within the bound": () => 1 },
  },
  run({ n: chosen, code }, { random }) {
    const n = Number(chosen);
    const first = pairOfBases(n);
    const second = sparseSecond(2 * n);
    const layers = [first, second];
    // One atom of the second layer has one or two entries, and the first allows one for n = 4, two for n = 16.
    const drawn = random.split(`code ${code}`);
    const x2 = new Float64Array(second.count);
    const last = n === 4 ? 2 * n - 1 : second.count - 1;
    x2[drawn.integer(0, last)] = (drawn.uniform() < 0.5 ? -1 : 1) * (1 + drawn.uniform());
    const codes = codesOf(layers, x2);
    const [x1] = codes as [Float64Array];
    const y = synthesize(first, x1);
    const verdicts = layerwiseUniqueness(layers, codes);
    const small = codes.map((x) => nonzeros(x));
    const lambdas = [1e-2, 1e-3, 1e-4];
    const errors = lambdas.map((lambda) => {
      const one = lassoCode(first, y, lambda, { gap: 1e-15 }).x;
      const two = lassoCode(second, one, lambda, { gap: 1e-15 }).x;
      return Math.max(farthest(one, x1), farthest(two, x2)) / lambda;
    });
    const shrunk = lassoCode(first, y, 0.1, { gap: 1e-14 }).x;
    const next = lassoCode(second, shrunk, 0.1, { gap: 1e-14 }).x;
    return {
      claims: {
        "codes within the bound, of those with as few nonzeros: first layer": checked(
          codesSoSparse(first, y, small[0]!),
          1,
        ),
        "second layer": checked(codesSoSparse(second, x1, small[1]!), 1),
        "layers within the bound": checked(verdicts.filter(({ holds }) => holds).length, 2),
        "at the bound, μ = 1: sparsest codes of a signal": checked(
          codesSoSparse({ size: 2, count: 2, atoms: Float64Array.of(1, 0, -1, 0) }, Float64Array.of(1, 0), 1),
          2,
        ),
        // The error over lambda tends to a constant: extrapolated to lambda = 0 nothing is left.
        "greatest error of layered basis pursuit, as λ goes to 0": checked(
          errors.at(-1)! * lambdas.at(-1)!,
          0,
          { tolerance: 1.01 * errors[0]! * lambdas.at(-1)! },
        ),
        "|x_1 - D_2 x_2| of layered basis pursuit, at λ = 1/10": checked(
          farthest(shrunk, synthesize(second, next)),
          0,
        ),
      },
    };
  },
});

/** Unit vectors, and (e_2j + e_(2j+1)) / sqrt 2: coherence 1 / sqrt 2, so that one nonzero is within the bound. */
function sparseSecond(size: number): Dictionary {
  const count = size + size / 2;
  const atoms = new Float64Array(size * count);
  for (let j = 0; j < size; j++) {
    atoms[j * size + j] = 1;
    atoms[(size + Math.floor(j / 2)) * size + j] = Math.SQRT1_2;
  }
  return { size, count, atoms };
}

const farthest = (a: Float64Array, b: Float64Array): number =>
  a.reduce((most, v, i) => Math.max(most, Math.abs(v - b[i]!)), 0);

/** Different codes of a signal with at most s nonzeros: by all sets of atoms. */
function codesSoSparse(dictionary: Dictionary, y: Float64Array, s: number): number {
  const found: Float64Array[] = [];
  for (const set of subsets(dictionary.count, Math.min(s, dictionary.count))) {
    const x = fitOn(dictionary, set, y);
    if (!x) continue;
    const made = synthesize(dictionary, x);
    if (farthest(made, y) > 1e-9) continue;
    if (!found.some((other) => farthest(other, x) < 1e-7)) found.push(x);
  }
  return found.length;
}
