// Gradients of operators that change how a tensor is laid out or typed: the numbers are moved back.
// Dropout that trains gets its mask as an output; a cast to or from integers is constant.
import { scalarOf } from "../../graph/operators/constant.ts";
import { type DataType, isFloat, type NumericType } from "../../graph/tensor.ts";
import type { BackwardRule, BackwardRules } from "../backward.ts";
import { constant, where } from "./elementwise.ts";
import { secondOutput } from "./outputs.ts";
import { reshapeLike, scalarLike, unbroadcast } from "./shapes.ts";

type Mover = BackwardRule<"Identity">;
const reshaped: Mover = ({ g, x: [x] }) => [() => reshapeLike(g, x)];

/** Between numbers that round to nearest the slope is 1 by convention; to and from whole numbers it is 0. */
const cast: Mover = ({ g, x: [x], y: [y], fail }) => {
  const [from, to] = [x.type.type, y.type.type];
  if (from === "undefined") return [() => g]; // refused by the driver, which says where the type was lost
  const tiny = [from, to].find((type) => /^float[48]/.test(type));
  if (tiny) return fail(`it has no gradient in ${tiny}`);
  const isReal = (type: DataType): boolean => isFloat(type) || type === "bfloat16";
  if (!isReal(from) || !isReal(to)) return [];
  return [() => (from === to ? g : g.cast(from as NumericType))];
};

/** y = x mask / (1 - ratio) while training, y = x otherwise. */
const dropout: BackwardRule<"Dropout"> = (step) => {
  const { g, y, given, fail } = step;
  const training = given(2);
  const decided = training ? scalarOf(training.type) : 0;
  if (decided === 0) return [() => g];
  const mask = secondOutput(step, { type: "bool", shape: y[0].type.shape });
  if (!mask) return fail("it trains, but its mask is not one of its outputs");
  const ratio = given(1);
  const kept = ratio
    ? (ratio.type.type === g.type.type ? ratio : ratio.op("CastLike", [g])).neg().add(1)
    : scalarLike(g, 0.5);
  const scale = decided === 1 ? kept : training!.op("Where", [kept, scalarLike(g, 1)]);
  return [() => where(mask, g).div(scale)];
};

export const reshaping: BackwardRules = {
  Identity: ({ g }) => [() => g],
  Reshape: reshaped,
  Flatten: reshaped,
  Squeeze: reshaped,
  Unsqueeze: reshaped,
  Transpose: ({ g, x: [x], fail }, { perm }) => {
    const rank = perm?.length ?? x.type.shape?.length;
    if (rank === undefined) return fail("the rank of its input is not known");
    const order = perm ?? Array.from({ length: rank }, (_, k) => rank - 1 - k);
    return [() => g.transpose(order.map((_, k) => order.indexOf(k)))];
  },
  Expand: ({ g, x: [x] }) => [() => unbroadcast(g, x)],
  Cast: cast,
  CastLike: cast,
  Shape: constant,
  Size: constant,
  Dropout: dropout,
};
