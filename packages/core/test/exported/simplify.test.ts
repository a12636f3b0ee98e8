// Simplified networks against their originals, on models as exporters write them: runs differ by no more than what was
// proved of the change.
import { describe, expect, it } from "vitest";
import { type SimplifyOptions, simplify } from "../../src/equivalence/index.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { loadModel, readModel, writeModel } from "../../src/graph/onnx/index.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";
import { sizes } from "../../src/passes/sizes.ts";
import { hunt, models, seed } from "./models.ts";
import { Network } from "./network.ts";
import { around, cube, type FlatBox, pointsOf } from "./points.ts";
import { orRefused, orRefusedLater } from "./refusal.ts";

/** Points for each network that came out. */
const points = hunt ?? 20;
/** Bounds of many units take long; a few networks of this size are tried in the long run only. */
const mostUnits = hunt === undefined ? 200 : 10_000;

const widths = ({ lower, upper }: FlatBox): Float64Array => upper.map((u, k) => u - lower[k]!);

/** Both networks in f64 at points of the box; how much they differ beyond what rounding explains. */
async function excess(net: Network, small: Network, box: FlatBox, change: number, random: Random) {
  let worst = 0;
  const outputs = (await net.runExact(box.lower)).length;
  for await (const x of pointsOf(box, points, outputs, random, undefined)) {
    const [f, g] = [await net.runExact(x), await small.runExact(x)];
    if (f.every((value, k) => Math.abs(value - g[k]!) <= change)) continue;
    const [a, b] = [widths(net.float64At(x)), widths(small.float64At(x))];
    f.forEach((value, k) => {
      worst = Math.max(worst, Math.abs(value - g[k]!) - change - a[k]! - b[k]!);
    });
  }
  return worst;
}

async function trySimplify(graph: Graph, net: Network, box: FlatBox, options: SimplifyOptions, what: string) {
  const found = await orRefusedLater(() => simplify(graph, options));
  if (!found) return;
  const small = new Network(readModel(writeModel(found.graph)));
  if (net.isRunAsWritten) await small.run(box.lower); // ONNX Runtime takes it
  const random = createRandom(`${seed}/${what}`);
  // Merged weights that were rounded without a bound: by one part in 10^6 of an output each, not more.
  const scale = (await net.runExact(box.lower)).reduce((most, y) => Math.max(most, Math.abs(y)), 1);
  const change = found.change ?? 1e-4 * scale;
  expect(await excess(net, small, box, change, random), `${what} (LEMMATA_SEED=${seed})`).toBeLessThanOrEqual(
    0,
  );
  await small.release();
}

describe.each(models)("%s", (name, path) => {
  it("is what it was, after simplification", async () => {
    const graph = await loadModel(path);
    const net = orRefused(() => new Network(graph));
    if (!net || !(await net.isFunction())) return;
    const random = createRandom(`${seed}/${name}`);
    const wide = cube(net.inputs, -1, 1);
    await trySimplify(graph, net, wide, {}, `${name} everywhere`);
    if ((sizes(graph).hiddenUnits ?? 0) <= mostUnits)
      for (const box of [wide, around(random, net.inputs, 0.05)]) {
        await trySimplify(graph, net, box, { box, exactOnly: true }, `${name} on a box`);
        await trySimplify(graph, net, box, { box, within: 0.01 }, `${name} within 0.01`);
      }
    await net.release();
  });
});
