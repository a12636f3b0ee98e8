// What a training run is asked for.
import type { Tensor } from "../../graph/tensor.ts";
import type { LogitPenalties } from "../logit-penalty.ts";
import type { LossName } from "../loss.ts";
import type { Coefficients, OptimizerName } from "../optimizer.ts";
import type { Penalties } from "../penalty.ts";

export interface TrainingOptions extends Penalties, LogitPenalties, Partial<Coefficients> {
  readonly loss: LossName;
  readonly optimizer?: OptimizerName;
  /** Examples a step; "full": all of them. Default: 128, for gd all of them. */
  readonly batch?: number | "full";
  /** Names of the weights to train; default: all that are weights by their place in the graph. */
  readonly weights?: readonly string[];
  /** Connections, by the weight's name: where its mask is 0, a weight is 0 from the start and stays it. */
  readonly masks?: Readonly<Record<string, Tensor>>;
  /** Gradients with a greater Euclidean norm are scaled down to this. */
  readonly clip?: number;
  /** Keep the mean of the iterates, or a moving one with this decay. */
  readonly averaging?: "mean" | number;
}
