// The typed parameters of a lemma: what the command line parses, the lab shows as sliders, the falsifier draws.
import { z } from "zod";

export interface Parameter<T> {
  readonly kind: "integer" | "real" | "choice";
  readonly label: string;
  readonly default: T;
  /** Least and greatest value (integer, real). */
  readonly range?: readonly [number, number];
  readonly options?: readonly T[];
  readonly schema: z.ZodType<T>;
}

export type Parameters = Readonly<
  Record<string, Parameter<never> | Parameter<number> | Parameter<string> | Parameter<boolean>>
>;
export type ParameterValues<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};

interface Range {
  readonly min: number;
  readonly max: number;
  readonly default: number;
  readonly label: string;
}

/** A number or the text of one: "" and true are none, though JavaScript takes them for 0 and 1. */
const written = z.union([z.number(), z.string().trim().min(1).transform(Number)]);

/** `integer({ min: 1, max: 12, default: 6, label: "levels" })` */
export const integer = ({ min, max, default: value, label }: Range): Parameter<number> => ({
  kind: "integer",
  label,
  default: value,
  range: [min, max],
  schema: written.pipe(z.number().int().min(min).max(max)),
});

/** `real({ min: 0.1, max: 2, default: 1, label: "radius" })` */
export const real = ({ min, max, default: value, label }: Range): Parameter<number> => ({
  kind: "real",
  label,
  default: value,
  range: [min, max],
  schema: written.pipe(z.number().min(min).max(max)),
});

/** `choice(["relu", "tanh"], { label: "activation" })`; the first option is the default. */
export const choice = <const T extends string>(
  options: readonly [T, ...T[]],
  { label }: { readonly label: string },
): Parameter<T> => ({
  kind: "choice",
  label,
  default: options[0],
  options,
  schema: z.enum(options) as unknown as z.ZodType<T>,
});

export type ParameterRecord = Readonly<Record<string, number | string | boolean>>;
