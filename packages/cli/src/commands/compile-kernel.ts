// Tables of probabilities as stochastic networks: read, compiled to an error, written with a certificate.
import { basename } from "node:path";
import {
  type BeliefNetwork,
  certifiedKernel,
  compileKernel,
  DiscreteError,
  exactKernel,
  greatestParameter,
  type Kernel,
  type KernelDepth,
  kernelOf,
  kernelShapes,
  totalVariation,
  unitsOf,
} from "@lemmata/core/discrete";
import { numbers, type Tensor } from "@lemmata/core/graph";
import { checkOutput, readData, writeAll } from "../files.ts";
import { atMost, type CommonOptions, counted, number, print, printJson, table } from "../output.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions {
  readonly eps?: number;
  readonly depth?: string;
  readonly dtype: string;
  readonly explain?: boolean;
  readonly out?: string;
  readonly certificate?: string;
}

/** Entries of the table times bits of a section's states, up to which the exact kernel is computed too. */
const mostExact = 2 ** 22;

/** `lemmata compile --kernel table.csv --eps 1e-3 --depth 1 --out net.onnx --certificate c.json` */
export async function compileKernelFile(path: string, options: Options): Promise<void> {
  const { eps, depth = "shallow", out, certificate: certificatePath } = options;
  if (eps === undefined) throw new UsageError("say how accurate: --eps 1e-3");
  if (!(eps > 0 && eps < 1)) throw new UsageError(`--eps ${eps}: a total variation is above 0 and below 1`);
  if (!/^(shallow|free|\d+)$/.test(depth))
    throw new UsageError(`--depth is shallow, free or a number, not ${depth}`);
  if (options.dtype !== "f64") throw new UsageError("a kernel's network is written in f64");
  checkOutput("--out", out, ".onnx");
  checkOutput("--certificate", certificatePath, ".json");
  try {
    await compileTable(path, eps, depth === "shallow" || depth === "free" ? depth : Number(depth), options);
  } catch (error) {
    throw error instanceof DiscreteError ? new UsageError(`${path}: ${error.message}`) : error;
  }
}

function readKernel(path: string): Kernel {
  const tensors: readonly Tensor[] = Object.values(readData(path));
  const [first] = tensors;
  if (tensors.length !== 1 || first?.dims.length !== 2)
    throw new UsageError(`${path}: one table with a row for each input is expected`);
  const [rows, columns] = first.dims as [number, number];
  const data = numbers(first);
  return kernelOf(
    Array.from({ length: rows }, (_, r) =>
      Array.from({ length: columns }, (_, c) => Number(data[r * columns + c])),
    ),
  );
}

async function compileTable(path: string, eps: number, depth: KernelDepth, options: Options): Promise<void> {
  const start = performance.now();
  const kernel = readKernel(path);
  const compiled = compileKernel(kernel, eps, depth);
  const { network, certifiedError, unitError } = compiled;
  const { bytes, certificate } = await certifiedKernel(kernel, compiled);
  const seconds = (performance.now() - start) / 1000;
  const exactError = exactErrorOf(network, kernel);
  writeAll([
    [options.out, bytes],
    [options.certificate, `${JSON.stringify(certificate)}\n`],
  ]);
  const summary = {
    kernel: basename(path),
    ...{ inputs: kernel.inputs, outputs: kernel.outputs, depth, eps },
    ...{
      units: unitsOf(network),
      layers: network.layers.length,
      widths: network.layers.map((l) => l.length),
    },
    parameters: network.layers.reduce((sum, l) => l.reduce((s, { reads }) => s + reads.length + 1, sum), 0),
    targetParameters: kernel.rows.length * (2 ** kernel.outputs - 1),
    ...{ greatestParameter: greatestParameter(network), unitError, certifiedError, exactError, seconds },
    ...(options.explain && { shapes: kernelShapes(kernel, eps) }),
    strength: { certifiedError: "checked", exactError: "checked", units: "checked", parameters: "checked" },
  };
  if (options.json) return printJson(summary);
  print(
    table(
      [summary.kernel, ""],
      [
        ["kernel", `${counted(kernel.inputs, "bit")} in, ${counted(kernel.outputs, "bit")} out`],
        [
          "network",
          `${counted(summary.units, "unit")} in ${counted(summary.layers, "layer")}, the widest of ${Math.max(...summary.widths)} (checked)`,
        ],
        [
          "weights",
          `${number(summary.parameters)}, at most ${number(Number(summary.greatestParameter.toPrecision(4)))}`,
        ],
        ["total variation", `at most ${atMost(certifiedError, 3)} for every input (checked)`],
        [
          "exactly",
          exactError === null
            ? "too large to be summed up"
            : `${number(Number(exactError.toPrecision(3)))} (checked)`,
        ],
        ["time", `${number(Number(seconds.toPrecision(3)))} s`],
      ],
    ),
  );
  if (summary.shapes) print(`\n${shapesTable(summary.shapes)}`);
  const written = [options.out, options.certificate].filter((name) => name !== undefined);
  if (written.length > 0 && !options.quiet) print(`\nwritten: ${written.join(", ")}`);
}

/** The same table at the same error by networks of every shape. */
const shapesTable = (shapes: ReturnType<typeof kernelShapes>): string =>
  table(
    ["--depth", "layers", "widest", "units", "weights", "greatest weight"],
    shapes.map((s) => [
      `${s.depth}`,
      number(s.layers),
      number(s.width),
      number(s.units),
      number(s.parameters),
      number(Number(s.greatestParameter.toPrecision(4))),
    ]),
    [1, 2, 3, 4, 5],
  );

/** The error itself, where it can be summed up soon. */
function exactErrorOf(network: BeliefNetwork, kernel: Kernel): number | null {
  const widest = network.layers.slice(0, -1).reduce((most, l) => Math.max(most, l.length), 0);
  if (kernel.rows.length * network.layers.length * 4 ** Math.min(widest, 11) > 64 * mostExact) return null;
  try {
    return totalVariation(exactKernel(network), kernel);
  } catch (error) {
    if (error instanceof DiscreteError) return null;
    throw error;
  }
}
