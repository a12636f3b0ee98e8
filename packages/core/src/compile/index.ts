export * from "../check/certificate.ts";
export * from "./compile.ts";
export { type ConstituentReport, describeConstituents } from "./constituents.ts";
export { type Drawing, graphDrawing } from "./drawing.ts";
export { type ErrorMap, errorMap } from "./error-map.ts";
export { explain } from "./explain.ts";
export { pointsFor, type SampleOptions, sampledError } from "./sample.ts";
export { type TheoryUnits, theoryUnits } from "./theory/units.ts";
