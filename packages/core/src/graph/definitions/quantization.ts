// Quantization as functions of real numbers: round(x / scale) + zero point, cut off at the ends of the type; and back.
// Division, rounding and products are those of the reals: a run divides in 32 bits, and may take the other whole number
// where the quotient is half way between two.
import { GraphError } from "../error.ts";
import { type Dim, describe, type Node, type Shape } from "../graph.ts";
import { integerRange } from "../integer-range.ts";
import { dataTypes, type NumericType } from "../tensor.ts";
import type { Value } from "../value.ts";
import { type Definitions, elementType, fixed, shapeOf } from "./definition.ts";
import { constant, integers, where } from "./expression.ts";

/** How the entries of a scale lie along the input: one for all, one a place of an axis, or one a block of it. */
interface Layout {
  readonly axis: number;
  readonly block: number;
}

/** A scale or zero point, to be broadcast against x. */
function spread(parameter: Value, x: Value, { axis, block }: Layout, node: Node): Value {
  const own: Shape = shapeOf(parameter, node);
  if (own.length === 0) return parameter;
  if (own.length === 1 && own[0] === 1) return parameter.reshape([]);
  const shape = shapeOf(x, node);
  const along = axis < 0 ? axis + shape.length : axis;
  if (block > 0 || own.length > 1) {
    const count = fixed(shape[along], `axis ${along} of its input "${x.name}"`, node);
    const size = block > 0 ? block : Math.ceil(count / fixed(own[along], "the number of blocks", node));
    const blocks = Array.from({ length: count }, (_, k) => Math.floor(k / size));
    return parameter.gather(integers(blocks), along);
  }
  return parameter.reshape(shape.map((_, k) => (k === along ? -1 : 1)));
}

function rangeOf(type: NumericType | undefined, node: Node): readonly [number, number] {
  const range = type && integerRange(type);
  if (!range || type === "bool")
    throw new GraphError(`${describe(node)}: numbers of ${type} have no definition here`);
  return range;
}

/** In the type of `like`, without a step where that is a number of it anyway. */
const as = (x: Value, type: NumericType): Value => (x.type.type === type ? x : x.cast(type));

/** What quantizing gives, as real numbers: whole, and in the range of the type. */
function quantized(
  x: Value,
  scale: Value,
  zero: Value | undefined,
  type: NumericType,
  layout: Layout,
  node: Node,
): Value {
  const [least, greatest] = rangeOf(type, node);
  const real = elementType(scale, node);
  const steps = as(x, real)
    .div(spread(scale, x, layout, node))
    .op("Round");
  const shifted = zero ? steps.add(spread(zero.cast(real), x, layout, node)) : steps;
  return shifted.op("Clip", [constant(shifted, least), constant(shifted, greatest)]);
}

/** scale (q - zero). */
function dequantized(
  q: Value,
  scale: Value | undefined,
  zero: Value | undefined,
  real: NumericType,
  layout: Layout,
  node: Node,
): Value {
  const numbers = as(q, real);
  const centred = zero ? numbers.sub(spread(zero.cast(real), q, layout, node)) : numbers;
  return scale ? centred.mul(as(spread(scale, q, layout, node), real)) : centred;
}

/** Quantized with one scale, as an operator: readers that know steps see them. */
const inSteps = (x: Value, scale: Value, zero: Value): Value => x.op("QuantizeLinear", [scale, zero]);

const whole: Layout = { axis: 1, block: 0 };
const typeNumber = (code: number): NumericType | undefined =>
  code === 0 ? undefined : (dataTypes[code] as NumericType);

/** The type of whole numbers that the node gives. */
const typeOfZero = (zero: Value | undefined, code: number, node: Node): NumericType =>
  zero ? elementType(zero, node) : (typeNumber(code) ?? "uint8");

/** A zero point of a column or row, along an axis of a matrix that is counted from the back. */
const alongMatrix = (x: Value, zero: Value | undefined, fromBack: number, node: Node): Layout => ({
  axis: zero && (zero.type.shape?.length ?? 0) > 0 ? shapeOf(x, node).length - fromBack : 1,
  block: 0,
});

