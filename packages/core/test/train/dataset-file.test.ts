import { describe, expect, it } from "vitest";
import { numbers } from "../../src/graph/tensor.ts";
import { datasetFromFile, drawnDataset } from "../../src/train/data/dataset-file.ts";
import { TrainError } from "../../src/train/error.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const whole = { testFraction: 0 };

describe("a data set in a table", () => {
  const table = bytes("side,a,y,b\n0,1,2,3\n1,4,5,6\n");

  it.each([
    [undefined, [2, 5], [0, 1, 3, 1, 4, 6]],
    ["side", [0, 1], [1, 2, 3, 4, 5, 6]],
    ["b", [3, 6], [0, 1, 2, 1, 4, 5]],
  ])("has its targets in the column %s", (target, y, x) => {
    const { train } = datasetFromFile(table, "t.csv", { ...whole, target, task: "regression" });
    expect([...numbers(train.y)]).toEqual(y);
    expect([...numbers(train.x)]).toEqual(x);
  });

  it("says which columns there are", () => {
    const load = () => datasetFromFile(table, "t.csv", { ...whole, target: "c" });
    expect(load).toThrow(TrainError);
    expect(load).toThrow("t.csv: no column is called c; there are side, a, y, b");
  });
});

it("files of other kinds, and names of no data set, are refused", () => {
  expect(() => datasetFromFile(bytes("1,2"), "t.txt")).toThrow(/t\.txt: .*\.npz and \.csv/);
  expect(() => drawnDataset("moons")).toThrow(/no data set "moons"/);
});
