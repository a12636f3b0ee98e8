// Gradients of padding, repetition, and of moving channels to space and back.
import { numbersOf } from "../../graph/operators/constant.ts";
import type { Value } from "../../graph/value.ts";
import type { BackwardRule, BackwardRules } from "../backward.ts";
import { movedBack } from "./indexing.ts";
import { integers, positions, reshapeLike, shapeOf, sizeOf } from "./shapes.ts";

/** Is a pad surely wider than what negative pads leave of its axis? */
function isWiderThan(
  pads: readonly number[] | undefined,
  { type: { shape } }: Value,
  axes: readonly number[] | undefined,
): boolean {
  const listed = axes ?? shape?.map((_, k) => k);
  if (!pads || !shape || !listed) return false;
  return listed.some((axis, k) => {
    const size = shape.at(axis);
    const [before, after] = [pads[k]!, pads[k + listed.length]!];
    return (
      typeof size === "number" && Math.max(before, after) > size + Math.min(before, 0) + Math.min(after, 0)
    );
  });
}

/** Constant padding is undone by padding with the opposite sign; any other copies elements, whose sum comes back. */
const pad: BackwardRule<"Pad"> = ({ g, x: [x, pads], given, fail }, { mode }) => {
  const axes = given(3);
  // ONNX Runtime then reads what nobody wrote.
  if (mode === "wrap" && isWiderThan(numbersOf(pads.type), x, axes && numbersOf(axes.type)))
    return fail("it wraps around more than once");
  if (mode !== "constant")
    return [() => movedBack(x, positions(x).op("Pad", [pads, undefined, axes], { mode }), g)];
  const known = numbersOf(pads.type);
  const cropped = () => {
    const back = known ? x.builder.weight(integers(known.map((p) => 0 - p)), "pads") : pads.neg();
    return g.op("Pad", [back, undefined, axes]);
  };
  const total = (value: Value) => value.op("ReduceSum", [], { keepdims: 0 });
  const fill = given(2);
  return [cropped, undefined, fill && (() => reshapeLike(total(g).sub(total(cropped())), fill))];
};

/** The copies along an axis lie one after the other: they become an axis of their own, which is summed over. */
const tile: BackwardRule<"Tile"> = ({ g, x: [x, repeats], fail }) => {
  const rank = x.type.shape?.length;
  if (rank === undefined) return fail("the rank of its input is not known");
  if (numbersOf(repeats.type)?.every((n) => n === 1)) return [() => g];
  return [
    () => {
      const column = (v: Value) => v.op("Unsqueeze", [integers([1])]);
      const both = column(repeats)
        .concat([column(shapeOf(x))], 1)
        .reshape([-1]);
      // Nothing comes back from no copies: sizes of 0 mean themselves.
      const apart = g.op("Reshape", [both], { allowzero: 1 });
      return apart.sum(x.type.shape!.map((_, k) => 2 * k));
    },
  ];
};

/** From [N, C, H b, W b] back to channels of which c b^2 + i b + j is the place (i, j) of a block of channel c. */
function channelsOfBlocks(g: Value, x: Value, b: number): Value {
  const blocks = x.builder.weight(integers([b]), "block");
  const split = sizeOf(g, 0).concat([sizeOf(g, 1), sizeOf(x, 2), blocks, sizeOf(x, 3), blocks], 0);
  const folded = numbersOf(split.type);
  const apart = folded ? g.reshape(folded) : g.op("Reshape", [split]);
  return reshapeLike(apart.transpose([0, 1, 3, 5, 2, 4]), x);
}

export const padding: BackwardRules = {
  Pad: pad,
  Tile: tile,
  DepthToSpace: ({ g, x: [x] }, { blocksize, mode }) => [
    () => (mode === "DCR" ? g.op("SpaceToDepth", [], { blocksize }) : channelsOfBlocks(g, x, blocksize)),
  ],
  SpaceToDepth: ({ g }, { blocksize }) => [() => g.op("DepthToSpace", [], { blocksize })],
};
