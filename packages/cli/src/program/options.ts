// How commands are added, and the options that many of them have.

import { type Command, InvalidArgumentError } from "commander";
import { endless } from "../endless.ts";

export const integer = (name: string, least: number) => (text: string) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least || text.trim() === "") {
    throw new InvalidArgumentError(`${name} is an integer from ${least} up`);
  }
  return value;
};

export const real =
  (name: string, least = 0) =>
  (text: string) => {
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value) || value < least)
      throw new InvalidArgumentError(`${name} is a number from ${least} up`);
    return value;
  };

/** Numbers with commas between them. */
export const reals = (name: string) => (text: string) => {
  const values = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  if (!values.every(Number.isFinite))
    throw new InvalidArgumentError(`${name} takes numbers with commas between them`);
  return values;
};

/** Of an option that may be repeated. */
export const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/** Every command has these. */
const common = (command: Command): Command =>
  command
    .option("--json", "print one JSON object and nothing else")
    .option("--seed <n>", "seed of every random number", integer("a seed", 0), 1)
    .option("--quiet", "no progress bar, no remarks");

/** They work on nothing that could be large. */
const light = new Set(["lab", "completion", "supports"]);

/** Their --memory is about something smaller: a session, a job. */
const ownMemory = new Set(["run", "sweep", "worker"]);

/** What every command that works on something may be allowed; `guard.ts` sees to it. */
const limited = (command: Command): Command =>
  (ownMemory.has(command.name())
    ? command
    : command.option(
        "--memory <GB>",
        "memory to allow, in GB (default: 4, and ten times the size of the files)",
        real("memory"),
      )
  ).option(
    "--max-time <seconds>",
    `end after this time, whatever it does (default: ${endless.has(command.name()) ? "none" : "600"})`,
    real("a time"),
  );

/** Errors are thrown, and printed in one place. */
export const silenced = (command: Command): Command =>
  command.configureOutput({ writeErr: () => {} }).exitOverride();

export function add(parent: Command, name: string, description: string): Command {
  const command = common(parent.command(name).description(description).allowExcessArguments(false));
  return silenced(light.has(name) ? command : limited(command));
}

/** Commands that compute with a model: sizes that it leaves open, and which of its outputs are meant. */
export const settling = (command: Command, { outputs = true } = {}): Command => {
  const shaped = command.option(
    "--shape <name:sizes>",
    "sizes of an input that the model leaves open, such as x:1,128 (may be repeated; default: 1 each)",
    collect,
  );
  return outputs
    ? shaped.option("--output <name>", "the output that is meant (may be repeated; default: all)", collect)
    : shaped;
};

export const examples = (command: Command, ...lines: string[]): Command =>
  command.addHelpText(
    "after",
    `\nExample${lines.length > 1 ? "s" : ""}:\n${lines.map((l) => `  $ ${l}`).join("\n")}`,
  );

type Action<Arguments extends readonly unknown[]> = (...given: Arguments) => Promise<void>;
/** Loads the command's module on its first use. */
export const lazily =
  <Arguments extends readonly unknown[]>(load: () => Promise<{ default: Action<Arguments> }>) =>
  async (...given: unknown[]): Promise<void> =>
    (await load()).default(...(given as unknown as Arguments));
