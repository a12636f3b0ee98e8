// What a value of a network means when its layers are infinitely wide: a random field over examples and positions.
import { GraphError } from "../../graph/error.ts";
import { describe, type Node } from "../../graph/graph.ts";
import { elementCount, type Tensor } from "../../graph/tensor.ts";
import type { UnitFunction } from "./unit-function.ts";

/**
 * The covariance and the tangent kernel of one unit, for each pair of positions and each pair of examples of a tile. The
 * pairs of examples of one pair of positions stand together.
 */
export interface Field {
  readonly kind: "field";
  /** The name of the value. */
  readonly key: string;
  /** How many units there are: what a sum over them is divided by. */
  readonly features: number;
  /** The sides of the image or sequence; none for vectors. */
  readonly sides: readonly number[];
  /** Where the axis of the units is: images have it first, sequences last. */
  readonly unitsLast: boolean;
  /** All pairs of positions (p P + q), or only those with p = q. */
  readonly all: boolean;
  readonly nngp: Float64Array;
  /** Undefined: zero, since no weight comes before. */
  readonly ntk: Float64Array | undefined;
  /** Jointly Gaussian over examples and positions, all units alike. */
  readonly gaussian: boolean;
  /** The layers in whose weights the value is linear, each with its own term; undefined: it is not. */
  readonly terms: ReadonlySet<string> | undefined;
  /** The layers on which the value depends. */
  readonly depends: ReadonlySet<string>;
  /** The field that was multiplied by a number, and the number. */
  readonly multiple?: { readonly of: Field; readonly factor: number };
}

/** A function of a Gaussian field, times a factor; its covariance is found when a layer asks. */
export interface Applied {
  readonly kind: "applied";
  readonly key: string;
  readonly field: Field;
  readonly f: UnitFunction;
  readonly factor: number;
}

/** A weight or a constant: its shape, and its numbers where somebody may need them. */
export interface Weight {
  readonly kind: "weight";
  readonly dims: readonly number[];
  readonly values?: Tensor;
}

export type Meaning = Field | Applied | Weight;

export const positionsOf = ({ sides }: Pick<Field, "sides">): number => elementCount(sides);
/** How many pairs of positions are kept. */
export const pairsOf = (field: Pick<Field, "sides" | "all">): number =>
  field.all ? positionsOf(field) ** 2 : positionsOf(field);

/** One line that says which node has no limit kernel, and why. */
export function refuse(node: Node, reason: string): never {
  throw new GraphError(`${describe(node)} has no limit kernel: ${reason}`);
}

/** The field of an operand that is random. */
export function randomOperand(value: Meaning | undefined, node: Node): Field | Applied {
  if (value && value.kind !== "weight") return value;
  return refuse(node, "it does not read the data");
}

/** The number that a constant of one element is. */
export function scalarOf(value: Meaning | undefined): number | undefined {
  if (value?.kind !== "weight" || !value.values || elementCount(value.dims) !== 1) return undefined;
  return Number(value.values.data[0]);
}

/** Only p = q. */
export function samePositions(field: Field, pairs: number): Field {
  if (!field.all) return field;
  const positions = positionsOf(field);
  const pick = (all: Float64Array): Float64Array => {
    const same = new Float64Array(positions * pairs);
    for (let p = 0; p < positions; p++)
      same.set(all.subarray(p * (positions + 1) * pairs, (p * (positions + 1) + 1) * pairs), p * pairs);
    return same;
  };
  return { ...field, all: false, nngp: pick(field.nngp), ntk: field.ntk && pick(field.ntk) };
}
