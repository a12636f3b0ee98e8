// The table from operator to gradient rule.
import type { BackwardRules } from "../backward.ts";
import { activation } from "./activation.ts";
import { comparison } from "./comparison.ts";
import { control } from "./control.ts";
import { convolution } from "./convolution.ts";
import { determinant } from "./determinant.ts";
import { einsumRules } from "./einsum.ts";
import { constant, elementwise } from "./elementwise.ts";
import { generation } from "./generation.ts";
import { indexing } from "./indexing.ts";
import { linear } from "./linear.ts";
import { normalization } from "./normalization.ts";
import { padding } from "./padding.ts";
import { pooling } from "./pooling.ts";
import { quantization } from "./quantization.ts";
import { reduction } from "./reduction.ts";
import { reshaping } from "./reshaping.ts";

export const rules: BackwardRules = {
  ...elementwise,
  ...activation,
  ...linear,
  ...reduction,
  ...reshaping,
  ...comparison,
  ...indexing,
  ...padding,
  ...generation,
  ...control,
  ...convolution,
  ...pooling,
  ...normalization,
  ...einsumRules,
  ...determinant,
  ...quantization,
  /** Constant but for jumps. */
  TreeEnsembleRegressor: constant,
};
