// Of a block of examples: for each weight and each output, the rows whose products are the tangent kernel.
import { run } from "../../engine/run.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { elementCount, numbers, type Tensor, view } from "../../graph/tensor.ts";
import { worthThreads } from "../../linear-algebra/product.ts";
import { perExampleJacobian } from "../../passes/jacobian.ts";
import { KernelError } from "../error.ts";
import { type BackwardModel, operandKey, seedKey } from "./backward.ts";
import type { LayerUse } from "./layers.ts";
import { patches } from "./patches.ts";

/** A matrix, row by row. */
export interface Rows {
  readonly entries: Float64Array;
  readonly width: number;
}

/** The gradient of output o of example i by a weight is row i K + o of `back` (times row i of operand, outer product). */
export interface WeightFeatures {
  readonly weight: string;
  readonly operand: Rows | undefined;
  /** Weights to which the same comes back have the same object. */
  readonly back: Rows;
}

export interface BlockFeatures {
  readonly count: number;
  readonly outputs: number;
  readonly weights: readonly WeightFeatures[];
}

let contraction: Graph | undefined;
/** d h^T of each example: [N, outputs * units, positions] times [N, positions, window]. */
const contractionGraph = (): Graph => {
  contraction ??= graph(
    { d: float64("N", "C", "P"), h: float64("N", "P", "W") },
    ({ d, h }) => ({ j: d.matmul(h) }),
    { name: "contraction" },
  );
  return contraction;
};

export const threadsOf = (threads: number | undefined): { readonly threads?: number } =>
  threads === undefined ? {} : { threads };

const rowsOf = (t: Tensor): Rows => {
  const entries = numbers(t);
  if (!(entries instanceof Float64Array)) throw new KernelError("a layer does not compute in float64");
  return { entries, width: entries.length / t.dims[0]! };
};

/** The features of the examples in `x`, of these outputs. The network runs forward once. */
export async function featuresOf(
  model: BackwardModel,
  x: Tensor,
  shape: readonly number[],
  asked: readonly number[],
  threads?: number,
): Promise<BlockFeatures> {
  const { uses, layers } = model;
  const found = new Map<number, Omit<WeightFeatures, "weight">>();
  if (layers) {
    const values = await run(layers.early, { [model.input]: x }, threadsOf(threads));
    const returned = await comeBack(model, { ...values, [model.input]: x }, shape, asked, threads);
    for (const [k, use] of uses.entries()) {
      if (use.kind === "other") continue;
      const operand = values[operandKey(k)];
      const back = returned.get(returnKey(use, model.backs[k]!))!;
      found.set(k, {
        operand: use.kind === "dense" ? rowsOf(operand!) : undefined,
        back:
          use.kind === "window" || use.kind === "sequence"
            ? await contracted(use, back, operand!, asked.length, threads)
            : back.rows,
      });
    }
  }
  await addOthers(model, x, elementCount(shape), asked, found, threads);
  return {
    count: x.dims[0]!,
    outputs: asked.length,
    weights: uses.map(({ weight }, k) => ({ weight, ...found.get(k)! })),
  };
}

/** What comes back to a layer's output, in the form that the layer needs. */
interface Returned {
  /** Of one output's. */
  readonly dims: readonly number[];
  /** Row i K + o for output o of example i. */
  readonly rows: Rows;
}

type Use = Exclude<LayerUse, { kind: "other" }>;

/** A dense layer and its bias, and a convolution, take it as it is; a bias at many positions its sums over them. */
const returnKey = (use: Use, back: string): string => {
  if (use.kind === "sequence") return `moved/${back}`;
  return use.kind === "bias" && use.units !== "only" ? `summed/${use.units}/${back}` : back;
};

/** Runs the backward part: for all outputs at once, each example there once for each, or for one after the other. */
async function comeBack(
  model: BackwardModel,
  values: Readonly<Record<string, Tensor>>,
  shape: readonly number[],
  asked: readonly number[],
  threads: number | undefined,
): Promise<ReadonlyMap<string, Returned>> {
  const { input, layers, uses, backs } = model;
  const { late, kept, isByExample } = layers!;
  const [count, outputs, K] = [values[input]!.dims[0]!, elementCount(shape), asked.length];
  const together = isByExample ? K : 1;
  const known = Object.fromEntries(kept.map((name) => [name, repeated(values[name]!, together)]));
  // Below some size threads wait for each other longer than they work.
  const own = count * together * weightUses(model, values) < worthThreads ? 1 : threads;
  const result = new Map<string, Returned>();
  for (let place = 0; place < K; place += together) {
    const seed = new Float64Array(count * together * outputs);
    for (let row = 0; row < count * together; row++)
      seed[row * outputs + asked[place + (row % together)]!] = 1;
    const given = { ...known, [seedKey]: view("float64", [count * together, ...shape], seed) };
    const found: Readonly<Record<string, Tensor>> = await run(late, given, threadsOf(own));
    const once = new Map(
      uses.flatMap((use, k) =>
        use.kind === "other" ? [] : [[returnKey(use, backs[k]!), { use, back: found[backs[k]!]! }] as const],
      ),
    );
    for (const [key, { use, back }] of once) {
      const { entries, width } = inForm(use, back);
      const rows = result.get(key)?.rows ?? {
        entries: together === K ? entries : new Float64Array(entries.length * K),
        width,
      };
      result.set(key, { dims: [count, ...back.dims.slice(1)], rows });
      if (together < K) placeRows(rows, entries, place, K);
    }
  }
  return result;
}

