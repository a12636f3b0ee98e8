// Writes the nodes of a normal form: knows what was renamed, what is constant, and which node made a value.
import type { Graph, Node } from "../../graph/graph.ts";
import { isSparse } from "../../graph/graph.ts";
import { numericShape } from "../../graph/operators/dims.ts";
import type { Inferred } from "../../graph/operators/spec.ts";
import { densify, elementCount, numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import { normalAttributes } from "./attributes.ts";
import { foldedConstants } from "./fold-constant.ts";

/** The name of a value that stands for another one. */
export type Arranged = string;

const ints = (values: readonly number[]) => ({ type: "ints", value: values.map(BigInt) }) as const;
const same = (a: readonly number[], b: readonly number[]): boolean => `${a}` === `${b}`;

export class NormalWriter {
  readonly #graph: Graph;
  readonly #types: ReadonlyMap<string, Inferred>;
  readonly #renamed = new Map<string, string>();
  readonly #constants = new Map<string, Tensor>();
  readonly #made = new Map<string, Node>();
  readonly #shapes = new Map<string, readonly number[]>();
  readonly #nodes: Node[] = [];
  #fresh = 0;

  constructor(graph: Graph, types: ReadonlyMap<string, Inferred>) {
    this.#graph = graph;
    this.#types = types;
    const given = new Set(graph.inputs.map(({ name }) => name));
    for (const [name, weight] of graph.initializers)
      if (!given.has(name)) this.#constants.set(name, isSparse(weight) ? densify(weight) : weight);
  }

  nameOf(name: string): string {
    return this.#renamed.get(name) ?? name;
  }

  typeOf = (name: string) => this.#types.get(name)?.type ?? this.#constants.get(name)?.type;
  inferredValue = (name: string): Tensor | undefined => this.#types.get(name)?.value;
  constant = (name: string): Tensor | undefined => this.#constants.get(name);
  rankOf = (name: string | undefined): number | undefined => (name ? this.shapeOf(name)?.length : undefined);

  shapeOf(name: string): readonly number[] | undefined {
    return (
      this.#constants.get(name)?.dims ?? this.#shapes.get(name) ?? numericShape(this.#types.get(name)?.shape)
    );
  }

  /** Does anything read this value of the graph as it was written? */
  isRead(name: string): boolean {
    const { nodes, outputs } = this.#graph;
    return (
      name !== "" && (nodes.some((n) => n.inputs.includes(name)) || outputs.some((o) => o.name === name))
    );
  }

  define(name: string, value: Tensor): void {
    this.#constants.set(name, value);
  }

  rename(name: string, to: Arranged): void {
    this.#renamed.set(name, to);
  }

  keep(node: Node): void {
    this.#nodes.push(node);
    for (const name of node.outputs) if (name) this.#made.set(name, node);
  }

  #name(stem: string): string {
    for (;;) {
      const name = `${stem}/normal${this.#fresh++}`;
      if (!this.#types.has(name) && !this.#constants.has(name)) return name;
    }
  }

  #constantFrom(op: string, inputs: readonly Tensor[], attributes: Node["attributes"]): string | undefined {
    const node: Node = {
      op,
      domain: "",
      name: op,
      inputs: inputs.map((_, k) => `c${k}`),
      outputs: ["y"],
      attributes,
    };
    const [value] = foldedConstants(node, inputs) ?? [];
    if (!value) return undefined;
    const name = this.#name(op);
    this.#constants.set(name, value);
    return name;
  }

  #write(
    op: string,
    inputs: readonly string[],
    shape: readonly number[] | undefined,
    attributes: Node["attributes"] = new Map(),
  ): string {
    const output = this.#name(op);
    if (shape) this.#shapes.set(output, shape);
    this.keep({ op, domain: "", name: output, inputs, outputs: [output], attributes });
    return output;
  }

  /** The node with other inputs. */
  again(node: Node, inputs: readonly string[]): Arranged {
    const attributes = normalAttributes(node, this.rankOf(inputs[0]));
    return this.#write(node.op, inputs, this.shapeOf(node.outputs[0]!), attributes);
  }

  reshaped(x: string, shape: readonly number[]): Arranged {
    const own = this.shapeOf(x);
    if (own && same(own, shape)) return x;
    const before = this.#made.get(x);
    if (before?.op === "Reshape") return this.reshaped(before.inputs[0]!, shape);
    const target = tensor(shape, { type: "int64", dims: [shape.length] });
    const stored = this.#constants.get(x);
    if (stored) {
      const name = this.#name("Reshape");
      this.#constants.set(name, { ...stored, dims: shape });
      return name;
    }
    const name = this.#name("shape");
    this.#constants.set(name, target);
    // Sizes of 0 mean themselves.
    const zeros: Node["attributes"] = shape.includes(0)
      ? new Map([["allowzero", { type: "int", value: 1n }]])
      : new Map();
    return this.#write("Reshape", [x, name], shape, zeros);
  }

  /** Axes are exchanged among those that are longer than 1: the others only say how the numbers are arranged. */
  transposed(x: string, order: readonly number[]): Arranged {
    const shape = this.shapeOf(x);
    if (!shape) return this.#write("Transpose", [x], undefined, new Map([["perm", ints(order)]]));
    const long = shape.flatMap((size, k) => (size === 1 ? [] : [k]));
    const places = order.filter((k) => shape[k] !== 1).map((k) => long.indexOf(k));
    const after = order.map((k) => shape[k]!);
    if (places.every((k, n) => k === n)) return this.reshaped(x, after);
    const base = this.reshaped(
      x,
      long.map((k) => shape[k]!),
    );
    return this.reshaped(this.#exchanged(base, places), after);
  }

  /** A Transpose without axes of size 1, after no other. */
  #exchanged(x: string, order: readonly number[]): string {
    const before = this.#made.get(x);
    const earlier = before?.op === "Transpose" ? before.attributes.get("perm") : undefined;
    if (before && earlier?.type === "ints") {
      const whole = order.map((k) => Number(earlier.value[k]));
      const isSame = whole.every((k, n) => k === n);
      return isSame ? before.inputs[0]! : this.#exchanged(before.inputs[0]!, whole);
    }
    const perm: Node["attributes"] = new Map([["perm", ints(order)]]);
    const stored = this.#constants.get(x);
    const folded = stored && this.#constantFrom("Transpose", [stored], perm);
    const shape = this.shapeOf(x)!;
    return (
      folded ??
      this.#write(
        "Transpose",
        [x],
        order.map((k) => shape[k]!),
        perm,
      )
    );
  }

  /** What a value was before it was brought into another shape with the same last axis; undefined if it was not. */
  #beforeRows(x: string): { readonly value: string; readonly shape: readonly number[] } | undefined {
    const before = this.#made.get(x);
    const shape = before?.op === "Reshape" ? this.shapeOf(before.inputs[0]!) : undefined;
    if (!shape || shape.length === 0 || shape.at(-1) !== this.shapeOf(x)?.at(-1)) return undefined;
    return { value: before!.inputs[0]!, shape };
  }

  /** Rows are multiplied one by one: how many axes they are arranged in does not matter. */
  matmul(a: string, b: string): Arranged {
    const [left, right] = [this.shapeOf(a), this.shapeOf(b)];
    if (!left || right?.length !== 2 || left.length < 2 || !this.#constants.has(b))
      return this.#write("MatMul", [a, b], undefined);
    const rows = this.#beforeRows(a) ?? { value: a, shape: left };
    const count = elementCount(left.slice(0, -1));
    const flat = this.reshaped(rows.value, [count, left.at(-1)!]);
    const product = this.#write("MatMul", [flat, b], [count, right[1]!]);
    const biased = this.#write("Add", [product, this.zeros(right[1]!, b)], [count, right[1]!]);
    return this.reshaped(biased, [...left.slice(0, -1), right[1]!]);
  }

  /** A bias of zeros, for a layer that has none. */
  zeros(size: number, like: string): string {
    const name = this.#name("zeros");
    const type = this.#constants.get(like)!.type as "float32";
    this.#constants.set(name, tensor(new Array<number>(size).fill(0), { type, dims: [size] }));
    return name;
  }

  /** The product before a bias of zeros; the value itself if it has none. */
  #unbiased(x: string): string {
    const before = this.#made.get(x);
    const bias = before?.op === "Add" ? this.#constants.get(before.inputs[1]!) : undefined;
    const isZero = bias?.dims.length === 1 && this.#made.get(before!.inputs[0]!)?.op === "MatMul";
    return isZero && numbers(bias).every((v) => v === 0) ? before!.inputs[0]! : x;
  }

  /** A weight that is added or multiplied comes second, without leading axes of size 1. */
  #withWeightLast(a: string, b: string): readonly [string, string] {
    const [x, w] = this.#constants.has(a) && !this.#constants.has(b) ? [b, a] : [a, b];
    const [shape, own] = [this.shapeOf(w), this.shapeOf(x)];
    if (!this.#constants.has(w) || !shape || !own) return [x, w];
    if (shape.length > own.length) return [x, w];
    const first = shape.findIndex((d) => d !== 1);
    // One number is a scalar, unless it is a bias of one unit.
    const plain = first >= 0 ? shape.slice(first) : own.at(-1) === 1 ? [1] : [];
    return [x, this.reshaped(w, plain)];
  }

  #elementwise(op: "Add" | "Mul", a: string, b: string): Arranged {
    const [x, w] = this.#withWeightLast(a, b);
    const [shape, weight] = [this.shapeOf(x), this.shapeOf(w)];
    const isRow = weight && this.#constants.has(w) && weight.length <= 1;
    const rows =
      isRow && (weight.length === 0 || weight[0] === shape?.at(-1)) ? this.#beforeRows(x) : undefined;
    const isBias = op === "Add" && isRow && weight.length === 1;
    const plain = (value: string): string => (isBias ? this.#unbiased(value) : value);
    if (!rows || !shape) return this.#write(op, [plain(x), w], this.#broadcast(shape, weight));
    return this.reshaped(this.#write(op, [plain(rows.value), w], rows.shape), shape);
  }

  #broadcast(
    a: readonly number[] | undefined,
    b: readonly number[] | undefined,
  ): readonly number[] | undefined {
    if (!a || !b) return undefined;
    const rank = Math.max(a.length, b.length);
    const at = (d: readonly number[], k: number): number => d[k - rank + d.length] ?? 1;
    return Array.from({ length: rank }, (_, k) => (at(a, k) === 1 ? at(b, k) : at(a, k)));
  }

  sum = (a: string, b: string): Arranged => this.#elementwise("Add", a, b);
  product = (a: string, b: string): Arranged => this.#elementwise("Mul", a, b);

  /** The graph, with a weight of its own for every use of one. */
  finish(): Graph {
    const initializers = new Map<string, Tensor>();
    const nodes = this.#nodes.map((node, n) => ({
      ...node,
      inputs: node.inputs.map((name, k) => {
        const weight = this.#constants.get(name);
        if (!weight) return name;
        const own = `w${n}_${k}/normal`;
        initializers.set(own, weight);
        return own;
      }),
    }));
    const outputs = this.#graph.outputs.map(({ name, type }) => ({ name: this.nameOf(name), type }));
    for (const { name } of outputs) {
      const value = this.#constants.get(name);
      if (value) initializers.set(name, value);
    }
    return { ...this.#graph, nodes, initializers, outputs, valueTypes: new Map() };
  }
}
