// Alignment: the symmetry of one network that brings its weights closest to those of another of the same layout.

import { run } from "../../engine/run.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { tensor } from "../../graph/tensor.ts";
import { linearAssignment } from "../../linear-algebra/assignment.ts";
import type { Random } from "../../numbers/random.ts";
import { type Parameters, parametersOf, transformParameters } from "../apply.ts";
import { identitySymmetry } from "../element.ts";
import type { SymmetryGroup } from "../group.ts";
import { type Pair, pairOfNetworks, withNames } from "./layout.ts";
import { type Features, featureLength, featuresOf } from "./unfold.ts";

export { paired } from "./layout.ts";

export interface Alignment {
  /** The other network as it is written, its units in the order of the reference. */
  readonly graph: Graph;
  /** Both networks, and the other one aligned, in one layout: what lies between them is a network. */
  readonly ends: { readonly reference: Graph; readonly given: Graph; readonly aligned: Graph };
  /** By class: where each of its units went. */
  readonly permutations: ReadonlyMap<number, Int32Array>;
  /** Units that can be put in another order. */
  readonly movable: number;
  /** The Euclidean distance of the weights that symmetries change, before and after; of the others, its square. */
  readonly distance: { readonly before: number; readonly after: number };
  readonly rest: number;
  /** Assignments that were solved. */
  readonly assignments: number;
}

export interface AlignOptions {
  readonly random: Random;
  readonly onProgress?: (fraction: number) => void | Promise<void>;
  /** What open sizes stand for, where the networks are written differently; default 1. */
  readonly size?: number;
}

const products = graph({ a: float64("N", "K"), b: float64("M", "K") }, ({ a, b }) => ({
  s: a.matmul(b.transpose([1, 0])),
}));

/** All inner products of the units of two networks. */
export async function similarities(a: Features, b: Features): Promise<Float64Array> {
  const rows = ({ units, length, data }: Features) => tensor(data, { dims: [units, length] });
  const { s } = await run(products, { a: rows(a), b: rows(b) });
  return s!.data as Float64Array;
}

export const distanceOf = (a: Parameters, b: Parameters): number => {
  let sum = 0;
  for (const [name, values] of a) {
    const others = b.get(name)!;
    for (let k = 0; k < values.length; k++) sum += (values[k]! - others[k]!) ** 2;
  }
  return Math.sqrt(sum);
};

/** Classes whose units can be put in another order, all at once. */
export const permutableClasses = ({ classes }: SymmetryGroup): readonly number[] =>
  classes.flatMap(({ permutes, fibres }, k) => (permutes && fibres === 1 ? [k] : []));

/** Where each unit of b goes when it takes the place of the unit of a that it is most like, all of them together. */
export function bestOrder(similarity: Float64Array, n: number): Int32Array {
  const { columnOf } = linearAssignment(
    similarity.map((s) => -s),
    n,
  );
  const to = new Int32Array(n);
  columnOf.forEach((j, i) => {
    to[j] = i;
  });
  return to;
}

export const composedOrder = (first: Int32Array | undefined, then: Int32Array): Int32Array =>
  first ? first.map((k) => then[k]!) : then;

/** Two networks of one layout, and what has been done to the second. */
interface Matching {
  readonly parameters: Parameters;
  readonly permutations: ReadonlyMap<number, Int32Array>;
  readonly assignments: number;
}

