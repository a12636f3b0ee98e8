// Batch normalization folded into its neighbours: the same function by the comparison's own word and by numbers; what
// cannot be folded stays.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { compareNetworks } from "../../src/equivalence/index.ts";
import { canonize } from "../../src/explain/canonize.ts";
import { explain } from "../../src/explain/explain.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph, TensorType } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom } from "../../src/numbers/random.ts";

const random = createRandom("canonization");
const size = (dims: readonly number[]): number => dims.reduce((n, d) => n * d, 1);
const drawn = (...dims: number[]): Tensor => tensor(random.normal(size(dims)), { type: "float64", dims });
const positive = (n: number): Tensor =>
  tensor(
    random.uniform(n).map((v) => v + 0.5),
    { type: "float64" },
  );

const normalized = (x: Value, channels: number): Value =>
  x.op("BatchNormalization", [positive(channels), drawn(channels), drawn(channels), positive(channels)]);
const conv = (x: Value, out: number, into: number, attributes = {}): Value =>
  x.op("Conv", [drawn(out, into, 2, 2), drawn(out)], attributes);
const dense = (x: Value, out: number): Value => {
  const flat = x.op("Flatten");
  return flat.affine(drawn(out, flat.type.shape![1] as number), drawn(out));
};

const imageNet = (body: (x: Value) => Value): Graph =>
  graph({ x: float64(1, 2, 4, 4) }, ({ x }) => ({ y: body(x!) }));
const vectorNet = (body: (x: Value) => Value): Graph =>
  graph({ x: float64(1, 3) }, ({ x }) => ({ y: body(x!) }));

const folded: Readonly<Record<string, Graph>> = {
  "behind a convolution": imageNet((x) => dense(normalized(conv(x, 3, 2), 3).relu(), 2)),
  "behind a padded convolution": imageNet((x) =>
    dense(normalized(conv(x, 3, 2, { pads: [1, 1, 1, 1] }), 3).relu(), 2),
  ),
  "behind a convolution without bias": imageNet((x) =>
    dense(normalized(x.op("Conv", [drawn(3, 2, 2, 2)]), 3).relu(), 2),
  ),
  "behind a grouped convolution": imageNet((x) =>
    dense(normalized(conv(x, 4, 1, { group: 2 }), 4).relu(), 2),
  ),
  "between Relu and a convolution": imageNet((x) =>
    dense(conv(normalized(conv(x, 3, 2).relu(), 3), 2, 3).relu(), 2),
  ),
  "between Relu and a convolution with strides": imageNet((x) =>
    dense(conv(normalized(conv(x, 3, 2).relu(), 3), 2, 3, { strides: [1, 2] }).relu(), 2),
  ),
  "between Relu and a convolution without bias": imageNet((x) =>
    dense(
      normalized(conv(x, 3, 2).relu(), 3)
        .op("Conv", [drawn(2, 3, 2, 2)])
        .relu(),
      2,
    ),
  ),
  "before everything": imageNet((x) => dense(conv(normalized(x, 2), 2, 2).relu(), 2)),
  "behind Gemm": vectorNet((x) => dense(normalized(dense(x, 4), 4).relu(), 2)),
  "between Relu and Gemm": vectorNet((x) => normalized(dense(x, 4).relu(), 4).affine(drawn(2, 4), drawn(2))),
  "between Relu and Gemm, not transposed": vectorNet((x) =>
    normalized(dense(x, 4).relu(), 4).op("Gemm", [drawn(4, 2), drawn(1, 2)]),
  ),
  "two in a row": vectorNet((x) =>
    normalized(normalized(dense(x, 4).relu(), 4), 4).affine(drawn(2, 4), drawn(2)),
  ),
};

const normalizations = ({ nodes }: Graph): number =>
  nodes.filter(({ op }) => op === "BatchNormalization").length;

