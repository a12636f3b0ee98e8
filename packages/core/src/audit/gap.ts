// The gap that generalization is about.
import type { Audit } from "./audit.ts";

/** Test error less training error, where both are known. */
export function gapOf({
  errorDecomposition,
  measures: { trainError, testError },
}: Audit): number | undefined {
  if (errorDecomposition) return errorDecomposition.gap;
  return trainError === undefined || testError === undefined ? undefined : testError - trainError;
}
