// Training runs against the formulas of the optimizers, written out once more in plain numbers.
import { describe, expect, it } from "vitest";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { advance, initialState, trainedModel } from "../../src/train/advance.ts";
import { initialNetwork } from "../../src/train/network.ts";
import { permutation } from "../../src/train/shuffle.ts";
import { train } from "../../src/train/train.ts";
import type { TrainingOptions } from "../../src/train/training/options.ts";
import { training } from "../../src/train/training.ts";

const random = createRandom(5);
const [examples, inputs] = [12, 3];
const X = Array.from({ length: examples }, () => Array.from(random.normal(inputs)));
const Y = Array.from({ length: examples }, () => random.normal());
const start = [0.3, -0.2, 0.5];
const data = {
  x: tensor(X.flat(), { dims: [examples, inputs] }),
  target: tensor(Y, { dims: [examples, 1] }),
};
const linearModel: Graph = graph({ x: float64("N", inputs) }, ({ x }) => ({
  y: x.matmul(x.builder.weight(tensor(start, { dims: [inputs, 1] }), "w")),
}));

/** The gradient of the mean square over some of the examples. */
function gradientAt(w: readonly number[], rows: readonly number[]): number[] {
  const rest = rows.map((i) => X[i]!.reduce((sum, x, k) => sum + x * w[k]!, 0) - Y[i]!);
  return w.map((_, k) => (2 / rows.length) * rows.reduce((sum, i, j) => sum + rest[j]! * X[i]![k]!, 0));
}

type Rule = (w: number[], g: number[], t: number, memory: number[][]) => number[];
const all = Array.from({ length: examples }, (_, i) => i);

/** The iterates of a rule, without a graph. */
function iterate(rule: Rule, steps: number, batches: (t: number) => readonly number[] = () => all): number[] {
  let w = start;
  const memory: number[][] = [];
  for (let t = 0; t < steps; t++) w = rule(w, gradientAt(w, batches(t)), t, memory);
  return w;
}

const rate = 0.05;
const zeros = () => start.map(() => 0);
const descend: Rule = (w, g) => w.map((v, k) => v - rate * g[k]!);
const adam =
  (b1 = 0.9, b2 = 0.999, eps = 1e-8): Rule =>
  (w, g, t, memory) => {
    const [m = zeros(), v = zeros()] = memory;
    memory[0] = m.map((x, k) => b1 * x + (1 - b1) * g[k]!);
    memory[1] = v.map((x, k) => b2 * x + (1 - b2) * g[k]! ** 2);
    const unbiased = (x: number, b: number) => x / (1 - b ** (t + 1));
    return w.map(
      (x, k) => x - (rate * unbiased(memory[0]![k]!, b1)) / (Math.sqrt(unbiased(memory[1]![k]!, b2)) + eps),
    );
  };
const withMomentum =
  (ahead: boolean): Rule =>
  (w, g, _, memory) => {
    const v = (memory[0] ?? zeros()).map((x, k) => 0.9 * x + g[k]!);
    memory[0] = v;
    return w.map((x, k) => x - rate * (ahead ? g[k]! + 0.9 * v[k]! : v[k]!));
  };

const weightsOf = (model: Graph): readonly number[] =>
  Array.from(numbers(model.initializers.get("w") as Tensor));

async function trained(options: Partial<TrainingOptions>, steps = 30): Promise<readonly number[]> {
  const result = await train(linearModel, data, { loss: "square", batch: "full", rate, steps, ...options });
  return weightsOf(result.model);
}

function expectClose(found: readonly number[], wanted: readonly number[]): void {
  expect(found.length).toBe(wanted.length);
  const gaps = found.map((v, k) => Math.abs(v - wanted[k]!));
  expect(Math.max(...gaps)).toBeLessThan(1e-12);
}

