// Untrained priors: the weights of a network with a fixed random input are fitted to the measurements of one picture (book,
// chapter 9, (9.2), (9.3)). The loop is that of every training here: one example, the input; one target, the measurements.
import { run } from "../engine/run.ts";
import { float32, graph } from "../graph/builder.ts";
import type { Graph } from "../graph/graph.ts";
import { elementCount, encode, numbers, tensor, view } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";
import type { Matrix } from "../linear-algebra/matrix-norm.ts";
import type { Random } from "../numbers/random.ts";
import { train } from "../train/train.ts";
import { InverseError } from "./error.ts";
import type { LinearMap } from "./linear-map.ts";
import { pictureOf } from "./shape.ts";

export interface UntrainedShape {
  /** Channels of a hidden layer; default: 32, of the deep decoder 32 as well. */
  readonly width?: number;
  /** Doublings of the picture; default: as many as leave 4 pixels or more of each side. */
  readonly doublings?: number;
  /** The values that a pixel may have; default: 0 to 1. */
  readonly range?: readonly [number, number];
}

export interface UntrainedOptions extends UntrainedShape {
  /** Steps of Adam; default: 1000. */
  readonly steps?: number;
  /** Their rate; default: 0.01. */
  readonly rate?: number;
  /** Weight of the total variation of the picture; default: 0. */
  readonly variation?: number;
  /** Fitting ends where |A x - y|^2 is at most this: what noise is expected to leave (the discrepancy principle). */
  readonly discrepancy?: number;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  /** Called between chunks of steps, with the picture as it is then if `watch` asks for it. */
  readonly onStep?: (step: number, loss: number, x: Float64Array | undefined) => void | Promise<void>;
  /** Look at the picture every so many steps. */
  readonly watch?: number;
}

export interface UntrainedRecovery {
  readonly x: Float64Array;
  /** Numbers that are fitted. */
  readonly weights: number;
  readonly losses: readonly number[];
  readonly steps: number;
  readonly ended: "done" | "floor" | "diverged" | "enough" | "stopped";
}

export const untrainedNames = ["dip", "deep-decoder"] as const;
export type UntrainedName = (typeof untrainedNames)[number];

/** Row i: where pixel i of the finer grid lies between two of the coarser one (half-pixel centres, ends held). */
function interpolation(fine: number, coarse: number): Matrix {
  const entries = new Float64Array(fine * coarse);
  for (let i = 0; i < fine; i++) {
    const place = Math.min(coarse - 1, Math.max(0, ((i + 0.5) * coarse) / fine - 0.5));
    const k = Math.min(Math.floor(place), Math.max(0, coarse - 2));
    entries[i * coarse + k]! += 1 - (place - k);
    if (coarse > 1) entries[i * coarse + k + 1]! += place - k;
  }
  return { rows: fine, columns: coarse, entries };
}

/** Sides from the coarsest to the finest: each about half of the next. */
export const sidesOf = (side: number, doublings: number): number[] =>
  Array.from({ length: doublings + 1 }, (_, k) => Math.max(1, Math.ceil(side / 2 ** (doublings - k))));

interface Untrained {
  /** From "x" [1, width, rows, columns], the fixed input, to "y" [1, pixels]. */
  readonly graph: Graph;
  readonly input: readonly number[];
  /** Names of the weights that are fitted. */
  readonly weights: readonly string[];
  readonly count: number;
}

/** Numbers whose product with a spread of 1 has one, for f inputs of which half are alive. */
const heScale = (inputs: number): number => Math.sqrt(2 / inputs);

/**
 * The network of a prior. dip: at each scale a 3 x 3 convolution, normalized channels, a leaky ReLU; deep-decoder (Heckel and
 * Hand): no convolution but mixtures of channels, ReLU, normalized channels, so few weights that noise does not fit.
 * @example untrainedNetwork("deep-decoder", [16, 16], createRandom(1), { width: 4 }).count // 76
 */
