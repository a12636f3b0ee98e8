// Networks for the tests of regions, and what they compute by the plainest code.

import { float64, graph } from "../../src/graph/builder.ts";
import { type Graph, isSparse } from "../../src/graph/graph.ts";
import { cast, densify } from "../../src/graph/tensor.ts";
import { canonical } from "../../src/graph/upgrade.ts";
import { createRandom } from "../../src/numbers/random.ts";
import type { Region } from "../../src/passes/regions/index.ts";

export interface Layer {
  readonly W: readonly (readonly number[])[];
  readonly b: readonly number[];
}

export const relu = (layers: readonly Layer[]): Graph =>
  graph({ x: float64("N", layers[0]!.W[0]!.length) }, ({ x }) => ({
    y: layers.reduce((h, { W, b }, k) => (k === 0 ? h : h.relu()).affine(W, b), x),
  }));

/** Normal weights of variance 2 / fan-in, normal biases. */
export function randomLayers(seed: number | string, sizes: readonly number[], biasScale = 0.3): Layer[] {
  const random = createRandom(seed);
  return sizes.slice(1).map((rows, l) => ({
    W: Array.from({ length: rows }, () =>
      Array.from(random.normal(sizes[l]!), (w) => w * Math.sqrt(2 / sizes[l]!)),
    ),
    b: Array.from(random.normal(rows), (b) => b * biasScale),
  }));
}

/** Integer weights from -2 to 2: lines coincide, meet in common points and run through corners all the time. */
export function integerLayers(seed: number | string, sizes: readonly number[]): Layer[] {
  const random = createRandom(seed);
  const draw = () => random.integer(-2, 2);
  return sizes.slice(1).map((rows, l) => ({
    W: Array.from({ length: rows }, () => Array.from({ length: sizes[l]! }, draw)),
    b: Array.from({ length: rows }, draw),
  }));
}

/** Which hidden units are on, as text; undefined when a unit is too near to its kink for doubles to tell. */
export function patternAt(layers: readonly Layer[], x: readonly number[]): string | undefined {
  let values = x;
  let pattern = "";
  for (const { W, b } of layers.slice(0, -1)) {
    const before = W.map((row, i) => row.reduce((sum, w, j) => sum + w * values[j]!, b[i]!));
    if (before.some((z) => Math.abs(z) < 1e-9 && z !== 0)) return undefined;
    pattern += `${before.map((z) => (z > 0 ? 1 : 0)).join("")}/`;
    values = before.map((z) => Math.max(0, z));
  }
  return pattern;
}

export const patternText = ({ pattern }: Region): string =>
  pattern.map((stage) => `${[...stage].join("")}/`).join("");

export function middle({ corners }: Region): readonly [number, number] {
  const mean = (k: 0 | 1) => corners.reduce((sum, corner) => sum + corner[k], 0) / corners.length;
  return [mean(0), mean(1)];
}

/** The least distance from a point to the edges' lines, negative outside. */
export function depthInside({ corners }: Region, u: number, v: number): number {
  let least = Number.POSITIVE_INFINITY;
  corners.forEach(([s, t], k) => {
    const [p, q] = corners[(k + 1) % corners.length]!;
    const length = Math.hypot(p - s, q - t);
    if (length > 0) least = Math.min(least, ((p - s) * (v - t) - (q - t) * (u - s)) / length);
  });
  return least;
}

/** Finds the regions that contain a point, by buckets. */
export function locator(
  regions: readonly Region[],
  [u0, u1, v0, v1]: readonly [number, number, number, number],
) {
  const n = 256;
  const buckets = Array.from({ length: n * n }, (): Region[] => []);
  const cell = (x: number, from: number, to: number) =>
    Math.min(n - 1, Math.max(0, Math.floor((n * (x - from)) / (to - from))));
  for (const region of regions) {
    const us = region.corners.map(([u]) => cell(u, u0, u1));
    const vs = region.corners.map(([, v]) => cell(v, v0, v1));
    for (let i = Math.min(...us); i <= Math.max(...us); i++)
      for (let j = Math.min(...vs); j <= Math.max(...vs); j++) buckets[i * n + j]!.push(region);
  }
  return (u: number, v: number): readonly Region[] =>
    buckets[cell(u, u0, u1) * n + cell(v, v0, v1)]!.filter((r) => depthInside(r, u, v) >= 0);
}

/** The same graph computed in doubles. */
export function inDoubles(given: Graph): Graph {
  const net = canonical(given);
  const open = ({ name, type }: Graph["inputs"][number]) => ({
    name,
    type: {
      type: "float64" as const,
      shape: "shape" in type && type.shape ? ["N", ...type.shape.slice(1)] : undefined,
    },
  });
  return {
    ...net,
    valueTypes: new Map(),
    inputs: net.inputs.map(open),
    outputs: net.outputs.map(open),
    initializers: new Map(
      [...net.initializers].map(([key, weight]) => {
        const dense = isSparse(weight) ? densify(weight) : weight;
        return [key, dense.type === "float32" ? cast(dense, "float64") : dense];
      }),
    ),
  };
}
