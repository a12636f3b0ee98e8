import { widenBfloat16 } from "@lemmata/core/equivalence";
import { type Graph, isTensorType, type ValueInfo } from "@lemmata/core/graph";
import { type GradientOptions, gradient, quantizers } from "@lemmata/core/passes";
import { type LossName, losses, objective } from "@lemmata/core/train";
import { oneOf } from "../choice.ts";
import { checkOutput, writeNetwork } from "../files.ts";
import { type InterfaceOptions, loadGraph, settled } from "../model.ts";
import { type CommonOptions, number, print, printJson, table } from "../output.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions, InterfaceOptions {
  readonly wrt: string;
  readonly loss?: string;
  readonly out?: string;
}

const kinds = ["inputs", "weights", "both"] as const;

/** `lemmata gradient net.onnx --wrt inputs --out g.onnx` */
export default async function gradientCommand(path: string, options: Options): Promise<void> {
  const wrt = oneOf("--wrt", options.wrt, kinds);
  const loss =
    options.loss === undefined ? undefined : oneOf("--loss", options.loss, Object.keys(losses) as LossName[]);
  if (!options.out) throw new UsageError("say where to write the gradient: --out gradient.onnx");
  checkOutput("--out", options.out, ".onnx");
  const loaded = settled(await loadGraph(path), options);
  // No runtime has kernels for gradients in bfloat16: the same numbers in float32 have them.
  const model = widenBfloat16(loaded);
  const began = performance.now();
  const result = differentiated(model, wrt, loss);
  const seconds = (performance.now() - began) / 1000;
  writeNetwork(options.out, result);
  const [inputs, outputs] = [result.inputs.map(described), result.outputs.map(described)];
  if (options.json)
    return printJson({
      inputs,
      outputs,
      nodes: result.nodes.length,
      forwardNodes: model.nodes.length,
      seconds,
    });
  const rows = (kind: string, values: readonly Described[]) =>
    values.map(({ name, type, shape }, k) => [k === 0 ? kind : "", name, type, shape]);
  print(table(["", "name", "type", "shape"], [...rows("inputs", inputs), ...rows("outputs", outputs)]));
  if (options.quiet) return;
  if (model !== loaded)
    print("\nin float32, with the same numbers: there are no kernels for gradients in bfloat16");
  const rounded = quantizers(model);
  if (rounded.length > 0)
    print(
      `\nstraight-through at ${rounded.length} quantizers: rounding counts as the identity, cutting off as constant`,
    );
  print(
    `\n${number(model.nodes.length)} nodes became ${number(result.nodes.length)}; written: ${options.out}`,
  );
}

/** With a loss: its value and the derivatives, for the inputs of the model and `target`. */
function differentiated(model: Graph, wrt: GradientOptions["wrt"], loss: LossName | undefined): Graph {
  if (!loss) return gradient(model, { wrt });
  const whole = objective(model, loss);
  const onlyLoss = { ...whole, outputs: whole.outputs.filter((o) => o.name === "loss") };
  const names = wrt === "weights" ? [] : model.inputs.filter((i) => !model.initializers.has(i.name));
  const inputs = names.filter((i) => /^float|^double/.test(i.type.type)).map((i) => i.name);
  const weights = wrt === "inputs" ? [] : floatWeights(model);
  return gradient(onlyLoss, { wrt: [...inputs, ...weights], unitSeeds: true });
}

const floatWeights = (model: Graph): readonly string[] =>
  [...model.initializers].filter(([, w]) => w.type.startsWith("float")).map(([name]) => name);

interface Described {
  readonly name: string;
  readonly type: string;
  readonly shape: string;
}

function described({ name, type }: ValueInfo): Described {
  const shape = isTensorType(type) && type.shape ? `[${type.shape.map((d) => d ?? "?").join(", ")}]` : "?";
  return { name, type: type.type, shape };
}
