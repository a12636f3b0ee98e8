// The network whose kernel is asked for: an ONNX file, a specification, or an architecture in one line.
import { type Graph, inferTypes, requiredInputs, type Tensor } from "@lemmata/core/graph";
import {
  type DrawnNetwork,
  drawnNetwork,
  empiricalBlocks,
  type KernelBlocks,
  limitBlocks,
  tangentNorms,
} from "@lemmata/core/kernels";
import { type NetworkSpec, parseSpec, parseSpecJson } from "@lemmata/core/train";
import { readBytes } from "./files.ts";
import { isModelFile, type KernelPlan } from "./kernel-options.ts";
import { loadGraph } from "./model.ts";

export interface KernelModel {
  /** The shape of an example, where the network says it. */
  readonly inputShape: readonly number[] | undefined;
  blocks(x: Tensor, progress: (part: number) => void): KernelBlocks;
  /** What each weight of a finite network contributes; of an infinitely wide one nothing is known. */
  layers(x: Tensor): Promise<readonly Layer[] | undefined>;
}

export interface Layer {
  readonly weight: string;
  /** Of the kernel that was asked for; all of them sum up to its trace. */
  readonly trace: number;
  readonly share: number;
  /** The trace of the kernel of each output alone. */
  readonly outputs: readonly number[];
}

/** Bytes that gradients of a block of examples may take. */
const gradientBytes = 2 ** 28;

export async function kernelModel(net: string, plan: KernelPlan, seed: number): Promise<KernelModel> {
  const model = isModelFile(net) ? await loadGraph(net) : specOf(net);
  const inputShape = isGraph(model) ? inputShapeOf(model) : model.input;
  if (plan.kind === "empirical") {
    // What the limit kernels with the same options are the limits of.
    const { graph, scales } = isGraph(model) ? asItIs(model) : drawnNetwork(model, { ...plan, seed });
    return {
      inputShape,
      blocks: (x, progress) =>
        empiricalBlocks(graph, x, { outputs: plan.outputs, memory: gradientBytes, scales, progress }),
      layers: (x) => layersOf({ graph, scales }, x, plan.outputs),
    };
  }
  const { kind, parameterization, wStd, bStd } = plan;
  return {
    inputShape,
    blocks: (x) => limitBlocks(model, x, kind, { parameterization, wStd, bStd }),
    layers: async () => undefined,
  };
}

const asItIs = (graph: Graph): DrawnNetwork => ({ graph, scales: new Map() });

const isGraph = (model: Graph | NetworkSpec): model is Graph => "nodes" in model;

const specOf = (net: string): NetworkSpec =>
  /\.json$/i.test(net)
    ? parseSpecJson(new TextDecoder().decode(readBytes(net)), { file: net })
    : parseSpec(net);

function inputShapeOf(graph: Graph): readonly number[] | undefined {
  const [input] = requiredInputs(graph);
  const inner = inferTypes(graph)
    .get(input?.name ?? "")
    ?.shape?.slice(1);
  return inner?.every((d) => typeof d === "number") ? (inner as readonly number[]) : undefined;
}

async function layersOf(
  { graph, scales }: DrawnNetwork,
  x: Tensor,
  asked: "mean" | number,
): Promise<readonly Layer[]> {
  const { outputs, weights } = await tangentNorms(graph, x, { memory: gradientBytes, scales });
  const rows = [...weights].map(([weight, norms]) => {
    const traces = new Array<number>(outputs).fill(0);
    norms.forEach((norm, k) => {
      traces[k % outputs]! += norm;
    });
    const mean = traces.reduce((sum, t) => sum + t, 0) / outputs;
    return { weight, trace: asked === "mean" ? mean : (traces[asked] ?? 0), outputs: traces };
  });
  const whole = rows.reduce((sum, { trace }) => sum + trace, 0);
  return rows.map(({ weight, trace, outputs: each }) => ({
    ...{ weight, trace, share: whole > 0 ? trace / whole : 0, outputs: each },
  }));
}
