// What explanations are judged by, on cases done by hand.
import { describe, expect, it } from "vitest";
import { randomization } from "../../src/explain/assess.ts";
import {
  estimate,
  flipping,
  groupSums,
  localization,
  randomFlipping,
  rankCorrelation,
} from "../../src/explain/evaluate.ts";
import { prepare } from "../../src/explain/index.ts";
import { patchGroups } from "../../src/explain/methods/groups.ts";
import { weightNames } from "../../src/explain/randomized.ts";
import { ScoreModel } from "../../src/explain/score-model.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { denseNetwork } from "../../src/train/dense-network.ts";

describe("rank correlation", () => {
  it("1 in the same order, -1 in the opposite one, whatever the sizes", () => {
    expect(rankCorrelation([1, 5, 100], [0, 0.1, 7])).toBeCloseTo(1, 12);
    expect(rankCorrelation([1, 5, 100], [3, 2, 1])).toBeCloseTo(-1, 12);
  });

  it("one swap of four: 1 - 6 * 2 / (4 * 15)", () => {
    expect(rankCorrelation([1, 2, 3, 4], [1, 3, 2, 4])).toBeCloseTo(0.8, 12);
  });

  it("ties share their ranks; a constant is correlated with nothing", () => {
    // ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3: 4.5 / sqrt(4.5 * 5)
    expect(rankCorrelation([1, 2, 2, 3], [1, 2, 3, 4])).toBeCloseTo(4.5 / Math.sqrt(22.5), 12);
    expect(rankCorrelation([1, 1, 1], [1, 2, 3])).toBe(0);
  });
});

describe("localization", () => {
  const mask = [0, 1, 1, 0];

  it("the part of the positive relevance, and of the greatest, that lies on the mask", () => {
    expect(localization([3, 2, -5, 1], mask)).toEqual({ mass: 2 / 6, rank: 0.5, isHit: false });
    expect(localization([0, 2, 1, 0], mask)).toEqual({ mass: 1, rank: 1, isHit: true });
  });

  it("relevance that is nowhere positive has no mass", () => {
    expect(localization([-1, -2, -3, -4], mask).mass).toBe(0);
  });
});

describe("flipping", () => {
  const network = denseNetwork([{ W: [[1, -2, 3]], b: [10] }], "linear");
  const model = async () =>
    ScoreModel.create(await prepare(network, { x: tensor([[1, 1, 1]]) }), { kind: "class", index: 0 });
  const groups = patchGroups([1, 3], 1);

  it("takes away by relevance, most and least first", async () => {
    const found = await flipping(await model(), [1, -2, 3], groups, new Float64Array(3));
    expect(found.most).toEqual([12, 9, 8, 10]);
    expect(found.least).toEqual([12, 14, 13, 10]);
    expect(found.drop).toBeCloseTo(12 - 39 / 4, 12);
    expect(found.between).toBeCloseTo(10 / 4, 12);
  });

  it("regions go together", async () => {
    expect(groupSums([1, -2, 3], [[0, 1], [2]])).toEqual([-1, 3]);
    const found = await flipping(await model(), [1, -2, 3], [[0, 1], [2]], new Float64Array(3));
    expect(found.most).toEqual([12, 9, 10]);
  });

  it("random orders have no area between them in the mean", async () => {
    const found = await randomFlipping(await model(), groups, new Float64Array(3), 200, createRandom(1));
    expect(found.most).toHaveLength(4);
    expect(Math.abs(found.between)).toBeLessThan(0.6); // 1.3 / sqrt(200) is its deviation
    expect(found.drop).toBeCloseTo(1, 0); // half of the whole drop of 2
  });
});

describe("an estimate", () => {
  it("Student's interval of three numbers", () => {
    const { mean, plusMinus } = estimate([1, 2, 3]);
    expect(mean).toBe(2);
    expect(plusMinus).toBeCloseTo(4.302653 / Math.sqrt(3), 5);
  });
  it("one number has none", () => expect(estimate([5]).plusMinus).toBeNaN());
});

describe("weights that are shuffled", () => {
  const table = (...dims: number[]) =>
    tensor(
      Float64Array.from({ length: dims.reduce((n, d) => n * d, 1) }, (_, k) => Math.sin(k)),
      { type: "float64", dims },
    );
  it("are those of all layers, through movers and in recurrent ones too, from the top", () => {
    const net = graph({ x: float64(4, 1, 2) }, ({ x }) => {
      const lift = (t: ReturnType<typeof table>) => x.builder.lift(t, "float64");
      const [, last] = x.builder.apply(
        "LSTM",
        [x, lift(table(1, 12, 2)), lift(table(1, 12, 3))],
        { hidden_size: 3 },
        2,
      );
      return {
        y: last!
          .reshape([1, 3])
          .matmul(lift(table(2, 3)).transpose([1, 0]))
          .add(lift(table(2))),
      };
    });
    const shapes = weightNames(net).map((name) => net.initializers.get(name)!.dims);
    expect(shapes).toEqual([
      [2, 3],
      [1, 12, 3],
      [1, 12, 2],
    ]);
  });
  it("where there are none, nothing is said of them", async () => {
    const net = graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.relu() }));
    expect(await randomization(net, { x: tensor([[1, 2]], { type: "float64" }) })).toEqual([]);
  });
});
