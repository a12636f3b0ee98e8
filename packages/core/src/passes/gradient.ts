// Reverse-mode differentiation, graph to graph: the result is a graph that any ONNX Runtime runs, and that can be
// differentiated again.
import { Builder } from "../graph/builder.ts";
import { GraphError } from "../graph/error.ts";
import { finish } from "../graph/finish.ts";
import { type Graph, isTensorType, requiredInputs, type TensorType, type ValueInfo } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { prune } from "../graph/prune.ts";
import { type DataType, isFloat } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import type { Values } from "../graph/value.ts";
import { withoutTables } from "../graph/zip-map.ts";
import { backwardPass, dependents, unreadable } from "./backward.ts";
import { expand } from "./gradient/expand.ts";
import { checkPoolCounts } from "./gradient/pool-counts.ts";
import { betweenQuantizers } from "./gradient/quantization.ts";
import { rules } from "./gradient/rules.ts";
import { fullLike, reshapeLike, zerosLike } from "./gradient/shapes.ts";
import { withoutRule } from "./gradient/without-rule.ts";

export interface GradientOptions {
  /** Of which values to take derivatives: a kind, or names of inputs and weights. Default: the inputs. */
  readonly wrt?: "inputs" | "weights" | "both" | readonly string[];
  /** The outputs to differentiate; default: all that hold floating-point numbers. */
  readonly of?: readonly string[];
  /** Instead of inputs `seed_<output>`: the cotangent is 1 (what one wants for a loss). */
  readonly unitSeeds?: boolean;
}

export const gradientPass = backwardPass("gradient", rules, {
  gather: (shares) =>
    shares.length === 2 ? shares[0]!.add(shares[1]!) : shares[0]!.op("Sum", shares.slice(1)),
  nothing: (output) => zerosLike(output),
  reasons: withoutRule,
});

/**
 * The graph with, besides its outputs, an output `grad_<name>` for each input or weight asked for: the vector-Jacobian
 * product with the inputs `seed_<output>`.
 * @example gradient(net).outputs.map((o) => o.name) // ["y", "grad_x"]
 */
export function gradient(original: Graph, options: GradientOptions = {}): Graph {
  return derivatives(original, options).graph;
}

export interface Derivatives {
  readonly graph: Graph;
  /** The output of each input or weight asked for: not `grad_<name>` where that was taken. */
  readonly names: ReadonlyMap<string, string>;
  /** The input with the cotangent of each output, unless these are 1. */
  readonly seeds: ReadonlyMap<string, string>;
}

/** The same, and how its inputs and outputs are called. */
export function derivatives(original: Graph, options: GradientOptions = {}): Derivatives {
  const plain = betweenQuantizers(canonical(withoutTables(original)));
  const wanted = [...new Set(wantedNames(original, plain, options.wrt ?? "inputs"))];
  const types = inferTypes(plain);
  const of = differentiated(plain, types, options.of);
  const graph = expand(plain, of, new Set(wanted));
  checkPoolCounts(graph, inferTypes(graph), dependents(graph, new Set(wanted)));
  const inputs = Object.fromEntries(requiredInputs(graph).map((i) => [i.name, inputType(i)]));
  const taken = [...Object.keys(inputs), ...graph.outputs.map((o) => o.name)];
  const seedNames = untaken("seed_", of, taken);
  const gradientNames = untaken("grad_", wanted, [...taken, ...seedNames.values()]);
  const builder = new Builder();
  const body = (given: Values): Values => {
    const values = builder.trace(graph, given);
    const unknown = of.find((name) => values.get(name)?.type.type === "undefined");
    if (unknown !== undefined) throw unreadable("gradient", graph, values, unknown);
    const seeds = of.map(
      (name) => [name, given[seedNames.get(name)!] ?? fullLike(values.get(name)!, 1)] as const,
    );
    const found = gradientPass(graph, values, new Map(seeds), new Set(wanted));
    const outputs = graph.outputs.map(({ name }) => [name, values.get(name)!] as const);
    const gradients = wanted.map((name) => {
      const [x, g] = [values.get(name)!, found.get(name)];
      return [gradientNames.get(name)!, g ? reshapeLike(g, x) : zerosLike(x)] as const;
    });
    return Object.fromEntries([...outputs, ...gradients]);
  };
  const seedTypes = of.map((name) => [seedNames.get(name)!, plainType(types.get(name)!)] as const);
  const all = options.unitSeeds ? inputs : { ...inputs, ...Object.fromEntries(seedTypes) };
  const result = finish(builder, all, body, { name: `${graph.name}_gradient`, nested: false });
  return {
    graph: prune({ ...result, opsets: graph.opsets, functions: graph.functions }),
    names: gradientNames,
    seeds: seedNames,
  };
}

