// NumPy's .npz files: ZIP archives of .npy files.
import { zipSync } from "fflate";
import type { Tensor } from "../graph/tensor.ts";
import { DataError } from "./error.ts";
import { readNpy, writeNpy } from "./npy.ts";
import type { ReadOptions } from "./options.ts";
import { inside, unzip } from "./zip.ts";

/** ZIP keeps a local time: a fixed one, so that the same tensors give the same file everywhere. */
const timeStamp = new Date(1980, 0, 1);

/**
 * The arrays of an .npz file by name, stored or compressed.
 * @example readNpz(writeNpz({ x: tensor([1, 2]) })).x.dims // [2]
 */
export function readNpz(bytes: Uint8Array, options: ReadOptions = {}): Record<string, Tensor> {
  const arrays: [string, Tensor][] = [];
  for (const [name, content] of unzip(bytes, options))
    arrays.push([name.replace(/\.npy$/, ""), readNpy(content, { file: inside(name, options.file) })]);
  return Object.fromEntries(arrays); // unlike an assignment, safe for the name __proto__
}

/**
 * Tensors as the bytes of an .npz file, like `numpy.savez`, or `numpy.savez_compressed` with `compress`.
 * @example writeNpz({ x: tensor([1, 2]) }, { compress: true })
 */
export function writeNpz(
  tensors: Readonly<Record<string, Tensor>>,
  { compress = false }: { compress?: boolean } = {},
): Uint8Array<ArrayBuffer> {
  const files = Object.entries(tensors).map(([name, tensor]) => [`${fileName(name)}.npy`, writeNpy(tensor)]);
  return zipSync(Object.fromEntries(files), { level: compress ? 6 : 0, mtime: timeStamp });
}

function fileName(name: string): string {
  if (new TextEncoder().encode(name).length <= 65_000) return name;
  throw new DataError(`the name ${name.slice(0, 40)}… is too long for an .npz file`);
}