/** How often weights are multiplied with for one example: once, or at each position. */
const weightUses = ({ model, uses }: BackwardModel, values: Readonly<Record<string, Tensor>>): number =>
  uses.reduce((sum, { kind, weight }, k) => {
    const dims = values[operandKey(k)]?.dims ?? [];
    const positions = kind === "window" ? dims.slice(2) : kind === "sequence" ? dims.slice(1, -1) : [];
    return sum + elementCount(model.initializers.get(weight)!.dims) * elementCount(positions);
  }, 0);

/** Each example so many times, one after the other. */
function repeated(t: Tensor, times: number): Tensor {
  if (times === 1) return t;
  const [count, ...rest] = t.dims as readonly [number, ...number[]];
  const data = t.data as Float64Array;
  const width = data.length / count;
  const copies = new (data.constructor as Float64ArrayConstructor)(data.length * times);
  for (let i = 0, to = 0; i < count; i++) {
    const row = data.subarray(i * width, (i + 1) * width);
    for (let k = 0; k < times; k++, to += width) copies.set(row, to);
  }
  return { ...t, dims: [count * times, ...rest], data: copies };
}

/** Row i of one output becomes row i K + o. */
function placeRows({ entries: all, width }: Rows, entries: Float64Array, o: number, K: number): void {
  for (let from = 0, to = o * width; from < entries.length; from += width, to += K * width)
    // A view of a short row takes longer to make than the row to copy.
    if (width < 64) for (let n = 0; n < width; n++) all[to + n] = entries[from + n]!;
    else all.set(entries.subarray(from, from + width), to);
}

function inForm(use: Use, back: Tensor): Rows {
  if (use.kind === "sequence") return movedLast(back);
  return use.kind === "bias" && use.units !== "only" ? summed(back, use.units) : rowsOf(back);
}

/** sum over positions of d[p] h[p]^T for each example and output: the gradient by the weight itself. */
async function contracted(
  use: Extract<Use, { kind: "window" | "sequence" }>,
  { rows, dims }: Returned,
  operand: Tensor,
  outputs: number,
  threads: number | undefined,
): Promise<Rows> {
  const [count, units] = [dims[0]!, use.kind === "window" ? dims[1]! : dims.at(-1)!];
  const positions = rows.width / units;
  const h = use.kind === "window" ? patches(use, operand, dims.slice(2)) : operand;
  const window = h.data.length / count / positions;
  const given = {
    d: view("float64", [count, outputs * units, positions], rows.entries),
    h: view("float64", [count, positions, window], h.data),
  };
  const { j } = await run(contractionGraph(), given, threadsOf(threads));
  return { entries: j!.data as Float64Array, width: units * window };
}

/** [N, P, C] as [N, C, P]. */
function movedLast(t: Tensor): Rows {
  const { entries, width } = rowsOf(t);
  const [count, units] = [t.dims[0]!, t.dims.at(-1)!];
  const positions = width / units;
  const moved = new Float64Array(entries.length);
  for (let i = 0; i < count; i++)
    for (let p = 0; p < positions; p++)
      for (let c = 0; c < units; c++)
        moved[(i * units + c) * positions + p] = entries[(i * positions + p) * units + c]!;
  return { entries: moved, width };
}

/** A bias stands at every position: what comes back is summed over them. */
function summed(back: Tensor, at: "last" | "first"): Rows {
  const { entries, width } = rowsOf(back);
  const [count, units] = [back.dims[0]!, at === "last" ? back.dims.at(-1)! : back.dims[1]!];
  const positions = width / units;
  const [unitStep, positionStep] = at === "last" ? [1, units] : [positions, 1];
  const sums = new Float64Array(count * units);
  for (let i = 0; i < count; i++)
    for (let c = 0; c < units; c++) {
      let sum = 0;
      for (let p = 0, n = i * width + c * unitStep; p < positions; p++, n += positionStep) sum += entries[n]!;
      sums[i * units + c] = sum;
    }
  return { entries: sums, width: units };
}

const jacobians = new WeakMap<BackwardModel, Graph>();

/** Weights without a form of their own: the Jacobian of each example, written out. */
async function addOthers(
  model: BackwardModel,
  x: Tensor,
  outputs: number,
  asked: readonly number[],
  found: Map<number, Omit<WeightFeatures, "weight">>,
  threads: number | undefined,
): Promise<void> {
  const others = model.uses.flatMap((use, k) => (use.kind === "other" ? [{ weight: use.weight, k }] : []));
  if (others.length === 0) return;
  const made =
    jacobians.get(model) ?? perExampleJacobian(model.model, { wrt: others.map(({ weight }) => weight) });
  jacobians.set(model, made);
  const values = await run(made, { [model.input]: x }, threadsOf(threads));
  for (const { weight, k } of others) {
    const { entries, width: all } = rowsOf(values[`jacobian_${weight}`]!);
    const [width, count] = [all / outputs, x.dims[0]!];
    const rows = new Float64Array(count * asked.length * width);
    for (let i = 0, to = 0; i < count; i++)
      for (const o of asked) {
        rows.set(entries.subarray(i * all + o * width, i * all + (o + 1) * width), to);
        to += width;
      }
    found.set(k, { operand: undefined, back: { entries: rows, width } });
  }
}
