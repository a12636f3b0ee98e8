// What is said to be the same function: a simplified model, and a pair that is called equivalent or within a tolerance.

import { compareNetworks } from "../../src/equivalence/compare/compare.ts";
import { simplify } from "../../src/equivalence/simplify/simplify.ts";
import type { Attribute, Graph } from "../../src/graph/graph.ts";
import { isSparse } from "../../src/graph/graph.ts";
import { isFloat, numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { canonical } from "../../src/graph/upgrade.ts";
import { runGraph } from "../graph/operators-runtime.ts";
import { flatBox } from "./check-bounds.ts";
import { isReadable } from "./check-values.ts";
import { oneOf } from "./edge-values.ts";
import { Finding, orRefusalLater, type Verdict } from "./finding.ts";
import type { Trial } from "./trial.ts";

type Results = ReadonlyMap<string, Tensor>;

/** The greatest difference of two results beyond the rounding of both runs. */
function excess(a: Results, b: Results, trial: Trial, n: number): number {
  let most = 0;
  for (const [name, t] of a) {
    const other = b.get(name);
    if (!other || other.dims.join() !== t.dims.join())
      throw new Finding(`${name} has shape [${t.dims}], simplified [${other?.dims}]`);
    if (!isReadable(t)) continue;
    const here = trial.enclosures[n]?.get(name);
    const [p, q] = [numbers(t), numbers(other)];
    p.forEach((v, k) => {
      if (!Number.isFinite(v) || !Number.isFinite(q[k]!)) return;
      const width = here ? here.upper[k]! - here.lower[k]! : 0;
      const room = 4 * width + (isFloat(t.type) ? 2 ** -13 * (1 + Math.abs(v)) : 0);
      most = Math.max(most, Math.abs(v - q[k]!) - room);
    });
  }
  return most;
}

/** Some kernels exist for older opsets only, such as ReduceLogSumExp of unsigned integers: today's form never runs. */
const isOfOldOpset = async (graph: Graph, feeds: Results): Promise<boolean> =>
  runGraph(canonical(graph), feeds).then(
    () => false,
    (error: Error) => error.message.includes("no kernel for this opset"),
  );

export async function checkSimplify(trial: Trial, n: number): Promise<Verdict> {
  const { model, points, outputs } = trial;
  const result = await orRefusalLater(async () =>
    simplify(model.graph, n % 2 === 0 ? { box: flatBox(trial) } : {}),
  );
  if (!result) return "refused";
  if (result.graph === model.graph) return "agrees";
  for (const [k, feeds] of points.entries()) {
    const results = await runGraph(result.graph, feeds).catch(async (error: Error) => {
      if (await isOfOldOpset(model.graph, feeds)) return undefined;
      throw new Finding(`the runtime refuses the simplified model: ${error.message.slice(0, 160)}`);
    });
    if (!results) return "refused";
    const over = excess(outputs[k]!, results, trial, k);
    if (over > (result.change ?? 0))
      throw new Finding(
        `simplified, it differs by ${over} more than rounding: change ${result.change}, ${result.strength}`,
      );
  }
  return "agrees";
}

/** The model with one weight or attribute changed. */
function altered({ model, random }: Trial): Graph | undefined {
  const { graph } = model;
  const weights = [...graph.initializers].filter(
    ([, t]) => !isSparse(t) && isReadable(t) && t.data.length > 0,
  );
  const isWeight = weights.length > 0 && random.uniform() < 0.6;
  if (isWeight) {
    const [name, t] = oneOf(random, weights) as [string, Tensor];
    const values = Float64Array.from(numbers(t));
    values[random.integer(0, values.length - 1)]! += oneOf(random, [1, -1, 2]);
    if (t.type.startsWith("u") && values.some((v) => v < 0)) return undefined;
    return {
      ...graph,
      initializers: new Map([
        ...graph.initializers,
        [name, tensor(values, { type: t.type as "float32", dims: t.dims })],
      ]),
    };
  }
  const nodes = graph.nodes.flatMap((node, k) =>
    [...node.attributes].map(([name, a]) => [k, name, a] as const),
  );
  if (nodes.length === 0) return undefined;
  const [at, name, a] = oneOf(random, nodes);
  const other: Attribute | undefined =
    a.type === "int"
      ? { type: "int", value: a.value + 1n }
      : a.type === "float"
        ? { type: "float", value: a.value + 0.5 }
        : undefined;
  if (!other) return undefined;
  return {
    ...graph,
    nodes: graph.nodes.map((node, k) =>
      k === at ? { ...node, attributes: new Map([...node.attributes, [name, other]]) } : node,
    ),
  };
}

/** A changed model is not the same function if the runtime says so. */
export async function checkCompare(trial: Trial): Promise<Verdict> {
  const { model, points, outputs } = trial;
  const other = altered(trial);
  if (!other) return "refused";
  const runs: Results[] = [];
  for (const feeds of points) {
    const results = await runGraph(other, feeds).catch(() => undefined);
    if (!results) return "refused";
    runs.push(results);
  }
  const isAlike = runs.every((r, k) =>
    [...outputs[k]!].every(([name, t]) => r.get(name)?.dims.join() === t.dims.join()),
  );
  if (!isAlike) return "refused";
  const comparison = await orRefusalLater(async () =>
    compareNetworks(model.graph, other, { box: flatBox(trial), seconds: 0.2 }),
  );
  if (!comparison) return "refused";
  const { verdict, strength, tolerance, because } = comparison;
  if (verdict !== "equivalent" && verdict !== "within") return "agrees";
  const over = Math.max(...runs.map((r, k) => excess(outputs[k]!, r, trial, k)));
  if (over > (verdict === "within" ? tolerance : 0) && strength !== "sampled")
    throw new Finding(
      `compared with a changed one it is ${verdict} (${strength}: ${because}), and differs by ${over}`,
    );
  return "agrees";
}
