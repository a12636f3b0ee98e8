// Proved bounds tried on models as exporters write them: no run of ONNX Runtime may leave a bound by more than its own
// rounding explains (float32-runs.ts says what that is).
import { describe, expect, it } from "vitest";
import { linearBounds } from "../../src/bounds/linear.ts";
import { loadModel } from "../../src/graph/onnx/index.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";
import { outputBounds } from "../../src/passes/interval.ts";
import { hunt, isShared, models, seed } from "./models.ts";
import { Network } from "./network.ts";
import { around, cube, type FlatBox, inside, pointsOf } from "./points.ts";
import { orRefused } from "./refusal.ts";

/** Points for each box. */
const points = hunt ?? 60;

const methods: Readonly<Record<string, (net: Network, box: FlatBox) => FlatBox>> = {
  interval: (net, box) => {
    const bounds = [...outputBounds(net.graph, net.box(box)).values()];
    return {
      lower: Float64Array.from(bounds.flatMap(({ lower }) => [...lower])),
      upper: Float64Array.from(bounds.flatMap(({ upper }) => [...upper])),
    };
  },
  linear: (net, box) => linearBounds(net.graph, box),
};

/** Is a value within bounds, and if not, is it by the width of what rounding can do? */
function expectWithin(y: Float64Array, bounds: FlatBox, rounding: () => FlatBox, what: string): void {
  let margin: FlatBox | undefined;
  y.forEach((value, k) => {
    const [lower, upper] = [bounds.lower[k]!, bounds.upper[k]!];
    if (lower <= value && value <= upper) return;
    margin ??= rounding();
    const width = margin.upper[k]! - margin.lower[k]!;
    const isExplained = value + width >= lower && value - width <= upper;
    if (!isExplained)
      expect.fail(`${what}: output ${k} is ${value}, bounds ${lower} .. ${upper}, rounding ${width}`);
  });
}

/** Tries all bounds on a box; how many points were tried. */
async function tryBounds(net: Network, box: FlatBox, random: Random): Promise<number> {
  const found = Object.entries(methods).flatMap(([method, bound]) => {
    const bounds = orRefused(() => bound(net, box));
    return bounds ? [{ method, bounds }] : [];
  });
  if (found.length === 0) return 0;
  const outputs = found[0]!.bounds.lower.length;
  const slope = orRefused(() => net.slope());
  let tried = 0;
  for await (const x of pointsOf(box, points, outputs, random, slope)) {
    tried++;
    const at = `at ${x.slice(0, 30).join(",")} (LEMMATA_SEED=${seed})`;
    const exact = await net.runExact(x);
    const written = net.isRunAsWritten ? await net.run(x) : undefined;
    for (const { method, bounds } of found) {
      expectWithin(exact, bounds, () => net.float64At(x), `${method} bounds, f64, ${at}`);
      if (written) expectWithin(written, bounds, () => net.float32At(x), `${method} bounds, ${at}`);
    }
  }
  return tried;
}

/** At a point nothing is loose: an interval rule that means another function than ONNX Runtime shows here. */
async function tryPoint(net: Network, x: Float64Array): Promise<void> {
  const exact = orRefused(() => net.float64At(x));
  if (exact) expectWithin(await net.runExact(x), exact, () => exact, "f64 run at a point");
  const written = net.isRunAsWritten ? orRefused(() => net.float32At(x)) : undefined;
  if (written)
    expectWithin(
      await net.run(x),
      written,
      () => ({ lower: written.lower, upper: written.lower }),
      "run at a point",
    );
}

if (!isShared) it.skip("no ../shared/models: no bound was tried", () => {});

describe.each(models)("%s", (name, path) => {
  it("runs stay within proved bounds", async () => {
    const graph = await loadModel(path);
    const net = orRefused(() => new Network(graph));
    if (!net) return; // its inputs are no real numbers
    const random = createRandom(`${seed}/${name}`);
    const wide = cube(net.inputs, -1, 1);
    const tried = [
      await tryBounds(net, wide, random),
      await tryBounds(net, around(random, net.inputs, 0.01), random),
    ];
    if (tried[0]! > 0) await tryPoint(net, inside(wide, random));
    await net.release();
  });
});
