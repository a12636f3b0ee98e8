// The dense training steps of bench/train.ts in TensorFlow.js on its wasm backend; the protocol is that of pytorch.py.
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import * as tf from "@tensorflow/tfjs";
import { setThreadsCount, setWasmPaths } from "@tensorflow/tfjs-backend-wasm";

const sizes = { mlp: [784, 256, 256, 10], wide: [64, 4096, 1] };
const batches = { mlp: 128, wide: 512 };

setThreadsCount(1);
const here = dirname(fileURLToPath(import.meta.resolve("@tensorflow/tfjs-backend-wasm")));
setWasmPaths(`${join(here, "..", "dist")}/`);
await tf.setBackend("wasm");
await tf.ready();

const cases = new Map();
function caseOf(network, optimizer) {
  const key = network + optimizer;
  if (cases.has(key)) return cases.get(key);
  const layers = sizes[network].slice(1).map((n, l) => ({
    W: tf.variable(tf.randomNormal([sizes[network][l], n], 0, Math.sqrt(2 / sizes[network][l]))),
    b: tf.variable(tf.zeros([n])),
  }));
  const x = tf.randomNormal([batches[network], sizes[network][0]]);
  const y =
    network === "mlp" ? tf.oneHot(tf.randomUniform([128], 0, 10, "int32"), 10) : tf.randomNormal([512, 1]);
  const update = optimizer === "adam" ? tf.train.adam(1e-3) : tf.train.sgd(1e-3);
  const made = { layers, x, y, update, entropy: network === "mlp" };
  cases.set(key, made);
  return made;
}

function loss({ layers, x, y, entropy }) {
  const out = layers.reduce((h, { W, b }, l) => {
    const z = tf.add(tf.matMul(h, W), b);
    return l < layers.length - 1 ? tf.relu(z) : z;
  }, x);
  return entropy ? tf.losses.softmaxCrossEntropy(y, out) : tf.losses.meanSquaredError(y, out);
}

console.log(tf.version.tfjs);
for await (const line of createInterface({ input: process.stdin })) {
  const [network, optimizer, count] = line.split(" ");
  const one = caseOf(network, optimizer);
  const began = performance.now();
  for (let k = 0; k < Number(count); k++) one.update.minimize(() => loss(one));
  await one.layers[0].b.data();
  console.log((performance.now() - began) / 1000 / Number(count));
}
