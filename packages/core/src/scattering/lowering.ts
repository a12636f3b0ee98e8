// Writes the cascade of a scattering transform as matrix products: each sheet's transform, wavelets with the samples that
// they may leave out, modulus, averages.
import { type NumericType, type Tensor, view } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";
import type { Filter, Wavelet } from "./filter-bank.ts";
import type { ScatteringPlan } from "./plan.ts";
import { type Averages, averages, coarser, separated } from "./resolution.ts";
import {
  columnsBack,
  columnsForward,
  rowsBack,
  rowsForward,
  type Sheet,
  type Source,
  type Weights,
} from "./sheet.ts";

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

const sheetKey = ({ p, q, isCut }: Sheet): string => `${p}x${q}${isCut ? "cut" : ""}`;

/** The spectrum [p, q, 2, C] of a real signal [P, Q, C]. */
export function forward(
  u: Value,
  sheet: Sheet,
  store: WeightStore,
  padded?: { readonly rows: Source; readonly columns: Source },
): Value {
  const { p, q } = sheet;
  const [rows, columns] = [padded?.rows.length ?? p, padded?.columns.length ?? q];
  const key = padded ? `${sheetKey(sheet)} padded` : sheetKey(sheet);
  const first = store.get(`rows forward ${key}`, () => rowsForward(sheet, padded?.rows));
  const second = store.get(`columns forward ${key}`, () => columnsForward(sheet, padded?.columns));
  const halfway = u.builder.lift(first, store.type).matmul(u.reshape([rows, -1]));
  const done = u.builder.lift(second, store.type).matmul(halfway.reshape([p, 2 * columns, -1]));
  return done.reshape([p, q, 2, -1]);
}

/** What every wavelet of a layer starts from. */
export interface Layer {
  /** [p, q, 2, C] */
  readonly spectrum: Value;
  readonly sheet: Sheet;
  /** It has every 2^k-th sample. */
  readonly k: number;
}

/** u * psi with every 2^target-th sample of the grid, for all these filters at once: [2, p, q, filters C]. */
function waves(
  { spectrum, sheet, k }: Layer,
  filters: readonly Filter[],
  target: number,
  grid: readonly number[],
  store: WeightStore,
): Value {
  const d = target - k;
  const coarse = coarseSheet(sheet, d);
  const { p, q } = coarse;
  const lift = (weights: Tensor): Value => spectrum.builder.lift(weights, store.type);
  const weights = lift(store.tensor(mixtures(filters, sheet, k, d, grid)));
  const folded = fold(spectrum, sheet, d);
  const filtered = d === 0 ? folded.mul(weights) : weights.matmul(folded);
  const back = lift(store.get(`columns back ${sheetKey(coarse)}`, () => columnsBack(coarse)));
  const halfway = back.matmul(filtered.reshape([p, 2 * q, -1])).reshape([2 * p, -1]);
  const rows = (): Value => lift(store.get(`rows back ${sheetKey(coarse)}`, () => rowsBack(coarse)));
  return (p === 1 ? halfway : rows().matmul(halfway)).reshape([2, p, q, -1]);
}

/** |u * psi| with every 2^target-th sample of the grid, for all these wavelets at once: [p, q, wavelets C]. */
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

/** One variable keeps its rows; a picture gets smaller in both. */
export const coarseSheet = ({ p, q, isCut }: Sheet, d: number): Sheet => ({
  p: isCut ? p : p / 2 ** d,
  q: q / 2 ** d,
  isCut,
});

/** [p, q, 2, K, C]: the K frequencies that become one where samples are left out. */
function fold(spectrum: Value, { p, q, isCut }: Sheet, d: number): Value {
  const n = 2 ** d;
  if (d === 0) return spectrum.reshape([p, q, 2, 1, -1]);
  if (isCut) return spectrum.reshape([p, n, q / n, 2, -1]).transpose([0, 2, 3, 1, 4]);
  return spectrum
    .reshape([n, p / n, n, q / n, 2, -1])
    .transpose([1, 3, 4, 0, 2, 5])
    .reshape([p / n, q / n, 2, n * n, -1]);
}

/** [p, q, 1, filters, K]: psi^ at the frequencies that fold onto one, over how many they are. */
function mixtures(
  filters: readonly Filter[],
  { p: rows, q: columns, isCut }: Sheet,
  k: number,
  d: number,
  grid: readonly number[],
): Weights {
  const n = 2 ** d;
  const [p, q, folds] = [isCut ? rows : rows / n, columns / n, isCut ? n : n * n];
  const spectra = filters.map(({ re }) => coarser(re, grid, k));
  const values = new Float64Array(p * q * filters.length * folds);
  let at = 0;
  for (let f = 0; f < p; f++)
    for (let g = 0; g < q; g++)
      for (const spectrum of spectra)
        for (let alias = 0; alias < folds; alias++) {
          const index = isCut
            ? f + rows * (g + q * alias)
            : (f + p * Math.floor(alias / n)) * columns + g + q * (alias % n);
          values[at++] = spectrum[index]! / folds;
        }
  // Without folding it is a product of numbers, else a product of matrices.
  return { dims: [p, q, 1, filters.length, folds], values };
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
  const [p, q] = grid.map((n) => n / 2 ** k) as [number, number];
  const sheet = { p, q, isCut: false };
  const spectrum = forward(u, sheet, store, sources && { rows: sources[0]!, columns: sources[1]! });
  const low = waves({ spectrum, sheet, k }, [banks[0]!.lowPass], stride, grid, store);
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
