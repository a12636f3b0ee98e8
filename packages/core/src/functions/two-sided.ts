// Activations that are made of two functions, which meet at 0.
import type { Jet, Row } from "./definition.ts";

/** The left one below 0, the right one from there; `smoothness` derivatives exist at 0, and the next does not. */
export const twoSided =
  (smoothness: number, left: Row["jet"], right: Row["jet"]): Row["jet"] =>
  (x, order) => {
    const jet = (x < 0 ? left : right)(x, order);
    return x === 0 ? jet.map((c, k) => (k === 0 || k <= smoothness ? c : Number.NaN)) : jet;
  };

const constant = (value: number, order: number): Jet => {
  const jet = [value];
  for (let k = 1; k <= order; k++) jet.push(0);
  return jet;
};
export const zeroJet: Row["jet"] = (_, order) => constant(0, order);
export const oneJet: Row["jet"] = (_, order) => constant(1, order);
export const lineJet =
  (slope: number): Row["jet"] =>
  (x, order) => {
    const jet = [slope * x];
    for (let k = 1; k <= order; k++) jet.push(k === 1 ? slope : 0);
    return jet;
  };
