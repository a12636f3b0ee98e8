// Kernels at random: rows of a Dirichlet law, or one output for each input.
import type { Random } from "../../numbers/random.ts";
import { type Kernel, kernelOf } from "./kernel.ts";

export type KernelLaw = "dirichlet" | "deterministic";

/**
 * A kernel with rows of the Dirichlet law of parameter 1, or with all mass of a row on one output.
 * @example randomKernel(createRandom(1), 1, 2, "dirichlet").rows.length // 2
 */
export function randomKernel(random: Random, d: number, s: number, law: KernelLaw): Kernel {
  return kernelOf(
    Array.from({ length: 2 ** d }, () => {
      const one = random.integer(0, 2 ** s - 1);
      const row = Array.from({ length: 2 ** s }, (_, y) =>
        law === "dirichlet" ? -Math.log(1 - random.uniform()) : y === one ? 1 : 0,
      );
      const total = row.reduce((sum, p) => sum + p, 0);
      return row.map((p) => p / total);
    }),
  );
}
