// Gradient rules of arithmetic and reductions against central differences at random shapes and attributes.
import fc from "fast-check";
import { describe, it } from "vitest";
import { agrees, at, integers, runs, shapeAndAxis, shapeOf } from "./gradient-random.ts";

/** Two shapes that fit together. */
const broadcastable = shapeOf(0, 3).chain((shape) =>
  fc.tuple(
    fc.tuple(...shape.map((d) => fc.constantFrom(1, d))),
    fc.tuple(...shape.map((d) => fc.constantFrom(1, d))),
    fc.integer({ min: 0, max: shape.length }),
  ),
);

describe("random shapes: arithmetic", () => {
  it.each(["Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "PRelu"] as const)("%s", async (op) => {
    const positive: readonly [number, number] = [0.3, 2.3];
    await fc.assert(
      fc.asyncProperty(broadcastable, async ([a, b, cut]) => {
        const left = op === "PRelu" ? a.map((d, k) => Math.max(d, b[k]!)) : a;
        await agrees([left, b.slice(cut)], (x, y) => x!.op(op, [y!]), positive);
      }),
      runs,
    );
  });
  it("activations with attributes", async () => {
    const parameter = fc.integer({ min: 1, max: 20 }).map((k) => k / 8);
    const op = fc.constantFrom("LeakyRelu", "Elu", "Celu", "ThresholdedRelu");
    await fc.assert(
      fc.asyncProperty(op, shapeOf(0, 3), parameter, (name, shape, alpha) =>
        agrees([shape], (x) => x!.op(name, [], { alpha })),
      ),
      runs,
    );
    await fc.assert(
      fc.asyncProperty(shapeOf(0, 3), parameter, parameter, async (shape, alpha, gamma) => {
        await agrees([shape], (x) => x!.op("Selu", [], { alpha, gamma }));
        await agrees([shape], (x) => x!.op("HardSigmoid", [], { alpha, beta: gamma - 1 }));
      }),
      runs,
    );
  });
});

describe("random shapes: reductions", () => {
  const reduction = shapeOf(1, 3).chain((shape) =>
    fc.record({
      shape: fc.constant(shape),
      axes: fc.subarray([...shape.keys()]),
      fromEnd: fc.boolean(),
      keepdims: fc.constantFrom(0, 1),
      noop_with_empty_axes: fc.constantFrom(0, 1),
    }),
  );
  it.each([
    "ReduceSum",
    "ReduceMean",
    "ReduceMax",
    "ReduceMin",
    "ReduceProd",
    "ReduceL1",
    "ReduceL2",
    "ReduceSumSquare",
    "ReduceLogSum",
    "ReduceLogSumExp",
  ] as const)("%s", async (op) => {
    const positive: readonly [number, number] | undefined = op === "ReduceLogSum" ? [0.3, 2.3] : undefined;
    await fc.assert(
      fc.asyncProperty(reduction, ({ shape, axes, fromEnd, ...attributes }) => {
        const listed = integers(axes.map((k) => (fromEnd ? k - shape.length : k)));
        return agrees([shape], (x) => x!.op(op, [listed], attributes), positive);
      }),
      runs,
    );
  });
  it("CumSum", async () => {
    const flag = fc.constantFrom(0, 1);
    await fc.assert(
      fc.asyncProperty(shapeAndAxis, flag, flag, ([shape, axis], exclusive, reverse) =>
        agrees([shape], (x) => x!.op("CumSum", [integers([axis], [])], { exclusive, reverse })),
      ),
      runs,
    );
  });
  it("TopK", async () => {
    await fc.assert(
      fc.asyncProperty(shapeAndAxis, fc.nat(), fc.constantFrom(0, 1), ([shape, axis], n, largest) => {
        const k = integers([1 + (n % at(shape, axis))]);
        return agrees([shape], (x) => x!.builder.apply("TopK", [x!, k], { axis, largest }, 2)[0]!);
      }),
      runs,
    );
  });
});
