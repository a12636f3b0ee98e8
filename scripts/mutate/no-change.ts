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
];
