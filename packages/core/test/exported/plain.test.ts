// Models of scikit-learn, quantized ones and those of opset 23, written out in plain operators: ONNX Runtime computes the
// same of both, and what it computes lies within bounds.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { linearBounds } from "../../src/bounds/linear.ts";
import { simplify } from "../../src/equivalence/index.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { withOutputs, withShapes } from "../../src/graph/interface.ts";
import { loadModel } from "../../src/graph/onnx/index.ts";
import { plain } from "../../src/graph/plain.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { withoutTables } from "../../src/graph/zip-map.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { inputShapes } from "../../src/passes/affine/compile.ts";
import { outputBounds } from "../../src/passes/interval.ts";
import { runGraph } from "../graph/operators-runtime.ts";
import { folders, isShared } from "./models.ts";

const path = (name: string): string =>
  folders.map((f) => join(f, `${name}.onnx`)).find((p) => existsSync(p)) ?? "";
const points = 20;

/** The model's only input, filled at random, as often as asked for. */
async function* runs(graph: Graph, random: ReturnType<typeof createRandom>, radius: number) {
  const [{ name, dims } = { name: "", dims: [] as readonly number[] }] = inputShapes(graph);
  for (let k = 0; k < points; k++) {
    const count = dims.reduce((n, d) => n * d, 1);
    const x = tensor(
      Array.from({ length: count }, () => radius * (2 * random.uniform() - 1)),
      { type: "float32", dims },
    );
    yield new Map([[name, x]]) as ReadonlyMap<string, Tensor>;
  }
}

/** How far results may be apart: a quantized output may be one step off where the runtime multiplies in other types. */
const steps: Readonly<Record<string, number>> = { mlp_qdq: 0.0041, mlp_qdyn: 0.02 };

describe.skipIf(!isShared)("in plain operators", () => {
  it.each(["skmlp", "skmlp_zip", "skpipe", "sklogreg", "mlp_qdq", "mlp_qdyn", "rms23_dyn"])(
    "%s computes what it did",
    async (name) => {
      const graph = withoutTables(await loadModel(path(name)));
      const written = plain(graph);
      expect(
        written.nodes.filter(({ domain, op }) => domain !== "" || /uantize|Integer|RMS/.test(op)),
      ).toEqual([]);
      for await (const feeds of runs(graph, createRandom(3), 1)) {
        const [p, q] = [await runGraph(graph, feeds), await runGraph(written, feeds)];
        for (const [output, t] of p)
          numbers(t).forEach((v, k) => {
            const room = t.type === "int64" ? 0 : (steps[name] ?? 1e-5);
            expect(Math.abs(v - numbers(q.get(output)!)[k]!), `${output}[${k}]`).toBeLessThanOrEqual(room);
          });
      }
    },
  );

  it.each(["skmlp_zip", "skpipe", "sklogreg", "mlp_qdq", "rms23_dyn", "gbt_model"])(
    "%s runs within its bounds, by intervals and by lines",
    async (name) => {
      const graph = withoutTables(await loadModel(path(name)));
      const random = createRandom(5);
      for (const radius of [0.01, 0.3, 1]) {
        const [{ name: input, dims } = { name: "", dims: [] as readonly number[] }] = inputShapes(graph);
        const count = dims.reduce((n, d) => n * d, 1);
        const bounds = outputBounds(graph, { [input]: { lower: -radius, upper: radius } });
        const ends = (side: number) => new Float64Array(count).fill(side * radius);
        const lines =
          name === "gbt_model" || name === "sklogreg"
            ? undefined
            : linearBounds(graph, { lower: ends(-1), upper: ends(1) });
        for await (const feeds of runs(graph, random, radius)) {
          let at = 0;
          for (const [output, t] of await runGraph(graph, feeds)) {
            const b = bounds.get(output)!;
            const room = t.type === "int64" ? 0 : (steps[name] ?? 1e-5);
            numbers(t).forEach((v, k) => {
              expect(v, `${output}[${k}]`).toBeGreaterThanOrEqual(b.lower[k]! - room);
              expect(v, `${output}[${k}]`).toBeLessThanOrEqual(b.upper[k]! + room);
              if (!lines) return;
              expect(v, `${output}[${k}] by lines`).toBeGreaterThanOrEqual(lines.lower[at]! - room);
              expect(v, `${output}[${k}] by lines`).toBeLessThanOrEqual(lines.upper[at++]! + room);
            });
          }
        }
      }
    },
  );

  it("bounds of quantized networks follow their inputs: they shrink with the box", async () => {
    const graph = await loadModel(path("mlp_qdq"));
    const width = (radius: number): number => {
      const ends = (side: number) => new Float64Array(10).fill(0.3 + side * radius);
      const { lower, upper } = linearBounds(graph, { lower: ends(-1), upper: ends(1) });
      return upper[0]! - lower[0]!;
    };
    expect(width(0.02)).toBeLessThan(0.5 * width(0.5));
  });

  it("bounds of trees are what they compute, at a point", async () => {
    const graph = await loadModel(path("gbt_model"));
    for await (const feeds of runs(graph, createRandom(1), 5)) {
      const x = numbers(feeds.get("float_input")!);
      const { lower, upper } = outputBounds(graph, { float_input: { lower: x, upper: x } }).get("variable")!;
      const y = numbers((await runGraph(graph, feeds)).get("variable")!)[0]!;
      expect(upper[0]! - lower[0]!).toBeLessThan(1e-12);
      expect(Math.abs(lower[0]! - y)).toBeLessThan(1e-5);
    }
  });
});

describe.skipIf(!isShared)("what a command settles of a model", () => {
  it("sizes and outputs, or a line that says why not", async () => {
    const lstm = await loadModel(path("lstm_dyn"));
    const shaped = withShapes(lstm, new Map([["x", [1, 6, 8]]]));
    expect(shaped.outputs[0]!.type).toMatchObject({ shape: [1, 4] });
    expect(() => withShapes(lstm, new Map([["x", [1, 6, 9]]]))).toThrow(
      'input "x" is declared as [batch,seq,8], not [1,6,9]',
    );
    expect(() => withShapes(lstm, new Map([["u", [1]]]))).toThrow('no input "u"; its inputs are "x"');
    const model = await loadModel(path("sklogreg"));
    expect(withOutputs(model, ["probabilities"]).outputs.map(({ name }) => name)).toEqual(["probabilities"]);
    expect(() => withOutputs(model, ["p"])).toThrow(
      'no output "p"; its outputs are "label", "probabilities"',
    );
  });
});

describe.skipIf(!isShared)("folding", () => {
  it.each([
    ["vit_leg", 84],
    ["gru_leg", 10],
    ["sl_b_leg", 1],
    ["unet_leg", 10],
    ["mlp_qdq", 17],
  ] as const)("%s is left with %i nodes that compute the same", async (name, count) => {
    const graph = await loadModel(path(name));
    const { graph: small } = await simplify(graph);
    expect(small.nodes.length).toBe(count);
    let left = 3;
    for await (const feeds of runs(graph, createRandom(2), 1)) {
      if (left-- === 0) break;
      const [p, q] = [await runGraph(graph, feeds), await runGraph(small, feeds)];
      for (const [output, t] of p)
        numbers(t).forEach((v, k) => {
          expect(Math.abs(v - numbers(q.get(output)!)[k]!)).toBeLessThanOrEqual(1e-5 * (1 + Math.abs(v)));
        });
    }
  });
});
