// What a call of `run` costs over a bare onnxruntime-node session; and a large sparse product against a plain loop.

import { run } from "@lemmata/core/engine";
import { float32, float64, graph, sparseMatrix, tensor, writeModel } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import * as ort from "onnxruntime-node";
import { report } from "./measure.ts";

const calls = 2000;
const small = graph({ x: float32("N", 4) }, ({ x }) => ({ y: x.relu() }));
const data = new Float32Array([1, -2, 3, -4]);
const session = await ort.InferenceSession.create(writeModel(small), { intraOpNumThreads: 1 });

await report(
  `${calls} calls on a graph with one Relu`,
  [
    {
      name: "lemmata run()",
      async run() {
        for (let k = 0; k < calls; k++)
          await run(small, { x: { type: "float32", dims: [1, 4], data } }, { threads: 1 });
      },
    },
    {
      name: "bare session.run()",
      async run() {
        for (let k = 0; k < calls; k++) await session.run({ x: new ort.Tensor("float32", data, [1, 4]) });
      },
    },
  ],
  9,
);

const [n, perRow] = [100_000, 10];
const random = createRandom("sparse");
const entries = Array.from(
  { length: n * perRow },
  (_, k) => [Math.floor(k / perRow), random.integer(0, n - 1), random.normal()] as const,
);
const matrix = sparseMatrix(n, n, entries);
const sparse = graph({ x: float64("N", n) }, ({ x }) => ({ y: x.affine(matrix) }));
const x = random.normal(n);

await report(
  "a 100,000 x 100,000 matrix with a million non-zeros times a vector (dense: 80 GB)",
  [
    {
      name: "gather form on ONNX Runtime",
      run: async () => void (await run(sparse, { x: tensor(x, { dims: [1, n] }) })),
    },
    {
      name: "plain loop over compressed rows",
      run() {
        const y = new Float64Array(n);
        for (let r = 0; r < n; r++) {
          let sum = 0;
          for (let k = matrix.starts[r]!; k < matrix.starts[r + 1]!; k++)
            sum += matrix.values[k]! * x[matrix.columnOf[k]!]!;
          y[r] = sum;
        }
      },
    },
  ],
  9,
);
