// The signals of a file, for `lemmata scatter`.
import { cast, elementCount, type Tensor } from "@lemmata/core/graph";
import { readData } from "./files.ts";
import { UsageError } from "./usage-error.ts";

export interface Signals {
  /** [signals, samples] or [signals, rows, columns], in one of the two precisions. */
  readonly x: Tensor;
  /** The axes in front of a signal, as the file has them. */
  readonly leading: readonly number[];
  readonly shape: readonly number[];
  readonly type: "float32" | "float64";
}

/** The energy of a signal of such numbers is a number. */
const largest = 1e140;

/** The last axes are the signal, all others count signals. A file of doubles stays in double precision. */
export function signalsOf(path: string, dimension: number): Signals {
  const arrays = Object.entries(readData(path));
  const [first] = arrays;
  if (!first || arrays.length > 1)
    throw new UsageError(`${path} holds ${arrays.length} arrays: one with the signals is wanted`);
  const [, given] = first;
  if (given.type === "string" || given.type === "bool" || given.type.startsWith("complex"))
    throw new UsageError(`${path} holds ${given.type}, not real numbers`);
  if (given.dims.length < dimension)
    throw new UsageError(
      `${path} has shape [${given.dims.join(", ")}]: with --dimension ${dimension} a signal has ${dimension} ${dimension === 1 ? "axis" : "axes"}`,
    );
  const at = given.dims.length - dimension;
  const [leading, shape] = [given.dims.slice(0, at), given.dims.slice(at)];
  if (elementCount(given.dims) === 0) throw new UsageError(`${path} has no samples`);
  const type = given.type === "float64" ? "float64" : "float32";
  const x = given.type === type ? given : cast(given, type);
  if (!(x.data as Float64Array).every(Number.isFinite))
    throw new UsageError(`${path} holds a number that is infinite or not a number`);
  if ((x.data as Float64Array).some((v) => Math.abs(v) > largest))
    throw new UsageError(`${path} holds a number beyond ${largest}: squares of such numbers overflow`);
  return { x: { ...x, dims: [elementCount(leading), ...shape] }, leading, shape, type };
}
