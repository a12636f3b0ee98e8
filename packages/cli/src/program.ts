// What commands there are; each one's code is loaded only when it runs, so that --help is immediate.
import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError } from "commander";
import { UsageError } from "./usage-error.ts";

const integer = (name: string, least: number) => (text: string) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least || text.trim() === "") {
    throw new InvalidArgumentError(`${name} is an integer from ${least} up`);
  }
  return value;
};

const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/** Every command has these. */
const common = (command: Command): Command =>
  command
    .option("--json", "print one JSON object and nothing else")
    .option("--seed <n>", "seed of every random number", integer("a seed", 0), 1)
    .option("--quiet", "no progress bar, no remarks");

const examples = (command: Command, ...lines: string[]): Command =>
  command.addHelpText(
    "after",
    `\nExample${lines.length > 1 ? "s" : ""}:\n${lines.map((l) => `  $ ${l}`).join("\n")}`,
  );

type Action<Arguments extends readonly unknown[]> = (...given: Arguments) => Promise<void>;
/** Loads the command's module on its first use. */
const lazily =
  <Arguments extends readonly unknown[]>(load: () => Promise<{ default: Action<Arguments> }>) =>
  async (...given: unknown[]): Promise<void> =>
    (await load()).default(...(given as unknown as Arguments));

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return String(manifest.version);
}

/** The program with all its commands. */
export function createProgram(): Command {
  const program = new Command("lemmata")
    .description(
      "The mathematical theory of deep learning, running: theorems as networks, claims you can try to break.",
    )
    .version(version(), "-v, --version")
    .showSuggestionAfterError()
    .configureOutput({ writeErr: () => {} })
    .allowExcessArguments()
    .exitOverride();
  program.action(() => {
    const [unknown] = program.args;
    if (unknown === undefined) return program.outputHelp();
    const known = program.commands.map((c) => c.name()).join(", ");
    throw new UsageError(`there is no command "${unknown}"; there are ${known}`);
  });
  const add = (parent: Command, name: string, description: string): Command =>
    common(parent.command(name).description(description).allowExcessArguments(false))
      .configureOutput({ writeErr: () => {} })
      .exitOverride();

  examples(
    add(program, "info", "what is in an ONNX model: inputs, outputs, operators, sizes").argument(
      "<net.onnx>",
    ),
    "lemmata info net.onnx",
  ).action(lazily(() => import("./commands/info.ts")));

  examples(
    add(program, "run", "run an ONNX model on data from .npy, .npz, .csv, .json or IDX files")
      .argument("<net.onnx>")
      .option("--input <file>", "data, or name=file for one input (may be repeated)", collect)
      .option("--random", "seeded random numbers for inputs without data; open dimensions are 1")
      .option("--out <file>", "write the outputs: .npz, .npy, .json or .csv")
      .option("--threads <n>", "threads to use", integer("threads", 1))
      .option("--memory <GB>", "memory to allow beside the weights, in GB", Number, 1)
      .option("--timeout <seconds>", "time to allow (default: 3 with --random, else any)", Number),
    "lemmata run net.onnx --input x.npy",
    "lemmata run net.onnx --random --seed 7",
    "lemmata run net.onnx --input x=a.npy --input y=b.npy --out outputs.npz",
  ).action(lazily(() => import("./commands/run.ts")));

  examples(
    add(
      program,
      "regions",
      "the linear regions of a ReLU network on a box or a plane: count, bounds, picture",
    )
      .argument("<net.onnx>")
      .option(
        "--on <box>",
        'inputs: "x=0..1, y=-1..1", "0..1" for every one, "x2=0.5" for a fixed one; a name is that of an input, X[3] its fourth number, x3 the fourth of all; all but one or two must be fixed (or use --slice)',
      )
      .option(
        "--slice <a;b;c>",
        "the plane a + u (b - a) + v (c - a) through three points (numbers with commas, or data files), with u and v in 0..1; with --on all of the plane in that box",
      )
      .option("--svg <file>", "draw the regions (one input: the function and its breakpoints)")
      .option("--output <k>", "the output that the picture shows", integer("an output", 0), 0)
      .option("--polygons", "with --json: corners and affine map of each region, and which are neighbours")
      .option("--max-regions <n>", "stop beyond this many", integer("max-regions", 1), 1_000_000),
    'lemmata regions net.onnx --on "x=0..1, y=-1..1" --svg regions.svg',
    'lemmata regions net.onnx --on "0, x0=-0.5..0.5, x1=-0.5..0.5" --json',
    'lemmata regions net.onnx --slice "0,0,0; 1,0,0; 0,1,1" --on 0..1',
  ).action(lazily(() => import("./commands/regions.ts")));

  const theory = program
    .command("theory")
    .description("the theorems: list, show, run, draw, export, and try to break them")
    .configureOutput({ writeErr: () => {} })
    .exitOverride();
  theory.allowExcessArguments().action(() => {
    const [unknown] = theory.args;
    if (unknown === undefined) return theory.outputHelp();
    const known = theory.commands.map((c) => c.name()).join(", ");
    throw new UsageError(`theory has no command "${unknown}"; it has ${known}`);
  });

  examples(add(theory, "list", "all lemmata"), "lemmata theory list").action(
    lazily(() => import("./commands/theory-list.ts")),
  );
  examples(
    add(theory, "show", "one lemma: statement, parameters, claims, errata").argument("<id>"),
    "lemmata theory show T-27",
  ).action(lazily(() => import("./commands/theory-show.ts")));
  examples(
    add(theory, "run", "run a lemma: build its network, measure, judge its claims")
      .argument("<id>")
      .option("--param <name=value>", "a parameter (may be repeated)", collect)
      .option("--out <file>", "write the network as ONNX")
      .option("--svg <file>", "draw the figure"),
    "lemmata theory run T-27 --param i=8 --out square.onnx --svg square.svg",
  ).action(lazily(() => import("./commands/theory-run.ts")));
  examples(
    add(theory, "falsify", "try to break the claims of one lemma, or of all")
      .argument("[id]")
      .option("--trials <n>", "parameter draws per lemma", integer("trials", 1), 100),
    "lemmata theory falsify T-27 --trials 200 --seed 1",
  ).action(lazily(() => import("./commands/theory-falsify.ts")));
  examples(
    add(theory, "errata", "what the documents have wrong, as Markdown, with counterexamples"),
    "lemmata theory errata > errata.md",
  ).action(lazily(() => import("./commands/theory-errata.ts")));
  return program;
}
