// The numbers by which a symmetry may multiply the units of a class: monomials in unknown vectors, one entry a unit.

/** An unknown vector on a class of units. What it may be only ever shrinks, as more of the graph is read. */
export interface ScaleVariable {
  /** May entries differ from 1 in size? */
  magnitude: boolean;
  /** May entries be negative? */
  sign: boolean;
  /** Once it is known in terms of others. */
  value?: Scale;
  /** One for each part, once its class was found to be made of parts. */
  parts?: readonly (ScaleVariable | undefined)[];
}

/** A product of powers: s t^-1 is the map {s: 1, t: -1}. */
export type Scale = ReadonlyMap<ScaleVariable, number>;

export const unitScale: Scale = new Map();

export const scaleVariable = (magnitude = true, sign = true): ScaleVariable => ({ magnitude, sign });

/** a^p b^q, in variables that are still unknown. */
export function timesScale(a: Scale, b: Scale, p = 1, q = 1): Scale {
  const product = new Map<ScaleVariable, number>();
  const multiply = (scale: Scale, power: number): void => {
    for (const [variable, exponent] of scale) {
      if (variable.value) multiply(variable.value, power * exponent);
      else product.set(variable, (product.get(variable) ?? 0) + power * exponent);
    }
  };
  multiply(a, p);
  multiply(b, q);
  for (const [variable, exponent] of product) if (exponent === 0) product.delete(variable);
  for (const variable of product.keys()) if (!variable.magnitude && !variable.sign) product.delete(variable); // it is 1
  return product;
}

export const simplifiedScale = (scale: Scale): Scale => timesScale(scale, unitScale);

const isOdd = (exponent: number): boolean => exponent % 2 !== 0;

/** Entries must be positive; of a product, each factor (less than could be allowed, never more). */
export function requirePositiveScale(scale: Scale): void {
  for (const [variable, exponent] of simplifiedScale(scale)) if (isOdd(exponent)) variable.sign = false;
}

/** Entries must be 1 or -1. */
export function requireSign(scale: Scale): void {
  for (const variable of simplifiedScale(scale).keys()) variable.magnitude = false;
}

/** a = b from here on: one of the variables becomes an expression of the others. */
export function equateScales(a: Scale, b: Scale): void {
  const quotient = timesScale(a, b, 1, -1);
  const solved = [...quotient].find(([, exponent]) => Math.abs(exponent) === 1);
  if (!solved) {
    for (const variable of quotient.keys()) [variable.magnitude, variable.sign] = [false, false];
    return;
  }
  const [variable, exponent] = solved;
  const value = new Map([...quotient].filter(([v]) => v !== variable).map(([v, e]) => [v, -e * exponent]));
  if (!variable.magnitude) requireSign(value);
  if (!variable.sign) requirePositiveScale(value);
  variable.value = value;
}

export const requireUnit = (scale: Scale): void => equateScales(scale, unitScale);

/** The scale on one part of a class that was found to be a sum or product of `count` parts. */
export function scaleOnPart(scale: Scale, part: number, count: number, carrier: number | undefined): Scale {
  const result = new Map<ScaleVariable, number>();
  for (const [variable, exponent] of simplifiedScale(scale)) {
    // In a product, one factor carries the scale: a vector on it, the same for all indices of the others.
    variable.parts ??= Array.from({ length: count }, (_, k) =>
      carrier === undefined || carrier === k ? scaleVariable(variable.magnitude, variable.sign) : undefined,
    );
    const own = variable.parts[part];
    if (own) result.set(own, exponent);
  }
  return result;
}
