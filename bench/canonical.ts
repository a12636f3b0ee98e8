// The canonical form of a network with a million weights, and how its time grows.

import { applySymmetry, canonicalForm, randomSymmetry, symmetryGroup } from "@lemmata/core/equivalence";
import { createRandom } from "@lemmata/core/numbers";
import { initialNetwork } from "@lemmata/core/train";

console.log("widths                        weights   canonical s   same after a random symmetry");
for (const width of [128, 256, 512, 768]) {
  const spec = `64-${width}-relu-${width}-relu-${width}-relu-10`;
  const net = initialNetwork(spec, { seed: width });
  const weights = [...net.initializers.values()].reduce(
    (sum, w) => sum + w.dims.reduce((a, b) => a * b, 1),
    0,
  );
  const twin = applySymmetry(net, randomSymmetry(symmetryGroup(net), createRandom(width)));
  const start = performance.now();
  const own = canonicalForm(net).fingerprint;
  const seconds = (performance.now() - start) / 1000;
  const isSame = own === canonicalForm(twin).fingerprint;
  console.log(
    `${spec.padEnd(28)} ${String(weights).padStart(8)}  ${seconds.toFixed(2).padStart(12)}   ${isSame}`,
  );
}
