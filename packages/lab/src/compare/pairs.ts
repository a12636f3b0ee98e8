// Pairs to try at once.

export const pairNames = ["permuted", "changed", "rounded", "redundant"] as const;
export type PairName = (typeof pairNames)[number];

export interface PairEntry {
  readonly label: string;
  readonly says: string;
  /** What the fields of the page are set to. */
  readonly on: string;
  readonly tolerance: string;
}

export const pairs: Readonly<Record<PairName, PairEntry>> = {
  permuted: {
    label: "Units permuted and rescaled",
    says: "other weights, the same function",
    on: "",
    tolerance: "",
  },
  changed: {
    label: "One weight changed",
    says: "by a tenth, in the second layer",
    on: "-1..1",
    tolerance: "",
  },
  rounded: {
    label: "Weights rounded",
    says: "to three decimals; a bound on the damage",
    on: "-1..1",
    tolerance: "0.0015",
  },
  redundant: {
    label: "Superfluous units",
    says: "dead and copied ones; also try Simplify",
    on: "-1..1",
    tolerance: "0.01",
  },
};
