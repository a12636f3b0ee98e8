// Which format a data file has: by the end of its name, else by its first bytes.
import { GraphError } from "../graph/error.ts";
import { elementCount, numbers, type Tensor } from "../graph/tensor.ts";
import { readCsv, writeCsv } from "./csv.ts";
import { DataError } from "./error.ts";
import { checkPackedIdx, isIdx, readIdx } from "./idx.ts";
import { gunzip, gzip, isGzip } from "./inflate.ts";
import { tensorsFromJson, tensorsToJson, tensorToJson } from "./json.ts";
import { checkPackedNpy, isNpy, readNpy, writeNpy } from "./npy.ts";
import { readNpz, writeNpz } from "./npz.ts";
import type { ReadOptions } from "./options.ts";
import { isZip } from "./zip.ts";

export type Tensors = Record<string, Tensor>;

interface Format {
  readonly name: RegExp;
  /** Whether the first bytes are of this format. */
  readonly matches: (bytes: Uint8Array) => boolean;
  readonly decode: (bytes: Uint8Array, options: ReadOptions) => Tensors;
  readonly encode?: (tensors: Readonly<Tensors>) => Uint8Array;
}

const formats: readonly Format[] = [
  {
    name: /\.npy$/i,
    matches: isNpy,
    decode: (bytes, options) => ({ "": readNpy(bytes, options) }),
    encode: (tensors) => writeNpy(onlyTensor(tensors, ".npy")),
  },
  { name: /\.npz$/i, matches: isZip, decode: readNpz, encode: writeNpz },
  { name: /\.csv$|\.tsv$/i, matches: () => false, decode: decodeCsv, encode: encodeCsv },
  { name: /\.json$/i, matches: startsLikeJson, decode: decodeJson, encode: encodeJson },
  {
    name: /\.idx$|[-.](idx\d-)?ubyte$/i,
    matches: isIdx,
    decode: (bytes, options) => ({ "": readIdx(bytes, options) }),
  },
];

/**
 * The tensors of a data file by name (.npy, .npz, .csv, .json, IDX, or one of them gzipped). A tensor without a
 * name gets the name ""; a CSV file is one tensor of shape [rows, columns].
 * @example decodeData(new TextEncoder().encode("1,2\n3,4"), "x.csv")[""].dims // [2, 2]
 */
export function decodeData(bytes: Uint8Array, name: string, options: ReadOptions = {}): Tensors {
  const all = { ...options, file: options.file ?? name };
  const plainName = name.replace(/\.gz$/i, "");
  if (isGzip(bytes)) (/\.npy$/i.test(plainName) ? checkPackedNpy : checkPackedIdx)(bytes, all);
  const content = isGzip(bytes) ? gunzip(bytes, all) : bytes;
  const format =
    formats.find((each) => each.name.test(plainName)) ?? formats.find((each) => each.matches(content));
  if (!format)
    throw new DataError("unknown data format (.npy, .npz, .csv, .json and IDX files are read)", all.file);
  return format.decode(content, all);
}

/**
 * Tensors as a data file, in the format that the end of its name says (.npy, .npz, .csv, .json; also with .gz).
 * @example encodeData("x.npy", { "": tensor([1, 2]) })
 */
export function encodeData(name: string, tensors: Readonly<Tensors>): Uint8Array {
  const plainName = name.replace(/\.gz$/i, "");
  const encode = formats.find((each) => each.name.test(plainName))?.encode;
  if (!encode) throw new DataError("this format cannot be written: use .npy, .npz, .csv or .json", name);
  try {
    const bytes = encode(tensors);
    return plainName === name ? bytes : gzip(bytes);
  } catch (error) {
    const isKnown = error instanceof DataError || error instanceof GraphError; // GraphError: strings in a table
    throw isKnown ? new DataError(error.message, name) : error;
  }
}

function onlyTensor(tensors: Readonly<Tensors>, format: string): Tensor {
  const all = Object.values(tensors);
  if (all.length === 1) return all[0]!;
  throw new DataError(`${format} files hold one tensor, not ${all.length}: use .npz`);
}

function textOf(bytes: Uint8Array, file?: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new DataError("not a text in UTF-8", file);
  }
}

function decodeCsv(bytes: Uint8Array, options: ReadOptions): Tensors {
  const { columns, rows, count } = readCsv(textOf(bytes, options.file), options);
  return { "": { type: "float64", dims: [count, columns.length], data: rows } };
}

/** Tensors side by side, one row of the table for each entry of their common first dimension. */
function encodeCsv(tensors: Readonly<Tensors>): Uint8Array {
  const blocks = Object.entries(tensors).map(([name, tensor]) => {
    if (tensor.dims.length > 2)
      throw new DataError(`a tensor of shape [${tensor.dims}] is no table: use .npy`);
    const [count = 1, width = 1] = tensor.dims;
    if (elementCount([count, width]) === 0)
      throw new DataError("a table without cells cannot be written: use .npy");
    const columns = Array.from({ length: width }, (_, k) =>
      width === 1 && name ? name : `${name || "column"}${k + 1}`,
    );
    const { data } = tensor;
    const isLarge = (v: bigint) => v > 2n ** 53n || v < -(2n ** 53n);
    if ((data instanceof BigInt64Array || data instanceof BigUint64Array) && data.some(isLarge))
      throw new DataError("a table would lose digits of integers above 2^53: use .npz or .json");
    return { columns, values: numbers(tensor), count, width };
  });
  const columns = blocks.flatMap((block) => block.columns);
  const count = blocks[0]?.count ?? 0;
  if (columns.length === 0 || blocks.some((block) => block.count !== count)) {
    throw new DataError("the tensors of a table must have the same, positive number of rows: use .npz");
  }
  const rows = new Float64Array(count * columns.length);
  for (let row = 0, position = 0; row < count; row++) {
    for (const { values, width } of blocks) {
      rows.set(values.subarray(row * width, (row + 1) * width), position);
      position += width;
    }
  }
  return new TextEncoder().encode(writeCsv({ columns, rows, count }));
}

function startsLikeJson(bytes: Uint8Array): boolean {
  const first = bytes.find((byte) => byte > 32);
  return first === 0x5b || first === 0x7b; // [ or {
}

function decodeJson(bytes: Uint8Array, options: ReadOptions): Tensors {
  const text = textOf(bytes, options.file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new DataError(`not JSON: ${error instanceof Error ? error.message : error}`, options.file);
  }
  return tensorsFromJson(value, options);
}

function encodeJson(tensors: Readonly<Tensors>): Uint8Array {
  const names = Object.keys(tensors);
  const value = names.length === 1 && names[0] === "" ? tensorToJson(tensors[""]!) : tensorsToJson(tensors);
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}
