// How stable a representation is, whatever it is (book 1, (8.4) and (8.5)): the greatest |F x - F x'| / |x - x'| that is seen,
// and the greatest |F x - F x_tau| / (|x| |tau'|). Both are seen from below; a representation may be worse, not better.
import { run } from "../engine/run.ts";
import { type Graph, isTensorType } from "../graph/graph.ts";
import { numbers, view } from "../graph/tensor.ts";
import type { Random } from "../numbers/random.ts";
import { ScatteringError } from "./error.ts";

/** Any map from signals to features. */
export type Representation = (x: Float64Array) => Promise<ArrayLike<number>> | ArrayLike<number>;

export interface StabilityOptions {
  /** [samples] or [rows, columns] of a signal. */
  readonly shape: readonly number[];
  readonly random: Random;
  /** Changes of each kind that are drawn for each signal; default: 8. */
  readonly draws?: number;
  /** Steps that climb from the worst draw; default: 8. */
  readonly climbs?: number;
  /** |tau'| of the deformations; default: 0.1. */
  readonly slope?: number;
  /** |x - x'| / |x| of the noise; default: 0.01. */
  readonly noise?: number;
  readonly signal?: AbortSignal;
}

export interface StabilityConstants {
  /** The greatest |F x - F x'| / |x - x'|. */
  readonly additive: number;
  /** The greatest |F x - F x_tau| / (|x| |tau'|), |tau'| the greatest slope of the displacement. */
  readonly geometric: number;
  /** How many times F was computed. */
  readonly evaluations: number;
}

/** A displacement of each axis at each sample. */
export interface Deformation {
  readonly tau: readonly Float64Array[];
  /** sup |grad tau|, by differences of neighbours: the norm of the matrix of its slopes, from above (Frobenius). */
  readonly slope: number;
}

/** Waves of a displacement along each axis. */
const waves = 3;

/**
 * A smooth periodic displacement with this greatest slope: a few waves of low frequency along each axis.
 * @example drawnDeformation([64], 0.1, createRandom(1)).slope.toFixed(6) // "0.100000"
 */
export function drawnDeformation(shape: readonly number[], slope: number, random: Random): Deformation {
  const size = shape.reduce((a, b) => a * b, 1);
  const columns = shape[1] ?? 1;
  const tau = shape.map(() => {
    const field = new Float64Array(size);
    for (let wave = 0; wave < waves; wave++) {
      const turns = shape.map(
        (n) => random.integer(0, Math.min(waves, n >> 2)) * (random.integer(0, 1) === 0 ? 1 : -1),
      );
      const [height, phase] = [random.normal(), 2 * Math.PI * random.uniform()];
      for (let u = 0; u < size; u++) {
        const at =
          (turns[0]! * Math.floor(u / columns)) / shape[0]! + ((turns[1] ?? 0) * (u % columns)) / columns;
        field[u]! += height * Math.sin(2 * Math.PI * at + phase);
      }
    }
    return field;
  });
  const found = slopeOf(shape, tau);
  if (found === 0) return drawnDeformation(shape, slope, random);
  return { slope, tau: tau.map((field) => field.map((v) => (v * slope) / found)) };
}

function slopeOf(shape: readonly number[], tau: readonly Float64Array[]): number {
  const [rows, columns] = [shape[0]!, shape[1] ?? 1];
  let most = 0;
  for (let u = 0; u < tau[0]!.length; u++) {
    const [row, column] = [Math.floor(u / columns), u % columns];
    const right = row * columns + ((column + 1) % columns);
    const below = ((row + 1) % rows) * columns + column;
    let square = 0;
    for (const field of tau)
      for (const next of columns > 1 ? [right, below] : [below]) square += (field[next]! - field[u]!) ** 2;
    most = Math.max(most, square);
  }
  return Math.sqrt(most);
}

/**
 * x(u - tau(u)) between samples by straight lines, periodically.
 * @example [...deformed([0, 2, 4, 6], [4], { tau: [new Float64Array(4).fill(0.5)], slope: 0 })] // [3, 1, 3, 5]
 */
export function deformed(x: ArrayLike<number>, shape: readonly number[], { tau }: Deformation): Float64Array {
  const [rows, columns] = [shape[0]!, shape[1] ?? 1];
  const modulo = (a: number, n: number): number => ((a % n) + n) % n;
  const at = (row: number, column: number): number =>
    x[modulo(row, rows) * columns + modulo(column, columns)]!;
  return Float64Array.from({ length: rows * columns }, (_, u) => {
    const row = Math.floor(u / columns) - tau[0]![u]!;
    const column = (u % columns) - (tau[1]?.[u] ?? 0);
    const [r, c] = [Math.floor(row), Math.floor(column)];
    const [p, q] = [row - r, column - c];
    const line = (k: number): number => (q === 0 ? at(k, c) : (1 - q) * at(k, c) + q * at(k, c + 1));
    return p === 0 ? line(r) : (1 - p) * line(r) + p * line(r + 1);
  });
}