/** One class of the second network in the best order, as far as the blocks go that are `known`. */
async function improved(
  group: SymmetryGroup,
  fixed: Parameters,
  { parameters, permutations, assignments }: Matching,
  units: number,
  known?: (units: number) => boolean,
): Promise<{ readonly matching: Matching; readonly gains: boolean }> {
  const n = group.classes[units]!.size;
  const of = (values: Parameters): Features => featuresOf(group, values, units, known);
  const mine = of(fixed);
  const same = { parameters, permutations, assignments: assignments + 1 };
  if (mine.length === 0) return { matching: same, gains: false };
  const similarity = await similarities(mine, of(parameters));
  const to = bestOrder(similarity, n);
  let [gain, size] = [0, 0];
  to.forEach((i, j) => {
    gain += similarity[i * n + j]! - similarity[j * n + j]!;
    size += Math.abs(similarity[i * n + j]!);
  });
  if (gain <= 1e-12 * size) return { matching: same, gains: false };
  const moved = transformParameters(group, parameters, {
    ...identitySymmetry,
    permutations: new Map([[units, to]]),
  });
  const composed = new Map(permutations).set(units, composedOrder(permutations.get(units), to));
  return {
    matching: { parameters: moved, permutations: composed, assignments: assignments + 1 },
    gains: true,
  };
}

/** Class after class by what is known already, beginning where inputs and outputs alone tell units apart. */
async function outwards(group: SymmetryGroup, fixed: Parameters, start: Matching): Promise<Matching> {
  const waiting = new Set(permutableClasses(group));
  let matching = start;
  while (waiting.size > 0) {
    const known = (units: number): boolean => !waiting.has(units);
    const reach = (units: number): number =>
      featureLength(group, fixed.keys(), units, (u) => u !== units && known(u));
    const next = [...waiting].reduce((best, units) => (reach(units) > reach(best) ? units : best));
    matching = (await improved(group, fixed, matching, next, (u) => u !== next && known(u))).matching;
    waiting.delete(next);
  }
  return matching;
}

/** Class by class, in random order, until none gains: the distance only falls. */
async function descended(
  group: SymmetryGroup,
  fixed: Parameters,
  start: Matching,
  { random, onProgress }: AlignOptions,
): Promise<Matching> {
  const classes = permutableClasses(group);
  let matching = start;
  for (let gains = true, sweep = 0; gains && sweep < 100; sweep++) {
    gains = false;
    for (const at of random.permutation(classes.length)) {
      const step = await improved(group, fixed, matching, classes[at]!);
      matching = step.matching;
      gains ||= step.gains;
    }
    await onProgress?.(1 - 1 / (sweep + 2));
  }
  return matching;
}

/** What was found, as graphs. */
export const alignmentOf = (
  pair: Pair,
  permutations: ReadonlyMap<number, Int32Array>,
  parameters: Parameters,
): Pick<Alignment, "graph" | "ends" | "permutations" | "movable" | "rest"> => ({
  get graph() {
    return pair.written(permutations, parameters);
  },
  ends: {
    reference: pair.reference.graph,
    given: withNames(pair, pair.given),
    aligned: withNames(pair, parameters),
  },
  permutations,
  rest: pair.rest,
  movable: permutableClasses(pair.reference).reduce((n, k) => n + pair.reference.classes[k]!.size, 0),
});

/**
 * Weight matching (Ainsworth, Hayase and Srinivasa 2022) on any graph: class by class the assignment that makes the inner
 * product with the reference greatest while all other classes stay, until none gains. It starts twice, from the order
 * given and from one found outwards from the inputs (which undoes a permutation, where weights are generic), and keeps
 * what comes closest.
 * @example (await alignByWeights(net, net, { random: createRandom(1) })).distance.after // 0
 */
export async function alignByWeights(
  reference: Graph,
  other: Graph,
  options: AlignOptions,
): Promise<Alignment> {
  const pair = pairOfNetworks(reference, other, options.size);
  const group = pair.reference;
  const fixed = parametersOf(group);
  const given: Matching = { parameters: pair.given, permutations: new Map(), assignments: 0 };
  const found = [
    await descended(group, fixed, await outwards(group, fixed, given), options),
    await descended(group, fixed, given, options),
  ];
  const distance = ({ parameters }: Matching): number => distanceOf(fixed, parameters);
  const best = found.reduce((a, b) => (distance(b) < distance(a) ? b : a));
  return {
    ...alignmentOf(pair, best.permutations, best.parameters),
    distance: { before: distance(given), after: distance(best) },
    assignments: found.reduce((sum, { assignments }) => sum + assignments, 0),
  };
}
