import { expect, it } from "vitest";
import { auditModel } from "../../src/audit/audit-model.ts";
import { type MeasuredGap, measureRanking } from "../../src/audit/rank-correlation.ts";
import { run } from "../../src/engine/run.ts";
import { occamBound, occamKlBound } from "../../src/generalization/bounds/finite-class.ts";
import { normMarginBound } from "../../src/generalization/bounds/margin.ts";
import { validationBound } from "../../src/generalization/bounds/validation.ts";
import { kernelMarginBounds } from "../../src/generalization/local-kernels/kernel-margin-bound.ts";
import { float32, float64, type GraphWriter, graph, type Value } from "../../src/graph/index.ts";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import { classCount } from "../../src/train/data/dataset.ts";
import { twoMoons } from "../../src/train/data/plane.ts";
import { initialNetwork } from "../../src/train/network.ts";

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
  const whole = (builder: GraphWriter): Value =>
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
  expect(found.get("occam")!.remark).toMatch(/224 bits for 10 stored/);
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

it("tests on training examples say nothing of the true error, and the audit says so", async () => {
  const net = network((x) => x.op("Gemm", [W, b]));
  const same = await auditModel(net, { ...quick, test: data });
  expect(same.errorDecomposition).toBeUndefined();
  expect(same.data).toMatchObject({ testExamples: 60, sharedExamples: 60 });
  const heldOut = same.bounds.find(({ id }) => id === "validation")!;
  expect(heldOut.value).toBeUndefined();
  expect(heldOut.remark).toMatch(/every test example is a training example/);
  const other = await auditModel(net, { ...quick, test: twoMoons(30, { seed: 2 }) });
  expect(other.errorDecomposition).toBeDefined();
  expect(other.data.sharedExamples).toBe(0);
  const numbers = { x: data.x, y: (await run(net, { x: data.x })).y! };
  const shifted = { ...numbers, x: twoMoons(60, { seed: 3 }).x };
  const regression = async (test: typeof numbers) =>
    (await auditModel(net, { ...quick, data: numbers, test })).bounds[0]!;
  expect((await regression(numbers)).value).toBeUndefined();
  expect((await regression(shifted)).value).toBeDefined();
});

it("weights near the end of the range have norms, and what overflows is called that", async () => {
  const huge = (size: number) =>
    graph({ x: float64("N", 2) }, ({ x }) => {
      const weight = (rows: readonly (readonly number[])[]) =>
        x.builder.weight(tensor(rows.map((row) => row.map((v) => size * v))));
      const first = weight([
        [3, 0],
        [0, 4],
      ]);
      return {
        y: x
          .matmul(first)
          .relu()
          .matmul(
            tensor([
              [1, 0],
              [0, 1],
            ]),
          ),
      };
    });
  for (const size of [1e200, 1e-200]) {
    const { measures } = await auditModel(huge(size), quick);
    expect(measures.frobeniusNorms[0]! / size).toBeCloseTo(5, 9);
    expect(measures.spectralNorms[0]! / size).toBeCloseTo(4, 9);
    expect(measures.layers[0]!.spectral.upper).toBeGreaterThanOrEqual(measures.spectralNorms[0]!);
    expect(measures.layers[0]!.spectral.upper / size).toBeLessThan(4.1);
    expect(measures.layers[0]!.stableRank).toBeCloseTo(25 / 16, 9);
    expect(measures.weightNorm / Math.hypot(5 * size, Math.SQRT2)).toBeCloseTo(1, 9);
  }
  const beyond = { n: 10, delta: 0.05, margin: 1, marginLoss: 0, dataNorm: 1, outputs: 1 };
  const { unmet } = normMarginBound({
    ...beyond,
    ...{ frobeniusNorms: [Number.POSITIVE_INFINITY], biasFree: true, homogeneous: true },
  });
  expect(unmet).toEqual(["norms do not overflow"]);
});

it("a bound that cannot exceed 1 does not do so by rounding; others show how far they are above", () => {
  const sample = { n: 10, delta: 0.05 };
  expect(validationBound({ errors: 10, models: 1, ...sample }).value).toBe(1);
  expect(occamKlBound({ empirical: 1, logInverseWeight: 5, ...sample }).value).toBe(1);
  expect(occamBound({ empirical: 0.9, logInverseWeight: 500, ...sample }).value).toBeGreaterThan(5);
});

it("kernel bounds look beyond the median margin, which may be tiny", async () => {
  const net = initialNetwork("1x4x4-conv2k3-relu-flatten-2", { seed: 1 });
  const x = tensor(new Float64Array(40 * 16).fill(0.1), { dims: [40, 1, 4, 4] });
  const margins = Array.from({ length: 40 }, (_, k) => (k < 30 ? 2 ** -45 : 1e6));
  for (const { value } of await kernelMarginBounds(net, x, { delta: 0.05, margins, outputs: 2 }))
    expect(value).toBeLessThan(5);
});

it("several outputs: the audit says which one it reads", async () => {
  const net = graph({ x: float32("N", 2) }, ({ x }) => ({ y: x.op("Gemm", [W, b]), z: x.relu() }));
  expect((await auditModel(net, quick)).model.remark).toBe('audited on its first output, "y", without "z"');
});

it("labels that begin with 1 are refused with what to do", async () => {
  const net = network((x) => x.op("Gemm", [W, b]));
  const fromOne = tensor(
    Array.from({ length: 60 }, (_, k) => 1 + (k % 2)),
    { type: "int64" },
  );
  await expect(auditModel(net, { ...quick, data: { x: data.x, y: fromOne } })).rejects.toThrow(/subtract 1/);
  expect(() => classCount(fromOne, "file", 2)).toThrow(/subtract 1 from the labels/);
  expect(() => classCount(tensor([0, 3], { type: "int64" }), "file", 2)).toThrow(/0 to 1$/);
});
