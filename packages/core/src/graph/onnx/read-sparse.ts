// SparseTensorProto: values and their positions, flat ([NNZ]) or by coordinate ([NNZ, rank]), as flat positions.
import { GraphError } from "../error.ts";
import { elementCount, type SparseTensor, type Tensor } from "../tensor.ts";
import { Collected } from "./collected.ts";
import type { ExternalData } from "./external.ts";
import { sparseField } from "./fields.ts";
import { checkedDims, integersOf, type NamedTensor, readTensor, shapeText } from "./read-tensor.ts";
import type { WireReader } from "./wire.ts";

export interface NamedSparseTensor {
  readonly name: string;
  readonly tensor: SparseTensor;
}

/** A sparse tensor has the name of its values. */
export function readSparse(reader: WireReader, where: string, external?: ExternalData): NamedSparseTensor {
  let values: NamedTensor | undefined;
  let positions: Tensor | undefined;
  const collected = new Collected();
  while (reader.next()) {
    if (reader.field === sparseField.values) {
      values = readTensor(reader.message("TensorProto"), where, external);
    } else if (reader.field === sparseField.indices) {
      positions = readTensor(reader.message("TensorProto"), `the indices in ${where}`, external).tensor;
    } else if (reader.field === sparseField.dims) reader.varints(collected);
    else reader.skip();
  }
  const label = values?.name
    ? `sparse tensor ${JSON.stringify(values.name)}`
    : `the sparse tensor of ${where}`;
  if (!values || !positions) throw new GraphError(`${label} lacks its values or its indices`);
  const { type } = values.tensor;
  if (/^(string|complex.*|u?int[24]|float4.*)$/.test(type)) {
    throw new GraphError(`${label} has elements of type ${type}, which is not read`);
  }
  const dims = checkedDims(integersOf(collected), label);
  const indices = flatIndices(positions, values.tensor, dims, label);
  return { name: values.name, tensor: { type, dims, values: values.tensor, indices } };
}

function flatIndices(
  positions: Tensor,
  values: Tensor,
  dims: readonly number[],
  label: string,
): BigInt64Array {
  const [count = 0] = values.dims;
  const { data } = positions;
  if (values.dims.length !== 1) {
    throw new GraphError(`${label} has values of shape ${shapeText(values.dims)}, not a list`);
  }
  const isFlat = positions.dims.length === 1;
  const fits = isFlat || (positions.dims.length === 2 && positions.dims[1] === dims.length);
  if (!(data instanceof BigInt64Array) || !fits || positions.dims[0] !== count) {
    throw new GraphError(
      `${label} has ${count} values, but ${positions.type} indices of shape ${shapeText(positions.dims)}`,
    );
  }
  const flat = isFlat ? data : flattened(data, dims, count, label);
  checkIncreasing(flat, elementCount(dims), label);
  return flat;
}

/** Row-major: (i, j) of shape [m, n] is i n + j. */
function flattened(
  coordinates: BigInt64Array,
  dims: readonly number[],
  count: number,
  label: string,
): BigInt64Array {
  const flat = new BigInt64Array(count);
  for (let k = 0; k < count; k++) {
    let position = 0;
    dims.forEach((dim, axis) => {
      const coordinate = Number(coordinates[k * dims.length + axis]);
      if (!(coordinate >= 0 && coordinate < dim)) {
        throw new GraphError(`${label} has the coordinate ${coordinate} on axis ${axis}, of ${dim}`);
      }
      position = position * dim + coordinate;
    });
    flat[k] = BigInt(position);
  }
  return flat;
}

function checkIncreasing(indices: BigInt64Array, size: number, label: string): void {
  let previous = -1n;
  for (const index of indices) {
    if (index < 0n || index >= size) {
      throw new GraphError(`${label} has a value at position ${index}, but ${size} elements`);
    }
    if (index <= previous) {
      throw new GraphError(`${label} has position ${index} after ${previous}: they must increase`);
    }
    previous = index;
  }
}
