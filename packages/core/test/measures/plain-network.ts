// A small network of ReLUs in plain loops, without graphs, passes or matrices: what measures are recomputed with.

export interface PlainLayer {
  readonly W: readonly (readonly number[])[];
  readonly b: readonly number[];
}

/** Weights that are told apart by their place: layer, row, and column, or the bias as the last column. */
export type Place = readonly [layer: number, row: number, column: number];

export const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const v of values) total += v;
  return total;
};
export const norm = (values: Iterable<number>): number => {
  let total = 0;
  for (const v of values) total += v * v;
  return Math.sqrt(total);
};

/** What comes out, and what each hidden unit gives, before and behind its bend. */
export function answers(
  layers: readonly PlainLayer[],
  x: readonly number[],
): {
  readonly scores: readonly number[];
  readonly hidden: readonly (readonly number[])[];
  readonly before: readonly (readonly number[])[];
} {
  let value = x;
  const [hidden, before]: [number[][], number[][]] = [[], []];
  layers.forEach(({ W, b }, l) => {
    const next = W.map((row, i) => sum(row.map((w, j) => w * value[j]!)) + b[i]!);
    value = l < layers.length - 1 ? next.map((v) => (v > 0 ? v : 0)) : next;
    if (l < layers.length - 1) {
      before.push(next);
      hidden.push([...value]);
    }
  });
  return { scores: value, hidden, before };
}

export const probabilities = (scores: readonly number[]): readonly number[] => {
  const whole = sum(scores.map((s) => Math.exp(s)));
  return scores.map((s) => Math.exp(s) / whole);
};

export const marginOf = (scores: readonly number[], label: number): number =>
  scores[label]! - Math.max(...scores.filter((_, k) => k !== label));

export interface PlainData {
  readonly x: readonly (readonly number[])[];
  readonly y: readonly number[];
}

export const crossEntropy = (layers: readonly PlainLayer[], x: readonly number[], y: number): number =>
  -Math.log(probabilities(answers(layers, x).scores)[y]!);

export const meanLoss = (layers: readonly PlainLayer[], { x, y }: PlainData): number =>
  sum(x.map((point, n) => crossEntropy(layers, point, y[n]!))) / x.length;

export const errorShare = (layers: readonly PlainLayer[], { x, y }: PlainData): number =>
  x.filter((point, n) => !(marginOf(answers(layers, point).scores, y[n]!) > 0)).length / x.length;

/** All weights and biases in one order, and the layers that a list of them stands for. */
export const places = (layers: readonly PlainLayer[]): readonly Place[] =>
  layers.flatMap(({ W }, l) => W.flatMap((row, i) => [...row, 0].map((_, j): Place => [l, i, j])));
export const weightAt = (layers: readonly PlainLayer[], [l, i, j]: Place): number =>
  layers[l]!.W[i]![j] ?? layers[l]!.b[i]!;
export function layersOf(
  like: readonly PlainLayer[],
  order: readonly Place[],
  theta: ArrayLike<number>,
): readonly PlainLayer[] {
  const copy = like.map(({ W, b }) => ({ W: W.map((row) => [...row]), b: [...b] }));
  order.forEach(([l, i, j], k) => {
    const layer = copy[l]!;
    if (j < layer.W[i]!.length) layer.W[i]![j] = theta[k]!;
    else layer.b[i] = theta[k]!;
  });
  return copy;
}

/** Central differences of a function of many numbers. */
export const slopes = (f: (v: readonly number[]) => number, at: readonly number[], h = 1e-5): number[] =>
  at.map((_, k) => {
    const moved = (by: number): number => f(at.map((v, i) => (i === k ? v + by : v)));
    return (moved(h) - moved(-h)) / (2 * h);
  });

/** Eigenvalues of a symmetric matrix by Jacobi's rotations, ascending. */
export function jacobiEigenvalues(matrix: readonly (readonly number[])[]): readonly number[] {
  const a = matrix.map((row) => [...row]);
  const n = a.length;
  for (let sweep = 0; sweep < 60; sweep++)
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        if (Math.abs(a[p]![q]!) < 1e-300) continue;
        const angle = Math.atan2(2 * a[p]![q]!, a[q]![q]! - a[p]![p]!) / 2;
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        for (let k = 0; k < n; k++) {
          const [u, v] = [a[k]![p]!, a[k]![q]!];
          [a[k]![p], a[k]![q]] = [c * u - s * v, s * u + c * v];
        }
        for (let k = 0; k < n; k++) {
          const [u, v] = [a[p]![k]!, a[q]![k]!];
          [a[p]![k], a[q]![k]] = [c * u - s * v, s * u + c * v];
        }
      }
  return a.map((row, k) => row[k]!).sort((x, y) => x - y);
}

/** Singular values, the greatest first. */
export function singularValues(W: readonly (readonly number[])[]): readonly number[] {
  const gram = W.map((row) => W.map((other) => sum(row.map((v, k) => v * other[k]!))));
  return jacobiEigenvalues(gram)
    .map((v) => Math.sqrt(Math.max(0, v)))
    .reverse();
}
