// Flows of affine couplings (Dinh, Sohl-Dickstein and Bengio 2017): a map between signals and as many normal numbers that is
// undone exactly, and whose density is known: ln p(x) = ln N(z; 0, I) - ln |det dx / dz|.
import { float32, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { encode, type Tensor, view } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import { createRandom, type Random } from "../../numbers/random.ts";
import { InverseError } from "../error.ts";
import { type Learned, type LearningOptions, learn, signalSizes } from "../learn.ts";
import { columns, denseWeights, layersOf, type Weights } from "./networks.ts";
import { lossStep } from "./objective.ts";

export interface FlowShape {
  readonly size: number;
  readonly couplings: number;
  /** Width of the hidden layer of each coupling. */
  readonly hidden: number;
}

/** All of a flow that is not learned: the order of numbers before each coupling, and the scale of each number. */
export interface FlowFrame extends FlowShape {
  readonly orders: readonly (readonly number[])[];
  readonly mean: Float64Array;
  readonly deviation: Float64Array;
}

export interface FlowTraining extends LearningOptions {
  readonly couplings?: number;
  readonly hidden?: number;
  /** Deviation of the noise that is added to signals: what lies on a surface has no density. Default: 0.05. */
  readonly noise?: number;
}

/** The losses are -ln p of a row. */
export interface TrainedFlow extends Learned {
  /** z [N, size] to x [N, size] and logdet [N], ln |det dx / dz|. */
  readonly generator: Graph;
  /** x [N, size] to z [N, size] and logp [N], ln p(x). */
  readonly density: Graph;
}

/** Scales of a coupling are between e^-2 and e^2. */
const mostScale = 2;

/** Numbers that pass a coupling as they are, and tell how the others change. */
const kept = ({ size }: FlowShape): number => Math.ceil(size / 2);

/** In turn a random order, and the halves exchanged: every number is changed by one of two couplings. */
function frameOf(signals: Tensor, shape: FlowShape, noise: number, random: Random): FlowFrame {
  const { size, couplings } = shape;
  const half = kept(shape);
  const exchanged = Array.from({ length: size }, (_, k) => (k + half) % size);
  const plain = Array.from({ length: size }, (_, k) => k);
  const orders = Array.from({ length: couplings }, (_, k) =>
    k % 2 === 1 ? exchanged : random.split(`order ${k}`).shuffle([...plain]),
  );
  const [mean, square] = [new Float64Array(size), new Float64Array(size)];
  const values = signals.data as Float32Array;
  const rows = values.length / size;
  for (const [k, v] of values.entries()) {
    mean[k % size]! += v / rows;
    square[k % size]! += v ** 2 / rows;
  }
  const deviation = square.map((v, k) => Math.sqrt(Math.max(0, v - mean[k]! ** 2) + noise ** 2));
  return { ...shape, orders, mean, deviation };
}

function flowWeights(shape: FlowShape, random: Random): Weights {
  const [half, { size, hidden, couplings }] = [kept(shape), shape];
  const weights = new Map<string, Tensor>();
  for (let k = 0; k < couplings; k++) {
    const drawn = denseWeights(`f${k}.`, [half, hidden, 2 * (size - half)], (l) =>
      random.split(`coupling ${k} ${l}`),
    );
    // The last layer begins at 0: the flow is then its frame alone.
    for (const [name, tensor] of drawn)
      weights.set(
        name,
        name.endsWith("2.weight")
          ? view("float32", tensor.dims, new Float32Array((tensor.data as Float32Array).length))
          : tensor,
      );
  }
  return weights;
}

type WeightOf = (name: string) => Value;

/** s and t of a coupling: the changed half is b = b' e^s + t. */
function scaleAndShift(frame: FlowShape, k: number, a: Value, weightOf: WeightOf): readonly [Value, Value] {
  const width = frame.size - kept(frame);
  const found = layersOf(`f${k}.`, a, weightOf, 2);
  return [
    columns(found, 0, width)
      .mul(1 / mostScale)
      .tanh()
      .mul(mostScale),
    columns(found, width, 2 * width),
  ];
}

const ordered = (v: Value, order: readonly number[]): Value =>
  v.gather(view("int64", [order.length], BigInt64Array.from(order, BigInt)), 1);

const row = (like: Value, values: Float64Array): Value =>
  like.builder.weight(view("float32", [1, values.length], encode(values, "float32")), "scale");

const sumOfLogarithms = ({ deviation }: FlowFrame): number =>
  deviation.reduce((sum, v) => sum + Math.log(v), 0);

/** z and ln |det dx / dz| of rows x. */
function toNormal(
  frame: FlowFrame,
  x: Value,
  weightOf: WeightOf,
): { readonly z: Value; readonly logdet: Value } {
  const [half, { size }] = [kept(frame), frame];
  let v = x.sub(row(x, frame.mean)).div(row(x, frame.deviation));
  let logdet: Value | undefined;
  for (const [k, order] of frame.orders.entries()) {
    const now = ordered(v, order);
    const a = columns(now, 0, half);
    const [s, t] = scaleAndShift(frame, k, a, weightOf);
    v = a.concat([columns(now, half, size).sub(t).mul(s.neg().exp())], 1);
    logdet = logdet ? logdet.add(s.sum([1])) : s.sum([1]);
  }
  return { z: v, logdet: logdet!.add(sumOfLogarithms(frame)) };
}

/** The same way back. */
function fromNormal(
  frame: FlowFrame,
  z: Value,
  weightOf: WeightOf,
): { readonly x: Value; readonly logdet: Value } {
  const [half, { size }] = [kept(frame), frame];
  let [v, logdet]: [Value, Value | undefined] = [z, undefined];
  for (const [k, order] of [...frame.orders.entries()].reverse()) {
    const a = columns(v, 0, half);
    const [s, t] = scaleAndShift(frame, k, a, weightOf);
    const both = a.concat([columns(v, half, size).mul(s.exp()).add(t)], 1);
    const back = new Array<number>(size);
    for (const [to, from] of order.entries()) back[from] = to;
    v = ordered(both, back);
    logdet = logdet ? logdet.add(s.sum([1])) : s.sum([1]);
  }
  const x = v.mul(row(z, frame.deviation)).add(row(z, frame.mean));
  return { x, logdet: logdet!.add(sumOfLogarithms(frame)) };
}

/** ln N(z; 0, I) - ln |det dx / dz|. */
const logDensity = (
  { size }: FlowShape,
  { z, logdet }: { readonly z: Value; readonly logdet: Value },
): Value =>
  z
    .mul(z)
    .sum([1])
    .mul(-0.5)
    .sub(logdet)
    .sub((size / 2) * Math.log(2 * Math.PI));

/** Trains a flow by the likelihood of signals with a little noise. */
export async function trainedFlow(
  signals: Tensor,
  { couplings = 6, hidden = 256, noise = 0.05, ...options }: FlowTraining = {},
): Promise<TrainedFlow> {
  const { size } = signalSizes(signals);
  if (size < 2) throw new InverseError("a flow is for signals of two numbers or more");
  if (!(noise > 0)) throw new InverseError(`the noise of a flow is a positive number, not ${noise}`);
  if (![couplings, hidden].every((n) => Number.isSafeInteger(n) && n >= 1))
    throw new InverseError("couplings and widths of a flow are whole numbers from 1 up");
  const random = createRandom(options.seed ?? 0);
  const frame = frameOf(signals, { size, couplings, hidden }, noise, random.split("frame"));
  const start = flowWeights(frame, random.split("weights"));
  const step = lossStep(2 * size, start, (x, weightOf) => {
    const noisy = columns(x, 0, size).add(columns(x, size, 2 * size).mul(noise));
    return logDensity(frame, toNormal(frame, noisy, weightOf))
      .neg()
      .mean([0]);
  });
  const learned = await learn(signals, { noise: size, weights: start, step }, options);
  const weightIn =
    (value: Value): WeightOf =>
    (name) =>
      value.builder.weight(learned.weights.get(name)!, name);
  const generator = graph({ z: float32("N", size) }, ({ z }) => ({ ...fromNormal(frame, z, weightIn(z)) }), {
    name: "flow",
  });
  const density = graph(
    { x: float32("N", size) },
    ({ x }) => {
      const found = toNormal(frame, x, weightIn(x));
      return { z: found.z, logp: logDensity(frame, found) };
    },
    { name: "density" },
  );
  return { ...learned, generator, density };
}
