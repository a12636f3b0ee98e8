// How long the user has been waiting: from the start of the first process of a command, not of the work in it.

/** In the environment of a process that is watched: when the one that watches began, in milliseconds since 1970. */
export const began = "LEMMATA_BEGAN";

/** Seconds since the command was started. */
export const elapsed = (): number => {
  const start = process.env[began];
  return start === undefined ? process.uptime() : (Date.now() - Number(start)) / 1000;
};
