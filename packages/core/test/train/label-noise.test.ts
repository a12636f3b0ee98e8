import { describe, expect, it } from "vitest";
import { numbers } from "../../src/graph/tensor.ts";
import { type Dataset, withThrownLabels } from "../../src/train/index.ts";

const [count, classes] = [9000, 3];
const labels = Array.from({ length: count }, (_, k) => k % classes);
const dataset: Dataset = {
  ...{ name: "thirds", task: "classification", classes },
  train: {
    x: { type: "float64", dims: [count, 1], data: Float64Array.from(labels) },
    y: { type: "int64", dims: [count], data: BigInt64Array.from(labels, BigInt) },
  },
  test: {
    x: { type: "float64", dims: [1, 1], data: new Float64Array(1) },
    y: { type: "int64", dims: [1], data: new BigInt64Array([2n]) },
  },
};
const thrown = (share: number, seed = 1) =>
  Array.from(numbers(withThrownLabels(dataset, { share, seed }).train.y));

describe("labels thrown anew", () => {
  it("stay as they are, or change as often as chance says, and to each class alike", () => {
    expect(thrown(0)).toEqual(labels);
    for (const share of [0.25, 1]) {
      const found = thrown(share);
      const changed = found.filter((y, k) => y !== labels[k]).length;
      // Two of three throws change a label. Hoeffding's inequality: a deviation of 0.03 has probability 2 e^(-16).
      expect(Math.abs(changed / count - (share * 2) / 3)).toBeLessThan(0.03);
      for (const [from, to] of [0, 1, 2].flatMap((a) => [0, 1, 2].map((b) => [a, b] as const))) {
        const pairs = found.filter((y, k) => labels[k] === from && y === to).length;
        expect(
          Math.abs((classes * pairs) / count - (share / 3 + (from === to ? 1 - share : 0))),
        ).toBeLessThan(0.06);
      }
    }
  });

  it("are the same for the same seed; inputs and test data stay", () => {
    expect(thrown(0.5, 7)).toEqual(thrown(0.5, 7));
    expect(thrown(0.5, 7)).not.toEqual(thrown(0.5, 8));
    const { train, test } = withThrownLabels(dataset, { share: 1 });
    expect([train.x, test]).toEqual([dataset.train.x, dataset.test]);
  });

  it.each([
    [{ ...dataset, classes: undefined }, 0.5, "thirds has no classes"],
    [dataset, 1.5, "the label noise 1.5 is not between 0 and 1"],
    [dataset, Number.NaN, "the label noise NaN"],
  ])("%#: %s is refused", (from, share, message) => {
    expect(() => withThrownLabels(from as Dataset, { share })).toThrow(message);
  });
});
