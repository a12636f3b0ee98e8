// DARC and DARC1 in training against the formulas, with plain descent written by hand.
import { describe, expect, it } from "vitest";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import { advance, initialState } from "../../src/train/advance.ts";
import { denseNetwork } from "../../src/train/dense-network.ts";
import { type TrainOptions, train } from "../../src/train/train.ts";
import { training } from "../../src/train/training.ts";

const x = [
  [1, 2],
  [-1, 0.5],
  [0.3, -2],
];
const y = [0, 1, 1];
const start = [
  [0.2, -0.4],
  [0.7, 0.1],
];
const data = { x: tensor(x), target: tensor(y, { type: "int64" }) };
const [rate, lambda, steps] = [0.1, 0.3, 25];

type Rows = readonly (readonly number[])[];

/** One step of descent on mean cross-entropy + lambda max_k mean_i |z_k|. */
function step(W: Rows): Rows {
  const z = x.map((row) => W.map((w) => w.reduce((s, v, k) => s + v * row[k]!, 0)));
  const sums = W.map((_, k) => z.reduce((s, row) => s + Math.abs(row[k]!), 0));
  const greatest = sums.indexOf(Math.max(...sums));
  const slope = z.map((row, i) => {
    const total = row.reduce((s, v) => s + Math.exp(v), 0);
    return row.map(
      (v, k) => Math.exp(v) / total - Number(k === y[i]) + (k === greatest ? lambda * Math.sign(v) : 0),
    );
  });
  return W.map((w, k) =>
    w.map((v, j) => v - (rate / x.length) * x.reduce((s, row, i) => s + slope[i]![k]! * row[j]!, 0)),
  );
}

async function trained(options: Partial<TrainOptions>): Promise<readonly number[]> {
  const net = denseNetwork([{ W: start }], "linear");
  const result = await train(net, data, { loss: "cross-entropy", optimizer: "gd", rate, steps, ...options });
  return Array.from((result.model.initializers.get("W1") as Tensor).data as Float64Array);
}

describe("penalties on the outputs of a batch", () => {
  it("DARC1 follows its formula", async () => {
    let W: Rows = start;
    for (let t = 0; t < steps; t++) W = step(W);
    const found = await trained({ darc1: lambda });
    W.flat().forEach((w, k) => {
      expect(Math.abs(w - found[k]!)).toBeLessThan(1e-13);
    });
  });

  it("DARC draws new signs in every step, the same for the same seed", async () => {
    const [one, again, other] = [
      await trained({ darc: lambda, seed: 1 }),
      await trained({ darc: lambda, seed: 1 }),
      await trained({ darc: lambda, seed: 2 }),
    ];
    expect(one).toEqual(again);
    expect(one).not.toEqual(other);
    expect(one).not.toEqual(await trained({ darc1: lambda }));
  });

  it("a step of DARC is one of the 2^m steps that signs allow, and 60 seeds find most of them", async () => {
    const weightsAfter = async (darc: number, seeds: number): Promise<readonly (readonly number[])[]> => {
      const of = training(denseNetwork([{ W: start }], "linear"), {
        loss: "cross-entropy",
        optimizer: "gd",
        darc,
      });
      const found = [];
      for (let seed = 0; seed < seeds; seed++) {
        const { state } = await advance(of, initialState(of, seed), data, { rates: [rate] });
        found.push(Array.from(state.tensors["weight/W1"]!.data as Float64Array));
      }
      return found;
    };
    const [plain] = (await weightsAfter(0, 1)) as [readonly number[]];
    const z = x.map((row) => start.map((w) => w.reduce((s, v, k) => s + v * row[k]!, 0)));
    const allowed = new Map<string, number>();
    for (let code = 0; code < 8; code++) {
      const signs = x.map((_, i) => ((code >> i) & 1 ? 1 : -1));
      const sums = start.map((_, k) => z.reduce((s, row, i) => s + signs[i]! * row[k]!, 0));
      const k = sums.indexOf(Math.max(...sums));
      const outer = Math.sign(sums[k]!);
      const moved = start.flatMap((w, row) =>
        w.map((_, j) =>
          row === k ? (rate * lambda * outer * x.reduce((s, at, i) => s + signs[i]! * at[j]!, 0)) / 3 : 0,
        ),
      );
      allowed.set(plain.map((v, p) => (v - moved[p]!).toFixed(9)).join(), 0);
    }
    for (const weights of await weightsAfter(lambda, 60)) {
      const key = weights.map((v) => v.toFixed(9)).join();
      expect([...allowed.keys()]).toContain(key);
      allowed.set(key, allowed.get(key)! + 1);
    }
    // Of 60 fair throws among 8 (or fewer, where signs give the same step) none is missing but with chance 8 (7/8)^60.
    expect(Math.min(...allowed.values())).toBeGreaterThan(0);
  });

  it("refuses a negative one", async () => {
    await expect(trained({ darc1: -1 })).rejects.toThrow("darc1 is not negative, not -1");
  });
});
