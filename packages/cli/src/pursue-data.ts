// What `lemmata pursue` reads: signals, and dictionaries as matrices, filters or linear networks.
import { cast, type Tensor } from "@lemmata/core/graph";
import { linearGraph } from "@lemmata/core/inverse";
import {
  type CodeOperator,
  convolutionalDictionary,
  type Dictionary,
  dictionaryOf,
  explicitDictionary,
  operatorOf,
} from "@lemmata/core/sparse";
import { readData } from "./files.ts";
import { loadGraph } from "./model.ts";
import { UsageError } from "./usage-error.ts";

export interface PursueDictionary {
  readonly operator: CodeOperator;
  /** All atoms, unless they are too many to be stored. */
  readonly atoms?: Dictionary;
}

export interface PursueSignals {
  /** A row a signal; a picture is one signal. */
  readonly rows: readonly Float64Array[];
  /** Of a picture. */
  readonly shape?: readonly number[];
}

/** Numbers of atoms that are stored at most. */
const mostStored = 2e7;

/** The one array of a file, as real numbers. */
function arrayIn(path: string, dims: readonly number[]): Tensor {
  const arrays = Object.values(readData(path));
  const [given] = arrays;
  if (!given || arrays.length > 1)
    throw new UsageError(`${path} holds ${arrays.length} arrays: one is wanted`);
  if (given.type === "string" || given.type === "bool" || given.type.startsWith("complex"))
    throw new UsageError(`${path} holds ${given.type}, not real numbers`);
  if (!dims.includes(given.dims.length))
    throw new UsageError(
      `${path} has shape [${given.dims.join(", ")}]: ${dims.join(" or ")} axes are wanted`,
    );
  if (given.dims.includes(0))
    throw new UsageError(`${path} has shape [${given.dims.join(", ")}]: it is empty`);
  const real = given.type === "float64" ? given : cast(given, "float64");
  const numbers = real.data as Float64Array;
  const bad = numbers.findIndex((v) => !Number.isFinite(v));
  if (bad >= 0) throw new UsageError(`${path}: number ${bad} is ${numbers[bad]}`);
  return real;
}

/** Dictionaries of layers, the first for these signals. Filters know how large pictures are from the signals. */
export async function dictionariesIn(
  files: readonly string[],
  { dims }: { readonly dims: readonly number[] },
): Promise<readonly PursueDictionary[]> {
  const read = async (file: string, k: number): Promise<PursueDictionary> => {
    if (/\.onnx$/i.test(file)) {
      const { map } = linearGraph(await loadGraph(file));
      const operator: CodeOperator = {
        ...{ size: map.outputs, count: map.inputs, synthesize: map.apply, analyze: map.transpose },
        squaredNorm: 0,
      };
      if (map.inputs * map.outputs > mostStored)
        throw new UsageError(`${file}: a matrix of ${map.outputs} x ${map.inputs} is too large`);
      const atoms = explicitDictionary(operator);
      return { operator: operatorOf(atoms), atoms };
    }
    const array = arrayIn(file, k === 0 ? [2, 3, 4] : [2]);
    if (array.dims.length === 2) {
      const atoms = dictionaryOf({
        rows: array.dims[0]!,
        columns: array.dims[1]!,
        entries: array.data as Float64Array,
      });
      return { operator: operatorOf(atoms), atoms };
    }
    const operator = filtersOf(file, array, dims);
    return operator.size * operator.count > mostStored
      ? { operator }
      : { operator, atoms: explicitDictionary(operator) };
  };
  const layers: PursueDictionary[] = [];
  for (const [k, file] of files.entries()) layers.push(await read(file, k));
  return layers;
}

/** [filters, channels, height, width], or [filters, channels, width] for signals of one axis, at all places of a torus. */
function filtersOf(file: string, { dims, data }: Tensor, signal: readonly number[]): CodeOperator {
  const [filters, channels, ...window] = dims as [number, number, ...number[]];
  const [height, width] = window.length === 1 ? [1, window[0]!] : (window as [number, number]);
  const shape = signal.length < dims.length - 1 && channels === 1 ? [1, ...signal] : signal;
  const [c, ...sides] = shape as [number, ...number[]];
  const [rows, columns] = sides.length === 1 ? [1, sides[0]!] : (sides as [number, number]);
  if (c !== channels || sides.length !== window.length)
    throw new UsageError(
      `${file} has filters of shape [${dims.slice(1).join(", ")}], the signal is [${signal.join(", ")}]`,
    );
  return convolutionalDictionary(
    { filters, channels, height, width, entries: data as Float64Array },
    rows,
    columns,
  );
}

/** The array of signals: with filters one picture, otherwise a vector, or a matrix of which each row is a signal. */
export function signalArray(path: string): Tensor {
  return arrayIn(path, [1, 2, 3]);
}

export function signalsOf(
  path: string,
  { dims, data }: Tensor,
  { size }: CodeOperator,
  isPicture: boolean,
): PursueSignals {
  const numbers = data as Float64Array;
  if (isPicture) return { rows: [numbers], shape: dims };
  if (dims.length > 2) throw new UsageError(`${path} has shape [${dims.join(", ")}]: 1 or 2 axes are wanted`);
  const [length, count] = [dims.at(-1)!, dims.length === 1 ? 1 : dims[0]!];
  if (length !== size)
    throw new UsageError(`${path} has signals of ${length} numbers, but the dictionary's atoms have ${size}`);
  return { rows: Array.from({ length: count }, (_, k) => numbers.slice(k * length, (k + 1) * length)) };
}
