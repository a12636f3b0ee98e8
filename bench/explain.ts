// Relevance of a batch of 32 against zennit, and gradients against Captum: what differs, and what it takes. The two take
// turns; the ratio of the medians is what counts.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { readNpy } from "@lemmata/core/data";
import { Session } from "@lemmata/core/engine";
import { composite, explain, type Method, prepare, relevanceGraph } from "@lemmata/core/explain";
import { loadModel, numbers, type Tensor, tensor, writeModel } from "@lemmata/core/graph";
import { pythonWith } from "./python.ts";

const networks = ["mlp", "lenet", "vgg", "residual"] as const;
const composites = [
  ...["epsilon-plus", "epsilon-plus-flat", "epsilon-alpha2-beta1", "epsilon-alpha2-beta1-flat"],
  ...["epsilon-gamma-box", "excitation-backprop", "guided-backprop", "deconvnet"],
  ...["uniform(epsilon=0.1)", "uniform(gamma=0.25)", "uniform(z-plus)", "uniform(alpha-beta=2,1)"],
  ...["uniform(flat)", "uniform(w-square)"],
];
const methods: readonly Method[] = ["gradient", "gradient-x-input", "integrated-gradients", "occlusion"];
const timed = ["epsilon-plus-flat", "epsilon-gamma-box", "epsilon-alpha2-beta1", "uniform(epsilon=0.1)"];
const rounds = 7;
const bounds = { low: -3, high: 3 };

const python = pythonWith("explainers", ["torch", "zennit", "captum", "onnx", "onnxscript", "numpy"]);
const folder = mkdtempSync(join(tmpdir(), "lemmata-explain-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
// Isolated: what lies beside the script is not to be imported.
const peer: ChildProcessWithoutNullStreams = spawn(python, [
  "-I",
  fileURLToPath(new URL("peers/explain.py", import.meta.url)),
  folder,
]);
peer.stderr.pipe(process.stderr);
const lines = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
const answer = async (): Promise<string> => {
  const { value, done } = await lines.next();
  if (done) throw new Error("the peer ended");
  return value as string;
};
while ((await answer()) !== "ready");

const read = (name: string): Tensor => readNpy(readFileSync(join(folder, `${name}.npy`)));
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** The greatest difference as a part of the greatest value. */
function difference(a: Tensor, b: Tensor): number {
  const [p, q] = [a, b].map((t) => Float64Array.from(numbers(t))) as [Float64Array, Float64Array];
  const most = q.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
  return p.reduce((m, v, k) => Math.max(m, Math.abs(v - q[k]!)), 0) / (most || 1);
}

const scaled = (t: Tensor, by: number): Tensor =>
  tensor(
    Array.from(numbers(t), (v) => by * v),
    { type: "float64", dims: t.dims },
  );

console.log("greatest difference from zennit, as a part of the greatest relevance");
console.log(["".padEnd(28), ...networks.map((n) => n.padStart(10))].join(""));
for (const name of composites) {
  const row: string[] = [];
  for (const network of networks) {
    const net = await loadModel(join(folder, `${network}.onnx`));
    const { relevance } = await explain(net, { x: read(network) }, { composite: composite(name, bounds) });
    row.push(
      difference(relevance.get("x")!, read(`${network}.${name}`))
        .toExponential(1)
        .padStart(10),
    );
  }
  console.log([name.padEnd(28), ...row].join(""));
}
console.log("\nand from Captum");
for (const method of methods) {
  const row: string[] = [];
  for (const network of networks) {
    const net = await loadModel(join(folder, `${network}.onnx`));
    const whole = read(network);
    const size = whole.data.length / 32;
    const x = { ...whole, dims: [4, ...whole.dims.slice(1)], data: whole.data.slice(0, 4 * size) } as Tensor;
    const { relevance } = await explain(net, { x }, { method, patch: 2, samples: 64 });
    // The drop of a patch is shared among its numbers; Captum gives it to each of them.
    const sharers = method === "occlusion" ? 4 * whole.dims[1]! : 1;
    row.push(
      difference(scaled(relevance.get("x")!, sharers), read(`${network}.${method}`))
        .toExponential(1)
        .padStart(10),
    );
  }
  console.log([method.padEnd(28), ...row].join(""));
}

for (const threads of [1, 0]) {
  console.log(
    `\nmilliseconds for a batch of 32, ${threads === 1 ? "one thread" : "all cores"}: ours, zennit's, ratio`,
  );
  for (const network of networks)
    for (const name of timed) {
      const net = await loadModel(join(folder, `${network}.onnx`));
      const x = read(network);
      const prepared = await prepare(net, { x });
      const { graph } = relevanceGraph(prepared, composite(name, bounds), { kind: "predicted" }, false);
      const session = await Session.create(writeModel(graph), threads === 1 ? { threads: 1 } : {});
      const [own, other]: [number[], number[]] = [[], []];
      for (let round = 0; round <= rounds; round++) {
        const began = performance.now();
        await session.run({ x });
        const passed = performance.now() - began;
        peer.stdin.write(`${network} ${name} ${threads || 2}\n`);
        const seconds = Number(await answer());
        if (round > 0) {
          own.push(passed);
          other.push(1000 * seconds);
        }
      }
      const [a, b] = [median(own), median(other)];
      console.log(
        `${network.padEnd(10)} ${name.padEnd(24)} ${a.toFixed(1).padStart(8)} ${b.toFixed(1).padStart(8)}   ${(a / b).toFixed(2)}`,
      );
    }
}
peer.stdin.end();
