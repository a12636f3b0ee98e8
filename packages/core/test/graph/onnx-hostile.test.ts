// Broken and hostile files: every one gives a graph or one clear line, never another exception or a hang.
import fc from "fast-check";
import { onnx } from "onnx-proto";
import { describe, expect, it } from "vitest";
import { GraphError } from "../../src/graph/error.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { externalLocations } from "../../src/graph/onnx/external.ts";
import { readModel, writeModel } from "../../src/graph/onnx/index.ts";
import { WireWriter } from "../../src/graph/onnx/wire-writer.ts";
import type { SparseTensor, Tensor } from "../../src/graph/tensor.ts";
import { emptyGraph, floatsOf, graphOf, nodeOf, randomModel, value } from "./onnx-graphs.ts";

/** Lets nothing pass but a result or a GraphError of one line. */
function guarded<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    if (/\p{Cc}/u.test(error.message)) throw new Error(`not one line: ${JSON.stringify(error.message)}`);
    return error.message;
  }
}

function attempt(bytes: Uint8Array): Graph | string {
  guarded(() => externalLocations(bytes));
  return guarded(() => readModel(bytes));
}

const branch = graphOf({ nodes: [nodeOf("Neg", ["x"], ["t"])], outputs: [value("t")] });
const small = graphOf({
  inputs: [value("x")],
  outputs: [value("y")],
  initializers: new Map<string, Tensor | SparseTensor>([
    ["w", floatsOf([1, 2])],
    ["s", { type: "float32", dims: [4], values: floatsOf([1, 2]), indices: new BigInt64Array([0n, 3n]) }],
  ]),
  nodes: [
    nodeOf("If", ["c"], ["z"], { then_branch: { type: "graph", value: branch } }),
    nodeOf("Add", ["z", "w"], ["y"], { ints: { type: "ints", value: [1n, -1n] } }),
  ].map((node, k) => (k === 0 ? { ...node, inputs: ["x"] } : node)),
  valueTypes: new Map([["z", { type: "float32", shape: ["N", 2] }]]),
  metadata: new Map([["key", "value"]]),
});

/** The same in the typed lists that our writer does not use. */
const typed = onnx.ModelProto.encode({
  irVersion: 8,
  opsetImport: [{ version: 17 }],
  graph: {
    initializer: [
      { name: "a", dataType: 1, dims: [2], floatData: [1, 2] },
      { name: "b", dataType: 6, dims: [2], int32Data: [1, -2] },
      { name: "c", dataType: 11, dims: [1], doubleData: [1] },
      { name: "d", dataType: 8, dims: [1], stringData: [Buffer.from("text")] },
      { name: "e", dataType: 7, dims: [2], int64Data: [1, -2] },
    ],
    input: [{ name: "q", type: { sequenceType: { elemType: { tensorType: { elemType: 1 } } } } }],
  },
}).finish();

const victims = { written: writeModel(small), typed };

