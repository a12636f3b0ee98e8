// Random uses of the operators with the most intricate shape rules. What is inferred must be what ONNX Runtime
// gives; and what is refused must be refused by ONNX Runtime too.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GraphError } from "../../src/graph/error.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { inferTypes } from "../../src/graph/infer.ts";
import type { OperatorName } from "../../src/graph/operators/index.ts";
import {
  feedsOf,
  float32,
  graphOfCase,
  int64,
  type OperatorCase,
  outputName,
  ramp,
  runGraph,
} from "./operators-runtime.ts";

const shapeOf = (graph: Graph) => inferTypes(graph).get(outputName(0))?.shape;

/** `unsure`: a size may be left unknown. */
async function agrees(op: OperatorName, usage: OperatorCase, unsure = false): Promise<void> {
  const graph = graphOfCase(op, usage);
  const run = await runGraph(graph, feedsOf(usage)).catch(() => undefined);
  const dims = run?.get(outputName(0))?.dims;
  if (!dims) return expectAtMostGraphError(graph);
  const shape = shapeOf(graph);
  expect(unsure ? shape?.map((d, k) => d ?? dims[k]) : shape).toEqual(dims);
  // With sizes left open, nothing that is inferred is wrong. Some sizes keep their number, some get a name.
  const open = graphOfCase(op, usage, (t, k) => ({
    type: t.type,
    shape: t.dims.map((d, axis) => (d % 3 === 1 ? d : d % 3 === 2 ? undefined : `x${k}_${axis}`)),
  }));
  const loose = shapeOf(open);
  expect(loose?.map((d, k) => (typeof d === "number" ? d : dims[k])) ?? dims).toEqual(dims);
}

/** What the runtime refuses may be refused here too, but only with a clear line. */
function expectAtMostGraphError(graph: Graph): void {
  try {
    inferTypes(graph);
  } catch (error) {
    expect(error).toBeInstanceOf(GraphError);
  }
}

const size = fc.integer({ min: 1, max: 7 });
const few = { numRuns: 150 };
const dims = (min: number, max: number, sizes = size) => fc.array(sizes, { minLength: min, maxLength: max });
const pair = <T>(one: fc.Arbitrary<T>) => fc.tuple(one, one);
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const windows = {
  kernel_shape: pair(fc.integer({ min: 1, max: 4 })),
  strides: maybe(pair(fc.integer({ min: 1, max: 3 }))),
  dilations: maybe(pair(fc.integer({ min: 1, max: 3 }))),
  pads: maybe(fc.tuple(...([0, 0, 0, 0] as const).map(() => fc.integer({ min: 0, max: 2 })))),
};
const padding = fc.constantFrom("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER");