export function untrainedNetwork(
  name: UntrainedName,
  shape: readonly number[],
  random: Random,
  { width = 32, doublings, range = [0, 1] }: UntrainedShape = {},
): Untrained {
  const { channels, rows, columns, size } = pictureOf(shape);
  const levels =
    doublings ?? Math.max(0, Math.floor(Math.log2(Math.min(rows === 1 ? columns : rows, columns) / 4)));
  const sides = [sidesOf(rows, rows === 1 ? 0 : levels), sidesOf(columns, levels)] as const;
  const sideAt = (k: number): readonly [number, number] => [
    sides[0][Math.min(k, sides[0].length - 1)]!,
    sides[1][k]!,
  ];
  const input = [1, width, ...sideAt(0)];
  const names: string[] = [];
  let count = 0;
  const network = graph(
    { x: float32(...input) },
    ({ x }) => {
      const weight = (label: string, dims: readonly number[], values: ArrayLike<number>): Value => {
        const value = x.builder.weight(view("float32", dims, encode(values, "float32")), label);
        names.push(value.name);
        count += elementCount(dims);
        return value;
      };
      const convolved = (v: Value, outputs: number, side: number, label: string): Value => {
        const dims = [outputs, width, side, side];
        const scale = heScale(width * side * side);
        const drawn = random
          .split(label)
          .normal(elementCount(dims))
          .map((e) => scale * e);
        const pads = new Array<number>(4).fill((side - 1) / 2);
        return v.op("Conv", [weight(label, dims, drawn)], { kernel_shape: [side, side], pads });
      };
      const enlarged = (v: Value, k: number): Value => {
        const [[h, w], [hh, ww]] = [sideAt(k), sideAt(k + 1)];
        const fixed = (m: Matrix, turned: boolean): Value => {
          const entries = turned
            ? Float32Array.from(
                m.entries,
                (_, at) => m.entries[(at % m.rows) * m.columns + Math.floor(at / m.rows)]!,
              )
            : Float32Array.from(m.entries);
          return x.builder.weight(
            view("float32", turned ? [m.columns, m.rows] : [m.rows, m.columns], entries),
            "enlarge",
          );
        };
        const wide = ww === w ? v : v.matmul(fixed(interpolation(ww, w), true));
        return hh === h ? wide : fixed(interpolation(hh, h), false).matmul(wide);
      };
      /** (v - mean) / deviation over the pixels of a channel, times a weight and plus another. */
      const normalized = (v: Value, label: string): Value => {
        const centred = v.sub(v.mean([2, 3], 1));
        const deviation = centred.mul(centred).mean([2, 3], 1).add(1e-5).sqrt();
        const ones = new Float64Array(width).fill(1);
        return centred
          .div(deviation)
          .mul(weight(`${label}.scale`, [1, width, 1, 1], ones))
          .add(weight(`${label}.shift`, [1, width, 1, 1], new Float64Array(width)));
      };
      let v = x;
      for (let k = 0; k <= levels; k++) {
        const side = name === "dip" ? 3 : 1;
        v = convolved(v, width, side, `layer${k + 1}.weight`);
        if (k < levels) v = enlarged(v, k);
        v =
          name === "dip"
            ? normalized(v, `layer${k + 1}`).op("LeakyRelu", [], { alpha: 0.2 })
            : normalized(v.relu(), `layer${k + 1}`);
      }
      const [low, high] = range;
      const y = convolved(v, channels, 1, "last.weight").sigmoid();
      const scaled = low === 0 && high === 1 ? y : y.mul(high - low).add(low);
      return { y: scaled.reshape([1, size]) };
    },
    { name },
  );
  return { graph: network, input, weights: names, count };
}

/** Below this a length of differences is rounded off, so that it has a slope. */
const smoothing = 1e-6;

/**
 * A followed by nothing, or by numbers whose squares add up to weight TV(x): what a loss of squares makes of them is the
 * penalty.
 */
