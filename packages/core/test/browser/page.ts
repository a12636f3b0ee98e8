// Runs in the browser (and, for comparison, in Node): the same library calls, results as plain JSON.
import { createRandom } from "../../src/engine/random.ts";
import { run } from "../../src/engine/run.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import { equalGraphs } from "../../src/graph/equal.ts";
import { readModel, writeModel } from "../../src/graph/onnx/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { findLemma } from "../../src/theory/registry.ts";

export interface Findings {
  readonly claims: readonly (readonly [string, number, boolean])[];
  readonly outputs: Readonly<Record<string, readonly number[]>>;
  readonly random: readonly number[];
  readonly roundTrip: boolean;
}

export async function findings(): Promise<Findings> {
  const lemma = await (await findLemma("T-27")).run({ i: 5 });
  const affine = (type: typeof float32) =>
    graph({ x: type("N", 2) }, ({ x }) => ({
      y: x
        .affine(
          [
            [1, -2],
            [0.5, 3],
          ],
          [0.25, -1],
        )
        .relu(),
    }));
  const outputs: Record<string, number[]> = {};
  for (const [name, type] of [
    ["float32", float32],
    ["float64", float64],
  ] as const) {
    const { y } = await run(
      affine(type),
      {
        x: tensor(
          [
            [0.1, 0.2],
            [3, -4],
          ],
          { type: name },
        ),
      },
      { threads: 1 },
    );
    outputs[name] = [...numbers(y!)];
  }
  const random = createRandom(42);
  return {
    claims: lemma.claims.map((c) => [c.name, c.measured, c.holds] as const),
    outputs,
    random: [
      ...random.uniform(3),
      ...random.normal(1000).subarray(990),
      ...random.permutation(5),
      ...random.sphere(3),
    ],
    roundTrip: equalGraphs(lemma.graph!, readModel(writeModel(lemma.graph!))),
  };
}
