// Intermediate layers (Daras, Dean, Jalal and Dimakis 2021): once z is found, the values of a later layer are descended in, too,
// near those that z gives. What comes out need not be in the range of the generator, but is near it.
import { run } from "../engine/run.ts";
import { release } from "../engine/session.ts";
import { type Graph, isTensorType, type ValueInfo } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { encode, numbers, view } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import type { Random } from "../numbers/random.ts";
import { InverseError } from "./error.ts";
import { type Generator, generatorOf } from "./generator.ts";
import { type LatentOptions, type LatentRecovery, latentDescent } from "./latent-descent.ts";
import { type LinearMap, lengthOf } from "./linear-map.ts";

/** Operators after which a network is cut: the ends of its layers. */
const ends = new Set("Relu LeakyRelu Elu Selu Sigmoid Tanh Softplus Gelu Max BatchNormalization".split(" "));

export interface Cut {
  /** From latent vectors to the values of the layer, and from those to signals. */
  readonly before: Graph;
  readonly after: Generator;
}

/**
 * The places between layers where everything that depends on the latent vector passes through one value.
 * @example cutsOf(generatorOf(initialNetwork("2-8-relu-8-relu-4"))).length // 2
 */
export function cutsOf({ graph: original, input, output, type }: Generator): readonly Cut[] {
  const graph = canonical(original);
  const types = inferTypes(graph);
  const depends = new Set([input]);
  const lastUse = new Map<string, number>();
  for (const [k, node] of graph.nodes.entries()) {
    for (const name of node.inputs) lastUse.set(name, k);
    if (node.inputs.some((name) => depends.has(name))) for (const name of node.outputs) depends.add(name);
  }
  for (const { name } of graph.outputs) lastUse.set(name, graph.nodes.length);
  const cuts: Cut[] = [];
  for (const [k, node] of graph.nodes.entries()) {
    const [name] = node.outputs;
    if (!name || name === output || !ends.has(node.op) || !depends.has(name)) continue;
    const made = [input, ...graph.nodes.slice(0, k + 1).flatMap(({ outputs }) => outputs)];
    const open = made.filter((v) => depends.has(v) && (lastUse.get(v) ?? -1) > k);
    if (open.length !== 1 || open[0] !== name) continue;
    const shape = types.get(name)?.shape?.slice(1);
    if (!shape?.every((d) => typeof d === "number")) continue;
    const info: ValueInfo = { name, type: { type, shape: ["N", ...shape] } };
    const part = (
      inputs: readonly ValueInfo[],
      outputs: readonly ValueInfo[],
      from: number,
      to: number,
    ): Graph => {
      const nodes = graph.nodes.slice(from, to);
      return { ...graph, inputs, outputs, nodes, valueTypes: new Map() };
    };
    // What does not depend on z may be made before the cut and read after it: both parts have it.
    const constants = graph.nodes
      .slice(0, k + 1)
      .filter(({ outputs }) => !outputs.some((v) => depends.has(v)));
    const tail = part([info], graph.outputs, k + 1, graph.nodes.length);
    cuts.push({
      before: part(graph.inputs, [info], 0, k + 1),
      after: generatorOf({ ...tail, nodes: [...constants, ...tail.nodes] }),
    });
  }
  return cuts;
}

export interface IntermediateOptions extends Omit<LatentOptions, "radius" | "posterior"> {
  /** How many layers are descended in, after z; default: all. */
  readonly layers?: number;
  /** How far from the values that z gives, as a part of their length; default: 0.1. */
  readonly share?: number;
}

export interface IntermediateRecovery {
  readonly x: Float64Array;
  readonly latent: LatentRecovery;
  /** |A x - y|^2 after z, and after each layer: none is greater than the one before. */
  readonly objectives: readonly number[];
  /** How far the values of each layer went, as a part of their length. */
  readonly moved: readonly number[];
}

/** z by latent descent, then the values of one layer after the other in a ball about those that the layers before it give. */
export async function intermediateRecovery(
  generator: Generator,
  map: LinearMap,
  y: Float64Array,
  random: Random,
  { layers = Number.POSITIVE_INFINITY, share = 0.1, ...options }: IntermediateOptions = {},
): Promise<IntermediateRecovery> {
  if (!(share > 0)) throw new InverseError(`the radius is a positive part, not ${share}`);
  const cuts = cutsOf(generator).slice(0, layers);
  if (cuts.length === 0)
    throw new InverseError(
      "the generator has no layer between its latent vector and its signal to descend in",
    );
  const latent = await latentDescent(generator, map, y, random, options);
  const { measured, onStep, threads, rate = 0.1, steps } = options;
  let [values, place, x] = [latent.z, generator, latent.x];
  const misfit = (signal: Float64Array): number =>
    map
      .apply(signal)
      .reduce((sum, v, i) => sum + ((measured === "modulus" ? Math.abs(v) : v) - y[i]!) ** 2, 0);
  const objectives = [misfit(x)];
  const moved: number[] = [];
  for (const [k, { after }] of cuts.entries()) {
    // From the layer before to this one: what lies between two cuts.
    const between = k === 0 ? cuts[0]!.before : withInput(cuts[k]!.before, place);
    const found = await run(between, {
      [place.input]: view(place.type, [1, ...place.latentShape], encode(values, place.type)),
    });
    const centre = Float64Array.from(numbers(found[after.input]!));
    const length = lengthOf(centre);
    if (length === 0)
      throw new InverseError(
        `layer ${k + 1} of the generator is 0 at the z that was found: other starts may help`,
      );
    const next = await latentDescent(after, map, y, random, {
      ...{ start: centre, restarts: 1, radius: share * length, rate: rate / 5 },
      ...(steps === undefined ? {} : { steps }),
      ...(measured === undefined ? {} : { measured }),
      ...(threads === undefined ? {} : { threads }),
      ...(onStep === undefined ? {} : { onStep }),
    });
    await release(between);
    moved.push(lengthOf(next.z.map((v, i) => v - centre[i]!)) / length);
    [values, place, x] = [next.z, after, next.x];
    objectives.push(misfit(x));
  }
  return { x, latent, objectives, moved };
}

/** The part of a graph from the input of a later part on. */
function withInput(before: Graph, { graph, input }: Generator): Graph {
  const first = before.nodes.findIndex(({ outputs }) => outputs.includes(input));
  const info = graph.inputs.find(({ name }) => name === input)!;
  if (!isTensorType(info.type)) throw new InverseError(`"${input}" is no tensor`);
  return { ...before, inputs: [info], nodes: before.nodes.slice(first + 1) };
}
