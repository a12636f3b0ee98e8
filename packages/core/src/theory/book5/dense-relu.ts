// Dense networks with ReLU, and their relevance by the pass: what the lemmata about the rules measure.
import { run } from "../../engine/run.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph, Node } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { type Rule, relevance } from "../../passes/relevance.ts";
import { choice } from "../parameter.ts";

export interface DenseLayer {
  /** One row for each output. */
  readonly W: readonly (readonly number[])[];
  readonly b: readonly number[];
}

export const biasParameter = choice(["any", "none", "negative"], { label: "biases" });
export type Biases = "any" | "none" | "negative";

export function drawLayers(random: Random, widths: readonly number[], biases: Biases): DenseLayer[] {
  const bias = (): number => {
    const b = random.normal() / 2;
    return biases === "none" ? 0 : biases === "negative" ? -Math.abs(b) : b;
  };
  return widths.slice(1).map((n, l) => ({
    W: Array.from({ length: n }, () =>
      [...random.normal(widths[l]!)].map((w) => w / Math.sqrt(widths[l]! / 2)),
    ),
    b: Array.from({ length: n }, bias),
  }));
}

export const denseGraph = (layers: readonly DenseLayer[]): Graph =>
  graph({ x: float64("N", layers[0]!.W[0]!.length) }, ({ x }) => {
    let value = x!;
    layers.forEach(({ W, b }, l) => {
      value = value.affine(W, b);
      if (l < layers.length - 1) value = value.relu();
    });
    return { y: value };
  });

export const preActivations = ({ W, b }: DenseLayer, a: readonly number[]): number[] =>
  W.map((row, k) => row.reduce((s, w, j) => s + w * a[j]!, b[k]!));

/** What goes into each layer, and the scores. */
export function forward(
  layers: readonly DenseLayer[],
  x: readonly number[],
): { readonly inputs: readonly (readonly number[])[]; readonly scores: readonly number[] } {
  const inputs: (readonly number[])[] = [x];
  let scores: number[] = [];
  for (const layer of layers) {
    scores = preActivations(layer, inputs.at(-1)!);
    inputs.push(scores.map((v) => Math.max(0, v)));
  }
  return { inputs: inputs.slice(0, -1), scores };
}

export interface BookRow {
  readonly node: Node;
  readonly rule: string;
  readonly arrived: number;
  readonly handed: number;
  readonly bias: number;
  readonly absorbed: number;
}

export interface Propagated {
  readonly graph: Graph;
  readonly R: readonly number[];
  readonly score: number;
  readonly books: readonly BookRow[];
}

/** The relevance of the inputs for one score, with a rule for each layer. */
export async function propagated(
  layers: readonly DenseLayer[],
  x: readonly number[],
  rules: readonly Rule[],
  index: number,
): Promise<Propagated> {
  const { graph: backward, rows } = relevance(denseGraph(layers), {
    assign: ({ nodes }) => {
      const dense = nodes.filter(({ op }) => op === "Gemm");
      return { product: "all", ruleOf: (node) => rules[dense.indexOf(node)] };
    },
    target: { kind: "class", index },
    ledger: true,
  });
  const { relevance_x, ledger, score } = await run(backward, { x: tensor([[...x]], { type: "float64" }) });
  const cells = numbers(ledger!);
  const books = rows.map(({ node, rule }, k) => {
    const [arrived, handed, bias, absorbed] = [0, 1, 2, 3].map((c) => cells[4 * k + c]!);
    return { node, rule, arrived: arrived!, handed: handed!, bias: bias!, absorbed: absorbed! };
  });
  return { graph: backward, R: Array.from(numbers(relevance_x!)), score: numbers(score!)[index]!, books };
}

export const total = (values: readonly number[]): number => values.reduce((s, v) => s + v, 0);

/** What biases and stabilizers took, over all layers. */
export const taken = (books: readonly BookRow[]): { readonly bias: number; readonly absorbed: number } => ({
  bias: total(books.map((row) => row.bias)),
  absorbed: total(books.map((row) => row.absorbed)),
});

/** The greatest difference, over the greatest of the expected numbers or 1. */
export function deviation(found: ArrayLike<number>, expected: readonly number[]): number {
  const worst = Math.max(...expected.map((v, j) => Math.abs(found[j]! - v)));
  return worst / Math.max(1, ...expected.map(Math.abs));
}