describe.each(Object.entries(victims))("the model %s", (_, bytes) => {
  it("is a model", () => {
    expect(attempt(bytes)).toHaveProperty("nodes");
  });

  it("cut at any byte", () => {
    for (let length = 0; length < bytes.length; length++) attempt(bytes.slice(0, length));
  });

  it("with any one byte changed in any way", () => {
    for (let k = 0; k < bytes.length; k++) {
      for (let byte = 0; byte < 256; byte++) {
        const changed = bytes.slice();
        changed[k] = byte;
        attempt(changed);
      }
    }
  });

  it("with random bits flipped", () => {
    const flips = fc.array(fc.nat({ max: 8 * bytes.length - 1 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(flips, (positions) => {
        const changed = bytes.slice();
        for (const bit of positions) changed[bit >> 3]! ^= 1 << (bit & 7);
        attempt(changed);
      }),
      { numRuns: 3000 },
    );
  });
});

describe("hostile bytes", () => {
  it("at random", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void attempt(bytes)),
      { numRuns: 3000 },
    );
  });

  it("in random models", () => {
    fc.assert(
      fc.property(fc.gen(), fc.nat(), fc.nat({ max: 255 }), (g, position, byte) => {
        const bytes = writeModel(randomModel(g));
        bytes[position % bytes.length] = byte;
        attempt(bytes);
      }),
      { numRuns: 300 },
    );
  });

  const refused: [string, number[], RegExp][] = [
    ["nothing", [], /it holds no graph/],
    ["text", [...Buffer.from("<!DOCTYPE html>")], /not a valid ONNX model/],
    ["a group", [0x0b, 0x0c], /field 1 is a group/],
    ["a number without an end", [0x08, ...new Array(20).fill(0xff)], /longer than ten bytes/],
    ["a number cut short", [0x08, 0xff], /a number is cut short/],
    ["a length beyond the end", [0x3a, 100], /field 7 says it has 100 bytes, but 0 are left/],
    ["a length of 2^60", [0x3a, ...new Array(8).fill(0x80), 0x10], /over 2\^32/],
    ["field 0", [0x00], /field number is out of range/],
    ["the wrong wire type", [0x0a, 0], /field 1 is a length-delimited field, where a varint belongs/],
    ["two graphs", [0x3a, 0, 0x3a, 0], /two graphs/],
  ];
  it.each(refused)("%s", (_, bytes, message) => {
    expect(attempt(Uint8Array.from(bytes))).toMatch(message);
  });

  const nested = (levels: number): Graph =>
    levels === 0
      ? emptyGraph
      : graphOf({
          nodes: [nodeOf("If", [], [`v${levels}`], { g: { type: "graph", value: nested(levels - 1) } })],
        });

  it("with subgraphs a hundred levels deep are read, deeper ones are not", () => {
    expect(attempt(writeModel(nested(100)))).toHaveProperty("nodes");
    expect(attempt(writeModel(nested(101)))).toBe("subgraphs nest over 100 levels deep");
    expect(attempt(writeModel(nested(300)))).toMatch(/messages nest over 320 levels deep/);
  });

  it("with types thousands of levels deep", () => {
    // Each level is two messages; lengths grow inwards, so they are built from the inside.
    let type = new WireWriter();
    for (let level = 0; level < 2000; level++) {
      const sequence = new WireWriter();
      sequence.message(1, type);
      type = new WireWriter();
      type.message(4, sequence);
    }
    const input = new WireWriter();
    input.string(1, "x");
    input.message(2, type);
    const graph = new WireWriter();
    graph.message(11, input);
    const model = new WireWriter();
    model.message(7, graph);
    expect(attempt(model.finish())).toMatch(/messages nest over 320 levels deep/);
  });
});

it("a weight that is there dense and sparse is refused: ONNX Runtime takes the sparse one wherever it stands", () => {
  const model = onnx.ModelProto.decode(writeModel(small));
  const dense = model.graph!.initializer!.find((t) => t.name === "w")!;
  const sparse = model.graph!.sparseInitializer![0]!;
  sparse.values!.name = dense.name!;
  const bytes = onnx.ModelProto.encode(model).finish();
  expect(attempt(bytes)).toMatch(/weight "w" is there twice/);
});

it("names in messages are shown escaped, and cut where they are long", () => {
  const overload = (name: string) => {
    const model = onnx.ModelProto.decode(writeModel(small));
    const field = new WireWriter();
    field.string(8, name);
    const node = onnx.NodeProto.encode(model.graph!.node![1]!).finish();
    const graph = new WireWriter();
    graph.bytes(1, new Uint8Array([...node, ...field.finish()]));
    const whole = new WireWriter();
    whole.integer(1, 8n);
    whole.message(7, graph);
    return attempt(whole.finish());
  };
  expect(overload("a\n\x1b[2J\u202E")).toMatch(/ calls overload "a\\u000a\\u001b\[2J\\u202e" of a function/);
  expect(overload("a".repeat(1e5)).toString().length).toBeLessThan(300);
});
