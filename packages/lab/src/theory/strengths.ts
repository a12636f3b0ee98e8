// What the words of a claim mean.
import type { Strength } from "@lemmata/core/theory";

export const strengthMeaning: Readonly<Record<Strength, string>> = {
  proved: "Computed in exact arithmetic or with outward rounding: for these parameters it is a proof.",
  checked: "Counted or computed by code in ordinary floating point, over all that the claim speaks of.",
  sampled: "Seen at points or in draws: it could still fail elsewhere.",
};

export const kindMeaning = {
  probable: "Holds with probability at least 1 − δ: a single failure does not refute it.",
  rate: "An exponent, fitted over a grid in log-log coordinates; the interval is its 95 % confidence interval.",
} as const;
