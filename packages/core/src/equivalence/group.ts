// The symmetry group of a network: what may be done to its weights so that it stays the same function.

import type { Graph } from "../graph/graph.ts";
import { logFactorial } from "../numbers/combinatorics.ts";
import type { Absorber } from "./axes/absorber.ts";
import { type Axis, type AxisClass, resolve } from "./axes/axis-class.ts";
import { readAxes } from "./axes/pass.ts";
import type { Scale, ScaleVariable } from "./axes/scale.ts";
import { exponentRank } from "./exponent-rank.ts";
import { fibreBases } from "./fibres.ts";
import type { UnitScale } from "./unit-scale.ts";

/** Units that go together: one permutation for all weights that have them. */
export interface UnitClass {
  readonly size: number;
  readonly permutes: boolean;
  /** Nothing but linear operators meets it: any invertible matrix is a symmetry. */
  readonly linear: boolean;
  /** Classes for each choice of whose units this class has a permutation, a scale, a matrix of its own. */
  readonly bases: readonly number[];
  /** How many choices those are. */
  readonly fibres: number;
  /** Indices of the group's scales. */
  readonly scales: readonly number[];
  readonly weights: readonly string[];
  /** Independent positive scales, and signs, of each unit. */
  readonly rank: { readonly magnitude: number; readonly sign: number };
}

export interface UnitLeg {
  readonly units: number;
  readonly size: number;
  /** [index of the group's scale, exponent]. */
  readonly scale: readonly (readonly [number, number])[];
  /** In a linear class: is it multiplied by A (1) or by the inverse of its transpose (-1)? */
  readonly matrix: 1 | -1 | 0;
}
/** An axis of a weight: a sum of products of classes. */
export type WeightAxis = readonly (readonly UnitLeg[])[];

/** An axis of an activation, as far as its units are those of weights. */
export type ValueAxis = readonly (readonly { readonly units: number | undefined }[])[];

export interface SymmetryGroup {
  /** The network in canonical operator form; symmetries change its initializers. */
  readonly graph: Graph;
  readonly classes: readonly UnitClass[];
  readonly scales: readonly UnitScale[];
  readonly weights: ReadonlyMap<string, readonly WeightAxis[]>;
  /** The axes of what the nodes compute. */
  readonly activations: ReadonlyMap<string, readonly ValueAxis[]>;
  readonly absorbers: readonly Absorber[];
  /** ln of the number of permutations. */
  readonly logPermutations: number;
  /** How many signs can be chosen. */
  readonly signs: number;
  /** Dimension of the continuous part: positive scales, and matrices. */
  readonly dimension: number;
  /** Operators without a rule, at which no symmetry is claimed. */
  readonly unread: readonly string[];
}

const cache = new WeakMap<Graph, SymmetryGroup>();

/**
 * The symmetries that can be read off a graph: of each class of units permutations, scales, signs, matrices.
 * @example Math.exp(symmetryGroup(square(2)).logPermutations) // about 2! 3! = 12
 */
export function symmetryGroup(source: Graph): SymmetryGroup {
  const known = cache.get(source) ?? findGroup(source);
  cache.set(source, known);
  return known;
}

