export { CompileError } from "./error.ts";
export { evaluateFormula } from "./evaluate.ts";
export { type Expression, parseFormula } from "./formula.ts";
export { functionGraph, type GraphReport, reportOf } from "./function-graph.ts";
export type { FunctionGraph, FunctionNode } from "./nodes.ts";
export { expressionOf, rangesOf } from "./range.ts";
export { variablesOf } from "./variables.ts";
