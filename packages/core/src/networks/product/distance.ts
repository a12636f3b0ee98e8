// How far a ReLU network is from the product x y on a square: exact extremes, and with them a proof.

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import {
  abs,
  add,
  compare,
  div,
  type Exact,
  max,
  min,
  mul,
  sign,
  sub,
} from "../../numbers/exact/rational.ts";
import type { Layer } from "../layers/layered.ts";
import { layersOf } from "../layers/layers.ts";
import type { Triangulation } from "./triangulation.ts";

export interface ProductDistance {
  /** Extremes of f(x, y) - x y. */
  readonly least: Exact;
  readonly greatest: Exact;
  readonly sup: Exact;
  /** Extremes of f. */
  readonly leastValue: Exact;
  readonly greatestValue: Exact;
  /** The least slope of f along edges parallel to an axis. */
  readonly leastSlope: Exact;
  /** The area of the triangles. */
  readonly area: Exact;
}

/**
 * Exact extremes of f - x y over triangles on each of which the network f of two inputs is proved to be affine: no unit
 * changes its sign between the corners of one. There f - x y is a saddle, extreme on the edges, where it is a quadratic.
 * @example distanceToProduct(multiplication(2), diamondGrid(1, 4)).sup // 0.015625
 */
export function distanceToProduct(f: Graph, { vertices, triangles }: Triangulation): ProductDistance {
  const states = vertices.map((point) => evaluate(layersOf(f).layers, point));
  const values = states.map((s) => s.value);
  const errors = vertices.map(([x, y], k) => sub(values[k]!, mul(x, y)));
  let [least, greatest] = [errors[0]!, errors[0]!];
  let leastSlope: Exact | undefined;
  let area: Exact = 0;
  for (const corners of triangles) {
    requireAffine(corners, states, vertices);
    area = add(area, areaOf(corners.map((k) => vertices[k]!)));
    for (const [from, to] of edges(corners)) {
      for (const e of [errors[from]!, ...stationary(vertices, errors, from, to)]) {
        least = min(least, e);
        greatest = max(greatest, e);
      }
      const step = vertices[to]!.map((c, axis) => sub(c, vertices[from]![axis]!));
      if (sign(step[0]!) !== 0 && sign(step[1]!) !== 0) continue;
      const slope = div(sub(values[to]!, values[from]!), add(step[0]!, step[1]!));
      leastSlope = leastSlope === undefined ? slope : min(leastSlope, slope);
    }
  }
  return {
    least,
    greatest,
    sup: max(abs(least), abs(greatest)),
    leastValue: values.reduce(min),
    greatestValue: values.reduce(max),
    leastSlope: leastSlope ?? 0,
    area,
  };
}

const edges = ([a, b, c]: readonly [number, number, number]) =>
  [
    [a, b],
    [b, c],
    [c, a],
  ] as const;

const areaOf = ([a, b, c]: readonly (readonly [Exact, Exact])[]): Exact => {
  const [ux, uy, vx, vy] = [sub(b![0], a![0]), sub(b![1], a![1]), sub(c![0], a![0]), sub(c![1], a![1])];
  return div(abs(sub(mul(ux, vy), mul(uy, vx))), 2);
};

/** Along an edge (dx, dy) the error is e0 + (e1 - e0) t + dx dy t (1 - t), stationary at 1/2 + (e1 - e0) / (2 dx dy). */
function stationary(
  vertices: Triangulation["vertices"],
  errors: readonly Exact[],
  from: number,
  to: number,
): Exact[] {
  const bend = mul(sub(vertices[to]![0], vertices[from]![0]), sub(vertices[to]![1], vertices[from]![1]));
  if (sign(bend) === 0) return [];
  const rise = sub(errors[to]!, errors[from]!);
  const t = add(1 / 2, div(rise, mul(2, bend)));
  if (compare(t, 0) <= 0 || compare(t, 1) >= 0) return [];
  return [add(add(errors[from]!, mul(rise, t)), mul(bend, mul(t, sub(1, t))))];
}

interface State {
  readonly value: Exact;
  /** Signs of all hidden units before their activation. */
  readonly signs: Int8Array;
}

/** The network at a point, in exact arithmetic. */
function evaluate(layers: readonly Layer[], point: readonly Exact[]): State {
  const signs: number[] = [];
  let state = point;
  layers.forEach((layer, l) => {
    if (l > 0) {
      for (const unit of state) signs.push(sign(unit));
      state = state.map((unit) => max(unit, 0));
    }
    state = applyExactly(layer, state);
  });
  return { value: state[0]!, signs: Int8Array.from(signs) };
}

/**
 * The first output of a layered ReLU network at a point, exactly.
 * @example valueExactly(square(3), [0.25]) // 0.0625
 */
export const valueExactly = (f: Graph, point: readonly Exact[]): Exact =>
  evaluate(layersOf(f).layers, point).value;

/** W x + b. */
function applyExactly({ weights, bias }: Layer, x: readonly Exact[]): Exact[] {
  return Array.from(bias, (b, r) => {
    let total: Exact = b;
    for (let k = weights.starts[r]!; k < weights.starts[r + 1]!; k++)
      total = add(total, mul(weights.values[k]!, x[weights.columnOf[k]!]!));
    return total;
  });
}

function requireAffine(
  corners: readonly number[],
  states: readonly State[],
  vertices: Triangulation["vertices"],
): void {
  const [a, b, c] = corners.map((k) => states[k]!.signs);
  for (let unit = 0; unit < a!.length; unit++) {
    const [p, q, r] = [a![unit]!, b![unit]!, c![unit]!];
    if (Math.min(p, q, r) * Math.max(p, q, r) >= 0) continue;
    const where = corners.map((k) => `(${vertices[k]!.map((e) => JSON.stringify(e)).join(", ")})`).join(", ");
    throw new ConstructError(`unit ${unit} of the network bends inside the triangle ${where}`);
  }
}
