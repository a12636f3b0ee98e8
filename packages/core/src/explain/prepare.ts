// Before a network is explained: its shapes are those of the input, its scores those before a softmax, and its inputs
// numbers, or the rows that words look up.

import { run } from "../engine/run.ts";
import { type Graph, isSparse, isTensorType, requiredInputs } from "../graph/graph.ts";
import { inferTypes } from "../graph/infer.ts";
import { prune } from "../graph/prune.ts";
import { cast, elementCount, isFloat, numbers, type Tensor } from "../graph/tensor.ts";
import { canonical } from "../graph/upgrade.ts";
import { widened } from "../graph/widen.ts";
import { dependents } from "../passes/backward.ts";
import { canonize } from "./canonize.ts";
import { beforeEnding } from "./ending.ts";
import { ExplainError } from "./error.ts";
import { checkReadable } from "./readable.ts";
import { isByExample, withColumn } from "./score-column.ts";
import { threadsFor } from "./threads.ts";

export interface Prepared {
  /** All of `wrt` are inputs of it. */
  readonly graph: Graph;
  readonly inputs: Readonly<Record<string, Tensor>>;
  /** The value with the scores. */
  readonly of: string;
  /** What relevance is handed back to. */
  readonly wrt: readonly string[];
  /** What was done, in sentences. */
  readonly notes: readonly string[];
}

/** The rows of tables that integer inputs look up. */
function lookups(graph: Graph): readonly string[] {
  const active = dependents(graph, new Set(requiredInputs(graph).map((i) => i.name)));
  return graph.nodes.flatMap(({ op, inputs, outputs }) => {
    const table = graph.initializers.get(inputs[0]!);
    const isTable = op === "Gather" && table && !isSparse(table) && isFloat(table.type);
    return isTable && active.has(inputs[1]!) ? [outputs[0]!] : [];
  });
}

function scoresOf(graph: Graph, asked: string | undefined): string {
  const types = inferTypes(graph);
  const floats = graph.outputs
    .map((o) => o.name)
    .filter((name) => isFloat(types.get(name)?.type ?? "undefined"));
  if (asked !== undefined && !floats.includes(asked))
    throw new ExplainError(`no floating-point output "${asked}"; there are ${floats.join(", ") || "none"}`);
  const found = asked ?? floats[0];
  if (found === undefined) {
    for (const { name } of graph.outputs) checkReadable(graph, name);
    const there = graph.outputs.map(({ name }) => `${name} is ${types.get(name)?.type ?? "unknown"}`);
    throw new ExplainError(`the network has no floating-point output to explain: ${there.join(", ")}`);
  }
  return found;
}

/** The graph with inputs of these shapes. */
export function withShapes(graph: Graph, inputs: Readonly<Record<string, Tensor>>): Graph {
  const fixed = graph.inputs.map((input) => {
    const given = inputs[input.name];
    if (!given || !isTensorType(input.type)) return input;
    const { type, shape } = input.type;
    const fits =
      !shape ||
      (shape.length === given.dims.length &&
        shape.every((d, k) => typeof d !== "number" || d === given.dims[k]));
    if (!fits)
      throw new ExplainError(
        `input "${input.name}" has the shape [${given.dims}], the network takes [${shape.map((d) => d ?? "?")}]`,
      );
    return { ...input, type: { type, shape: given.dims } };
  });
  return { ...graph, inputs: fixed, valueTypes: new Map() };
}

export interface PrepareOptions {
  readonly output?: string | undefined;
  /** Whether batch normalization is folded into the layers around it. Default: yes. */
  readonly canonize?: boolean | undefined;
  /** In f64 from here on, folded weights too, where the network can be computed so. Default: its own type. */
  readonly precision?: "float32" | "float64" | undefined;
}

export const wideInput = (t: Tensor): Tensor => (t.type === "float32" ? cast(t, "float64") : t);
const wideInputs = (inputs: Readonly<Record<string, Tensor>>): Readonly<Record<string, Tensor>> =>
  Object.fromEntries(Object.entries(inputs).map(([name, t]) => [name, wideInput(t)]));

/** The graph that begins at some of its values. */
function cutAt(graph: Graph, values: Readonly<Record<string, Tensor>>): Graph {
  const added = Object.entries(values).map(([name, { type, dims }]) => ({
    name,
    type: { type, shape: dims },
  }));
  const nodes = graph.nodes.filter(({ outputs }) => !outputs.some((name) => Object.hasOwn(values, name)));
  const cut = prune({ ...graph, inputs: [...graph.inputs, ...added], nodes });
  const read = new Set(cut.nodes.flatMap(({ inputs }) => inputs));
  return { ...cut, inputs: cut.inputs.filter(({ name }) => read.has(name)) };
}

/** There is something, and all of it is numbers. */
function checkNumbers(name: string, input: Tensor): void {
  if (elementCount(input.dims) === 0)
    throw new ExplainError(`input "${name}" has the shape [${input.dims}]: there is nothing in it`);
  const bad = isFloat(input.type) ? numbers(input).find((v) => !Number.isFinite(v)) : undefined;
  if (bad !== undefined) throw new ExplainError(`input "${name}" holds ${bad}, which is no finite number`);
}

/** The network as it is explained: shapes fixed, normalization folded, the scores before a softmax. */
export async function prepare(
  original: Graph,
  inputs: Readonly<Record<string, Tensor>>,
  options: PrepareOptions = {},
): Promise<Prepared> {
  const missing = requiredInputs(original).find(({ name }) => !inputs[name]);
  if (missing) throw new ExplainError(`no input "${missing.name}" is given`);
  for (const { name } of requiredInputs(original)) checkNumbers(name, inputs[name]!);
  const own = withShapes(canonical(original), inputs);
  const wide = options.precision === "float64" ? widened(own) : undefined;
  const [shaped, given] = wide ? [wide, wideInputs(inputs)] : [own, inputs];
  const folded = options.canonize === false ? { graph: shaped, changes: [] } : canonize(shaped);
  const notes = [...folded.changes];
  const output = scoresOf(folded.graph, options.output);
  const { of: found, name: ending } = beforeEnding(folded.graph, output);
  checkReadable(folded.graph, found);
  const isColumn = isByExample(canonical(original), found);
  const { graph, of } = isColumn ? withColumn(folded.graph, found) : { graph: folded.graph, of: found };
  if (ending) notes.push(`"${output}" ends in ${ending}: what is explained is before it`);
  const scored = prune({ ...graph, outputs: [{ name: of, type: { type: "undefined" as const } }] });
  const wrt = requiredInputs(scored)
    .filter(({ type }) => isFloat(type.type as "float32"))
    .map(({ name }) => name);
  if (wrt.length > 0) {
    if (!dependents(scored, new Set(wrt)).has(of))
      throw new ExplainError(`the scores "${of}" do not depend on the input: there is nothing to explain`);
    return { graph: scored, inputs: given, of, wrt, notes };
  }
  const rows = lookups(scored);
  if (rows.length === 0)
    throw new ExplainError(
      "no input holds floating-point numbers or looks up rows of a table by its numbers",
    );
  notes.push(`relevance goes to the rows that are looked up: ${rows.join(", ")}`);
  const outputs = rows.map((name) => ({ name, type: { type: "undefined" as const } }));
  const values = await run(prune({ ...graph, outputs }), given, threadsFor(graph));
  return { graph: cutAt(scored, values), inputs: { ...given, ...values }, of, wrt: rows, notes };
}
