export { EngineError } from "./error.ts";
export { checkMemory, weightBytes } from "./memory.ts";
export { checkInputs, type RunOptions, run } from "./run.ts";
export { release, Session, type SessionOptions, sessionOf, setDefaultThreads } from "./session.ts";
export { TimeOver } from "./time-over.ts";
