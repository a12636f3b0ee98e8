// Descent in latent space: min over z of |A G(z) - y|^2 + weight |z|^2 from many starts at once (book, chapter 9, (9.1)).
// The starts are the rows of one batch, and all steps of Adam one loop inside of one graph.
import { run } from "../engine/run.ts";
import { release } from "../engine/session.ts";
import { Builder, float32, float64, graph } from "../graph/builder.ts";
import { finish } from "../graph/finish.ts";
import type { Graph } from "../graph/graph.ts";
import { loop, seen } from "../graph/looping.ts";
import { encode, numbers, type Tensor, tensor, view } from "../graph/tensor.ts";
import type { Value } from "../graph/value.ts";
import type { Random } from "../numbers/random.ts";
import { gradient } from "../passes/gradient.ts";
import { minimize } from "../scattering/minimize.ts";
import { defaultCoefficients, optimizers } from "../train/optimizer.ts";
import { InverseError } from "./error.ts";
import { type Generator, generated } from "./generator.ts";
import type { LinearMap } from "./linear-map.ts";

export interface LatentOptions {
  /** Starts, standard normal; default: 10. */
  readonly restarts?: number;
  /** Steps of Adam; default: 500. */
  readonly steps?: number;
  /** Their rate; default: 0.1. */
  readonly rate?: number;
  /** Weight of |z|^2; default: 0. */
  readonly weight?: number;
  /** Every so many steps each z becomes -z where that fits better (Hand and Voroninski); default: never. */
  readonly negation?: number;
  /** "modulus": measurements are |A x|, as in phase retrieval. */
  readonly measured?: "linear" | "modulus";
  /** Steps of a quasi-Newton descent from the best z; default: 100. */
  readonly polish?: number;
  /** Of a flow, the deviation s of the noise: the most probable signal, |A x - y|^2 - 2 s^2 ln p(x) up to a constant. */
  readonly posterior?: number;
  /** Where the first start is; the others are drawn. */
  readonly start?: Float64Array;
  /** No further from the first start than this. */
  readonly radius?: number;
  readonly threads?: number;
  /** Called between chunks of steps. */
  readonly onStep?: (step: number, least: number) => void | Promise<void>;
}

export interface LatentRecovery {
  readonly x: Float64Array;
  readonly z: Float64Array;
  /** |A G(z) - y|^2 + weight |z|^2 at the best z. */
  readonly objective: number;
  /** The least objective of each start. */
  readonly restarts: readonly number[];
  /** The least objective of all starts before each step. */
  readonly trace: readonly number[];
}

type Measured = Pick<LatentOptions, "measured" | "weight" | "posterior">;

/**
 * Of rows z: x = G(z), and each row's objective.
 * @example latentObjective(generatorOf(initialNetwork("2-8-relu-4")), identityOperator(4)).outputs.map(({ name }) => name) // ["total", "each", "x"]
 */
export function latentObjective(
  generator: Generator,
  map: LinearMap,
  { measured = "linear", weight = 0, posterior }: Measured = {},
): Graph {
  if (map.inputs !== generator.size)
    throw new InverseError(`the operator takes ${map.inputs} numbers, the generator makes ${generator.size}`);
  if (posterior !== undefined && !(generator.logdet && posterior > 0))
    throw new InverseError("the most probable signal is there for a flow and noise above 0");
  const typed = generator.type === "float32" ? float32 : float64;
  return graph(
    { z: typed("N", generator.latent), y: typed(1, map.outputs) },
    ({ z, y }) => {
      const { x, logdet } = generated(generator, z);
      const seenOf = map.write(x);
      const rest = (measured === "modulus" ? seenOf.abs() : seenOf).sub(y);
      const fit = rest.mul(rest).sum([1]);
      const lengths = z.mul(z).sum([1]);
      const weighted = weight === 0 ? fit : fit.add(lengths.mul(weight));
      // -2 ln p(x) is |z|^2 + 2 ln |det dx / dz|, and a constant.
      const each =
        posterior === undefined ? weighted : weighted.add(lengths.add(logdet!.mul(2)).mul(posterior ** 2));
      return { total: each.sum([0]), each, x };
    },
    { name: "latent_objective" },
  );
}

/** Steps of Adam for all rows: states z, m, v, the best z and its objective. */
function descentGraph(
  generator: Generator,
  slope: Graph,
  outputs: number,
  { negation, radius }: Pick<LatentOptions, "negation" | "radius">,
): Graph {
  const { type, latent } = generator;
  const typed = type === "float32" ? float32 : float64;
  const rows = typed("N", latent);
  const builder = new Builder();
  const adam = optimizers.adam(defaultCoefficients);
  const states = { z: rows, m: rows, v: rows, bestZ: rows, best: typed("N") };
  return finish(
    builder,
    {
      y: typed(1, outputs),
      rate: typed(),
      ...(radius === undefined ? {} : { centre: typed(1, latent) }),
      from: { type: "int64", shape: [] },
      turns: { type: "int64", shape: [] },
      ...states,
    },
    ({ y, rate, from, turns, centre, ...first }) => {
      const { states: last, traces } = loop(turns!, first, (turn, now, go) => {
        const here = (value: Value): Value => seen(value, turn.builder);
        const found = turn.builder.inline(slope, { z: now.z!, y: here(y!) });
        const isBetter = found.each!.op("Less", [now.best!]);
        const step = turn.add(here(from!));
        const { weight, slots } = adam.update({
          ...{ weight: now.z!, gradient: found.grad_z!, rate: here(rate!) },
          ...{ step: step.cast("float64"), slots: [now.m!, now.v!] },
        });
        const near = centre && radius !== undefined ? inBall(weight, here(centre), radius) : weight;
        const z = negation === undefined ? near : negated(near, step, negation, slope, here(y!));
        return {
          go,
          states: {
            ...{ z, m: slots[0]!, v: slots[1]! },
            bestZ: isBetter.reshape([-1, 1]).op("Where", [now.z!, now.bestZ!]),
            best: found.each!.min(now.best!),
          },
          traces: { least: found.each!.op("ReduceMin", [], { keepdims: 0 }) },
        };
      });
      return {
        ...Object.fromEntries(Object.entries(last).map(([k, v]) => [`${k}:next`, v])),
        least: traces.least!,
      };
    },
    { name: "latent_descent", nested: false },
  );
}

