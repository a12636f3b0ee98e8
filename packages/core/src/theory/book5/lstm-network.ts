// An LSTM as ONNX has it: one operator, gates in the order i, o, f, z, with a linear classifier behind its last output.
import { float32, float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { type Nested, type Tensor, tensor } from "../../graph/tensor.ts";
import type { LstmCell } from "./plain-lstm.ts";

export interface Classifier {
  /** One row a class. */
  readonly W: readonly (readonly number[])[];
  readonly b: readonly number[];
}

const order = ["i", "o", "f", "z"] as const;

/** From "x" [1, steps, inputs] to "y" [1, classes], and "hidden", the outputs of all steps [steps, units]. */
export function lstmNetwork(
  cell: LstmCell,
  { W, b }: Classifier,
  steps: number,
  type: "float32" | "float64" = "float64",
): Graph {
  const [units, inputs] = [cell.z.b.length, cell.z.W[0]!.length];
  const weight = (values: Nested): Tensor => tensor(values, { type });
  const zeros = new Array<number>(4 * units).fill(0);
  return graph({ x: (type === "float64" ? float64 : float32)(1, steps, inputs) }, ({ x }) => {
    const [all, last] = x.builder.apply(
      "LSTM",
      [
        x.transpose([1, 0, 2]),
        weight([order.flatMap((g) => cell[g].W)]),
        weight([order.flatMap((g) => cell[g].U)]),
        weight([[...order.flatMap((g) => cell[g].b), ...zeros]]),
      ],
      { hidden_size: units },
      2,
    );
    return {
      y: last!.reshape([1, units]).affine(weight(W), weight(b)),
      hidden: all!.reshape([steps, units]),
    };
  });
}

/** A sequence as the network takes it. */
export const sequence = (
  xs: readonly (readonly number[])[],
  type: "float32" | "float64" = "float64",
): Tensor => tensor([xs], { type });