describe("optimizers follow their formulas", () => {
  it.each([
    ["gd", descend],
    ["sgd", descend],
    ["momentum", withMomentum(false)],
    ["nesterov", withMomentum(true)],
    ["adam", adam()],
  ] as const)("%s", async (optimizer, rule) => expectClose(await trained({ optimizer }), iterate(rule, 30)));

  it("weight decay, l1 and its proximal step", async () => {
    const [lambda, soft] = [0.3, (v: number, t: number) => Math.sign(v) * Math.max(Math.abs(v) - t, 0)];
    const decayed: Rule = (w, g) => w.map((v, k) => v - rate * (g[k]! + lambda * v));
    expectClose(await trained({ weightDecay: lambda }), iterate(decayed, 30));
    const absolute: Rule = (w, g) => w.map((v, k) => v - rate * (g[k]! + lambda * Math.sign(v)));
    expectClose(await trained({ l1: lambda }), iterate(absolute, 30));
    const threshold: Rule = (w, g) => w.map((v, k) => soft(v - rate * g[k]!, rate * lambda));
    expectClose(await trained({ proximalL1: lambda }), iterate(threshold, 30));
    const decoupled =
      (decay: number): Rule =>
      (w, g, t, memory) =>
        adam()(w, g, t, memory).map((v, k) => v - rate * decay * w[k]!);
    expectClose(await trained({ optimizer: "adamw", weightDecay: lambda }), iterate(decoupled(lambda), 30));
    expectClose(await trained({ optimizer: "adamw" }), iterate(decoupled(0.01), 30));
    expectClose(await trained({ optimizer: "adamw", weightDecay: 0 }), iterate(adam(), 30));
  });

  it("a large proximal l1 sets weights to exactly zero", async () => {
    const w = await trained({ proximalL1: 50 }, 200);
    expect(w.map(Math.abs)).toEqual([0, 0, 0]);
  });

  it("clipped gradients have at most the norm asked for", async () => {
    const limit = 0.1;
    const clipped: Rule = (w, g) => {
      const norm = Math.hypot(...g);
      return w.map((v, k) => v - rate * g[k]! * Math.min(1, limit / norm));
    };
    expectClose(await trained({ clip: limit }), iterate(clipped, 30));
  });

  it("the mean of the iterates, and a moving one", async () => {
    const iterates = Array.from({ length: 30 }, (_, t) => iterate(descend, t + 1));
    const mean = start.map((_, k) => iterates.reduce((sum, w) => sum + w[k]!, 0) / 30);
    expectClose(await trained({ averaging: "mean" }), mean);
    const moving = iterates
      .slice(1)
      .reduce((a, w, t) => a.map((v, k) => v + Math.max(1 - 0.9, 1 / (t + 2)) * (w[k]! - v)), iterates[0]!);
    expectClose(await trained({ averaging: 0.9 }), moving);
  });

  it("batches in the order of the shuffle, the last one of an epoch smaller", async () => {
    const batches = (t: number) => {
      const [epoch, k] = [Math.floor(t / 3), t % 3];
      return permutation(examples, 7, epoch).slice(5 * k, 5 * k + 5);
    };
    const { model } = await train(linearModel, data, { loss: "square", batch: 5, rate, steps: 20, seed: 7 });
    expectClose(weightsOf(model), iterate(descend, 20, batches));
  });
});

