// A value in a graph that is being written, with the operations on it.
import type { Builder, Operand } from "./builder.ts";
import type { AttributesOf, OperatorName } from "./operators/index.ts";
import type { Inferred } from "./operators/spec.ts";
import { type SparseMatrix, sparseProduct } from "./sparse.ts";
import { dataTypes, type Nested, type NumericType, type Tensor, tensor } from "./tensor.ts";

const isSparseMatrix = (matrix: Operand | SparseMatrix): matrix is SparseMatrix =>
  typeof matrix === "object" && "starts" in matrix;

const integers = (values: readonly number[]): Tensor =>
  tensor([...values], { type: "int64", dims: [values.length] });

export class Value {
  readonly builder: Builder;
  readonly name: string;
  readonly type: Inferred;

  constructor(builder: Builder, name: string, type: Inferred) {
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
      const product = sparseProduct(this, matrix);
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
