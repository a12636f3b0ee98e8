// One network as several exporters write it: one fingerprint, and a comparison that says so.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { canonicalForm, compareNetworks } from "../../src/equivalence/index.ts";
import { normalForm } from "../../src/equivalence/normal/normal-form.ts";
import type { Graph, TensorType } from "../../src/graph/graph.ts";
import { requiredInputs } from "../../src/graph/graph.ts";
import { loadModel } from "../../src/graph/index.ts";
import {
  elementCount,
  encode,
  type FloatType,
  numbers,
  type Tensor,
  tensor,
} from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { networks } from "./symmetry-networks.ts";
import { traps } from "./symmetry-traps.ts";

const exported = (name: string): Promise<Graph> =>
  loadModel(new URL(`../../../../../shared/models/exported/${name}.onnx`, import.meta.url).pathname);

/** Exchanges entries of weights along an axis: hidden units of a layer in another order. */
function permuted(net: Graph, uses: readonly (readonly [string, number])[], order: Int32Array): Graph {
  const initializers = new Map(net.initializers);
  for (const [name, axis] of uses) {
    const weight = initializers.get(name) as Tensor;
    const [values, { dims }] = [numbers(weight), weight];
    const inner = elementCount(dims.slice(axis + 1));
    const moved = Float64Array.from({ length: values.length }, (_, k) => {
      const [outer, at, rest] = [
        Math.floor(k / inner / dims[axis]!),
        Math.floor(k / inner) % dims[axis]!,
        k % inner,
      ];
      return Number(values[(outer * dims[axis]! + order[at]!) * inner + rest]);
    });
    initializers.set(name, { ...weight, data: encode(moved, weight.type as FloatType) });
  }
  return { ...net, initializers };
}

/** Random inputs for one example. */
function oneExample(net: Graph, seed: string): Record<string, Tensor> {
  const random = createRandom(seed);
  return Object.fromEntries(
    requiredInputs(net).map(({ name, type }) => {
      const { type: element, shape } = type as TensorType;
      const dims = shape!.map((d) => (typeof d === "number" ? d : 1));
      return [name, tensor([...random.normal(elementCount(dims))], { type: element as FloatType, dims })];
    }),
  );
}

async function expectSameFunction(net: Graph, other: Graph, seed: string): Promise<void> {
  const given = oneExample(net, seed);
  const options = { optimization: "none", threads: 1 } as const;
  const [a, b] = [
    Object.values(await run(net, given, options)),
    Object.values(await run(other, given, options)),
  ];
  a.forEach((t, k) => {
    const [u, v] = [numbers(t), numbers(b[k]!)];
    expect(v.length).toBe(u.length);
    const size = Array.from(u, (w) => Math.abs(Number(w))).reduce((m, w) => Math.max(m, w), 1e-3);
    u.forEach((w: number, i: number) => {
      expect(Math.abs(Number(w) - Number(v[i]))).toBeLessThanOrEqual(2e-5 * size);
    });
  });
}

