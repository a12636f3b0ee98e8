import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeNpy } from "@lemmata/core/data";
import { float32, graph, tensor, writeModel } from "@lemmata/core/graph";
import { describe, expect, it } from "vitest";
import { lemmata, temporaryFolder } from "./lemmata.ts";

const folder = temporaryFolder();
const file = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const net = (order: readonly number[], scale = 1, change = 0): Uint8Array => {
  const [W, b, c] = [
    [
      [1, -1],
      [0.5, 2],
      [-1, 0.25],
    ],
    [0.5, -0.25, 1],
    [1, -2, 0.5],
  ];
  const f32 = { type: "float32" } as const;
  return writeModel(
    graph({ X: float32(1, 2) }, ({ X }) => ({
      y: X.affine(
        tensor(
          order.map((k) => W[k]!.map((w) => scale * w + (k === 1 ? change : 0))),
          f32,
        ),
        tensor(
          order.map((k) => scale * b[k]!),
          f32,
        ),
      )
        .relu()
        .affine(tensor([order.map((k) => c[k]! / scale)], f32)),
    })),
  );
};
const [a, permuted, changed] = [
  file("a.onnx", net([0, 1, 2])),
  file("permuted.onnx", net([2, 0, 1], 4)),
  file("changed.onnx", net([0, 1, 2], 1, 1e-3)),
];
const data = file(
  "x.npy",
  writeNpy(
    tensor([
      [0, 0],
      [1, 1],
      [-1, 0.5],
    ]),
  ),
);

describe("lemmata compare", () => {
  it("equivalent: the verdict first, the symmetry as a table, nodes in one order; exit code 0", () => {
    const { status, stdout, stderr } = lemmata("compare", a, permuted, "--data", data);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^equivalent, proved\n/);
    expect(stdout).toMatch(/layer +units +moved +scaled/);
    expect(stdout).toMatch(/on 3 points of the data:/);
    expect(stdout).not.toMatch(/differs/);
  });

  it("different: a point, the nodes there, exit code 1", () => {
    const { status, stdout } = lemmata("compare", a, changed);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^different, checked\n/);
    expect(stdout).toMatch(/first to differ: Gemm/);
  });

  // |2e-3 (x + y)| is at most 4e-3 on the box.
  it("--json: not within a tolerance on a box, the witness replayed", () => {
    const words = ["--on", "-1..1", "--tolerance", "0.0039", "--json"];
    const { status, json } = lemmata("compare", a, changed, ...words);
    const { verdict, strength, maxDifference, witness } = json as Record<string, never> & {
      readonly maxDifference: { readonly lower: number; readonly at: readonly number[] };
      readonly witness: {
        readonly at: readonly number[];
        readonly first: number[];
        readonly second: number[];
      };
    };
    expect([status, verdict, strength]).toEqual([1, "different", "checked"]);
    expect(maxDifference.lower).toBeGreaterThan(0.0039);
    expect(maxDifference.at).toEqual(witness.at);
    expect(Math.abs(witness.second[0]! - witness.first[0]!)).toBeGreaterThan(0.0039);
  });

  it("within a greater one, with the tolerances that would pass on data", () => {
    const words = ["--on", "-1..1", "--tolerance", "0.0041", "--data", data];
    const { status, stdout } = lemmata("compare", a, changed, ...words);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^within 0\.0041, proved\n/);
    expect(stdout).toMatch(/outputs agree from --atol \S+ or --rtol \S+ on/);
  });

  it("bad input: one line, exit code 2", () => {
    const other = file("other.onnx", writeModel(graph({ X: float32(1, 3) }, ({ X }) => ({ y: X.relu() }))));
    const { status, stderr } = lemmata("compare", a, other);
    expect([status, stderr]).toEqual([
      2,
      "lemmata: the first network has 2 inputs and 1 outputs, the second 3 inputs and 3 outputs\n",
    ]);
    const layouts = lemmata("align", a, other);
    expect(layouts.status).toBe(2);
    expect(layouts.stderr).toMatch(/^lemmata: the networks are not of the same layout/);
    expect(lemmata("compare", a, a, "--data", file("bad.csv", "1,2,3\n")).stderr).toMatch(/are no rows of 2/);
  });
});
