// Turing machines as networks: read, compiled for a time bound, run against a direct simulator, written.
import { basename } from "node:path";
import { checkMachine } from "@lemmata/core/check";
import { sha256 } from "@lemmata/core/compile";
import {
  certifiedMachine,
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
import { checkOutput, readBytes, writeAll } from "../files.ts";
import { type CommonOptions, counted, number, print, printJson, table } from "../output.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions {
  readonly steps?: number;
  readonly cells?: number;
  readonly recurrent?: boolean;
  readonly dtype: string;
  readonly out?: string;
  readonly certificate?: string;
}

/** Tapes at random on which the network is compared with the simulator. */
const tapeCount = 16;

/** `lemmata compile --machine beaver.json --steps 107 --out beaver.onnx --certificate c.json` */
export async function compileMachine(path: string, options: Options): Promise<void> {
  const { steps, recurrent = false } = options;
  if (steps === undefined) throw new UsageError("say how long: --steps 107");
  if (options.dtype !== "f64") throw new UsageError("a machine's network is written in f64");
  checkOutput("--out", options.out, ".onnx");
  checkOutput("--certificate", options.certificate, ".json");
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
  const file = readBytes(path);
  const machine = readMachine(new TextDecoder().decode(file));
  const { cells, head } = tapeFor(steps);
  const tape: Tape =
    options.cells === undefined ? { cells, head } : { cells: options.cells, head: options.cells >> 1 };
  const blank = simulate(machine, new Array<number>(tape.cells).fill(machine.blank), tape.head, steps);
  const start = performance.now();
  const unrolled = recurrent ? undefined : machineNetwork(machine, steps, tape);
  const network = unrolled ?? machineLoop(machine, tape);
  const { graph } = network;
  const source = { file: basename(path), sha256: await sha256(file) };
  const { bytes, certificate } = await certifiedMachine(machine, network, source);
  const seconds = (performance.now() - start) / 1000;
  const proof = await checkMachine(bytes, certificate);
  if (!proof.ok)
    throw new Error(`the certificate of the machine does not hold: ${proof.node}: ${proof.reason}`);
  const proofSeconds = (performance.now() - start) / 1000 - seconds;
  const compared = await comparison(machine, graph, tape, steps, recurrent, options.seed);
  writeAll([
    [options.out, bytes],
    [options.certificate, `${JSON.stringify(certificate)}\n`],
  ]);
  const size = sizes(graph);
  const summary = {
    machine: basename(path),
    ...{ states: machine.states, symbols: machine.symbols, steps, cells: tape.cells, head: tape.head },
    ...{
      recurrent,
      units: proof.units,
      depth: unrolled ? steps : 1,
    },
    ...{ fanIn: unrolled?.fanIn ?? 3, nonzeros: size.nonzeros, parameters: size.parameters },
    theory: { nodes: steps * tape.cells, arity: 3, units: steps * tape.cells * unitsPerCell(machine) },
    blank: { halted: blank.halted, steps: blank.steps, state: machine.states[blank.state] },
    ...{ certifiedError: 0, compared, seconds, proofSeconds },
    strength: { units: "checked", certifiedError: "proved", compared: "sampled", blank: "checked" },
  };
  if (options.json) return printJson(summary);
  const made = recurrent
    ? `one step of ${number(summary.units)} ReLUs in a Loop, for any number of steps (checked)`
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
          "error",
          recurrent
            ? "0 on every tape after every number of steps, cell by cell (proved)"
            : `0 on every tape after ${counted(steps, "step")}, cell by cell (proved)`,
        ],
        [
          "compared",
          `equal to a simulator on a blank tape and ${number(compared.tapes - 1)} at random (sampled)`,
        ],
        ["time", `${number(Number(seconds.toPrecision(3)))} s`],
      ],
    ),
  );
  const written = [options.out, options.certificate].filter((name) => name !== undefined);
  if (written.length > 0 && !options.quiet) print(`\nwritten: ${written.join(", ")}`);
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
