// Weighted sums with integer coefficients, many at a time: what a run computes from values that are integers, so that it is
// exact in doubles as long as nothing is beyond 2^52. Rows are stored one after the other, since there may be millions of terms.
import type { Graph, Node } from "../graph/graph.ts";
import { Refutation } from "./error.ts";
import { Operands, refuse } from "./operands.ts";

/** Columns of a value of shape [N, ...shape]: bias[r] + sum of weights[k] basis[columns[k]], starts[r] <= k < starts[r + 1]. */
export interface IntegerRows {
  readonly shape: readonly number[];
  readonly bias: Float64Array;
  readonly starts: Int32Array;
  readonly columns: Int32Array;
  readonly weights: Float64Array;
}

/** Terms that a file may make a checker keep in one value. */
const mostTerms = 2 ** 25;
/** Beyond it a product of weights may be rounded, or what it stands for be infinite before it is multiplied by 0. */
const mostWeight = 2 ** 52;

function checkSize(weight: number): void {
  if (!(Math.abs(weight) <= mostWeight)) throw new Refutation("the network", "its weights are too large");
}

/** Grows as terms come. */
class RowWriter {
  readonly #bias: number[] = [];
  readonly #starts: number[] = [0];
  #columns = new Int32Array(1024);
  #weights = new Float64Array(1024);
  #count = 0;

