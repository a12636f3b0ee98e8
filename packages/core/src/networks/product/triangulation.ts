// Triangulations of a square on which product networks are affine, triangle by triangle.
import { add, type Exact, mul } from "../../numbers/exact/rational.ts";

export interface Triangulation {
  readonly vertices: readonly (readonly [Exact, Exact])[];
  /** Places of their corners. */
  readonly triangles: readonly (readonly [number, number, number])[];
}

/**
 * The square [from, to]^2 cut by lines x, y and x + y = constant into 2 steps^2 triangles.
 * @example antidiagonalGrid(0, 1, 4).triangles.length // 32
 */
export function antidiagonalGrid(from: number, to: number, steps: number): Triangulation {
  const at = (k: number): Exact => add(from, mul(k / steps, to - from));
  const side = Array.from({ length: steps + 1 }, (_, k) => at(k));
  const place = (j: number, k: number): number => j * (steps + 1) + k;
  const cells = side.slice(1).flatMap((_, j) => side.slice(1).map((_, k) => [j, k] as const));
  return {
    vertices: side.flatMap((x) => side.map((y) => [x, y] as const)),
    triangles: cells.flatMap(([j, k]) => [
      [place(j, k), place(j + 1, k), place(j, k + 1)] as const,
      [place(j + 1, k + 1), place(j + 1, k), place(j, k + 1)] as const,
    ]),
  };
}

/**
 * The square [-bound, bound]^2 cut by lines x + y and x - y = constant, `steps` (even) of each, and the diamonds cut
 * in two by lines x = constant.
 * @example diamondGrid(1, 2).triangles.length // 16
 */
export function diamondGrid(bound: number, steps: number): Triangulation {
  const vertices: (readonly [Exact, Exact])[] = [];
  const places = new Map<string, number>();
  const key = (p: number, q: number): string => `${p},${q}`;
  const inside = (k: number): boolean => Math.abs(k) <= steps;
  for (let p = -steps; p <= steps; p++)
    for (let q = -steps; q <= steps; q++) {
      if ((p + q) % 2 !== 0) continue;
      places.set(key(p, q), vertices.length);
      vertices.push([mul(p / steps, bound), mul(q / steps, bound)]);
    }
  const triangles: (readonly [number, number, number])[] = [];
  const cut = (...corners: readonly (readonly [number, number])[]): void => {
    if (!corners.flat().every(inside)) return;
    const [a, b, c] = corners.map(([p, q]) => places.get(key(p, q))!);
    triangles.push([a!, b!, c!]);
  };
  for (let p = -steps; p <= steps; p++)
    for (let q = -steps; q <= steps; q++) {
      if ((p + q) % 2 === 0) continue; // (p, q) is the middle of a diamond
      if (Math.abs(q) === steps) cut([p - 1, q], [p + 1, q], [p, q - Math.sign(q)]);
      else for (const side of [-1, 1]) cut([p + side, q], [p, q - 1], [p, q + 1]);
    }
  return { vertices, triangles };
}
