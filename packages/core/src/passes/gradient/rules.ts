// The table from operator to gradient rule.
import type { BackwardRules } from "../backward.ts";
import { activation } from "./activation.ts";
import { elementwise } from "./elementwise.ts";
import { linear } from "./linear.ts";
import { reduction } from "./reduction.ts";
import { reshaping } from "./reshaping.ts";

export const rules: BackwardRules = { ...elementwise, ...activation, ...linear, ...reduction, ...reshaping };
