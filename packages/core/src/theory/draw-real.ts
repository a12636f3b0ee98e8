// How the falsifier draws a real parameter. By floating-point representation, [0, 1] would be tried hardly anywhere
// but near 0; uniformly, hardly ever near 0 or at a bound. So it is drawn in several ways.
import fc from "fast-check";

interface Interval {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

/** Where a range reaches 0, its logarithmic draw starts this far below its end. */
const leastFraction = 1e-6;
/** How finely a share of the range is drawn. */
const steps = 2 ** 31 - 1;

const within = (value: number, { min, max }: Interval): number => Math.min(max, Math.max(min, value));

/** The place of the interval nearest to 0: what counterexamples shrink towards. */
const simplest = (interval: Interval): number => within(0, interval);

/** Uniform in the logarithm of its size, on either side of 0; from the far end (share 0) to the near one (1). */
const byMagnitude = ({ min, max }: Interval, share: number, positive: boolean): number => {
  if (min < 0 && max > 0) return (positive ? max : min) * leastFraction ** share;
  const [near, far] = Math.abs(min) < Math.abs(max) ? [min, max] : [max, min];
  return far * (near === 0 ? leastFraction : near / far) ** share;
};

/** Rounded to so many significant decimal digits. */
const toDigits = (value: number, digits: number): number => Number(value.toPrecision(digits));

/** Significant decimal digits of the shortest way to write the number. */
const decimalDigits = (value: number): number =>
  value
    .toExponential()
    .replace(/e.*$/, "")
    .replace(/[^0-9]/g, "").length;

/** Simpler means fewer digits, then nearer to the simplest place. */
function* simpler(value: number, interval: Interval): Generator<number> {
  const origin = simplest(interval);
  const digits = decimalDigits(value);
  const seen = new Set([value]);
  const isSimpler = (candidate: number): boolean => {
    if (seen.has(candidate)) return false;
    seen.add(candidate);
    const fewer = decimalDigits(candidate) - digits;
    return fewer < 0 || (fewer === 0 && Math.abs(candidate - origin) < Math.abs(value - origin));
  };
  if (value === origin) return;
  yield origin;
  seen.add(origin);
  for (let kept = 1; kept <= digits; kept++) {
    for (const part of [1 / 16, 1 / 4, 1 / 2, 3 / 4, 7 / 8, 1]) {
      const candidate = within(toDigits(origin + (value - origin) * part, kept), interval) + 0; // no -0
      if (isSimpler(candidate)) yield candidate;
    }
  }
}

class RealArbitrary extends fc.Arbitrary<number> {
  readonly #interval: Interval;
  readonly #landmarks: readonly number[];
  readonly #byRepresentation: fc.Arbitrary<number>;

  constructor(interval: Interval) {
    super();
    const { min, max } = interval;
    const simple = [0, 1, -1, 1 / 2, 2].filter((x) => min <= x && x <= max);
    this.#interval = interval;
    this.#landmarks = [...new Set([min, max, interval.default, ...simple])];
    this.#byRepresentation = fc.double({ min, max, noNaN: true });
  }

  generate(random: fc.Random, biasFactor: number | undefined): fc.Value<number> {
    return new fc.Value(this.#draw(random, biasFactor), undefined);
  }

  /** Of twenty, five landmarks, eight uniform, six by magnitude, one by representation; half of them short decimals. */
  #draw(random: fc.Random, biasFactor: number | undefined): number {
    const { min, max } = this.#interval;
    const way = random.nextInt(0, 19);
    if (way < 5) return this.#landmarks[random.nextInt(0, this.#landmarks.length - 1)]!;
    if (way === 19) return this.#byRepresentation.generate(random, biasFactor).value;
    const share = random.nextInt(0, steps) / steps;
    const value =
      way < 13 ? min + share * (max - min) : byMagnitude(this.#interval, share, random.nextInt(0, 1) === 1);
    return within(random.nextInt(0, 1) === 1 ? toDigits(value, 2) : value, this.#interval);
  }

  canShrinkWithoutContext(value: unknown): value is number {
    return typeof value === "number" && this.#interval.min <= value && value <= this.#interval.max;
  }

  shrink(value: number): fc.Stream<fc.Value<number>> {
    return fc.stream(simpler(value, this.#interval)).map((x) => new fc.Value(x, undefined));
  }
}

/** Landmarks, uniform and logarithmic draws; counterexamples shrink to few digits, and towards 0. */
export const drawReal = (interval: Interval): fc.Arbitrary<number> => new RealArbitrary(interval);