/**
 * A name with the prefix for each of the names, all different. A second gradient has those of the first one in its way:
 * `grad_x` becomes `grad_x_2`, unless that is the plain name of another.
 */
export function untaken(
  prefix: string,
  names: readonly string[],
  taken: readonly string[],
): ReadonlyMap<string, string> {
  const [before, used] = [new Set(taken), new Set([...taken, ...names.map((name) => prefix + name)])];
  const free = (name: string): string => {
    if (!before.has(name)) return name;
    let k = 2;
    while (used.has(`${name}_${k}`)) k++;
    used.add(`${name}_${k}`);
    return `${name}_${k}`;
  };
  return new Map(names.map((name) => [name, free(prefix + name)]));
}

const plainType = ({ type, shape }: TensorType): TensorType => ({ type, shape });

function inputType({ name, type }: ValueInfo): TensorType {
  if (!isTensorType(type)) throw new GraphError(`input "${name}" is a ${type.description}, not a tensor`);
  return type;
}

/** Names of floating-point inputs and weights. A constant of the graph that its file keeps in a node is no weight. */
export function wantedNames(
  original: Graph,
  graph: Graph,
  wrt: NonNullable<GradientOptions["wrt"]>,
): readonly string[] {
  const inputs = requiredInputs(graph)
    .filter(({ type }) => isFloat(type.type as DataType))
    .map((i) => i.name);
  const weights = [...original.initializers].filter(([, w]) => isFloat(w.type)).map(([name]) => name);
  const kinds = { inputs, weights, both: [...inputs, ...weights] };
  const names = typeof wrt === "string" ? kinds[wrt] : wrt;
  if (names.length === 0) {
    const weight =
      graph.initializers.size > original.initializers.size
        ? "no weight outside of Constant nodes"
        : "no weight";
    const kind = wrt === "inputs" ? "no input" : wrt === "weights" ? weight : `no input and ${weight}`;
    const isWide = [
      ...requiredInputs(graph).map(({ type }) => type),
      ...original.initializers.values(),
    ].every(({ type }) => type !== "bfloat16");
    const reason =
      typeof wrt === "string"
        ? `${kind} holds ${isWide ? "floating-point numbers" : "float16, float32 or float64 (gradients in bfloat16 are not supported)"}`
        : "no floating-point input or weight is asked for";
    throw new GraphError(`${reason}: there is nothing to differentiate by`);
  }
  if (typeof wrt === "string") return names;
  const unknown = wrt.find((name) => !inputs.includes(name) && !weights.includes(name));
  if (unknown !== undefined)
    throw new GraphError(
      `no floating-point input or weight "${unknown}"; there are ${list([...inputs, ...weights])}`,
    );
  return wrt;
}

function differentiated(
  graph: Graph,
  types: ReadonlyMap<string, TensorType>,
  of: readonly string[] | undefined,
): readonly string[] {
  const known = graph.outputs
    .map((o) => o.name)
    .filter((name) => isFloat(types.get(name)?.type ?? "undefined"));
  const unknown = of?.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new GraphError(`no floating-point output "${unknown}"; there are ${list(known)}`);
  if (known.length === 0) throw new GraphError("the graph has no floating-point output to differentiate");
  return of ?? known;
}

const list = (names: readonly string[]): string =>
  names.length === 0
    ? "none"
    : names
        .slice(0, 8)
        .map((n) => `"${n}"`)
        .join(", ") + (names.length > 8 ? ", ..." : "");
