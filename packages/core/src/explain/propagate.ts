// Relevance propagation on one input or a batch: the graph is written, run, and its books are read.
import { run } from "../engine/run.ts";
import type { Graph } from "../graph/graph.ts";
import { cast, numbers, type Tensor } from "../graph/tensor.ts";
import { widened } from "../graph/widen.ts";
import { relevance, type Target } from "../passes/relevance.ts";
import { assign, type Composite } from "./composite.ts";
import { type Explanation, type LedgerRow, sumsByExample } from "./explanation.ts";
import type { Prepared } from "./prepare.ts";
import { chosenScores, classesOf } from "./target.ts";
import { threadsFor } from "./threads.ts";

export interface PropagateOptions {
  readonly target: Target;
  readonly precision: "float32" | "float64";
}

export interface RelevanceGraph {
  readonly graph: Graph;
  readonly names: ReadonlyMap<string, string>;
  readonly rows: ReturnType<typeof relevance>["rows"];
}

/** The graph that computes the relevance; any ONNX runtime runs it. */
export const relevanceGraph = (
  { graph, of, wrt }: Prepared,
  composite: Composite,
  target: Target,
  ledger = true,
): RelevanceGraph =>
  relevance(graph, { assign: (g, asked) => assign(composite, g, asked), target, of, wrt, ledger });

const wideInput = (t: Tensor): Tensor => (t.type === "float32" ? cast(t, "float64") : t);

/** In f64, where the network can be computed so; the inputs with it. */
export function inPrecision(prepared: Prepared, precision: "float32" | "float64"): Prepared {
  const graph = precision === "float64" ? widened(prepared.graph) : undefined;
  if (!graph) return prepared;
  const inputs = Object.fromEntries(Object.entries(prepared.inputs).map(([n, t]) => [n, wideInput(t)]));
  return { ...prepared, graph, inputs };
}

export async function propagate(
  given: Prepared,
  composite: Composite,
  { target, precision }: PropagateOptions,
): Promise<Explanation> {
  const prepared = inPrecision(given, precision);
  const { graph, names, rows } = relevanceGraph(prepared, composite, target);
  const needed = new Set(graph.inputs.map(({ name }) => name));
  const feeds = Object.fromEntries(Object.entries(prepared.inputs).filter(([name]) => needed.has(name)));
  const results = await run(graph, feeds, threadsFor(graph));
  const score = results["score"]!;
  const examples = score.dims.length > 1 ? score.dims[0]! : 1;
  const found = new Map([...names].map(([name, output]) => [name, results[output]!]));
  const sums = new Array<number>(examples).fill(0);
  for (const t of found.values())
    sumsByExample(numbers(t), t.dims[0] === examples ? examples : 1).forEach((v, n) => {
      sums[n] = sums[n]! + v;
    });
  const ledger = readLedger(rows, results["ledger"]);
  const scores = chosenScores(score, target);
  const taken = ledger.reduce((sum, { bias, absorbed }) => sum + bias + absorbed, 0);
  const total = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0);
  return {
    method: "lrp",
    composite: composite.name,
    classes: classesOf(score, target),
    target,
    scores,
    relevance: found,
    sums,
    conservationError: Math.abs(total(sums) + taken - total(scores)),
    ...worstRow(ledger),
    ledger,
    details: {},
    notes: given.notes,
  };
}

function readLedger(rows: RelevanceGraph["rows"], matrix: Tensor | undefined): LedgerRow[] {
  const cells = matrix ? numbers(matrix) : [];
  return rows.map(({ node, rule }, k) => ({
    node: node.name || node.outputs[0]!,
    operator: node.op,
    rule,
    in: cells[4 * k]!,
    out: cells[4 * k + 1]!,
    bias: cells[4 * k + 2]!,
    absorbed: cells[4 * k + 3]!,
  }));
}

/** The row that adds up worst, if it is off by more than 1e-9 of what arrives. */
function worstRow(ledger: readonly LedgerRow[]): Pick<Explanation, "imbalance"> {
  let worst: { row: LedgerRow; by: number } | undefined;
  for (const row of ledger) {
    const by = Math.abs(row.in - row.out - row.bias - row.absorbed);
    const size = Math.abs(row.in) + Math.abs(row.out) + Math.abs(row.bias) + Math.abs(row.absorbed);
    if (!(by <= 1e-9 * (1 + size)) && by > (worst?.by ?? 0)) worst = { row, by };
  }
  return worst ? { imbalance: worst } : {};
}
