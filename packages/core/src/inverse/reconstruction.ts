// Networks that are trained to undo one operator: from measurements y to signals (Ongie et al. 2020, supervised inversion), either
// dense layers, or steps of proximal gradient descent whose proximal map is learned.
import { float32, graph } from "../graph/builder.ts";
import type { Graph } from "../graph/graph.ts";
import { elementCount, encode, type Tensor, view } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";
import { createRandom, type Random } from "../numbers/random.ts";
import { InverseError } from "./error.ts";
import { columns, denseWeights, layersOf, type Weights } from "./generators/networks.ts";
import { lossStep, meanOfRows } from "./generators/objective.ts";
import { type Learned, type LearningOptions, learn, signalSizes } from "./learn.ts";
import { denseMap, type LinearMap, matrixOfMap, squaredNormOf, transposedMatrix } from "./linear-map.ts";
import { pictureOf } from "./shape.ts";

/** dense: layers of these widths from y to x; unrolled: so many steps, with so many channels in the learned map. */
export type ReconstructionKind =
  | { readonly kind: "dense"; readonly hidden: readonly number[] }
  | { readonly kind: "unrolled"; readonly steps: number; readonly channels: number };

export interface ReconstructionTraining extends LearningOptions {
  readonly network: ReconstructionKind;
  readonly map: LinearMap;
  /** Rows and columns of a signal, for convolutions. */
  readonly shape: readonly number[];
  /** Deviation of the noise of measurements; default: 0. */
  readonly noise?: number;
}

/** The losses are |x - x*|^2 of a row. */
export interface TrainedReconstruction extends Learned {
  /** y [N, measurements] to x [N, size]. */
  readonly network: Graph;
}

type WeightOf = (name: string) => Value;
type Body = (y: Value, weightOf: WeightOf) => Value;

interface Plan {
  readonly weights: Weights;
  readonly body: Body;
}

function densePlan(map: LinearMap, hidden: readonly number[], random: Random): Plan {
  const widths = [map.outputs, ...hidden, map.inputs];
  return {
    weights: denseWeights("n", widths, (l) => random.split(`n${l}`)),
    body: (y, weightOf) => layersOf("n", y, weightOf, widths.length - 1).sigmoid(),
  };
}

/** The three convolutions of a learned map: into channels, between them, and back. */
const kernelsOf = (channels: number, inner: number): readonly (readonly [number, number])[] => [
  [inner, channels],
  [inner, inner],
  [channels, inner],
];

/** x <- P(x - eta_k A^T (A x - y)), P(v) = v + a convolutional network of v; eta and the network are learned, the network is one for all steps. */
function unrolledPlan(
  map: LinearMap,
  shape: readonly number[],
  { steps, channels: inner }: { readonly steps: number; readonly channels: number },
  random: Random,
): Plan {
  const { channels, rows, columns: width } = pictureOf(shape);
  const high = rows === 1 ? 1 : 3;
  const weights = new Map<string, Tensor>();
  const norm = squaredNormOf(map) || 1;
  for (let k = 1; k <= steps; k++)
    weights.set(`step${k}`, view("float32", [1, 1], Float32Array.of(1 / norm)));
  for (const [l, [to, from]] of kernelsOf(channels, inner).entries()) {
    const dims = [to, from, high, 3];
    // The last layer begins near 0: each step is then one of gradient descent.
    const scale = (l === 2 ? 0.1 : 1) * Math.sqrt(2 / (from * high * 3));
    const drawn = random
      .split(`c${l}`)
      .normal(elementCount(dims))
      .map((v) => scale * v);
    weights.set(`c${l}.weight`, view("float32", dims, encode(drawn, "float32")));
    weights.set(`c${l}.bias`, view("float32", [to], new Float32Array(to)));
  }
  const back = denseMap(transposedMatrix(matrixOfMap(map)));
  const learnedMap = (v: Value, weightOf: WeightOf): Value => {
    let u = v.reshape([-1, channels, rows, width]);
    for (let l = 0; l < 3; l++) {
      u = u.op("Conv", [weightOf(`c${l}.weight`), weightOf(`c${l}.bias`)], {
        kernel_shape: [high, 3],
        pads: [(high - 1) / 2, 1, (high - 1) / 2, 1],
      });
      if (l < 2) u = u.relu();
    }
    return v.add(u.reshape([-1, map.inputs]));
  };
  return {
    weights,
    body(y, weightOf) {
      let x = learnedMap(back.write(y).mul(weightOf("step1")), weightOf);
      for (let k = 2; k <= steps; k++)
        x = learnedMap(x.sub(back.write(map.write(x).sub(y)).mul(weightOf(`step${k}`))), weightOf);
      return x;
    },
  };
}

/** Trains a network that takes y = A x + e to x, on signals from 0 to 1 that it measures itself. */
export async function trainedReconstruction(
  signals: Tensor,
  { network, map, shape, noise = 0, ...options }: ReconstructionTraining,
): Promise<TrainedReconstruction> {
  const { size } = signalSizes(signals);
  if (size !== map.inputs)
    throw new InverseError(`the operator takes ${map.inputs} numbers, signals have ${size}`);
  if (!(noise >= 0)) throw new InverseError(`noise has a deviation from 0 up, not ${noise}`);
  const numbers = network.kind === "dense" ? network.hidden : [network.steps, network.channels];
  if (!numbers.every((n) => Number.isSafeInteger(n) && n >= 1))
    throw new InverseError("widths, steps and channels are whole numbers from 1 up");
  const random = createRandom(options.seed ?? 0).split("weights");
  const { weights, body } =
    network.kind === "dense"
      ? densePlan(map, network.hidden, random)
      : unrolledPlan(map, shape, network, random);
  const beside = noise > 0 ? map.outputs : 0;
  const step = lossStep(size + beside, weights, (rows, weightOf) => {
    const x = columns(rows, 0, size);
    const y = map.write(x);
    const seen = noise > 0 ? y.add(columns(rows, size, size + beside).mul(noise)) : y;
    const rest = body(seen, weightOf).sub(x);
    return meanOfRows(rest.mul(rest));
  });
  const learned = await learn(signals, { noise: beside, weights, step }, options);
  const written = graph(
    { y: float32("N", map.outputs) },
    ({ y }) => ({ x: body(y, (name) => y.builder.weight(learned.weights.get(name)!, name)) }),
    { name: network.kind === "dense" ? "inversion" : "unrolled" },
  );
  return { ...learned, network: written };
}
