// What a signal looks like: [length], [rows, columns] or [channels, rows, columns].
import { InverseError } from "./error.ts";

export interface Picture {
  readonly channels: number;
  readonly rows: number;
  readonly columns: number;
  /** All numbers. */
  readonly size: number;
}

/**
 * A shape as a picture; a signal of one axis is a picture of one row.
 * @example pictureOf([3, 4, 5]).size // 60
 */
export function pictureOf(shape: readonly number[]): Picture {
  if (shape.length < 1 || shape.length > 3 || !shape.every((d) => Number.isInteger(d) && d > 0))
    throw new InverseError(
      `a signal has 1 to 3 axes (length; rows, columns; channels, rows, columns), not [${shape.join(", ")}]`,
    );
  const [columns, rows = 1, channels = 1] = shape.toReversed();
  return { channels, rows, columns: columns!, size: channels * rows * columns! };
}
