export { EngineError } from "./error.ts";
export { type Exact, type Fraction, toNumber } from "./exact.ts";
export { type Interval, type IntervalArray, interval } from "./interval.ts";
export { jsonText } from "./json-text.ts";
export { checkMemory, weightBytes } from "./memory.ts";
export * from "./random.ts";
export { checkInputs, type RunOptions, run } from "./run.ts";
export { release, Session, type SessionOptions, sessionOf } from "./session.ts";
export * from "./statistics.ts";
