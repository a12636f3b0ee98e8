// Files in and out of the page.

/** Offers bytes as a file. */
export function download(name: string, content: Uint8Array | string, type: string): void {
  const href = URL.createObjectURL(new Blob([content as BlobPart], { type }));
  const anchor = document.createElement("a");
  anchor.href = href;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

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
