// Alignment: the symmetry of one network that brings its weights closest to those of another of the same layout.

import type { Random } from "../../engine/random.ts";
import { run } from "../../engine/run.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { tensor } from "../../graph/tensor.ts";
import { type Parameters, parametersOf, transformParameters, withParameters } from "../apply.ts";
import { identitySymmetry } from "../element.ts";
import { SymmetryError } from "../error.ts";
import { type SymmetryGroup, symmetryGroup } from "../group.ts";
import { linearAssignment } from "./assignment.ts";
import { type Features, featuresOf } from "./unfold.ts";

export interface Alignment {
  /** The other network, its units in the order of the reference. */
  readonly graph: Graph;
  /** By class: where each of its units went. */
  readonly permutations: ReadonlyMap<number, Int32Array>;
  /** Euclidean distance of the weights before and after. */
  readonly distance: { readonly before: number; readonly after: number };
  /** Assignments that were solved. */
  readonly assignments: number;
}

export interface AlignOptions {
  readonly random: Random;
  readonly onProgress?: (fraction: number) => void | Promise<void>;
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

/** The parameters of both networks by the names of the reference; a message says where layouts part. */
export function paired(reference: SymmetryGroup, other: SymmetryGroup): Parameters {
  const [a, b] = [parametersOf(reference), parametersOf(other)];
  const [names, others] = [[...a.keys()], [...b.keys()]];
  const layoutOf = (group: SymmetryGroup, name: string) => JSON.stringify(group.weights.get(name));
  const differs = names.findIndex(
    (name, k) => others[k] === undefined || layoutOf(reference, name) !== layoutOf(other, others[k]),
  );
  if (names.length !== others.length || differs >= 0)
    throw new SymmetryError(
      `the networks are not of the same layout: weight "${names[differs] ?? others[names.length]}" has no counterpart`,
    );
  return new Map(names.map((name, k) => [name, b.get(others[k]!)!]));
}

const distanceOf = (a: Parameters, b: Parameters): number => {
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

/**
 * Weight matching (Ainsworth, Hayase and Srinivasa 2022) on any graph: class by class, in random order, the assignment
 * that makes the inner product with the reference greatest while all other classes stay; until none gains.
 * @example (await alignByWeights(net, net, { random: createRandom(1) })).distance.after // 0
 */
export async function alignByWeights(
  reference: Graph,
  other: Graph,
  { random, onProgress }: AlignOptions,
): Promise<Alignment> {
  const [group, otherGroup] = [symmetryGroup(reference), symmetryGroup(other)];
  const fixed = parametersOf(group);
  const given = paired(group, otherGroup);
  let current = given;
  const classes = permutableClasses(group);
  const permutations = new Map<number, Int32Array>();
  let assignments = 0;
  for (let gains = classes.length > 0, sweep = 0; gains && sweep < 100; sweep++) {
    gains = false;
    for (const at of random.permutation(classes.length)) {
      const units = classes[at]!;
      const n = group.classes[units]!.size;
      const similarity = await similarities(
        featuresOf(group, fixed, units),
        featuresOf(group, current, units),
      );
      const to = bestOrder(similarity, n);
      assignments++;
      let gain = 0;
      let size = 0;
      to.forEach((i, j) => {
        gain += similarity[i * n + j]! - similarity[j * n + j]!;
        size += Math.abs(similarity[i * n + j]!);
      });
      if (gain <= 1e-12 * size) continue;
      gains = true;
      permutations.set(units, composedOrder(permutations.get(units), to));
      current = transformParameters(group, current, {
        ...identitySymmetry,
        permutations: new Map([[units, to]]),
      });
    }
    await onProgress?.(1 - 1 / (sweep + 2));
  }
  return {
    graph: withNames(otherGroup, group, current),
    permutations,
    distance: { before: distanceOf(fixed, given), after: distanceOf(fixed, current) },
    assignments,
  };
}

/** The other network with these parameters, which are named as in the reference. */
export function withNames(other: SymmetryGroup, reference: SymmetryGroup, parameters: Parameters): Graph {
  const names = [...parametersOf(other).keys()];
  return withParameters(
    other,
    new Map([...parametersOf(reference).keys()].map((name, k) => [names[k]!, parameters.get(name)!])),
  );
}
