// Random directions in weight space, each filter or neuron as long as that of the network (Li et al. 2018).
import type { Graph } from "../../graph/graph.ts";
import { elementCount } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";

/** Along which axis of a weight its neurons lie. */
function neuronAxis({ nodes }: Graph, name: string, rank: number): number {
  const reader = nodes.find((n) => n.inputs.includes(name));
  const transB = reader?.attributes.get("transB");
  if (reader?.op === "Gemm") return transB?.type === "int" && transB.value === 1n ? 0 : 1;
  return reader?.op === "MatMul" && reader.inputs[1] === name ? rank - 1 : 0;
}

/**
 * A direction for all weights in a row: Gaussian, each neuron's part scaled to the norm of its weights; biases and other
 * vectors stay as they are, as moving them shifts rather than bends.
 * @example filterDirection(denseNetwork([{ W: [[3]] }], "linear"), ["W1"], createRandom(1), Float64Array.of(3)).map(Math.abs) // Float64Array [3]
 */
export function filterDirection(
  graph: Graph,
  names: readonly string[],
  random: Random,
  theta: Float64Array,
): Float64Array {
  const direction = new Float64Array(theta.length);
  let from = 0;
  for (const name of names) {
    const { dims } = graph.initializers.get(name)!;
    const size = elementCount(dims);
    if (dims.length > 1) {
      const noise = random.split(name).normal(size);
      const axis = neuronAxis(graph, name, dims.length);
      const inner = elementCount(dims.slice(axis + 1));
      const neuron = (k: number): number => Math.floor(k / inner) % dims[axis]!;
      const [own, drawn] = [new Float64Array(dims[axis]!), new Float64Array(dims[axis]!)];
      for (let k = 0; k < size; k++) {
        own[neuron(k)]! += theta[from + k]! ** 2;
        drawn[neuron(k)]! += noise[k]! ** 2;
      }
      for (let k = 0; k < size; k++) {
        const j = neuron(k);
        direction[from + k] = drawn[j]! > 0 ? noise[k]! * Math.sqrt(own[j]! / drawn[j]!) : 0;
      }
    }
    from += size;
  }
  return direction;
}
