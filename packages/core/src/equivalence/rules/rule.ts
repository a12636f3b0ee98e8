// What a rule of the symmetry pass sees of a node, and gives: the axes of its outputs.
import type { Node, Shape } from "../../graph/graph.ts";
import type { AttributesOf, OperatorName } from "../../graph/operators/index.ts";
import type { Inferred } from "../../graph/operators/spec.ts";
import { elementCount, numbers } from "../../graph/tensor.ts";
import { type Axis, pinnedAxis } from "../axes/axis-class.ts";

export type Axes = readonly Axis[];

export interface AxisContext<A> {
  /** The axes of each input; undefined: left out, or of unknown rank. */
  readonly x: readonly (Axes | undefined)[];
  readonly types: readonly (Inferred | undefined)[];
  /** The shapes of the outputs. */
  readonly y: readonly (Shape | undefined)[];
  readonly attributes: A;
  readonly node: Node;
}

/** The axes of the outputs; undefined: this form of the operator is not understood, and all its axes are pinned. */
export type AxisRule<A = unknown> = (context: AxisContext<A>) => readonly Axes[] | undefined;
export type AxisRules = { readonly [K in OperatorName]?: AxisRule<AttributesOf<K>> };

const known = (size: unknown): number | undefined => (typeof size === "number" ? size : undefined);
export const knownSize = (shape: Shape | undefined, axis: number): number | undefined => known(shape?.[axis]);

/** The axes of a value that keeps its order. */
export const pinnedAxes = (shape: Shape | undefined): Axes | undefined =>
  shape?.map((d) => pinnedAxis(known(d)));

/** The numbers of an input that is a constant. */
export const constantNumbers = (type: Inferred | undefined): ArrayLike<number> | undefined =>
  type?.value ? numbers(type.value) : undefined;

/** The number of an input that is a constant with one element. */
export function constantNumber(type: Inferred | undefined): number | undefined {
  return type?.value && elementCount(type.value.dims) === 1 ? numbers(type.value)[0] : undefined;
}

export const fromFront = (axis: number, rank: number): number => (axis < 0 ? axis + rank : axis);

/** One rule for several operators. */
export const each = <A>(names: string, rule: AxisRule<A>): Readonly<Record<string, AxisRule<A>>> =>
  Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, rule]),
  );
