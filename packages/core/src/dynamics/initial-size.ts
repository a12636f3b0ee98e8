// How large a ReLU network with one hidden layer is before it is trained: its variance, bounds, and the greatest value.
import { dot } from "../linear-algebra/dot.ts";
import { type Fans, type Initialization, layerLaws } from "../train/initialization.ts";
import { type ShallowNetwork, shallowValue } from "./shallow-network.ts";

/**
 * The variance of the output at a point of length r, of m ReLUs without biases on d inputs: factor^2 m Var(a) Var(v) r^2 / 2,
 * since a symmetric z has E relu(z)^2 = E z^2 / 2.
 * @example initialVariance("t11-chapter", 3, 100, 1) // 0.5
 */
export function initialVariance(initialization: Initialization, d: number, m: number, r: number): number {
  const fans: readonly Fans[] = [
    { fanIn: d, fanOut: m, isOutput: false },
    { fanIn: m, fanOut: 1, isOutput: true },
  ];
  const [inner, outer] = layerLaws(initialization, fans);
  return (
    (outer!.factor ** 2 *
      m *
      outer!.weight.variance *
      inner!.factor ** 2 *
      inner!.weight.variance *
      (r * r)) /
    2
  );
}

/**
 * Lemma 3.15, part 1: |F(x; w_0)| <= 4 |x| sqrt(m) ln(2 m / delta) with probability at least 1 - delta.
 * @example sizeAtPointBound(1, 1, 1) // 2.77258872224
 */
export const sizeAtPointBound = (r: number, m: number, delta: number): number =>
  4 * r * Math.sqrt(m) * Math.log((2 * m) / delta);

/**
 * Lemma 3.15, part 2: |F(x; w_0)| <= 32 d sqrt(m) ln(m / delta) for all |x| <= 1 with probability at least 1 - 2 delta.
 * @example sizeOnBallBound(1, 1, 1) // 0
 */
export const sizeOnBallBound = (d: number, m: number, delta: number): number =>
  32 * d * Math.sqrt(m) * Math.log(m / delta);

/**
 * For all |x| <= 1 with probability at least 1 - delta over the signs a: sqrt(sum |v_j|^2) (1 + sqrt(2 ln(2 / delta))).
 * Contraction: E sup sum a_j relu(v_j x) <= E |sum a_j v_j|; and one sign moves the supremum by at most 2 |v_j|.
 * @example sizeOnBallBySigns([[3, 0], [0, 4]], 2) // 5
 */
export const sizeOnBallBySigns = (V: ShallowNetwork["V"], delta: number): number =>
  Math.sqrt(V.reduce((sum, v) => sum + dot(v, v), 0)) * (1 + Math.sqrt(2 * Math.log(2 / delta)));

/**
 * max |F(x)| over the unit circle of a ReLU network on two inputs, found exactly: between two angles at which units turn on
 * or off, F is <w, x> with one w, greatest towards w if w points there, and at an end of the arc if it does not.
 * @example greatestOnCircle({ sigma: "relu", a: [1], V: [[3, 4]] }) // 5
 */
export function greatestOnCircle({ a, V }: ShallowNetwork): number {
  const quarter = Math.PI / 2;
  const turns = V.flatMap((v, j) => {
    const angle = Math.atan2(v[1]!, v[0]!);
    return [
      { at: positive(angle - quarter), j, sign: 1 },
      { at: positive(angle + quarter), j, sign: -1 },
    ];
  }).sort((p, q) => p.at - q.at);
  // The units that are on at the angle 0: their sum is turned along the circle.
  let w: [number, number] = [0, 0];
  V.forEach((v, j) => {
    if (isOnAtZero(v)) w = [w[0] + a[j]! * v[0]!, w[1] + a[j]! * v[1]!];
  });
  let [most, from] = [0, 0];
  for (const { at, j, sign } of [...turns, { at: 2 * Math.PI, j: -1, sign: 0 }]) {
    most = Math.max(most, greatestOnArc(w, from, at));
    if (j >= 0) w = [w[0] + sign * a[j]! * V[j]![0]!, w[1] + sign * a[j]! * V[j]![1]!];
    from = at;
  }
  return most;
}

const positive = (angle: number): number => (angle < 0 ? angle + 2 * Math.PI : angle);

/** At the angle 0 and just after it. */
const isOnAtZero = (v: ArrayLike<number>): boolean => v[0]! > 0 || (v[0] === 0 && v[1]! > 0);

/** max |<w, x>| over the arc. */
function greatestOnArc([p, q]: readonly [number, number], from: number, to: number): number {
  const ends = [from, to].map((t) => Math.abs(p * Math.cos(t) + q * Math.sin(t)));
  const towards = Math.atan2(q, p);
  const isInside = [-2, -1, 0, 1, 2, 3].some((k) => {
    const angle = towards + k * Math.PI;
    return from <= angle && angle <= to;
  });
  return isInside ? Math.hypot(p, q) : Math.max(...ends);
}

/**
 * |F| at a point of the unit sphere that is at least as large as at x: again and again to the direction in which the
 * active units' sum points, as long as |F| grows there.
 * @example climbedSize({ sigma: "relu", a: [1], V: [[3, 4]] }, [1, 0]) // 5
 */
export function climbedSize(network: ShallowNetwork, x: ArrayLike<number>): number {
  const { a, V } = network;
  let [point, size] = [Array.from(x), Math.abs(shallowValue(network, x))];
  for (let step = 0; step < 50; step++) {
    const w = point.map(() => 0);
    V.forEach((v, j) => {
      if (dot(v, point) >= 0) for (let k = 0; k < w.length; k++) w[k]! += a[j]! * v[k]!;
    });
    const length = Math.hypot(...w) * Math.sign(dot(w, point) || 1);
    const next = w.map((value) => value / length);
    const found = Math.abs(shallowValue(network, next));
    if (!(found > size)) break;
    [point, size] = [next, found];
  }
  return size;
}
