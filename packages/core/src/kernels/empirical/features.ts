// Of a block of examples: for each weight and each output, the rows whose products are the tangent kernel.
import { run } from "../../engine/run.ts";
import { float64, graph } from "../../graph/builder.ts";
import { windowAxes, windows } from "../../graph/elements/windows.ts";
import type { Graph } from "../../graph/graph.ts";
import { elementCount, numbers, type Tensor, view } from "../../graph/tensor.ts";
import { perExampleJacobian } from "../../passes/jacobian.ts";
import { KernelError } from "../error.ts";
import { type BackwardModel, backKey, operandKey } from "./backward.ts";
import type { LayerUse } from "./layers.ts";

/** A matrix with one row an example. */
export interface Rows {
  readonly entries: Float64Array;
  readonly width: number;
}

/** The gradient of output o by a weight is back[o] (times operand, outer product, where there is one). */
export interface WeightFeatures {
  readonly weight: string;
  readonly operand: Rows | undefined;
  readonly back: readonly Rows[];
}

export interface BlockFeatures {
  readonly count: number;
  readonly outputs: number;
  readonly weights: readonly WeightFeatures[];
}

let contraction: Graph | undefined;
/** d h^T of each example: [N, units, positions] times [N, positions, window]. */
const contractionGraph = (): Graph => {
  contraction ??= graph(
    { d: float64("N", "C", "P"), h: float64("N", "P", "W") },
    ({ d, h }) => ({ j: d.matmul(h) }),
    { name: "contraction" },
  );
  return contraction;
};

const rowsOf = (t: Tensor): Rows => {
  const entries = numbers(t);
  if (!(entries instanceof Float64Array)) throw new KernelError("a layer does not compute in float64");
  return { entries, width: entries.length / t.dims[0]! };
};

/** The features of the examples in `x`, of these outputs (all if none are named). */
export async function featuresOf(
  model: BackwardModel,
  x: Tensor,
  shape: readonly number[],
  asked: readonly number[],
): Promise<BlockFeatures> {
  const count = x.dims[0]!;
  const outputs = elementCount(shape);
  const found: { operand: Rows | undefined; back: Rows[] }[] = model.uses.map(() => ({
    operand: undefined,
    back: [],
  }));
  for (const o of model.graph ? asked : []) {
    const seed = new Float64Array(count * outputs);
    for (let i = 0; i < count; i++) seed[i * outputs + o] = 1;
    const values = await run(model.graph!, {
      [model.input]: x,
      seed: view("float64", [count, ...shape], seed),
    });
    for (const [k, use] of model.uses.entries()) {
      if (use.kind === "other") continue;
      const [back, operand] = [values[backKey(k)]!, values[operandKey(k)]];
      if (use.kind === "dense") found[k]!.operand ??= rowsOf(operand!);
      found[k]!.back.push(await backRows(use, back, operand));
    }
  }
  // The bias of a dense layer has what comes back to its weight: the same array, so that its products are found once.
  model.uses.forEach((use, k) => {
    if (use.kind !== "bias") return;
    const twin = model.uses.findIndex((other) => other.kind === "dense" && other.output === use.output);
    if (twin >= 0) found[k]!.back = found[twin]!.back;
  });
  await addOthers(model, x, outputs, asked, found);
  return {
    count,
    outputs: asked.length,
    weights: model.uses.map(({ weight }, k) => ({ weight, ...found[k]! })),
  };
}

async function backRows(
  use: Exclude<LayerUse, { kind: "other" }>,
  back: Tensor,
  operand: Tensor | undefined,
): Promise<Rows> {
  if (use.kind === "dense") return rowsOf(back);
  if (use.kind === "bias") return summed(back, use.unitsLast);
  const [count, positions] = [back.dims[0]!, elementCount(back.dims.slice(1)) / unitsOf(use, back)];
  const d = use.kind === "window" ? back : movedLast(back);
  const h = use.kind === "window" ? patches(use, operand!, back.dims.slice(2)) : operand!;
  const { j } = await run(contractionGraph(), {
    d: view("float64", [count, unitsOf(use, back), positions], d.data),
    h: view("float64", [count, positions, h.data.length / count / positions], h.data),
  });
  return rowsOf(j!);
}

