// Commands that end by themselves, however long they were asked to work: they have no limit of time unless one is given.

/** `run` has a --timeout of its own. */
export const endless: ReadonlySet<string> = new Set([
  "train",
  "audit",
  "kernel",
  "landscape",
  "scatter",
  "run",
  "falsify",
  "errata",
  "sweep",
  "worker",
]);
