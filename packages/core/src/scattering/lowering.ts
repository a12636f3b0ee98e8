// Writes the cascade of a scattering transform as matrix products: each sheet's transform, wavelets with the samples that
// they may leave out, modulus, averages.
import { type NumericType, type Tensor, view } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";
import { type Cut, firstBack, firstComplex, firstReal, second, secondBack, type Weights } from "./cut.ts";
import type { Filter, Wavelet } from "./filter-bank.ts";
import type { ScatteringPlan } from "./plan.ts";
import { type Averages, averages, coarser, separated } from "./resolution.ts";

/** Weights of one graph: made once, and the same object each time. */
export class WeightStore {
  readonly #known = new Map<string, Tensor>();
  readonly #type: "float32" | "float64";

  constructor(type: "float32" | "float64") {
    this.#type = type;
  }

  get type(): NumericType {
    return this.#type;
  }

  get(key: string, make: () => Weights): Tensor {
    const known = this.#known.get(key);
    if (known) return known;
    const made = this.tensor(make());
    this.#known.set(key, made);
    return made;
  }

  tensor({ dims, values }: Weights): Tensor {
    return view(this.#type, dims, this.#type === "float64" ? values : Float32Array.from(values));
  }
}

/** Which samples of a signal the points of an axis show, and how many there are: padding inside of a product. */
export interface Source {
  readonly from: readonly number[];
  readonly length: number;
}

type Product = "firstReal" | "firstComplex" | "second" | "firstBack" | "secondBack";
const products = { firstReal, firstComplex, second, firstBack, secondBack };

/** Layouts have the columns C (wavelets times batch) last: signals [n.., C], spectra [n.., 2, C], frequencies as cut. */
const times = (product: Product, cut: Cut, value: Value, store: WeightStore): Value => {
  const key = product === "second" || product === "firstBack" ? `${cut.p} x ${cut.q}` : cut.p;
  const weights = store.get(`${product} ${key}`, () => products[product](cut));
  return value.builder.lift(weights, store.type).matmul(value);
};

/** The spectrum [n.., 2, C] of a real signal [n.., C]. */
export function forward(u: Value, cuts: readonly Cut[], store: WeightStore): Value {
  const [rows, columns] = cuts as readonly [Cut, Cut?];
  const first = times("firstReal", rows, u.reshape([rows.p, -1]), store);
  const down = rows.q === 1 ? first : times("second", rows, first.reshape([rows.p, 2 * rows.q, -1]), store);
  const n = rows.p * rows.q;
  if (!columns) return down.reshape([n, 2, -1]);
  const { p, q } = columns;
  const across = times("firstComplex", columns, down.reshape([n, 2 * p, -1]), store);
  const done = q === 1 ? across : times("second", columns, across.reshape([n, p, 2 * q, -1]), store);
  return done.reshape([n, p * q, 2, -1]);
}

/** The signal [2, n.., C] of a spectrum [n.., 2, C]. */
function back(spectrum: Value, cuts: readonly Cut[], store: WeightStore): Value {
  const [rows, columns] = cuts as readonly [Cut, Cut?];
  const n = rows.p * rows.q;
  let value = spectrum;
  if (columns) {
    const { p, q } = columns;
    if (q > 1) value = times("firstBack", columns, value.reshape([n, p, 2 * q, -1]), store);
    value = times("secondBack", columns, value.reshape([n, 2 * p, -1]), store);
  }
  if (rows.q > 1) value = times("firstBack", rows, value.reshape([rows.p, 2 * rows.q, -1]), store);
  value = times("secondBack", rows, value.reshape([2 * rows.p, -1]), store);
  return value.reshape([2, n, ...(columns ? [columns.p * columns.q] : []), -1]);
}

/** What every wavelet of a layer starts from. */
export interface Layer {
  /** [n.., 2, C] */
  readonly spectrum: Value;
  readonly cuts: readonly Cut[];
  /** It has every 2^k-th sample. */
  readonly k: number;
}

/** u * psi with every 2^target-th sample of the grid, for all these filters at once: [2, n.., filters C]. */
export function waves(
  { spectrum, cuts, k }: Layer,
  filters: readonly Filter[],
  target: number,
  grid: readonly number[],
  store: WeightStore,
): Value {
  const d = target - k;
  const coarse = cuts.map(({ p, q }) => ({ p, q: q / 2 ** d }));
  const mixed = spectrum.builder.lift(store.tensor(mixtures(filters, coarse, k, d, grid)), store.type);
  const folded = fold(spectrum, coarse, d);
  // Without folding it is a product of numbers, else a product of matrices.
  return back(d === 0 ? folded.mul(mixed) : mixed.matmul(folded), coarse, store);
}

/** |u * psi| with every 2^target-th sample of the grid, for all these wavelets at once: [n.., wavelets C]. */
export function waveletModulus(
  layer: Layer,
  wavelets: readonly Wavelet[],
  target: number,
  { geometry: { grid } }: ScatteringPlan,
  store: WeightStore,
): Value {
  const axes = view("int64", [1], BigInt64Array.of(0n));
  return waves(layer, wavelets, target, grid, store).op("ReduceL2", [axes], { keepdims: 0 });
}

/** [n.., 2, K, C]: the K frequencies that become one where samples are left out. */
function fold(spectrum: Value, coarse: readonly Cut[], d: number): Value {
  const n = 2 ** d;
  const sizes = coarse.map(({ p, q }) => p * q);
  if (d === 0) return spectrum.reshape([...sizes, 2, 1, -1]);
  const apart = spectrum.reshape([...coarse.flatMap(({ p, q }) => [p, n, q]), 2, -1]);
  if (coarse.length === 1) return apart.transpose([0, 2, 3, 1, 4]).reshape([...sizes, 2, n, -1]);
  return apart.transpose([0, 2, 3, 5, 6, 1, 4, 7]).reshape([...sizes, 2, n * n, -1]);
}

/** [n.., 1, filters, K]: psi^ at the frequencies that fold onto one, over how many they are. */
function mixtures(
  filters: readonly Filter[],
  coarse: readonly Cut[],
  k: number,
  d: number,
  grid: readonly number[],
): Weights {
  const n = 2 ** d;
  const spectra = filters.map(({ re }) => coarser(re, grid, k));
  /** At each place of an axis, the frequencies that fold onto it. */
  const axes = coarse.map(({ p, q }) =>
    Array.from({ length: p * q }, (_, at) => {
      const [f1, f2] = [Math.floor(at / q), at % q];
      return Array.from({ length: n }, (__, alias) => f1 + p * (f2 + q * alias));
    }),
  );
  const [rows, columns = [[0]]] = axes as [number[][], number[][]?];
  const width = coarse[1] ? coarse[1].p * coarse[1].q * n : 1;
  const folds = n ** coarse.length;
  const values = new Float64Array(rows.length * columns.length * filters.length * folds);
  let at = 0;
  for (const down of rows)
    for (const across of columns)
      for (const spectrum of spectra)
        for (const f of down) for (const g of across) values[at++] = spectrum[f * width + g]! / folds;
  return { dims: [...axes.map((axis) => axis.length), 1, filters.length, folds], values };
}

/** S u = u * phi at the samples that the output keeps: [out, C] or [out, out, C], from u [P, Q, C]. */
export function averaged(
  u: Value,
  k: number,
  plan: ScatteringPlan,
  store: WeightStore,
  sources?: readonly Source[],
): Value {
  const { grid, stride, first, output } = plan.geometry;
  const { lowPass } = plan.banks[0]!;
  const sizes = grid.map((n) => n / 2 ** k);
  const lengths = sources?.map(({ length }) => length) ?? sizes;
  const low = coarser(lowPass.re, grid, k);
  const factors = grid.length === 1 ? [low] : separated({ re: low }, sizes as [number, number]);
  if (!factors) return averagedByFrequency(u, k, plan, store, sources);
  const [down, across] = factors.map((spectrum, axis) => {
    const weights = store.get(`averages ${k} ${axis}${sources ? " padded" : ""}`, () =>
      merged(averages(spectrum, 2 ** (stride - k), first[axis]!, output[axis]!), sources?.[axis]),
    );
    return u.builder.lift(weights, store.type);
  }) as [Value, Value?];
  const rows = down.matmul(u.reshape([lengths[0]!, -1]));
  return across ? across.matmul(rows.reshape([output[0]!, lengths[1]!, -1])) : rows;
}

/** The same for a low-pass filter that is no product of one in the rows and one in the columns. */
function averagedByFrequency(
  u: Value,
  k: number,
  { geometry: { grid, stride, first, output }, banks }: ScatteringPlan,
  store: WeightStore,
  sources: readonly Source[] | undefined,
): Value {
  const cuts = grid.map((n) => ({ p: n / 2 ** stride, q: 2 ** (stride - k) }));
  const spectrum = forward(padded(u, sources), cuts, store);
  const low = waves({ spectrum, cuts, k }, [banks[0]!.lowPass], stride, grid, store);
  const kept = output.reduce(
    (value, n, axis) => value.slice(axis + 1, first[axis]!, first[axis]! + n),
    low.slice(0, 0, 1),
  );
  return kept.reshape([...output, -1]);
}

/** A matrix on padded samples as one on the samples themselves: columns that show the same sample add up. */
function merged({ rows, columns, values }: Averages, source: Source | undefined): Weights {
  if (!source) return { dims: [rows, columns], values };
  const out = new Float64Array(rows * source.length);
  for (let r = 0; r < rows; r++)
    for (let t = 0; t < columns; t++) out[r * source.length + source.from[t]!]! += values[r * columns + t]!;
  return { dims: [rows, source.length], values: out };
}

/** The signal on its grid: an axis each shows the samples that it mirrors. */
export const padded = (u: Value, sources: readonly Source[] | undefined): Value =>
  sources?.reduce((value, { from }, axis) => value.gather([...from], axis), u) ?? u;
