// Networks whose run is not what their weights say in real arithmetic: by overflow, or by what the runtime leaves out.
import { describe, expect, it } from "vitest";
import { type Certificate, sha256 } from "../../src/check/certificate.ts";
import { type CheckResult, checkCertificate } from "../../src/check/check.ts";
import { type BoxSide, compile } from "../../src/compile/compile.ts";
import type { Graph, Node } from "../../src/graph/graph.ts";
import { writeModel } from "../../src/graph/onnx/index.ts";
import type { Tensor } from "../../src/graph/tensor.ts";
import { box } from "./mutations.ts";

const weight = (dims: readonly number[], ...data: number[]): Tensor => ({
  ...{ type: "float64", dims, data: Float64Array.from(data) },
});

type Step = readonly [
  op: string,
  inputs: readonly string[],
  output: string,
  attributes?: Record<string, number>,
];
const node = ([op, inputs, output, attributes = {}]: Step): Node => ({
  ...{ name: output, op, domain: "", inputs, outputs: [output] },
  attributes: new Map(
    Object.entries(attributes).map(([name, value]) => [name, { type: "int", value: BigInt(value) }]),
  ),
});

interface Rewritten {
  readonly formula: string;
  readonly sides: BoxSide[];
  readonly eps: number;
  readonly weights: Record<string, Tensor>;
  /** From the compiled argument of the last node to "end". */
  readonly steps: (argument: string) => readonly Step[];
}

/** The compiled network with other operators in the place of its last node; the certificate names the new file. */
async function checked({ formula, sides, eps, weights, steps }: Rewritten): Promise<CheckResult> {
  const { graph, certificate } = await compile({ formula, box: sides, eps });
  const { nodes, output, network } = certificate;
  const end = nodes[output]!;
  const before = graph.nodes.filter(
    ({ outputs }) => outputs[0] !== end.tensor && outputs[0] !== network.output,
  );
  const rewritten: Graph = {
    ...graph,
    nodes: [
      ...before,
      ...steps(nodes[end.args[0]!]!.tensor).map(([op, inputs, to, attributes]) =>
        node([op, inputs, to === "end" ? end.tensor : to, attributes]),
      ),
      node(["Identity", [end.tensor], network.output]),
    ],
    initializers: new Map([...graph.initializers, ...Object.entries(weights)]),
  };
  const bytes = writeModel(rewritten);
  return checkCertificate(bytes, { ...certificate, network: { ...network, sha256: await sha256(bytes) } });
}

describe("what overflows has weight 0", () => {
  const successor = { formula: "x + 1", sides: box({ x: [-1, 1] }), eps: 1e-6 };
  const byMatrix = (factor: number): Rewritten => ({
    ...successor,
    weights: { c: weight([], factor), W: weight([1, 2], 1, 0), b: weight([1], 1) },
    steps: (x) => [
      ["Mul", [x, "c"], "large"],
      ["Mul", ["large", "c"], "larger"],
      ["Concat", [x, "larger"], "both", { axis: 1 }],
      ["Gemm", ["both", "W", "b"], "end", { transB: 1 }],
    ],
  });

  it("in a matrix", async () => {
    expect(await checked(byMatrix(1e200))).toMatchObject({ ok: false, node: 'value "larger"' });
    expect(await checked(byMatrix(1e100))).toMatchObject({ ok: true });
  });

  const byProduct = (factor: number): Rewritten => ({
    ...successor,
    weights: { c: weight([], factor), zero: weight([1], 0), b: weight([1], 1) },
    steps: (x) => [
      ["Mul", [x, "c"], "large"],
      ["Mul", ["large", "c"], "larger"],
      ["Relu", ["larger"], "open"],
      ["Mul", ["open", "zero"], "none"],
      ["Add", [x, "b"], "sum"],
      ["Add", ["sum", "none"], "end"],
    ],
  });

  it("in a product", async () => {
    expect(await checked(byProduct(1e200))).toMatchObject({ ok: false, node: 'value "open"' });
  });

  it("in the padding of a sum", async () => {
    const padded = (factor: number): Rewritten => ({
      ...successor,
      weights: {
        c: weight([], factor),
        picked: weight([1, 2], 1, 0),
        b: weight([1], 1),
        places: { type: "int64", dims: [1, 2], data: BigInt64Array.of(0n, 1n) },
        last: { type: "int64", dims: [1], data: BigInt64Array.of(2n) },
      },
      steps: (x) => [
        ["Mul", [x, "c"], "large"],
        ["Mul", ["large", "c"], "larger"],
        ["Concat", [x, "larger"], "both", { axis: 1 }],
        ["Gather", ["both", "places"], "row", { axis: 1 }],
        ["Mul", ["row", "picked"], "terms"],
        ["ReduceSum", ["terms", "last"], "sum", { keepdims: 0 }],
        ["Add", ["sum", "b"], "end"],
      ],
    });
    expect(await checked(padded(1e200))).toMatchObject({ ok: false, node: 'value "larger"' });
    expect(await checked(padded(1e100))).toMatchObject({ ok: true });
  });
});

describe("the runtime leaves out what is neutral in float32", () => {
  const scaled = (dims: readonly number[], factor: number): Rewritten => ({
    formula: `max(x, 0) * ${factor} + 3`,
    sides: box({ x: [-1e6, 1e6] }),
    eps: 1e-8,
    weights: { w: weight(dims, factor), three: weight([1], 3) },
    steps: (u) => [
      ["Mul", [u, "w"], "scaled"],
      ["Add", ["scaled", "three"], "end"],
    ],
  });

  it.each([[[]], [[1]]])("a product with one weight of shape [%s]", async (dims) => {
    const result = await checked(scaled(dims, 1.00000001));
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining("1 in float32") });
    expect(await checked(scaled(dims, 1.001))).toMatchObject({ ok: true });
  });

  it.each([
    ["Add", 1e-46],
    ["Sub", -1e-46],
  ])("%s of a small constant", async (op, constant) => {
    const small = 1e-46;
    const shifted: Rewritten = {
      formula: `x + ${small}`,
      sides: box({ x: [-small, small] }),
      eps: 1e-44,
      weights: { c: weight([1], constant) },
      steps: (x) => [[op, [x, "c"], "end"]],
    };
    const result = await checked(shifted);
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining("0 in float32") });
  });
});

describe("2 relu(s) - s overflows", () => {
  const widened = async (dtype: "f32" | "f64", most: number): Promise<CheckResult> => {
    const { bytes, certificate } = await compile({
      formula: "abs(x)",
      box: box({ x: [-1, 1] }),
      eps: 1e-6,
      dtype,
    });
    const [x, y] = certificate.nodes as [Certificate["nodes"][number], Certificate["nodes"][number]];
    return checkCertificate(bytes, {
      ...certificate,
      box: box({ x: [-most, most] }),
      nodes: [
        { ...x, range: [-most, most] },
        { ...y, range: [0, most] },
      ],
    });
  };

  it.each([
    ["f64", 1.7e308, 8e307],
    ["f32", Math.fround(3e38), Math.fround(1.5e38)],
  ] as const)("%s", async (dtype, tooMuch, enough) => {
    expect(await widened(dtype, tooMuch)).toMatchObject({ ok: false, node: expect.stringContaining("abs") });
    expect(await widened(dtype, enough)).toMatchObject({ ok: true });
  });
});
