// Gates as hidden units: an affine form of units that is exactly the gate's bit where the arguments are bits.
import type { Gate } from "./circuit.ts";

export type UnitKind = "relu" | "threshold";

/** sign (number of true literals among these) + bias, before the activation. */
export interface UnitSum {
  /** Positions in the gate's arguments, each with the bit that counts. */
  readonly literals: readonly (readonly [argument: number, bit: 0 | 1])[];
  readonly sign: 1 | -1;
  readonly bias: number;
}

/** constant + sum of coefficient times unit. */
export interface GateForm {
  readonly constant: number;
  readonly units: readonly (readonly [sum: UnitSum, coefficient: number])[];
}

/** The form of a gate. */
export function gateForm(gate: Gate, kind: UnitKind): GateForm {
  if (gate.kind === "count") return countForm(gate.on, kind);
  // A product of m literals is relu(sum - (m - 1)), or a step between m - 1 and m.
  return {
    constant: 0,
    units: gate.cubes.map(({ mask, value }) => {
      const literals = gate.args.flatMap((_, k) =>
        (mask >>> k) & 1 ? [[k, ((value >>> k) & 1) as 0 | 1] as const] : [],
      );
      const bias = kind === "relu" ? 1 - literals.length : 0.5 - literals.length;
      return [{ literals, sign: 1, bias }, 1] as const;
    }),
  };
}

/** A function of the count, by its changes of slope (or its jumps), from whichever end takes fewer units. */
function countForm(on: readonly number[], kind: UnitKind): GateForm {
  const most = on.length - 1;
  const literals = Array.from({ length: most }, (_, k) => [k, 1] as const);
  if (kind === "threshold") {
    const jumps = on.slice(1).map((value, c) => value - on[c]!);
    return {
      constant: on[0]!,
      units: jumps.flatMap((jump, c) =>
        jump === 0 ? [] : [[{ literals, sign: 1, bias: -c - 0.5 } as const, jump] as const],
      ),
    };
  }
  const left = slopeChanges(on).flatMap((change, c) =>
    change === 0 ? [] : [[{ literals, sign: 1, bias: 0 - c } as const, change] as const],
  );
  const right = slopeChanges(on.toReversed()).flatMap((change, c) =>
    change === 0 ? [] : [[{ literals, sign: -1, bias: most - c } as const, change] as const],
  );
  return left.length <= right.length
    ? { constant: on[0]!, units: left }
    : { constant: on[most]!, units: right };
}

/** c_j with on(s) = on(0) + sum_j c_j relu(s - j). */
function slopeChanges(on: readonly number[]): readonly number[] {
  const slopes = on.slice(1).map((value, c) => value - on[c]!);
  return slopes.map((slope, c) => slope - (slopes[c - 1] ?? 0));
}
