// A network's value at one point: as a run in f64 or f32, operation by operation, and exactly.
import type { Graph, Node } from "../../../src/graph/graph.ts";
import { numbers, type Tensor } from "../../../src/graph/tensor.ts";

/** Numbers of one kind. */
interface Numbers<T> {
  of(x: number): T;
  add(a: T, b: T): T;
  sub(a: T, b: T): T;
  mul(a: T, b: T): T;
  relu(a: T): T;
}

const run64: Numbers<number> = {
  of: (x) => x,
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  relu: (a) => Math.max(0, a),
};
const run32: Numbers<number> = {
  of: Math.fround,
  add: (a, b) => Math.fround(a + b),
  sub: (a, b) => Math.fround(a - b),
  mul: (a, b) => Math.fround(a * b),
  relu: (a) => Math.max(0, a),
};

/** n 2^-shift. */
interface Dyadic {
  readonly n: bigint;
  readonly shift: number;
}
const dyadic = (x: number): Dyadic => {
  let [value, shift] = [x, 0];
  while (!Number.isInteger(value)) [value, shift] = [value * 2 ** 8, shift + 8];
  return { n: BigInt(value), shift };
};
function sum(a: Dyadic, b: Dyadic, sign: 1n | -1n): Dyadic {
  const shift = Math.max(a.shift, b.shift);
  return { n: (a.n << BigInt(shift - a.shift)) + sign * (b.n << BigInt(shift - b.shift)), shift };
}
const exactly: Numbers<Dyadic> = {
  of: dyadic,
  add: (a, b) => sum(a, b, 1n),
  sub: (a, b) => sum(a, b, -1n),
  mul: (a, b) => ({ n: a.n * b.n, shift: a.shift + b.shift }),
  relu: (a) => (a.n < 0n ? { n: 0n, shift: 0 } : a),
};

/** Of shape [1, ...shape], without the batch. */
interface Columns<T> {
  readonly shape: readonly number[];
  readonly data: readonly T[];
}

const count = (shape: readonly number[]): number => shape.reduce((n, d) => n * d, 1);

/** The entry of an operand that meets entry k of the result, by numpy's broadcasting. */
function place(k: number, shape: readonly number[], own: readonly number[]): number {
  let [rest, at, step] = [k, 0, 1];
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const d = own[axis - shape.length + own.length] ?? 1;
    if (d !== 1) at += (rest % shape[axis]!) * step;
    rest = Math.floor(rest / shape[axis]!);
    step *= d;
  }
  return at;
}

class Run<T> {
  readonly #values = new Map<string, Columns<T>>();
  readonly #graph: Graph;
  readonly #kind: Numbers<T>;

  constructor(graph: Graph, kind: Numbers<T>, x: readonly number[]) {
    [this.#graph, this.#kind] = [graph, kind];
    this.#values.set(graph.inputs[0]!.name, { shape: [x.length], data: x.map(kind.of) });
    for (const node of graph.nodes) this.#values.set(node.outputs[0]!, this.#result(node));
  }

  get value(): T {
    return this.#values.get(this.#graph.outputs[0]!.name)!.data[0]!;
  }

  #weight(name: string): Tensor {
    return this.#graph.initializers.get(name) as Tensor;
  }

  #integers(name: string): number[] {
    return Array.from(numbers(this.#weight(name)));
  }

  #operand(name: string): Columns<T> {
    const found = this.#values.get(name);
    if (found) return found;
    const { dims, ...weight } = this.#weight(name);
    return { shape: dims, data: Array.from(numbers({ dims, ...weight } as Tensor), this.#kind.of) };
  }

  #broadcast(node: Node, operation: (a: T, b: T) => T): Columns<T> {
    const [a, b] = [this.#operand(node.inputs[0]!), this.#operand(node.inputs[1]!)];
    const rank = Math.max(a.shape.length, b.shape.length);
    const of = (s: readonly number[], axis: number): number => s[axis - rank + s.length] ?? 1;
    const shape = Array.from({ length: rank }, (_, axis) =>
      of(a.shape, axis) === 1 ? of(b.shape, axis) : of(a.shape, axis),
    );
    const data = Array.from({ length: count(shape) }, (_, k) =>
      operation(a.data[place(k, shape, a.shape)]!, b.data[place(k, shape, b.shape)]!),
    );
    return { shape, data };
  }

  #gemm({ inputs }: Node): Columns<T> {
    const { add, mul, of } = this.#kind;
    const { data } = this.#operand(inputs[0]!);
    const [W, bias] = [this.#operand(inputs[1]!), inputs[2] ? this.#operand(inputs[2]) : undefined];
    const [rows, width] = W.shape as [number, number];
    return {
      shape: [rows],
      data: Array.from({ length: rows }, (_, r) => {
        let total = of(0);
        for (let c = 0; c < width; c++) total = add(total, mul(data[c]!, W.data[r * width + c]!));
        return bias ? add(total, bias.data[r]!) : total;
      }),
    };
  }

  #result(node: Node): Columns<T> {
    const { add, sub, mul, relu } = this.#kind;
    const [first, second, third] = node.inputs as [string, string, string];
    switch (node.op) {
      case "Identity":
        return this.#operand(first);
      case "Add":
        return this.#broadcast(node, add);
      case "Sub":
        return this.#broadcast(node, sub);
      case "Mul":
        return this.#broadcast(node, mul);
      case "Relu": {
        const { shape, data } = this.#operand(first);
        return { shape, data: data.map(relu) };
      }
      case "Gemm":
        return this.#gemm(node);
      case "Gather": {
        const indices = this.#weight(second);
        const { data } = this.#operand(first);
        return { shape: indices.dims, data: this.#integers(second).map((k) => data[k]!) };
      }
      case "Slice": {
        const [start, end] = [this.#integers(second)[0]!, this.#integers(third)[0]!];
        const data = this.#operand(first).data.slice(start, end);
        return { shape: [data.length], data };
      }
      case "Concat": {
        const data = node.inputs.flatMap((name) => this.#operand(name).data);
        return { shape: [data.length], data };
      }
      default:
        throw new Error(`no reference for ${node.op}`);
    }
  }
}

/** What a run gives, sums from left to right. */
export const computed = (graph: Graph, x: readonly number[], dtype: "f32" | "f64"): number =>
  new Run(graph, dtype === "f32" ? run32 : run64, x).value;

/** What the stored weights define as a real function, times 2^320, rounded down. */
export function exact(graph: Graph, x: readonly number[]): bigint {
  const { n, shift } = new Run(graph, exactly, x).value;
  return shift <= 320 ? n << BigInt(320 - shift) : n >> BigInt(shift - 320);
}
