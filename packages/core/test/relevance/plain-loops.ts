// The rules of relevance propagation on dense networks, in plain loops: what the graphs are compared with.

export interface PlainLayer {
  /** One row for each output. */
  readonly W: readonly (readonly number[])[];
  readonly b: readonly number[];
}

type Message = (a: number, w: number) => number;
export type PlainRule = (layer: PlainLayer, a: readonly number[], R: readonly number[]) => number[];

const stab = (z: number, eps: number): number => z + (z >= 0 ? eps : -eps);

/** R_j = sum_k m(a_j, w_kj) / (sum_l m(a_l, w_kl) + m(1, b_k)) R_k. */
const byMessage =
  (message: Message, eps: number, bias = true): PlainRule =>
  ({ W, b }, a, R) =>
    a.map((_, j) =>
      R.reduce((sum, r, k) => {
        const z = a.reduce((s, v, l) => s + message(v, W[k]![l]!), bias ? message(1, b[k]!) : 0);
        return sum + (message(a[j]!, W[k]![j]!) / stab(z, eps)) * r;
      }, 0),
    );

export const epsilonRule = (eps: number): PlainRule => byMessage((a, w) => a * w, eps);
export const zPlus: PlainRule = byMessage((a, w) => Math.max(0, a * w), 1e-6);
export const flatRule: PlainRule = byMessage(() => 1, 1e-6, false);
export const squareRule: PlainRule = byMessage((_, w) => w * w, 1e-6, false);

export const alphaBeta =
  (alpha: number, beta: number): PlainRule =>
  (layer, a, R) => {
    const up = byMessage((v, w) => Math.max(0, v * w), 1e-6)(layer, a, R);
    const down = byMessage((v, w) => Math.min(0, v * w), 1e-6)(layer, a, R);
    return up.map((v, j) => alpha * v - beta * down[j]!);
  };

/** For inputs that may be negative and scores that may be: what agrees in sign with the neuron is favoured. */
export const gammaRule =
  (gamma: number): PlainRule =>
  (layer, a, R) => {
    const { W, b } = layer;
    const lean =
      (sign: number): Message =>
      (v, w) =>
        v * w + (sign * v * w > 0 ? gamma * v * w : 0);
    const z = R.map((_, k) => a.reduce((s, v, l) => s + v * W[k]![l]!, b[k]!));
    const above = R.map((r, k) => (z[k]! > 0 ? r : 0));
    const below = R.map((r, k) => (z[k]! < 0 ? r : 0));
    const [p, n] = [byMessage(lean(1), 1e-6)(layer, a, above), byMessage(lean(-1), 1e-6)(layer, a, below)];
    return p.map((v, j) => v + n[j]!);
  };

export const boxRule =
  (low: readonly number[], high: readonly number[]): PlainRule =>
  ({ W }, a, R) => {
    const n = (j: number, k: number): number => {
      const w = W[k]![j]!;
      return a[j]! * w - low[j]! * Math.max(0, w) - high[j]! * Math.min(0, w);
    };
    return a.map((_, j) =>
      R.reduce(
        (sum, r, k) =>
          sum +
          (n(j, k) /
            stab(
              a.reduce((s, _v, l) => s + n(l, k), 0),
              1e-6,
            )) *
            r,
        0,
      ),
    );
  };

/** All layers with Relu between them; R starts at one score. */
export function explainPlainly(
  layers: readonly PlainLayer[],
  x: readonly number[],
  rules: readonly PlainRule[],
  index: number,
): { readonly relevance: readonly number[]; readonly score: number } {
  const inputs: (readonly number[])[] = [x];
  let z: number[] = [];
  for (const { W, b } of layers) {
    z = W.map((row, k) => row.reduce((s, w, j) => s + w * inputs.at(-1)![j]!, b[k]!));
    inputs.push(z.map((v) => Math.max(0, v)));
  }
  let R = z.map((v, k) => (k === index ? v : 0));
  for (let l = layers.length - 1; l >= 0; l--) R = rules[l]!(layers[l]!, inputs[l]!, R);
  return { relevance: R, score: z[index]! };
}
