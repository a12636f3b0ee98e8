// Binary digits of a number by iterated triangles (Telgarsky, section 4.1): thresholds of the iterates are the Gray
// code, 1[D^i(x) >= 1/2] = b_i xor b_{i+1}, from which the digits follow one after the other.

import { ConstructError } from "../functions/error.ts";
import type { Graph } from "../graph/graph.ts";
import { requireCount } from "./calculus/conditions.ts";
import type { Layer } from "./layers/layered.ts";
import { layer, network } from "./layers/layers.ts";

export interface BitsOptions {
  /** "binary": b_1, ..., b_n. "gray": b_1, b_1 xor b_2, ..., b_{n-1} xor b_n. */
  readonly code?: "binary" | "gray";
  /** Digits are right where x is at least this far from every inner k / 2^n; by default 2^-(n+1), the middle. */
  readonly guard?: number;
}

/**
 * The first `digits` binary digits of x in [0, 1]. A threshold is a ramp, (relu(z) - relu(z - e)) / e with
 * e = 2^i guard, so that in x every ramp is as wide as the guard. Layers grow by the digits that they carry along.
 * @example numbers((await run(bits(3), { x: tensor([[0.6875]]) })).y) // Float64Array [1, 0, 1]
 */
export function bits(
  digits: number,
  { code = "binary", guard = 2 ** -(digits + 1) }: BitsOptions = {},
): Graph {
  requireCount("bits", "number of digits", digits, 1);
  if (!(guard > 0 && guard <= 2 ** -(digits + 1)))
    throw new ConstructError(
      `bits: a guard of ${guard}; between neighbours k / 2^${digits} it is positive and at most 2^-${digits + 1}`,
    );
  const rows = code === "gray" ? grayRows : binaryRows;
  const layers: Layer[] = [];
  let known: Known = { width: 1, iterate: [1], gray: undefined, digits: [] };
  for (let l = 0; l < digits + (code === "binary" && digits > 1 ? 1 : 0); l++) {
    const threshold = l < digits ? thresholdUnits(known, l === digits - 1, 2 ** l * guard) : nothing;
    const carried = rows(known);
    layers.push(
      layer([...threshold.rows, ...carried.rows], [...threshold.bias, ...carried.rows.map(() => 0)]),
    );
    known = {
      width: threshold.rows.length + carried.rows.length,
      iterate: threshold.next,
      gray: threshold.gray,
      digits: carried.digits.map((row) => [...threshold.rows.map(() => 0), ...row]),
    };
  }
  const all = code === "gray" || digits === 1 ? [...known.digits, known.gray!] : known.digits;
  return network([...layers, layer(all.map((row) => padded(row, known.width)))], { name: `${code}_digits` });
}

/** Rows that read the units of the layer before; they may be shorter than the layer is wide. */
type Row = readonly number[];
interface Known {
  readonly width: number;
  /** D^l. */
  readonly iterate: Row;
  /** The newest digit of the Gray code. */
  readonly gray: Row | undefined;
  /** Digits so far. */
  readonly digits: readonly Row[];
}

const padded = (row: Row, width: number): number[] => [...row, ...Array<number>(width - row.length).fill(0)];
const difference = (a: Row, b: Row, width: number): number[] => {
  const [p, q] = [padded(a, width), padded(b, width)];
  return p.map((w, j) => w - q[j]!);
};

const nothing = { rows: [] as number[][], bias: [] as number[], next: [] as Row, gray: undefined };

/** relu(D), relu(D - 1/2), relu(D - 1/2 - e): the next iterate 2 u - 4 v and the threshold (v - w) / e. */
function thresholdUnits({ iterate, width }: Known, isLast: boolean, e: number) {
  const row = padded(iterate, width);
  return isLast
    ? { rows: [row, row], bias: [-1 / 2, -1 / 2 - e], next: [], gray: [1 / e, -1 / e] }
    : {
        rows: [row, row, row],
        bias: [0, -1 / 2, -1 / 2 - e],
        next: [2, -4],
        gray: [0, 1 / e, -1 / e],
      };
}

interface Carried {
  readonly rows: readonly number[][];
  /** The digits in these units. */
  readonly digits: readonly Row[];
}

/** One unit for each digit: they are not negative. */
function carry(digits: readonly Row[], width: number): Carried {
  return {
    rows: digits.map((row) => padded(row, width)),
    digits: digits.map((_, j) => digits.map((_, k) => (j === k ? 1 : 0))),
  };
}

const grayRows = ({ digits, gray, width }: Known): Carried => carry(gray ? [...digits, gray] : digits, width);

/** The next digit |b - g| = relu(b - g) + relu(g - b), b the last digit and g the newest of the Gray code. */
function binaryRows({ digits, gray, width }: Known): Carried {
  const last = digits.at(-1);
  if (!last) return carry(gray ? [gray] : [], width);
  const { rows, digits: carried } = carry(digits, width);
  const n = digits.length;
  return {
    rows: [...rows, difference(last, gray!, width), difference(gray!, last, width)],
    digits: [...carried, [...Array<number>(n).fill(0), 1, 1]],
  };
}
