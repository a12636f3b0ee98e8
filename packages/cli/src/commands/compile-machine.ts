// Turing machines as networks: read, compiled for a time bound, run against a direct simulator, written.
import { basename } from "node:path";
import {
  DiscreteError,
  type Machine,
  machineLoop,
  machineNetwork,
  oneHotTape,
  readMachine,
  simulate,
  type Tape,
  tapeFor,
  unitsPerCell,
} from "@lemmata/core/discrete";
import { run } from "@lemmata/core/engine";
import { type Graph, numbers, tensor } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { sizes } from "@lemmata/core/passes";
import { checkOutput, networkBytes, readBytes, writeAll } from "../files.ts";
import { type CommonOptions, counted, number, print, printJson, table } from "../output.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions {
  readonly steps?: number;
  readonly cells?: number;
  readonly recurrent?: boolean;
  readonly dtype: string;
  readonly out?: string;
}

/** Tapes at random on which the network is compared with the simulator. */
const tapeCount = 16;

/** `lemmata compile --machine beaver.json --steps 107 --out beaver.onnx` */
export async function compileMachine(path: string, options: Options): Promise<void> {
  const { steps, recurrent = false } = options;
  if (steps === undefined) throw new UsageError("say how long: --steps 107");
  if (options.dtype !== "f64") throw new UsageError("a machine's network is written in f64");
  checkOutput("--out", options.out, ".onnx");
  try {
    await compileSteps(path, steps, recurrent, options);
  } catch (error) {
    throw error instanceof DiscreteError ? new UsageError(`${path}: ${error.message}`) : error;
  }
}

async function compileSteps(
  path: string,
  steps: number,
  recurrent: boolean,
  options: Options,
): Promise<void> {
  const machine = readMachine(new TextDecoder().decode(readBytes(path)));
  const { cells, head } = tapeFor(steps);
  const tape: Tape =
    options.cells === undefined ? { cells, head } : { cells: options.cells, head: options.cells >> 1 };
  const blank = simulate(machine, new Array<number>(tape.cells).fill(machine.blank), tape.head, steps);
  const start = performance.now();
  const unrolled = recurrent ? undefined : machineNetwork(machine, steps, tape);
  const graph = unrolled?.graph ?? machineLoop(machine, tape);
  const bytes = networkBytes(graph);
  const seconds = (performance.now() - start) / 1000;
  const compared = await comparison(machine, graph, tape, steps, recurrent, options.seed);
  writeAll([[options.out, bytes]]);
  const size = sizes(graph);
  const summary = {
    machine: basename(path),
    ...{ states: machine.states, symbols: machine.symbols, steps, cells: tape.cells, head: tape.head },
    ...{
      recurrent,
      units: unrolled?.units ?? unitsPerCell(machine) * tape.cells,
      depth: unrolled ? steps : 1,
    },
    ...{ fanIn: unrolled?.fanIn ?? 3, nonzeros: size.nonzeros, parameters: size.parameters },
    theory: { nodes: steps * tape.cells, arity: 3, units: steps * tape.cells * unitsPerCell(machine) },
    blank: { halted: blank.halted, steps: blank.steps, state: machine.states[blank.state] },
    ...{ compared, seconds },
    strength: { units: recurrent ? "bound" : "checked", compared: "sampled", blank: "checked" },
  };
  if (options.json) return printJson(summary);
  const made = recurrent
    ? `one step of at most ${number(summary.units)} ReLUs in a Loop, for any number of steps`
    : `${number(summary.units)} ReLUs in ${counted(steps, "hidden layer")}, each reads ${counted(summary.fanIn, "cell")} at most (checked)`;
  print(
    table(
      [summary.machine, ""],
      [
        [
          "machine",
          `${counted(machine.states.length, "state")}, ${counted(machine.symbols.length, "symbol")}, ${counted(tape.cells, "cell")}`,
        ],
        ["network", made],
        [
          "theory",
          `${number(summary.theory.nodes)} functions of three cells, at most ${number(summary.theory.units)} ReLUs`,
        ],
        [
          "on a blank tape",
          blank.halted
            ? `halts after ${counted(blank.steps, "step")} in state ${summary.blank.state}`
            : `still runs after ${counted(steps, "step")}`,
        ],
        [
          "compared",
          `equal to a simulator on a blank tape and ${number(compared.tapes - 1)} at random (sampled)`,
        ],
        ["time", `${number(Number(seconds.toPrecision(3)))} s`],
      ],
    ),
  );
  if (options.out !== undefined && !options.quiet) print(`\nwritten: ${options.out}`);
}

/** Blank, and tapes at random on which the head does not leave. */
async function comparison(
  machine: Machine,
  graph: Graph,
  tape: Tape,
  steps: number,
  recurrent: boolean,
  seed: number,
): Promise<{ readonly tapes: number }> {
  const random = createRandom(seed);
  const symbols = machine.symbols.length;
  const drawn = Array.from({ length: tapeCount }, (_, k) =>
    Array.from({ length: tape.cells }, () => (k === 0 ? machine.blank : random.integer(0, symbols - 1))),
  );
  const runs = drawn.flatMap((cells) => {
    try {
      return [{ cells, end: simulate(machine, cells, tape.head, steps) }];
    } catch (error) {
      if (error instanceof DiscreteError) return [];
      throw error;
    }
  });
  const x = tensor(runs.map(({ cells }) => [...oneHotTape(cells, symbols)]));
  const { y } = await run(graph, recurrent ? { x, steps: tensor(steps, { type: "int64" }) } : { x });
  const expected = runs.flatMap(({ end }) => [
    ...oneHotTape(end.tape, symbols),
    ...machine.states.map((_, q) => (q === end.state ? 1 : 0)),
    ...end.tape.map((_, cell) => (cell === end.head ? 1 : 0)),
  ]);
  const found = numbers(y!);
  if (expected.some((bit, k) => found[k] !== bit)) throw new Error("the network is not the machine");
  return { tapes: runs.length };
}
