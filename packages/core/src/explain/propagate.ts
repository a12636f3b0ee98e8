// Relevance propagation on one input or a batch: the graph is written, run, and its books are read.
import { run } from "../engine/run.ts";
import { release } from "../engine/session.ts";
import { numbers, type Tensor } from "../graph/tensor.ts";
import { relevance, shownName, type Target } from "../passes/relevance.ts";
import { assign, type Composite } from "./composite.ts";
import { type Explanation, type LedgerRow, sumsByExample } from "./explanation.ts";
import { type Prepared, wideInput } from "./prepare.ts";
import { allScoresOf, chosenScores, classesOf } from "./target.ts";
import { threadsFor } from "./threads.ts";

export type RelevanceGraph = ReturnType<typeof relevance>;

/** The graph that computes the relevance; any ONNX runtime runs it. */
export const relevanceGraph = (
  { graph, of, wrt }: Prepared,
  composite: Composite,
  target: Target,
  ledger = true,
): RelevanceGraph =>
  relevance(graph, {
    assign: (g, asked) => assign(composite, g, asked),
    target,
    of,
    wrt,
    ledger,
    ...(composite.start && { start: composite.start }),
  });

/** Relevance propagation that was written once, for any number of inputs of one shape. */
export interface Propagation {
  run(inputs: Readonly<Record<string, Tensor>>): Promise<Explanation>;
  /** Frees what the runtime holds of it. */
  release(): Promise<void>;
}

export function propagation(prepared: Prepared, composite: Composite, target: Target): Propagation {
  const written = relevanceGraph(prepared, composite, target);
  const { graph } = written;
  return {
    async run(inputs) {
      const feeds = graph.inputs.flatMap(({ name, type }) => {
        const value = inputs[name];
        return value ? [[name, type.type === "float64" ? wideInput(value) : value] as const] : [];
      });
      const results = await run(graph, Object.fromEntries(feeds), threadsFor(graph));
      return explanationOf(results, written, { composite, target, notes: prepared.notes });
    },
    release: () => release(graph),
  };
}

export async function propagate(
  prepared: Prepared,
  composite: Composite,
  target: Target,
): Promise<Explanation> {
  const written = propagation(prepared, composite, target);
  try {
    return await written.run(prepared.inputs);
  } finally {
    await written.release();
  }
}

interface Asked {
  readonly composite: Composite;
  readonly target: Target;
  readonly notes: readonly string[];
}

function explanationOf(
  results: Readonly<Record<string, Tensor>>,
  { names, rows, score: scoreName, ledger: ledgerName }: RelevanceGraph,
  { composite, target, notes }: Asked,
): Explanation {
  const score = results[scoreName]!;
  const examples = score.dims.length > 1 ? score.dims[0]! : 1;
  const found = new Map([...names].map(([name, output]) => [name, results[output]!]));
  const sums = new Array<number>(examples).fill(0);
  for (const t of found.values())
    sumsByExample(numbers(t), t.dims[0] === examples ? examples : 1).forEach((v, n) => {
      sums[n] = sums[n]! + v;
    });
  const ledger = readLedger(rows, results[ledgerName]);
  const scores = chosenScores(score, target);
  const taken = ledger.reduce((sum, { bias, absorbed }) => sum + bias + absorbed, 0);
  const total = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0);
  return {
    method: "lrp",
    composite: composite.name,
    classes: classesOf(score, target),
    target,
    scores,
    allScores: allScoresOf(score),
    relevance: found,
    sums,
    conservationError: Math.abs(total(sums) + taken - total(scores)),
    ...worstRow(ledger),
    ledger,
    details: {},
    notes: [...notes, ...lostAt(ledger, found.values())],
  };
}

function readLedger(rows: RelevanceGraph["rows"], matrix: Tensor | undefined): LedgerRow[] {
  const cells = matrix ? numbers(matrix) : [];
  return rows.map(({ node, rule }, k) => ({
    node: shownName(node),
    operator: node.op,
    rule,
    in: cells[4 * k]!,
    out: cells[4 * k + 1]!,
    bias: cells[4 * k + 2]!,
    absorbed: cells[4 * k + 3]!,
  }));
}

/** Where relevance ends, if none of it reaches the inputs. */
function lostAt(ledger: readonly LedgerRow[], relevance: Iterable<Tensor>): readonly string[] {
  const hasAny = [...relevance].some((t) => numbers(t).some((v) => v !== 0));
  const size = ({ bias, absorbed }: LedgerRow): number => Math.abs(bias) + Math.abs(absorbed);
  const [first] = ledger.toSorted((a, b) => size(b) - size(a));
  if (hasAny || !first || !(size(first) > 0)) return [];
  const taken = first.rule === "constant" ? "which counts as constant" : first.rule;
  return [
    `no relevance reaches the input: most is taken at ${first.operator} node "${first.node}", ${taken}`,
  ];
}

/** The row that adds up worst, if it is off by more than 1e-9 of what arrives. */
function worstRow(ledger: readonly LedgerRow[]): Pick<Explanation, "imbalance"> {
  let worst: { row: LedgerRow; by: number } | undefined;
  for (const row of ledger) {
    const by = Math.abs(row.in - row.out - row.bias - row.absorbed);
    const size = Math.abs(row.in) + Math.abs(row.out) + Math.abs(row.bias) + Math.abs(row.absorbed);
    // What is no number adds up to nothing.
    if (Number.isNaN(by)) return { imbalance: { row, by } };
    if (by > Math.max(1e-9 * (1 + size), worst?.by ?? 0)) worst = { row, by };
  }
  return worst ? { imbalance: worst } : {};
}
