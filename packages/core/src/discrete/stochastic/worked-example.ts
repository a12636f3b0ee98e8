// The network 2-8-8-2 of section 6.9, as printed and as it has to be.
import type { BeliefNetwork } from "./belief-network.ts";
import { bitsOf, type Kernel } from "./kernel.ts";
import { copyUnit, gammaOf, logit, matchUnit, type StochasticUnit } from "./unit.ts";

/** `printed` mends the index p41 + p44, which must be p42 + p44, and nothing else. */
export type Reading = "corrected" | "printed";

/**
 * The network of a kernel of two bits given two bits.
 * @example workedExample(kernelOf([[1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]), 0.01, "corrected").layers.map((l) => l.length) // [8, 8, 2]
 */
export function workedExample({ rows }: Kernel, eps: number, reading: Reading): BeliefNetwork {
  const gamma = gammaOf(eps);
  const clipped = (p: number, of = 1): number =>
    logit(Math.max(eps, Math.min(of > 0 ? p / of : 1 / 2, 1 - eps)));
  const first = rows.flatMap((row, x): StochasticUnit[] => {
    const bits = bitsOf(x, 2);
    const ones = bits[0]! + bits[1]!;
    const l = clipped(row[1]! + row[3]!);
    // Printed are weights +-gamma for the first and the last section: half of what silences the others.
    const w = ones === 1 ? 2 * gamma : reading === "printed" ? gamma : gamma + Math.max(0, l);
    const second = {
      bias: l - w * ones,
      reads: bits.map((b, k): readonly [number, number] => [k, w * (2 * b - 1)]),
    };
    return [matchUnit([0, 1], bits, eps), second];
  });
  const hidden = rows.flatMap((row, x): StochasticUnit[] => {
    const off = clipped(row[2]!, row[0]! + row[2]!);
    const on = clipped(row[3]!, row[1]! + row[3]!);
    const w = reading === "printed" ? gamma : 2 * gamma;
    const shared = {
      bias: off - w,
      reads: [
        [2 * x, w],
        [2 * x + 1, on - off],
      ] as const,
    };
    return [shared, copyUnit(2 * x + 1, eps)];
  });
  const outputs = [0, 1].map((y) => ({
    bias: -gamma,
    reads: rows.map((_, x): readonly [number, number] => [2 * x + y, 2 * gamma]),
  }));
  return { inputs: 2, layers: [first, hidden, outputs] };
}
