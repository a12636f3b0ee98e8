// Gradients of operators that pick and join elements by their position: each cotangent goes back to where its element
// came from, and what meets there adds up. Unique gives to the first of several equal elements.
import { numbersOf, scalarOf } from "../../graph/operators/constant.ts";
import { normalizeAxis } from "../../graph/operators/dims.ts";
import { isUnclear, rangeOf } from "../../graph/operators/slice.ts";
import type { Value } from "../../graph/value.ts";
import type { BackwardRule, BackwardRules, Step } from "../backward.ts";
import { constant } from "./elementwise.ts";
import { addedUp, scattering } from "./scatter.ts";
import { integers, positions, reshapeLike, sizeOf, zerosLike } from "./shapes.ts";

/** Adds each cotangent to the position of x that its element came from. */
export function movedBack(x: Value, from: Value, g: Value): Value {
  const flat = (v: Value) => v.reshape([-1]);
  return reshapeLike(addedUp("ScatterElements", flat(x), flat(from), flat(g)), x);
}

function axisOf(axis: number, { type }: Value, step: Step): number {
  return type.shape
    ? normalizeAxis(axis, type.shape.length, step)
    : step.fail("the rank of its input is not known");
}

const concat: BackwardRule<"Concat"> = (step, { axis }) => {
  const { g, builder } = step;
  const inputs = step.x as readonly Value[];
  if (inputs.length === 1) return [() => g];
  let parts: readonly Value[] | undefined;
  const split = (): readonly Value[] => {
    const along = axisOf(axis, g, step);
    const sizes = inputs.map((input) => input.type.shape?.[along]);
    const listed = sizes.every((d) => typeof d === "number")
      ? builder.weight(integers(sizes as number[]), "sizes")
      : sizeOf(inputs[0]!, along).concat(
          inputs.slice(1).map((input) => sizeOf(input, along)),
          0,
        );
    parts ??= builder.apply("Split", [g, listed], { axis }, inputs.length);
    return parts;
  };
  return inputs.map((_, k) => () => split()[k]!);
};

const split: BackwardRule<"Split"> = ({ back, y, fail }, { axis }) => [
  () => {
    const parts = back.map(
      (part, k) => part ?? (y[k] ? zerosLike(y[k]) : fail(`its output ${k} is left out`)),
    );
    return parts.length === 1 ? parts[0]! : parts[0]!.concat(parts.slice(1), axis);
  },
];

/** With steps of 1 and -1 along axes of known size, the rest is filled up with zeros. */
function paddedBack({ g, x: [x, starts, ends], given, ...step }: Step): Value | undefined {
  const [from, to] = [numbersOf(starts.type), numbersOf(ends.type)];
  const listed = given(3) ? numbersOf(given(3)!.type) : from?.map((_, k) => k);
  const steps = given(4) ? numbersOf(given(4)!.type) : from?.map(() => 1);
  const shape = x.type.shape;
  if (!from || !to || !listed || !steps || !shape || steps.some((s) => Math.abs(s) !== 1)) return undefined;
  const axes = listed.map((axis) => normalizeAxis(axis, shape.length, step));
  const pads = axes.map((axis, k): readonly [number, number] | undefined => {
    const { first, count } = rangeOf(shape[axis], from[k], to[k], steps[k]!);
    if (typeof count !== "number") return count !== undefined && count === shape[axis] ? [0, 0] : undefined;
    const start = steps[k] === 1 ? first : first - count + 1;
    return [start, (shape[axis] as number) - start - count];
  });
  if (pads.includes(undefined)) return undefined;
  const backwards = axes.filter((_, k) => steps[k] === -1);
  const ordered = backwards.length > 0 ? reversed(g, backwards) : g;
  const amounts = [0, 1].flatMap((end) => pads.map((p) => p![end]!));
  if (amounts.every((p) => p === 0)) return ordered;
  return ordered.op("Pad", [integers(amounts), undefined, integers(axes)]);
}

