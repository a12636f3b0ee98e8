import { describe, expect, it } from "vitest";
import { hashText } from "../../src/equivalence/canonical/fingerprint.ts";
import { applySymmetry, canonicalForm, randomSymmetry, symmetryGroup } from "../../src/equivalence/index.ts";
import { float32, graph } from "../../src/graph/builder.ts";
import type { Graph, Node } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { networks, perceptron, relativeDifference, weight } from "./symmetry-networks.ts";

const floats = (net: Graph) =>
  [...net.initializers]
    .filter(([, w]) => w.type === "float32")
    .map(([, w]) => Float64Array.from(numbers(w as Tensor)));
const distance = (a: Graph, b: Graph): number => {
  const other = floats(b);
  return Math.max(
    ...floats(a).map((w, k) => w.reduce((m, v, i) => Math.max(m, Math.abs(v - other[k]![i]!)), 0)),
  );
};

describe("the canonical form", () => {
  it.each(Object.entries(networks))("of %s is that of all networks in the orbit", async (_, net) => {
    const random = createRandom("canonical");
    const form = canonicalForm(net);
    expect(form.isComplete).toBe(true);
    expect(await relativeDifference(net, form.graph, random)).toBeLessThan(2e-5);
    expect(canonicalForm(form.graph).fingerprint).toBe(form.fingerprint);
    for (let k = 0; k < 3; k++) {
      const twin = canonicalForm(applySymmetry(net, randomSymmetry(form.group, random)));
      expect(twin.fingerprint).toBe(form.fingerprint);
      expect(distance(twin.graph, form.graph)).toBeLessThan(1e-5);
      const exact = applySymmetry(net, randomSymmetry(form.group, random, { exact: true }));
      expect(canonicalForm(exact).exactFingerprint).toBe(form.exactFingerprint);
    }
  });

  it("has incoming weights of norm 1, and units that compute nothing send nothing", () => {
    const weights = [
      [3, 4],
      [0, 0],
      [-1, 0],
    ].map((row) => [...row]);
    const net = graph({ x: float32("N", 2) }, ({ x }) => ({
      y: x!
        .affine(tensor(weights, { type: "float32" }), [0, 0, 0])
        .relu()
        .affine([[1, 5, 2]], [0]),
    }));
    const [W, , out] = floats(canonicalForm(net).graph);
    const rows = [0, 1, 2].map((r) => Math.hypot(W![2 * r]!, W![2 * r + 1]!)).sort();
    expect(rows[0]).toBe(0);
    for (const norm of rows.slice(1)) expect(norm).toBeCloseTo(1, 6);
    expect([...out!].sort()).toEqual([0, 2, 5]); // 1 * |(3, 4)|, 2 * 1, and not the 5 of the unit that is 0
  });

  it("tells other networks apart", () => {
    const net = networks["relu"]!;
    const { fingerprint } = canonicalForm(net);
    const changed = (change: (w: Float32Array) => void): Graph => {
      const [name, first] = [...net.initializers][0]! as [string, Tensor];
      const data = Float32Array.from(numbers(first));
      change(data);
      return { ...net, initializers: new Map([...net.initializers, [name, { ...first, data }]]) };
    };
    const oneWeight = changed((w) => {
      w[0]! += 0.05;
    });
    // Rows of the first layer alone: the same numbers, another function.
    const rows = changed((w) => {
      const row = w.slice(0, 4);
      w.copyWithin(0, 4, 8);
      w.set(row, 4);
    });
    const deeper = perceptron((h) => h.relu(), [4, 7, 6, 6, 3]);
    for (const other of [oneWeight, rows, deeper])
      expect(canonicalForm(other).fingerprint).not.toBe(fingerprint);
    expect(canonicalForm(changed(() => {})).exactFingerprint).toBe(canonicalForm(net).exactFingerprint);
  });

  it("tells networks apart by the weights in their branches, and by what these read around them", () => {
    const value = (name: string) => ({ name, type: { type: "float32", shape: [1] } as const });
    const node = (op: string, inputs: string[], output: string, attributes: Node["attributes"]): Node => ({
      ...{ op, domain: "", name: output, inputs, outputs: [output], attributes },
    });
    const plain = { valueTypes: new Map(), opsets: new Map([["", 17]]), irVersion: 8, metadata: new Map() };
    const branch = (name: string, reads: string, factor: number): Graph => ({
      ...{ ...plain, name, functions: [], inputs: [], outputs: [value(name)] },
      nodes: [node("Mul", [reads, "k"], name, new Map())],
      initializers: new Map([["k", tensor(new Float32Array([factor]))]]),
    });
    const net = (reads: string, factor: number, outer: number, functions: Uint8Array[] = []): Graph => ({
      ...{ ...plain, name: "chosen", functions, inputs: [value("x")], outputs: [value("y")] },
      nodes: [
        node("Abs", ["x"], "u", new Map()),
        node("Sin", ["x"], "v", new Map()),
        node("Greater", ["x", "zero"], "isPositive", new Map()),
        node(
          "If",
          ["isPositive"],
          "y",
          new Map([
            ["then_branch", { type: "graph", value: branch("a", reads, factor) }],
            ["else_branch", { type: "graph", value: branch("b", "w", 1) }],
          ]),
        ),
      ],
      initializers: new Map([
        ["zero", tensor(new Float32Array([0]))],
        ["w", tensor(new Float32Array([outer]))],
      ]),
    });
    const prints = [
      net("u", 1, 1),
      net("u", 2, 1),
      net("v", 1, 1),
      net("x", 1, 1),
      net("u", 1, 2),
      net("u", 1, 1, [new Uint8Array([1, 2])]),
      net("u", 1, 1, [new Uint8Array([1, 3])]),
    ].map((one) => canonicalForm(one));
    for (const key of ["fingerprint", "exactFingerprint"] as const)
      expect(new Set(prints.map((form) => form[key])).size).toBe(prints.length);
    expect(canonicalForm(net("u", 1, 1)).exactFingerprint).toBe(prints[0]!.exactFingerprint);
  });

  it("says when it leaves something open: two linear layers in a row", () => {
    expect(canonicalForm(perceptron((h) => h)).isComplete).toBe(false);
    const bilinear = graph({ x: float32(2, 3) }, ({ x }) => {
      const h = x!.matmul(weight(3, 4));
      return { y: h.matmul(weight(4, 4)).matmul(h.transpose([1, 0])) };
    });
    expect(canonicalForm(bilinear).isComplete).toBe(false);
  });

  it("fixes the signs of units that are multiplied with their neighbours", () => {
    const random = createRandom("neighbours");
    for (let k = 0; k < 5; k++) {
      const net = graph({ x: float32(2, 3) }, ({ x }) => {
        const h = x!.matmul(weight(3, 8)).tanh();
        return {
          y: h
            .slice(1, 0, 7)
            .mul(h.slice(1, 1, 8))
            .matmul(weight(7, 2)),
        };
      });
      const group = symmetryGroup(net);
      expect(group.signs).toBe(8);
      const { exactFingerprint, isComplete } = canonicalForm(net);
      expect(isComplete).toBe(true);
      for (let j = 0; j < 4; j++) {
        const twin = applySymmetry(net, randomSymmetry(group, random));
        expect(canonicalForm(twin).exactFingerprint).toBe(exactFingerprint);
      }
    }
  });

  it("does not depend on names", () => {
    const net = networks["tanh"]!;
    const rename = (name: string) => (net.initializers.has(name) ? `${name}/renamed` : name);
    const renamed: Graph = {
      ...net,
      nodes: net.nodes.map((n) => ({ ...n, inputs: n.inputs.map(rename) })),
      initializers: new Map([...net.initializers].toReversed().map(([name, w]) => [rename(name), w])),
    };
    expect(canonicalForm(renamed).exactFingerprint).toBe(canonicalForm(net).exactFingerprint);
    expect(symmetryGroup(renamed).signs).toBe(13);
  });
});

it("hashes are the same in every version: fingerprints are written down", () => {
  expect(hashText("")).toBe("1aee8d83c14d9671");
  expect(hashText("lemmata")).toBe("0bf75aa287b6d1fd");
});
