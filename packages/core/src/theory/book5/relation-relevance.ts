// Relevance through a relation network by the rules of section 5.5, by the pass and in plain loops.
import { run } from "../../engine/run.ts";
import { type Composite, explain } from "../../explain/index.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import {
  drawRelationNetwork,
  type RelationNetworkOptions,
  type RelationWeights,
  relate,
  relationNetwork,
} from "../../networks/relation-network.ts";
import type { Random } from "../../numbers/random.ts";
import { type Rule, relevance } from "../../passes/relevance.ts";
import { apart, sum } from "./drawn.ts";
import { type LstmCell, lstmForward, lstmRelevance } from "./plain-lstm.ts";
import { type PlainRelation, plainRelation } from "./plain-relation-network.ts";

const epsilon = 0.001;
const steps = 5;

const alphaOne: Rule = { kind: "alpha-beta", alpha: 1, beta: 0, stabilizer: 0 };
const zero: Rule = { kind: "zero" };

/** The rules of section 5.5: alpha 1, beta 0 for the image and the pairs, epsilon for the question. */
export function describedRules(network: Graph): Composite {
  const own = network.nodes.flatMap(({ op, name }) => {
    const rule = /^(Conv|MatMul)$/.test(op) ? alphaOne : zero;
    return /^(Conv|MatMul|Add|ReduceSum)$/.test(op) ? [{ at: { node: name }, rule }] : [];
  });
  const inQuestion: Rule = { kind: "epsilon", epsilon };
  return {
    name: "relation network",
    lines: [...own, { at: "layer", rule: inQuestion }, { at: "sum", rule: inQuestion }],
    product: "all",
  };
}

export interface RelationRelevance {
  /** Greatest differences between pass and loops, each of the greatest number. */
  readonly scores: number;
  readonly objects: number;
  readonly words: number;
  /** What the books are off by, of the score. */
  readonly books: number;
  /** Of the relevance of all pairs, what the one with the most has. */
  readonly share: { readonly measured: number; readonly theory: number };
  /** The change of the scores when the objects come in another order. */
  readonly reordered: number;
}

type Rows = readonly (readonly number[])[];

/** The rows of a tensor along its last axis. */
function rowsOf(t: Tensor): Rows {
  const [values, size] = [Array.from(numbers(t)), t.dims.at(-1)!];
  return Array.from({ length: values.length / size }, (_, k) => values.slice(k * size, (k + 1) * size));
}

const distance = (a: Rows, b: Rows): number =>
  apart(a.flat(), b.flat()) / Math.max(1e-9, ...b.flat().map(Math.abs));

interface Drawn {
  readonly network: ReturnType<typeof relationNetwork>;
  readonly inputs: Readonly<Record<"image" | "question", Tensor>>;
}

/** The network with these weights, an image and a question. */
function drawn(options: RelationNetworkOptions, weights: RelationWeights, random: Random): Drawn {
  const filled = (values: Float64Array, ...dims: number[]): Tensor =>
    tensor(values, { type: "float64", dims });
  return {
    network: relationNetwork(options, weights, { steps, form: "vectors" }),
    inputs: {
      image: filled(random.uniform(3 * options.side ** 2), 1, 3, options.side, options.side),
      question: filled(random.normal(steps * options.embedding), 1, steps, options.embedding),
    },
  };
}

/** What the books of one explanation are off by, of the score. */
async function explained({ network, inputs }: Drawn) {
  const found = await explain(network, inputs, { composite: describedRules(network), output: "scores" });
  return { relevance: found.relevance, books: found.conservationError / Math.abs(found.scores[0]!) };
}

/** The books alone, of a network of any size. */
export async function relationBooks(options: RelationNetworkOptions, random: Random): Promise<number> {
  const weights = drawRelationNetwork(options, random.split("weights"), "float64");
  return (await explained(drawn(options, weights, random))).books;
}

/** One image and one question, all drawn. */
export async function relationRelevance(
  options: RelationNetworkOptions,
  random: Random,
): Promise<RelationRelevance> {
  const weights = drawRelationNetwork(options, random.split("weights"), "float64");
  const { network, inputs } = drawn(options, weights, random);
  const { relevance: found, books } = await explained({ network, inputs });
  const { objects, state, scores } = await run(network, inputs, { threads: 1 });
  const plain = plainRelation(rowsOf(objects), rowsOf(state)[0]!, weights, options);
  const part = await relatedPart({ objects, question: state }, weights, options, plain);
  return {
    scores: distance(rowsOf(scores), [plain.scores]),
    words: distance(
      rowsOf(found.get("question")!),
      wordsPlainly(weights, rowsOf(inputs.question), plain.question),
    ),
    books,
    ...part,
  };
}

/** The relevance of the words, from that of what the LSTM has read. */
function wordsPlainly(weights: RelationWeights, xs: Rows, last: readonly number[]): Rows {
  const units = last.length;
  const [W, U] = [rowsOf(weights["lstm.input"]!), rowsOf(weights["lstm.recurrence"]!)];
  const [biases] = rowsOf(weights["lstm.bias"]!);
  const gate = (k: number) => {
    const rows = (all: Rows): Rows => all.slice(k * units, (k + 1) * units);
    const b = Array.from(
      { length: units },
      (_, j) => biases![k * units + j]! + biases![(4 + k) * units + j]!,
    );
    return { W: rows(W), U: rows(U), b };
  };
  const cell: LstmCell = { i: gate(0), o: gate(1), f: gate(2), z: gate(3) };
  return lstmRelevance(cell, lstmForward(cell, xs), last, { product: "all", epsilon, stabilizer: 0 }).x;
}

/** What the pass gives objects and pairs, and the scores of the same objects in another order. */
async function relatedPart(
  { objects, question }: Readonly<Record<"objects" | "question", Tensor>>,
  weights: RelationWeights,
  options: RelationNetworkOptions,
  plain: PlainRelation,
): Promise<Pick<RelationRelevance, "objects" | "share" | "reordered">> {
  const part = graph(
    { objects: float64(...objects.dims), question: float64(...question.dims) },
    ({ objects, question }) => ({ ...relate(objects, question, weights, options) }),
  );
  const rules: Readonly<Record<string, Rule>> = { MatMul: alphaOne, Add: zero, ReduceSum: zero };
  const ruleOf = ({ op }: Graph["nodes"][number]): Rule | undefined => rules[op];
  const wrt = ["objects", "question", "pairs"];
  const back = relevance(part, { assign: () => ({ ruleOf, product: "all" }), of: "scores", wrt });
  const found = await run(back.graph, { objects, question }, { threads: 1 });
  const pairs = rowsOf(found["relevance_pairs"]!).map(sum);
  const byLoops = plain.pairs.map(sum);
  const most = byLoops.indexOf(Math.max(...byLoops));
  const turned = tensor(rowsOf(objects).toReversed().flat(), { type: "float64", dims: objects.dims });
  const again = await run(part, { objects: turned, question }, { threads: 1, outputs: ["scores"] });
  return {
    objects: distance(rowsOf(found["relevance_objects"]!), plain.objects),
    share: { measured: pairs[most]! / sum(pairs), theory: byLoops[most]! / sum(byLoops) },
    reordered: distance(rowsOf(again.scores), [plain.scores]),
  };
}
