// Penalties on the outputs of a batch that stand for its Rademacher complexity (book, chapter 2, appendix A1).
import { tensor } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";

export interface LogitPenalties {
  /** lambda |max_k (1/n) sum_i xi_i z_k(x_i)| over the n examples of a batch, with new signs xi for each batch. */
  readonly darc?: number;
  /** lambda max_k (1/n) sum_i |z_k(x_i)|: the greatest value of the former over all signs. */
  readonly darc1?: number;
}

/** The names of these penalties. */
export const logitPenaltyNames = ["darc", "darc1"] as const satisfies readonly (keyof LogitPenalties)[];

const ofColumns = (rows: Value): Value =>
  rows
    .op("ReduceMean", [tensor([0], { type: "int64" })], { keepdims: 0 })
    .op("ReduceMax", [], { keepdims: 0 });

/** What is added to the loss of a batch with outputs [n, K] and signs [n]; nothing, where no penalty is asked for. */
export function logitPenalty(
  logits: Value,
  signs: Value | undefined,
  { darc, darc1 }: LogitPenalties,
): Value | undefined {
  const rows = logits.op("Flatten", [], { axis: 1 });
  const terms = [
    ...(darc && signs
      ? [
          ofColumns(rows.mul(signs.reshape([-1, 1])))
            .abs()
            .mul(darc),
        ]
      : []),
    ...(darc1 ? [ofColumns(rows.abs()).mul(darc1)] : []),
  ];
  return terms.length === 0 ? undefined : terms.reduce((sum, term) => sum.add(term));
}
