// Exact pieces: a graph of affine and piecewise-linear operators, restricted to a segment of a line, as its
// values at the knots between which it is affine. All arithmetic is exact.
import { add, compare, div, type Exact, max, mul, neg, sign, sub } from "../engine/exact.ts";
import { GraphError } from "../graph/error.ts";
import { type Graph, isTensorType, requiredInputs } from "../graph/graph.ts";
import { elementCount, numbers, type Tensor } from "../graph/tensor.ts";
import { forwardPass, type Rules } from "./pass.ts";

/** A vector of functions of t that are affine between neighbouring knots; without knots: a constant. */
export interface Pieces {
  readonly dims: readonly number[];
  readonly knots?: readonly Exact[];
  /** One row a knot (one row in all for a constant): the elements in row-major order. */
  readonly rows: readonly (readonly Exact[])[];
}

const lift = (weight: Tensor): Pieces => ({ dims: weight.dims, rows: [Array.from(numbers(weight))] });

/** The rows of a function at other knots, which include its own. */
function rowsAt({ knots, rows }: Pieces, target: readonly Exact[]): readonly (readonly Exact[])[] {
  if (!knots) return target.map(() => rows[0]!);
  if (knots === target) return rows;
  let left = 0;
  return target.map((t) => {
    while (left + 2 < knots.length && compare(knots[left + 1]!, t) <= 0) left++;
    const [from, to] = [knots[left]!, knots[left + 1]!];
    if (compare(from, t) === 0) return rows[left]!;
    if (compare(to, t) === 0) return rows[left + 1]!;
    const weight = div(sub(t, from), sub(to, from));
    return rows[left]!.map((value, j) => add(value, mul(weight, sub(rows[left + 1]![j]!, value))));
  });
}

