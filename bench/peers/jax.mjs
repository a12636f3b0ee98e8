// The dense training steps of bench/train.ts in jax-js (jit, wasm), plain descent only; the protocol is that of pytorch.py.
import { createInterface } from "node:readline";
import { defaultDevice, init, jit, nn, numpy as np, valueAndGrad } from "@jax-js/jax";

const sizes = { mlp: [784, 256, 256, 10], wide: [64, 4096, 1] };
const batches = { mlp: 128, wide: 512 };
const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
const gauss = (rows, columns, scale) =>
  np.array(Float32Array.from({ length: rows * columns }, () => scale * normal())).reshape([rows, columns]);

await init("wasm");
defaultDevice("wasm");

function lossOf(entropy) {
  return (layers, x, y) => {
    let h = x;
    layers.forEach(({ W, b }, l) => {
      h = np.matmul(h, W).add(b);
      if (l < layers.length - 1) h = nn.relu(h);
    });
    if (entropy)
      return nn
        .logSoftmax(h, -1)
        .mul(y)
        .sum()
        .mul(-1 / 128);
    return np.square(h.sub(y)).mean();
  };
}

const stepOf = (entropy) =>
  jit((layers, x, y) => {
    const [loss, gradients] = valueAndGrad(lossOf(entropy))(
      layers.map(({ W, b }) => ({ W: W.ref, b: b.ref })),
      x,
      y,
    );
    loss.dispose();
    return layers.map(({ W, b }, l) => ({
      W: W.sub(gradients[l].W.mul(1e-3)),
      b: b.sub(gradients[l].b.mul(1e-3)),
    }));
  });

const cases = new Map();
function caseOf(network) {
  if (cases.has(network)) return cases.get(network);
  const dims = sizes[network];
  const layers = dims
    .slice(1)
    .map((n, l) => ({ W: gauss(dims[l], n, Math.sqrt(2 / dims[l])), b: np.zeros([n]) }));
  const x = gauss(batches[network], dims[0], 1);
  const labels = new Float32Array(128 * 10);
  for (let k = 0; k < 128; k++) labels[10 * k + Math.floor(10 * Math.random())] = 1;
  const y = network === "mlp" ? np.array(labels).reshape([128, 10]) : gauss(512, 1, 1);
  const made = { layers, x, y, step: stepOf(network === "mlp") };
  cases.set(network, made);
  return made;
}

console.log("0.1.25");
for await (const line of createInterface({ input: process.stdin })) {
  const [network, optimizer, count] = line.split(" ");
  if (optimizer !== "sgd") {
    console.log("NaN");
    continue;
  }
  const one = caseOf(network);
  const began = performance.now();
  for (let k = 0; k < Number(count); k++) one.layers = one.step(one.layers, one.x.ref, one.y.ref);
  await one.layers[0].b.ref.data();
  console.log((performance.now() - began) / 1000 / Number(count));
}
