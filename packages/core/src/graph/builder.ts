// Writes graphs the way one writes formulas: inputs become values, values have the operations.
import { GraphError } from "./error.ts";
import { finish } from "./finish.ts";
import type { Dim, Graph, GraphWith, Node, TensorType } from "./graph.ts";
import { isSparse, isTensorType } from "./graph.ts";
import { inferNode } from "./infer.ts";
import { type AttributesOf, type OperatorName, operatorDomain, operators } from "./operators/index.ts";
import { writeAttributes } from "./operators/spec.ts";
import { renameNode } from "./rename.ts";
import type { DataType, Nested, NumericType, SparseTensor, Tensor } from "./tensor.ts";
import { tensor } from "./tensor.ts";
import { type GraphWriter, type Operand, type Types, Value, type Values } from "./value.ts";

const typed =
  (type: DataType) =>
  (...shape: Dim[]): TensorType => ({ type, shape });
/**
 * A type of tensors of doubles: a batch of any size N of three numbers.
 * @example float64("N", 3).shape // ["N", 3]
 */
export const float64 = typed("float64");
/**
 * A type of tensors of single-precision numbers.
 * @example float32(1, 28, 28).type // "float32"
 */
export const float32 = typed("float32");
/**
 * A type of tensors of integers.
 * @example int64(2).shape // [2]
 */
export const int64 = typed("int64");
/**
 * A type of tensors of truth values.
 * @example bool().shape // []
 */
export const bool = typed("bool");

const isTensor = (operand: unknown): operand is Tensor =>
  typeof operand === "object" && operand !== null && "data" in operand;

/**
 * Collects the nodes and weights of one graph while it is written.
 * @example new Builder().input("x", float64("N", 2)).relu().type.shape // ["N", 2]
 */
export class Builder implements GraphWriter {
  readonly nodes: Node[] = [];
  readonly initializers = new Map<string, Tensor | SparseTensor>();
  readonly #weightNames = new Map<Tensor | SparseTensor, string>();
  /** Names in use, each with the number that the next name from it as a stem gets. */
  readonly #used: Map<string, number>;

  constructor(outer?: GraphWriter) {
    this.#used = outer instanceof Builder ? outer.#used : new Map();
  }

  fresh(stem: string): string {
    for (let k = this.#used.get(stem) ?? 1; ; k++) {
      const name = k === 1 ? stem : `${stem}_${k}`;
      if (this.#used.has(name)) continue;
      this.#used.set(stem, k + 1);
      if (k > 1) this.#used.set(name, 2);
      return name;
    }
  }

  input(name: string, type: TensorType): Value {
    this.#used.set(name, 2);
    return new Value(this, name, type);
  }

  weight(values: Tensor | SparseTensor, stem = "w"): Value {
    const name = this.#weightNames.get(values) ?? this.fresh(stem);
    this.#weightNames.set(values, name);
    return this.#place(values, name);
  }

  #place(values: Tensor | SparseTensor, name: string): Value {
    this.initializers.set(name, values);
    const small = !isSparse(values) && values.data.length <= 4096;
    return new Value(this, name, {
      type: values.type,
      shape: values.dims,
      ...(small ? { value: values } : {}),
    });
  }

  lift(operand: Operand, type: DataType): Value {
    if (operand instanceof Value) return operand;
    return this.weight(
      isTensor(operand) ? operand : tensor(operand as Nested, { type: type as NumericType }),
      "c",
    );
  }

  apply<K extends OperatorName>(
    op: K,
    inputs: readonly (Operand | undefined)[],
    attributes: Partial<AttributesOf<K>> = {},
    outputCount = 1,
  ): Value[] {
    const type = inputs.find((i): i is Value => i instanceof Value)?.type.type ?? "float64";
    const values = inputs.map((i) => (i === undefined ? undefined : this.lift(i, type)));
    const stem = op.toLowerCase();
    const name = this.fresh(stem);
    const node: Node = {
      op,
      domain: operatorDomain(op),
      name,
      inputs: values.map((v) => v?.name ?? ""),
      outputs: Array.from({ length: outputCount }, (_, k) => (k === 0 ? name : this.fresh(`${stem}_out`))),
      attributes: writeAttributes(operators[op].attributes, attributes),
    };
    const types = inferNode(
      node,
      values.map((v) => v?.type),
    );
    this.nodes.push(node);
    return node.outputs.map((output, k) => new Value(this, output, types[k] ?? { type }));
  }

  subgraph(inputs: Types, body: (inputs: Values) => Values): Graph {
    return finish(new Builder(this), inputs, body, { name: "body", nested: true });
  }

  inline(graph: Graph, inputs: Values): Record<string, Value> {
    const values = this.trace(graph, inputs);
    return Object.fromEntries(graph.outputs.map(({ name }) => [name, values.get(name)!]));
  }

  trace(graph: Graph, inputs: Values): Map<string, Value> {
    const values = new Map<string, Value>();
    for (const { name } of graph.inputs) {
      const value = inputs[name];
      if (value) values.set(name, value);
      else if (!graph.initializers.has(name))
        throw new GraphError(`graph "${graph.name}" needs an input "${name}"`);
    }
    for (const [name, weight] of graph.initializers)
      if (!values.has(name)) values.set(name, this.#place(weight, this.fresh(name)));
    const declared = new Map([...graph.valueTypes, ...graph.outputs.map((o) => [o.name, o.type] as const)]);
    const rename = new Map<string, string>([["", ""]]);
    for (const [name, value] of values) rename.set(name, value.name);
    for (const node of graph.nodes) {
      for (const output of node.outputs) if (output) rename.set(output, this.fresh(output));
      const copy = renameNode(node, rename, this.fresh(node.name || node.op.toLowerCase()));
      const types = inferNode(
        copy,
        node.inputs.map((name) => values.get(name)?.type),
      );
      node.outputs.forEach((name, k) => {
        const stated = declared.get(name);
        const type = types[k] ?? (stated && isTensorType(stated) ? stated : { type: "undefined" as const });
        if (name) values.set(name, new Value(this, copy.outputs[k]!, type));
      });
      this.nodes.push(copy);
    }
    return values;
  }
}

/**
 * A graph from typed inputs and a function from values to values.
 * @example graph({ x: float64("N", 3) }, ({ x }) => ({ y: x.mul(x).sum([1]).sqrt() }))
 */
export function graph<I extends Types, O extends Values>(
  inputs: I,
  body: (inputs: Values<keyof I & string>) => O,
  { name = "lemmata" }: { name?: string } = {},
): GraphWith<keyof O & string> {
  const written = finish(new Builder(), inputs, body as (inputs: Values) => Values, { name, nested: false });
  return written as GraphWith<keyof O & string>;
}
