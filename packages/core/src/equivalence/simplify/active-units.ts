// Always-active ReLUs are linear: as few linear units as their span needs do the same, or none where the layer has no
// others: then two affine maps become one.

import { type SparseMatrix, sparseMatrix } from "../../graph/sparse.ts";
import { affineImage, product } from "../../networks/layers/matrix.ts";
import { addUp } from "../../numbers/rounding.ts";
import { rowBasis } from "./dependent-rows.ts";
import { columnsOfMatrix, rowsOfMatrix, selection } from "./sparse-parts.ts";
import type { ChainStep } from "./step.ts";
import {
  type ChainLayer,
  chainNonzeros,
  type LinearUnits,
  replaceUnits,
  rewriteUnits,
  type UnitChain,
  withLayers,
} from "./unit-chain.ts";
import { imageRange, readRange } from "./unit-ranges.ts";

/** The layer's active units, and what they pass on: V_A (W_A x + b_A) = M x + m, where the next bias is in m. */
interface ActivePart {
  readonly active: readonly number[];
  readonly others: readonly number[];
  readonly W: SparseMatrix;
  readonly V: SparseMatrix;
  readonly M: SparseMatrix;
  readonly m: Float64Array;
  readonly exact: boolean;
}

function activePart(chain: UnitChain, l: number): ActivePart | undefined {
  const [layer, next] = [chain.layers[l]!, chain.layers[l + 1]!];
  const all = [...layer.places.keys()];
  const active = all.filter((k) => layer.lower[k]! >= 0);
  if (chain.activation !== "relu" || active.length === 0) return undefined;
  const others = all.filter((k) => !(layer.lower[k]! >= 0));
  const W = rowsOfMatrix(layer.weights, active);
  const V = columnsOfMatrix(next.weights, active);
  const M = product(V, W);
  const m = affineImage(
    V,
    active.map((k) => layer.bias[k]!),
    next.bias,
  );
  return { active, others, W, V, M: M.value, m: m.value, exact: M.exact && m.exact };
}

/** All units are active: one affine map instead of two. */
const merged = (chain: UnitChain, l: number, { M, m, exact }: ActivePart): UnitChain => {
  const next: ChainLayer = { ...chain.layers[l + 1]!, weights: M, bias: m };
  return withLayers(chain, l, 2, [next], exact);
};

/** One unit u_j = x_j - (its least value) for each number that the active units read: M x + m = M u + M least + m. */
function throughInputs(chain: UnitChain, l: number, { M, m, W, exact }: ActivePart): LinearUnits {
  const { lower, upper } = readRange(chain, l);
  const read = [...new Set(W.columnOf)].sort((a, b) => a - b);
  // In f32 the least value is rounded: down, so that the unit stays active.
  const floor = (v: number): number => (v === Math.fround(v) ? v : Math.fround(v - Math.abs(v) * 2 ** -22));
  const least = Float64Array.from(read, (c) =>
    chain.precision === "float32" ? floor(lower[c]!) : lower[c]!,
  );
  const outgoing = columnsOfMatrix(M, read);
  const bias = affineImage(outgoing, least, m);
  return {
    rows: { weights: selection(read, W.columns), bias: least.map((v) => 0 - v) },
    lower: new Float64Array(read.length),
    upper: Float64Array.from(read, (c, k) => addUp(upper[c]!, -least[k]!)),
    outgoing,
    bias: bias.value,
    exact: exact && bias.exact,
  };
}

/** One unit u_i = M_i x + s_i for each row of the next layer that reads them, where s_i keeps it from going below 0. */
function throughOutputs(chain: UnitChain, l: number, { M, m, exact }: ActivePart): LinearUnits {
  const rows = [...m.keys()].filter((r) => M.starts[r]! < M.starts[r + 1]!);
  const weights = rowsOfMatrix(M, rows);
  const range = imageRange(weights, new Float64Array(rows.length), readRange(chain, l));
  const shift = range.lower.map((v) => (v < 0 ? -v : 0));
  const single = chain.precision === "float32";
  // In f32 the shift is rounded: up, so that the unit stays active.
  const s = shift.map((v) => (single ? Math.fround(v * (1 + 2 ** -22)) : v));
  const bias = m.slice();
  let isPlain = true;
  rows.forEach((r, k) => {
    bias[r] = m[r]! - s[k]!;
    isPlain &&= s[k] === 0;
  });
  return {
    rows: { weights, bias: s },
    lower: new Float64Array(rows.length),
    upper: range.upper.map((v, k) => addUp(v, s[k]!)),
    outgoing: sparseMatrix(
      m.length,
      rows.length,
      rows.map((r, k) => [r, k, 1] as const),
    ),
    bias,
    exact: exact && isPlain,
  };
}

/** Fewer of the active units themselves, where their weights depend on each other. */
function dependent(chain: UnitChain, l: number, { active, others, W }: ActivePart): UnitChain | undefined {
  const found = rowBasis(W, chain.precision === "float32" ? 2 ** -20 : 2 ** -44);
  if (!found) return undefined;
  const { bias } = chain.layers[l]!;
  const stay = found.basis.map((k) => active[k]!);
  const kept = [...others, ...stay].sort((a, b) => a - b);
  const place = stay.map((unit) => kept.indexOf(unit));
  const constants = new Float64Array(bias.length);
  const inBasis = new Set(found.basis);
  active.forEach((unit, k) => {
    if (!inBasis.has(k)) constants[unit] = bias[unit]!;
  });
  const entries = found.entries.map(([row, p, factor]) => {
    const unit = active[row]!;
    constants[unit]! -= factor * bias[stay[p]!]!;
    return [unit, place[p]!, factor] as const;
  });
  return { ...rewriteUnits(chain, l, { kept, entries, constants }), exact: false };
}

/** Folds the always-active units of a layer, in the way that leaves the fewest weights; only if there are fewer after it. */
export const foldActive: ChainStep = (chain, l, { exactOnly }) => {
  const part = activePart(chain, l);
  if (!part) return undefined;
  const { active, others, V, W } = part;
  const layer = chain.layers[l]!;
  const before = chainNonzeros(chain.layers);
  const options = [
    others.length === 0 && ([merged(chain, l, part), active] as const),
    W.columns < active.length &&
      ([replaceUnits(chain, l, others, throughInputs(chain, l, part)), active] as const),
    V.rows < active.length &&
      ([replaceUnits(chain, l, others, throughOutputs(chain, l, part)), active] as const),
  ].filter((option) => option !== false);
  const fewer = dependent(chain, l, part);
  if (fewer) {
    const stay = new Set(fewer.layers[l]!.places);
    options.push([fewer, active.filter((k) => !stay.has(layer.places[k]!))]);
  }
  const allowed = options.filter(([after]) => !exactOnly || after.exact === chain.exact);
  const [best] = allowed
    .map((option) => ({ option, left: chainNonzeros(option[0].layers) }))
    .sort((p, q) => p.left - q.left);
  if (!best || best.left >= before) return undefined;
  const [after, gone] = best.option;
  return {
    chain: after,
    removed: gone.map((k) => ({
      layer: `layer ${layer.number}`,
      unit: layer.places[k]!,
      reason: "active" as const,
      bounds: [layer.lower[k]!, layer.upper[k]!] as const,
    })),
  };
};
