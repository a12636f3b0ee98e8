// Linear bounds: each activation lies between two lines, and the lines are carried back to the inputs (CROWN: Zhang et
// al. 2018; DeepPoly: Singh et al. 2019). Sound in floating point: `linear-bounds/rounding.ts` says how.

import { Clock, type SearchOptions } from "../engine/clock.ts";
import { finished, type Steps } from "../engine/steps.ts";
import { TimeOver } from "../engine/time-over.ts";
import { GraphError } from "../graph/error.ts";
import type { Graph } from "../graph/graph.ts";
import { elementCount } from "../graph/tensor.ts";
import { elementNames, inputShapes } from "../passes/affine/compile.ts";
import { emptyPlace } from "../passes/interval/checked.ts";
import { outputBounds } from "../passes/interval.ts";
import { BoxBounder } from "./linear/box-bounds.ts";
import { lowerNetwork } from "./linear/lowering.ts";
import type { Network } from "./linear/network.ts";
import type { Box } from "./linear/row-bounds.ts";
import { optimizedLeast } from "./linear/slopes.ts";
import { tensorLeasts, tensorNetworkOf } from "./tensor/bounds.ts";
import { isTooLargeToWrite } from "./tensor/size.ts";

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

/** The layers of a graph, made once; a `TimeOver` if there is no time for that. */
export function networkOf(graph: Graph, isOver?: () => boolean): Network {
  const network = networks.get(graph) ?? lowerNetwork(graph, isOver);
  networks.set(graph, network);
  return network;
}

/** A box with as many finite bounds as the network has inputs. */
export function checkedBox({ inputs }: { readonly inputs: number }, { lower, upper }: InputRange): Box {
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
  const box = checkedBox(bounder.network, range);
  const plain = () => plainBounds(graph, bounder.network, box);
  return finished(boundingOutputs(bounder, box, steps, plain));
}

/**
 * The same as `linearBounds`, with rests in which others run. With a limit, intervals come first: when the time is over,
 * what is left keeps them.
 * @example (await linearBoundsInTime(net, { lower: [0], upper: [1] }, { seconds: 5 })).complete // true
 */
export async function linearBoundsInTime(
  graph: Graph,
  range: InputRange,
  { steps = 0, ...options }: LinearBoundsOptions & SearchOptions = {},
): Promise<OutputBounds & { readonly complete: boolean }> {
  const clock = new Clock(options);
  if (steps === 0 && isTooLargeToWrite(graph)) return tensorBounds(graph, range, options);
  const isLimited = options.seconds !== undefined;
  const early = isLimited ? intervalsOf(graph, range, hasNoTimeLeft(clock)) : undefined;
  const network = networkInTime(graph, early ? clock : undefined);
  if (!network) return { ...early!, complete: false };
  const bounder = new BoxBounder(network);
  const box = checkedBox(network, range);
  const bounding = boundingOutputs(bounder, box, steps, () => early ?? plainBounds(graph, network, box));
  const bounds = await clock.finish(bounding, () => options.onProgress?.(bounder.share, 1));
  if (bounds) return { ...bounds, complete: true };
  if (early) return { ...early, complete: false };
  bounder.hurried = true;
  return { ...finished(bounding), complete: false };
}

/** Of a graph whose layers are not written out: intervals, and from the outputs back, as far as time goes, proper bounds. */
async function tensorBounds(
  graph: Graph,
  range: InputRange,
  options: SearchOptions,
): Promise<OutputBounds & { readonly complete: boolean }> {
  const isOver = hasNoTimeLeft(new Clock(options));
  const network = tensorNetworkOf(graph, isOver);
  const box = checkedBox(network, range);
  const { outputNames, firstOutput } = network;
  const targets = outputNames.flatMap((_, k) =>
    [1, -1].map((sign) => ({ slots: [firstOutput + k], weights: [sign], constant: 0 })),
  );
  const { leasts, known, complete } = await tensorLeasts(network, box, targets, options, isOver);
  const { firstRow } = network.layers.at(-1)!;
  const names = outputNames;
  const lower = Float64Array.from(names, (_, k) => Math.max(leasts[2 * k]!, known.rowLower[firstRow + k]!));
  const upper = Float64Array.from(names, (_, k) =>
    Math.min(-leasts[2 * k + 1]!, known.rowUpper[firstRow + k]!),
  );
  return { ...nonEmpty({ names, lower, upper }), complete };
}

/** The loosest bounds are tried for so many seconds, however little time there is for better ones. */
const leastSeconds = 2;

/** Is there no time for intervals either? */
export const hasNoTimeLeft = (clock: Clock) => (): boolean => clock.isOver && clock.seconds > leastSeconds;

/** The layers of a graph; undefined when the clock, if there is one, says that the time is over before. */
export function networkInTime(graph: Graph, clock: Clock | undefined): Network | undefined {
  try {
    return networkOf(graph, () => clock?.isOver ?? false);
  } catch (error) {
    if (error instanceof TimeOver) return undefined;
    throw error;
  }
}

/** Bounds of all outputs; once the bounder is hurried, only what is there already and intervals. */
function* boundingOutputs(
  bounder: BoxBounder,
  box: Box,
  steps: number,
  plainly: () => Omit<OutputBounds, "names"> | undefined,
): Steps<OutputBounds> {
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
  const plain = plainly();
  return nonEmpty({
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
  });
}

/** Bounds that hold no number would be a defect somewhere: nothing is said then. */
export function nonEmpty<B extends OutputBounds>(bounds: B): B {
  const empty = emptyPlace(bounds);
  if (empty >= 0)
    throw new GraphError(
      `the bounds ${bounds.lower[empty]} .. ${bounds.upper[empty]} of ${bounds.names[empty]} hold no number`,
    );
  return bounds;
}

/**
 * Bounds by the interval pass, which knows some operators better than their parts say (a normalization's range). Where
 * every layer is a function of single rows, or a maximum, the rows' own intervals are no looser.
 */
const plainBounds = (graph: Graph, { layers }: Network, box: Box): OutputBounds | undefined =>
  layers.some(({ surface, enclosure }) => surface || enclosure) ? intervalsOf(graph, box) : undefined;

/**
 * Bounds of all outputs by the interval pass; undefined where it cannot read the graph or the box. A `TimeOver` once
 * `isOver`: then there are no bounds at all.
 */
export function intervalsOf(
  graph: Graph,
  { lower, upper }: InputRange,
  isOver?: () => boolean,
): OutputBounds | undefined {
  let first = 0;
  const part = (side: ArrayLike<number>, end: number) =>
    Float64Array.from({ length: end - first }, (_, k) => side[first + k]!);
  const sides = inputShapes(graph).map(({ name, dims }) => {
    const end = first + elementCount(dims);
    const bounds = { lower: part(lower, end), upper: part(upper, end) };
    first = end;
    return [name, bounds] as const;
  });
  try {
    const outputs = [...outputBounds(graph, Object.fromEntries(sides), isOver)];
    return {
      names: outputs.flatMap(([name, y]) => elementNames(name, y.lower.length)),
      lower: Float64Array.from(outputs.flatMap(([, y]) => [...y.lower])),
      upper: Float64Array.from(outputs.flatMap(([, y]) => [...y.upper])),
    };
  } catch (error) {
    if (error instanceof GraphError) return undefined;
    throw error;
  }
}
