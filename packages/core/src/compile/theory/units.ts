// What the theory of compositional sparsity says about the number of units, with its constants set to 1.
import type { FunctionGraph } from "../../formula/nodes.ts";

export interface TheoryUnits {
  /** sum_v eps^(-d_v / m): a network that follows the function graph (P-02, C3-28). */
  readonly deepUnits: number;
  /** eps^(-n / m): one hidden layer, for a general function of n variables with m derivatives. */
  readonly shallowUnits: number;
}

/** One hidden layer of ReLUs exploits two derivatives, and no more. */
const smoothness = 2;

/**
 * Units by the Mhaskar-Poggio theorem, all constants 1 and m = 2. Affine nodes cost nothing in a network.
 * @example theoryUnits(functionGraph("x * y", ["x", "y"]), 0.01) // { deepUnits: 100, shallowUnits: 100 }
 */
export function theoryUnits({ nodes }: FunctionGraph, eps: number): TheoryUnits {
  let [deepUnits, variables] = [0, 0];
  for (const node of nodes) {
    if (node.op === "variable") variables++;
    else if (node.op !== "affine") deepUnits += eps ** (-node.args.length / smoothness);
  }
  return { deepUnits: rounded(deepUnits), shallowUnits: rounded(eps ** (-variables / smoothness)) };
}

const rounded = (x: number): number => (x < 2 ** 50 ? Math.round(x) : x);
