import type { Figure } from "../../figure/figure.ts";
import {
  claimedBound,
  exponentialBound,
  type LocalLayer,
  peeledBound,
} from "../../generalization/local-kernels/kernel-rademacher.ts";
import { dyadicTree } from "../../generalization/local-kernels/patch-network.ts";
import { rademacherEstimate } from "../../generalization/local-kernels/rademacher-estimate.ts";
import type { Random } from "../../numbers/random.ts";

const m = 20;

/** Trees of growing depth on normal inputs: what ascent finds, and the bounds. */
export function localKernelFigure(random: Random): Figure {
  const rows = [1, 2, 3, 4, 5, 6].map((L) => {
    const X = Array.from({ length: m }, () => random.normal(2 ** L));
    const squares = (from: number, to: number): number =>
      X.reduce((s, x) => s + x.subarray(from, to).reduce((t, v) => t + v * v, 0), 0);
    const patches = Array.from({ length: 2 ** (L - 1) }, (_, j) => squares(2 * j, 2 * j + 2));
    const layers: readonly LocalLayer[] = Array.from({ length: L }, () => ({
      ...{ norm: 1, multiplicity: 1, predecessors: 2 },
    }));
    const sample = {
      ...{ m, energy: squares(0, 2 ** L), patchEnergy: Math.max(...patches), patches: patches.length },
    };
    const dense = layers.map((layer, l) => ({
      ...layer,
      norm: Math.sqrt(2 ** (L - 1 - l)),
      predecessors: 1,
    }));
    const { estimate } = rademacherEstimate(dyadicTree(L, 1, true), X, {
      ...{ signs: 8, restarts: 4, steps: 3 * L, random },
    });
    return {
      L,
      estimate,
      peeled: peeledBound(layers, sample),
      exponential: exponentialBound(layers, sample),
      claimed: claimedBound(layers, sample),
      frobenius: exponentialBound(dense, { ...sample, patchEnergy: sample.energy, patches: 1 }),
    };
  });
  const line = (name: string, of: (row: (typeof rows)[number]) => number) => ({
    ...{ name, mark: "line" as const, role: "theory" as const },
    points: rows.map((row) => [row.L, of(row)] as const),
  });
  return {
    title: "Binary trees of convolutions, kernels of norm 1, 20 normal inputs",
    panels: [
      {
        title: "Rademacher complexity and its bounds",
        x: { label: "levels L" },
        y: { label: "complexity", scale: "log" },
        series: [
          { name: "found by ascent", mark: "dots", points: rows.map((row) => [row.L, row.estimate]) },
          line("kernel norms, 2^(L-1)", (row) => row.peeled),
          line("kernel norms, root of depth", (row) => row.exponential),
          line("Theorem 12, as printed", (row) => row.claimed),
          line("Frobenius norms, root of depth", (row) => row.frobenius),
        ],
      },
    ],
  };
}
