// Products, quotients and soft choices of values that are not constants.

import { broadcastPositions, stridesOf } from "../../graph/elements/positions.ts";
import { GraphError } from "../../graph/error.ts";
import { describe, type Node } from "../../graph/graph.ts";
import { elementCount } from "../../graph/tensor.ts";
import { groupSums } from "../../passes/affine/affine-rules.ts";
import { constantForms, type Forms, isConstant, RowWriter, rowCount } from "../../passes/affine/forms.ts";
import type { Rules } from "../../passes/pass.ts";
import type { Surface } from "./activation.ts";
import type { Context } from "./context.ts";
import { reciprocal, selfProduct } from "./curved-rules.ts";
import { logSoftmaxUnit, product, softmaxUnit } from "./surfaces.ts";

/** Each row is bounded by back-substitution: operators that would need more of them are enclosed as a whole. */
const mostRows = 2 ** 13;
const checkRows = (count: number, node: Node): void => {
  if (count > mostRows) throw new GraphError(`${describe(node)}: ${count} rows are too many to relax`);
};

/** x[p] y[q] for each pair of positions. */
function products(
  { program }: Context,
  [x, y]: readonly [Forms, Forms],
  pairs: readonly (readonly [number, number])[],
  dims: readonly number[],
  node: Node,
): Forms {
  checkRows(2 * pairs.length, node);
  const rows = new RowWriter();
  for (const [p, q] of pairs) {
    rows.add(x, p, 1);
    rows.endRow();
    rows.add(y, q, 1);
    rows.endRow();
  }
  const groups = Int32Array.from({ length: pairs.length + 1 }, (_, k) => 2 * k);
  return program.surface(rows.forms([2 * pairs.length]), groups, product, dims, describe(node));
}

/** x y, element by element, of which neither is a constant. */
function multiplied(context: Context, x: Forms, y: Forms, node: Node): Forms {
  const curve = selfProduct(context, x, y, node) ?? selfProduct(context, y, x, node);
  if (curve) return curve;
  const shape = context.dims(node);
  const [p, q] = [broadcastPositions(x.dims, shape), broadcastPositions(y.dims, shape)];
  const pairs = Array.from({ length: elementCount(shape) }, (_, k) => [p[k]!, q[k]!] as const);
  return products(context, [x, y], pairs, shape, node);
}

/** x / y for y of one sign: x times 1 / y. */
export function ratio(
  context: Context,
  affine: Rules<Forms>,
  [x, y]: readonly (Forms | undefined)[],
  node: Node,
): Forms {
  const inverse = context.program.curve(y!, reciprocal, describe(node));
  if (isConstant(x!)) return affine.Mul!([x, inverse], {}, node) as Forms;
  return multiplied(context, x!, inverse, node);
}

/** All products of a matrix product of functions, then their sums. */
function matrixProduct(context: Context, a: Forms, b: Forms, node: Node): Forms {
  const left = a.dims.length === 1 ? [1, ...a.dims] : a.dims;
  const right = b.dims.length === 1 ? [...b.dims, 1] : b.dims;
  const [rows, inner, columns] = [left.at(-2)!, left.at(-1)!, right.at(-1)!];
  const shape = context.dims(node);
  const batch = shape.slice(0, shape.length - Number(a.dims.length > 1) - Number(b.dims.length > 1));
  const [leftBlock, rightBlock] = [left, right].map((d) => broadcastPositions(d.slice(0, -2), batch));
  checkRows(2 * leftBlock!.length * rows * columns * inner, node);
  const pairs: [number, number][] = [];
  for (let block = 0; block < leftBlock!.length; block++)
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < columns; c++)
        for (let k = 0; k < inner; k++)
          pairs.push([
            (leftBlock![block]! * rows + r) * inner + k,
            (rightBlock![block]! * inner + k) * columns + c,
          ]);
  const terms = products(context, [a, b], pairs, [pairs.length], node);
  const groups = Array.from({ length: pairs.length / inner }, (_, k) =>
    Array.from({ length: inner }, (_, i) => k * inner + i),
  );
  return groupSums(context, terms, groups, () => 1, node);
}

/** Units of the differences x_j - x_i along an axis, j other than i. */
function alongAxis(context: Context, x: Forms, axis: number, unit: Surface, node: Node): Forms {
  const along = axis < 0 ? axis + x.dims.length : axis;
  const [size, step] = [x.dims[along]!, stridesOf(x.dims)[along]!];
  const count = rowCount(x);
  const last = unit === softmaxUnit ? 1 : 0;
  if (size === 1) return constantForms(x.dims, new Float64Array(count).fill(last));
  checkRows(count * (size - 1), node);
  const differences = context.program.combine([x], [count * (size - 1)], describe(node), (rows, [terms]) => {
    for (let i = 0; i < count; i++) {
      const at = Math.floor(i / step) % size;
      for (let j = 0; j < size; j++) {
        if (j === at) continue;
        rows.add(terms!, i + (j - at) * step, 1);
        rows.add(terms!, i, -1);
        rows.endRow();
      }
    }
  });
  const groups = Int32Array.from({ length: count + 1 }, (_, k) => k * (size - 1));
  return context.program.surface(differences, groups, unit, x.dims, describe(node));
}

export function productRules(context: Context, affine: Rules<Forms>): Rules<Forms> {
  const isOpen = (inputs: readonly (Forms | undefined)[]): boolean =>
    inputs.slice(0, 2).every((x) => x && !isConstant(x));
  return {
    Mul: (inputs, none, node) =>
      isOpen(inputs) ? multiplied(context, inputs[0]!, inputs[1]!, node) : affine.Mul!(inputs, none, node),
    MatMul: (inputs, none, node) =>
      isOpen(inputs)
        ? matrixProduct(context, inputs[0]!, inputs[1]!, node)
        : affine.MatMul!(inputs, none, node),
    Softmax: ([x], { axis }, node) => alongAxis(context, x!, axis, softmaxUnit, node),
    LogSoftmax: ([x], { axis }, node) => alongAxis(context, x!, axis, logSoftmaxUnit, node),
    ReduceSumSquare: ([x, axes], attributes, node) => {
      const squares = multiplied(context, x!, x!, node);
      return affine.ReduceSum!([squares, axes], attributes, node);
    },
  };
}
