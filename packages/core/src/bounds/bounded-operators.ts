// The operators that bounds, and so `verify`, can read.
import { type OperatorName, operatorDomain, operators } from "../graph/operators/index.ts";
import { intervalPass } from "../passes/interval.ts";
import type { Context } from "./linear/context.ts";
import { readByDefinition } from "./linear/lowering.ts";
import { relaxationRules } from "./linear/rules.ts";
import { RelaxationWriter } from "./linear/writer.ts";

/**
 * Names of the operators that have linear bounds, by a rule, by their definition or enclosed as a whole; those of another
 * domain than ONNX's own with it before them. A rule may still refuse attributes that it does not know.
 * @example boundedOperators().includes("Relu") // true
 */
export function boundedOperators(): readonly string[] {
  // Rules ask for their context only when they are applied.
  const context = { program: new RelaxationWriter(0), dims: () => [], type: () => "float32" };
  const lines = relaxationRules(context as unknown as Context) as Readonly<Record<string, unknown>>;
  const whole = intervalPass.rules as Readonly<Record<string, unknown>>;
  return (Object.keys(operators) as OperatorName[])
    .filter((op) => readByDefinition.has(op) || lines[op] !== undefined || whole[op] !== undefined)
    .map((op) => (operatorDomain(op) === "" ? op : `${operatorDomain(op)}.${op}`))
    .sort();
}
