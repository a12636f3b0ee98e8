// What a user with two models can ask.
import type { Command } from "commander";
import { add, examples, integer, lazily, real, settling } from "./options.ts";

export function modelsCommands(program: Command): void {
  examples(
    settling(
      add(
        program,
        "compare",
        "are two networks the same function? equivalent, within a tolerance (with a proof), or different (with a point)",
      )
        .argument("<a.onnx>")
        .argument("<b.onnx>", "a network with as many inputs and outputs; its layout may be another one"),
    )
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
  ).action(lazily(() => import("../commands/compare.ts")));

  examples(
    settling(
      add(
        program,
        "align",
        "put the units of a network in the order of another one's: the same function, closest weights",
      ),
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
  ).action(lazily(() => import("../commands/align.ts")));
}
