import { encodeData, tensorToJson } from "@lemmata/core/data";
import { checkInputs, checkMemory, EngineError, run, weightBytes } from "@lemmata/core/engine";
import { widenBfloat16 } from "@lemmata/core/equivalence";
import {
  type Graph,
  isTensorType,
  numbers,
  requiredInputs,
  type Tensor,
  tensor,
  withoutTables,
} from "@lemmata/core/graph";
import { printableName } from "@lemmata/core/printable";
import { writeWhole } from "../files.ts";
import { tellGuard } from "../guarded.ts";
import { inputsFromFiles, randomInput, requireInputs } from "../inputs.ts";
import { type InterfaceOptions, loadGraph, settled } from "../model.ts";
import { type CommonOptions, print, printJson } from "../output.ts";
import { remark } from "../progress.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions, InterfaceOptions {
  readonly input?: readonly string[];
  readonly random?: boolean;
  readonly out?: string;
  readonly threads?: number;
  readonly memory: number;
  readonly timeout?: number;
}

/** With --random one tries a model out; it should not take long to see that it takes long. */
const randomSeconds = 3;
/** A second for each of these is enough to read weights and to hand them over. */
const bytesPerSecond = 1e8;
/** Weights are in the file, in the graph, in the model as written, in the runtime, and once more as it packs them. */
const weightCopies = 5;
/** As JSON these are some 100 MB. */
const mostJsonValues = 5e6;

/** `lemmata run net.onnx --input x.npy` */
export default async function runCommand(path: string, options: Options): Promise<void> {
  if (!(options.memory > 0)) throw new UsageError("--memory takes a number of GB above 0");
  if (options.timeout !== undefined && !(options.timeout > 0 && options.timeout < 1e6))
    throw new UsageError("--timeout takes a number of seconds above 0");
  const loaded = settled(await loadGraph(path), options);
  const graph = withoutTables(loaded);
  const hasTables = loaded.nodes.some(({ op, domain }) => op === "ZipMap" && domain === "ai.onnx.ml");
  const tensors = graph.outputs.filter(({ type }) => isTensorType(type)).map(({ name }) => name);
  if (tensors.length === 0) throw new UsageError("the model has no output that is a tensor");
  const inputs = inputsFromFiles(graph, options.input ?? []);
  if (options.random) {
    for (const input of requiredInputs(graph)) inputs[input.name] ??= randomInput(input, options.seed);
  }
  requireInputs(graph, inputs, ", or try --random");
  checkInputs(graph, inputs);
  checkMemory(graph, inputs, options.memory * 1e9);
  const weights = weightBytes(graph);
  const tryOut = options.random ? randomSeconds + Math.floor(weights / bytesPerSecond) : undefined;
  await tellGuard({
    model: path,
    bytes: options.memory * 1e9 + weightCopies * weights,
    seconds: options.timeout ?? tryOut,
  });
  const outputs = await runWidened(graph, inputs, { threads: options.threads, outputs: tensors }, (text) =>
    remark(text, options),
  );
  await tellGuard("done");
  const count = Object.values(outputs).reduce((n, { data }) => n + data.length, 0);
  if (options.json && count > mostJsonValues)
    throw new UsageError(`the outputs have ${count} values, too many for --json: use --out FILE`);
  if (options.out) writeWhole(options.out, encodeData(options.out, outputs));
  if (options.json) {
    const entries = Object.entries(outputs).map(([name, t]) => [name, tensorToJson(t)]);
    return printJson({ outputs: Object.fromEntries(entries) });
  }
  for (const [name, t] of Object.entries(outputs))
    print(`${printableName(name)}: ${t.type} [${t.dims.join(", ")}]\n${preview(t)}`);
  for (const { name, type } of options.quiet ? [] : graph.outputs)
    if (!isTensorType(type)) print(`${printableName(name)}: left out, a ${type.description} is no tensor`);
  if (hasTables && !options.quiet)
    print("tables from label to score (ZipMap) are shown as the scores, in the order of their labels");
  if (options.out && !options.quiet) print(`written: ${options.out}`);
}

/** Where the runtime has no kernels for bfloat16, in float32. */
async function runWidened(
  graph: Graph,
  inputs: Readonly<Record<string, Tensor>>,
  settings: Parameters<typeof run>[2],
  say: (text: string) => void,
): ReturnType<typeof run> {
  try {
    return await run(graph, inputs, settings);
  } catch (error) {
    const wide = widenBfloat16(graph);
    if (!(error instanceof EngineError) || wide === graph) throw error;
    say(
      "ONNX Runtime has no bfloat16 for an operator of the model: it runs in float32, with the same weights",
    );
    const widened = Object.entries(inputs).map(([name, t]) => [
      name,
      t.type === "bfloat16" ? tensor([...numbers(t)].map(Number), { type: "float32", dims: t.dims }) : t,
    ]);
    return run(wide, Object.fromEntries(widened), settings);
  }
}

const shownValues = 10;

function preview(t: Tensor): string {
  const { data } = t;
  const isWhole = t.type === "string" || data instanceof BigInt64Array || data instanceof BigUint64Array;
  const values = isWhole
    ? Array.from(data.slice(0, shownValues) as readonly (string | bigint)[], (v) => printableName(String(v)))
    : Array.from(numbers(t).subarray(0, shownValues), String);
  const rest = t.data.length > shownValues ? `, ... (${t.data.length} values)` : "";
  return `  ${values.slice(0, shownValues).join(", ")}${rest}`;
}
