// The network after a symmetry: other weights, the same function.
import type { Graph } from "../graph/graph.ts";
import { encode, type FloatType, numbers, type Tensor } from "../graph/tensor.ts";
import type { Absorber } from "./axes/absorber.ts";
import type { SymmetryElement } from "./element.ts";
import { type SymmetryGroup, symmetryGroup, type UnitLeg } from "./group.ts";
import { legFactors, transformWeight } from "./transform.ts";

/** Weights of a network as f64 numbers, by name. */
export type Parameters = ReadonlyMap<string, Float64Array>;

/** The float weights that a symmetry can change. */
export function parametersOf(group: SymmetryGroup): Parameters {
  const changeable = [...group.weights].filter(([, axes]) =>
    axes
      .flat(2)
      .some((leg) => leg.scale.length > 0 || leg.matrix !== 0 || group.classes[leg.units]!.permutes),
  );
  const absorbing = group.absorbers.map((a) => a.bias);
  return new Map(
    [...new Set([...changeable.map(([name]) => name), ...absorbing])].map((name) => [
      name,
      Float64Array.from(numbers(group.graph.initializers.get(name) as Tensor)),
    ]),
  );
}

/** The parameters after a symmetry; weights that it does not touch are the same arrays. */
export function transformParameters(
  group: SymmetryGroup,
  parameters: Parameters,
  element: SymmetryElement,
): Parameters {
  const { permutations, scales, matrices } = element;
  const before = new Map(parameters);
  for (const absorber of group.absorbers)
    before.set(absorber.bias, absorbed(group, absorber, before, element));
  const isTouched = (leg: UnitLeg) =>
    permutations.has(leg.units) || matrices.has(leg.units) || leg.scale.some(([s]) => scales.has(s));
  return new Map(
    [...before].map(([name, values]) => {
      const axes = group.weights.get(name)!;
      return [name, axes.flat(2).some(isTouched) ? transformWeight(group, axes, values, element) : values];
    }),
  );
}

/** b + ratio sum_i W_i (1 - s_i) / 2, where inputs with s_i = -1 were replaced by 1 minus themselves. */
function absorbed(
  group: SymmetryGroup,
  { weights, summed, kept, bias, ratio }: Absorber,
  parameters: Parameters,
  element: SymmetryElement,
): Float64Array {
  const [W, b] = [parameters.get(weights)!, parameters.get(bias)!.slice()];
  const axes = group.weights.get(weights)!;
  const count = (legs: readonly UnitLeg[]) => legs.reduce((n, l) => n * l.size, 1);
  const signs = axes[summed]!.flatMap((segment) => {
    const at = segment.findIndex((l) => l.scale.length > 0);
    const own = at < 0 ? undefined : legFactors(segment[at]!, segment[at]!.size, element);
    // The other legs of a product have no scale: each entry is repeated along them.
    const inner = count(segment.slice(at + 1));
    return Array.from({ length: count(segment) }, (_, k) =>
      own ? own[Math.floor(k / inner) % own.length]! : 1,
    );
  });
  if (signs.every((s) => s > 0)) return parameters.get(bias)!;
  const columns = kept === 0 ? signs.length : b.length;
  for (let o = 0; o < b.length; o++)
    for (let i = 0; i < signs.length; i++)
      if (signs[i]! < 0) b[o]! += ratio * W[kept === 0 ? o * columns + i : i * columns + o]!;
  return b;
}

/** The graph with these parameters in place of its own, rounded to the type that they had. */
export function withParameters(group: SymmetryGroup, parameters: Parameters): Graph {
  const initializers = new Map(group.graph.initializers);
  for (const [name, values] of parameters) {
    const { type, dims } = initializers.get(name)!;
    initializers.set(name, { type, dims, data: encode(values, type as FloatType) });
  }
  return { ...group.graph, initializers };
}

/**
 * The network with the symmetry applied to its weights: the same function, to rounding.
 * @example applySymmetry(net, randomSymmetry(symmetryGroup(net), createRandom(7)))
 */
export function applySymmetry(source: Graph, element: SymmetryElement): Graph {
  const group = symmetryGroup(source);
  return withParameters(group, transformParameters(group, parametersOf(group), element));
}
