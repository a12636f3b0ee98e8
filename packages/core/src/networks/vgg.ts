// VGG-16 (Simonyan and Zisserman 2014) as shapes: its 138 million weights are inputs, so that nothing is stored.
import { float32, graph } from "../graph/builder.ts";
import type { Graph, TensorType } from "../graph/graph.ts";

/** Channels of the convolutions, block by block; each block ends in a maximum over squares of two. */
const blocks = [
  [64, 64],
  [128, 128],
  [256, 256, 256],
  [512, 512, 512],
  [512, 512, 512],
] as const;

export interface VggOptions {
  /** The side of the image, a multiple of 32. */
  readonly side?: number;
  readonly classes?: number;
}

export interface VggLayer {
  readonly kind: "convolution" | "dense";
  readonly from: number;
  readonly to: number;
  /** Of the plane that a convolution works on; 1 for a dense layer. */
  readonly side: number;
}

/** The 16 layers with weights. */
export function vggLayers({ side = 224, classes = 1000 }: VggOptions = {}): readonly VggLayer[] {
  const layers: VggLayer[] = [];
  let [from, at] = [3, side];
  for (const block of blocks) {
    for (const to of block) {
      layers.push({ kind: "convolution", from, to, side: at });
      from = to;
    }
    at /= 2;
  }
  const widths = [from * at * at, 4096, 4096, classes];
  return [
    ...layers,
    ...[0, 1, 2].map((l) => ({ kind: "dense" as const, from: widths[l]!, to: widths[l + 1]!, side: 1 })),
  ];
}

/**
 * The graph of VGG-16, from image and weights to scores.
 * @example vgg16({ side: 32 }).inputs.length // 33
 */
export function vgg16(options: VggOptions = {}): Graph {
  const layers = vggLayers(options);
  const weights = layers.flatMap(({ kind, from, to }, l): [string, TensorType][] => [
    [`w${l}`, kind === "dense" ? float32(to, from) : float32(to, from, 3, 3)],
    [`b${l}`, float32(to)],
  ]);
  const inputs: Record<string, TensorType> = {
    x: float32(1, 3, options.side ?? 224, options.side ?? 224),
    ...Object.fromEntries(weights),
  };
  return graph(
    inputs,
    (given) => {
      let value = given["x"]!;
      layers.forEach(({ kind, side }, l) => {
        const [w, b] = [given[`w${l}`]!, given[`b${l}`]!];
        if (kind === "convolution") {
          value = value.op("Conv", [w, b], { kernel_shape: [3, 3], pads: [1, 1, 1, 1] }).relu();
          if (layers[l + 1]!.side !== side)
            value = value.op("MaxPool", [], { kernel_shape: [2, 2], strides: [2, 2] });
          if (layers[l + 1]!.kind === "dense") value = value.reshape([1, layers[l + 1]!.from]);
        } else {
          value = value.op("Gemm", [w, b], { transB: 1 });
          if (l < layers.length - 1) value = value.relu();
        }
      });
      return { scores: value };
    },
    { name: "vgg16" },
  );
}