const length = (x: ArrayLike<number>, y?: ArrayLike<number>): number => {
  let square = 0;
  for (let k = 0; k < x.length; k++) square += (x[k]! - (y?.[k] ?? 0)) ** 2;
  return Math.sqrt(square);
};

/**
 * Constants of a representation over some signals: changes are drawn, and the worst one of each kind is changed further as
 * long as that makes it worse.
 * @example (await stabilityConstants((x) => x.map((v) => 2 * v), [Float64Array.of(1, 2, 3, 4)], { shape: [4], random: createRandom(1) })).additive.toFixed(6) // "2.000000"
 */
export async function stabilityConstants(
  representation: Representation,
  signals: readonly Float64Array[],
  { shape, random, draws = 8, climbs = 8, slope = 0.1, noise = 0.01, signal }: StabilityOptions,
): Promise<StabilityConstants> {
  const size = shape.reduce((a, b) => a * b, 1);
  let evaluations = 0;
  const features = async (x: Float64Array): Promise<ArrayLike<number>> => {
    signal?.throwIfAborted();
    evaluations++;
    return representation(x);
  };
  let [additive, geometric] = [0, 0];
  for (const x of signals) {
    if (x.length !== size)
      throw new ScatteringError(`a signal of ${x.length} samples for the shape ${shape.join(" x ")}`);
    const whole = length(x);
    if (whole === 0) throw new ScatteringError("a signal of zeros is not deformed: it has no stability");
    const start = await features(x);
    const byNoise = async (h: Float64Array): Promise<number> => {
      const moved = x.map((v, k) => v + h[k]!);
      return length(await features(moved), start) / length(moved, x);
    };
    const byWarp = async (deformation: Deformation): Promise<number> =>
      length(await features(deformed(x, shape, deformation)), start) / (whole * slope);
    const noisy = (): Float64Array => scaledTo(random.normal(size), noise * whole);
    const added = await worst(byNoise, noisy, (h) =>
      scaledTo(
        h.map((v) => v + (0.5 * noise * whole * random.normal()) / Math.sqrt(size)),
        noise * whole,
      ),
    );
    const moved = await worst(
      byWarp,
      () => drawnDeformation(shape, slope, random),
      (deformation) => mixed(shape, deformation, drawnDeformation(shape, slope, random)),
    );
    [additive, geometric] = [Math.max(additive, added), Math.max(geometric, moved)];
  }
  return { additive, geometric, evaluations };

  async function worst<Change>(
    ratio: (change: Change) => Promise<number>,
    drawn: () => Change,
    near: (change: Change) => Change,
  ): Promise<number> {
    let [most, at] = [-1, drawn()];
    const look = async (change: Change): Promise<void> => {
      const found = await ratio(change);
      if (found > most) [most, at] = [found, change];
    };
    for (let k = 0; k < draws; k++) await look(k === 0 ? at : drawn());
    for (let k = 0; k < climbs; k++) await look(near(at));
    return most;
  }
}

const scaledTo = (h: Float64Array, size: number): Float64Array => {
  const factor = size / length(h);
  return h.map((v) => v * factor);
};

/** A displacement near one, with the same slope. */
function mixed(shape: readonly number[], one: Deformation, other: Deformation): Deformation {
  const tau = one.tau.map((field, axis) => field.map((v, u) => v + 0.5 * other.tau[axis]![u]!));
  const found = slopeOf(shape, tau);
  if (found === 0) return one;
  return { slope: one.slope, tau: tau.map((field) => field.map((v) => (v * one.slope) / found)) };
}

/**
 * A graph with one input [N, ...] of as many numbers as a signal has, as a representation: all of its first output.
 * @example representationOf(graph({ x: float64("N", 2) }, ({ x }) => ({ y: x.relu() })), [2])(Float64Array.of(-1, 2)) // Float64Array [0, 2]
 */
export function representationOf(graph: Graph, shape: readonly number[]): Representation {
  const [input, ...more] = graph.inputs;
  const size = shape.reduce((a, b) => a * b, 1);
  const [output] = graph.outputs;
  const given = input && isTensorType(input.type) ? input.type : undefined;
  const type = given?.type;
  if (!input || !output || more.length > 0 || (type !== "float32" && type !== "float64"))
    throw new ScatteringError("a representation is a graph with one input of real numbers");
  const dims = given?.shape;
  const own = dims?.slice(1).map((d) => (typeof d === "number" ? d : undefined));
  const isKnown = own?.every((d) => d !== undefined);
  const one = isKnown ? [1, ...(own as number[])] : [1, ...shape];
  const wanted = one.reduce((a, b) => a * b, 1);
  if (wanted !== size)
    throw new ScatteringError(
      `the graph reads ${one.slice(1).join(" x ")} numbers, a signal has ${shape.join(" x ")}`,
    );
  return async (x) => {
    const values = type === "float32" ? Float32Array.from(x) : x;
    const found = await run(graph, { [input.name]: view(type, one, values) });
    return Float64Array.from(numbers(found[output.name]!), Number);
  };
}
