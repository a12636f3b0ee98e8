// Two networks whose weights correspond one to one: as they are written, or, where exporters wrote them differently, in
// their normal forms.
import { type Attribute, type Graph, isSparse, type Node } from "../../graph/graph.ts";
import { isFloat, numbers, type Tensor } from "../../graph/tensor.ts";
import { applySymmetry, type Parameters, parametersOf, withParameters } from "../apply.ts";
import { identitySymmetry } from "../element.ts";
import { SymmetryError } from "../error.ts";
import { type SymmetryGroup, symmetryGroup } from "../group.ts";
import { normalForm } from "../normal/normal-form.ts";

/** Where each unit of a class goes, by class. */
export type Orders = ReadonlyMap<number, Int32Array>;

export interface Pair {
  readonly reference: SymmetryGroup;
  readonly other: SymmetryGroup;
  /** The weights of the second network that symmetries change, by the names of the first. */
  readonly given: Parameters;
  /** The sum of squared differences of all other weights. */
  readonly rest: number;
  /** The second network, as it is written, with these orders of its units. */
  readonly written: (orders: Orders, parameters: Parameters) => Graph;
}

/** The pair of two networks; an error says where their layouts part. `size`: what open sizes stand for in normal forms. */
export function pairOfNetworks(reference: Graph, other: Graph, size = 1): Pair {
  try {
    const pair = pairOf(symmetryGroup(reference), symmetryGroup(other));
    return { ...pair, written: (_, parameters) => withNames(pair, parameters) };
  } catch (error) {
    if (!(error instanceof SymmetryError)) throw error;
    return normalPair(reference, other, size) ?? rethrown(error);
  }
}

function rethrown(error: SymmetryError): never {
  throw error;
}

function normalPair(reference: Graph, other: Graph, size: number): Pair | undefined {
  try {
    const pair = pairOf(symmetryGroup(normalForm(reference, size)), symmetryGroup(normalForm(other, size)));
    const written = (orders: Orders, parameters: Parameters): Graph =>
      reordered(reference, other, size, pair.other, orders, parameters);
    return { ...pair, written };
  } catch (error) {
    if (error instanceof SymmetryError) return undefined;
    throw error;
  }
}

function pairOf(reference: SymmetryGroup, other: SymmetryGroup): Omit<Pair, "written"> {
  checkNodes(reference.graph, other.graph);
  const given = paired(reference, other);
  return { reference, other, given, rest: restDistance(reference, other) };
}

/** The parameters of the second network by the names of the first; a message says where layouts part. */
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

/** What a node does: its operator, and attributes that are numbers or words. */
function deedOf({ op, domain, attributes }: Node): string {
  const text = (a: Attribute): string =>
    a.type === "tensor" || a.type === "graph" ? a.type : String(a.value);
  const said = [...attributes].map(([name, a]) => `${name}=${text(a)}`).sort();
  return `${domain} ${op} ${said.join(" ")}`;
}

function checkNodes({ nodes: a }: Graph, { nodes: b }: Graph): void {
  const differs = a.findIndex((node, k) => !b[k] || deedOf(node) !== deedOf(b[k]));
  if (a.length !== b.length || differs >= 0)
    throw new SymmetryError(
      `the networks are not of the same layout: node ${(a[differs] ?? b[a.length])!.name || differs} has no counterpart`,
    );
}

/** The float weights that no symmetry changes, in the order of the file. */
function restOf(group: SymmetryGroup): readonly Tensor[] {
  const changed = parametersOf(group);
  return [...group.graph.initializers].flatMap(([name, weight]) => {
    const isOther = !changed.has(name) && !isSparse(weight);
    return isOther && (isFloat(weight.type) || weight.type === "bfloat16") ? [weight as Tensor] : [];
  });
}

function restDistance(a: SymmetryGroup, b: SymmetryGroup): number {
  const [x, y] = [restOf(a), restOf(b)];
  if (x.length !== y.length || x.some(({ dims }, k) => dims.join() !== y[k]!.dims.join()))
    throw new SymmetryError(
      "the networks are not of the same layout: weights that belong to no units differ in number or shape",
    );
  return x.reduce((sum, weight, k) => {
    const [values, others] = [Float64Array.from(numbers(weight)), numbers(y[k]!)];
    return values.reduce((s, v, i) => s + (v - Number(others[i])) ** 2, sum);
  }, 0);
}

/** The other network with these parameters, which are named as in the reference. */
export function withNames({ other, given }: Pick<Pair, "other" | "given">, parameters: Parameters): Graph {
  const names = [...parametersOf(other).keys()];
  return withParameters(
    other,
    new Map([...given.keys()].map((name, k) => [names[k]!, parameters.get(name)!])),
  );
}

/** The network as it is written, with the orders that were found for its normal form; shown to have these weights then. */
function reordered(
  reference: Graph,
  source: Graph,
  size: number,
  normal: SymmetryGroup,
  orders: Orders,
  parameters: Parameters,
): Graph {
  const own = symmetryGroup(source);
  const permutations = new Map([...orders].map(([units, to]) => [sameUnits(normal, units, own), to]));
  const graph = applySymmetry(source, { ...identitySymmetry, permutations });
  const { given } = pairOf(
    symmetryGroup(normalForm(reference, size)),
    symmetryGroup(normalForm(graph, size)),
  );
  const isSame = [...given].every(([name, values]) =>
    values.every((v, k) => Object.is(v, parameters.get(name)![k]) || v === parameters.get(name)![k]),
  );
  if (!isSame) throw new SymmetryError("the order that was found cannot be written into the second file");
  return graph;
}

/** The class of a network's units that a class of its normal form stands for: some value that both compute has them. */
function sameUnits(normal: SymmetryGroup, units: number, own: SymmetryGroup): number {
  const classesOf = (group: SymmetryGroup, name: string): readonly (number | undefined)[] =>
    (group.activations.get(name) ?? []).flatMap((axis) =>
      axis.length === 1 && axis[0]!.length === 1 ? [axis[0]![0]!.units] : [],
    );
  for (const name of normal.activations.keys()) {
    if (!classesOf(normal, name).includes(units)) continue;
    const { size } = normal.classes[units]!;
    const found = classesOf(own, name).find(
      (k) => k !== undefined && own.classes[k]!.permutes && own.classes[k]!.size === size,
    );
    if (found !== undefined) return found;
  }
  throw new SymmetryError(
    `no value of the second file shows the ${normal.classes[units]!.size} units of a layer by themselves`,
  );
}
