export * from "./certificate.ts";
export * from "./compile.ts";
export { type ConstituentReport, describeConstituents } from "./constituents.ts";
export { type Drawing, graphDrawing } from "./drawing.ts";
export { CompileError } from "./error.ts";
export { type ErrorMap, errorMap } from "./error-map.ts";
export { evaluateFormula } from "./evaluate.ts";
export { explain } from "./explain.ts";
export { type Expression, parseFormula } from "./formula.ts";
export {
  type FunctionGraph,
  type FunctionNode,
  functionGraph,
  type GraphReport,
  reportOf,
} from "./function-graph.ts";
export { expressionOf, rangesOf } from "./range.ts";
export { pointsFor, type SampleOptions, sampledError } from "./sample.ts";
export { type TheoryUnits, theoryUnits } from "./theory.ts";
export { variablesOf } from "./variables.ts";
