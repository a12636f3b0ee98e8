// x^k with k + 1 units of any smooth activation (Pinkus 1999; Mhaskar 1996), and the step that rounding allows.

import { activation } from "../../functions/activation.ts";
import { ConstructError } from "../../functions/error.ts";
import { roundingScale, type SmoothActivation } from "../../functions/smooth.ts";
import type { Graph } from "../../graph/graph.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { mulUp } from "../../numbers/rounding.ts";
import {
  type DifferenceOptions,
  type DifferenceScheme,
  differenceError,
  differenceNodes,
  differenceWeights,
  leadingDerivative,
} from "./difference.ts";

export interface DifferenceMonomial {
  readonly network: Graph;
  readonly h: number;
  readonly at: number;
  /** sup |Phi_h - x^k| on [-R, R] is at most this, before anything is rounded. */
  readonly error: number;
  /** What rounding of weights and of a run in f64 may add, if the activation is computed within 4 ulp. */
  readonly rounding: number;
  readonly greatestWeight: number;
}

export interface MonomialChoice extends Partial<DifferenceOptions> {
  readonly scheme?: DifferenceScheme;
}

/**
 * Phi_h(x) = sum_i (-1)^i C(k, i) / (h^k sigma^(k)(b)) sigma((s_k - i) h x + b). Without h, the power of two with the
 * least sum of both errors.
 * @example differenceMonomial("tanh", 2).h // 0.00048828125
 */
export function differenceMonomial(
  name: SmoothActivation,
  k: number,
  choice: MonomialChoice = {},
): DifferenceMonomial {
  if (!Number.isSafeInteger(k) || k < 1 || k > 12)
    throw new ConstructError(`a difference has an order from 1 to 12, not ${k}`);
  const { radius = 1, at = genericPoint(name), scheme = "central" } = choice;
  if (choice.h !== undefined && !(choice.h > 0))
    throw new ConstructError(`a step is positive, not ${choice.h}`);
  const h = choice.h ?? bestStep(name, k, { radius, at, scheme });
  const { scale, rounding } = differenceRounding(name, k, { h, radius, at, scheme });
  const nodes = differenceNodes(k, scheme);
  const weights = differenceWeights(k).map((w) => w * scale);
  return {
    network: network(
      [
        layer(
          nodes.map((s) => [s * h]),
          nodes.map(() => at),
        ),
        layer([weights]),
      ],
      { activation: name, name: `difference_${k}` },
    ),
    h,
    at,
    error: differenceError(name, k, { h, radius, at, scheme }),
    rounding,
    greatestWeight: Math.max(...weights.map(Math.abs)),
  };
}

/** A point where no derivative up to order 12 is zero. */
export function genericPoint(name: SmoothActivation): number {
  const found = activation(name).genericPoint;
  if (found === undefined)
    throw new ConstructError(`${name} has no point where all derivatives are known not to vanish`);
  return found;
}

/**
 * 1 / (h^k sigma^(k)(b)), and what rounding costs: 2^k times it, times the roundings of a unit: its argument (twice),
 * its value (4 ulp), its weight and the sum.
 */
export function differenceRounding(
  name: SmoothActivation,
  k: number,
  { h, radius = 1, at, scheme }: DifferenceOptions,
) {
  const { lower, upper } = leadingDerivative(name, k, at);
  const scale = 1 / (h ** k * ((lower + upper) / 2));
  const reach = (scheme === "forward" ? k : k / 2) * h * radius;
  const perUnit = mulUp(roundingScale(name, at, reach), (k + 16) * 2 ** -53);
  return { scale, rounding: mulUp(mulUp(2 ** k, Math.abs(scale)), perUnit) };
}

/** The power of two that minimises truncation plus rounding; they balance near h = (2^-53)^(1/(k+2)). */
function bestStep(name: SmoothActivation, k: number, options: Omit<DifferenceOptions, "h">): number {
  let [best, least] = [1, Number.POSITIVE_INFINITY];
  for (let exponent = 1; exponent >= -24; exponent--) {
    const h = 2 ** exponent;
    const total =
      differenceError(name, k, { ...options, h }) + differenceRounding(name, k, { ...options, h }).rounding;
    if (total < least) [best, least] = [h, total];
  }
  return best;
}
