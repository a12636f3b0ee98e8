// A signal or a picture moved by u - tau(u), between samples by a straight line; then with noise.
import { createRandom } from "@lemmata/core/numbers";
import type { Settings } from "./settings.ts";

type Deformation = Pick<Settings, "slope" | "waves" | "shift" | "noise">;

/** tau along one axis of n samples: a wave of this greatest slope, and a shift. */
export function displacement(n: number, { slope, waves, shift }: Deformation): Float64Array {
  const f = (2 * Math.PI * waves) / n;
  return Float64Array.from({ length: n }, (_, u) => shift + (slope / 100 / f) * Math.sin(f * u));
}

const between = (x: ArrayLike<number>, at: number, offset: number, stride: number, n: number): number => {
  const below = Math.floor(at);
  const value = (k: number): number => x[offset + (((k % n) + n) % n) * stride]!;
  return value(below) + (at - below) * (value(below + 1) - value(below));
};

/** Along the last axis, a row of a picture by the wave at its height. */
export function deformed(x: Float64Array, rows: number, deformation: Deformation): Float64Array {
  const columns = x.length / rows;
  const tau = displacement(columns, deformation);
  const moved = Float64Array.from(x, (_, k) => {
    const [row, column] = [Math.floor(k / columns), k % columns];
    return between(x, column - tau[column]!, row * columns, 1, columns);
  });
  const size = Math.sqrt(x.reduce((sum, v) => sum + v * v, 0) / x.length);
  const noise = createRandom("noise").normal(x.length);
  return moved.map((v, k) => v + (deformation.noise / 100) * size * noise[k]!);
}
