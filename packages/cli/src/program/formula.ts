// What a user with a formula can ask.
import type { Command } from "commander";
import { add, examples, integer, lazily, real } from "./options.ts";

export function formulaCommands(program: Command): void {
  examples(
    add(
      program,
      "compile",
      "a network that computes a formula or a circuit, with a proof of its error, as ONNX",
    )
      .argument("[formula]", 'such as "x^2 + sin(y)" or "sum(i, 1, 8, x[i]^2)"')
      .option("--on <box>", 'variables: "x=0..1, y=-1..1", "0..1" for every one, "x=0.5" for a fixed one')
      .option("--eps <e>", "the greatest error allowed, on the whole box", real("eps"))
      .option("--out <file>", "write the network as ONNX: input x [N, d], output y [N, 1]")
      .option("--certificate <file>", "write the certificate as JSON (lemmata verify net.onnx c.json)")
      .option(
        "--circuit <file>",
        "instead of a formula: AIGER .aag, BLIF .blif, DIMACS .cnf, tables of values .tt, Boolean formulas .txt",
      )
      .option("--units <kind>", "of a circuit: relu or threshold (default: relu)")
      .option(
        "--kernel <file>",
        "instead of a formula: probabilities of s bits given d bits, 2^d rows of a .csv or .npy file",
      )
      .option(
        "--depth <shape>",
        "of a kernel's network: shallow, free (its output layer too), or 0 (narrow and deep) to d (wide) (default: shallow)",
      )
      .option("--machine <file>", "instead of a formula: a Turing machine as JSON, to be run for --steps")
      .option("--steps <T>", "of a machine: steps, a hidden layer each", integer("steps", 1))
      .option(
        "--cells <n>",
        "of a machine: cells of its tape, the head in the middle (default: 2 T + 1)",
        integer("cells", 1),
      )
      .option("--recurrent", "of a machine: one step of fixed size in a Loop, for any number of steps")
      .option("--dtype <type>", "f32 or f64; all rounding is inside of the certificate", "f64")
      .option("--explain", "show every step")
      .option(
        "--svg <file>",
        "draw the function graph with its budget and, for one or two variables, the error",
      ),
    'lemmata compile "x^2 + sin(y)" --on "x=-1..1, y=0..6" --eps 1e-4 --out net.onnx --certificate c.json',
    'lemmata compile "exp(-sum(i, 1, 8, x[i]^2))" --on -1..1 --eps 1e-3 --explain',
    "lemmata compile --circuit adder.blif --out adder.onnx --certificate c.json",
    "lemmata compile --kernel table.csv --eps 1e-3 --depth 1 --out net.onnx --certificate c.json",
    "lemmata compile --machine beaver.json --steps 107 --cells 41 --out beaver.onnx",
  ).action(lazily(() => import("../commands/compile.ts")));
}