async function greatestDifference(a: Graph, b: Graph): Promise<number> {
  const shape = (a.inputs[0]!.type as TensorType).shape as number[];
  let worst = 0;
  for (let trial = 0; trial < 5; trial++) {
    const x = drawn(...shape);
    const [p, q] = [await run(a, { x }), await run(b, { x })].map(({ y }) => numbers(y!));
    p!.forEach((v, k) => {
      worst = Math.max(worst, Math.abs(v - q![k]!) / (1 + Math.abs(v)));
    });
  }
  return worst;
}

describe("a normalization is folded", () => {
  it.each(Object.entries(folded))("%s", async (_, net) => {
    const { graph: result, changes } = canonize(net);
    expect(normalizations(result)).toBe(0);
    expect(changes).toHaveLength(normalizations(net));
    expect(await greatestDifference(net, result)).toBeLessThan(1e-13);
    const { verdict } = await compareNetworks(net, result, { seconds: 10 });
    expect(["equivalent", "within"]).toContain(verdict);
  });

  it("is told from one with a wrong shift", async () => {
    const net = folded["between Relu and Gemm"]!;
    const { graph: result } = canonize(net);
    const [name, bias] = [...result.initializers].find(
      ([n, t]) => n.endsWith("_folded") && t.dims.length === 1,
    )!;
    const moved = numbers(bias as Tensor).map((v) => v + 1e-3) as Float64Array;
    const wrong = new Map([...result.initializers, [name, { ...(bias as Tensor), data: moved } as Tensor]]);
    expect((await compareNetworks(net, { ...result, initializers: wrong }, { seconds: 10 })).verdict).toBe(
      "different",
    );
  });
});

describe("a normalization stays", () => {
  const kept: Readonly<Record<string, Graph>> = {
    "before a padded convolution, whose border would see another bias": imageNet((x) =>
      dense(conv(normalized(conv(x, 3, 2).relu(), 3), 2, 3, { pads: [1, 1, 1, 1] }).relu(), 2),
    ),
    "before a convolution that pads by itself": imageNet((x) =>
      dense(conv(normalized(conv(x, 3, 2).relu(), 3), 2, 3, { auto_pad: "SAME_UPPER" }).relu(), 2),
    ),
    "that two layers read": imageNet((x) => {
      const both = normalized(conv(x, 3, 2).relu(), 3);
      return dense(conv(both, 2, 3).add(conv(both, 2, 3)), 2);
    }),
    "before Gemm with a bias for each row": graph({ x: float64(2, 3) }, ({ x }) => ({
      y: normalized(x!.relu(), 3).op("Gemm", [drawn(3, 2), drawn(2, 1)]),
    })),
    "that is an output": graph({ x: float64(1, 3) }, ({ x }) => {
      const middle = normalized(x!.relu(), 3);
      return { y: dense(middle, 2), middle };
    }),
  };
  it.each(Object.entries(kept))("%s", async (_, net) => {
    const { graph: result, changes } = canonize(net);
    expect(normalizations(result)).toBe(1);
    expect(changes).toEqual([]);
    expect(await greatestDifference(net, result)).toBe(0);
  });
});

describe("what folding changes in an explanation", () => {
  it("LRP-0 sees no difference, LRP-gamma does", async () => {
    const net = folded["behind a convolution"]!;
    const x = drawn(1, 2, 4, 4);
    const by = async (rule: string, fold: boolean) => {
      const { relevance, notes } = await explain(
        net,
        { x },
        { composite: `uniform(${rule})`, canonize: fold },
      );
      expect(notes.some((note) => note.includes("folded"))).toBe(fold);
      return numbers(relevance.get("x")!);
    };
    const distance = async (rule: string): Promise<number> => {
      const [plain, joined] = [await by(rule, false), await by(rule, true)];
      return Math.max(...plain.map((v, k) => Math.abs(v - joined[k]!)));
    };
    expect(await distance("zero")).toBeLessThan(1e-10);
    expect(await distance("gamma=0.25")).toBeGreaterThan(1e-3);
  });
});
