// Whether a network is a circuit: on every input, or on some at random, by the layers that are read off the network.
import type { Graph } from "../../graph/graph.ts";
import type { Layered } from "../../networks/layers/layered.ts";
import { layersOf } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { DiscreteError } from "../error.ts";
import type { Circuit } from "./circuit.ts";
import { outputWords, pointWords } from "./evaluate.ts";

const lanes = 256;
const wordsABlock = lanes / 32;
const mostInputs = 24;

export interface Equality {
  /** Inputs that were looked at. */
  readonly inputs: number;
  readonly exhaustive: boolean;
  /** Bits of the inputs on which they differ, first input first; undefined if there is none. */
  readonly difference?: readonly number[];
}

export interface EqualityOptions {
  /** How many inputs at most; more than there are means all of them. */
  readonly most?: number;
  readonly random?: Random;
}

/** Affine maps and activations on `lanes` inputs at once. */
class BlockRun {
  readonly #layered: Layered;
  readonly #values: Float64Array[];

  constructor(layered: Layered) {
    this.#layered = layered;
    this.#values = layered.layers.map(({ weights }) => new Float64Array(weights.rows * lanes));
  }

  run(x: Float64Array): Float64Array {
    const isRelu = this.#layered.activation === "relu";
    let before = x;
    this.#layered.layers.forEach(({ weights, bias }, l) => {
      const { rows, starts, columnOf, values } = weights;
      const after = this.#values[l]!;
      const isHidden = l < this.#layered.layers.length - 1;
      for (let r = 0; r < rows; r++) {
        const out = after.subarray(r * lanes, (r + 1) * lanes).fill(bias[r]!);
        for (let k = starts[r]!; k < starts[r + 1]!; k++) {
          const [w, at] = [values[k]!, columnOf[k]! * lanes];
          for (let t = 0; t < lanes; t++) out[t]! += w * before[at + t]!;
        }
        if (isHidden && isRelu) for (let t = 0; t < lanes; t++) out[t] = out[t]! > 0 ? out[t]! : 0;
        else if (isHidden) for (let t = 0; t < lanes; t++) out[t] = out[t]! >= 0 ? 1 : 0;
      }
      before = after;
    });
    return before;
  }
}

/**
 * Compares a network with a circuit, on all inputs if there are at most 2^24 and no more than `most`.
 * @example equality(circuitNetwork(readFormulas("a ^ b")).graph, readFormulas("a ^ b")).exhaustive // true
 */
export function equality(
  graph: Graph,
  circuit: Circuit,
  { most = 2 ** mostInputs, random }: EqualityOptions = {},
): Equality {
  const layered = layersOf(graph);
  if (layered.activation !== "relu" && layered.activation !== "threshold")
    throw new DiscreteError(`a circuit's network has ReLUs or thresholds, not ${layered.activation}`);
  const n = circuit.inputs.length;
  const exhaustive = n <= mostInputs && 2 ** n <= most;
  if (!exhaustive && !random) throw new DiscreteError("inputs at random need a random generator");
  const count = exhaustive ? 2 ** n : most;
  const block = new BlockRun(layered);
  const x = new Float64Array(n * lanes);
  for (let first = 0; first < count; first += lanes) {
    const words = Array.from({ length: wordsABlock }, (_, w) =>
      exhaustive ? pointWords(n, first + 32 * w) : Array.from({ length: n }, () => randomWord(random!)),
    );
    words.forEach((inputs, w) => {
      inputs.forEach((word, i) => {
        for (let t = 0; t < 32; t++) x[i * lanes + 32 * w + t] = (word >>> t) & 1;
      });
    });
    const lane = firstDifference(
      block.run(x),
      words.map((inputs) => outputWords(circuit, inputs)),
    );
    if (lane >= 0)
      return {
        inputs: first + lane + 1,
        exhaustive,
        difference: Array.from({ length: n }, (_, i) => x[i * lanes + lane]!),
      };
  }
  return { inputs: count, exhaustive };
}

const randomWord = (random: Random): number => random.integer(0, 2 ** 32 - 1) | 0;

/** The first lane in which a value is not the bit that the circuit has, or -1. */
function firstDifference(y: Float64Array, expected: readonly (readonly number[])[]): number {
  for (let lane = 0; lane < lanes; lane++)
    for (let k = 0; k * lanes < y.length; k++)
      if (y[k * lanes + lane] !== ((expected[lane >> 5]![k]! >>> (lane & 31)) & 1)) return lane;
  return -1;
}
