// Convolutional networks of the families that people have, with random weights: residual ones and depthwise ones.

import { float32, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom } from "../../src/numbers/random.ts";

type Convolve = (x: Value, from: number, to: number, options?: Partial<Kernel>) => Value;
interface Kernel {
  readonly size: number;
  readonly stride: number;
  readonly group: number;
}

/** Convolutions with weights of He's variance. */
function convolutions(seed: number): Convolve {
  const random = createRandom(seed);
  return (x, from, to, { size = 3, stride = 1, group = 1 } = {}) => {
    const dims = [to, from / group, size, size];
    const count = dims.reduce((n, d) => n * d, 1);
    const scale = Math.sqrt((2 * to) / count);
    const weights = tensor(
      Float32Array.from(random.normal(count), (v) => v * scale),
      { type: "float32", dims },
    );
    const pads = new Array(4).fill((size - 1) / 2);
    return x.op("Conv", [weights], { strides: [stride, stride], pads, group });
  };
}

function classified(x: Value, channels: number, classes: number, seed: number): Value {
  const weights = createRandom(seed).normal(channels * classes);
  const matrix = tensor(
    Float32Array.from(weights, (v) => v / Math.sqrt(channels)),
    { type: "float32", dims: [channels, classes] },
  );
  return x.op("GlobalAveragePool").reshape([1, channels]).matmul(matrix);
}

/** As ResNet-18: a stem and eight blocks of two convolutions, half the size and twice the channels every other block. */
export const residualNetwork = (size: number, width: number, classes: number, seed = 1): Graph =>
  graph({ image: float32(1, 3, size, size) }, ({ image }) => {
    const convolve = convolutions(seed);
    let [x, channels] = [convolve(image, 3, width, { size: 7, stride: 2 }).relu(), width];
    for (let block = 0; block < 8; block++) {
      const isSmaller = block > 0 && block % 2 === 0;
      const [stride, to] = isSmaller ? [2, 2 * channels] : [1, channels];
      const inner = convolve(convolve(x, channels, to, { stride }).relu(), to, to);
      const past = isSmaller ? convolve(x, channels, to, { size: 1, stride }) : x;
      x = inner.add(past).relu();
      channels = to;
    }
    return { scores: classified(x, channels, classes, seed + 1) };
  });

/** As MobileNet: a stem, then depthwise and pointwise convolutions in turn, clipped to 0..6. */
export const depthwiseNetwork = (size: number, width: number, classes: number, seed = 1): Graph =>
  graph({ image: float32(1, 3, size, size) }, ({ image }) => {
    const convolve = convolutions(seed);
    const clipped = (x: Value): Value => x.op("Clip", [0, 6]);
    let [x, channels] = [clipped(convolve(image, 3, width, { stride: 2 })), width];
    for (let block = 0; block < 8; block++) {
      const [stride, to] = block % 3 === 2 ? [2, 2 * channels] : [1, channels];
      x = clipped(convolve(x, channels, channels, { stride, group: channels }));
      x = clipped(convolve(x, channels, to, { size: 1 }));
      channels = to;
    }
    return { scores: classified(x, channels, classes, seed + 1) };
  });
