// Which lemma states, draws and tries each bound of an audit.
import type { GeneralizationBound } from "../generalization/bounds/bound.ts";
import type { AuditBound } from "./audit.ts";

/** By the bound's id, as `classifierBounds`, `kernelMarginBounds` and the audit give it. */
export const boundLemmata: Readonly<Record<string, string>> = {
  occam: "C1a-19",
  "occam-kl": "C1a-19",
  "vc-network": "C1a-21",
  "rademacher-norm-exponential": "C1a-35",
  "rademacher-norm-depth-free": "C1a-35",
  "spectral-margin": "C1a-36",
  "pac-bayes-margin": "C1a-39",
  covering: "S-12",
  "local-kernels": "P-21",
  "local-kernels-depth": "P-21",
  "toeplitz-depth": "P-20",
  validation: "C2-08",
  "validation-tolerance": "C2-08",
  "pac-bayes-gaussian": "C1a-39",
};

/** A bound with its lemma, and what to know when reading it. */
export function withLemma(bound: GeneralizationBound, remark?: string): AuditBound {
  const lemma = boundLemmata[bound.id];
  return { ...bound, network: "audited", ...(lemma ? { lemma } : {}), ...(remark ? { remark } : {}) };
}
