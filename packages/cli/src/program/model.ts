// What a user with a model can ask.
import { type Command, Option } from "commander";
import { capabilities } from "./capabilities.ts";
import { add, collect, examples, integer, lazily, real, reals, settling } from "./options.ts";

export function modelCommands(program: Command): void {
  examples(
    settling(
      add(program, "info", "what is in an ONNX model: inputs, outputs, operators, sizes").argument(
        "<net.onnx>",
      ),
      { outputs: false },
    ).option("--canonical", "its symmetries, and a fingerprint that equivalent networks share"),
    "lemmata info net.onnx",
    "lemmata info net.onnx --canonical",
  ).action(lazily(() => import("../commands/info.ts")));

  examples(
    settling(
      add(program, "run", "run an ONNX model on data from .npy, .npz, .csv, .json or IDX files").argument(
        "<net.onnx>",
      ),
    )
      .option("--input <file>", "data, or name=file for one input (may be repeated)", collect)
      .option("--random", "seeded random numbers for inputs without data; open dimensions are 1")
      .option("--out <file>", "write the outputs: .npz, .npy, .json or .csv")
      .option("--threads <n>", "threads to use", integer("threads", 1))
      .option("--memory <GB>", "memory to allow beside the weights, in GB", Number, 1)
      .option("--timeout <seconds>", "time to allow (default: 3 with --random, else any)", Number),
    "lemmata run net.onnx --input x.npy",
    "lemmata run net.onnx --random --seed 7",
    "lemmata run net.onnx --input x=a.npy --input y=b.npy --out outputs.npz",
  ).action(lazily(() => import("../commands/run.ts")));

  examples(
    settling(
      add(
        program,
        "bound",
        "bounds on the outputs of a network while its inputs are in a box; proved",
      ).argument("<net.onnx>"),
    )
      .option("--on <box>", 'inputs: "x=0..1, y=-1..1", "0..1" for every one, "x2=0.5" for a fixed one')
      .option("--input <file>", "instead of --on: around this data, NAME=FILE for one of several", collect)
      .option(
        "--radius <r>",
        "how far each number of --input, or of --from, may be from it",
        real("a radius"),
      )
      .option(
        "--from <value>",
        "from this value inside of the network on, such as the embeddings of tokens (may be repeated)",
        collect,
      )
      .option(
        "--method <name>",
        "interval, linear, split (branch and bound) or milp (HiGHS); default: linear where it can",
      )
      .option(
        "--time <seconds>",
        "time to allow; what is not done by then is bounded more loosely, and a line says so",
        real("a time"),
      )
      .option(
        "--lipschitz",
        "also how far outputs move when inputs do, in three norms: everywhere (norms of the layers) and on the box (interval Jacobian); for one input and linear pieces exactly",
      ),
    "lemmata bound net.onnx --on 0..1",
    'lemmata bound net.onnx --on "0, x0=-0.5..0.5, x1=-0.5..0.5" --method split --time 10 --json',
    "lemmata bound net.onnx --on -1..1 --lipschitz",
    "lemmata bound tokens.onnx --input ids.npy --from embeddings --radius 0.01",
  ).action(lazily(() => import("../commands/bound.ts")));

  examples(
    settling(
      add(
        program,
        "regions",
        "the linear regions of a ReLU network on a box or a plane: count, bounds, picture",
      ).argument("<net.onnx>"),
      { outputs: false },
    )
      .option(
        "--on <box>",
        'inputs: "x=0..1, y=-1..1", "0..1" for every one, "x2=0.5" for a fixed one; a name is that of an input, X[3] its fourth number, x3 the fourth of all; all but one or two must be fixed (or use --slice)',
      )
      .option(
        "--slice <a;b;c>",
        "the plane a + u (b - a) + v (c - a) through three points (numbers with commas, or data files), with u and v in 0..1; with --on all of the plane in that box",
      )
      .option(
        "--through <a,b,c>",
        "the plane through three examples of --data, by their places from 0 on, as --slice has it",
      )
      .option("--data <set>", "for --through: mnist, or a file with an example a row (.npz, .npy, .csv)")
      .option(
        "--zoom <z>",
        "of --slice and --through: a part of the plane that is z times smaller, at the first point",
        real("zoom"),
      )
      .option("--svg <file>", "draw the regions (one input: the function and its breakpoints)")
      .option(
        "--output <k>",
        "the output that the picture shows: its number among all, or its name: then only what that one needs is looked at",
        "0",
      )
      .option("--polygons", "with --json: corners and affine map of each region, and which are neighbours")
      .option("--max-regions <n>", "stop beyond this many", integer("max-regions", 1), 1_000_000),
    'lemmata regions net.onnx --on "x=0..1, y=-1..1" --svg regions.svg',
    'lemmata regions net.onnx --on "0, x0=-0.5..0.5, x1=-0.5..0.5" --json',
    'lemmata regions net.onnx --slice "0,0,0; 1,0,0; 0,1,1" --on 0..1',
    "lemmata regions lenet.onnx --data mnist --through 0,1,2 --zoom 20 --svg plane.svg",
  ).action(lazily(() => import("../commands/regions.ts")));

  examples(
    settling(
      add(
        program,
        "verify",
        "does a VNN-LIB query hold somewhere? sat with a witness, or unsat with a proof; or: is a compiled network within the error that its certificate says?",
      ),
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
      .option(
        "--workers <k>",
        "processes that share what is open of a query with up to 20 inputs when two seconds did not decide it (default: 1)",
        integer("workers", 1),
      )
      .addOption(new Option("--parts <json>", "what another run left open, for --workers").hideHelp())
      .option("--or", "read the query's comparisons of outputs as joined by or, whatever it says")
      .addHelpText(
        "after",
        "\nThe first line is sat, unsat, unknown or timed-out. The query describes a violation, so sat exits with 1, unsat\nwith 0, and what is undecided (unknown, timed-out) with 3. A certificate that cannot be confirmed exits with 1 and\nnames the node.",
      ),
    "lemmata verify prop_1.vnnlib --network net.onnx --timeout 60",
    "lemmata verify equivalence.vnnlib --network f=a.onnx --network g=b.onnx --json",
    "lemmata verify net.onnx c.json",
  ).action(lazily(() => import("../commands/verify.ts")));

  const supports = add(
    program,
    "supports",
    "which VNN-LIB queries and models verify can read, one answer a line, as version 2.0 of the standard asks of a solver",
  );
  for (const { name, meaning } of capabilities) supports.option(`--${name}`, meaning);
  examples(supports, "lemmata supports --arithmetic-complexity-theories", "lemmata supports --json").action(
    lazily(() => import("../commands/supports.ts")),
  );

  examples(
    settling(
      add(
        program,
        "simplify",
        "a smaller network that is the same function on a box: what bounds prove to be superfluous is taken away",
      ).argument("<net.onnx>"),
      { outputs: false },
    )
      .option(
        "--on <box>",
        'inputs: "x=0..1, y=-1..1", "0..1" for every one, "x2=0.5" for a fixed one (default: everywhere)',
      )
      .option("--out <file>", "write the smaller network as ONNX, with the same inputs and outputs")
      .option("--within <d>", "allow outputs to change by so much on the box (proved)", real("within"))
      .option("--exact", "no merge that would round a weight: outputs do not change at all")
      .option(
        "--time <seconds>",
        "time to allow for bounds, and for branch and bound on what they leave open (default: bounds alone, as long as they take)",
        real("a time"),
      )
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
  ).action(lazily(() => import("../commands/simplify.ts")));

  examples(
    settling(
      add(
        program,
        "gradient",
        "the gradient of a model as a model: an ONNX file that any ONNX Runtime runs",
      ).argument("<net.onnx>"),
    )
      .option("--wrt <what>", "derivatives by inputs, weights or both", "inputs")
      .option(
        "--loss <name>",
        "follow the model by a loss: takes an input `target`, gives `loss` (square, logistic, exponential, hinge, ramp, cross-entropy)",
      )
      .option("--out <file>", "the ONNX file to write"),
    "lemmata gradient net.onnx --wrt inputs --out gradient.onnx",
    "lemmata gradient net.onnx --wrt weights --loss cross-entropy --out gradient.onnx",
  ).action(lazily(() => import("../commands/gradient.ts")));

  examples(
    settling(
      add(
        program,
        "explain",
        "why the network said that: how much each number of the input counts, and books that add up",
      ),
      { outputs: false },
    )
      .argument("<net.onnx>")
      .option("--input <file>", "x.npy, x.npz, x.csv or image.png; NAME=FILE for one of several", collect)
      .option("--random", "seeded random numbers for inputs without data; open dimensions are 1")
      .option("--target <class>", 'a class, one against another ("3-5"), predicted or all', "predicted")
      .option(
        "--method <name>",
        "lrp, gradient, squared-gradient, gradient-x-input, integrated-gradients, smoothgrad, occlusion, shapley, lime, kernel-shap, taylor, rate-distortion",
        "lrp",
      )
      .option(
        "--composite <name>",
        "rules for lrp: a name, uniform(RULE), or a file.json (default: by the network)",
      )
      .option("--output <name>", "the output with the scores, of several")
      .option("--out <file>", "write the relevance (.npy, .npz, .csv, .json)")
      .option("--graph <file>", "write the network that computes it as ONNX")
      .option("--png <file>", "draw it, blue below 0 and red above")
      .option("--svg <file>", "draw it, or the words of --tokens")
      .option("--colours <name>", "bwr, seismic, coldnhot, purple-orange or gray", "bwr")
      .option("--magnify <n>", "pixels of the drawing for one of the input", integer("magnify", 1))
      .option("--tokens <file>", "the words of a text, one a line")
      .option(
        "--evaluate",
        "take away what counts most and see the score fall, against other methods and chance",
      )
      .option("--mask <file>", "with --evaluate: above 0 where what should count is")
      .option("--low <v>", "the least that an input can be, or one for each channel", reals("--low"))
      .option("--high <v>", "the greatest", reals("--high"))
      .option("--mean <m>", "what images are shifted by, channel by channel, after 0..1", reals("--mean"))
      .option("--deviation <s>", "what they are divided by then", reals("--deviation"))
      .option("--baseline <v>", "what stands for nothing", reals("--baseline"), [0])
      .option("--patch <n>", "side of the squares that are taken away", integer("patch", 1))
      .option(
        "--samples <n>",
        "steps of a path, draws of noise, orders of Shapley values",
        integer("samples", 1),
      )
      .option("--root <where>", "for taylor: origin, near-origin, segment or nearest")
      .option("--probability", "occlusion by the drop of the probability, not of the score")
      .option("--no-canonize", "leave batch normalization as it is")
      .option("--precision <type>", "float64 or float32", "float64")
      .addHelpText(
        "after",
        `
Composites: epsilon-plus, epsilon-plus-flat, epsilon-alpha2-beta1, epsilon-alpha2-beta1-flat, epsilon-gamma-box,
  excitation-backprop, guided-backprop, deconvnet, epsilon-alpha1-beta0, alpha1-beta0, montavon, montavon-real,
  deep-taylor, text, uniform(RULE)
Rules: zero, epsilon=0.1, epsilon=0.25rms, gamma=0.25, alpha-beta=2,1, z-plus, flat, w-square, z-box=-1,1, pass`,
      ),
    "lemmata explain net.onnx --input digit.png --composite epsilon-plus-flat --png heat.png",
    'lemmata explain net.onnx --input x.npy --target "3-5" --evaluate --json',
  ).action(lazily(() => import("../commands/explain.ts")));
}