  term(column: number, weight: number): void {
    if (weight === 0) return;
    checkSize(weight);
    if (this.#count === this.#columns.length) {
      if (this.#count >= mostTerms) throw new Refutation("the network", "it is too large to be checked");
      const [columns, weights] = [new Int32Array(2 * this.#count), new Float64Array(2 * this.#count)];
      columns.set(this.#columns);
      weights.set(this.#weights);
      [this.#columns, this.#weights] = [columns, weights];
    }
    this.#columns[this.#count] = column;
    this.#weights[this.#count++] = weight;
  }

  /** All terms of a row, times a number. */
  row({ starts, columns, weights }: IntegerRows, r: number, factor: number): void {
    for (let k = starts[r]!; k < starts[r + 1]!; k++) this.term(columns[k]!, weights[k]! * factor);
  }

  end(bias: number): void {
    checkSize(bias);
    this.#bias.push(bias);
    this.#starts.push(this.#count);
  }

  finish(shape: readonly number[]): IntegerRows {
    return {
      shape,
      bias: Float64Array.from(this.#bias),
      starts: Int32Array.from(this.#starts),
      columns: this.#columns.slice(0, this.#count),
      weights: this.#weights.slice(0, this.#count),
    };
  }
}

/** The basis itself: row r is column r. */
export function basisRows(width: number): IntegerRows {
  const writer = new RowWriter();
  for (let r = 0; r < width; r++) {
    writer.term(r, 1);
    writer.end(0);
  }
  return writer.finish([width]);
}

const isSame = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((n, k) => n === b[k]);

function integers(node: Node, data: ArrayLike<number>): void {
  for (let k = 0; k < data.length; k++)
    if (!Number.isSafeInteger(data[k]!)) throw refuse(node, "a weight is no integer");
}

/** Operators that the sums may be written with; any other is an error. */
export class IntegerRowsReader {
  readonly #operands: Operands;
  #values = new Map<string, IntegerRows>();
  readonly #seen = new Set<string>();

  constructor(graph: Graph) {
    this.#operands = new Operands(graph, "float64");
    for (const name of graph.initializers.keys()) this.#seen.add(name);
  }

  /** From here on values are sums of the columns of this one; nothing before it can be read any more. */
  begin(name: string, width: number): void {
    this.#seen.add(name);
    this.#values = new Map([[name, basisRows(width)]]);
  }

  value(name: string, where: string): IntegerRows {
    const found = this.#values.get(name);
    if (!found) throw new Refutation(where, `"${name}" is no sum of the values before it`);
    return found;
  }

  #input(node: Node, k = 0): IntegerRows {
    const found = this.#values.get(node.inputs[k] ?? "");
    if (!found) throw refuse(node, `its input "${node.inputs[k] ?? ""}" is no sum of the values of a layer`);
    return found;
  }

  /** One column for each unit. */
  flat(node: Node): IntegerRows {
    const found = this.#input(node);
    if (found.shape.length !== 1) throw refuse(node, "its input is not a row of columns");
    return found;
  }

  checkNew(node: Node): string {
    const [name, ...more] = node.outputs;
    if (node.domain !== "" || name === undefined || more.length > 0 || this.#seen.has(name))
      throw refuse(node, "its output is not one new value");
    this.#seen.add(name);
    return name;
  }

  readonly #rules: Readonly<Record<string, (node: Node) => IntegerRows>> = {
    Identity: (node) => this.#input(node),
    Gather: (node) => {
      const x = this.flat(node);
      const { dims, data } = this.#operands.integers(node, 1);
      const width = x.bias.length;
      if (this.#operands.attribute(node, "axis", 0) !== 1 || data.some((p) => !(p >= 0 && p < width)))
        throw refuse(node, "it does not pick columns");
      const writer = new RowWriter();
      for (const place of data) {
        writer.row(x, place, 1);
        writer.end(x.bias[place]!);
      }
      return writer.finish(dims);
    },
    Mul: (node) => {
      const [x, c] = [this.#input(node), this.#operands.operand(node, 1)];
      integers(node, c.data);
      if (!isSame(x.shape, c.dims)) throw refuse(node, "it does not scale column by column");
      const writer = new RowWriter();
      for (let r = 0; r < x.bias.length; r++) {
        writer.row(x, r, c.data[r]!);
        writer.end(x.bias[r]! * c.data[r]!);
      }
      return writer.finish(x.shape);
    },
    Add: (node) => {
      const [x, c] = [this.#input(node), this.#operands.operand(node, 0)];
      integers(node, c.data);
      if (!isSame(x.shape, c.dims)) throw refuse(node, "it does not shift column by column");
      const bias = x.bias.map((b, r) => b + c.data[r]!);
      bias.forEach(checkSize);
      return { ...x, bias };
    },
    ReduceSum: (node) => {
      const x = this.#input(node);
      const axes = this.#operands.integers(node, 1).data;
      if (x.shape.length !== 2 || !isSame(axes, [1]) || this.#operands.attribute(node, "keepdims", 1) !== 0)
        throw refuse(node, "it does not sum over the first axis of columns");
      const [slots, rows] = x.shape as [number, number];
      const writer = new RowWriter();
      for (let r = 0; r < rows; r++) {
        let bias = 0;
        for (let slot = 0; slot < slots; slot++) {
          writer.row(x, slot * rows + r, 1);
          bias += x.bias[slot * rows + r]!;
        }
        writer.end(bias);
      }
      return writer.finish([rows]);
    },
    Concat: (node) => {
      const parts = node.inputs.map((_, k) => this.#input(node, k));
      if (this.#operands.attribute(node, "axis", 0) !== 1 || parts.some(({ shape }) => shape.length !== 1))
        throw refuse(node, "it does not join columns");
      const writer = new RowWriter();
      for (const part of parts)
        for (let r = 0; r < part.bias.length; r++) {
          writer.row(part, r, 1);
          writer.end(part.bias[r]!);
        }
      return writer.finish([parts.reduce((sum, { bias }) => sum + bias.length, 0)]);
    },
    Gemm: (node) => {
      const x = this.flat(node);
      const W = this.#operands.weights(node, 1);
      const [rows = 0, width = 0] = W.dims;
      const bias = node.inputs[2] ? this.#operands.weights(node, 2) : undefined;
      const isPlain =
        ["alpha", "beta"].every((name) => this.#operands.attribute(node, name, 1) === 1) &&
        this.#operands.attribute(node, "transA", 0) === 0 &&
        this.#operands.attribute(node, "transB", 0) === 1;
      if (!isPlain || W.dims.length !== 2 || width !== x.bias.length || (bias && !isSame(bias.dims, [rows])))
        throw refuse(node, "it is not x W^T + b");
      integers(node, W.data);
      if (bias) integers(node, bias.data);
      const writer = new RowWriter();
      for (let r = 0; r < rows; r++) {
        let total = bias?.data[r] ?? 0;
        for (let c = 0; c < width; c++) {
          const w = W.data[r * width + c]!;
          if (w === 0) continue;
          writer.row(x, c, w);
          total += w * x.bias[c]!;
        }
        writer.end(total);
      }
      return writer.finish([rows]);
    },
  };

  /** Whatever is a sum of sums. */
  add(node: Node): void {
    const rule = Object.hasOwn(this.#rules, node.op) && node.domain === "" ? this.#rules[node.op] : undefined;
    if (!rule) throw refuse(node, "networks of machines have no such operator");
    const name = this.checkNew(node);
    this.#values.set(name, rule(node));
  }
}
