// A network as the local-kernel bounds read it: a chain of dense layers and convolutions with ReLU between them.
import { type Graph, isSparse, type Node } from "../../graph/graph.ts";
import { elementCount, numbers, type Tensor } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { type LinearLayer, linearLayers } from "../../measures/linear-layers.ts";
import { type KernelNorms, kernelNorms } from "./kernel-norms.ts";
import type { LocalLayer, LocalSample } from "./kernel-rademacher.ts";
import { totalEnergy, windowEnergies } from "./window-energy.ts";

export interface LocalStructure {
  readonly layers: readonly LocalLayer[];
  /** The same with Frobenius norms of whole matrices in place of kernel norms. */
  readonly matrices: readonly LocalLayer[];
  readonly sample: LocalSample;
  /** Why the bounds do not apply; empty if they do. */
  readonly unmet: readonly string[];
}

const shapers = new Set(["Flatten", "Reshape", "Identity", "Squeeze", "Unsqueeze", "Dropout"]);
const linear = new Set(["Conv", "Gemm", "MatMul"]);

/** What of the graph is not a chain linear, ReLU, linear, ..., linear. */
function broken(graph: Graph): readonly string[] {
  const unmet: string[] = [];
  const fixed = (name: string): boolean => name === "" || graph.initializers.has(name);
  let [value, last] = [graph.inputs.find((i) => !graph.initializers.has(i.name))?.name, ""];
  for (const node of graph.nodes) {
    const moving = node.inputs.filter((name) => !fixed(name));
    if (moving.length !== 1 || moving[0] !== value) unmet.push(`${node.op} "${node.name}" is not in a chain`);
    value = node.outputs[0];
    if (shapers.has(node.op) || isBias(node, last)) continue;
    const isRight = linear.has(node.op) ? last !== "linear" : node.op === "Relu" && last === "linear";
    if (!isRight)
      unmet.push(`${node.op} "${node.name}": layers are convolutions or dense, with ReLU between`);
    last = linear.has(node.op) ? "linear" : node.op;
  }
  if (last !== "linear") unmet.push("the last layer is linear");
  return unmet;
}

const isBias = (node: Node, last: string): boolean => node.op === "Add" && last === "linear";

/** What keeps the biases from being one number for each output of a layer (or for each place of it), added once. */
function oddBiases(graph: Graph, layers: readonly LinearLayer[]): readonly string[] {
  const rows = new Map(layers.map((l) => [l.output, l.rows]));
  let [last, hasBias] = [0, false];
  return graph.nodes.flatMap((node) => {
    last = rows.get(node.outputs[0] ?? "") ?? last;
    if (linear.has(node.op)) hasBias = false;
    const isAdd = node.op === "Add";
    const name = isAdd
      ? node.inputs.find((n) => graph.initializers.has(n))
      : linear.has(node.op) && node.inputs[2];
    if (!name) return [];
    const weight = graph.initializers.get(name);
    const isTwice = hasBias;
    hasBias = true;
    const isRow = weight !== undefined && !isSparse(weight) && elementCount(weight.dims) % last === 0;
    const beta = node.op === "Gemm" ? node.attributes.get("beta") : undefined;
    const isPlain = beta?.type !== "float" || Number(beta.value) === 1;
    return isRow && isPlain && !isTwice
      ? []
      : [`the bias of ${node.op} "${node.name}" is one number an output, added once`];
  });
}

/** Of each linear layer, the squared norm of its bias and the greatest square in it. */
function biases(graph: Graph): readonly { readonly whole: number; readonly most: number }[] {
  const found: { whole: number; most: number }[] = [];
  const squares = (name: string | undefined): { whole: number; most: number } => {
    const weight = graph.initializers.get(name ?? "");
    if (!weight || isSparse(weight)) return { whole: 0, most: 0 };
    const values = Array.from(numbers(weight), (v) => v * v);
    return { whole: values.reduce((a, b) => a + b, 0), most: Math.max(0, ...values) };
  };
  for (const node of graph.nodes) {
    if (linear.has(node.op)) found.push(squares(node.inputs[2]));
    if (node.op === "Add" && found.length > 0)
      found[found.length - 1] = squares(node.inputs.find((name) => graph.initializers.has(name)));
  }
  return found;
}

/**
 * A bias is the weight of a channel that is 1 everywhere; then each hidden node also passes this 1 on, so that norms
 * become sqrt(|w|^2 + |b|^2 + 1) and each input place has 1 more of energy. Nodes need not share weights for this.
 */
export async function localStructure(original: Graph, x: Tensor): Promise<LocalStructure> {
  const graph = canonical(original);
  const [{ layers: raw, unread }, { layers: norms }] = [await linearLayers(graph), await kernelNorms(graph)];
  const unmet = [...broken(graph), ...unread.map(({ name, reason }) => `weight "${name}": ${reason}`)];
  unmet.push(...oddBiases(graph, raw));
  if (raw.some((l) => l.kind === "scale")) unmet.push("no normalization layers");
  if (raw.some((l) => (l.convolution?.groups ?? 1) !== 1)) unmet.push("convolutions have one group");
  if (raw.some((l) => l.kind === "convolution" && !l.convolution))
    unmet.push("the sizes of all images are known");
  const bias = biases(graph);
  const hasBias = bias.some(({ whole }) => whole > 0);
  const isLast = (l: number): boolean => l === norms.length - 1;
  const widened = (norm: number, l: number, copies: number): number =>
    Math.sqrt(
      norm ** 2 +
        (isLast(l) ? (bias[l]?.most ?? 0) : copies * (bias[l]?.whole ?? 0) + (hasBias ? copies : 0)),
    );
  const layers = norms.map((layer, l): LocalLayer => {
    const before = norms[l - 1];
    return {
      norm: widened(isLast(l) ? layer.filterNorm : layer.kernelNorm, l, 1),
      multiplicity: layer.multiplicity,
      predecessors: layer.kind === "convolution" ? layer.taps : (before?.patches ?? 1),
    };
  });
  const matrices = norms.map(
    (layer, l): LocalLayer => ({
      norm: widened(isLast(l) ? layer.filterNorm : layer.frobeniusNorm, l, layer.patches),
      ...{ multiplicity: 1, predecessors: 1 },
    }),
  );
  return { layers, matrices, sample: sampleOf(x, raw[0], norms[0], hasBias), unmet };
}

function sampleOf(
  x: Tensor,
  first: LinearLayer | undefined,
  norms: KernelNorms | undefined,
  hasBias: boolean,
): LocalSample {
  const m = x.dims[0]!;
  const shape = first?.convolution;
  const places = shape ? shape.input.slice(1).reduce((a, b) => a * b, 1) : 1;
  const energy = totalEnergy(x) + (hasBias ? m * places : 0);
  if (!shape || x.dims.length !== shape.input.length + 1)
    return { m, energy, patchEnergy: energy, patches: 1 };
  const patchEnergy = Math.max(...windowEnergies(x, shape, hasBias ? 1 : 0));
  return { m, energy, patchEnergy, patches: norms!.patches };
}
