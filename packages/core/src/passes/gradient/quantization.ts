// Gradients through quantization are straight-through: rounding counts as the identity where what it gives is in the range
// of its type, and as constant where it is cut off. (The function itself is constant but for jumps.)
// What comes back to whole numbers is real: g belongs to q as a number, whatever type holds it.

import { type AnyDefinition, definitionOf, rewrite } from "../../graph/definitions/index.ts";
import type { Graph, Node } from "../../graph/graph.ts";
import { integerRange } from "../../graph/integer-range.ts";
import type { AttributesOf, OperatorName } from "../../graph/operators/index.ts";
import { keptReal } from "../../graph/plain.ts";
import { type NumericType, tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { BackwardRules, Step } from "../backward.ts";
import { where } from "./elementwise.ts";
import { reshapeLike, scalarLike, unbroadcast } from "./shapes.ts";

/** A scale or zero point as it lies along the input. */
function along(parameter: Value, x: Value, axis: number, { fail }: Step): Value {
  const rank = parameter.type.shape?.length;
  if (rank === 0) return parameter;
  if (rank === undefined || !x.type.shape) return fail("the rank of its scale or input is not known");
  if (parameter.type.shape![0] === 1) return parameter.reshape([]);
  const place = axis < 0 ? axis + x.type.shape.length : axis;
  return parameter.reshape(x.type.shape.map((_, k) => (k === place ? -1 : 1)));
}

const real = (x: Value, like: Value): Value => x.cast(like.type.type as NumericType);

export const quantization: BackwardRules = {
  /** q = clip(round(x / s) + z): dq/dx = 1 / s and dq/ds = -x / s^2 inside. */
  QuantizeLinear: (step, { axis, block_size }) => {
    const {
      g,
      x: [x, scale],
      y: [y],
      given,
      fail,
    } = step;
    if (block_size > 0) return fail("a scale for each block has no gradient rule");
    const range = integerRange(y.type.type);
    if (!range) return fail(`numbers of ${y.type.type} have no gradient rule`);
    const s = along(scale, x, axis, step);
    const zero = given(2);
    const steps = () => {
      const plain = x.div(s);
      return zero ? plain.add(real(along(zero, x, axis, step), x)) : plain;
    };
    const inside = (v: Value) => {
      const u = steps();
      const above = u.op("GreaterOrEqual", [scalarLike(u, range[0] - 0.5)]);
      return where(above.op("And", [u.op("LessOrEqual", [scalarLike(u, range[1] + 0.5)])]), v);
    };
    return [
      () => inside(g.div(s)),
      () => reshapeLike(unbroadcast(inside(g.mul(x).div(s).div(s).neg()), s), scale),
    ];
  },
  /** y = s (q - z). */
  DequantizeLinear: (step, { axis, block_size }) => {
    const {
      g,
      x: [q, scale],
      given,
      fail,
    } = step;
    if (block_size > 0) return fail("a scale for each block has no gradient rule");
    const s = along(scale, q, axis, step);
    const zero = given(2);
    const centred = () => {
      const numbers = real(q, scale);
      return zero ? numbers.sub(real(along(zero, q, axis, step), scale)) : numbers;
    };
    return [() => g.mul(s), () => reshapeLike(unbroadcast(g.mul(centred()), s), scale)];
  },
};

type Inputs = readonly (Value | undefined)[];

/** Whole numbers as real ones, by an operator that has a gradient. */
function dequantized(q: Value, scale: Value | undefined, zero: Value | undefined, axis: number): Value {
  const count = zero?.type.shape?.[0];
  const dims = typeof count === "number" ? [count] : [];
  const ones = new Array<number>(count === undefined ? 1 : Number(count)).fill(1);
  const by = scale ?? q.builder.weight(tensor(ones, { type: "float32", dims }));
  return q.op("DequantizeLinear", [by, zero], { axis });
}

/** Products of whole numbers as products of real ones, between quantizers. */
const straightThrough: { readonly [K in OperatorName]?: AnyDefinition } = {
  MatMulInteger: ([a, b, zeroA, zeroB]: Inputs) => {
    const rank = b!.type.shape?.length ?? 2;
    const left = dequantized(a!, undefined, zeroA, (a!.type.shape?.length ?? 2) - 2);
    return left.matmul(dequantized(b!, undefined, zeroB, rank - 1)).cast("int32");
  },
  ConvInteger: ([x, w, zeroX, zeroW]: Inputs, attributes: AttributesOf<"ConvInteger">) => {
    const images = dequantized(x!, undefined, zeroX, 1);
    return images.op("Conv", [dequantized(w!, undefined, zeroW, 0)], attributes).cast("int32");
  },
  QLinearMatMul: ([a, scaleA, zeroA, b, scaleB, zeroB, scale, zero]: Inputs) => {
    const rank = b!.type.shape?.length ?? 2;
    const left = dequantized(a!, scaleA, zeroA, (a!.type.shape?.length ?? 2) - 2);
    const right = dequantized(b!, scaleB, zeroB, rank - 1);
    return left.matmul(right).op("QuantizeLinear", [scale, zero], { axis: 1 });
  },
  QLinearConv: (inputs: Inputs, attributes: AttributesOf<"QLinearConv">) => {
    const [x, scaleX, zeroX, w, scaleW, zeroW, scale, zero, bias] = inputs;
    const kernels = dequantized(w!, scaleW, zeroW, 0);
    const shift = bias
      ?.cast("float32")
      .mul(scaleX!.reshape([]))
      .mul(scaleW!.reshape([-1]));
    return dequantized(x!, scaleX, zeroX, 1)
      .op("Conv", [kernels, shift], attributes)
      .op("QuantizeLinear", [scale, zero], { axis: 1 });
  },
};

const isQuantizer = ({ op, domain }: Node): boolean =>
  domain === "" && (Object.hasOwn(straightThrough, op) || op === "DynamicQuantizeLinear");

/** The nodes at which a gradient goes straight through a rounding. */
export const quantizers = (graph: Graph): readonly Node[] =>
  graph.nodes.filter(
    ({ op, domain }) => domain === "" && /^(QuantizeLinear|DynamicQuantizeLinear|QLinear.*)$/.test(op),
  );

/** The graph with quantized products as real ones between QuantizeLinear and DequantizeLinear, which have rules. */
export function betweenQuantizers(graph: Graph): Graph {
  if (!graph.nodes.some(isQuantizer)) return graph;
  const products = new Set(
    graph.nodes
      .filter(({ op }) => op === "MatMulInteger" || op === "ConvInteger")
      .flatMap(({ outputs }) => outputs),
  );
  const written = rewrite(graph, (node) =>
    isQuantizer(node)
      ? node.op === "DynamicQuantizeLinear"
        ? dynamic
        : straightThrough[node.op as OperatorName]
      : undefined,
  );
  return keptReal(written, products);
}

/** Its scale and zero point are those of its definition, and QuantizeLinear does the rest. */
const dynamic: AnyDefinition = (inputs, attributes, node, builder) => {
  const defined = definitionOf(node)!(inputs, attributes, node, builder) as readonly (Value | undefined)[];
  const [, scale, zero] = defined;
  return [inputs[0]!.op("QuantizeLinear", [scale, zero]), scale, zero];
};
