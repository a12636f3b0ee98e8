// Which two rays of a cone to cut between: where linear pieces miss most of what bends.
import { farthest, type Ray } from "./polar-cone.ts";

/**
 * Between rays of length 1 at which a term is p > 0 and -n < 0, the best linear pieces miss |Q_i| p n / (p + n) of it. Of several
 * outputs F, what is across their direction adds its square over twice the whole. Where nothing is missed: the greatest angle.
 */
export function cutPair(
  rays: readonly Ray[],
  q: readonly Float64Array[],
  weights: Float64Array,
  value: number,
): readonly [number, number] {
  const [d, m] = [rays.length, weights.length];
  const missed = new Float64Array(d * d);
  const [above, below] = [new Float64Array(d), new Float64Array(d)];
  for (let i = 0; i < m; i++) {
    const weight = weights[i]!;
    if (weight === 0) continue;
    let [up, down] = [0, 0];
    for (let k = 0; k < d; k++) {
      const z = rays[k]!.seen[i]! / rays[k]!.length;
      if (z > 0) above[up++] = k;
      else if (z < 0) below[down++] = k;
    }
    for (let a = 0; a < up; a++)
      for (let b = 0; b < down; b++) {
        const [j, k] = [above[a]!, below[b]!];
        const [p, n] = [rays[j]!.seen[i]! / rays[j]!.length, -rays[k]!.seen[i]! / rays[k]!.length];
        missed[Math.min(j, k) * d + Math.max(j, k)]! += (weight * p * n) / (p + n);
      }
  }
  if (q.length > 1 && value > 0) addAcross(missed, rays, q, value);
  let [most, pair] = [0, farthest(rays)];
  for (let j = 0; j < d; j++)
    for (let k = j + 1; k < d; k++)
      if (missed[j * d + k]! > most) [most, pair] = [missed[j * d + k]!, [j, k]];
  return pair;
}

function addAcross(
  missed: Float64Array,
  rays: readonly Ray[],
  q: readonly Float64Array[],
  value: number,
): void {
  const d = rays.length;
  const responses = rays.map(({ seen, length }) =>
    q.map((row) => row.reduce((sum, w, i) => sum + w * Math.max(0, seen[i]!), 0) / length),
  );
  const centre = q.map((_, o) => responses.reduce((sum, r) => sum + r[o]!, 0));
  const size = Math.hypot(...centre) || 1;
  for (let j = 0; j < d; j++)
    for (let k = j + 1; k < d; k++) {
      const turn = responses[j]!.map((r, o) => r - responses[k]![o]!);
      const along = turn.reduce((sum, t, o) => sum + (t * centre[o]!) / size, 0);
      const across = turn.reduce((sum, t) => sum + t * t, 0) - along * along;
      missed[j * d + k]! += Math.max(0, across) / (8 * value);
    }
}
