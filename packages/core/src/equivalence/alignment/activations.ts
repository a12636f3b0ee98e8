// Alignment by what units do on data: those of the second network take the places of those that react most like them.
import { run } from "../../engine/run.ts";
import { type Graph, requiredInputs } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { numbers, type Tensor } from "../../graph/tensor.ts";
import { parametersOf, transformParameters } from "../apply.ts";
import { identitySymmetry } from "../element.ts";
import { SymmetryError } from "../error.ts";
import type { SymmetryGroup } from "../group.ts";
import {
  type Alignment,
  alignmentOf,
  bestOrder,
  distanceOf,
  permutableClasses,
  similarities,
} from "./align.ts";
import { pairOfNetworks } from "./layout.ts";
import type { Features } from "./unfold.ts";

/** A value of the graph, one of whose axes runs over the units of a class. */
interface Place {
  readonly node: number;
  readonly output: number;
  readonly axis: number;
}

/** Operators that leave the units' values what they are: a nonlinearity tells more of a unit. */
const plain = new Set(["MatMul", "Gemm", "Conv", "ConvTranspose", "Add", "Reshape", "Transpose", "Identity"]);

/** Where to see the units of a class: behind their nonlinearity, if there is one. */
function placeOf({ graph, activations }: SymmetryGroup, units: number): Place {
  const places = graph.nodes.flatMap((node, n) =>
    node.outputs.flatMap((name, output) => {
      const axis = (activations.get(name) ?? []).findIndex(
        (segments) => segments.length === 1 && segments[0]!.length === 1 && segments[0]![0]!.units === units,
      );
      return axis >= 0 ? [{ node: n, output, axis }] : [];
    }),
  );
  const best = places.find(({ node }) => !plain.has(graph.nodes[node]!.op)) ?? places[0];
  if (!best)
    throw new SymmetryError(`no value of the network shows the units of class ${units} by themselves`);
  return best;
}

/** The values at these places, for one batch of inputs. */
async function valuesAt(
  { graph }: SymmetryGroup,
  places: readonly Place[],
  inputs: Readonly<Record<string, Tensor>>,
): Promise<readonly Tensor[]> {
  const names = places.map(({ node, output }) => graph.nodes[node]!.outputs[output]!);
  const types = inferTypes(graph, {});
  const outputs = [...new Set(names)].map((name) => ({ name, type: types.get(name)! }));
  const found = await run({ ...graph, outputs }, inputs);
  return names.map((name) => found[name]!);
}

/** One row a unit: its values on all examples and at all places. */
function unitRows(value: Tensor, axis: number): Features {
  const units = value.dims[axis]!;
  const inner = value.dims.slice(axis + 1).reduce((a, b) => a * b, 1);
  const data = numbers(value);
  const length = data.length / units;
  const rows = new Float64Array(data.length);
  for (let k = 0; k < data.length; k++) {
    const [outer, unit, rest] = [Math.floor(k / (inner * units)), Math.floor(k / inner) % units, k % inner];
    rows[unit * length + outer * inner + rest] = Number(data[k]);
  }
  return { units, length, data: rows };
}

/**
 * Activation matching: for each class the assignment that makes the squared distance of its units' values on these inputs
 * least. Units that do nothing on these inputs cannot be told apart.
 * @example (await alignByActivations(net, net, { x: tensor([[0.1], [0.7]]) })).distance.after // 0
 */
export async function alignByActivations(
  reference: Graph,
  other: Graph,
  inputs: Readonly<Record<string, Tensor>>,
): Promise<Alignment> {
  const size = Object.values(inputs)[0]?.dims[0] ?? 1;
  const pair = pairOfNetworks(reference, other, size);
  const { reference: group, other: otherGroup, given } = pair;
  const classes = permutableClasses(group);
  const places = classes.map((units) => placeOf(group, units));
  const otherPlaces = classes.map((units) => placeOf(otherGroup, units));
  const [mine, theirs] = [
    await valuesAt(group, places, inputs),
    await valuesAt(otherGroup, otherPlaces, renamedInputs(reference, other, inputs)),
  ];
  const permutations = new Map<number, Int32Array>();
  for (const [k, units] of classes.entries()) {
    const [a, b] = [unitRows(mine[k]!, places[k]!.axis), unitRows(theirs[k]!, otherPlaces[k]!.axis)];
    permutations.set(units, bestOrder(await similarities(a, b), a.units));
  }
  const moved = transformParameters(group, given, { ...identitySymmetry, permutations });
  const fixed = parametersOf(group);
  return {
    ...alignmentOf(pair, permutations, moved),
    distance: { before: distanceOf(fixed, given), after: distanceOf(fixed, moved) },
    assignments: classes.length,
  };
}

/** The inputs of one network by the names that another has for them. */
function renamedInputs(
  reference: Graph,
  other: Graph,
  inputs: Readonly<Record<string, Tensor>>,
): Readonly<Record<string, Tensor>> {
  const [own, others] = [requiredInputs(reference), requiredInputs(other)];
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => {
      const place = own.findIndex((input) => input.name === name);
      return [others[place]?.name ?? name, value];
    }),
  );
}
