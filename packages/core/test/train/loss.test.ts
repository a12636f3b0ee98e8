import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { type LossName, objective } from "../../src/train/loss.ts";

/** The network that gives back its input. */
const outputs = (count: number) => graph({ f: float64("N", count) }, ({ f }) => ({ y: f.op("Identity") }));

const log1pExp = (t: number): number => Math.max(t, 0) + Math.log1p(Math.exp(-Math.abs(t)));
const ofMargin: Readonly<Partial<Record<LossName, (m: number) => number>>> = {
  logistic: (m) => log1pExp(-m),
  exponential: (m) => Math.exp(-m),
  hinge: (m) => Math.max(0, 1 - m),
  ramp: (m) => Math.min(1, Math.max(0, 1 - m)),
};
const marginOf = (f: readonly number[], label: number): number =>
  f.length === 1 ? (2 * label - 1) * f[0]! : f[label]! - Math.max(...f.filter((_, k) => k !== label));
const crossEntropy = (f: readonly number[], label: number): number => {
  const most = Math.max(...f);
  return Math.log(f.reduce((sum, v) => sum + Math.exp(v - most), 0)) + most - f[label]!;
};

const number = fc.double({ min: -30, max: 30, noNaN: true });
const batch = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 6 }))
  .chain(([classes, count]) =>
    fc.array(
      fc.record({
        f: fc.array(number, { minLength: classes, maxLength: classes }),
        label: fc.integer({ min: 0, max: Math.max(1, classes - 1) }),
      }),
      { minLength: count, maxLength: count },
    ),
  );
type Batch = readonly { readonly f: number[]; readonly label: number }[];
const inputsOf = (examples: Batch) => ({
  f: tensor(examples.map((e) => e.f)),
  target: tensor(
    examples.map((e) => e.label),
    { type: "int64" },
  ),
});
const mean = (v: readonly number[]) => v.reduce((a, b) => a + b, 0) / v.length;
const close = (a: number, b: number) =>
  expect(Math.abs(a - b)).toBeLessThanOrEqual(1e-13 * Math.max(1, Math.abs(b)));

describe("losses are what their formulas say", () => {
  const graphs = new Map<string, ReturnType<typeof objective>>();
  const lossGraph = (name: LossName, count: number) => {
    const key = `${name}${count}`;
    if (!graphs.has(key)) graphs.set(key, objective(outputs(count), name));
    return graphs.get(key)!;
  };

  it.each(Object.keys(ofMargin) as LossName[])("%s", async (name) => {
    await fc.assert(
      fc.asyncProperty(batch, async (examples) => {
        const { loss, accuracy } = await run(lossGraph(name, examples[0]!.f.length), inputsOf(examples));
        const margins = examples.map(({ f, label }) => marginOf(f, label));
        close(numbers(loss!)[0]!, mean(margins.map(ofMargin[name]!)));
        // A tie goes to the first of the greatest outputs, and for one output counts as wrong.
        if (margins.every((m) => m !== 0))
          close(numbers(accuracy!)[0]!, mean(margins.map((m) => Number(m > 0))));
      }),
      { seed: 1, numRuns: 60 },
    );
  });

  it("cross-entropy", async () => {
    await fc.assert(
      fc.asyncProperty(batch, async (examples) => {
        if (examples[0]!.f.length < 2) return;
        const { loss } = await run(lossGraph("cross-entropy", examples[0]!.f.length), inputsOf(examples));
        close(numbers(loss!)[0]!, mean(examples.map(({ f, label }) => crossEntropy(f, label))));
      }),
      { seed: 1, numRuns: 60 },
    );
  });

  it("square, summed over the outputs", async () => {
    const net = objective(outputs(2), "square");
    const { loss } = await run(net, {
      f: tensor([
        [1, 2],
        [0, -1],
      ]),
      target: tensor([
        [0, 4],
        [3, -1],
      ]),
    });
    expect(numbers(loss!)[0]).toBe((1 + 4 + 9) / 2);
  });

  it("the derivative of cross-entropy is softmax less the class, over the number of examples", async () => {
    const net = gradient(objective(outputs(3), "cross-entropy"), {
      wrt: ["f"],
      of: ["loss"],
      unitSeeds: true,
    });
    const f = [
      [0.2, -1, 3],
      [700, 0, -700],
    ];
    const { grad_f } = await run(net, { f: tensor(f), target: tensor([0, 2], { type: "int64" }) });
    const wanted = f.flatMap((row, n) => {
      const most = Math.max(...row);
      const e = row.map((v) => Math.exp(v - most));
      const sum = e.reduce((a, b) => a + b);
      return e.map((v, k) => (v / sum - Number(k === [0, 2][n])) / 2);
    });
    Array.from(numbers(grad_f!)).forEach((v, k) => {
      close(v, wanted[k]!);
    });
  });

  it("margins far out overflow neither the logistic loss nor its derivative", async () => {
    const net = gradient(objective(outputs(1), "logistic"), { wrt: ["f"], of: ["loss"], unitSeeds: true });
    for (const [f, loss, slope] of [
      [-5000, 5000, -1],
      [5000, 0, 0],
      [0, Math.log(2), -0.5],
    ] as const) {
      const found = await run(net, { f: tensor([[f]]), target: tensor([1], { type: "int64" }) });
      close(numbers(found.loss!)[0]!, loss);
      close(numbers(found.grad_f!)[0]!, slope);
    }
  });

  it("a graph with two outputs, or an input called target, is refused", () => {
    const two = graph({ f: float64("N", 1) }, ({ f }) => ({ a: f.neg(), b: f.exp() }));
    expect(() => objective(two, "square")).toThrow(/one output, not 2/);
    const own = graph({ target: float64("N", 1) }, ({ target }) => ({ y: target.neg() }));
    expect(() => objective(own, "square")).toThrow(/"target" of its own/);
  });

  it("an input with the name of a result is refused: the loss would have its name", () => {
    const called = (name: string) =>
      graph({ [name]: float64("N", 1) }, (given) => ({ y: given[name]!.neg() }));
    expect(() => objective(called("loss"), "square")).toThrow('the graph has an input "loss" of its own');
    expect(() => objective(called("accuracy"), "hinge")).toThrow(
      'the graph has an input "accuracy" of its own',
    );
    expect(() => objective(called("accuracy"), "square")).not.toThrow();
  });
});
