// Gradients of pooling against central differences.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import { ramp } from "../graph/operators-runtime.ts";
import { anyBatch, checkOperators, checkTwice, errorOfCase } from "./gradient-layers.ts";
import { autoPad, windows } from "./gradient-windows.ts";

const pools: readonly OperatorName[] = [
  "MaxPool",
  "AveragePool",
  "LpPool",
  "GlobalMaxPool",
  "GlobalAveragePool",
  "GlobalLpPool",
];
checkOperators(pools);
checkTwice(pools, 3);

describe("any attributes", () => {
  const flag = fc.integer({ min: 0, max: 1 });
  const pooling = fc.record({
    windows: windows(3),
    auto_pad: autoPad,
    ceil_mode: flag,
    storage_order: flag,
    count_include_pad: flag,
    symbolic: fc.boolean(),
    p: fc.integer({ min: 1, max: 4 }),
  });
  const own = { MaxPool: "storage_order", AveragePool: "count_include_pad", LpPool: "p" } as const;

  it.each(["MaxPool", "AveragePool", "LpPool"] as const)("%s", async (op) => {
    await fc.assert(
      fc.asyncProperty(pooling, async ({ windows: w, auto_pad, ceil_mode, symbolic, ...rest }) => {
        const { kernel: kernel_shape, strides, dilations, pads, sizes } = w;
        const placed =
          auto_pad === "NOTSET"
            ? { dilations, pads, ceil_mode }
            : { auto_pad, ...(auto_pad === "VALID" ? { dilations } : {}) };
        const given = {
          inputs: [ramp([2, 2, ...sizes])],
          attributes: { kernel_shape, strides, ...placed, [own[op]]: rest[own[op]] },
        };
        expect(await errorOfCase(op, given, symbolic ? anyBatch : undefined)).toBeLessThan(1e-6);
      }),
      { numRuns: 40, seed: 5 },
    );
  });
});
