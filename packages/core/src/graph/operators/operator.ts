import type { AttributeSpecs, OperatorSpec } from "./spec.ts";

/** Describes one operator; the attribute types follow from the specification. */
export const operator = <const A extends AttributeSpecs = Record<never, never>>(
  description: Omit<OperatorSpec<A>, "attributes" | "family" | "outputs"> & {
    readonly attributes?: A;
    readonly outputs?: readonly [number, number];
  },
): Omit<OperatorSpec<A>, "family"> => ({
  outputs: [1, 1],
  ...description,
  attributes: description.attributes ?? ({} as A),
});
