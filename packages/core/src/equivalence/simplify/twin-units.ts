// Units that are others times a power of two, where all operators between own weights and readers are homogeneous.
import type { ScaleVariable } from "../axes/scale.ts";
import type { RemovableUnits, WeightUse } from "./unit-axes.ts";

/** Unit `unit` is `into` with its free factor times 2^exponent. */
export interface Twin {
  readonly unit: number;
  readonly into: number;
  readonly exponent: number;
  /** The factor; undefined where both units are the same. */
  readonly variable?: ScaleVariable;
}

/** What a reader's weight for the unit is worth as a weight for its twin: a factor s^q in the weight is s^-q in the value. */
export const factorAt = ({ exponent, variable }: Twin, { powers }: WeightUse): number =>
  variable ? 2 ** (-exponent * (powers!.get(variable) ?? 0)) : 1;

/** The one factor that all own weights and all readers know, and no other; undefined: units can only be the same. */
function freeFactor({ own, readers }: RemovableUnits): ScaleVariable | undefined {
  const uses = [...own, ...readers].map(({ powers }) => powers);
  const [variable, ...others] = new Set(uses.flatMap((powers) => [...(powers?.keys() ?? [])]));
  return others.length === 0 && uses.every((powers) => powers) ? variable : undefined;
}

/** Units all of whose own weights are those of an earlier one, times powers of two where a factor is free. */
export function twinUnits(
  units: RemovableUnits,
  /** Numbers of each own weight, by unit. */
  parts: readonly (readonly number[][])[],
  gone: ReadonlySet<number>,
): readonly Twin[] {
  if (units.own.length === 0) return [];
  const variable = freeFactor(units);
  const powers = units.own.map((use) => (variable && use.powers!.get(variable)) ?? 0);
  const found: Twin[] = [];
  const firsts: number[] = [];
  for (let unit = 0; unit < units.size; unit++) {
    if (gone.has(unit)) continue;
    const twin = firsts
      .map((into) => ({ into, exponent: commonExponent(powers, parts, into, unit) }))
      .find(({ exponent }) => exponent !== undefined);
    if (!twin) firsts.push(unit);
    else {
      const exponent = twin.exponent!;
      found.push({ unit, into: twin.into, exponent, ...(variable && exponent !== 0 && { variable }) });
    }
  }
  return found;
}

/** k with w_unit = 2^(k power) w_first in every weight; undefined if there is none. */
function commonExponent(
  powers: readonly number[],
  parts: readonly (readonly number[][])[],
  first: number,
  unit: number,
): number | undefined {
  const free = powers.findIndex((power, k) => power !== 0 && parts[k]![first]!.some((v) => v !== 0));
  let exponent = 0;
  if (free >= 0) {
    const at = parts[free]![first]!.findIndex((v) => v !== 0);
    exponent = Math.log2(parts[free]![unit]![at]! / parts[free]![first]![at]!) / powers[free]!;
  }
  if (!Number.isInteger(exponent)) return undefined;
  const fits = powers.every((power, k) => {
    const factor = 2 ** (exponent * power);
    // Both ways: below the least normal number a product by a power of two is rounded.
    return parts[k]![first]!.every((v, i) => {
      const w = parts[k]![unit]![i]!;
      return factor * v === w && w / factor === v;
    });
  });
  return fits ? exponent : undefined;
}
