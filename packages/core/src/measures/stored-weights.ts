// The constants of a graph that hold values, of whatever type and wherever they are: what training may have chosen.

import { type Attribute, type Graph, isSparse, type Node, subgraphs } from "../graph/graph.ts";
import { ownEntry } from "../graph/own-entry.ts";
import { elementCount, isFloat, type SparseTensor, type Tensor } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";

export interface StoredWeight {
  readonly name: string;
  readonly weight: Tensor | SparseTensor;
  /** In an attribute, or read only in the body of an If, Loop or Scan: nothing trains it there. */
  readonly isInner: boolean;
  /** It only chooses entries, as whole numbers for Gather do. */
  readonly isIndex: boolean;
}

type Role = "value" | "index" | "position";

/** Inputs of operators, by place, that say shapes, axes or positions; of a Reduce operator, the second one. */
const positions: Readonly<Record<string, readonly number[]>> = {
  Reshape: [1],
  Expand: [1],
  Tile: [1],
  Squeeze: [1],
  Unsqueeze: [1],
  Slice: [1, 2, 3, 4],
  Pad: [1, 3],
  Split: [1],
  TopK: [1],
  ConstantOfShape: [0],
  Resize: [3],
  CumSum: [1],
};

const gathers = new Set(["Gather", "GatherElements", "GatherND"]);

interface Known {
  readonly shapes: ReadonlySet<string>;
  /** Constants, and what is computed from them alone. */
  readonly fixed: ReadonlySet<string>;
}

/** Entries of a shape are chosen by the architecture, those of an input perhaps by training; of a codebook they are weights. */
function roleOf({ op, inputs }: Node, place: number, { shapes, fixed }: Known): Role {
  if (gathers.has(op) && place === 1) {
    if (fixed.has(inputs[0]!)) return "value";
    return shapes.has(inputs[0]!) ? "position" : "index";
  }
  const isPosition = op.startsWith("Reduce")
    ? place === 1
    : ownEntry(positions, op)?.includes(place) === true;
  return isPosition ? "position" : "value";
}

/** The graph and all graphs in it. */
const levels = (graph: Graph): readonly Graph[] => [
  graph,
  ...graph.nodes.flatMap((node) => subgraphs(node).flatMap(levels)),
];

/** What each value is read as; a name that two bodies use is taken as one. */
function rolesIn(graphs: readonly Graph[]): ReadonlyMap<string, ReadonlySet<Role>> {
  const nodes = graphs.flatMap((graph) => graph.nodes);
  const shapes = new Set(nodes.flatMap(({ op, outputs }) => (op === "Shape" ? outputs : [])));
  const fixed = new Set(graphs.flatMap(({ initializers }) => [...initializers.keys()]));
  for (const { inputs, outputs } of nodes)
    if (inputs.length > 0 && inputs.every((name) => !name || fixed.has(name)))
      for (const name of outputs) fixed.add(name);
  const roles = new Map<string, Set<Role>>();
  const add = (name: string, role: Role): void => {
    roles.set(name, (roles.get(name) ?? new Set<Role>()).add(role));
  };
  for (const node of nodes)
    for (const [place, name] of node.inputs.entries()) add(name, roleOf(node, place, { shapes, fixed }));
  for (const { outputs } of graphs) for (const { name } of outputs) add(name, "value");
  return roles;
}

/** Tensors and lists of numbers that an operator carries with it. */
function attributeTensors(attribute: Attribute): readonly (Tensor | SparseTensor)[] {
  if (attribute.type === "tensor" || attribute.type === "sparse") return [attribute.value];
  if (attribute.type === "tensors") return attribute.value;
  if (attribute.type !== "floats") return [];
  const data = Float32Array.from(attribute.value);
  return [{ type: "float32", dims: [data.length], data }];
}

/**
 * Floating-point numbers, and whole ones that are not only shapes, axes or positions, as quantized weights are; those of
 * bodies and of attributes too.
 */
export function storedWeights(original: Graph): readonly StoredWeight[] {
  const [whole, ...bodies] = levels(canonical(original)) as readonly [Graph, ...Graph[]];
  const roles = rolesIn([whole, ...bodies]);
  const readOutside = new Set(whole.nodes.flatMap(({ inputs }) => inputs));
  const held = (graph: Graph): readonly StoredWeight[] =>
    [...graph.initializers].flatMap(([name, weight]) => {
      const uses = roles.get(name) ?? new Set<Role>();
      const isWeight =
        isSparse(weight) || isFloat(weight.type) || [...uses].some((role) => role !== "position");
      const isInner = graph !== whole || !readOutside.has(name);
      const isIndex = uses.size > 0 && !uses.has("value");
      return isWeight ? [{ name, weight, isInner, isIndex }] : [];
    });
  const carried = (node: Node): readonly StoredWeight[] =>
    [...node.attributes].flatMap(([key, attribute]) =>
      attributeTensors(attribute).map((weight) => ({
        name: `${node.name || node.outputs[0] || node.op}.${key}`,
        weight,
        isInner: true,
        isIndex: false,
      })),
    );
  return [whole, ...bodies].flatMap((graph) => [...held(graph), ...graph.nodes.flatMap(carried)]);
}

/** Weights of more than one number that training cannot change: it would leave them as the file has them. */
export const frozenWeights = (graph: Graph): readonly StoredWeight[] =>
  storedWeights(graph).filter(
    ({ weight, isInner, isIndex }) =>
      !isIndex && (isInner || isSparse(weight) || !isFloat(weight.type)) && elementCount(weight.dims) > 1,
  );

/** How many numbers they are, as stored. */
export const frozenCount = (graph: Graph): number =>
  frozenWeights(graph).reduce((sum, { weight }) => sum + storedCount(weight), 0);

/** Of a sparse tensor, what it stores. */
export const storedCount = (weight: Tensor | SparseTensor): number =>
  elementCount(isSparse(weight) ? weight.values.dims : weight.dims);
