// What commands there are; each one's code is loaded only when it runs, so that --help is immediate.
import { Command } from "commander";
import { dataCommands } from "./program/data.ts";
import { formulaCommands } from "./program/formula.ts";
import { modelCommands } from "./program/model.ts";
import { modelsCommands } from "./program/models.ts";
import { silenced } from "./program/options.ts";
import { questionCommands } from "./program/question.ts";
import { sweepCommands } from "./program/sweep.ts";
import { UsageError } from "./usage-error.ts";
import { version } from "./version.ts";

/** The program with all its commands, by what the user has. */
export function createProgram(): Command {
  const program = silenced(
    new Command("lemmata")
      .description(
        "The mathematical theory of deep learning, running: theorems as networks, claims you can try to break.",
      )
      .version(version(), "-v, --version")
      .option("--name", "print the name of the program, as VNN-LIB asks of a solver")
      .showSuggestionAfterError()
      .allowExcessArguments(),
  );
  program.action(() => {
    const [unknown] = program.args;
    if (unknown === undefined && program.opts()["name"] === true)
      return void process.stdout.write("Lemmata\n");
    if (unknown === undefined) return program.outputHelp();
    const known = program.commands.map((c) => c.name()).join(", ");
    throw new UsageError(`there is no command "${unknown}"; there are ${known}`);
  });
  program.commandsGroup("You have a model:");
  modelCommands(program);
  program.commandsGroup("You have two models:");
  modelsCommands(program);
  program.commandsGroup("You have a formula:");
  formulaCommands(program);
  program.commandsGroup("You have data:");
  dataCommands(program);
  program.commandsGroup("You have many questions:");
  sweepCommands(program);
  program.commandsGroup("You have a question about the theory:");
  questionCommands(program);
  return program;
}
