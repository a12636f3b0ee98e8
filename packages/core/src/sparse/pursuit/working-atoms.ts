// The atoms that a pursuit works with, and their inner products: a step of coordinate descent then costs as many operations as
// there are such atoms, not as many as a signal has numbers. A path of lambdas asks for the same atoms again and again.
import { correlation, type Dictionary } from "./dictionary.ts";

/** Room for so many atoms at first. */
const firstRoom = 64;

export class WorkingAtoms {
  readonly dictionary: Dictionary;
  /** Which atom stands at a place. */
  readonly atoms: number[] = [];
  /** Inner products of the atoms at places i and j: at i stride + j. */
  gram = new Float64Array(firstRoom * firstRoom);
  stride = firstRoom;
  readonly #place: Int32Array;

  constructor(dictionary: Dictionary) {
    this.dictionary = dictionary;
    this.#place = new Int32Array(dictionary.count).fill(-1);
  }

  get count(): number {
    return this.atoms.length;
  }

  /** The place of an atom, which gets one if it has none. */
  placeOf(j: number): number {
    const known = this.#place[j]!;
    return known >= 0 ? known : this.#add(j);
  }

  #add(j: number): number {
    const { size, atoms } = this.dictionary;
    const own = atoms.subarray(j * size, (j + 1) * size);
    const place = this.atoms.length;
    this.atoms.push(j);
    this.#place[j] = place;
    if (place === this.stride) this.#widen();
    const { gram, stride } = this;
    for (let i = 0; i <= place; i++) {
      const product = correlation(atoms, this.atoms[i]! * size, own);
      gram[place * stride + i] = product;
      gram[i * stride + place] = product;
    }
    return place;
  }

  #widen(): void {
    const wide = new Float64Array(4 * this.stride ** 2);
    for (let i = 0; i < this.stride; i++)
      wide.set(this.gram.subarray(i * this.stride, (i + 1) * this.stride), 2 * i * this.stride);
    this.gram = wide;
    this.stride *= 2;
  }
}

/** A code on working atoms, by their places. */
export interface WorkingCode {
  readonly x: Float64Array;
  /** <d, y - D x> of each atom. */
  readonly left: Float64Array;
  /** |y - D x|^2. */
  rest: number;
}

/** Gives the entry at a place another value; correlations and residual follow. */
export function moveEntry(
  { gram, stride, count }: WorkingAtoms,
  code: WorkingCode,
  i: number,
  value: number,
): void {
  const { x, left } = code;
  const at = i * stride;
  const change = value - x[i]!;
  code.rest += change * (change * gram[at + i]! - 2 * left[i]!);
  x[i] = value;
  for (let j = 0; j < count; j++) left[j]! -= change * gram[at + j]!;
}

/** One sweep of coordinate descent over some places; by how much it lowered the objective at least. */
export function sweep(
  work: WorkingAtoms,
  code: WorkingCode,
  places: readonly number[],
  proximal: (v: number, square: number) => number,
): number {
  const { gram, stride } = work;
  let gained = 0;
  for (const i of places) {
    const square = gram[i * stride + i]!;
    if (square === 0) continue;
    const before = code.x[i]!;
    const next = proximal(before + code.left[i]! / square, square);
    if (next === before) continue;
    gained += (square * (next - before) ** 2) / 2;
    moveEntry(work, code, i, next);
  }
  return gained;
}
