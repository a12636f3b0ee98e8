// What a user with many questions can ask: one thing at every point of a grid.
import type { Command } from "commander";
import { add, examples, integer, lazily, real } from "./options.ts";

const workersText = "how many jobs run at a time (default: one for each core)";
const queueText = "leave the jobs to workers on any machine, through Redis: redis://host:port";

/** Options of what can be spread over cores and machines. */
export const spread = (command: Command, workers = workersText): Command =>
  command.option("--workers <k>", workers, integer("workers", 1)).option("--queue <url>", queueText);

export function sweepCommands(program: Command): void {
  examples(
    spread(
      add(program, "sweep", "run a lemma or a command at every point of a grid; the results are a table")
        .argument("<what>", "a lemma (T-27), or train, audit, verify, compare, compile, recover, falsify")
        .argument("[words...]", "behind --: what the command is given, with {name} for a value of the grid")
        .option("--grid <grid>", 'names with their values: "width=16,32,64; seed=1..10; eps=0.1..1e-4 log 4"')
        .option("--repeat <r>", "run every point with so many seeds, from --seed on", integer("repeat", 1), 1)
        .option("--budget <b>", "how much work a lemma may do: cheap, live, thorough", "live")
        .requiredOption("--out <file>", "the table: .parquet, .csv or .json; beside it, the journal: .jsonl"),
    )
      .option("--job-timeout <seconds>", "end a job after this time; its row says so", real("job-timeout"))
      .option("--memory <GB>", "end a job that takes more memory, in GB; its row says so", real("memory"))
      .option("--retry", "run those again that failed")
      .option("--sql <query>", "a question about the table, which is called results")
      .option("--svg <file>", "draw medians of --y at every --x, with the middle half of its values")
      .option("--x <column>", "across")
      .option("--y <column>", "up")
      .option("--colour <column>", "a line for each of its values")
      .option("--facet <column>", "a panel for each of its values")
      .addHelpText(
        "after",
        `
A grid has lists (a=1,2,5), ranges (a=1..10, a=0..1 step 0.1, a=0..1 linear 5, a=1e-4..1 log 5), words, true and false; a
text with a comma, a semicolon or two dots is in quotes. Names that no {name} uses are options of the command, or parameters
of the lemma. The same command again runs only what is missing.`,
      ),
    'lemmata sweep T-27 --grid "i=1..8" --out squares.parquet --sql "select i, sup_error from results"',
    'lemmata sweep train --grid "width=16,64; seed=1..10" --out t.parquet -- "2-{width}-relu-2" --data two-moons --epochs 50',
    'lemmata sweep recover --grid "image=0..9; m=25,100,400; way=prior=dct,prior=tv" --out r.csv -- mnist:{image} --measure --operator gaussian:m={m} --{way}',
    "lemmata sweep verify --out verdicts.csv --job-timeout 300 -- instances.csv",
    'lemmata sweep falsify --grid "id=T-27,T-28; seed=1..20" --out f.csv -- {id} --trials 200',
  ).action(lazily(() => import("../commands/sweep.ts")));

  examples(
    add(program, "worker", "run the jobs of sweeps that others have put into a queue; it trusts that queue")
      .requiredOption("--queue <url>", "where they are: redis://host:port")
      .option("--workers <k>", workersText, integer("workers", 1))
      .option(
        "--idle <seconds>",
        "end when there was nothing to do for so long (default: never)",
        real("idle"),
      ),
    "lemmata worker --queue redis://10.0.0.1:6379",
  ).action(lazily(() => import("../commands/worker.ts")));
}
