// Reading and writing ONNX, per megabyte, against protobufjs (the npm package onnx-proto).
import { readFileSync } from "node:fs";
import { float32, type Graph, graph, readModel, tensor, writeModel } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import onnxProto from "onnx-proto";
import { report } from "./measure.ts";
import { sharedModel } from "./models.ts";

function wide(): Graph {
  const random = createRandom("codec");
  const weights = Array.from({ length: 16 }, () => random.normal(new Float32Array(1024 * 1024)));
  return graph({ x: float32("N", 1024) }, ({ x }) => ({
    y: weights.reduce((v, w) => v.matmul(tensor(w, { type: "float32", dims: [1024, 1024] })).relu(), x),
  }));
}

function deep(): Graph {
  const eye = tensor(
    [
      [1, 0],
      [0, 1],
    ],
    { type: "float32" },
  );
  return graph({ x: float32("N", 2) }, ({ x }) => ({
    y: Array.from({ length: 10_000 }).reduce<typeof x>((v) => v.matmul(eye).relu(), x),
  }));
}

const { onnx } = onnxProto;
const resnet = sharedModel("resnet_2b.onnx");
const models: readonly (readonly [string, Uint8Array])[] = [
  ["16 weights of 4 MB", writeModel(wide())],
  ["20,000 nodes", writeModel(deep())],
  ...(resnet ? [["resnet_2b.onnx", new Uint8Array(readFileSync(resnet))] as const] : []),
];

for (const [name, bytes] of models) {
  const megabytes = (bytes.length / 1e6).toFixed(1);
  await report(
    `read and write ${name}, ${megabytes} MB`,
    [
      { name: "lemmata", run: () => void writeModel(readModel(bytes)) },
      { name: "onnx-proto", run: () => void onnx.ModelProto.encode(onnx.ModelProto.decode(bytes)).finish() },
    ],
    9,
  );
}
