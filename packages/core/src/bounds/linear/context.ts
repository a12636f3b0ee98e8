import type { RuleContext } from "../../passes/affine/affine-rules.ts";
import type { RelaxationWriter } from "./writer.ts";

export type Context = RuleContext & {
  readonly program: RelaxationWriter;
  /** Do other nodes read a value, or is it an output? */
  isReadOnce(name: string): boolean;
};
