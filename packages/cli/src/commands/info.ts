import {
  type Graph,
  GraphError,
  inferTypes,
  isTensorType,
  opsetOf,
  requiredInputs,
  subgraphs,
  type ValueInfo,
} from "@lemmata/core/graph";
import { sizes } from "@lemmata/core/passes";
import { type InterfaceOptions, loadGraph, settled } from "../model.ts";
import { type CommonOptions, number, print, printJson, table } from "../output.ts";

const describeValue = ({ name, type }: ValueInfo) =>
  isTensorType(type)
    ? { name, type: type.type, shape: type.shape?.map((d) => d ?? "?") ?? null }
    : { name, type: type.description, shape: null };

function countOperators(graph: Graph, counts = new Map<string, number>()): Map<string, number> {
  for (const node of graph.nodes) {
    const key = node.domain ? `${node.domain}.${node.op}` : node.op;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    for (const inner of subgraphs(node)) countOperators(inner, counts);
  }
  return counts;
}

interface InfoOptions extends CommonOptions, InterfaceOptions {
  readonly canonical?: boolean;
}

/** `lemmata info net.onnx [--canonical]` */
export default async function info(path: string, options: InfoOptions): Promise<void> {
  const graph = settled(await loadGraph(path), options);
  const symmetry = options.canonical ? await describeSymmetry(graph) : undefined;
  const { parameters, nonzeros, hiddenUnits, depth, widths } = sizes(graph);
  const operators = Object.fromEntries([...countOperators(graph)].sort((a, b) => b[1] - a[1]));
  const summary = {
    inputs: requiredInputs(graph).map(describeValue),
    outputs: graph.outputs.map(describeValue),
    opset: opsetOf(graph),
    operators,
    parameters,
    nonzeros,
    hiddenUnits: hiddenUnits ?? null,
    depth,
    widths: widths.map((w) => w ?? null),
    ...(symmetry && { canonical: symmetry }),
  };
  if (options.json) return printJson(summary);
  const value = (v: ReturnType<typeof describeValue>) =>
    `${v.name}: ${v.type}${v.shape ? ` [${v.shape.join(", ")}]` : ""}`;
  const density = parameters > 0 ? ` (${number(Math.round((1000 * nonzeros) / parameters) / 10)} %)` : "";
  const rows: string[][] = [
    ...summary.inputs.map((v, k) => [k === 0 ? "inputs" : "", value(v)]),
    ...summary.outputs.map((v, k) => [k === 0 ? "outputs" : "", value(v)]),
    ["opset", String(summary.opset)],
    [
      "operators",
      Object.entries(operators)
        .map(([op, n]) => (n > 1 ? `${n} ${op}` : op))
        .join(", ") || "none",
    ],
    ["parameters", number(parameters)],
    ["nonzeros", number(nonzeros) + density],
    [
      "hidden units",
      hiddenUnits === undefined ? "unknown: a shape is not known before the run" : number(hiddenUnits),
    ],
    ["depth", `${depth} hidden layer${depth === 1 ? "" : "s"}`],
    ["widths", shorten(widths.map((w) => (w === undefined ? "?" : String(w))))],
  ];
  if (symmetry) rows.push(...symmetryRows(symmetry));
  const contradiction = firstContradiction(graph);
  if (contradiction) rows.push(["cannot run", contradiction]);
  print(table([graph.name || path, ""], rows));
}

/** The symmetries of a model and its fingerprints. */
async function describeSymmetry(graph: Graph) {
  const { canonicalForm, symmetryReport } = await import("@lemmata/core/equivalence");
  const { fingerprint, exactFingerprint, isComplete, group } = canonicalForm(graph);
  return { fingerprint, exactFingerprint, isComplete, ...symmetryReport(group) };
}

function symmetryRows(symmetry: Awaited<ReturnType<typeof describeSymmetry>>): string[][] {
  const { fingerprint, exactFingerprint, isComplete, log10Permutations, signs, dimension, unread } = symmetry;
  const kinds = symmetry.classes.map(({ units, copies, permutations, scales, signs: flips, matrices }) => {
    const freedom = [
      permutations ? "permuted" : "",
      scales > 0 ? "scaled" : "",
      flips > 0 ? "negated" : "",
      matrices ? "any matrix" : "",
    ].filter(Boolean);
    return `${copies > 1 ? `${units} × ${copies}` : units} ${freedom.join(", ")}`;
  });
  return [
    ["fingerprint", fingerprint],
    [
      "",
      "shared by all networks that permutations, scales and signs make of this one (weights to about 1e-3)",
    ],
    ["exact", exactFingerprint],
    ["", "shared if only permutations, signs and powers of two lie between: no weight is rounded"],
    ...(isComplete ? [] : [["not unique", "some freedom is left that the canonical form does not fix"]]),
    ["permutations", `10^${number(Math.round(10 * log10Permutations) / 10)}`],
    ["signs", number(signs)],
    ["dimension", `${number(dimension)} (scales and matrices)`],
    ...kinds.map((kind, k) => [k === 0 ? "units" : "", kind]),
    ...(unread.length > 0 ? [["blocked by", unread.join(", ")]] : []),
  ];
}

/** What shapes say against the model, if anything. */
function firstContradiction(graph: Graph): string | undefined {
  try {
    inferTypes(graph);
    return undefined;
  } catch (error) {
    if (error instanceof GraphError) return error.message;
    throw error;
  }
}

/** Runs of equal widths as `50 × 6`. */
function shorten(widths: readonly string[]): string {
  const runs: [string, number][] = [];
  for (const w of widths) {
    const last = runs.at(-1);
    if (last?.[0] === w) last[1]++;
    else runs.push([w, 1]);
  }
  return runs.map(([w, n]) => (n > 1 ? `${w} × ${n}` : w)).join(", ") || "none";
}