function mergeKnots(a: readonly Exact[], b: readonly Exact[]): readonly Exact[] {
  if (a === b) return a;
  const merged: Exact[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const order = i === a.length ? 1 : j === b.length ? -1 : compare(a[i]!, b[j]!);
    merged.push(order <= 0 ? a[i]! : b[j]!);
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  return merged;
}

/** Applies a row-wise map to functions brought to common knots; right when the map is affine between them. */
function rowwise(
  inputs: readonly Pieces[],
  dims: readonly number[],
  map: (rows: readonly (readonly Exact[])[]) => readonly Exact[],
): Pieces {
  const knots = inputs
    .map((p) => p.knots)
    .reduce((a, b) => (a && b ? mergeKnots(a, b) : (a ?? b)), undefined);
  if (!knots) return { dims, rows: [map(inputs.map((p) => p.rows[0]!))] };
  const columns = inputs.map((p) => rowsAt(p, knots));
  return { dims, knots, rows: knots.map((_, k) => map(columns.map((rows) => rows[k]!))) };
}

/** Adds a knot wherever an element crosses zero inside a piece. */
function splitAtZeros(p: Pieces): Pieces {
  const { knots, rows } = p;
  if (!knots) return p;
  const extra: Exact[] = [];
  for (let k = 0; k + 1 < knots.length; k++) {
    const inside: Exact[] = [];
    rows[k]!.forEach((from, j) => {
      const to = rows[k + 1]![j]!;
      if (sign(from) * sign(to) >= 0) return;
      inside.push(add(knots[k]!, mul(sub(knots[k + 1]!, knots[k]!), div(from, sub(from, to)))));
    });
    inside.sort(compare);
    extra.push(...inside.filter((t, n) => n === 0 || compare(t, inside[n - 1]!) > 0));
  }
  if (extra.length === 0) return p;
  const refined = mergeKnots(knots, extra);
  return { dims: p.dims, knots: refined, rows: rowsAt(p, refined) };
}

const rectify = (value: Exact): Exact => max(value, 0);

function broadcast(a: Pieces, b: Pieces, combine: (x: Exact, y: Exact) => Exact): Pieces {
  const rank = Math.max(a.dims.length, b.dims.length);
  const padded = [a, b].map(({ dims }) => [...Array<number>(rank - dims.length).fill(1), ...dims]);
  const dims = padded[0]!.map((d, axis) => (d === 1 ? padded[1]![axis]! : d));
  const positions = padded.map((own) => broadcastPositions(own, dims));
  return rowwise([a, b], dims, ([x, y]) =>
    positions[0]!.map((from, j) => combine(x![from]!, y![positions[1]![j]!]!)),
  );
}

/** Where each element of the broadcast shape comes from. */
function broadcastPositions(own: readonly number[], dims: readonly number[]): number[] {
  let positions = [0];
  own.forEach((size, axis) => {
    const steps = Array.from({ length: dims[axis]! }, (_, k) => (size === 1 ? 0 : k));
    positions = positions.flatMap((p) => steps.map((k) => p * size + k));
  });
  return positions;
}

function product(a: Pieces, b: Pieces, [rows, inner, columns]: readonly [number, number, number]): Pieces {
  requireConstant(a, b, "a product of two functions");
  return rowwise([a, b], [rows, columns], ([x, y]) =>
    Array.from({ length: rows * columns }, (_, position) => {
      const [r, c] = [Math.floor(position / columns), position % columns];
      let total: Exact = 0;
      for (let k = 0; k < inner; k++) total = add(total, mul(x![r * inner + k]!, y![k * columns + c]!));
      return total;
    }),
  );
}

function requireConstant(a: Pieces, b: Pieces, what: string): void {
  if (a.knots && b.knots) throw new GraphError(`${what} is not piecewise linear`);
}

const matrix = ({ dims }: Pieces): readonly [number, number] => {
  if (dims.length !== 2) throw new GraphError(`the pieces pass multiplies matrices, not a shape [${dims}]`);
  return [dims[0]!, dims[1]!];
};

function transposed(p: Pieces, flag: number): Pieces {
  if (!flag) return p;
  const [rows, columns] = matrix(p);
  return rowwise([p], [columns, rows], ([x]) =>
    x!.map((_, j) => x![(j % rows) * columns + Math.floor(j / rows)]!),
  );
}

const scaled = (p: Pieces, factor: number): Pieces =>
  factor === 1 ? p : rowwise([p], p.dims, ([x]) => x!.map((v) => mul(v, factor)));

function matmul(a: Pieces, b: Pieces): Pieces {
  const [rows, inner] = matrix(a);
  return product(a, b, [rows, inner, matrix(b)[1]]);
}

const rules: Rules<Pieces> = {
  Identity: ([x]) => x!,
  Relu: ([x]) => {
    const split = splitAtZeros(x!);
    return rowwise([split], split.dims, ([row]) => row!.map(rectify));
  },
  Neg: ([x]) => rowwise([x!], x!.dims, ([row]) => row!.map(neg)),
  Add: ([x, y]) => broadcast(x!, y!, add),
  Sub: ([x, y]) => broadcast(x!, y!, sub),
  Mul: ([x, y]) => {
    requireConstant(x!, y!, "a product of two functions");
    return broadcast(x!, y!, mul);
  },
  MatMul: ([x, y]) => matmul(x!, y!),
  Gemm: ([x, y, bias], { alpha, beta, transA, transB }) => {
    const linear = scaled(matmul(transposed(x!, transA), transposed(y!, transB)), alpha);
    return bias ? broadcast(linear, scaled(bias, beta), add) : linear;
  },
};

/** The exact pieces of every value of a graph, given those of its inputs. */
export const piecesPass = forwardPass("pieces", rules, lift);

/** A function of one variable: its knots, and its values there. */
export interface PiecewiseLinear {
  readonly knots: readonly Exact[];
  readonly values: readonly Exact[];
}

/**
 * The graph's only output as a function of its only input on [from, to]; knots only where the slope changes.
 * @example linearPieces(square(1), 0, 1).knots // [0, 0.5, 1]
 */
export function linearPieces(graph: Graph, from: Exact, to: Exact): PiecewiseLinear {
  const [input, ...others] = requiredInputs(graph);
  if (!input || others.length > 0)
    throw new GraphError("pieces along an interval need a graph with one input");
  const shape = isTensorType(input.type) ? (input.type.shape ?? []) : [];
  const dims = shape.map((d) => (typeof d === "number" ? d : 1));
  if (elementCount(dims) !== 1)
    throw new GraphError(`input "${input.name}" has shape [${dims}], not one number`);
  const identity: Pieces = { dims, knots: [from, to], rows: [[from], [to]] };
  const output = piecesPass(graph, new Map([[input.name, identity]])).get(graph.outputs[0]!.name)!;
  const knots = output.knots ?? [from, to];
  return simplify({ knots, values: rowsAt(output, knots).map((row) => row[0]!) });
}

/** Slopes of the pieces, from left to right. */
export const slopes = ({ knots, values }: PiecewiseLinear): Exact[] =>
  knots.slice(1).map((t, k) => div(sub(values[k + 1]!, values[k]!), sub(t, knots[k]!)));

function simplify(f: PiecewiseLinear): PiecewiseLinear {
  const slope = slopes(f);
  const last = f.knots.length - 1;
  const kept = f.knots
    .map((_, k) => k)
    .filter((k) => k === 0 || k === last || compare(slope[k - 1]!, slope[k]!) !== 0);
  return { knots: kept.map((k) => f.knots[k]!), values: kept.map((k) => f.values[k]!) };
}
