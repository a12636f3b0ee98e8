// Rows of exact weights as layers of doubles.

import { ConstructError } from "../../functions/error.ts";
import { abs, add, type Exact, mul, sign, sub, toNumber } from "../../numbers/exact/rational.ts";
import type { Layer } from "../layers/layered.ts";
import { sparseLayer } from "../layers/layers.ts";
import type { Circuit } from "./circuit.ts";
import { type Form, form } from "./form.ts";

export function exactLayer(rows: readonly Form[], columns: number): Layer {
  const entries = rows.flatMap((row, r) =>
    [...row.terms].map(([c, weight]) => [r, c, double(weight)] as const),
  );
  return sparseLayer(
    rows.length,
    columns,
    entries,
    rows.map((row) => double(row.constant)),
  );
}

function double(weight: Exact): number {
  if (typeof weight === "number") return weight;
  throw new ConstructError(`a weight of the circuit's network, about ${toNumber(weight)}, is not a double`);
}

/** A constant short enough that sums with others are doubles, too. */
export function roundTo50Bits(x: number): number {
  const grid = 2 ** (Math.max(0, Math.ceil(Math.log2(Math.abs(x) || 1))) - 50);
  return Math.round(x / grid) * grid;
}

/** A form of the input's coordinates with weights that are doubles, and what this changes on the box at most. */
export function roundedWeights(
  exact: Form,
  box: Circuit["box"],
): { readonly rounded: Form; readonly change: Exact } {
  let change: Exact = 0;
  const terms = [...exact.terms].map(([k, weight]): [number, number] => {
    const off = abs(sub(weight, toNumber(weight)));
    if (sign(off) === 0) return [k, toNumber(weight)];
    const side = box?.[k];
    if (!side) throw new ConstructError(`a circuit that rounds the weight of input ${k} needs its box`);
    change = add(change, mul(off, Math.max(...side.map(Math.abs))));
    return [k, toNumber(weight)];
  });
  return { rounded: form(terms, exact.constant), change };
}
