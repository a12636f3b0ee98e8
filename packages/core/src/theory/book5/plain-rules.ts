// Table 5.1 in plain loops, neuron by neuron: what the pass, which runs layers again with other weights, is compared with.
import { type DenseLayer, forward, preActivations, total } from "./dense-relu.ts";

export interface Shares {
  readonly inputs: readonly number[];
  /** What the biases of the layer get. */
  readonly bias: number;
}

export type PlainRule = (layer: DenseLayer, a: readonly number[], R: readonly number[]) => Shares;

/** How much an input a with weight w, of input j, contributes to a neuron with pre-activation z. */
type Message = (a: number, w: number, z: number, j: number) => number;

interface Options {
  /** Added to the denominator. */
  readonly shift?: (z: number) => number;
  /** Without: the bias takes nothing. */
  readonly bias?: boolean;
}

/** R_j = sum_k m_jk / (shift_k + sum_{l >= 0} m_lk) R_k; 0 / 0 is 0. */
export const byMessages =
  (message: Message, { shift = () => 0, bias: hasBias = true }: Options = {}): PlainRule =>
  (layer, a, R) => {
    const z = preActivations(layer, a);
    const inputs = a.map(() => 0);
    let bias = 0;
    R.forEach((r, k) => {
      const messages = a.map((v, j) => message(v, layer.W[k]![j]!, z[k]!, j));
      const own = hasBias ? message(1, layer.b[k]!, z[k]!, -1) : 0;
      const denominator = shift(z[k]!) + own + total(messages);
      if (r === 0 || denominator === 0) return;
      messages.forEach((m, j) => {
        inputs[j] = inputs[j]! + (m / denominator) * r;
      });
      bias += (own / denominator) * r;
    });
    return { inputs, bias };
  };

const product: Message = (a, w) => a * w;
const above: Message = (a, w) => Math.max(0, a * w);
const below: Message = (a, w) => Math.min(0, a * w);

export const zeroRule = byMessages(product);
export const epsilonRule = (epsilon: number): PlainRule =>
  byMessages(product, { shift: (z) => (z >= 0 ? epsilon : -epsilon) });
/** As printed: the same epsilon whatever the sign of z. */
export const unsignedEpsilonRule = (epsilon: number): PlainRule =>
  byMessages(product, { shift: () => epsilon });

/** What agrees in sign with the neuron counts 1 + gamma times: the printed rule for a >= 0 and z > 0. */
export const gammaRule = (gamma: number): PlainRule =>
  byMessages((a, w, z) => a * w * (a * w * z > 0 ? 1 + gamma : 1));

export const alphaBetaRule =
  (alpha: number, beta: number): PlainRule =>
  (layer, a, R) => {
    const [p, n] = [byMessages(above)(layer, a, R), byMessages(below)(layer, a, R)];
    return {
      inputs: p.inputs.map((v, j) => alpha * v - beta * n.inputs[j]!),
      bias: alpha * p.bias - beta * n.bias,
    };
  };
export const zPlusRule = byMessages(above);
export const flatRule = byMessages(() => 1, { bias: false });
export const squareRule = byMessages((_, w) => w * w, { bias: false });
export const boxRule = (low: readonly number[], high: readonly number[]): PlainRule =>
  byMessages((a, w, _, j) => a * w - low[j]! * Math.max(0, w) - high[j]! * Math.min(0, w), { bias: false });

export interface PlainExplanation {
  /** At the inputs of each layer, from the first. */
  readonly relevance: readonly (readonly number[])[];
  /** Of the biases of each layer. */
  readonly biases: readonly number[];
  readonly score: number;
}

/** From one score down, a rule for each layer. */
export function explainPlainly(
  layers: readonly DenseLayer[],
  x: readonly number[],
  rules: readonly PlainRule[],
  index: number,
): PlainExplanation {
  const { inputs, scores } = forward(layers, x);
  let R: readonly number[] = scores.map((v, k) => (k === index ? v : 0));
  const [relevance, biases]: [(readonly number[])[], number[]] = [[], []];
  for (let l = layers.length - 1; l >= 0; l--) {
    const shares = rules[l]!(layers[l]!, inputs[l]!, R);
    R = shares.inputs;
    relevance.unshift(R);
    biases.unshift(shares.bias);
  }
  return { relevance, biases, score: scores[index]! };
}
