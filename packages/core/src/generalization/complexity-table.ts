// Published complexity formulas side by side, for a network at hand (Shen's table, and the theorems behind two rows).

import type { Graph } from "../graph/graph.ts";
import { toDense } from "../graph/sparse.ts";
import { spectralNorm } from "../linear-algebra/matrix-norm.ts";
import { layersOf } from "../networks/layers/layers.ts";
import { denseParameterCount, logPermutations } from "./covering.ts";

/** ln N up to constants, as each row of the table has it; the last two are theorems with their constants. */
export interface ComplexityTable {
  readonly bartlett2017: number;
  readonly neyshabur2018: number;
  readonly linZhang2019: number;
  readonly bartlett2019: number;
  readonly shen2024: number;
  /**
   * |X|^2 ln(2 W^2) R^2 / eps^2 with R = prod rho_i s_i (sum_i (b_i / s_i)^(2/3))^(3/2), b_i the sum of the norms of the
   * rows: what Bartlett, Foster and Telgarsky prove for one input (biases left out).
   */
  readonly bartlettTheorem: number;
}

export interface ComplexityQuantities {
  readonly S: number;
  readonly U: number;
  readonly L: number;
  readonly W: number;
  /** Product of the spectral norms of all weight matrices. */
  readonly spectralProduct: number;
  /** Sum over rows of their norms, and the spectral norm, matrix by matrix. */
  readonly matrices: readonly { readonly rowNorms: number; readonly spectral: number }[];
  readonly widths: readonly number[];
}

/** What the formulas read off a layered network. */
export function complexityQuantities(graph: Graph): ComplexityQuantities {
  const { layers } = layersOf(graph);
  const widths = [layers[0]!.weights.columns, ...layers.map(({ weights }) => weights.rows)];
  const hidden = widths.slice(1, -1);
  const matrices = layers.map(({ weights }) => {
    const entries = toDense(weights);
    let rowNorms = 0;
    for (let r = 0; r < weights.rows; r++)
      rowNorms += Math.hypot(...weights.values.subarray(weights.starts[r]!, weights.starts[r + 1]!));
    return { rowNorms, spectral: spectralNorm({ rows: weights.rows, columns: weights.columns, entries }) };
  });
  return {
    S: denseParameterCount(widths),
    U: hidden.reduce((a, b) => a + b, 0),
    L: hidden.length,
    W: Math.max(...hidden),
    spectralProduct: matrices.reduce((product, { spectral }) => product * spectral, 1),
    matrices,
    widths,
  };
}

/**
 * The rows of the table for activations with the Lipschitz constant 1.
 * @example complexityTable(complexityQuantities(net), { inputRadius: 1, eps: 0.1 }).shen2024 // ln N, about
 */
export function complexityTable(
  { S, U, L, W, spectralProduct: s, matrices, widths }: ComplexityQuantities,
  { inputRadius: B, eps }: { readonly inputRadius: number; readonly eps: number },
): ComplexityTable {
  const scale = (B * s) / eps;
  const rows = matrices.reduce((sum, m) => sum + (m.rowNorms / m.spectral) ** (2 / 3), 0);
  return {
    bartlett2017: scale ** 2 * U * Math.log(W),
    neyshabur2018: scale ** 2 * S * L ** 2 * Math.log(W * L),
    linZhang2019: scale * S ** 2 * L,
    bartlett2019: L * S * Math.log(S) * Math.log(scale),
    shen2024: S * L * Math.log(s) + S * Math.log(B / eps) - logPermutations(widths),
    bartlettTheorem: scale ** 2 * Math.log(2 * Math.max(...widths) ** 2) * rows ** 3,
  };
}
