// The formula and the network's error along one variable, or over two of them: what the plots need.

/** Along one variable, in columns; in each the least and the greatest error, so that no wave is too short to be seen. */
export interface Curve {
  readonly kind: "curve";
  readonly name: string;
  readonly at: Float64Array;
  readonly formula: Float64Array;
  readonly network: Float64Array;
  readonly least: Float64Array;
  readonly greatest: Float64Array;
}

/** Over two variables, on a grid; the first one is the fastest. */
export interface Heat {
  readonly kind: "heat";
  readonly names: readonly [string, string];
  readonly across: readonly [number, number];
  readonly up: readonly [number, number];
  readonly size: number;
  readonly formula: Float64Array;
  readonly errors: Float64Array;
}

export type Surface = Curve | Heat;

/** Which variables are the axes (one or two), and where all others stand. */
export interface Slice {
  readonly axes: readonly string[];
  readonly at: Readonly<Record<string, number>>;
}

/** Points along the axis as columns: the first point of each, and the range of errors in it. */
export function curveOf(
  name: string,
  points: Float64Array,
  formula: Float64Array,
  network: Float64Array,
  columns: number,
): Curve {
  const size = Math.max(1, Math.ceil(points.length / columns));
  const count = Math.ceil(points.length / size);
  const first = (values: Float64Array): Float64Array =>
    Float64Array.from({ length: count }, (_, k) => values[k === count - 1 ? values.length - 1 : k * size]!);
  const [least, greatest] = [new Float64Array(count), new Float64Array(count)];
  for (let k = 0; k < count; k++) {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = k * size; i < Math.min(points.length, (k + 1) * size); i++) {
      const error = network[i]! - formula[i]!;
      [low, high] = [Math.min(low, error), Math.max(high, error)];
    }
    [least[k], greatest[k]] = [low, high];
  }
  const [at, exact, computed] = [first(points), first(formula), first(network)];
  return { kind: "curve", name, at, formula: exact, network: computed, least, greatest };
}
