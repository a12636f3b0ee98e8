// Examples of which so many are looked at together that their gradients fit memory.
import { inferTypes } from "../../graph/infer.ts";
import { elementCount, type Tensor, view } from "../../graph/tensor.ts";
import { KernelError } from "../error.ts";
import type { BackwardModel } from "./backward.ts";

/** The shape of the output for one example. */
export function outputShape({ model, output, input }: BackwardModel, x: Tensor): readonly number[] {
  const given = new Map([[input, { type: "float64", shape: x.dims } as const]]);
  const shape = inferTypes(model, { inputs: given }).get(output)?.shape;
  if (shape?.[0] !== x.dims[0] || !shape?.every((d) => typeof d === "number"))
    throw new KernelError(
      `output "${output}" has shape [${shape ?? "?"}]; it must hold the examples along its first axis`,
    );
  return shape.slice(1) as readonly number[];
}

export const outputCount = (shape: readonly number[]): number => elementCount(shape);

/** Examples whose gradients fit: their layers' numbers for each output, and Jacobians where there is no other way. */
export function examplesAtOnce(
  { model, input, uses }: BackwardModel,
  x: Tensor,
  outputs: number,
  memory: number,
): number {
  const given = new Map([[input, { type: "float64", shape: [1, ...x.dims.slice(1)] } as const]]);
  const types = inferTypes(model, { inputs: given });
  const sizeOf = (name: string): number =>
    types.get(name)?.shape?.reduce<number>((n, d) => n * (typeof d === "number" ? d : 1), 1) ?? 1;
  const numbers = uses.reduce((sum, use) => {
    if (use.kind === "dense") return sum + sizeOf(use.operand) + outputs * sizeOf(use.output);
    const weight = elementCount(model.initializers.get(use.weight)!.dims);
    if (use.kind === "other") return sum + outputs * weight;
    const windows = use.kind === "window" ? sizeOf(use.operand) * elementCount(use.kernel) : 0;
    return sum + outputs * (weight + sizeOf(use.output)) + windows;
  }, 0);
  // The rows' gradients, the columns', and the values that the way back needs, once for each output.
  return Math.max(1, Math.min(x.dims[0]!, Math.floor(memory / (24 * numbers))));
}

/** Rows from .. from + step - 1, or up to the last one. */
export function someExamples(x: Tensor, from: number, step: number): Tensor {
  const [count, ...rest] = x.dims as readonly [number, ...number[]];
  const [to, size] = [Math.min(count, from + step), elementCount(rest)];
  return view("float64", [to - from, ...rest], (x.data as Float64Array).subarray(from * size, to * size));
}
