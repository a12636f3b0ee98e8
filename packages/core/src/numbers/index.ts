export { logFactorial, logMultisets } from "./combinatorics.ts";
export { confidencePercent, directedNumber, directedPercent, type Side } from "./directed-decimal.ts";
export { NumberError } from "./error.ts";
export { type Exact, type Fraction, toNumber } from "./exact/rational.ts";
export { type Interval, type IntervalArray, interval } from "./interval/index.ts";
export { jsonText } from "./json-text.ts";
export * from "./random.ts";
export * from "./statistics.ts";
