// The broadcasting of ONNX, behind the axis of the batch.

/** The common shape of two, and for each of its entries the places in both. */
export interface Broadcast {
  readonly shape: readonly number[];
  at(entry: number): readonly [number, number];
}

export const size = (shape: readonly number[]): number => shape.reduce((n, d) => n * d, 1);

/**
 * How two shapes go together; undefined if they do not.
 * @example broadcast([2, 1], [2, 3]).shape // [2, 3]
 */
export function broadcast(a: readonly number[], b: readonly number[]): Broadcast | undefined {
  const rank = Math.max(a.length, b.length);
  const padded = (s: readonly number[]): number[] => [...new Array<number>(rank - s.length).fill(1), ...s];
  const [p, q] = [padded(a), padded(b)];
  const shape = p.map((n, k) => (n === 1 ? q[k]! : n));
  if (shape.some((n, k) => q[k] !== n && q[k] !== 1)) return undefined;
  const placeIn = (dims: readonly number[], entry: number): number => {
    let [rest, place, step] = [entry, 0, 1];
    for (let axis = rank - 1; axis >= 0; axis--) {
      if (dims[axis] !== 1) place += (rest % shape[axis]!) * step;
      rest = Math.floor(rest / shape[axis]!);
      step *= dims[axis]!;
    }
    return place;
  };
  return { shape, at: (entry) => [placeIn(p, entry), placeIn(q, entry)] };
}
