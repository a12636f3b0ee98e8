// What a user with a question about the theory can ask.
import type { Command } from "commander";
import { UsageError } from "../usage-error.ts";
import { add, collect, examples, integer, lazily, silenced } from "./options.ts";
import { spread } from "./sweep.ts";

export function questionCommands(program: Command): void {
  const theory = silenced(
    program
      .command("theory")
      .description("the theorems: list, show, run, draw, export, and try to break them"),
  );
  theory.allowExcessArguments().action(() => {
    const [unknown] = theory.args;
    if (unknown === undefined) return theory.outputHelp();
    const known = theory.commands.map((c) => c.name()).join(", ");
    throw new UsageError(`theory has no command "${unknown}"; it has ${known}`);
  });

  examples(
    add(theory, "list", "all lemmata, or those that words and options pick")
      .argument("[words...]", "words that its id, title, source or claims have")
      .option("--source <name>", "of this document: book, telgarsky, poggio, shen")
      .option("--chapter <n>", "of this chapter of the book", integer("chapter", 1))
      .option("--kind <kind>", "construction, bound, measure, algorithm or experiment")
      .option("--errata", "with something that the document has wrong"),
    "lemmata theory list",
    "lemmata theory list rademacher --source book --kind bound",
  ).action(lazily(() => import("../commands/theory-list.ts")));
  examples(
    add(theory, "show", "one lemma: statement, parameters, claims, errata")
      .argument("<id>")
      .option("--latex", "formulas as LaTeX"),
    "lemmata theory show T-27",
  ).action(lazily(() => import("../commands/theory-show.ts")));
  examples(
    add(theory, "run", "run a lemma: build its network, measure, judge its claims")
      .argument("<id>")
      .option("--param <name=value>", "a parameter (may be repeated)", collect)
      .option("--out <file>", "write the network as ONNX")
      .option("--svg <file>", "draw the figure"),
    "lemmata theory run T-27 --param i=8 --out square.onnx --svg square.svg",
  ).action(lazily(() => import("../commands/theory-run.ts")));
  examples(
    spread(
      add(theory, "falsify", "try to break the claims of one lemma, or of all")
        .argument("[id]")
        .option("--trials <n>", "parameter draws per lemma", integer("trials", 1), 100),
      "run the trials by so many threads; the report is the same (default: in this process alone)",
    ),
    "lemmata theory falsify T-27 --trials 200 --seed 1",
    "lemmata theory falsify --trials 10000 --queue redis://10.0.0.1:6379",
  ).action(lazily(() => import("../commands/theory-falsify.ts")));
  examples(
    add(theory, "errata", "what the documents have wrong, as Markdown, with counterexamples")
      .argument("[id]")
      .option("--latex", "formulas as LaTeX"),
    "lemmata theory errata T-27",
    "lemmata theory errata --latex > errata.md",
  ).action(lazily(() => import("../commands/theory-errata.ts")));

  examples(
    add(program, "lab", "open the lab, the theory in a web page; nothing leaves this machine")
      .option(
        "--port <n>",
        "the port to listen on (default: 4180, or a free one; 0: a free one)",
        integer("a port", 0),
      )
      .option("--no-open", "do not open a browser"),
    "lemmata lab",
    "lemmata lab --port 8080 --no-open",
  ).action(lazily(() => import("../commands/lab.ts")));

  examples(
    add(program, "completion", "a script that completes commands and options in your shell").argument(
      "<shell>",
      "bash, zsh or fish",
    ),
    'eval "$(lemmata completion bash)"',
    "lemmata completion fish > ~/.config/fish/completions/lemmata.fish",
  ).action(async (shell: string) => {
    const { completionScript } = await import("./completion.ts");
    process.stdout.write(completionScript(shell, program));
  });
}
