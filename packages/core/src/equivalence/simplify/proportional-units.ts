// Units that are multiples of others: f(c z) = c f(z) + o lets one stand for both.
import type { SparseMatrix } from "../../graph/sparse.ts";
import type { ChainStep } from "./step.ts";
import { rewriteUnits, type UnitChain } from "./unit-chain.ts";

/** f(c z) = c f(z) + offset: for which c? */
interface Homogeneity {
  readonly scales: boolean;
  /** The offset for c = -1; undefined if that does not commute. */
  readonly flip: number | undefined;
}

const odd = new Set(["tanh", "arctan", "softsign", "sin"]);

function homogeneity(name: string): Homogeneity {
  if (name === "relu" || name.startsWith("leakyRelu")) return { scales: true, flip: undefined };
  if (odd.has(name) || name.startsWith("isru(")) return { scales: false, flip: 0 };
  if (name === "logistic") return { scales: false, flip: 1 };
  return { scales: false, flip: undefined };
}

/** A row (w, b) as its columns and numbers, bias last. */
function rowWithBias({ starts, columnOf, values, columns }: SparseMatrix, bias: Float64Array, r: number) {
  const at = [...columnOf.subarray(starts[r]!, starts[r + 1]!)];
  const entries = [...values.subarray(starts[r]!, starts[r + 1]!)];
  return bias[r] === 0 ? { at, entries } : { at: [...at, columns], entries: [...entries, bias[r]!] };
}

type Row = ReturnType<typeof rowWithBias>;

/** Rows that can be multiples of each other have the same columns and signs. */
function patternOf({ at, entries }: Row, flips: boolean): string {
  const sign = flips && entries[0]! < 0 ? -1 : 1;
  return at.map((c, k) => (sign * entries[k]! < 0 ? -c - 1 : c)).join(" ");
}

/** c with row = c * other, exactly: a power of two, or -1; undefined if there is none. */
function ratio(other: Row, row: Row, { scales, flip }: Homogeneity): number | undefined {
  const c = row.entries[0]! / other.entries[0]!;
  const isAllowed =
    c > 0 ? c === 1 || (scales && Number.isInteger(Math.log2(c))) : c === -1 && flip !== undefined;
  return isAllowed && row.entries.every((v, k) => v === c * other.entries[k]!) ? c : undefined;
}

interface Found {
  readonly unit: number;
  readonly into: number;
  readonly factor: number;
}

function proportionalUnits(chain: UnitChain, l: number): readonly Found[] {
  const { weights, bias } = chain.layers[l]!;
  const kind = homogeneity(chain.activation);
  const seen = new Map<string, { readonly unit: number; readonly row: Row }[]>();
  const found: Found[] = [];
  for (let unit = 0; unit < weights.rows; unit++) {
    const row = rowWithBias(weights, bias, unit);
    if (row.at.length === 0) continue;
    const key = patternOf(row, kind.flip !== undefined);
    const others = seen.get(key) ?? [];
    seen.set(key, others);
    const twin = others
      .map((other) => ({ unit, into: other.unit, factor: ratio(other.row, row, kind) }))
      .find((pair): pair is Found => pair.factor !== undefined);
    if (twin) found.push(twin);
    else others.push({ unit, row });
  }
  return found;
}

/** Removes multiples: what they gave, the units that they are multiples of give too. */
export const mergeProportional: ChainStep = (chain, l, { exactOnly }) => {
  const { flip } = homogeneity(chain.activation);
  const { places, number } = chain.layers[l]!;
  const without = (some: readonly Found[]) => {
    const gone = new Set(some.map(({ unit }) => unit));
    const kept = [...places.keys()].filter((k) => !gone.has(k));
    const place = new Map(kept.map((unit, k) => [unit, k]));
    const constants = new Float64Array(places.length);
    for (const { unit, factor } of some) if (factor < 0) constants[unit] = flip ?? 0;
    return rewriteUnits(chain, l, {
      kept,
      entries: some.map(({ unit, into, factor }) => [unit, place.get(into)!, factor] as const),
      constants,
    });
  };
  const found = proportionalUnits(chain, l);
  const some: Found[] = [];
  for (const pair of found) if (!exactOnly || without([...some, pair]).exact === chain.exact) some.push(pair);
  if (some.length === 0) return undefined;
  return {
    chain: without(some),
    removed: some.map(({ unit, into }) => ({
      layer: `layer ${number}`,
      unit: places[unit]!,
      reason: "merged" as const,
      into: places[into]!,
    })),
  };
};
