// The pairs of a relation network in plain loops, and relevance through them by alpha 1, beta 0: what graphs are compared
// with.
import { numbers } from "../../graph/tensor.ts";
import type { RelationWeights } from "../../networks/relation-network.ts";

type Vector = readonly number[];
type Rows = readonly Vector[];

interface Layer {
  /** One row an input. */
  readonly W: Rows;
  readonly b: Vector;
  /** The output layer has no Relu. */
  readonly isLast: boolean;
}

function layerNamed(weights: RelationWeights, name: string): Layer {
  const [W, b] = ["weight", "bias"].map((part) => Array.from(numbers(weights[`${name}.${part}`]!)));
  const to = b!.length;
  const rows = Array.from({ length: W!.length / to }, (_, j) => W!.slice(j * to, (j + 1) * to));
  return { W: rows, b: b!, isLast: name === "scores" };
}

/** What goes into each layer of a chain, and at the end what comes out. */
function forward(layers: readonly Layer[], x: Vector): Rows {
  const values = [x];
  for (const { W, b, isLast } of layers) {
    const below = values.at(-1)!;
    const z = b.map((v, k) => below.reduce((s, a, j) => s + a * W[j]![k]!, v));
    values.push(isLast ? z : z.map((v) => Math.max(0, v)));
  }
  return values;
}

/** R_j = sum over k of (a_j w_jk)+ / (sum over i of (a_i w_ik)+ + b_k+) R_k, layer by layer down. */
function backward(layers: readonly Layer[], values: Rows, relevance: Vector): Vector {
  let above = relevance;
  for (const [l, { W, b }] of [...layers.entries()].toReversed()) {
    const below = values[l]!;
    const shares = b.map((v, k) => {
      const whole = below.reduce((s, a, j) => s + Math.max(0, a * W[j]![k]!), Math.max(0, v));
      return whole === 0 ? 0 : above[k]! / whole;
    });
    above = below.map((a, j) => shares.reduce((s, share, k) => s + Math.max(0, a * W[j]![k]!) * share, 0));
  }
  return above;
}

export interface PlainRelation {
  readonly scores: Vector;
  readonly predicted: number;
  /** Of the predicted score: what each object, the question, and each pair behind g have of it. */
  readonly objects: Rows;
  readonly question: Vector;
  readonly pairs: Rows;
}

/** All pairs (i, j) in the order of i, then j. */
export function plainRelation(
  objects: Rows,
  question: Vector,
  weights: RelationWeights,
  { pairLayers, answerLayers }: { readonly pairLayers: number; readonly answerLayers: number },
): PlainRelation {
  const chain = (stem: string, count: number): Layer[] =>
    Array.from({ length: count }, (_, l) => layerNamed(weights, `${stem}${l + 1}`));
  const g = chain("pair", pairLayers);
  const f = [...chain("answer", answerLayers), layerNamed(weights, "scores")];
  const places = objects.flatMap((_, i) => objects.map((__, j) => [i, j] as const));
  const seen = places.map(([i, j]) => forward(g, [...objects[i]!, ...objects[j]!, ...question]));
  const sum = seen[0]!.at(-1)!.map((_, k) => seen.reduce((s, values) => s + values.at(-1)![k]!, 0));
  const answered = forward(f, sum);
  const scores = answered.at(-1)!;
  const predicted = scores.indexOf(Math.max(...scores));
  const ofSum = backward(
    f,
    answered,
    scores.map((v, k) => (k === predicted ? v : 0)),
  );
  const pairs = seen.map((values) =>
    values.at(-1)!.map((a, k) => (sum[k] === 0 ? 0 : (a / sum[k]!) * ofSum[k]!)),
  );
  const size = objects[0]!.length;
  const found = { objects: objects.map((row) => row.map(() => 0)), question: question.map(() => 0) };
  const gather = (into: number[], from: Vector): void =>
    from.forEach((v, k) => {
      into[k] = into[k]! + v;
    });
  for (const [p, [i, j]] of places.entries()) {
    const back = backward(g, seen[p]!, pairs[p]!);
    gather(found.objects[i]!, back.slice(0, size));
    gather(found.objects[j]!, back.slice(size, 2 * size));
    gather(found.question, back.slice(2 * size));
  }
  return { scores, predicted, ...found, pairs };
}