/** The runtime adds whole numbers in 32 bits: as many as never leave their range. */
function checkSum(terms: Dim, node: Node): void {
  const most = 2 ** 31 / 2 ** 16;
  if (typeof terms === "number" && terms > most)
    throw new GraphError(`${describe(node)}: a sum of ${terms} products may leave the range of int32`);
}

export const quantization: Definitions = {
  QuantizeLinear: ([x, scale, zero], { axis, block_size, output_dtype }, node) => {
    const type = typeOfZero(zero, output_dtype, node);
    return quantized(x!, scale!, zero, type, { axis, block: block_size }, node).cast(type);
  },
  DequantizeLinear: ([q, scale, zero], { axis, block_size, output_dtype }, node) => {
    rangeOf(elementType(q!, node), node);
    const real = typeNumber(output_dtype) ?? elementType(scale!, node);
    return dequantized(q!, scale, zero, real, { axis, block: block_size }, node);
  },
  /** uint8, with the least scale whose range holds all numbers and 0. */
  DynamicQuantizeLinear: ([x], _, node) => {
    const zero = constant(x!, 0);
    const [least, greatest] = [
      x!.op("ReduceMin", [], { keepdims: 0 }).min(zero),
      x!.op("ReduceMax", [], { keepdims: 0 }).max(zero),
    ];
    const range = greatest.sub(least);
    const scale = where(range.op("Equal", [zero]), 1, range.div(255), x!);
    const ends = [constant(x!, 0), constant(x!, 255)];
    const offset = least.neg().div(scale).op("Clip", ends).op("Round").cast("uint8");
    const q = quantized(x!, scale, offset, "uint8", whole, node).cast("uint8");
    return [q, scale, offset];
  },
  MatMulInteger: ([a, b, zeroA, zeroB], _, node) => {
    checkSum(shapeOf(a!, node).at(-1), node);
    const left = dequantized(a!, undefined, zeroA, "float64", alongMatrix(a!, zeroA, 2, node), node);
    const right = dequantized(b!, undefined, zeroB, "float64", alongMatrix(b!, zeroB, 1, node), node);
    return left.matmul(right).cast("int32");
  },
  ConvInteger: ([x, w, zeroX, zeroW], attributes, node) => {
    const [, ...taps] = shapeOf(w!, node);
    checkSum(
      taps.reduce((n: Dim, d) => (typeof n === "number" && typeof d === "number" ? n * d : undefined), 1),
      node,
    );
    const images = dequantized(x!, undefined, zeroX, "float32", whole, node);
    const kernels = dequantized(w!, undefined, zeroW, "float32", { axis: 0, block: 0 }, node);
    return images.op("Conv", [kernels], attributes).cast("int32");
  },
  QLinearMatMul: ([a, scaleA, zeroA, b, scaleB, zeroB, scale, zero], _, node) => {
    const real = elementType(scaleA!, node);
    const left = dequantized(a!, scaleA, zeroA, real, alongMatrix(a!, scaleA, 2, node), node);
    const right = dequantized(b!, scaleB, zeroB, real, alongMatrix(b!, scaleB, 1, node), node);
    return inSteps(left.matmul(right), scale!, zero!);
  },
  /** The bias is in steps of both scales. */
  QLinearConv: (inputs, attributes, node) => {
    const [x, scaleX, zeroX, w, scaleW, zeroW, scale, zero, bias] = inputs;
    const real = elementType(scaleX!, node);
    const images = dequantized(x!, scaleX, zeroX, real, whole, node);
    const kernels = dequantized(w!, scaleW, zeroW, real, { axis: 0, block: 0 }, node);
    const shift = bias
      ?.cast(real)
      .mul(scaleX!.reshape([]))
      .mul(scaleW!.reshape([-1]));
    const sums = images.op("Conv", [kernels, shift], attributes);
    return inSteps(sums, scale!, zero!);
  },
};
