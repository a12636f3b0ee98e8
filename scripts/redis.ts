import { findProgram } from "./debian-program.ts";

/** The path of a Redis server for the tests of queues, or undefined when there is none and none can be installed. */
export const findRedis = (): string | undefined =>
  findProgram({
    names: ["redis-server"],
    package: "redis-server",
    variable: "LEMMATA_REDIS",
    purpose: "the tests of queues",
  });