function reversed(x: Value, axes: readonly number[]): Value {
  const all = (n: number) => integers(axes.map(() => n));
  return x.op("Slice", [all(-1), all(-(2 ** 53 - 1)), integers(axes), all(-1)]);
}

const slice: BackwardRule<"Slice"> = (step) => [
  () => {
    const { g, x, given, fail } = step;
    const [ends, steps] = [numbersOf(x[2].type), given(4) && numbersOf(given(4)!.type)];
    if (ends?.some((end, k) => isUnclear(end, steps?.[k] ?? 1)))
      fail("backwards to INT_MAX: ONNX and ONNX Runtime do not agree where that is");
    return (
      paddedBack(step) ?? movedBack(x[0], positions(x[0]).op("Slice", [x[1], x[2], given(3), given(4)]), g)
    );
  },
];

/** What was picked from x along an axis by indices of any rank goes back; repeated indices add up. */
function gatheredBack(x: Value, indices: Value, along: number, g: Value): Value {
  const shape = x.type.shape!;
  const [index, size] = [scalarOf(indices.type), shape[along]];
  const rank = indices.type.shape?.length;
  if (typeof index === "number" && typeof size === "number" && (rank === 0 || rank === 1)) {
    const at = index < 0 ? index + size : index;
    const row = rank === 0 ? g.op("Unsqueeze", [integers([along])]) : g;
    return row.op("Pad", [integers([at, size - 1 - at]), undefined, integers([along])]);
  }
  if (along === 0) {
    // ScatterND takes no other integers.
    const places = indices.type.type === "int64" ? indices : indices.cast("int64");
    return addedUp("ScatterND", x, places.op("Unsqueeze", [integers([-1])]), g);
  }
  const rows =
    rank === 0 ? g.op("Unsqueeze", [integers([along])]) : rank === 1 ? g : joined(x, indices, along, g);
  const places = indices.reshape([-1, ...shape.slice(along + 1).map(() => 1)]);
  const spread = places.op("Expand", [rows.op("Shape")]);
  return addedUp("ScatterElements", x, spread, rows, along);
}

/** The axes of the indices as one. */
function joined(x: Value, indices: Value, along: number, g: Value): Value {
  const count = indices.op("Size").reshape([1]);
  const sizes = [...x.type.shape!.keys()].map((k) => (k === along ? count : sizeOf(x, k)));
  return g.op("Reshape", [sizes[0]!.concat(sizes.slice(1), 0)]);
}

const gather: BackwardRule<"Gather"> = (step, { axis }) => [
  () => gatheredBack(step.x[0], step.x[1], axisOf(axis, step.x[0], step), step.g),
];

const gatherND: BackwardRule<"GatherND"> = ({ g, x: [x, indices] }, { batch_dims }) => [
  () =>
    batch_dims === 0
      ? addedUp("ScatterND", x, indices, g)
      : movedBack(x, positions(x).op("GatherND", [indices], { batch_dims }), g),
];

const unique: BackwardRule<"Unique"> = (step, attributes) => [
  () => {
    const { g, y, builder } = step;
    const [x] = step.x;
    const first = (y[1] as Value | undefined) ?? builder.apply("Unique", [x], attributes, 4)[1]!;
    return attributes.axis === undefined
      ? movedBack(x, first, g)
      : gatheredBack(x, first, axisOf(attributes.axis, x, step), g);
  },
];

export const indexing: BackwardRules = {
  Concat: concat,
  Split: split,
  Slice: slice,
  Gather: gather,
  GatherElements: ({ g, x: [x, indices] }, { axis }) => [
    () => addedUp("ScatterElements", x, indices, g, axis),
  ],
  GatherND: gatherND,
  ...scattering,
  Compress: ({ g, x: [x, condition] }, { axis }) => [
    () => movedBack(x, positions(x).op("Compress", [condition], { axis }), g),
  ],
  Unique: unique,
  NonZero: constant,
  ReverseSequence: ({ g, x: [, lengths] }, attributes) => [
    () => g.op("ReverseSequence", [lengths], attributes),
  ],
  Trilu: ({ g, given }, { upper }) => [() => g.op("Trilu", [given(1)], { upper })],
};
