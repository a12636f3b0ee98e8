// The covariance behind a function that is applied to each unit.
import type { Dual } from "../../functions/dual.ts";
import { seriesDual } from "../../functions/series-dual.ts";
import type { Context } from "./context.ts";
import { pairsOfTile } from "./context.ts";
import { type Applied, type Field, pairsOf, positionsOf } from "./meaning.ts";
import type { UnitFunction } from "./unit-function.ts";

const series = new WeakMap<UnitFunction, Dual>();

function dualOf(f: UnitFunction): Dual {
  const found = f.dual ?? series.get(f) ?? seriesDual(f);
  if (!f.dual) series.set(f, found);
  return found;
}

const resolved = new WeakMap<Applied, Field>();

/**
 * The field of c f(u): the covariance is c^2 E f(u) f(v), the tangent kernel is c^2 E f'(u) f'(v) times that of u.
 */
export function resolve(value: Field | Applied, context: Context): Field {
  if (value.kind === "field") return value;
  const found = resolved.get(value) ?? through(value, context);
  resolved.set(value, found);
  return found;
}

function through({ key, field, f, factor }: Applied, context: Context): Field {
  const { tile } = context;
  const [pairs, positions] = [pairsOfTile(tile), positionsOf(field)];
  const nngp = context.array(field.nngp.length);
  const ntk = context.array(field.nngp.length);
  const [left, right] = context.variances(field);
  const dual = dualOf(f);
  const aStep = tile.itself ? 1 : 0;
  let error = 0;
  for (let m = 0; m < pairsOf(field); m++) {
    const [p, q] = field.all ? [Math.floor(m / positions), m % positions] : [m, m];
    for (let i = 0; i < tile.rows; i++) {
      const found = dual({
        k: field.nngp,
        from: m * pairs + i * tile.columns,
        count: tile.columns,
        a: left.values,
        aFrom: p * left.stride + left.start + i,
        aStep,
        b: right.values,
        bFrom: q * right.stride + right.start,
        value: nngp,
        slope: ntk,
      });
      error = Math.max(error, found);
    }
  }
  context.note(error);
  finish(nngp, ntk, field.ntk, factor * factor);
  const tangent = field.ntk && ntk;
  return { ...field, key, nngp, ntk: tangent, gaussian: false, terms: undefined, multiple: undefined };
}

/** ntk holds E f' f', and becomes the tangent kernel. */
function finish(
  nngp: Float64Array,
  ntk: Float64Array,
  before: Float64Array | undefined,
  square: number,
): void {
  if (before) for (let n = 0; n < ntk.length; n++) ntk[n]! *= square * before[n]!;
  if (square !== 1) for (let n = 0; n < nngp.length; n++) nngp[n]! *= square;
}