describe("random uses against ONNX Runtime", () => {
  it("broadcasting", () => {
    const oneOrTwo = fc.constantFrom(1, 1, 2, 3);
    return fc.assert(
      fc.asyncProperty(dims(0, 4, oneOrTwo), dims(0, 4, oneOrTwo), (a, b) =>
        agrees("Add", { inputs: [ramp(a), ramp(b)] }),
      ),
      few,
    );
  });
  it("MatMul", () => {
    const small = fc.constantFrom(1, 2, 2, 3);
    return fc.assert(
      fc.asyncProperty(dims(1, 4, small), dims(1, 4, small), (a, b) =>
        agrees("MatMul", { inputs: [ramp(a), ramp(b)] }),
      ),
      few,
    );
  });
  it("Conv", () =>
    fc.assert(
      fc.asyncProperty(size, size, fc.record(windows), padding, (h, w, attributes, auto_pad) => {
        const pads = auto_pad === "NOTSET" ? attributes.pads : undefined;
        const kernel = attributes.kernel_shape;
        return agrees("Conv", {
          inputs: [ramp([1, 2, h, w]), ramp([3, 2, ...kernel])],
          attributes: { ...attributes, auto_pad, pads },
        });
      }),
      few,
    ));
  it.each(["MaxPool", "AveragePool", "LpPool"] as const)("%s", (op) =>
    fc.assert(
      fc.asyncProperty(
        size,
        size,
        fc.record(windows),
        padding,
        fc.constantFrom(0, 1),
        (h, w, attributes, auto_pad, ceil_mode) => {
          const pads = auto_pad === "NOTSET" ? attributes.pads : undefined;
          return agrees(
            op,
            {
              inputs: [ramp([1, 2, h, w])],
              attributes: { ...attributes, auto_pad, pads, ceil_mode },
            },
            auto_pad.startsWith("SAME"),
          );
        },
      ),
      few,
    ),
  );
  it("ConvTranspose", () =>
    fc.assert(
      fc.asyncProperty(size, size, fc.record(windows), (h, w, attributes) =>
        agrees("ConvTranspose", {
          inputs: [ramp([1, 2, h, w]), ramp([2, 3, ...attributes.kernel_shape])],
          attributes,
        }),
      ),
      few,
    ));
  it("Slice", () => {
    const at = fc.integer({ min: -9, max: 9 });
    const step = fc.constantFrom(-3, -2, -1, 1, 2, 3);
    return fc.assert(
      fc.asyncProperty(dims(2, 3), pair(at), pair(at), pair(step), (shape, starts, ends, steps) =>
        agrees("Slice", {
          inputs: [ramp(shape), int64(starts), int64(ends), int64([0, -1]), int64(steps)],
          weights: [1, 2, 3, 4],
        }),
      ),
      few,
    );
  });
  it("Slice of integers gives the right entries", () => {
    const at = fc.integer({ min: -9, max: 9 });
    return fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer(), { maxLength: 6 }),
        at,
        at,
        fc.constantFrom(-2, -1, 1, 2),
        async (values, start, end, step) => {
          const usage = {
            inputs: [int64(values), int64([start]), int64([end]), int64([0]), int64([step])],
            weights: [0, 1, 2, 3, 4],
          };
          const graph = graphOfCase("Slice", usage);
          const actual = (await runGraph(graph, new Map())).get(outputName(0))!;
          expect(inferTypes(graph).get(outputName(0))?.value?.data).toEqual(actual.data);
        },
      ),
      few,
    );
  });
  it.each(["Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "Equal", "Less"] as const)(
    "%s of integers",
    (op) => {
      const vector = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 3, maxLength: 3 });
      const divisor = fc.integer({ min: -5, max: 5 }).filter((n) => n !== 0);
      return fc.assert(
        fc.asyncProperty(vector, divisor, async (values, other) => {
          const graph = graphOfCase(op, {
            inputs: [int64(values, [3, 1]), int64([other, 7])],
            weights: [0, 1],
          });
          const actual = (await runGraph(graph, new Map())).get(outputName(0))!;
          expect(inferTypes(graph).get(outputName(0))?.value).toEqual(actual);
        }),
        { numRuns: 40 },
      );
    },
  );
  it("Reshape", () => {
    const entry = fc.constantFrom(-1, 0, 1, 2, 3, 4, 6);
    return fc.assert(
      fc.asyncProperty(
        dims(0, 3, fc.constantFrom(0, 1, 2, 3, 4)),
        fc.array(entry, { maxLength: 3 }),
        fc.constantFrom(0, 1),
        (shape, target, allowzero) =>
          agrees(
            "Reshape",
            {
              inputs: [ramp(shape), int64(target)],
              weights: [1],
              attributes: { allowzero },
            },
            shape.includes(0),
          ),
      ),
      few,
    );
  });
  it("Resize", () => {
    const scale = fc.double({ min: 0.2, max: 3, noNaN: true });
    return fc.assert(
      fc.asyncProperty(size, size, scale, scale, (h, w, a, b) =>
        agrees("Resize", { inputs: [ramp([1, 1, h, w]), "", float32([1, 1, a, b])], weights: [2] }),
      ),
      few,
    );
  });
  it("Pad", () => {
    const amount = fc.integer({ min: -2, max: 3 });
    return fc.assert(
      fc.asyncProperty(dims(2, 2), fc.tuple(amount, amount, amount, amount), (shape, pads) =>
        agrees("Pad", { inputs: [ramp(shape), int64(pads)], weights: [1] }),
      ),
      few,
    );
  });
});
