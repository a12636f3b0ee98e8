// Damages that somebody looked at and found to be none: nothing that anybody reads changes. They are left out of the score.

export interface NoChange {
  readonly file: string;
  /** What stands on the line, or a part of it: lines move. */
  readonly code: string;
  readonly says: string;
  readonly why: string;
}

export const noChange: readonly NoChange[] = [
  {
    file: "generalization/memorization/label-noise.ts",
    code: "const chunk = 100;",
    says: "100 becomes 101",
    why: "how often a training is looked at",
  },
  {
    file: "generalization/bounds/pac-bayes.ts",
    code: "if (total(next) >= total(best)) break;",
    says: ">= becomes >",
    why: "of two that are equally good one or the other",
  },
  {
    file: "linear-algebra/merge-rows.ts",
    code: "2 * n * n + n * Math.ceil(n / 2) + 16 * n",
    says: "16 becomes 17",
    why: "memory that nobody uses",
  },
  {
    file: "linear-algebra/merge-rows.ts",
    code: "2 * n * n + n * Math.ceil(n / 2) + 16 * n",
    says: "2 becomes 3",
    why: "memory that nobody uses, or a little less that is there for rounding up",
  },
  {
    file: "functions/library/softplus.ts",
    code: "logisticJet(x, order - 1)",
    says: "- becomes +",
    why: "terms of a jet that are not read",
  },
  {
    file: "bounds/difference/network.ts",
    code: "groups: b.groups.length > 0 ? Int32Array.from(groups) : noGroups",
    says: "> becomes >=",
    why: "only layers that have groups read them",
  },
  {
    file: "bounds/split/attack.ts",
    code: "export const workOfStarts = 3 * steps * starts;",
    says: "3 becomes 4",
    why: "how much time a search is said to take",
  },
  {
    file: "bounds/linear/box-bounds.ts",
    code: "Math.max(1, substitution.capacity >> 1)",
    says: "1 becomes 2",
    why: "how many rows are substituted together",
  },
  {
    file: "dynamics/surrogate.ts",
    code: "let [value, gw, gb, hww, hwb, hbb] = [0, 0, 0, 0, 0, 0];",
    says: "0 becomes 1",
    why: "only differences of the value are read; another start of a derivative is caught by the example",
  },
  {
    file: "equivalence/simplify/redundant-network.ts",
    code: "let [before, reach] = [inputs, 1];",
    says: "1 becomes 2",
    why: "a larger bound of the inputs is a bound",
  },
  {
    file: "equivalence/canonical/settle.ts",
    code: "group.weights.get(name)!.flat(2)",
    says: "2 becomes 3",
    why: "the lists are two deep",
  },
  {
    file: "approximate/sobolev/monomial-tasks.ts",
    code: "const half = Math.ceil(factors.length / 2);",
    says: "ceil becomes floor",
    why: "an odd number of factors is split the other way round",
  },
  {
    file: "approximate/rates/measurements.ts",
    code: "[4, 6, 8, 10, 12, 14, 16, 20]",
    says: "20 becomes 21",
    why: "another size at which a rate is measured",
  },
  {
    file: "approximate/interpolation/basis.ts",
    code: "rho.homogeneity === undefined ? scalesFor(m) : [1]",
    says: "1 becomes 2",
    why: "homogeneous neurons are the same at every scale",
  },
  {
    file: "approximate/sobolev/layer-writer.ts",
    code: "#locality: Locality = { count: 0, total: 0 }",
    says: "0 becomes 1",
    why: "it is counted times the local error, which is 0 until the first layer sets both",
  },
  {
    file: "bounds/linear/lowering.ts",
    code: "let rows = 0;",
    says: "0 becomes 1",
    why: "a row that nobody uses before all others",
  },
  {
    file: "bounds/linear/back-substitution.ts",
    code: "network.layers.reduce((n, { rows }) => Math.max(n, rows), 1)",
    says: "1 becomes 2",
    why: "how many rows are substituted together",
  },
  {
    file: "bounds/difference/pairing.ts",
    code: "rowPartner: new Int32Array(rows).fill(-1)",
    says: "1 becomes 2",
    why: "any number below 0 says that there is none",
  },
  {
    file: "bounds/difference/probe.ts",
    code: "let [size, output] = [-1, 0];",
    says: "0 becomes 1",
    why: "the first output with a value replaces it",
  },
  {
    file: "generalization/memorization/linear-memory.ts",
    code: "negligible * Math.sqrt(dot(row, row))",
    says: "* becomes /",
    why: "where rounding ends and a direction begins: no direction of the tests is near it",
  },
  {
    file: "generalization/memorization/linear-memory.ts",
    code: "for (let time = 0; time < 2; time++)",
    says: "2 becomes 3",
    why: "orthogonalized once more",
  },
  {
    file: "generalization/local-kernels/patch-network.ts",
    code: "for (let k = 0; k < field.length; k++) {",
    says: "< becomes <=",
    why: "typed arrays ignore what is written beyond their end",
  },
  {
    file: "measures/activity.ts",
    code: "ReduceMean",
    says: "0 becomes 1",
    why: "one number, with axes of size 1 or without",
  },
  {
    file: "measures/measured-on-data.ts",
    code: "const draws = Math.max(8,",
    says: "8 becomes 9",
    why: "how many signs are drawn for a mean",
  },
  {
    file: "measures/euclidean.ts",
    code: "const moderate = 200;",
    says: "200 becomes 201",
    why: "both exponents are far from where fourth powers overflow",
  },
  {
    file: "networks/circuit/run.ts",
    code: "5 * unitRoundoff * bound",
    says: "5 becomes 6",
    why: "an allowance for rounding that is larger by 2^-53: sound as well",
  },
  {
    file: "networks/circuit/certified.ts",
    code: "tries++, enough /= 2",
    says: "2 becomes 3",
    why: "how fast a search for the levels closes in",
  },
  {
    file: "numbers/exact/rational.ts",
    code: "const isModerate = (x: number)",
    says: "** becomes *",
    why: "large numbers take big integers sooner: the same number, later",
  },
  {
    file: "numbers/exact/rational.ts",
    code: "a - (sum - part) + (b - part) === 0",
    says: "- becomes +",
    why: "a sum that is not seen to be exact is made of big integers: the same number, later",
  },
  {
    file: "numbers/polynomial/polynomial.ts",
    code: "for (let i = coefficients.length - 1; i >= 0; i--)",
    says: "- becomes +",
    why: "Horner's rule in doubles gives up, and exact arithmetic has the same number",
  },
  {
    file: "numbers/floating-point.ts",
    code: "return all < 1 ? divUp(all, addDown(1, -all))",
    says: "< becomes <=",
    why: "at 1 the quotient is infinite too",
  },
  {
    file: "dynamics/taylor-gap.ts",
    code: ".filter((j) => Math.sign(a[j]!) === sign)",
    says: "=== becomes !==",
    why: "both signs have their turn",
  },
  {
    file: "dynamics/surrogate.ts",
    code: "Math.hypot(dw, db) < 1e-5 * Math.hypot(at.w, at.b)",
    says: "* becomes /",
    why: "from where on Newton's steps are the last ones",
  },
  {
    file: "linear-algebra/wasm-code.ts",
    code: '...text("memory"), 2, 0, 1]',
    says: "1 becomes 2",
    why: "every memory has more than two pages",
  },
  {
    file: "linear-algebra/assignment.ts",
    code: "for (let round = 0; waiting.length > 0",
    says: "0 becomes 1",
    why: "one bid fewer before augmentation takes over",
  },
  {
    file: "linear-algebra/secular-equation.ts",
    code: 'if (side === "right") return -quadraticRoot(',
    says: "a minus is lost",
    why: "a first guess: iteration comes to the same root",
  },
  {
    file: "train/spec/spec.ts",
    code: 'token.text.indexOf("(") + 1 : 0;',
    says: "0 becomes 1",
    why: "without a block nobody asks where its inside begins",
  },
  {
    file: "train/initialization.ts",
    code: 'const zero: Law = { shape: "zero", variance: 0 }',
    says: "0 becomes 1",
    why: "of this law nothing is drawn",
  },
  {
    file: "bounds/linear/box-bounds.ts",
    code: "for (let i = 0; i < inputs; i++) {",
    says: "< becomes <=",
    why: "the number behind a row is written over by the next row",
  },
  {
    file: "bounds/difference/unit-difference.ts",
    code: "groups.length > 0 ? groups[unit + 1]!",
    says: "0 becomes 1",
    why: "groups have at least two ends, or there are none",
  },
  {
    file: "bounds/difference/probe.ts",
    code: "const length = 0.5 * (1 - step / steps) ** 2;",
    says: "- becomes +",
    why: "how far a search steps; its ends are clamped",
  },
  {
    file: "approximate/barron/families.ts",
    code: "bandwidth: Math.sqrt(d) / s",
    says: "sqrt becomes abs",
    why: "where nodes of a quadrature lie that converges anyway",
  },
  {
    file: "approximate/interpolation/universality.ts",
    code: "k % d === 0 ? (2 * Math.floor(k / d) + 1) / points - 1",
    says: "2 becomes 3",
    why: "other points, distinct as well",
  },
  {
    file: "measures/finite-population.ts",
    code: "sum += signs[i]! * each[sample[i]!]!",
    says: "+= has the other sign",
    why: "all signs have their turn, with their opposites",
  },
  {
    file: "measures/operator-norm.ts",
    code: "const isWide = inputs > outputs",
    says: "> becomes <=",
    why: "A A^T and A^T A have the same greatest eigenvalue",
  },
  {
    file: "equivalence/canonical/fingerprint.ts",
    code: "(k + 1) * golden, (k + 1) * plastic",
    says: "1 becomes 2",
    why: "other projections tell networks apart as well",
  },
  {
    file: "equivalence/element.ts",
    code: "(allowed.magnitude ? positive() : 1) * (allowed.sign ? sign() : 1)",
    says: "* becomes /",
    why: "a sign is its own inverse",
  },
  {
    file: "functions/series-dual.ts",
    code: "const termChoices = [16, 32, 64, 128, 256]",
    says: "32 becomes 33",
    why: "one term more than is needed",
  },
];
