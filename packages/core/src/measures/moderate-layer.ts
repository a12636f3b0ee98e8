// A layer times a power of 2, and its measures turned back.
import { nextUp } from "../numbers/rounding.ts";
import { timesTwoTo } from "./euclidean.ts";
import type { LayerMeasures } from "./layer-values.ts";
import type { LinearLayer } from "./linear-layers.ts";

/** The layer times 2^exponent. */
export const timesPower = (layer: LinearLayer, exponent: number): LinearLayer =>
  exponent === 0 ? layer : { ...layer, entries: layer.entries.map((w) => timesTwoTo(w, exponent)) };

/** Norms and singular values times 2^exponent; ranks stay. */
export function measuresTimesPower(measures: LayerMeasures, exponent: number): LayerMeasures {
  if (exponent === 0) return measures;
  const times = (value: number): number => timesTwoTo(value, exponent);
  const { spectral, toeplitz, singularValues } = measures;
  const { circular, kernel } = spectral;
  return {
    ...measures,
    frobenius: times(measures.frobenius),
    norm21: times(measures.norm21),
    normInfinity: times(measures.normInfinity),
    spectral: {
      value: times(spectral.value),
      converged: spectral.converged,
      upper: nextUp(times(spectral.upper)), // the product may have left the normal range
      ...(circular === undefined ? {} : { circular: times(circular) }),
      ...(kernel === undefined ? {} : { kernel: times(kernel) }),
    },
    ...(singularValues ? { singularValues: singularValues.map(times) } : {}),
    ...(toeplitz
      ? { toeplitz: { frobenius: times(toeplitz.frobenius), norm21: times(toeplitz.norm21) } }
      : {}),
  };
}
