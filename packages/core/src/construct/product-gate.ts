// The units of one gate, layer by layer: absolute values, then one triangle map a level for each of its squares.
import { type Gate, squaresOf, takesAbsolute } from "./product-circuit.ts";
import { combine, type Form, form, scaled, shifted } from "./product-form.ts";

/** The rows of a gate's next layer, and what its units of the last layer add to the gate's value. */
export interface GateStep {
  readonly rows: readonly Form[];
  readonly part: Form;
}
/** Yields a step, is given the units of its rows, and returns the last part. */
export type GateRun = Generator<GateStep, Form, readonly Form[]>;

/**
 * sum_k a_k c_k^2 h_m(|s_k| / c_k) with c h_m(s / c) = s - sum_{j=1}^{m} T^j(s) / 4^j,
 * T(s) = 2 relu(s) - 4 relu(s - c/2) the triangle map of [0, c]: exact whatever c is.
 */
export function* gateUnits(gate: Gate, read: readonly Form[], levels: number): GateRun {
  const squares = squaresOf(gate);
  const nothing = form();
  let sides = squares.map(({ of }) => combine(of.map((c, k) => [c, read[k]!] as const)));
  if (takesAbsolute(gate)) {
    const rows = squares.flatMap(({ nonnegative }, k) =>
      nonnegative ? [sides[k]!] : [sides[k]!, scaled(sides[k]!, -1)],
    );
    const units = [...(yield { rows, part: nothing })];
    sides = squares.map(({ nonnegative }) =>
      nonnegative ? units.shift()! : combine(units.splice(0, 2).map((unit) => [1, unit] as const)),
    );
  }
  let part = nothing;
  for (let j = 1; j <= levels; j++) {
    const rows = squares.flatMap(({ bound }, k) => [sides[k]!, shifted(sides[k]!, -bound / 2)]);
    const units: readonly Form[] = yield { rows, part };
    const pairs = squares.map((_, k) => [units[2 * k]!, units[2 * k + 1]!] as const);
    sides = pairs.map(([u, v]) =>
      combine([
        [2, u],
        [-4, v],
      ]),
    );
    part = combine(
      pairs.map(([u, v], k) => {
        const { coefficient, bound } = squares[k]!;
        // Level 1 adds s - T(s)/4 = u/2 + v, level j takes T^j(s) / 4^j off.
        const level: readonly (readonly [number, Form])[] =
          j === 1
            ? [
                [1 / 2, u],
                [1, v],
              ]
            : [
                [-2 / 4 ** j, u],
                [4 / 4 ** j, v],
              ];
        return [coefficient * bound, combine(level)] as const;
      }),
    );
  }
  return part;
}
