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

/** What every command that works on something may be allowed; `guard.ts` sees to it. */
const limited = (command: Command): Command =>
  (command.name() === "run"
    ? command
    : command.option(
        "--memory <GB>",
        "memory to allow, in GB (default: 4, and ten times the size of the files)",
        real("memory"),
      )
  ).option(
    "--max-time <seconds>",
    `end after this time, whatever it does (default: ${unlimited.has(command.name()) ? "none" : "600"})`,
    real("a time"),
  );
/** They end by themselves, however long they were asked to work; `run` has a --timeout of its own. */
const unlimited = new Set(["train", "audit", "run", "falsify", "errata"]);

const examples = (command: Command, ...lines: string[]): Command =>
  command.addHelpText(
    "after",
    `\nExample${lines.length > 1 ? "s" : ""}:\n${lines.map((l) => `  $ ${l}`).join("\n")}`,
  );

const real =
  (name: string, least = 0) =>
  (text: string) => {
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value) || value < least)
      throw new InvalidArgumentError(`${name} is a number from ${least} up`);
    return value;
  };

const trainOptions = (command: Command): Command =>
  command
    .option("--data <set>", "mnist, two-moons, spirals, circles, or a .npz or .csv file", "mnist")
    .option(
      "--loss <name>",
      "square, logistic, exponential, hinge, ramp or cross-entropy (default: by the data)",
    )
    .option("--optimizer <name>", "gd, sgd, momentum, nesterov, adam or adamw", "adam")
    .option("--rate <r>", "learning rate (default: by the optimizer)", real("a rate"))
    .option("--schedule <name>", "constant, linear, cosine, inverse-sqrt, inverse or staircase", "constant")
    .option("--warmup <n>", "steps in which the rate grows from 0", integer("warmup", 0))
    .option("--momentum <m>", "of momentum and nesterov (default: 0.9)", real("momentum"))
    .option("--epochs <n>", "passes over the data", integer("epochs", 1), 5)
    .option("--steps <n>", "steps, instead of epochs", integer("steps", 1))
    .option("--batch <n>", 'examples a step, or "full" (default: 128; for gd "full")')
    .option("--init <name>", "initialization of a specification (default: he-normal)")
    .option("--type <type>", "float32 or float64, for a specification", "float32")
    .option("--weight-decay <l>", "weight decay", real("weight decay"))
    .option("--l1 <l>", "l1 penalty, by its subgradient", real("l1"))
    .option(
      "--proximal-l1 <l>",
      "l1 penalty, by its proximal step (weights become exactly 0)",
      real("proximal l1"),
    )
    .option("--clip <norm>", "scale gradients of a greater norm down to this", real("clip"))
    .option("--average <decay>", 'average the iterates: "mean", or a decay below 1')
    .option("--stop-below <loss>", "end when a batch's loss is at or below this", real("stop-below"))
    .option(
      "--patience <n>",
      "end after this many epochs without a lower test loss; keep the best weights",
      integer("patience", 1),
    )
    .option(
      "--test-fraction <f>",
      "share of the data kept for testing, if it has no test part",
      real("test-fraction"),
      0.2,
    )
    .option("--count <n>", "how many points to draw (two-moons, spirals, circles)", integer("count", 1), 1000)
    .option("--noise <s>", "their noise", real("noise"))
    .option("--threads <n>", "threads to use", integer("threads", 1))
    .option("--out <file>", "write the trained network as ONNX")
    .option("--log <file>", "write loss, accuracy and rate of every step as CSV")
    .option("--svg <file>", "draw the course of the training")
    .option("--checkpoint <file>", "keep the run's state in this .npz file, to go on with it later")
    .option("--resume", "go on with the run in the checkpoint file");

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
    (name === "lab" ? common : (c: Command) => limited(common(c)))(
      parent.command(name).description(description).allowExcessArguments(false),
    )
      .configureOutput({ writeErr: () => {} })
      .exitOverride();

  examples(
    add(program, "info", "what is in an ONNX model: inputs, outputs, operators, sizes")
      .argument("<net.onnx>")
      .option("--canonical", "its symmetries, and a fingerprint that equivalent networks share"),
    "lemmata info net.onnx",
    "lemmata info net.onnx --canonical",
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

  examples(
    add(
      program,
      "verify",
      "does a VNN-LIB query hold somewhere? sat with a witness, or unsat with a proof; or: is a compiled network within the error that its certificate says?",
    )
      .argument("<file>", "a query, VNN-LIB 1.0 or 2.0 (.vnnlib), or a compiled network (.onnx)")
      .argument("[certificate.json]", "the certificate of the compiled network")
      .option("--network <name=net.onnx>", "the model of a network of the query (may be repeated)", collect)
      .option("--timeout <seconds>", "time to allow", real("a timeout"))
      .option(
        "--tolerance <t>",
        "how far beyond its bounds an input of a witness may lie where no number of its type is between them (VNN-COMP: 1e-4; default: 0)",
        real("a tolerance"),
      )
      .option("--or", "read the query's comparisons of outputs as joined by or, whatever it says")
      .addHelpText(
        "after",
        "\nThe first line is sat, unsat, unknown or timed-out. The query describes a violation, so sat exits with 1, unsat\nwith 0, and what is undecided (unknown, timed-out) with 3. A certificate that cannot be confirmed exits with 1 and\nnames the node.",
      ),
    "lemmata verify prop_1.vnnlib --network net.onnx --timeout 60",
    "lemmata verify equivalence.vnnlib --network f=a.onnx --network g=b.onnx --json",
    "lemmata verify net.onnx c.json",
  ).action(lazily(() => import("./commands/verify.ts")));

  examples(
    add(program, "bound", "bounds on the outputs of a network while its inputs are in a box; proved")
      .argument("<net.onnx>")
      .option("--on <box>", 'inputs: "x=0..1, y=-1..1", "0..1" for every one, "x2=0.5" for a fixed one')
      .option(
        "--method <name>",
        "interval, linear, split (branch and bound) or milp (HiGHS); default: linear where it can",
      )
      .option(
        "--time <seconds>",
        "time to allow for linear, split and milp; what is not done by then is bounded more loosely",
        real("a time"),
      )
      .option(
        "--lipschitz",
        "also how far outputs move when inputs do, in three norms: everywhere (norms of the layers) and on the box (interval Jacobian); for one input and linear pieces exactly",
      ),
    "lemmata bound net.onnx --on 0..1",
    'lemmata bound net.onnx --on "0, x0=-0.5..0.5, x1=-0.5..0.5" --method split --time 10 --json',
    "lemmata bound net.onnx --on -1..1 --lipschitz",
  ).action(lazily(() => import("./commands/bound.ts")));

  examples(
    add(
      program,
      "align",
      "put the units of a network in the order of another one's: the same function, closest weights",
    )
      .argument("<a.onnx>")
      .argument(
        "<b.onnx>",
        "a network of the same layout, whose units are put in the order of the first one's",
      )
      .option("--method <name>", "weights, or activations (on the data)", "weights")
      .option(
        "--data <set>",
        "mnist, two-moons, spirals, circles, or a .npz or .csv file: for the loss between them",
      )
      .option("--loss <name>", "the loss on the data (default: by the data)")
      .option("--samples <n>", "examples of the data to use", integer("samples", 1), 1000)
      .option("--out <file>", "write the second network, aligned, as ONNX")
      .option("--svg <file>", "draw the loss on the line between the networks, before and after"),
    "lemmata align a.onnx b.onnx --data mnist --out aligned.onnx --svg barrier.svg",
  ).action(lazily(() => import("./commands/align.ts")));

  examples(
    add(
      program,
      "compare",
      "are two networks the same function? equivalent, within a tolerance (with a proof), or different (with a point)",
    )
      .argument("<a.onnx>")
      .argument("<b.onnx>", "a network with as many inputs and outputs; its layout may be another one")
      .option(
        "--on <box>",
        'inputs: "x=0..1, y=-1..1", "0..1" for every one, "x2=0.5" for a fixed one (default: the range of the data, or -1..1)',
      )
      .option("--data <file>", "inputs to run both on: .npy, .npz, .csv, .json or IDX, one row each")
      .option(
        "--tolerance <t>",
        "the greatest difference of an output to allow (default: up to four times what ONNX Runtime itself is off by, and no less than rounding of numbers about 1)",
        real("a tolerance"),
      )
      .option("--atol <a>", "nodes agree where |b - a| <= atol + rtol |a|", real("atol"), 1e-6)
      .option("--rtol <r>", "see --atol", real("rtol"), 1e-4)
      .option("--timeout <seconds>", "time to allow", real("a timeout"), 60)
      .option("--tighten", "use all of the time to bring the bound on the difference down")
      .addHelpText(
        "after",
        `
equivalent  the same function of all inputs: proved in exact arithmetic on the weights (units permuted, scaled by powers
            of two, flipped, or merged into one normal form), or checked: the weights agree up to single-precision rounding
within      on the box no output differs by more than the tolerance: proved, for the real functions of the weights
different   ONNX Runtime shows more than the tolerance at a point of the box, which is printed; exit code 1
unknown     none of these was shown in time; the bounds that were found are printed`,
      ),
    "lemmata compare a.onnx b.onnx",
    "lemmata compare a.onnx b.onnx --on 0..1 --tolerance 0.01 --timeout 100",
    "lemmata compare a.onnx converted.onnx --data inputs.npy --atol 1e-5 --rtol 1e-3",
  ).action(lazily(() => import("./commands/compare.ts")));

  examples(
    add(
      program,
      "simplify",
      "a smaller network that is the same function on a box: what bounds prove to be superfluous is taken away",
    )
      .argument("<net.onnx>")
      .option(
        "--on <box>",
        'inputs: "x=0..1, y=-1..1", "0..1" for every one, "x2=0.5" for a fixed one (default: everywhere)',
      )
      .option("--out <file>", "write the smaller network as ONNX, with the same inputs and outputs")
      .option("--within <d>", "allow outputs to change by so much on the box (proved)", real("within"))
      .option("--exact", "no merge that would round a weight: outputs do not change at all")
      .option("--time <seconds>", "time for branch and bound on units that stay open", real("a time"))
      .addHelpText(
        "after",
        `
dead          a ReLU that is 0 on the whole box
constant      one value on the whole box; it goes into the next bias
unused        nobody reads it
merged        a multiple of another unit, which does its work too
active        a ReLU that is linear on the whole box: the next layer, or fewer linear units, say it
approximated  replaced by a constant; the change is part of --within`,
      ),
    "lemmata simplify net.onnx --on 0..1 --out small.onnx",
    "lemmata simplify net.onnx --on 0..1 --within 1e-3 --out small.onnx --json",
  ).action(lazily(() => import("./commands/simplify.ts")));

  examples(
    add(program, "compile", "a ReLU network that computes a formula, with a proof of its error, as ONNX")
      .argument("<formula>", 'such as "x^2 + sin(y)" or "sum(i, 1, 8, x[i]^2)"')
      .option("--on <box>", 'variables: "x=0..1, y=-1..1", "0..1" for every one, "x=0.5" for a fixed one')
      .option("--eps <e>", "the greatest error allowed, on the whole box", real("eps"))
      .option("--out <file>", "write the network as ONNX: input x [N, d], output y [N, 1]")
      .option("--certificate <file>", "write the certificate as JSON (lemmata verify net.onnx c.json)")
      .option("--dtype <type>", "f32 or f64; all rounding is inside of the certificate", "f64")
      .option("--explain", "show every step")
      .option(
        "--svg <file>",
        "draw the function graph with its budget and, for one or two variables, the error",
      ),
    'lemmata compile "x^2 + sin(y)" --on "x=-1..1, y=0..6" --eps 1e-4 --out net.onnx --certificate c.json',
    'lemmata compile "exp(-sum(i, 1, 8, x[i]^2))" --on -1..1 --eps 1e-3 --explain',
  ).action(lazily(() => import("./commands/compile.ts")));

  examples(
    add(program, "gradient", "the gradient of a model as a model: an ONNX file that any ONNX Runtime runs")
      .argument("<net.onnx>")
      .option("--wrt <what>", "derivatives by inputs, weights or both", "inputs")
      .option(
        "--loss <name>",
        "follow the model by a loss: takes an input `target`, gives `loss` (square, logistic, exponential, hinge, ramp, cross-entropy)",
      )
      .option("--out <file>", "the ONNX file to write"),
    "lemmata gradient net.onnx --wrt inputs --out gradient.onnx",
    "lemmata gradient net.onnx --wrt weights --loss cross-entropy --out gradient.onnx",
  ).action(lazily(() => import("./commands/gradient.ts")));

  examples(
    trainOptions(
      add(program, "train", "train a network; the whole loop runs inside of ONNX Runtime").argument(
        "<net>",
        'an ONNX file, a JSON specification, or one line: "784-256-relu-10", "1x28x28-conv16k5-relu-flatten-10"',
      ),
    ),
    'lemmata train "784-256-relu-256-relu-10" --data mnist --loss cross-entropy --optimizer adam --epochs 5',
    'lemmata train "2-32-tanh-1" --data two-moons --loss logistic --out moons.onnx --svg curve.svg',
    "lemmata train net.onnx --data points.csv --loss square --steps 2000 --checkpoint run.npz",
  ).action(lazily(() => import("./commands/train.ts")));

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
  ).action(lazily(() => import("./commands/lab.ts")));

  examples(
    add(
      program,
      "audit",
      "what is known of a trained model: norms, margins, sharpness, and every bound on its true error that can be stated",
    )
      .argument("<net.onnx...>", "one model, or several on the same data: side by side")
      .requiredOption(
        "--data <set>",
        "what it was trained on: mnist, two-moons, spirals, circles, or a .npz or .csv file",
      )
      .option(
        "--test <set>",
        "examples that it was not trained on (default: the test part of the data, if it has one)",
      )
      .option("--delta <d>", "each bound fails with at most this probability", real("delta"), 0.05)
      .option("--html <file>", "write the report as one HTML file")
      .option("--initial <net.onnx>", "the model before its training: for distances from the start")
      .option(
        "--pac-bayes",
        "train a PAC-Bayes posterior of this architecture, however long it takes (default: if it seems short)",
      )
      .option("--no-pac-bayes", "do not train one")
      .option("--radius <r>", "the greatest norm that an input can have, if it is known", real("a radius"))
      .option("--task <name>", "classification or regression (default: by the data and the outputs)")
      .option(
        "--test-fraction <f>",
        "share of a file to test with, split as train does with the same seed (default: 0)",
        real("test-fraction"),
      )
      .option(
        "--count <n>",
        "how many points to draw (two-moons, spirals, circles)",
        integer("count", 1),
        1000,
      )
      .option("--noise <s>", "their noise", real("noise")),
    "lemmata audit net.onnx --data mnist",
    "lemmata audit net.onnx --data train.npz --test test.npz --html report.html",
    "lemmata audit a.onnx b.onnx c.onnx --data mnist --json",
  ).action(lazily(() => import("./commands/audit.ts")));

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

  examples(
    add(theory, "list", "all lemmata, or those that words and options pick")
      .argument("[words...]", "words that its id, title, source or claims have")
      .option("--source <name>", "of this document: book, telgarsky, poggio, shen")
      .option("--chapter <n>", "of this chapter of the book", integer("chapter", 1))
      .option("--kind <kind>", "construction, bound, measure, algorithm or experiment")
      .option("--errata", "with something that the document has wrong"),
    "lemmata theory list",
    "lemmata theory list rademacher --source book --kind bound",
  ).action(lazily(() => import("./commands/theory-list.ts")));
  examples(
    add(theory, "show", "one lemma: statement, parameters, claims, errata")
      .argument("<id>")
      .option("--latex", "formulas as LaTeX"),
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
    add(theory, "errata", "what the documents have wrong, as Markdown, with counterexamples")
      .argument("[id]")
      .option("--latex", "formulas as LaTeX"),
    "lemmata theory errata T-27",
    "lemmata theory errata --latex > errata.md",
  ).action(lazily(() => import("./commands/theory-errata.ts")));
  return program;
}