const unitsOf = ({ kind }: LayerUse, { dims }: Tensor): number =>
  kind === "window" ? dims[1]! : dims.at(-1)!;

/** [N, P, C] as [N, C, P]. */
function movedLast(t: Tensor): Tensor {
  const { entries } = rowsOf(t);
  const [count, units] = [t.dims[0]!, t.dims.at(-1)!];
  const positions = entries.length / count / units;
  const moved = new Float64Array(entries.length);
  for (let i = 0; i < count; i++)
    for (let p = 0; p < positions; p++)
      for (let c = 0; c < units; c++)
        moved[(i * units + c) * positions + p] = entries[(i * positions + p) * units + c]!;
  return view("float64", [count, units, positions], moved);
}

/** A bias stands at every position: what comes back is summed over them. */
function summed(back: Tensor, unitsLast: boolean): Rows {
  const rows = rowsOf(back);
  const count = back.dims[0]!;
  const units = unitsLast ? back.dims.at(-1)! : back.dims[1]!;
  const positions = rows.width / units;
  if (positions === 1) return rows;
  const entries = new Float64Array(count * units);
  for (let i = 0; i < count; i++)
    for (let n = 0; n < rows.width; n++)
      entries[i * units + (unitsLast ? n % units : Math.floor(n / positions))]! +=
        rows.entries[i * rows.width + n]!;
  return { entries, width: units };
}

/** The windows of a convolution, one after the other: [N, positions, channels * taps]. */
function patches(
  { kernel, attributes }: Extract<LayerUse, { kind: "window" }>,
  operand: Tensor,
  outputs: readonly number[],
): Tensor {
  const { entries, width } = rowsOf(operand);
  const [count, channels, ...sides] = operand.dims as readonly [number, number, ...number[]];
  const [size, taps] = [elementCount(sides), elementCount(kernel)];
  const all = windows(windowAxes(sides, kernel, outputs, attributes));
  const result = new Float64Array(count * all.length * channels * taps);
  for (let i = 0; i < count; i++)
    all.forEach((window, p) => {
      const to = (i * all.length + p) * channels * taps;
      for (let c = 0; c < channels; c++)
        for (let n = 0; n < window.positions.length; n++)
          result[to + c * taps + window.taps[n]!] = entries[i * width + c * size + window.positions[n]!]!;
    });
  return view("float64", [count, all.length, channels * taps], result);
}

const jacobians = new WeakMap<BackwardModel, Graph>();

/** Weights without a form of their own: the Jacobian of each example, written out. */
async function addOthers(
  model: BackwardModel,
  x: Tensor,
  outputs: number,
  asked: readonly number[],
  found: readonly { back: Rows[] }[],
): Promise<void> {
  const others = model.uses.flatMap((use, k) => (use.kind === "other" ? [{ weight: use.weight, k }] : []));
  if (others.length === 0) return;
  const made =
    jacobians.get(model) ?? perExampleJacobian(model.model, { wrt: others.map(({ weight }) => weight) });
  jacobians.set(model, made);
  const values = await run(made, { [model.input]: x });
  for (const { weight, k } of others) {
    const { entries, width } = rowsOf(values[`jacobian_${weight}`]!);
    const size = width / outputs;
    for (const o of asked) {
      const rows = new Float64Array(x.dims[0]! * size);
      for (let i = 0; i < x.dims[0]!; i++)
        rows.set(entries.subarray(i * width + o * size, i * width + (o + 1) * size), i * size);
      found[k]!.back.push({ entries: rows, width: size });
    }
  }
}
