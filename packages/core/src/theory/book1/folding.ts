// Networks whose layers fold the plane or a segment onto itself, with weights that floating point holds exactly.

import { affineChain } from "../../graph/affine-chain.ts";
import type { Graph } from "../../graph/graph.ts";
import { tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";

interface Layer {
  readonly W: readonly (readonly number[])[];
  readonly b: readonly number[];
}

const rectifier = (layers: readonly Layer[], name: string): Graph =>
  affineChain(
    layers.map(({ W, b }) => ({ W: tensor(W), b: tensor(b) })),
    (z) => z.relu(),
    { name },
  );

/** Unit k of the last layer is zero on the k-th of n tangents to a small circle around (1/2, 1/2): all meet in (0, 1)^2. */
function tangents(n: number): Layer {
  const radius = 0.4 * Math.sin(Math.PI / (2 * n));
  const angles = Array.from({ length: n }, (_, k) => (Math.PI * (k + 0.3)) / n);
  return {
    W: angles.map((t) => [Math.cos(t), Math.sin(t)]),
    b: angles.map((t) => -(Math.cos(t) + Math.sin(t)) / 2 - radius),
  };
}

/**
 * Montufar et al. 2014: all layers but the last fold [0, p]^2 onto [0, 1]^2 (times p), p = floor(n / 2) folds a
 * coordinate: h(s) = s + 2 sum_{i=1}^{p-1} (-1)^i relu(s - i); the last draws n lines in each copy of the square.
 * Regions on [0, p]^2: (p^2)^(depth - 1) (1 + n + C(n, 2)).
 * @example foldingNetwork(8, 3) // 9472 regions on [0, 4]^2
 */
export function foldingNetwork(n: number, depth: number): Graph {
  const folds = Math.floor(n / 2);
  /** Row c of the fold, reading the units of both coordinates; a spare unit of an odd width is not read. */
  const fold = (c: number): number[] =>
    Array.from({ length: n }, (_, unit) => {
      const i = unit - c * folds;
      return i < 0 || i >= folds ? 0 : i === 0 ? 1 : 2 * (-1) ** i;
    });
  const shifts = Array.from({ length: n }, (_, unit) => (unit < 2 * folds ? -(unit % folds) : -1));
  const coordinate = (unit: number): number => (unit < folds ? 0 : unit < 2 * folds ? 1 : -1);
  const reads = (source: (c: number) => number[], scale: number, width: number): number[][] =>
    Array.from({ length: n }, (_, unit) => {
      const c = coordinate(unit);
      return c < 0 ? new Array<number>(width).fill(0) : source(c).map((w) => scale * w);
    });
  const last = tangents(n);
  const layers: Layer[] = [];
  for (let l = 0; l + 1 < depth; l++)
    layers.push({
      W: l === 0 ? reads((c) => [1 - c, c], 1, 2) : reads(fold, folds, n),
      b: shifts,
    });
  layers.push({
    W:
      depth === 1
        ? last.W.map((row) => row.map((w) => w / folds))
        : last.W.map(([a, b]) => combination(a!, fold(0), b!, fold(1))),
    b: last.b,
  });
  layers.push({ W: [new Array<number>(n).fill(1)], b: [0] });
  return rectifier(layers, `folding_${n}_${depth}`);
}

const combination = (a: number, x: readonly number[], b: number, y: readonly number[]): number[] =>
  x.map((v, k) => a * v + b * y[k]!);

/**
 * Serra et al. 2018: three units make four folds of [0, D]: pieces of length D/4, D/4, 3D/8, D/8 with slopes
 * 3, -3, 2, -6, each onto [0, 3D/4]. With `depth` layers of width 3: 4^depth = prod (n_l + 1) pieces on [0, 1].
 * @example fourFoldNetwork(3) // 64 pieces
 */
export function fourFoldNetwork(depth: number): Graph {
  // h = 9 D / 2 - 6 relu(t - D/4) + 5 relu(D/2 - t) - 8 relu(7 D / 8 - t)
  const read = [-6, 5, -8];
  const signs = [1, -1, -1];
  const kinks = [1 / 4, 1 / 2, 7 / 8];
  const layers: Layer[] = [];
  let length = 1;
  for (let l = 0; l < depth; l++) {
    const offset = l === 0 ? 0 : (9 / 2) * (length / 0.75);
    layers.push({
      W: signs.map((s) => (l === 0 ? [s] : read.map((w) => s * w))),
      b: signs.map((s, k) => s * (offset - kinks[k]! * length)),
    });
    length *= 0.75;
  }
  layers.push({ W: [read], b: [(9 / 2) * (length / 0.75)] });
  return rectifier(layers, `four_fold_${depth}`);
}

/** Normal weights of variance 2 / fan-in and normal biases. */
export function normalNetwork(random: Random, sizes: readonly number[]): Graph {
  const layers = sizes.slice(1).map((rows, l) => ({
    W: Array.from({ length: rows }, () =>
      Array.from(random.normal(sizes[l]!), (w) => w * Math.sqrt(2 / sizes[l]!)),
    ),
    b: Array.from(random.normal(rows)),
  }));
  return rectifier(layers, "normal");
}
