// The product of all other elements, without a division: zeros in the data are as good as any number, and the result
// is a polynomial in the data, so that all higher derivatives are right too.
import { elementCount } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import { integers, reshapeLike, scalarLike } from "./shapes.ts";

/** g, whose axes `along` have size 1, times the product of all other elements of x along these axes. */
export function productOfOthers(x: Value, g: Value, along: readonly number[]): Value {
  const shape = x.type.shape!;
  const kept = shape.flatMap((_, k) => (along.includes(k) ? [] : [k]));
  const order = [...kept, ...along.toSorted((a, b) => a - b)];
  const moved = order.every((axis, k) => axis === k) ? x : x.transpose(order);
  const sizes = along.map((axis) => shape[axis]);
  const size = sizes.every((d) => typeof d === "number") ? elementCount(sizes as number[]) : undefined;
  if (size === 1) return reshapeLike(g, x);
  // Rows of one group each, whose axes are the last ones now.
  const rows = moved.op("Flatten", [], { axis: kept.length });
  const column = g.reshape([-1, 1]);
  const others = size === undefined ? othersByPairs(rows).mul(column) : othersByTree(rows, column, size);
  const back = reshapeLike(others, moved);
  return moved === x ? back : back.transpose(order.map((_, k) => order.indexOf(k)));
}

/** Every pair of elements is looked at: for groups of a size that only the run tells. */
function othersByPairs(rows: Value): Value {
  const size = rows.op("Shape", [], { start: 1, end: 2 }).op("Squeeze");
  const [zero, one] = [0, 1].map((n) => rows.builder.lift(n, "int64")) as [Value, Value];
  const places = rows.builder.apply("Range", [zero, size, one])[0]!;
  const same = places.op("Unsqueeze", [integers([1])]).op("Equal", [places]);
  const table = same.op("Where", [scalarLike(rows, 1), rows.op("Unsqueeze", [integers([1])])]);
  return table.op("ReduceProd", [integers([2])], { keepdims: 0 });
}

/**
 * Products of pairs, of pairs of pairs, ... up to the root; then down again, where each node hands to a child what it
 * has got itself times the other child. About three multiplications an element.
 */
function othersByTree(rows: Value, root: Value, size: number): Value {
  const levels = Math.ceil(Math.log2(size));
  const padding = 2 ** levels - size;
  const pads = [integers([0, padding]), scalarLike(rows, 1), integers([1])] as const;
  let level = padding > 0 ? rows.op("Pad", pads) : rows;
  const siblings: Value[] = [];
  for (let k = levels; k > 0; k--) {
    const pairs = level.reshape([-1, 2 ** (k - 1), 2]);
    const [left, right] = rows.builder.apply("Split", [pairs], { axis: 2, num_outputs: 2 }, 2) as [
      Value,
      Value,
    ];
    siblings.unshift(right.concat([left], 2));
    if (k > 1) level = left.mul(right).reshape([-1, 2 ** (k - 1)]);
  }
  let got = root;
  siblings.forEach((sibling, k) => {
    got = got
      .op("Unsqueeze", [integers([2])])
      .mul(sibling)
      .reshape([-1, 2 ** (k + 1)]);
  });
  return padding > 0 ? got.slice(1, 0, size) : got;
}
