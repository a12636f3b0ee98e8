// placeholder table: completed below in this task
import type { Value } from "../graph/value.ts";

export type ActivationName = "relu";
export const applyActivation = (_name: ActivationName, value: Value): Value => value.relu();