describe("networks as exporters write them", () => {
  it.each([
    ["mlp_leg", "mlp_dyn", true],
    ["mlp_leg", "mlp_perm", true],
    ["lenet_leg", "lenet_dyn", false], // the weights differ by a rounding
    ["vit_leg", "vit_dyn", true],
    ["bfa", "bfb", true],
  ] as const)("%s and %s share their fingerprint", async (first, second, isExact) => {
    const [a, b] = [canonicalForm(await exported(first)), canonicalForm(await exported(second))];
    expect(b.fingerprint).toBe(a.fingerprint);
    if (isExact) expect(b.exactFingerprint).toBe(a.exactFingerprint);
  });

  it("other weights have other fingerprints", async () => {
    const all = await Promise.all(
      ["mlp_leg", "lenet_leg", "vit_leg", "bfa", "gelu_leg", "ae_leg"].map(async (name) => {
        return canonicalForm(await exported(name)).fingerprint;
      }),
    );
    expect(new Set(all).size).toBe(all.length);
  });

  it("a transformer with hidden units in another order is the same function", async () => {
    const net = await exported("vit_leg");
    const hidden = [...net.initializers].filter(([, t]) => t.dims.includes(64)).map(([name]) => name);
    // The two matrices and the bias of the first block's layers with 64 hidden units, by where they are read.
    const first = net.nodes.filter(({ op }) => op === "Gelu")[0]!;
    expect(first).toBeDefined();
    const random = createRandom("hidden units");
    const order = random.permutation(64);
    const block = hiddenLayer(net, first.outputs[0]!);
    expect(block.every(([name]) => hidden.includes(name))).toBe(true);
    const other = permuted(net, block, order);
    await expectSameFunction(net, other, "vit");
    expect(canonicalForm(other).exactFingerprint).toBe(canonicalForm(net).exactFingerprint);
    const result = await compareNetworks(net, other, { seconds: 60 });
    expect(result.verdict).toBe("equivalent");
    expect(result.because).toMatch(/canonical forms/);
    // With a tolerance of one's own and little time it is the same.
    const strict = await compareNetworks(net, other, { seconds: 1, tolerance: 1e-3 });
    expect(["equivalent", "within"]).toContain(strict.verdict);
  });

  it("bfloat16 networks are compared by their numbers", async () => {
    const [a, b] = [await exported("bfa"), await exported("bfb")];
    const same = await compareNetworks(a, b);
    expect([same.verdict, same.strength]).toEqual(["equivalent", "proved"]);
    const name = [...a.initializers].find(([, t]) => t.dims.length === 2)![0];
    const weight = a.initializers.get(name) as Tensor;
    const values = Float64Array.from(numbers(weight), Number);
    values[0]! += 0.5;
    const initializers = new Map(a.initializers).set(name, {
      ...weight,
      data: encode(values, weight.type as FloatType),
    });
    const changed = await compareNetworks(a, { ...a, initializers });
    expect(changed.verdict).toBe("different");
  });
});

/** Weights before and after an activation, with the axis of its units: backwards to the MatMul, forwards to the next. */
function hiddenLayer(net: Graph, activation: string): readonly (readonly [string, number])[] {
  const isWeight = (name: string) =>
    net.initializers.has(name) && net.initializers.get(name)!.dims.length > 0;
  const maker = new Map(net.nodes.flatMap((n) => n.outputs.map((o) => [o, n] as const)));
  const source = (name: string): string => {
    const node = maker.get(name);
    return node && (node.op === "Identity" || node.op === "Transpose") ? source(node.inputs[0]!) : name;
  };
  const found: (readonly [string, number])[] = [];
  const take = (name: string, isOut: boolean): void => {
    const stored = source(name);
    if (!isWeight(stored)) return;
    const { dims } = net.initializers.get(stored)!;
    const isMoved = maker.get(name)?.op === "Transpose";
    if (dims.length === 1) found.push([stored, 0]);
    else found.push([stored, (isOut ? 1 : 0) ^ (isMoved ? 1 : 0)]);
  };
  // Backwards: Gelu <- Add(bias, MatMul(x, W)).
  const add = maker.get(maker.get(activation)!.inputs[0]!)!;
  expect(add.op).toBe("Add");
  for (const name of add.inputs) {
    const product = maker.get(name);
    if (product?.op === "MatMul") take(product.inputs[1]!, true);
    else take(name, true);
  }
  const next = net.nodes.find((n) => n.op === "MatMul" && n.inputs[0] === activation)!;
  take(next.inputs[1]!, false);
  expect(found).toHaveLength(3);
  return found;
}

describe("the normal form", () => {
  it.each(Object.keys(networks))("of %s is the same function, and its own normal form", async (name) => {
    const net = networks[name]!;
    const normal = normalForm(net);
    await expectSameFunction(net, normal, name);
    expect(canonicalForm(normal).exactFingerprint).toBe(canonicalForm(net).exactFingerprint);
  });
  it.each(traps.map(([name, net]) => [name, net] as const))(
    "of %s is the same function",
    async (name, net) => {
      await expectSameFunction(net, normalForm(net), name);
    },
  );
  it.each(
    "mlp_leg lenet_dyn vit_leg vit_dyn ae_leg gelu_leg gru_leg kerascnn lstm_dyn mlp_qdq rms23_dyn s2_dyn sl_b_leg unet_leg".split(
      " ",
    ),
  )("of %s is the same function", async (name) => {
    const net = await exported(name);
    await expectSameFunction(net, normalForm(net), name);
  });
});
