// The pass itself: one rule an operator, from covariances to covariances.
import { type ForwardPass, forwardPass } from "../../passes/pass.ts";
import type { Context } from "./context.ts";
import { elementwiseRules } from "./elementwise-rules.ts";
import { linearRules } from "./linear-rules.ts";
import type { Meaning } from "./meaning.ts";
import { shapeRules } from "./shape-rules.ts";

/** The limit kernels of all values of a graph, on one tile of pairs of examples. */
export const limitPass = (context: Context): ForwardPass<Meaning> =>
  forwardPass<Meaning>(
    "limit kernel",
    { ...elementwiseRules(context), ...shapeRules(context), ...linearRules(context) },
    (weight) => ({ kind: "weight", dims: weight.dims, values: weight }),
  );
