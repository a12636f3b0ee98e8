// Symmetries of waves and even functions: absolute values fold a long range onto a short one before the spline.
// cos(c + w) = cos(c - w) at every multiple c of pi, so sin(u) = +-cos |...||u - c1| - c2| ...|.

import { type Univariate, univariateFunction } from "../functions/univariate.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import type { Arithmetic } from "./precision.ts";

/** f(u) = curve(z), z = |... ||u - c_1| - c_2| ... |, up to `defect`, since the stored c are rounded. */
export interface Folding {
  readonly shifts: readonly number[];
  readonly curve: Univariate;
  /** The z of all u in the range. */
  readonly range: Interval;
  readonly defect: number;
}

const pi: Interval = { lower: Math.PI, upper: Math.PI + 2 ** -51 };
const folded = (range: Interval, shift: number): Interval => I.abs(I.sub(range, I.point(shift)));

const negative = (f: Univariate): Univariate => ({
  ...f,
  value: (x) => -f.value(x),
  derivative: (x) => -f.derivative(x),
  second: (x) => -f.second(x),
  enclosure: (x) => I.neg(f.enclosure(x)),
  taylor: (x, n) => f.taylor(x, n).map(I.neg),
});

/**
 * Ways to fold the range of a function, from none to as many as help.
 * @example foldings(univariateFunction("sin"), { lower: -10, upper: 10 }, arithmetics.f64).length // 4
 */
export function foldings(f: Univariate, range: Interval, { round }: Arithmetic): readonly Folding[] {
  const plain: Folding = { shifts: [], curve: f, range, defect: 0 };
  const isWave = f.name === "sin" || f.name === "cos";
  if (!isWave)
    return f.isEven && range.lower < 0 && range.upper > 0
      ? [plain, { ...plain, shifts: [0], range: folded(range, 0) }]
      : [plain];
  const found = [plain];
  const phase = f.name === "sin" ? 0.5 : 0;
  let [turns, current, shifts, defect] = [0, range, [] as readonly number[], 0];
  for (let step = 0; step < 40 && (step === 0 || current.upper > Math.PI); step++) {
    const halfTurns =
      step === 0
        ? Math.round((current.lower + current.upper) / 2 / Math.PI - phase)
        : Math.max(1, Math.round(current.upper / (2 * Math.PI)));
    const exact = I.mul(pi, I.point(step === 0 ? halfTurns + phase : halfTurns));
    const shift = round((exact.lower + exact.upper) / 2);
    turns += halfTurns;
    shifts = [...shifts, shift];
    defect = I.add(I.point(defect), I.abs(I.sub(I.point(shift), exact))).upper; // |cos'| <= 1
    current = folded(current, shift);
    const cos = univariateFunction("cos");
    found.push({ shifts, curve: turns % 2 === 0 ? cos : negative(cos), range: current, defect });
  }
  return found;
}
