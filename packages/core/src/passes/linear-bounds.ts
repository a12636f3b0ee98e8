// Linear bounds: each activation lies between two lines, and the lines are carried back to the inputs (CROWN: Zhang et
// al. 2018; DeepPoly: Singh et al. 2019). Sound in floating point: `linear-bounds/rounding.ts` says how.
import { GraphError } from "../graph/error.ts";
import type { Graph } from "../graph/graph.ts";
import { elementCount } from "../graph/tensor.ts";
import { outputBounds } from "./interval.ts";
import { type Box, BoxBounder } from "./linear-bounds/box-bounds.ts";
import { lowerNetwork } from "./linear-bounds/lowering.ts";
import type { Network } from "./linear-bounds/network.ts";
import { optimizedLeast } from "./linear-bounds/slopes.ts";
import { finished, type Steps } from "./linear-bounds/steps.ts";
import { inputShapes } from "./regions/compile.ts";
import { Clock, type SearchOptions } from "./split/clock.ts";

/** Bounds of all inputs of a network, flat. */
export interface InputRange {
  readonly lower: ArrayLike<number>;
  readonly upper: ArrayLike<number>;
}

/** Bounds of all outputs of a network, flat. */
export interface OutputBounds {
  readonly names: readonly string[];
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

export interface LinearBoundsOptions {
  /** Steps of ascent on the free slopes of the lines, for each bound; default 0: each by the smaller gap. */
  readonly steps?: number;
}

const networks = new WeakMap<Graph, Network>();

/** The layers of a graph, made once. */
export function networkOf(graph: Graph): Network {
  const network = networks.get(graph) ?? lowerNetwork(graph);
  networks.set(graph, network);
  return network;
}

/** A box with as many finite bounds as the network has inputs. */
export function checkedBox({ inputs }: Network, { lower, upper }: InputRange): Box {
  if (lower.length !== inputs || upper.length !== inputs)
    throw new GraphError(
      `the network has ${inputs} inputs, the box ${lower.length} lower and ${upper.length} upper bounds`,
    );
  const box = { lower: Float64Array.from(lower), upper: Float64Array.from(upper) };
  const wrong = box.lower.findIndex((l, i) => !(l <= box.upper[i]! && Number.isFinite(box.upper[i]! - l)));
  if (wrong >= 0)
    throw new GraphError(
      `input ${wrong} of the box: ${lower[wrong]} .. ${upper[wrong]} is no bounded interval`,
    );
  return box;
}

/**
 * Lower and upper bounds of every output on a box of inputs: proved, for the real function that the weights define.
 * @example linearBounds(net, { lower: [0], upper: [1] }).lower.length // 1
 */
export function linearBounds(
  graph: Graph,
  range: InputRange,
  { steps = 0 }: LinearBoundsOptions = {},
): OutputBounds {
  const bounder = new BoxBounder(networkOf(graph));
  return finished(boundingOutputs(graph, bounder, checkedBox(bounder.network, range), steps));
}

/**
 * The same as `linearBounds`, with rests in which others run; when the time is over, what is left is bounded by intervals.
 * @example (await linearBoundsInTime(net, { lower: [0], upper: [1] }, { seconds: 5 })).complete // true
 */
export async function linearBoundsInTime(
  graph: Graph,
  range: InputRange,
  { steps = 0, ...options }: LinearBoundsOptions & SearchOptions = {},
): Promise<OutputBounds & { readonly complete: boolean }> {
  const clock = new Clock(options);
  const bounder = new BoxBounder(networkOf(graph));
  const bounding = boundingOutputs(graph, bounder, checkedBox(bounder.network, range), steps);
  const bounds = await clock.finish(bounding, () => options.onProgress?.(bounder.share, 1));
  bounder.hurried = bounds === undefined;
  return { ...(bounds ?? finished(bounding)), complete: bounds !== undefined };
}

/** Bounds of all outputs; once the bounder is hurried, only what is there already and intervals. */
function* boundingOutputs(graph: Graph, bounder: BoxBounder, box: Box, steps: number): Steps<OutputBounds> {
  const { network } = bounder;
  const known = yield* bounder.bounding(box);
  const last = network.layers.at(-1)!;
  const count = network.outputNames.length;
  const target = (k: number, sign: 1 | -1) => ({
    slots: [network.firstOutput + k],
    weights: [sign],
    constant: 0,
  });
  const targets = network.outputNames.flatMap((_, k) => [target(k, 1), target(k, -1)]);
  const forms: number[] = [];
  for (let k = 0; k < targets.length && steps > 0 && !bounder.hurried; k++) {
    forms.push(optimizedLeast(bounder, known, targets[k]!, steps));
    yield;
  }
  if (steps === 0 && !bounder.hurried)
    forms.push(...(yield* bounder.forming(targets, known)).map(({ least }) => least));
  const plain = intervalsOf(graph, network, box);
  return {
    names: network.outputNames,
    lower: Float64Array.from({ length: count }, (_, k) =>
      Math.max(
        forms[2 * k] ?? Number.NEGATIVE_INFINITY,
        known.rowLower[last.firstRow + k]!,
        plain?.lower[k] ?? Number.NEGATIVE_INFINITY,
      ),
    ),
    upper: Float64Array.from({ length: count }, (_, k) =>
      Math.min(
        -(forms[2 * k + 1] ?? Number.NEGATIVE_INFINITY),
        known.rowUpper[last.firstRow + k]!,
        plain?.upper[k] ?? Number.POSITIVE_INFINITY,
      ),
    ),
  };
}

/**
 * Bounds by the interval pass, which knows some operators better than their parts say (a normalization's range). Where
 * every layer is a function of single rows, or a maximum, the rows' own intervals are no looser.
 */
function intervalsOf(graph: Graph, { layers }: Network, box: Box) {
  if (!layers.some(({ surface, enclosure }) => surface || enclosure)) return undefined;
  let first = 0;
  const sides = inputShapes(graph).map(({ name, dims }) => {
    const [start, end] = [first, first + elementCount(dims)];
    first = end;
    return [name, { lower: box.lower.subarray(start, end), upper: box.upper.subarray(start, end) }] as const;
  });
  try {
    const outputs = [...outputBounds(graph, Object.fromEntries(sides)).values()];
    return { lower: outputs.flatMap((y) => [...y.lower]), upper: outputs.flatMap((y) => [...y.upper]) };
  } catch (error) {
    if (error instanceof GraphError) return undefined;
    throw error;
  }
}