function withVariation(x: Value, map: LinearMap, shape: readonly number[], weight: number): Value {
  const fit = map.write(x);
  if (weight === 0) return fit;
  const { channels, rows, columns } = pictureOf(shape);
  const picture = x.reshape([channels, rows, columns]);
  const along = picture.slice(2, 1, columns).sub(picture.slice(2, 0, columns - 1));
  const padded = (v: Value, bottom: number, right: number): Value =>
    v.op("Pad", [tensor([0, 0, 0, 0, bottom, right], { type: "int64" })]);
  const square = (v: Value): Value => v.mul(v);
  const acrossRows =
    rows > 1 ? padded(square(picture.slice(1, 1, rows).sub(picture.slice(1, 0, rows - 1))), 1, 0) : undefined;
  const squares = padded(square(along), 0, 1);
  const length = (acrossRows ? squares.add(acrossRows) : squares).add(smoothing ** 2).sqrt();
  const root = length
    .sqrt()
    .mul(Math.sqrt(weight))
    .reshape([1, x.type.shape![1] as number]);
  return fit.concat([root], 1);
}

/**
 * The picture that the fitted network makes.
 * @example (await untrainedRecovery("deep-decoder", identityOperator(64), new Float64Array(64).fill(0.5), [8, 8], createRandom(1), { steps: 5, width: 4 })).losses.length // 5
 */
export async function untrainedRecovery(
  name: UntrainedName,
  map: LinearMap,
  y: Float64Array,
  shape: readonly number[],
  random: Random,
  options: UntrainedOptions = {},
): Promise<UntrainedRecovery> {
  const { steps = 1000, rate = 0.01, variation = 0, discrepancy, threads, signal, onStep, watch } = options;
  const prior = untrainedNetwork(name, shape, random.split("weights"), options);
  if (map.inputs !== pictureOf(shape).size)
    throw new InverseError(
      `the operator takes ${map.inputs} numbers, the picture has ${pictureOf(shape).size}`,
    );
  const model = graph(
    { x: float32(...prior.input) },
    ({ x }) => ({ y: withVariation(x.builder.inline(prior.graph, { x })["y"]!, map, shape, variation) }),
    { name: `${name}_measured` },
  );
  const outputs = map.outputs + (variation === 0 ? 0 : map.inputs);
  const target = new Float32Array(outputs);
  target.set(y);
  const x = view(
    "float32",
    prior.input,
    Float32Array.from(random.split("input").normal(elementCount(prior.input))),
  );
  const picture = async (weights: ReadonlyMap<string, unknown>): Promise<Float64Array> => {
    const initializers = new Map(prior.graph.initializers);
    for (const label of prior.weights) initializers.set(label, weights.get(label) as never);
    return Float64Array.from(numbers((await run({ ...prior.graph, initializers }, { x }))["y"]!));
  };
  let seen = 0;
  const trained = await train(
    model,
    { x, target: view("float32", [1, outputs], target) },
    {
      ...{ loss: "square", optimizer: "adam", batch: "full", steps, rate, weights: prior.weights },
      ...(discrepancy === undefined ? {} : { floor: discrepancy }),
      ...(threads === undefined ? {} : { threads }),
      ...(signal === undefined ? {} : { signal }),
      ...(watch === undefined ? {} : { epochsApart: watch, every: 1e6 }),
      async onProgress({ step, losses, state }) {
        const isDue = watch !== undefined && step - seen >= watch;
        if (isDue) seen = step;
        const now = isDue
          ? await picture(new Map(prior.weights.map((label) => [label, state.tensors[`weight/${label}`]])))
          : undefined;
        await onStep?.(step, losses.at(-1) ?? Number.NaN, now);
        return undefined;
      },
    },
  );
  return {
    x: await picture(trained.model.initializers),
    ...{ weights: prior.count, losses: trained.losses, steps: trained.losses.length, ended: trained.ended },
  };
}
