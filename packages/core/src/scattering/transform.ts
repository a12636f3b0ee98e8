// The scattering transform as an ONNX graph.
import { float32, float64, graph } from "../graph/builder.ts";
import type { GraphWith } from "../graph/graph.ts";
import { tensor } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";
import type { Cut } from "./cut.ts";
import { chosenCut } from "./cut-choice.ts";
import { sources } from "./geometry.ts";
import {
  averaged,
  forward,
  type Layer,
  padded,
  type Source,
  WeightStore,
  waveletModulus,
} from "./lowering.ts";
import { type ScatteringOptions, type ScatteringPlan, scatteringPlan } from "./plan.ts";

export interface TransformOptions extends ScatteringOptions {
  /** Default: float32. */
  readonly type?: "float32" | "float64";
}

export interface Scattering extends ScatteringPlan {
  /** x [N, samples] or [N, rows, columns] -> s [N, paths, outputs] or [N, paths, outputs, outputs]. */
  readonly graph: GraphWith<"s">;
}

/** Averages of one path's wavelets, with the columns in the order of `wavelets`. */
interface Piece {
  readonly value: Value;
  readonly wavelets: readonly (readonly number[])[];
}

/**
 * The transform for signals of one shape: standard operators only, any number of signals at once.
 * @example scattering({ shape: [16, 16], scale: 2 }).geometry.output // [4, 4]
 */
export function scattering({ type = "float32", ...options }: TransformOptions): Scattering {
  const plan = scatteringPlan(options);
  const { shape } = plan.geometry;
  const typed = type === "float32" ? float32 : float64;
  const written = graph({ x: typed("N", ...shape) }, ({ x }) => ({ s: coefficients(x, plan, type) }), {
    name: "scattering",
  });
  return { ...plan, graph: written };
}

/** The coefficients [N, paths, outputs ..] of x [N, ...], as a part of another graph. */
export function coefficients(x: Value, plan: ScatteringPlan, type: "float32" | "float64"): Value {
  const signals = x.transpose([...plan.geometry.shape.map((_, axis) => axis + 1), 0]);
  return assembled(cascade(signals, plan, new WeightStore(type)), plan);
}

function cascade(signals: Value, plan: ScatteringPlan, store: WeightStore): readonly Piece[] {
  const { shape, grid, before, padding } = plan.geometry;
  const shown: readonly Source[] = shape.map((length, axis) => ({
    from: sources(length, grid[axis]!, before[axis]!, padding),
    length,
  }));
  const zero = { value: averaged(signals, 0, plan, store, shown), wavelets: [[]] };
  if (plan.order === 0) return [zero];
  const groups = byScale(plan, 0, Number.NEGATIVE_INFINITY);
  const cuts = cutsFor(plan, 0, groups);
  const layer: Layer = { cuts, k: 0, spectrum: forward(padded(signals, shown), cuts, store) };
  return [zero, ...groups.flatMap((group) => below(layer, group, [], plan, store))];
}

/** Wavelets of one order with the same scale, which may keep every 2^k-th sample. */
interface Group {
  readonly order: number;
  readonly j: number;
  readonly k: number;
  readonly wavelets: readonly number[];
}

/** Octaves of samples that |.. * psi| leaves out, for a wavelet of scale j. */
export const keptSamples = ({ geometry, average, oversampling }: ScatteringPlan, j: number): number =>
  Math.min(geometry.stride, Math.floor(Math.log2(average)), Math.max(0, j - oversampling));

function byScale(plan: ScatteringPlan, order: number, above: number): readonly Group[] {
  const { wavelets } = plan.banks[order]!;
  const scales = [...new Set(wavelets.map(({ j }) => j))].filter((j) => j > above).sort((a, b) => a - b);
  return scales.map((j) => ({
    ...{ order, j, k: keptSamples(plan, j) },
    wavelets: wavelets.flatMap((wavelet, n) => (wavelet.j === j ? [n] : [])),
  }));
}

/** What a group of wavelets gives, and what follows it. */
function below(
  layer: Layer,
  group: Group,
  parents: readonly (readonly number[])[],
  plan: ScatteringPlan,
  store: WeightStore,
): readonly Piece[] {
  const wavelets = group.wavelets.map((n) => plan.banks[group.order]!.wavelets[n]!);
  const u = waveletModulus(layer, wavelets, group.k, plan, store);
  const paths = group.wavelets.flatMap((n) =>
    parents.length === 0 ? [[n]] : parents.map((path) => [...path, n]),
  );
  const piece = { value: averaged(u, group.k, plan, store), wavelets: paths };
  if (group.order + 1 >= plan.order) return [piece];
  const next = byScale(plan, group.order + 1, group.j);
  if (next.length === 0) return [piece];
  const cuts = cutsFor(plan, group.k, next);
  const spectrum = forward(u, cuts, store);
  return [
    piece,
    ...next.flatMap((child) => below({ spectrum, cuts, k: group.k }, child, paths, plan, store)),
  ];
}

const cutsFor = (
  { geometry: { grid } }: ScatteringPlan,
  k: number,
  children: readonly Group[],
): readonly Cut[] =>
  grid.map((n) =>
    chosenCut(
      n / 2 ** k,
      children.map((child) => ({ coarser: child.k - k, wavelets: child.wavelets.length })),
    ),
  );

/** [out.., paths, N] of each piece, as one [N, paths, out..] in the order of the paths. */
function assembled(pieces: readonly Piece[], { geometry: { output }, paths }: ScatteringPlan): Value {
  const axis = output.length;
  const parts = pieces.map(({ value, wavelets }) => value.reshape([...output, wavelets.length, -1]));
  const all = parts.length === 1 ? parts[0]! : parts[0]!.concat(parts.slice(1), axis);
  const place = new Map(pieces.flatMap(({ wavelets }) => wavelets).map((path, k) => [path.join(), k]));
  const order = paths.map(({ wavelets }) => place.get(wavelets.join())!);
  return all
    .transpose([axis + 1, axis, ...output.map((_, k) => k)])
    .gather(tensor(order, { type: "int64" }), 1);
}
