// Regression with the tangent kernel of infinitely wide networks beside trained networks of the same architecture, on real
// data: errors on examples that neither has seen. Nothing is tuned, on either side. Tables are of ../shared/data.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run } from "@lemmata/core/engine";
import { cast, numbers, type Tensor, tensor } from "@lemmata/core/graph";
import {
  centredOneHot,
  kernelRegression,
  limitKernel,
  meanSquaredError,
  misclassified,
} from "@lemmata/core/kernels";
import type { Matrix } from "@lemmata/core/linear-algebra";
import {
  type Dataset,
  datasetFromFile,
  type Examples,
  initialNetwork,
  takeExamples,
  train,
} from "@lemmata/core/train";
import { loadDataset } from "../packages/cli/src/datasets.ts";

const width = 256;
const seeds = [1, 2, 3];
/** Deviations of weights and biases, as He's initialization has them, nearly. */
const law = { wStd: Math.SQRT2, bStd: 0.1 };
/** As a part of the mean of the kernel's diagonal. */
const ridges = [0, 0.01];
const training = { optimizer: "adam", loss: "square", rate: 1e-3, epochs: 200, batch: 32 } as const;

/** Columns with mean 0 and deviation 1 on the training examples; those that do not vary stay as they are. */
function standardized(train: Tensor, test: Tensor): [Tensor, Tensor] {
  const [n, d] = train.dims as [number, number];
  const x = numbers(train);
  const moments = Array.from({ length: d }, (_, j) => {
    const column = Array.from({ length: n }, (_, i) => x[i * d + j]!);
    const mean = column.reduce((s, v) => s + v, 0) / n;
    return { mean, deviation: Math.sqrt(column.reduce((s, v) => s + (v - mean) ** 2, 0) / n) || 1 };
  });
  const scaled = (t: Tensor): Tensor => {
    const entries = Float64Array.from(numbers(t), (v, k) => {
      const { mean, deviation } = moments[k % d]!;
      return (v - mean) / deviation;
    });
    return tensor(entries, { dims: [...t.dims] });
  };
  return [scaled(train), scaled(test)];
}

const flat = (t: Tensor): Tensor => {
  const [n] = t.dims as [number];
  return tensor(Float64Array.from(numbers(t)), { dims: [n, t.data.length / n] });
};

function targets({ y }: Examples, { task, classes }: Dataset): Matrix {
  if (task === "classification") return centredOneHot(y, classes!);
  return { rows: y.dims[0]!, columns: 1, entries: Float64Array.from(numbers(y)) };
}

/** The share of wrong classes in percent, or the root of the mean squared error. */
const errorOf = (found: Matrix, known: Matrix, { task }: Dataset): number =>
  task === "classification" ? 100 * misclassified(found, known) : Math.sqrt(meanSquaredError(found, known));

async function compared(name: string, dataset: Dataset, isTable = true): Promise<void> {
  const test = dataset.test!;
  const given = [flat(dataset.train.x), flat(test.x)] as const;
  const [x, z] = isTable ? standardized(...given) : given;
  const [y, known] = [targets(dataset.train, dataset), targets(test, dataset)];
  // Quantities around their mean: kernel regression starts at 0, and so do networks, nearly.
  const middle = dataset.task === "regression" ? y.entries.reduce((s, v) => s + v, 0) / y.rows : 0;
  const size =
    dataset.task === "regression"
      ? Math.sqrt(meanSquaredError(y, { ...y, entries: y.entries.map(() => middle) }))
      : 1;
  const centred: Matrix = { ...y, entries: y.entries.map((v) => (v - middle) / size) };
  const back = (found: Matrix): Matrix => ({
    ...found,
    entries: found.entries.map((v) => size * v + middle),
  });
  const [n, d] = x.dims as [number, number];
  const spec = `${d}-${width}-relu-${width}-relu-${y.columns}`;
  const { ntk } = await limitKernel(spec, x, law);
  const cross = await limitKernel(spec, z, { ...law, other: x });
  const mean = Array.from({ length: n }, (_, i) => ntk[i * (n + 1)]! / n).reduce((s, v) => s + v, 0);
  const kernel = { rows: n, columns: n, entries: ntk };
  const errors: number[] = [];
  for (const ridge of ridges) {
    const regression = await kernelRegression(kernel, centred, { ridge: ridge * mean });
    const found = await regression.predict({ rows: known.rows, columns: n, entries: cross.ntk });
    errors.push(errorOf(back(found), known, dataset));
  }
  const data = {
    x: cast(x, "float32"),
    target: tensor(centred.entries, { dims: [n, y.columns], type: "float32" }),
  };
  const trained: number[] = [];
  for (const seed of seeds) {
    const { model } = await train(initialNetwork(spec, { seed }), data, { ...training, seed });
    const found: Readonly<Record<string, Tensor>> = await run(model, {
      [model.inputs[0]!.name]: cast(z, "float32"),
    });
    const entries = Float64Array.from(numbers(found[model.outputs[0]!.name]!));
    trained.push(errorOf(back({ ...known, entries }), known, dataset));
  }
  const text = (v: number): string => v.toFixed(2).padStart(8);
  console.log(
    `${name.padEnd(16)} ${String(n).padStart(5)} ${String(known.rows).padStart(5)} ${errors.map(text).join(" ")} ${text(trained.reduce((s, v) => s + v) / seeds.length)} (${trained.map((v) => v.toFixed(2)).join(", ")})`,
  );
}

const folder = fileURLToPath(new URL("../../shared/data/", import.meta.url));
console.log(
  `d-${width}-relu-${width}-relu-K, w-std √2, b-std 0.1, columns of tables standardized, squares of centred one-hot targets`,
);
console.log("errors on test examples: % of wrong classes, or the root of the mean squared error (diabetes)");
console.log("data             train  test  NTK r=0  r=0.01k  network, Adam 1e-3, 200 epochs (its seeds)");
for (const name of ["iris", "wine", "breast_cancer", "digits", "diabetes"]) {
  const path = `${folder}${name}.npz`;
  if (!existsSync(path)) {
    console.log(`${name}: ${path} is not there`);
    continue;
  }
  await compared(
    name,
    datasetFromFile(readFileSync(path), `${name}.npz`, { testFraction: 0.2, seed: 1, type: "float64" }),
  );
}
const mnist = loadDataset("mnist", { type: "float32" });
const first = (examples: Examples, count: number): Examples =>
  takeExamples(
    examples,
    Int32Array.from({ length: count }, (_, i) => i),
  );
for (const count of [500, 1000])
  await compared(
    `MNIST, first ${count}`,
    { ...mnist, train: first(mnist.train, count), test: first(mnist.test!, 2000) },
    false,
  );
