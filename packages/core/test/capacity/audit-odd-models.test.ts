import { expect, it } from "vitest";
import { auditModel } from "../../src/capacity/audit/audit-model.ts";
import { type MeasuredGap, measureRanking } from "../../src/capacity/audit/rank-correlation.ts";
import { run } from "../../src/engine/run.ts";
import { type Builder, float32, graph, type Value } from "../../src/graph/index.ts";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import { twoMoons } from "../../src/train/data/plane.ts";

const data = twoMoons(60, { seed: 1 });
const quick = { data, sharpnessExamples: 0, pacBayes: false, inputRadius: 4 } as const;
const f32 = (values: readonly (readonly number[])[] | readonly number[]): Tensor =>
  tensor(values as number[][], { type: "float32" });
const [W, b] = [
  f32([
    [1, -2],
    [0.5, 1],
  ]),
  f32([0.3, -0.1]),
];
const network = (body: (x: Value) => Value) => graph({ x: float32("N", 2) }, ({ x }) => ({ y: body(x!) }));
const boundsOf = async (net: ReturnType<typeof network>) =>
  new Map((await auditModel(net, quick)).bounds.map((bound) => [bound.id, bound]));

it("alpha and beta of Gemm count in norms and parameters", async () => {
  const times = (t: Tensor, factor: number): Tensor => ({
    ...t,
    data: (t.data as Float32Array).map((v) => factor * v),
  });
  const [V, c] = [times(W, 0.5), times(b, 0.5)];
  const written = await boundsOf(
    network((x) => x.op("Gemm", [W, b], { alpha: 8, beta: 64 }).relu().op("Gemm", [V, c])),
  );
  const plain = await boundsOf(
    network((x) =>
      x
        .op("Gemm", [times(W, 8), times(b, 64)])
        .relu()
        .op("Gemm", [V, c]),
    ),
  );
  for (const [id, { value }] of plain) expect(written.get(id)!.value, id).toBe(value);
});

it("weights of whole numbers are stored numbers, and no prior keeps them", async () => {
  const whole = (builder: Builder): Value =>
    builder
      .weight(
        tensor(
          [
            [1, -2],
            [3, 1],
          ],
          { type: "int8" },
        ),
        "q",
      )
      .op("Cast", [], { to: 1 });
  const net = network((x) => x.matmul(whole(x.builder)).relu().op("Gemm", [W, b]));
  const { bounds } = await auditModel(net, { ...quick, pacBayes: true });
  const found = new Map(bounds.map((bound) => [bound.id, bound]));
  expect(found.get("occam")!.remark).toMatch(/32 bits for each of 10/);
  expect(found.get("pac-bayes-gaussian")!.unmet).not.toEqual([]);
});

it("a sigmoid of one score decides at 1/2, and the end of a regression is part of it", async () => {
  const score = (x: Value): Value => x.op("Gemm", [f32([[1], [-1]]), f32([0.1])]);
  const [plain, ended] = await Promise.all(
    [network(score), network((x) => score(x).sigmoid())].map((net) => auditModel(net, quick)),
  );
  expect(ended!.measures.trainError).toBe(plain!.measures.trainError);
  const soft = network((x) => x.op("Gemm", [W, b]).op("Softmax", [], { axis: 1 }));
  const { y } = await run(soft, { x: data.x });
  const own = await auditModel(soft, { ...quick, data: { x: data.x, y: y! } });
  expect(own.measures.trainError).toBe(0);
});

it("a negative amount is below those that have a logarithm", () => {
  const row = (gap: number, value: number): MeasuredGap => {
    const about = { id: "rise", name: "rise", family: "sharpness", strength: "sampled" } as const;
    const log = value > 0 ? { log: Math.log(value) } : {};
    return { gap, measures: [{ ...about, needs: [], formula: "", value, ...log }] };
  };
  expect(measureRanking([row(1, -0.001), row(2, 0.01), row(3, 0.02)])[0]!.tau).toBe(1);
});
