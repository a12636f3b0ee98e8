// Circuits as networks: read, compiled, compared with the circuit, written with a certificate.
import { basename } from "node:path";
import { checkCircuit } from "@lemmata/core/check";
import { sha256 } from "@lemmata/core/compile";
import {
  type Circuit,
  certifiedCircuit,
  circuitNetwork,
  DiscreteError,
  degreeOf,
  type Equality,
  equality,
  influences,
  monomialCount,
  readCircuit,
  signsOf,
  truthTables,
  walshCoefficients,
} from "@lemmata/core/discrete";
import { readModel } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { sizes } from "@lemmata/core/passes";
import { checkOutput, readBytes, writeAll } from "../files.ts";
import { type CommonOptions, counted, number, print, printJson, table } from "../output.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions {
  readonly dtype: string;
  readonly units?: string;
  readonly explain?: boolean;
  readonly out?: string;
  readonly certificate?: string;
}

/** Products and sums that a comparison on many inputs may take: some seconds. */
const mostWork = 2e9;
/** Inputs at random, where all of them are too many. */
const fewInputs = 2 ** 10;
/** Inputs up to which the spectrum is shown. */
const mostForSpectrum = 20;

/** `lemmata compile --circuit adder.blif --out adder.onnx --certificate c.json` */
export async function compileCircuit(path: string, options: Options): Promise<void> {
  const { units: kind = "relu", out, certificate: certificatePath } = options;
  if (kind !== "relu" && kind !== "threshold")
    throw new UsageError(`--units is relu or threshold, not ${kind}`);
  if (options.dtype !== "f64") throw new UsageError("a circuit's network is written in f64");
  checkOutput("--out", out, ".onnx");
  checkOutput("--certificate", certificatePath, ".json");
  const start = performance.now();
  const file = readBytes(path);
  const circuit = readFile(path, file);
  const network = circuitNetwork(circuit, { kind });
  const source = { file: basename(path), sha256: await sha256(file) };
  const { bytes, certificate } = await certifiedCircuit(circuit, network, source);
  const seconds = (performance.now() - start) / 1000;
  const isProved = (await checkCircuit(bytes, certificate)).ok;
  if (!isProved) throw new Error("the certificate of the circuit does not hold");
  // A step is written as two operators with a bend, so that units and layers are counted in the plan.
  const { layers } = network.plan;
  const hiddenUnits = layers.reduce((sum, { units }) => sum + units.length, 0);
  const { nonzeros, parameters } = sizes(network.graph);
  const compared = comparison(bytes, circuit, nonzeros, options.seed);
  if (compared.difference)
    throw new Error(`the network is another function at ${compared.difference.join("")}`);
  writeAll([
    [out, bytes],
    [certificatePath, `${JSON.stringify(certificate)}\n`],
  ]);
  const summary = {
    circuit: source,
    inputs: circuit.inputs,
    outputs: circuit.outputs.map(({ name }) => name),
    gates: circuit.gates.length,
    ...{ kind, units: hiddenUnits, depth: layers.length, nonzeros, parameters },
    certifiedError: isProved ? 0 : null,
    equality: { inputs: compared.inputs, exhaustive: compared.exhaustive },
    ...(options.explain && { spectrum: spectrumOf(circuit) }),
    ...{ seconds, comparisonSeconds: (performance.now() - start) / 1000 - seconds },
    strength: {
      units: "checked",
      certifiedError: "proved",
      equality: compared.exhaustive ? "checked" : "sampled",
    },
  };
  if (options.json) return printJson(summary);
  print(table([source.file, ""], rows(summary)));
  if (summary.spectrum) print(`\n${spectrumTable(summary.spectrum)}`);
  const written = [out, certificatePath].filter((name) => name !== undefined);
  if (written.length > 0 && !options.quiet) print(`\nwritten: ${written.join(", ")}`);
}

function readFile(path: string, file: Uint8Array): Circuit {
  try {
    return readCircuit(path, new TextDecoder().decode(file));
  } catch (error) {
    throw error instanceof DiscreteError ? new UsageError(`${path}: ${error.message}`) : error;
  }
}

/** All inputs if that takes seconds, else some at random. */
function comparison(bytes: Uint8Array, circuit: Circuit, nonzeros: number, seed: number): Equality {
  const all = 2 ** circuit.inputs.length;
  const isFeasible = circuit.inputs.length <= 24 && all * (nonzeros + 1) <= mostWork;
  return equality(readModel(bytes), circuit, {
    most: isFeasible ? all : fewInputs,
    random: createRandom(seed),
  });
}

interface Summary {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly gates: number;
  readonly kind: string;
  readonly units: number;
  readonly depth: number;
  readonly nonzeros: number;
  readonly certifiedError: number | null;
  readonly equality: { readonly inputs: number; readonly exhaustive: boolean };
  readonly seconds: number;
}

function rows(s: Summary): string[][] {
  const of = s.kind === "relu" ? "ReLUs" : "thresholds";
  const { inputs, exhaustive } = s.equality;
  return [
    [
      "circuit",
      `${counted(s.inputs.length, "input")}, ${counted(s.outputs.length, "output")}, ${counted(s.gates, "gate")}`,
    ],
    [
      "network",
      `${number(s.units)} ${of} in ${counted(s.depth, "hidden layer")}, ${number(s.nonzeros)} weights that are not 0 (checked)`,
    ],
    ...(s.certifiedError === 0
      ? [["error", `0 on all 2^${s.inputs.length} inputs, gate by gate (proved)`]]
      : []),
    [
      "compared",
      exhaustive
        ? `equal on all ${number(inputs)} inputs (checked)`
        : `equal on ${number(inputs)} inputs at random (sampled)`,
    ],
    ["time", `${number(Number(s.seconds.toPrecision(3)))} s`],
  ];
}

/** Walsh-Fourier analysis of each output, with 0 as 1 and 1 as -1. */
function spectrumOf(circuit: Circuit) {
  if (circuit.inputs.length > mostForSpectrum) return [];
  return truthTables(circuit).map((bits, k) => {
    const coefficients = walshCoefficients(signsOf(bits));
    const flips = [...influences(coefficients)];
    return {
      output: circuit.outputs[k]!.name,
      ones: bits.reduce((sum, b) => sum + b, 0),
      degree: degreeOf(coefficients),
      monomials: monomialCount(coefficients),
      totalInfluence: flips.reduce((sum, v) => sum + v, 0),
      influences: flips,
    };
  });
}

const spectrumTable = (spectrum: ReturnType<typeof spectrumOf>): string =>
  spectrum.length === 0
    ? `no spectrum: the circuit has over ${mostForSpectrum} inputs`
    : table(
        ["output", "ones", "degree", "monomials", "total influence"],
        spectrum.map((s) => [
          s.output,
          number(s.ones),
          `${s.degree}`,
          number(s.monomials),
          number(s.totalInfluence),
        ]),
        [1, 2, 3, 4],
      );
