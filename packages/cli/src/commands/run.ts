import { encodeData, tensorToJson } from "@lemmata/core/data";
import { checkInputs, checkMemory, run } from "@lemmata/core/engine";
import { numbers, requiredInputs, type Tensor } from "@lemmata/core/graph";
import { writeWhole } from "../files.ts";
import { inputsFromFiles, randomInput, requireInputs } from "../inputs.ts";
import { loadGraph } from "../model.ts";
import { type CommonOptions, print, printJson } from "../output.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions {
  readonly input?: readonly string[];
  readonly random?: boolean;
  readonly out?: string;
  readonly threads?: number;
  readonly memory: number;
}

/** `lemmata run net.onnx --input x.npy` */
export default async function runCommand(path: string, options: Options): Promise<void> {
  if (!(options.memory > 0)) throw new UsageError("--memory takes a number of GB above 0");
  const graph = await loadGraph(path);
  const inputs = inputsFromFiles(graph, options.input ?? []);
  if (options.random) {
    for (const input of requiredInputs(graph)) inputs[input.name] ??= randomInput(input, options.seed);
  }
  requireInputs(graph, inputs);
  checkInputs(graph, inputs);
  checkMemory(graph, inputs, options.memory * 1e9);
  const outputs = await run(graph, inputs, { threads: options.threads });
  if (options.out) writeWhole(options.out, encodeData(options.out, outputs));
  if (options.json) {
    const entries = Object.entries(outputs).map(([name, t]) => [name, tensorToJson(t)]);
    return printJson({ outputs: Object.fromEntries(entries) });
  }
  for (const [name, t] of Object.entries(outputs))
    print(`${name}: ${t.type} [${t.dims.join(", ")}]\n${preview(t)}`);
  if (options.out && !options.quiet) print(`written: ${options.out}`);
}

const shownValues = 10;

function preview(t: Tensor): string {
  const values =
    t.type === "string"
      ? (t.data as readonly string[])
      : Array.from(numbers(t).subarray(0, shownValues), String);
  const rest = t.data.length > shownValues ? `, ... (${t.data.length} values)` : "";
  return `  ${values.slice(0, shownValues).join(", ")}${rest}`;
}
