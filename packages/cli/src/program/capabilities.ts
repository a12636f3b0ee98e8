// What a solver of VNN-LIB 2.0 is asked by `supports`, with the answers that are short.

export interface Capability {
  readonly name: string;
  readonly meaning: string;
  /** Undefined: worked out when it is asked. */
  readonly lines?: readonly string[];
}

/** Theories are those of the standard's fourth chapter, each list with all that the strongest one includes. */
export const capabilities: readonly Capability[] = [
  { name: "onnx-opset-versions", meaning: "the least and the greatest opset of a model", lines: ["7", "23"] },
  {
    name: "onnx-element-types",
    meaning: "element types; real, for what is proved is about the real function of the stored weights",
    lines: ["real"],
  },
  { name: "onnx-operators", meaning: "operators of a model" },
  {
    name: "vnnlib-versions",
    meaning: "the least and the greatest version of a query",
    lines: ["1.0", "2.0"],
  },
  {
    name: "hidden-node-theories",
    meaning: "NH: no values inside of a network are named; H: some are",
    lines: ["NH", "H"],
  },
  {
    name: "multiple-input-output-theories",
    meaning: "SIO: one input and one output; MIO: several",
    lines: ["SIO", "MIO"],
  },
  {
    name: "multiple-network-theories",
    meaning: "SNET: one network; MENET, MINET: several that are equal, or isomorphic; MNET: any",
    lines: ["SNET", "MENET", "MINET", "MNET"],
  },
  {
    name: "multiple-node-comparison-theories",
    meaning: "SNC: a comparison is about one node of a network; MNC: about several",
    lines: ["SNC", "MNC"],
  },
  {
    name: "arithmetic-complexity-theories",
    meaning: "BND: bounds; OUTC: comparisons of outputs; LIN: linear; POLY: polynomial",
    lines: ["BND", "OUTC", "LIN", "POLY"],
  },
  {
    name: "optimised-disjunctive-reasoning",
    meaning:
      "whether (or ...) is more than written out: here alternatives on one box share its bounds, and that is all",
    lines: ["false"],
  },
  {
    name: "serialise-assignments",
    meaning: "whether verify writes a witness as tensors in files",
    lines: ["false"],
  },
  {
    name: "unsat-proofs",
    meaning: "whether verify writes a proof of unsat to be checked elsewhere",
    lines: ["false"],
  },
];
