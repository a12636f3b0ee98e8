// The rules of the symmetry pass, operator by operator. An operator without a rule pins all axes that it touches.
import { arrangementRules } from "./arrangement.ts";
import { contractionRules } from "./contraction.ts";
import { elementwiseRules } from "./elementwise.ts";
import { normalizationRules } from "./normalization.ts";
import { recurrentRules } from "./recurrent.ts";
import type { AxisRules } from "./rule.ts";

export const axisRules: AxisRules = {
  ...elementwiseRules,
  ...contractionRules,
  ...arrangementRules,
  ...normalizationRules,
  ...recurrentRules,
};
