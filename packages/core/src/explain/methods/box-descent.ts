// Descent in the box [0, 1]^d with steps that remember the curvature seen last (Birgin, Martinez and Raydan 2000).
import type { Point } from "../score-model.ts";

type Cost = (point: Point) => Promise<{ readonly value: number; readonly slope: Point }>;

const clamped = (v: number): number => Math.min(1, Math.max(0, v));
const dot = (a: Point, b: Point): number => a.reduce((s, v, k) => s + v * b[k]!, 0);

/** How many earlier values a new one may exceed. */
const memory = 5;
/** No coordinate could move by more than this: it is a minimum. */
const still = 1e-10;

/** The best point seen on the way from `start`, after at most so many steps. */
export async function boxDescent(cost: Cost, start: Point, most: number) {
  let x = start.map(clamped);
  let { value, slope } = await cost(x);
  let best = { point: x, value };
  const recent = [value];
  let length = 1 / Math.max(1e-12, ...slope.map(Math.abs));
  let steps = 0;
  for (; steps < most; steps++) {
    const way = x.map((v, k) => clamped(v - length * slope[k]!) - v);
    const down = dot(way, slope);
    if (Math.max(...x.map((v, k) => Math.abs(clamped(v - slope[k]!) - v))) < still) break;
    const limit = Math.max(...recent);
    let part = 1;
    let next = x.map((v, k) => clamped(v + way[k]!));
    let found = await cost(next);
    while (found.value > limit + 1e-4 * part * down && part > 1e-6) {
      part /= 2;
      next = x.map((v, k) => clamped(v + part * way[k]!));
      found = await cost(next);
    }
    const moved = next.map((v, k) => v - x[k]!);
    const turned = found.slope.map((g, k) => g - slope[k]!);
    const curvature = dot(moved, turned);
    length = curvature > 0 ? Math.min(1e6, Math.max(1e-6, dot(moved, moved) / curvature)) : 1e6;
    [x, value, slope] = [next, found.value, found.slope];
    recent.push(value);
    if (recent.length > memory) recent.shift();
    if (value < best.value) best = { point: x, value };
  }
  return { ...best, steps };
}
