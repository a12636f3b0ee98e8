// The units of one gate, layer by layer: absolute values, then one triangle map a level for each of its squares.
import { type Gate, squaresOf, takesAbsolute } from "./circuit.ts";
import { combine, type Form, form, scaled, shifted } from "./form.ts";

/** The rows of a gate's next layer, and what its units of the last layer add to the gate's value. */
export interface GateStep {
  readonly rows: readonly Form[];
  readonly part: Form;
  /**
   * absolutes: s and -s for each operand s (s alone where it is not negative); sides: level 1, of those units;
   * levels: level 1, of the operands themselves; units: a later level.
   */
  readonly reads: "absolutes" | "sides" | "levels" | "units";
}
/** Yields a step, is given the units of its rows, and returns the last part. */
export type GateRun = Generator<GateStep, Form, readonly Form[]>;
/**
 * When T^j(s) = 2 u - 4 v is taken off: from the two units of level j (at once), or from relu(T^j(s)), the first unit
 * of level j + 1, so that the running sum rounds once a square and level, not twice (later).
 */
export type Takeoff = "at once" | "later";

/**
 * sum_k a_k c_k^2 h_m(|s_k| / c_k) with c h_m(s / c) = s - sum_{j=1}^{m} T^j(s) / 4^j,
 * T(s) = 2 relu(s) - 4 relu(s - c/2) the triangle map of [0, c]: exact whatever c is.
 */
export function* gateUnits(
  gate: Gate,
  read: readonly Form[],
  levels: number,
  takeoff: Takeoff = "later",
): GateRun {
  const squares = squaresOf(gate);
  const nothing = form();
  let sides = squares.map(({ of }) => combine(of.map((c, k) => [c, read[k]!] as const)));
  let reads: GateStep["reads"] = "levels";
  if (takesAbsolute(gate)) {
    const rows = squares.flatMap(({ nonnegative }, k) =>
      nonnegative ? [sides[k]!] : [sides[k]!, scaled(sides[k]!, -1)],
    );
    const units = [...(yield { rows, part: nothing, reads: "absolutes" })];
    sides = squares.map(({ nonnegative }) =>
      nonnegative ? units.shift()! : combine(units.splice(0, 2).map((unit) => [1, unit] as const)),
    );
    reads = "sides";
  }
  let part = nothing;
  for (let j = 1; j <= levels; j++, reads = "units") {
    const rows = squares.flatMap(({ bound }, k) => [sides[k]!, shifted(sides[k]!, -bound / 2)]);
    const units: readonly Form[] = yield { rows, part, reads };
    const pairs = squares.map((_, k) => [units[2 * k]!, units[2 * k + 1]!] as const);
    sides = pairs.map(([u, v]) =>
      combine([
        [2, u],
        [-4, v],
      ]),
    );
    const taken = takeoff === "at once" ? atOnce(j) : later(j, levels);
    part = combine(
      pairs.map((pair, k) => {
        const { coefficient, bound } = squares[k]!;
        return [coefficient * bound, combine(pair.map((unit, i) => [taken[i]!, unit] as const))] as const;
      }),
    );
  }
  return part;
}

/** Level 1 adds s - T(s)/4 = u/2 + v, level j takes T^j(s) / 4^j off: the weights of u and v. */
const atOnce = (j: number): readonly number[] => (j === 1 ? [1 / 2, 1] : [-2 / 4 ** j, 4 / 4 ** j]);

/** Level 1 adds s = u, level j takes T^(j-1)(s) / 4^(j-1) = u / 4^(j-1) off, the last one T^j(s) / 4^j as well. */
function later(j: number, levels: number): readonly number[] {
  const before = j === 1 ? 1 : -(4 ** -(j - 1));
  return j < levels ? [before, 0] : [before - 2 / 4 ** j, 4 / 4 ** j];
}
