// Where the code of a thread or a process of a sweep is: beside the program, as the build has put it.

/** The file of an entry point, by its name in `scripts/build.ts`. */
export const entryFile = (name: "sweep-thread" | "sweep-process"): URL =>
  new URL(`./${name}.js`, import.meta.url);

/** Threads that a session of ONNX Runtime may have when this many jobs run side by side. */
export const sessionThreads = (cores: number, jobs: number): number => Math.max(1, Math.floor(cores / jobs));
