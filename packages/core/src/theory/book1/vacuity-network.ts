// A network with one hidden ReLU layer and no biases, small enough to be trained in a trial of the falsifier.
import type { IndexedSample, KnownLaw } from "../../generalization/bounds/known-law.ts";
import { frobeniusNorm, spectralNorm } from "../../linear-algebra/matrix-norm.ts";

export interface ShallowNet {
  readonly W: readonly (readonly number[])[];
  readonly a: readonly number[];
}

/** a^T relu(W x). */
export const scoreOf = ({ W, a }: ShallowNet, x: readonly number[]): number =>
  W.reduce(
    (sum, row, i) =>
      sum +
      a[i]! *
        Math.max(
          0,
          row.reduce((s, w, k) => s + w * x[k]!, 0),
        ),
    0,
  );

/** Gradient descent on the logistic loss, examples with the same input taken together. */
export function trainShallow(
  start: ShallowNet,
  { points }: KnownLaw,
  { inputs, labels }: IndexedSample,
  steps: number,
): ShallowNet {
  const counts = points.map(() => ({ positive: 0, negative: 0 }));
  inputs.forEach((j, i) => {
    counts[j]![labels[i]! > 0 ? "positive" : "negative"]++;
  });
  const W = start.W.map((row) => [...row]);
  const a = [...start.a];
  const rate = 2 / inputs.length;
  for (let step = 0; step < steps; step++) {
    const dW = W.map((row) => row.map(() => 0));
    const da = a.map(() => 0);
    points.forEach((x, j) => {
      const { positive, negative } = counts[j]!;
      if (positive + negative === 0) return;
      const z = W.map((row) => row.reduce((s, w, k) => s + w * x[k]!, 0));
      const f = z.reduce((s, v, i) => s + a[i]! * Math.max(0, v), 0);
      const pull = positive / (1 + Math.exp(f)) - negative / (1 + Math.exp(-f));
      z.forEach((v, i) => {
        if (v <= 0) return;
        da[i]! += pull * v;
        for (let k = 0; k < x.length; k++) dW[i]![k]! += pull * a[i]! * x[k]!;
      });
    });
    W.forEach((row, i) => {
      for (let k = 0; k < row.length; k++) row[k]! += rate * dW[i]![k]!;
      a[i]! += rate * da[i]!;
    });
  }
  return { W, a };
}

/** Norms of both matrices, as the bounds read them. */
export function shallowNorms({ W, a }: ShallowNet) {
  const entries = Float64Array.from(W.flat());
  const last = Math.hypot(...a);
  return {
    spectralNorms: [spectralNorm({ rows: W.length, columns: W[0]!.length, entries }), last],
    frobeniusNorms: [frobeniusNorm(entries), last],
    rowNormSums: [W.reduce((sum, row) => sum + Math.hypot(...row), 0), last],
  };
}
