// Gradients as ONNX Runtime computes them from the file's own numbers, against central differences in f64.
import { describe, expect, it } from "vitest";
import { loadModel } from "../../src/graph/onnx/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { quantizers } from "../../src/passes/gradient/quantization.ts";
import { hunt, models, seed } from "./models.ts";
import { Network } from "./network.ts";
import { cube, inside } from "./points.ts";
import { orRefused } from "./refusal.ts";

const points = hunt ?? 3;
/** A wrong rule is off by more; single precision and central differences together by less. */
const inDoubles = { step: 1e-7, tolerance: 2e-3 };
/** Operators that are in f32 only: longer steps, so that rounding is not all that is seen. */
const asWritten = { step: 2 ** -8, tolerance: 0.1 };

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, v, k) => sum + v * b[k]!, 0);

describe.each(models)("%s", (name, path) => {
  it("has the gradient that its differences have", async () => {
    const graph = await loadModel(path);
    if (quantizers(graph).length > 0) return; // straight-through gradients are no limits of differences
    const net = orRefused(() => new Network(graph));
    if (!net?.isRunAsWritten || !(await net.isFunction("as written"))) return;
    const isDouble = await net.isFunction();
    const { step, tolerance } = isDouble ? inDoubles : asWritten;
    const valueAt = (x: Float64Array) => (isDouble ? net.runExact(x) : net.run(x));
    const slope = orRefused(() => net.slopeAsWritten());
    if (!slope) return;
    const random = createRandom(`${seed}/${name}`);
    const box = cube(net.inputs, -1, 1);
    for (let trial = 0; trial < points; trial++) {
      const x = inside(box, random);
      const weights = random.normal((await valueAt(x)).length);
      const direction = random.normal(net.inputs).map((v) => v / Math.sqrt(net.inputs));
      const along = async (t: number) => dot(weights, await valueAt(x.map((v, k) => v + t * direction[k]!)));
      const g = await slope(x, weights);
      const [found, difference] = [
        dot(g, direction),
        ((await along(step)) - (await along(-step))) / (2 * step),
      ];
      const scale = Math.hypot(...g) / Math.sqrt(net.inputs) + Math.abs(difference) + 1e-2;
      expect(
        Math.abs(found - difference) / scale,
        `${found} for ${difference} (LEMMATA_SEED=${seed})`,
      ).toBeLessThan(tolerance);
    }
    await net.release();
  });
});
