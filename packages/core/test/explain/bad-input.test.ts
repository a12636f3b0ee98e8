// What cannot be explained is said in one line; what looks odd and can be is explained.
import { describe, expect, it } from "vitest";
import { assess, contestants } from "../../src/explain/assess.ts";
import { explain } from "../../src/explain/explain.ts";
import { parseTarget } from "../../src/explain/target.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";

const net = graph({ x: float32("N", 2) }, ({ x }) => ({
  y: x
    .affine(
      [
        [1, 2],
        [3, -4],
        [0.5, 1],
      ],
      [0.1, 0, -0.2],
    )
    .relu()
    .affine(
      [
        [1, -2, 3],
        [0.5, 1, 1],
      ],
      [0, 0.3],
    ),
}));
const methods = ["lrp", "gradient", "occlusion"] as const;

describe.each(methods)("bad input, method %s", (method) => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY])("%d", async (v) => {
    await expect(explain(net, { x: tensor([[1, v]]) }, { method })).rejects.toThrow(`input "x" holds ${v}`);
  });
  it("nothing", async () => {
    const x = tensor(new Float32Array(0), { type: "float32", dims: [0, 2] });
    await expect(explain(net, { x }, { method })).rejects.toThrow('input "x" has the shape [0,2]');
  });
  it("a score that is no number", async () => {
    const log = graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.op("Log") }));
    await expect(explain(log, { x: tensor([[-1, 2]], { type: "float64" }) }, { method })).rejects.toThrow(
      "a score is NaN",
    );
  });
  it("a score that does not depend on it", async () => {
    const constant = graph({ x: float64(1, 2) }, ({ x }) => ({
      y: x.op("Size").op("Cast", [], { to: 11 }).reshape([1, 1]),
    }));
    await expect(explain(constant, { x: tensor([[1, 2]], { type: "float64" }) }, { method })).rejects.toThrow(
      "do not depend on",
    );
  });
  it("one number as the score is explained", async () => {
    const total = graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.mul(3).sum([0, 1], 0) }));
    const x = tensor([[1, 2]], { type: "float64" });
    const found = await explain(
      total,
      { x },
      { method: method === "gradient" ? "gradient-x-input" : method },
    );
    expect(found.scores).toEqual([9]);
    expect(Array.from(numbers(found.relevance.get("x")!))[1]).toBeCloseTo(6, 4);
    await expect(explain(total, { x }, { method, target: { kind: "class", index: 1 } })).rejects.toThrow(
      /class/,
    );
  });
});

describe("what is said of it", () => {
  it("books of what is no number say where", async () => {
    const { imbalance } = await explain(net, { x: tensor([[1, 2]]) }, { composite: "uniform(gamma=1e308)" });
    expect(imbalance?.row.operator).toBe("Gemm");
  });
  it("a class against itself", () => {
    expect(() => parseTarget("1-1")).toThrow("always 0");
  });
  it("of a batch, the worst remainder counts", async () => {
    const rows = [
      [0, 0.001],
      [3, -5],
    ];
    const details = async (x: number[][]) =>
      (await explain(net, { x: tensor(x) }, { method: "integrated-gradients", samples: 3 })).details[
        "completenessError"
      ]!;
    const [first, second] = [await details([rows[0]!]), await details([rows[1]!])];
    expect(second).toBeGreaterThan(first);
    expect(await details(rows)).toBe(second);
  });
  it("the node whose result nobody reads", async () => {
    const strange = {
      ...net,
      nodes: net.nodes.map((n) => ({ ...n, op: "Strange", domain: "own", name: "s" })),
    };
    await expect(explain(strange, { x: tensor([[1, 2]]) })).rejects.toThrow('Strange node "s"');
  });
});

describe("what looks odd", () => {
  it.each(methods)("inputs may be called as outputs are: %s", async (method) => {
    const named = graph({ score: float64(1, 2), ledger: float64(1, 2), scores: float64(1, 2) }, (x) => ({
      relevance_score: x["score"].add(x["ledger"].mul(2)).add(x["scores"]),
    }));
    const one = tensor([[1, 2]], { type: "float64" });
    const { scores, relevance } = await explain(named, { score: one, ledger: one, scores: one }, { method });
    expect(scores).toEqual([8]);
    expect([...relevance.keys()]).toEqual(["score", "ledger", "scores"]);
  });
  it("the logarithm of a softmax ends in a softmax", async () => {
    const log = graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.mul(3).op("Softmax").op("Log") }));
    const { scores, notes } = await explain(log, { x: tensor([[1, 2]], { type: "float64" }) });
    expect(scores).toEqual([6]);
    expect(notes.join()).toContain("ends in Softmax");
  });
  it.each([false, true])("a softmax written out, less the greatest: %s", async (less) => {
    const written = graph({ x: float64(1, 2) }, ({ x }) => {
      const scores = x.mul(3);
      const e = (less ? scores.sub(scores.op("ReduceMax", [], { keepdims: 1 })) : scores).op("Exp");
      return { y: e.div(e.sum([1], 1)) };
    });
    const { scores, notes } = await explain(written, { x: tensor([[1, 2]], { type: "float64" }) });
    expect(scores).toEqual([6]);
    expect(notes.join()).toContain("ends in a softmax written out");
  });
  it("a softmax that takes everything is named", async () => {
    const inside = graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.op("Softmax").mul(3) }));
    const { notes } = await explain(inside, { x: tensor([[1, 2]], { type: "float64" }) });
    expect(notes.join()).toMatch(/no relevance reaches the input: .* Softmax node .* counts as constant/);
  });
  it.each([{ kind: "all" }, { kind: "contrast", index: 0, against: 1 }] as const)(
    "no probability of %j",
    async (target) => {
      await expect(
        explain(net, { x: tensor([[1, 2]]) }, { method: "occlusion", probability: true, target }),
      ).rejects.toThrow("one class");
    },
  );
});

describe("masks", () => {
  const x = tensor([
    [1, 2],
    [-1, 1],
  ]);
  const judged = (mask: readonly number[] | readonly (readonly number[])[]) =>
    assess(net, { x }, contestants({}).slice(0, 1), { mask: tensor(mask as number[]) });
  it("are of the size of the pixels", async () => {
    await expect(judged([1, 0, 0])).rejects.toThrow("the mask has the shape [3], the pixels are 1 x 2");
  });
  it("show something", async () => {
    await expect(judged([0, 0])).rejects.toThrow("nowhere above 0");
  });
  it("one for all, or one for each", async () => {
    const [own] = await judged([1, 0]);
    const [same] = await judged([
      [1, 0],
      [1, 0],
    ]);
    expect(own!.mass).toEqual(same!.mass);
    const [other] = await judged([
      [1, 0],
      [0, 1],
    ]);
    expect(other!.mass).not.toEqual(own!.mass);
  });
});
