// A value in a graph that is being written, with the operations on it.
import type { Graph, Node, TensorType } from "./graph.ts";
import type { AttributesOf, OperatorName } from "./operators/index.ts";
import type { Inferred } from "./operators/spec.ts";
import { isSparseMatrix, type SparseMatrix, sparseProduct } from "./sparse.ts";
import {
  type DataType,
  dataTypes,
  type Nested,
  type NumericType,
  type SparseTensor,
  type Tensor,
  tensor,
} from "./tensor.ts";

/** What an operation takes: a value, a tensor, or plain numbers (in the element type of their partner). */
export type Operand = Value | Tensor | Nested;

export type Types = Readonly<Record<string, TensorType>>;
export type Values<K extends string = string> = Readonly<Record<K, Value>>;

/** What collects the nodes and weights of one graph while it is written. */
export interface GraphWriter {
  readonly nodes: Node[];
  readonly initializers: Map<string, Tensor | SparseTensor>;
  /** A name that nothing in the graph has yet. */
  fresh(stem: string): string;
  input(name: string, type: TensorType): Value;
  /** A weight; the same tensor object is stored once. */
  weight(values: Tensor | SparseTensor, stem?: string): Value;
  /** An operand as a value: numbers become a weight of the given element type. */
  lift(operand: Operand, type: DataType): Value;
  /** Adds a node of any operator of the table; its types are inferred and checked at once. */
  apply<K extends OperatorName>(
    op: K,
    inputs: readonly (Operand | undefined)[],
    attributes?: Partial<AttributesOf<K>>,
    outputCount?: number,
  ): Value[];
  /** A graph inside this one (a branch of If, a body of Loop); it may use values of this one. */
  subgraph(inputs: Types, body: (inputs: Values) => Values): Graph;
  /** Copies another graph's nodes in, reading these values as its inputs; gives its outputs. */
  inline(graph: Graph, inputs: Values): Record<string, Value>;
  /** Copies another graph's nodes in, and gives every value of it, by the name that it had there. */
  trace(graph: Graph, inputs: Values): Map<string, Value>;
}

const integers = (values: readonly number[]): Tensor =>
  tensor([...values], { type: "int64", dims: [values.length] });

/**
 * A value in a graph that is being written, with the operations on it.
 * @example graph({ x: float64("N", 2) }, ({ x }) => ({ y: x.relu().sum([1]) })).nodes.length // 2
 */
export class Value {
  readonly builder: GraphWriter;
  readonly name: string;
  readonly type: Inferred;

  constructor(builder: GraphWriter, name: string, type: Inferred) {
    this.builder = builder;
    this.name = name;
    this.type = type;
  }

  /** Any operator of the table, with this value as its first input. */
  op<K extends OperatorName>(
    op: K,
    others: readonly (Operand | undefined)[] = [],
    attributes?: Partial<AttributesOf<K>>,
  ): Value {
    return this.builder.apply(op, [this, ...others], attributes)[0]!;
  }

  add(other: Operand): Value {
    return this.op("Add", [other]);
  }

  sub(other: Operand): Value {
    return this.op("Sub", [other]);
  }

  mul(other: Operand): Value {
    return this.op("Mul", [other]);
  }

  div(other: Operand): Value {
    return this.op("Div", [other]);
  }

  pow(other: Operand): Value {
    return this.op("Pow", [other]);
  }

  max(...others: Operand[]): Value {
    return this.op("Max", others);
  }

  min(...others: Operand[]): Value {
    return this.op("Min", others);
  }

  matmul(other: Operand): Value {
    return this.op("MatMul", [other]);
  }

  neg(): Value {
    return this.op("Neg");
  }

  abs(): Value {
    return this.op("Abs");
  }

  relu(): Value {
    return this.op("Relu");
  }

  sigmoid(): Value {
    return this.op("Sigmoid");
  }

  tanh(): Value {
    return this.op("Tanh");
  }

  exp(): Value {
    return this.op("Exp");
  }

  log(): Value {
    return this.op("Log");
  }

  sqrt(): Value {
    return this.op("Sqrt");
  }

  sin(): Value {
    return this.op("Sin");
  }

  cos(): Value {
    return this.op("Cos");
  }

  /** x W^T + b, row by row: the matrix has one row an output. A sparse matrix never becomes dense. */
  affine(matrix: Operand | SparseMatrix, bias?: Operand): Value {
    if (isSparseMatrix(matrix)) {
      const product = sparseProduct<Value>(this, matrix);
      return bias === undefined ? product : product.add(bias);
    }
    return this.op("Gemm", [matrix, bias], { transB: 1 });
  }

  sum(axes: readonly number[], keepdims = 0): Value {
    return this.op("ReduceSum", [integers(axes)], { keepdims });
  }

  mean(axes: readonly number[], keepdims = 0): Value {
    return this.op("ReduceMean", [integers(axes)], { keepdims });
  }

  reshape(dims: readonly number[]): Value {
    return this.op("Reshape", [integers(dims)]);
  }

  transpose(perm?: readonly number[]): Value {
    return this.op("Transpose", [], perm ? { perm } : {});
  }

  gather(indices: Nested | Tensor, axis: number): Value {
    return this.op(
      "Gather",
      [typeof indices === "object" && "data" in indices ? indices : tensor(indices, { type: "int64" })],
      {
        axis,
      },
    );
  }

  concat(others: readonly Value[], axis: number): Value {
    return this.op("Concat", others, { axis });
  }

  slice(axis: number, start: number, end: number): Value {
    return this.op("Slice", [integers([start]), integers([end]), integers([axis])]);
  }

  /** The same numbers in another element type. */
  cast(to: NumericType): Value {
    return this.op("Cast", [], { to: dataTypes.indexOf(to) });
  }
}