function findGroup(source: Graph): SymmetryGroup {
  const { graph, values, absorbers, unread } = readAxes(source);
  // To resolve an axis can pin others: twice, and the second time nothing changes.
  for (const axes of values.values()) axes?.forEach(resolve);
  const resolved = new Map([...values].map(([name, axes]) => [name, axes?.map(resolve)]));
  const weightAxes = new Map(
    [...graph.initializers.keys()].map((name) => [name, resolved.get(name)!] as const),
  );
  const linear = linearClasses([...resolved.values()]);
  const whole = new Set(
    absorbers.flatMap(({ weights, summed }) =>
      weightAxes
        .get(weights)!
        [summed]!.flat()
        .map((l) => l.units),
    ),
  );
  const bases = fibreBases(
    [...resolved.values()].filter((axes) => axes !== undefined),
    whole,
  );
  const classes = [...new Set([...weightAxes.values()].flat(3).map((leg) => leg.units))];
  const indexOf = new Map(classes.map((units, k) => [units, k]));
  const variables = new Map<ScaleVariable, number>();
  const weights = new Map(
    [...weightAxes].map(([name, axes]) => [
      name,
      axes.map((axis) => axis.map((segment) => segment.map((leg) => compileLeg(leg.units, leg.scale)))),
    ]),
  );
  function compileLeg(units: AxisClass, scale: Scale): UnitLeg {
    const v = linear.get(units);
    const own = [...scale].filter(([variable]) => variable !== v);
    for (const [variable] of own) if (!variables.has(variable)) variables.set(variable, variables.size);
    return {
      units: indexOf.get(units)!,
      size: units.size!,
      scale: own.map(([variable, exponent]) => [variables.get(variable)!, exponent] as const),
      matrix: v ? (scale.get(v) as 1 | -1) : 0,
    };
  }
  const owners = new Map<number, number>();
  for (const leg of [...weights.values()].flat(3)) for (const [s] of leg.scale) owners.set(s, leg.units);
  const scales = [...variables].map(([variable, k]) => ({
    units: owners.get(k)!,
    magnitude: variable.magnitude,
    sign: variable.sign,
  }));
  const described = classes.map((units, k): UnitClass => {
    const over = (bases.get(units) ?? []).map((base) => indexOf.get(base)!);
    const own = scales.flatMap((s, i) => (s.units === k ? [i] : []));
    const legs = [...weights].flatMap(([, axes]) => axes.flat(2).filter((leg) => leg.units === k));
    return {
      size: units.size!,
      permutes: !units.pinned && !linear.has(units) && units.size! > 1,
      linear: linear.has(units),
      bases: over,
      fibres: over.reduce((n, base) => n * classes[base]!.size!, 1),
      scales: own,
      weights: [...weights].filter(([, axes]) => axes.flat(2).some((leg) => leg.units === k)).map(([n]) => n),
      rank: exponentRank(
        legs.map((leg) => leg.scale),
        own,
        scales,
      ),
    };
  });
  const activations = new Map(
    [...resolved].flatMap(([name, axes]) =>
      axes && !graph.initializers.has(name)
        ? [[name, axes.map((axis) => axis.map((s) => s.map((leg) => ({ units: indexOf.get(leg.units) }))))]]
        : [],
    ),
  );
  return {
    graph,
    classes: described,
    scales,
    weights,
    activations,
    absorbers,
    ...order(described),
    unread: unread.map((node) => node.op),
  };
}

function order(classes: readonly UnitClass[]) {
  const total = (of: (units: UnitClass) => number) => classes.reduce((sum, c) => sum + c.fibres * of(c), 0);
  return {
    logPermutations: total((c) => (c.permutes ? logFactorial(c.size) : 0)),
    signs: total((c) => c.size * c.rank.sign),
    dimension: total((c) => (c.linear ? c.size ** 2 : 0) + c.size * c.rank.magnitude),
  };
}

/** Classes all of whose legs have one free scale v or 1 / v, and that only linear operators met; with that v. */
function linearClasses(
  tensors: readonly (readonly Axis[] | undefined)[],
): ReadonlyMap<AxisClass, ScaleVariable> {
  const found = new Map<AxisClass, ScaleVariable | undefined>();
  for (const { units, scale } of tensors.flatMap((axes) => axes ?? []).flat(2)) {
    const [[v, exponent] = [], ...others] = [...scale];
    const isPlain = v && others.length === 0 && Math.abs(exponent!) === 1 && v.magnitude && v.sign;
    const isLinear = isPlain && units.linear && !units.pinned && units.size! > 1;
    const agrees = !found.has(units) || found.get(units) === v;
    found.set(units, isLinear && agrees ? v : undefined);
    if (!(isLinear && agrees)) units.linear = false;
  }
  return new Map([...found].filter((entry): entry is [AxisClass, ScaleVariable] => entry[1] !== undefined));
}

/** The scales whose signs an absorber's bias answers for. */
export const absorbedScales = (
  { weights: axes }: SymmetryGroup,
  { weights, summed }: Absorber,
): readonly number[] =>
  axes
    .get(weights)!
    [summed]!.flat()
    .flatMap((leg) => leg.scale.map(([s]) => s));