/** The nearest row to each z that is at most so far from the centre. */
function inBall(z: Value, centre: Value, radius: number): Value {
  const away = z.sub(centre);
  const length = away.mul(away).sum([1], 1).sqrt();
  return centre.add(away.mul(length.max(radius).pow(-1).mul(radius)));
}

/** -z in place of z where that is nearer to the measurements, every so many steps. */
function negated(z: Value, step: Value, every: number, slope: Graph, y: Value): Value {
  const { builder } = z;
  const integer = (v: number): Value => builder.lift(tensor(v, { type: "int64" }), "int64");
  const isTurn = step.op("Mod", [integer(every)]).op("Equal", [integer(0)]);
  const [at, opposite] = [z, z.neg()].map((w) => builder.inline(slope, { z: w, y }).each!) as [Value, Value];
  const turns = opposite.op("Less", [at]).reshape([-1, 1]).op("And", [isTurn]);
  return turns.op("Where", [z.neg(), z]);
}

/** Steps of one call of the runtime. */
const chunk = 100;

/**
 * The latent vector whose signal fits the measurements best, of all that the starts find.
 * @example (await latentDescent(generatorOf(initialNetwork("2-16-relu-8", { seed: 1 })), identityOperator(8), new Float64Array(8), createRandom(1), { steps: 20 })).restarts.length // 10
 */
export async function latentDescent(
  generator: Generator,
  map: LinearMap,
  y: Float64Array,
  random: Random,
  {
    restarts = 10,
    steps = 500,
    rate = 0.1,
    negation,
    start: first,
    radius,
    polish = radius === undefined ? 100 : 0,
    threads,
    onStep,
    ...measured
  }: LatentOptions = {},
): Promise<LatentRecovery> {
  if (y.length !== map.outputs)
    throw new InverseError(`${y.length} measurements for an operator of ${map.outputs}`);
  const { type, latent } = generator;
  const objective = latentObjective(generator, map, measured);
  const slope = gradient(objective, { wrt: ["z"], of: ["total"], unitSeeds: true });
  const descent = descentGraph(generator, slope, map.outputs, { negation, radius });
  const numeric = (dims: readonly number[], values: ArrayLike<number>): Tensor =>
    view(type, dims, encode(values, type));
  const wanted = numeric([1, y.length], y);
  if (first && first.length !== latent)
    throw new InverseError(`a start of ${first.length} numbers for ${latent} latent ones`);
  if (radius !== undefined && !(radius > 0 && first && restarts === 1 && negation === undefined))
    throw new InverseError("a radius is a positive number, for one start that is given, without negation");
  const drawn = random.normal(restarts * latent);
  if (first) drawn.set(first);
  const start = numeric([restarts, latent], drawn);
  const zeros = numeric([restarts, latent], new Float64Array(restarts * latent));
  let state: Record<string, Tensor> = {
    ...{ z: start, m: zeros, v: zeros, bestZ: start },
    best: numeric([restarts], new Float64Array(restarts).fill(Number.POSITIVE_INFINITY)),
  };
  const trace: number[] = [];
  const options = threads === undefined ? {} : { threads };
  // One turn more than there are steps: the last z is looked at, too.
  for (let from = 0; from <= steps; from += chunk) {
    const turns = Math.min(chunk, steps + 1 - from);
    const integers = { from: tensor(from, { type: "int64" }), turns: tensor(turns, { type: "int64" }) };
    const next = await run(
      descent,
      {
        ...{ y: wanted, rate: tensor(rate, { type }), ...integers, ...state },
        ...(radius === undefined ? {} : { centre: start }),
      },
      options,
    );
    for (const v of numbers(next.least!)) trace.push(v);
    state = Object.fromEntries(Object.keys(state).map((key) => [key, next[`${key}:next`]!]));
    await onStep?.(from + turns - 1, trace.at(-1)!);
  }
  await release(descent);
  const found = Array.from(numbers(state["best"]!));
  const winner = found.reduce((best, v, k) => (v < found[best]! || Number.isNaN(found[best]!) ? k : best), 0);
  if (!Number.isFinite(found[winner]!))
    throw new InverseError("every start diverged: a smaller rate may help");
  const evaluate = async (z: Float64Array) => {
    const at = await run(slope, { z: numeric([1, latent], z), y: wanted }, options);
    return { value: numbers(at["each"]!)[0]!, gradient: Float64Array.from(numbers(at["grad_z"]!)) };
  };
  const from = Float64Array.from(numbers(state["bestZ"]!).subarray(winner * latent, (winner + 1) * latent));
  const end = await minimize(evaluate, from, { iterations: polish });
  const at = await run(slope, { z: numeric([1, latent], end.x), y: wanted }, options);
  await release(slope);
  return {
    ...{ x: Float64Array.from(numbers(at["x"]!)), z: end.x, objective: end.value },
    ...{ restarts: found, trace },
  };
}
