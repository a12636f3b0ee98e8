// Exact pieces along a segment, and the regions of a plane, against what the runtime computed there.

import { numbers, type Tensor } from "../../src/graph/tensor.ts";
import { type Exact, toNumber } from "../../src/numbers/exact/rational.ts";
import { evaluate, limitsOf, type PiecewiseLinear, piecesAlong } from "../../src/passes/pieces.ts";
import { boxSlice, planeRegions } from "../../src/passes/regions/index.ts";
import { flatBox } from "./check-bounds.ts";
import { isReadable } from "./check-values.ts";
import { roomAround } from "./enclosure.ts";
import { Finding, orRefusal, orRefusalLater, type Verdict } from "./finding.ts";
import type { Trial } from "./trial.ts";

/** All values at a point: one, or where it jumps, those from both sides too. */
function valuesAt(f: PiecewiseLinear, t: Exact): readonly number[] {
  const { left, right } = limitsOf(f);
  const knot = f.knots.indexOf(t);
  const sides = knot < 0 ? [] : [left[knot]!, right[knot]!];
  return [evaluate(f, t), ...sides].map(toNumber);
}

function checkNear(
  trial: Trial,
  n: number,
  name: string,
  k: number,
  values: readonly number[],
  v: number,
): void {
  if (!Number.isFinite(v)) return;
  const here = trial.enclosures[n]?.get(name);
  const room = roomAround(v, trial.outputs[n]!.get(name)!.type);
  const [low, high] = here ? [here.lower[k]!, here.upper[k]!] : [v - room, v + room];
  if (values.some((value) => low <= value && value <= high)) return;
  throw new Finding(`${name}[${k}] is ${v}, by pieces ${values.join(" or ")}`);
}

/** From the first to the second point: the ends are points at which the runtime ran. */
export function checkPieces(trial: Trial): Verdict {
  const { model, points, outputs } = trial;
  if (points.length < 2) return "refused";
  const ends = [points[0]!, points[1]!].map((p) => Object.fromEntries(p)) as [
    Record<string, Tensor>,
    Record<string, Tensor>,
  ];
  const pieces = orRefusal(() => piecesAlong(model.graph, ...ends));
  if (!pieces) return "refused";
  [0, 1].forEach((t) => {
    for (const [name, y] of outputs[t]!) {
      if (!isReadable(y)) continue;
      const { dims, components } = pieces[name]!;
      if (dims.join() !== y.dims.join())
        throw new Finding(`${name} has shape [${y.dims}], by pieces [${dims}]`);
      numbers(y).forEach((v, k) => {
        checkNear(trial, t, name, k, valuesAt(components[k]!, t), v);
      });
    }
  });
  return "agrees";
}

/** Regions of the plane of the first two inputs that vary, the others at the first point. */
export async function checkRegions(trial: Trial): Promise<Verdict> {
  const { model, points, outputs, box } = trial;
  const count = [...box.values()].reduce((n, b) => n + b.lower.length, 0);
  if (count === 0 || count > 2) return "refused";
  const sides = orRefusal(() => flatBox(trial));
  if (!sides) return "refused";
  const { lower, upper } = sides;
  if (!lower.some((l, k) => l < upper[k]!)) return "refused";
  const found = await orRefusalLater(() =>
    planeRegions(model.graph, boxSlice(lower, upper), { maxRegions: 500 }),
  );
  if (!found) return "refused";
  const free = lower.map((_, k) => k).filter((k) => lower[k]! < upper[k]!);
  points.forEach((feeds, n) => {
    const x = [...feeds.values()].flatMap((t) => [...numbers(t)]);
    const [u, v] = [x[free[0]!]!, free.length > 1 ? x[free[1]!]! : 0.5];
    const tol = 1e-9 * (1 + Math.abs(u) + Math.abs(v));
    const here = found.regions.filter(({ corners }) => isInside(corners, u, v, tol));
    if (here.length === 0) throw new Finding(`no region holds the point ${u}, ${v}`);
    let at = 0;
    for (const { name } of model.graph.outputs) {
      const y = outputs[n]!.get(name)!;
      numbers(y).forEach((value, k) => {
        const all = here.map(({ map }) => map.a[at + k]! * u + map.b[at + k]! * v + map.c[at + k]!);
        const room = 1e-9 * (1 + Math.abs(value));
        checkNear(
          trial,
          n,
          name,
          k,
          [...all, ...all.map((a) => a - room), ...all.map((a) => a + room)],
          value,
        );
      });
      at += y.data.length;
    }
  });
  return "agrees";
}

/** In a convex polygon, whichever way it is turned, up to a tolerance. */
function isInside(
  corners: readonly (readonly [number, number])[],
  u: number,
  v: number,
  tol: number,
): boolean {
  const sides = corners.map(([a, b], k) => {
    const [c, d] = corners[(k + 1) % corners.length]!;
    const length = Math.hypot(c - a, d - b) || 1;
    return ((c - a) * (v - b) - (d - b) * (u - a)) / length;
  });
  return sides.every((s) => s >= -tol) || sides.every((s) => s <= tol);
}
