// A bound on the polar over the whole sphere at once, for where cones are too many.
import { frobeniusNorm, spectralNorm } from "../../linear-algebra/matrix-norm.ts";
import { addUp, divUp, mulUp, sqrtUp } from "../../numbers/rounding.ts";
import { normUp, type PolarSizes } from "./polar-cone.ts";

type Vector = Float64Array;

/**
 * relu(z) = (z + |z|) / 2, and sum_{w > 0} w_i |<v, x_i>| <= sqrt(W) |A v| for W = sum_{w > 0} w_i, A with rows sqrt(w_i) x_i:
 * at most |sum_i w_i x_i| / 2 + sqrt(W) |A|_2 / 2; also at most sum_i |w_i| |x_i|.
 */
export function wholeBound(x: readonly Vector[], q: readonly Vector[], { sums, part }: PolarSizes): number {
  return normUp(
    q.map((row, k) =>
      Math.min(sums[k]!, Math.max(...[1, -1].map((sign) => oneWay(x, row, sign, part * sums[k]!)))),
    ),
  );
}

function oneWay(x: readonly Vector[], q: Vector, sign: number, rounding: number): number {
  const d = x[0]!.length;
  const mean = new Float64Array(d);
  let weight = 0;
  const entries: number[] = [];
  x.forEach((row, i) => {
    const w = sign * q[i]!;
    for (let c = 0; c < d; c++) mean[c]! += w * row[c]!;
    if (!(w > 0)) return;
    weight = addUp(weight, w);
    const root = sqrtUp(w);
    for (let c = 0; c < d; c++) entries.push(mulUp(root, Math.abs(row[c]!)) * Math.sign(row[c]!));
  });
  const lean = addUp(normUp([...mean]), rounding);
  if (entries.length === 0) return mulUp(lean, 0.5);
  // Entries that are longer by a step each: |A| changes by 2^-52 of its Frobenius norm or less.
  const matrix = { rows: entries.length / d, columns: d, entries: Float64Array.from(entries) };
  const frobenius = frobeniusNorm(matrix.entries);
  const spectral = addUp(spectralNorm(matrix), mulUp(frobenius, 2 ** -51));
  return divUp(addUp(lean, mulUp(sqrtUp(weight), spectral)), 2);
}
