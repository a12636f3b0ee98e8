// The table of activations: a row for each function of the library that is one.
import type { Family, Parameter } from "./definition.ts";
import { type Having, partsOf } from "./library.ts";

export type ParametricFamily = Having<{ readonly activation: { readonly parameter: Parameter } }>;
export type PlainFamily = Exclude<Having<{ readonly activation: Family }>, ParametricFamily>;

export const families = Object.fromEntries(partsOf("activation")) as Readonly<
  Record<PlainFamily | ParametricFamily, Family>
>;
