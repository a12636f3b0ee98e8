// Mutations of numbers: dimensions, shapes, element types, weights.
import { onnx } from "onnx-proto";
import { graphsOf, int64, pick, tensorsOf, valueInfosOf } from "./proto.ts";
import type { StructuralMutation } from "./structure.ts";

const { INT64, INT32, FLOAT, DOUBLE } = onnx.TensorProto.DataType;

export const extremes = [
  0n,
  1n,
  2n,
  -1n,
  -2n,
  99n,
  1000n,
  1_000_000n,
  50_000_000n,
  2n ** 31n - 1n,
  2n ** 31n,
  2n ** 32n,
  2n ** 40n,
  2n ** 53n,
  2n ** 62n,
  2n ** 63n - 1n,
  -(2n ** 31n),
  -(2n ** 63n),
];

export const sizeMutations: Readonly<Record<string, StructuralMutation>> = {
  tensorDimension(model, random) {
    const dims = pick(random, tensorsOf(model))?.dims;
    if (!dims) return;
    const axis = random.integer(0, dims.length);
    dims[axis] = int64(pick(random, extremes)!);
  },
  /** Other dims with the same product: everything reads well, and nothing fits. */
  tensorDimensionsReordered(model, random) {
    const dims = pick(random, tensorsOf(model))?.dims;
    if (dims) random.uniform() < 0.5 ? dims.reverse() : dims.push(1);
  },
  declaredDimension(model, random) {
    const dim = pick(random, valueInfosOf(model))?.type?.tensorType?.shape?.dim;
    const one = dim && pick(random, dim);
    if (!one) return;
    one.dimParam = undefined;
    one.dimValue = int64(pick(random, extremes)!);
  },
  declaredRank(model, random) {
    const dim = pick(random, valueInfosOf(model))?.type?.tensorType?.shape?.dim;
    if (!dim) return;
    if (random.uniform() < 0.5) dim.pop();
    else dim.push({ dimValue: int64(pick(random, extremes)!) });
  },
  declaredType(model, random) {
    const tensorType = pick(random, valueInfosOf(model))?.type?.tensorType;
    if (tensorType) tensorType.elemType = random.integer(0, 24);
  },
  noDeclaredType(model, random) {
    const info = pick(random, valueInfosOf(model));
    if (info) info.type = undefined;
  },
  /** Shapes, axes, counts and indices are integers. */
  integerValues(model, random) {
    const tensor = pick(
      random,
      tensorsOf(model).filter((t) => t.dataType === INT64 || t.dataType === INT32),
    );
    if (!tensor) return;
    const value = pick(random, extremes)!;
    const wide = tensor.dataType === INT64;
    if (tensor.int64Data?.length)
      tensor.int64Data[random.integer(0, tensor.int64Data.length - 1)] = int64(value);
    if (!tensor.rawData?.length) return;
    const raw = tensor.rawData.slice();
    const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
    const count = Math.floor(raw.length / (wide ? 8 : 4));
    const at = random.integer(0, Math.max(0, count - 1));
    if (wide) view.setBigInt64(8 * at, value, true);
    else view.setInt32(4 * at, Number(BigInt.asIntN(32, value)), true);
    tensor.rawData = raw;
  },
  tensorType(model, random) {
    const tensor = pick(random, tensorsOf(model));
    if (tensor) tensor.dataType = random.integer(0, 24);
  },
  notFinite(model, random) {
    const tensor = pick(
      random,
      tensorsOf(model).filter((t) => t.dataType === FLOAT || t.dataType === DOUBLE),
    );
    const value = pick(random, [
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      3e38,
      1e-45,
    ])!;
    if (tensor?.floatData?.length) tensor.floatData[0] = value;
    if (!tensor?.rawData?.length) return;
    const raw = tensor.rawData.slice();
    const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
    if (tensor.dataType === FLOAT) view.setFloat32(4 * random.integer(0, raw.length / 4 - 1), value, true);
    else view.setFloat64(0, value, true);
    tensor.rawData = raw;
  },
  emptyTensor(model, random) {
    const tensor = pick(random, tensorsOf(model));
    if (tensor)
      Object.assign(tensor, { dims: [0], rawData: new Uint8Array(0), floatData: [], int64Data: [] });
  },
  /** A weight that has its values elsewhere. */
  externalTensor(model, random) {
    const tensor = pick(random, tensorsOf(model));
    if (!tensor) return;
    const location = pick(random, ["/dev/zero", "../../../etc/passwd", "missing.bin", ".", "", "a\nb"])!;
    Object.assign(tensor, {
      dataLocation: 1,
      rawData: undefined,
      externalData: [{ key: "location", value: location }],
    });
  },
  sparseWeight(model, random) {
    const graph = pick(random, graphsOf(model));
    const dense = graph?.initializer?.pop();
    if (!graph || !dense) return;
    const values = { name: dense.name, dataType: 1, dims: [1], rawData: new Uint8Array(4) };
    const indices = { dataType: 7, dims: [1], rawData: new Uint8Array(8) };
    const dims = [...(dense.dims ?? [])];
    if (dims.length > 0 && random.uniform() < 0.7)
      dims[random.integer(0, dims.length - 1)] = int64(pick(random, extremes)!);
    graph.sparseInitializer = [...(graph.sparseInitializer ?? []), { values, indices, dims }];
  },
};