describe("a run", () => {
  const options = { loss: "square", optimizer: "adam", batch: 5, averaging: "mean", clip: 1 } as const;
  const model = initialNetwork("3-16-tanh-8-relu-1", { seed: 2 });
  const f32 = {
    x: tensor(X.flat(), { type: "float32", dims: [examples, inputs] }),
    target: tensor(Y, { type: "float32", dims: [examples, 1] }),
  };

  it("is the same bit by bit however it is cut in chunks", async () => {
    const run = training(model, options);
    const rates = Array.from({ length: 24 }, (_, k) => 0.01 / (k + 1));
    const whole = await advance(run, initialState(run, 3), f32, { rates });
    let state = initialState(run, 3);
    const losses: number[] = [];
    for (const [from, to] of [
      [0, 1],
      [1, 5],
      [5, 6],
      [6, 17],
      [17, 24],
    ] as const) {
      const part = await advance(run, state, f32, { rates: rates.slice(from, to) });
      state = part.state;
      losses.push(...part.losses);
    }
    expect(state).toEqual(whole.state);
    expect(losses).toEqual(whole.losses);
    expect(whole.losses).toHaveLength(24);
  });

  it("goes on from a state as if never stopped", async () => {
    const full = await train(model, f32, { ...options, steps: 20, seed: 4, schedule: "cosine" });
    const stop = new AbortController();
    const first = await train(model, f32, {
      ...options,
      steps: 20,
      seed: 4,
      schedule: "cosine",
      signal: stop.signal,
      onProgress: async ({ step }) => {
        if (step >= 1) stop.abort();
        return undefined;
      },
    });
    expect(first.ended).toBe("stopped");
    expect(first.state.step).toBeLessThan(20);
    const rest = await train(model, f32, {
      ...options,
      steps: 20,
      seed: 4,
      schedule: "cosine",
      from: first.state,
    });
    expect(rest.state).toEqual(full.state);
    expect([...first.losses, ...rest.losses]).toEqual(full.losses);
  });

  // However the run is cut in chunks (a report after every step, or seldom), and wherever it diverges.
  it.each([
    [50, 1000, 0],
    [50, 1000, 0.3],
    [1e200, 1000, 0],
    [1e200, 1, 0],
    [1e200, 2, 0.3],
  ])(
    "that diverges at rate %d within %d steps ends with the last good weights",
    async (fast, steps, every) => {
      const result = await train(linearModel, data, {
        loss: "square",
        batch: "full",
        rate: fast,
        steps,
        every,
      });
      expect(result.ended).toBe("diverged");
      const lossOf = async (model: Graph, rate: number) => {
        const run = training(model, { loss: "square", batch: "full" });
        const { losses, state } = await advance(run, initialState(run), data, { rates: [rate] });
        return { loss: losses[0]!, next: trainedModel(run, state) };
      };
      const { loss, next } = await lossOf(result.model, fast);
      expect(Number.isFinite(loss)).toBe(true);
      expect(loss).toBe(result.losses.at(-2));
      expect((await lossOf(next, fast)).loss).toBe(result.losses.at(-1));
      expect(result.badStep).toBe(result.state.step + 2);
    },
  );

  it("of very many steps in one chunk does not overflow", async () => {
    const result = await train(linearModel, data, {
      loss: "square",
      batch: "full",
      rate,
      steps: 200_000,
      every: 60,
    });
    expect(result.losses).toHaveLength(200_000);
  });

  it.each([
    [{ batch: 0 }, /a batch is a number of examples, not 0/],
    [{ batch: 2.5 }, /not 2.5/],
    [{ optimizer: "lion" }, /no optimizer "lion"; there are gd/],
    [{ loss: "huber" }, /no loss "huber"/],
    [{ schedule: "up" }, /no schedule "up"/],
    [{ averaging: 2 }, /averaged by "mean" or with a decay/],
    [{ clip: 0 }, /clipped to norm 0/],
    [{ momentum: 5 }, /momentum is at least 0 and below 1/],
    [{ seed: 1.5 }, /a seed is a whole number/],
    [{ rate: -1 }, /must be positive/],
    [{ loss: "cross-entropy" }, /needs an output for each class/],
  ])("refuses %j in one line", async (wrong, message) => {
    const target = tensor(new Array(examples).fill(0), { type: "int64" });
    const options = { loss: "square", rate, steps: 1, ...wrong } as never;
    const mine = "loss" in wrong ? { x: data.x, target } : data;
    await expect(train(linearModel, mine, options)).rejects.toThrow(message);
  });

  it("ends when the loss is low enough, by the loop's condition", async () => {
    const result = await train(linearModel, data, {
      loss: "square",
      batch: "full",
      rate,
      steps: 5000,
      floor: 2,
    });
    expect(result.ended).toBe("floor");
    expect(result.losses.at(-1)).toBeLessThanOrEqual(2);
    expect(result.losses.slice(0, -1).every((loss) => loss > 2)).toBe(true);
  });

  it("leaves the model that it started from as it was", async () => {
    const before = structuredClone([...model.initializers]);
    const run = training(model, options);
    const { state } = await advance(run, initialState(run), f32, { rates: [0.1, 0.1] });
    expect([...model.initializers]).toEqual(before);
    expect(trainedModel(run, state, { average: false }).initializers).not.toEqual(model.initializers);
  });

  it.each([
    ["no examples", { x: tensor([], { dims: [0, 3] }), target: tensor([], { dims: [0, 1] }) }, /no examples/],
    [
      "NaN",
      { ...data, x: tensor(X.flat().with(7, Number.NaN), { dims: [examples, 3] }) },
      /example 3 holds NaN/,
    ],
    ["too few targets", { ...data, target: tensor([1, 2], { dims: [2, 1] }) }, /12 examples, but 2 targets/],
  ] as const)("refuses %s in one line", async (_, wrong, message) => {
    await expect(train(linearModel, wrong, { loss: "square" })).rejects.toThrow(message);
  });
});
