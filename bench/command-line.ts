// `lemmata run` end to end against a bare onnxruntime-node script, and the start-up of `lemmata --help`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeData } from "@lemmata/core/data";
import { tensor } from "@lemmata/core/graph";
import { report } from "./measure.ts";
import { sharedModel } from "./models.ts";

const bin = fileURLToPath(new URL("../packages/cli/bin/lemmata.js", import.meta.url));
const runtime = createRequire(import.meta.url).resolve("onnxruntime-node");

function node(...words: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

const bareScript = `
const ort = require(${JSON.stringify(runtime)});
const [model, input] = process.argv.slice(2);
ort.InferenceSession.create(model).then(async (session) => {
  const x = new ort.Tensor("float32", Float32Array.from(JSON.parse(require("fs").readFileSync(input, "utf8"))), [1, 1, 1, 5]);
  const y = await session.run({ [session.inputNames[0]]: x });
  console.log(JSON.stringify(Array.from(y[session.outputNames[0]].data)));
});
`;

const rounds = 15;
await report(
  "start-up: lemmata --help",
  [
    { name: "lemmata --help", run: () => node(bin, "--help") },
    { name: "node -e 0", run: () => node("-e", "0") },
  ],
  rounds,
);

const acas = sharedModel("ACASXU_run2a_1_1_batch_2000.onnx");
if (acas) {
  const folder = mkdtempSync(join(tmpdir(), "lemmata-bench-"));
  const [script, json, npy] = ["bare.cjs", "x.json", "x.npy"].map((f) => join(folder, f)) as [
    string,
    string,
    string,
  ];
  const x = [0.1, -0.2, 0.3, -0.4, 0.5];
  writeFileSync(script, bareScript);
  writeFileSync(json, JSON.stringify(x));
  writeFileSync(npy, encodeData("x.npy", { "": tensor(x) }));
  await report(
    "one inference of ACASXU, from the shell",
    [
      { name: "lemmata run", run: () => node(bin, "run", acas, "--input", npy, "--json") },
      { name: "bare onnxruntime-node script", run: () => node(script, acas, json) },
    ],
    rounds,
  );
}
