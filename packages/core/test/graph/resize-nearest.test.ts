// Which position is the nearest, where a coordinate is a whole number but for rounding: as ONNX Runtime decides it.
import { expect, it } from "vitest";
import type { Graph } from "../../src/graph/graph.ts";
import type { Tensor } from "../../src/graph/tensor.ts";
import { definedGraph, relativeError, runOnce } from "./definitions-runtime.ts";
import { graphOfCase, type OperatorCase, ramp } from "./operators-runtime.ts";

const float32 = (...values: number[]): Tensor => ({
  type: "float32",
  dims: [values.length],
  data: Float32Array.from(values),
});
const modes = [
  ...["half_pixel", "pytorch_half_pixel", "half_pixel_symmetric"],
  ...["align_corners", "asymmetric", "tf_half_pixel_for_nn"],
];
const nearestModes = ["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"];
/** Two scales a run, along the last two axes. */
const scales = [
  [0.6, 0.3],
  [0.7, 1.4],
  [0.9, 1.2],
  [1 / 3, 2.8],
  [1.7, 0.45],
] as const;
const cases = modes.flatMap((mode) => nearestModes.map((nearest) => [mode, nearest] as const));

let [tried, refused] = [0, 0];

/** The definition, unless the nearest position depends on rounding in a way that is not known. */
function definition(usage: OperatorCase): Graph | undefined {
  try {
    return definedGraph("Resize", usage);
  } catch (error) {
    expect((error as Error).message).toMatch(/depends on rounding$/);
    return undefined;
  }
}

it.each(cases)("%s, %s", async (mode, nearest) => {
  for (const [a, b] of scales)
    for (const [h, w] of [
      [6, 7],
      [10, 9],
      [11, 20],
    ] as const) {
      const usage: OperatorCase = {
        inputs: [ramp([1, 1, h, w]), "", float32(1, 1, a, b)],
        weights: [2],
        attributes: { coordinate_transformation_mode: mode, nearest_mode: nearest },
      };
      const own = definition(usage);
      tried++;
      if (!own) {
        refused++;
        continue;
      }
      const theirs = graphOfCase("Resize", usage);
      const [y, z] = [await runOnce(own, usage), await runOnce(theirs, usage)].map(
        (o) => Object.values(o)[0]!,
      );
      expect(relativeError(y!, z!), `${h} x ${w} by ${a}, ${b}`).toBe(0);
    }
});

it("few are refused", () => {
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThan(tried / 4);
});

it("what is scaled to its own size is refused: the runtime copies it", () => {
  const usage: OperatorCase = { inputs: [ramp([1, 1, 6, 6]), "", float32(1, 1, 1.1, 1)], weights: [2] };
  expect(() => definedGraph("Resize", usage)).toThrow(/which the runtime copies/);
});
