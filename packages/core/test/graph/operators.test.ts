// Every operator of the table against ONNX Runtime: what is inferred is what comes out.
import { describe, expect, it } from "vitest";
import type { Graph, TensorType } from "../../src/graph/graph.ts";
import { inferTypes } from "../../src/graph/infer.ts";
import { families, type OperatorName, operators } from "../../src/graph/operators/index.ts";
import type { Inferred } from "../../src/graph/operators/spec.ts";
import { numbers, type Tensor } from "../../src/graph/tensor.ts";
import { operatorCases } from "./operators-cases.ts";
import { feedsOf, graphOfCase, inputName, type OperatorCase, runGraph } from "./operators-runtime.ts";

const names = Object.keys(operators) as OperatorName[];

/** What is claimed of a value holds of the tensor that came out. */
function expectTrue(
  claim: Inferred | undefined,
  actual: Tensor,
  sizes: ReadonlyMap<string, number> = new Map(),
) {
  if (!claim) return;
  if (claim.type !== "undefined") expect(claim.type).toBe(actual.type);
  if (claim.value) expect([...numbers(claim.value)]).toEqual([...numbers(actual)]);
  claim.entries?.forEach((entry, k) => {
    const size = typeof entry === "string" ? sizes.get(entry) : entry;
    if (size !== undefined) expect(numbers(actual)[k]).toBe(size);
  });
  if (!claim.shape) return;
  expect(claim.shape).toHaveLength(actual.dims.length);
  const known = claim.shape.map((d) => (typeof d === "string" ? sizes.get(d) : d));
  expect(known.map((d, k) => d ?? actual.dims[k])).toEqual(actual.dims);
}

/** Declares every dimension under a name of its own. */
function named(sizes: Map<string, number>) {
  return (t: Tensor, k: number): TensorType => ({
    type: t.type,
    shape: t.dims.map((size, axis) => {
      const name = `${inputName(k)}_${axis}`;
      sizes.set(name, size);
      return name;
    }),
  });
}

async function check(op: OperatorName, usage: OperatorCase) {
  const graph = graphOfCase(op, usage);
  const results = await runGraph(graph, feedsOf(usage));
  const sizes = new Map<string, number>();
  const variants: Graph[] = [
    graph,
    graphOfCase(op, usage, named(sizes)),
    graphOfCase(op, usage, (t) => ({ type: t.type })),
    graphOfCase(op, { ...usage, weights: [] }),
    graphOfCase(op, { ...usage, weights: [] }, () => ({ type: "undefined" })),
  ];
  for (const variant of variants) {
    const inferred = inferTypes(variant);
    for (const [name, actual] of results) expectTrue(inferred.get(name), actual, sizes);
  }
  if (usage.dependsOnData) return;
  const inferred = inferTypes(graph);
  for (const [name, actual] of results) {
    expect(inferred.get(name)).toMatchObject({ type: actual.type, shape: actual.dims });
  }
}

describe("the operator table", () => {
  it("has a case for every operator", () => {
    expect(names.filter((name) => (operatorCases[name]?.length ?? 0) === 0)).toEqual([]);
  });
  it("lists every operator in exactly one family", () => {
    const listed = Object.values(families).flatMap((family) => Object.keys(family));
    expect(listed.toSorted()).toEqual(names.toSorted());
  });
  it.each(names)("%s: shapes and types are those of ONNX Runtime", async (op) => {
    for (const [k, usage] of operatorCases[op].entries()) {
      try {
        await check(op, usage);
      } catch (error) {
        throw new Error(
          `case ${k} ${JSON.stringify(usage.attributes ?? {}, (key, v) => (key === "body" ? "..." : v))}`,
          { cause: error },
        );
      }
    }
  });
});
