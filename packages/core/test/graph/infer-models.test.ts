// Networks that nobody here wrote: every inferred shape is the one that ONNX Runtime computes.
import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { type Graph, isTensorType, requiredInputs } from "../../src/graph/graph.ts";
import { inferTypes } from "../../src/graph/infer.ts";
import { loadModel } from "../../src/graph/onnx/index.ts";
import { operatorSpec } from "../../src/graph/operators/index.ts";
import { type NumericType, numbers, type Tensor } from "../../src/graph/tensor.ts";
import { canonical } from "../../src/graph/upgrade.ts";
import { ramp, runGraph } from "./operators-runtime.ts";

const folder = join(import.meta.dirname, "../../../../../shared/models");
const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((f) => f.endsWith(".onnx"))
  : [];

const load = (file: string): Promise<Graph> => loadModel(join(folder, file));

/** Numbers for every input; a named size becomes 2. */
function feedsOf(graph: Graph): Map<string, Tensor> {
  return new Map(
    requiredInputs(graph).map(({ name, type }) => {
      if (!isTensorType(type)) throw new Error(`input ${name} is no tensor`);
      const dims = type.shape?.map((d) => (typeof d === "number" ? d : 2)) ?? [];
      return [name, ramp(dims, type.type as NumericType)];
    }),
  );
}

/** The values that depend on an operator which is not in the table: of these nothing need be known. */
function unclear(graph: Graph): ReadonlySet<string> {
  const names = new Set<string>();
  for (const node of graph.nodes)
    if (!operatorSpec(node.op, node.domain) || node.inputs.some((name) => names.has(name)))
      for (const name of node.outputs) names.add(name);
  return names;
}

/** The graph with every inner value as an output too. */
function exposed(graph: Graph): Graph {
  const shown = new Set(graph.outputs.map((o) => o.name));
  const inner = graph.nodes
    .filter((node) => node.op !== "Dropout")
    .flatMap((node) => node.outputs)
    .filter((name) => name && !shown.has(name));
  return {
    ...graph,
    outputs: [...graph.outputs, ...inner.map((name) => ({ name, type: { type: "undefined" as const } }))],
  };
}

describe.skipIf(files.length === 0)(`models in ${relative(process.cwd(), folder)}`, () => {
  // bf16 has no kernels, and ZipMap gives no tensor.
  const running = files.filter((f) => !/gbt_model|maxpool_2d|bfa|bfb|skmlp_zip/.test(f));
  it.each(running)("%s", async (file) => {
    const graph = await load(file);
    const feeds = feedsOf(graph);
    const isUnclear = unclear(graph);
    const inputs = new Map([...feeds].map(([name, t]) => [name, { type: t.type, shape: t.dims }]));
    const actual = await runGraph(exposed(graph), feeds);
    const types = inferTypes(graph, { inputs });
    for (const [name, t] of actual) {
      const type = types.get(name);
      if (!isUnclear.has(name)) expect(type, name).toMatchObject({ type: t.type, shape: t.dims });
      else
        type?.shape?.forEach((d, k) => {
          if (typeof d === "number") expect(d, name).toBe(t.dims[k]);
        });
    }

    const loose = inferTypes(graph);
    for (const [name, t] of actual)
      loose.get(name)?.shape?.forEach((d, k) => {
        if (typeof d === "number") expect(d, name).toBe(t.dims[k]);
      });

    if (file.includes("training_mode_true")) return; // random
    const today = await runGraph(canonical(graph), feeds);
    for (const { name } of graph.outputs) {
      const [a, b] = [numbers(today.get(name)!), numbers(actual.get(name)!)];
      a.forEach((v, k) => {
        expect(v).toBeCloseTo(b[k]!, 5);
      });
    }
  });
  it("zoo/maxpool_2d.onnx: refused by ONNX Runtime, and here", async () => {
    const graph = await load("zoo/maxpool_2d.onnx");
    await expect(runGraph(graph, feedsOf(graph))).rejects.toThrow("kernel_shape has incorrect size");
    expect(() => inferTypes(graph)).toThrow('MaxPool node "node1": kernel_shape [3,2,3] does not fit');
  });
});
if (files.length === 0) it.skip(`models: ${folder} is absent`, () => {});
