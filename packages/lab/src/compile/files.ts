// A network and its certificate among files.

/** A network and its certificate among dropped files. */
export interface Pair {
  readonly network?: File;
  readonly certificate?: File;
}

/** Sorts files by the ends of their names. */
export function pairOf(files: Iterable<File>, known: Pair = {}): Pair {
  let pair = known;
  for (const file of files) {
    const name = file.name.toLowerCase();
    if (name.endsWith(".onnx")) pair = { ...pair, network: file };
    if (name.endsWith(".json")) pair = { ...pair, certificate: file };
  }
  return pair;
}
