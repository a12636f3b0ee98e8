// max(a x, x): for a > 1, the slope a is the one on the right.
import type { FunctionOfOneVariable } from "../definition.ts";
import { twoSlopes } from "../dual.ts";
import { lineJet, twoSided } from "../two-sided.ts";
import { reluRow } from "./relu.ts";

export const leakyRelu = {
  activation: {
    parameter: {
      default: 0.01,
      range: "a slope a >= 0 that is not 1",
      marker: 0.7310585786300049,
      allows: (a) => a >= 0 && a < Number.POSITIVE_INFINITY && a !== 1,
    },
    make: (a) => ({
      ...reluRow,
      /** ONNX Runtime has LeakyRelu in float32 only, and it is that maximum for alpha <= 1 only. */
      apply: (x) =>
        a <= 1 && x.type.type === "float32" ? x.op("LeakyRelu", [], { alpha: a }) : x.mul(a).max(x),
      jet: twoSided(0, lineJet(Math.min(a, 1)), lineJet(Math.max(a, 1))),
      limits: [a === 0 ? 0 : Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
      lipschitz: Math.max(a, 1),
    }),
    /** LeakyRelu, and PRelu with one slope for all, for a slope below 1. */
    read: ({ op, attribute, constants }) => {
      if (op !== "LeakyRelu" && op !== "PRelu") return undefined;
      const slopes = op === "PRelu" ? constants(1) : [attribute("alpha")];
      const slope = slopes?.[0] ?? Number.NaN;
      return slope >= 0 && slope < 1 && slopes!.every((s) => s === slope) ? slope : undefined;
    },
  },
  dual: (a) => twoSlopes(Math.min(a, 1), Math.max(a, 1)),
} satisfies FunctionOfOneVariable;
