// How bounds of operators stay sound in floating point: as `linear/rounding.ts` says, with what each layer may lose of its own.
//
// Read the stored coefficients as exact. A coefficient a_k of slot k gives g_k = fl(a_k s_k) by its line, and then the
// coefficients of the slots j that row k reads get sums of g_k W_kj. At most N_j numbers meet in the coefficient of slot j,
// from all layers that read it, so that what rounding does to it is at most gamma_N sum_k |g_k W_kj|, whatever the order
// (Higham 2002, section 3.1), also where products and sums are fused. Over all slots that layer l reads this changes the
// form on the box by at most
//   gamma_N(l) sum_k |g_k| R_k,    R_k = sum_j |W_kj| M_j + |b_k|,
// where N(l) is the greatest N_j of these slots and M_j the greatest size of slot j. u is that of the coefficients: 2^-53, or
// 2^-24 where they are single precision; constants are always summed up in double precision. Weights may have been rounded to
// single precision too (one relative rounding), factors of normalizations in double precision (`weightSteps`). A product
// below the normal range may lose all of itself, or its size 2^-126 (2^-1022): at most so many times as numbers meet, times
// the size of its slot.
import { gamma } from "../../numbers/floating-point.ts";
import { isOperated, type Precision, type TensorLayer, type TensorNetwork } from "./operator.ts";

const roundoff: Readonly<Record<Precision, number>> = { float32: 2 ** -24, float64: 2 ** -53 };
const least: Readonly<Record<Precision, number>> = { float32: 2 ** -126, float64: 2 ** -1022 };

/** Products with slopes, weights that are rounded, sums of parts. */
const otherSteps = 12;

/** How many numbers meet at most in the coefficient of each slot. */
function meetings({ slots, layers }: TensorNetwork): Float64Array {
  const counts = new Float64Array(slots);
  for (const layer of layers) {
    if (isOperated(layer)) {
      const { source, operator } = layer;
      for (let j = source; j < source + operator.inputs; j++) counts[j]! += operator.termsBack + 1;
    } else if (layer.dense)
      for (let j = layer.source; j < layer.source + layer.width; j++) counts[j]! += layer.rows;
    else for (const slot of layer.slots) counts[slot]!++;
  }
  return counts;
}

function mostMeeting(layer: TensorLayer, counts: Float64Array): number {
  let most = 0;
  if (isOperated(layer) || layer.dense)
    for (let j = layer.source; j < layer.source + layer.width; j++) most = Math.max(most, counts[j]!);
  else for (const slot of layer.slots) most = Math.max(most, counts[slot]!);
  return most;
}

/** What a layer loses of sum |g| R: both what its own products lose and what the sum of all constants does. */
export interface Losses {
  /** By layer. */
  readonly ofRows: readonly number[];
  /** Of the sizes of constants alone. */
  readonly ofConstants: number;
  /** Of sums of products with the inputs. */
  readonly ofInputs: number;
  /** Times 1 + the sum of all sizes. */
  readonly underflow: number;
}

export function lossesOf(network: TensorNetwork, precision: Precision): Losses {
  const counts = meetings(network);
  const ofConstants = gamma(4 * (network.rows + network.slots) + otherSteps);
  let greatest = 0;
  for (const count of counts) greatest = Math.max(greatest, count);
  return {
    ofRows: network.layers.map(
      (layer) => gamma(mostMeeting(layer, counts) + otherSteps, roundoff[precision]) + ofConstants,
    ),
    ofConstants,
    ofInputs: gamma(2 * network.inputs + otherSteps),
    underflow: 16 * (greatest + otherSteps) * least[precision],
  };
}
