// The lines of a file with their places in it, one after the other: the file is never in memory as a whole.
import { closeSync, openSync, readSync } from "node:fs";

export interface Line {
  readonly text: string;
  /** Where it begins, in bytes, and how many it has with its end. */
  readonly at: number;
  readonly length: number;
  /** Whether it has an end: the last one may not. */
  readonly isWhole: boolean;
}

const newline = 10;
const chunk = 2 ** 20;

/** Lines that are no longer than fits into memory. */
export function* linesOf(path: string): Generator<Line> {
  const file = openSync(path, "r");
  try {
    let [rest, at] = [Buffer.alloc(0), 0];
    for (;;) {
      const read = Buffer.allocUnsafe(chunk);
      const count = readSync(file, read, 0, chunk, null);
      if (count === 0) break;
      const bytes = Buffer.concat([rest, read.subarray(0, count)]);
      let begin = 0;
      for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, begin)) {
        const length = end + 1 - begin;
        yield { text: bytes.toString("utf8", begin, end), at, length, isWhole: true };
        [begin, at] = [end + 1, at + length];
      }
      rest = Buffer.from(bytes.subarray(begin));
    }
    if (rest.length > 0) yield { text: rest.toString("utf8"), at, length: rest.length, isWhole: false };
  } finally {
    closeSync(file);
  }
}
