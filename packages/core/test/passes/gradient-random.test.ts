// Gradient rules against central differences at random shapes and attributes.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { release } from "../../src/engine/session.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { elementCount, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { gridPoints } from "./gradient-cases.ts";
import { checkGradient } from "./gradient-check.ts";

const runs = { numRuns: 25, seed: 20260 };
const integers = (values: readonly number[], dims: readonly number[] = [values.length]) =>
  tensor(values, { type: "int64", dims });

/** Central differences agree at numbers of a grid without ties, between low and high. */
async function agrees(
  shapes: readonly (readonly number[])[],
  f: (...x: Value[]) => Value,
  [low, high]: readonly [number, number] = [-2.2, 2.3],
): Promise<void> {
  const names = shapes.map((_, k) => `x${k}`);
  const types = Object.fromEntries(names.map((name, k) => [name, float64(...shapes[k]!)]));
  const net = graph(types, (given) => ({ y: f(...names.map((name) => given[name]!)) }));
  const counts = shapes.map(elementCount);
  const points = gridPoints(
    counts.reduce((a, b) => a + b, 0),
    [low, high],
    7,
  );
  const inputs = names.map((name, k) => {
    const dims = shapes[k]!;
    return [name, tensor(points.splice(0, counts[k]!), { type: "float64", dims })] as const;
  });
  const { error, gradient } = await checkGradient(net, Object.fromEntries(inputs), { directions: 1 });
  await Promise.all([release(net), release(gradient)]);
  expect(error).toBeLessThan(1e-6);
}

const shapeOf = (min: number, max: number) =>
  fc.array(fc.integer({ min: 1, max: 4 }), { minLength: min, maxLength: max });
/** A shape and one of its axes, counted from either end. */
const shapeAndAxis = shapeOf(1, 3).chain((shape) =>
  fc.tuple(fc.constant(shape), fc.integer({ min: -shape.length, max: shape.length - 1 })),
);
const indicesInto = (size: number, count: number) =>
  fc.array(fc.integer({ min: -size, max: size - 1 }), { minLength: count, maxLength: count });
const at = <T>(list: readonly T[], k: number): T => list.at(k)!;

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

describe("random shapes: movers", () => {
  const bound = fc.integer({ min: -6, max: 6 });
  const step = fc.constantFrom(-3, -2, -1, 1, 2, 3);
  it("Slice", async () => {
    await fc.assert(
      fc.asyncProperty(shapeAndAxis, bound, bound, step, ([shape, axis], start, end, by) =>
        agrees([shape], (x) =>
          x!.op(
            "Slice",
            [start, end, axis, by].map((n) => integers([n])),
          ),
        ),
      ),
      { ...runs, numRuns: 60 },
    );
  });
  it("Pad", async () => {
    const mode = fc.constantFrom("constant", "edge", "reflect", "wrap");
    const amount = fc.integer({ min: -1, max: 3 });
    await fc.assert(
      fc.asyncProperty(shapeAndAxis, mode, amount, amount, async ([shape, axis], mode, before, after) => {
        const size = at(shape, axis);
        // Reflection and wrapping reach as far as there are elements left.
        const reach = mode === "constant" || mode === "edge" ? 3 : size - 3;
        fc.pre(size + Math.min(0, before) + Math.min(0, after) > 0 && Math.max(before, after) <= reach);
        const pads = integers([before, after]);
        const attributes = { mode };
        await agrees([shape], (x) => x!.op("Pad", [pads, undefined, integers([axis])], attributes));
        if (mode === "constant")
          await agrees([shape, []], (x, fill) => x!.op("Pad", [pads, fill!, integers([axis])]));
      }),
      { ...runs, numRuns: 40 },
    );
  });
  it("Tile, Expand and Transpose", async () => {
    const repeated = shapeOf(1, 3).chain((shape) =>
      fc.tuple(fc.constant(shape), fc.tuple(...shape.map(() => fc.integer({ min: 1, max: 3 })))),
    );
    await fc.assert(
      fc.asyncProperty(repeated, async ([shape, times]) => {
        await agrees([shape], (x) => x!.op("Tile", [integers(times)]));
        const target = integers([2, ...shape]);
        await agrees([shape.map((d, k) => (times[k] === 1 ? d : 1))], (x) => x!.op("Expand", [target]));
        const perm = [...shape.keys()].toSorted((a, b) => times[a]! - times[b]! || b - a);
        await agrees([shape], (x) => x!.transpose(perm));
      }),
      runs,
    );
  });
  it("Concat and Split", async () => {
    await fc.assert(
      fc.asyncProperty(shapeAndAxis, fc.integer({ min: 1, max: 3 }), async ([shape, axis], more) => {
        const k = axis < 0 ? axis + shape.length : axis;
        const other = shape.with(k, more);
        await agrees([shape, other, shape], (x, y, z) => x!.concat([y!, z!], axis));
        const sizes = integers([1, more]);
        await agrees([shape.with(k, more + 1)], (x) => {
          const [first, last] = x!.builder.apply("Split", [x!, sizes], { axis }, 2);
          return first!.op("ReduceSumSquare").add(last!.op("ReduceLogSumExp"));
        });
      }),
      runs,
    );
  });
  it("Gather with repeated and negative indices of any rank", async () => {
    const picked = shapeAndAxis.chain(([shape, axis]) =>
      shapeOf(0, 2).chain((dims) =>
        fc.tuple(fc.constant([shape, axis, dims] as const), indicesInto(at(shape, axis), elementCount(dims))),
      ),
    );
    await fc.assert(
      fc.asyncProperty(picked, ([[shape, axis, dims], indices]) =>
        agrees([shape], (x) => x!.gather(integers(indices, dims), axis)),
      ),
      { ...runs, numRuns: 40 },
    );
  });
  it("GatherElements, ScatterElements with each reduction", async () => {
    const picked = shapeAndAxis.chain(([shape, axis]) =>
      fc.tuple(fc.constant([shape, axis] as const), indicesInto(at(shape, axis), elementCount(shape))),
    );
    await fc.assert(
      fc.asyncProperty(
        picked,
        fc.constantFrom("add", "max", "min"),
        async ([[shape, axis], list], reduction) => {
          const indices = integers(list, shape);
          await agrees([shape], (x) => x!.op("GatherElements", [indices], { axis }));
          await agrees([shape, shape], (x, u) =>
            x!.op("ScatterElements", [indices, u!], { axis, reduction }),
          );
          const scale = tensor(
            list.map((_, k) => 1 + k / 8),
            { type: "float64", dims: shape },
          );
          await agrees([shape], (x) =>
            x!.op("ScatterElements", [indices, scale], { axis, reduction: "mul" }),
          );
        },
      ),
      runs,
    );
  });
  it("GatherND with batch dimensions, ScatterND with each reduction", async () => {
    const picked = fc.tuple(fc.nat(1), fc.nat(1), shapeOf(3, 3)).chain(([batch, extra, shape]) =>
      indicesInto(Math.min(...shape), shape[0]! * 2 * (1 + extra)).map((list) => ({
        batch,
        extra,
        shape,
        list,
      })),
    );
    await fc.assert(
      fc.asyncProperty(
        picked,
        fc.constantFrom("add", "max", "min"),
        async ({ batch, extra, shape, list }, by) => {
          const indices = integers(list, [shape[0]!, 2, 1 + extra]);
          await agrees([shape], (x) => x!.op("GatherND", [indices], { batch_dims: batch }));
          const updates = [shape[0]!, 2, ...shape.slice(1 + extra)];
          await agrees([shape, updates], (x, u) => x!.op("ScatterND", [indices, u!], { reduction: by }));
        },
      ),
      runs,
    );
  });
  it("Trilu, Compress and ReverseSequence", async () => {
    const matrix = fc.tuple(shapeOf(2, 3), fc.integer({ min: -3, max: 3 }), fc.constantFrom(0, 1));
    await fc.assert(
      fc.asyncProperty(matrix, async ([shape, k, upper]) => {
        await agrees([shape], (x) => x!.op("Trilu", [integers([k], [])], { upper }));
        const chosen = tensor(
          Array.from({ length: shape[1]! }, (_, i) => (i + k) & 1),
          { type: "bool" },
        );
        await agrees([shape], (x) => x!.op("Compress", [chosen], { axis: 1 }).op("ReduceSumSquare"));
        const lengths = integers(Array.from({ length: shape[1]! }, (_, i) => 1 + ((i + k + 3) % shape[0]!)));
        await agrees([shape], (x) => x!.op("ReverseSequence", [lengths]));
        await agrees([shape], (x) => x!.op("ReverseSequence", [lengths], { time_axis: 0, batch_axis: 1 }));
      }),
      runs,
    );
  });
  it("blocks to channels and back", async () => {
    const size = fc.integer({ min: 1, max: 2 });
    await fc.assert(
      fc.asyncProperty(size, size, size, fc.constantFrom("DCR", "CRD"), async (n, h, w, mode) => {
        await agrees([[n, 8, h, w]], (x) => x!.op("DepthToSpace", [], { blocksize: 2, mode }));
        await agrees([[n, 2, 2 * h, 2 * w]], (x) => x!.op("SpaceToDepth", [], { blocksize: 2 }));
      }),
      { ...runs, numRuns: 10 },
    );
  });
  it("OneHot and Range", async () => {
    await fc.assert(
      fc.asyncProperty(indicesInto(3, 4), fc.integer({ min: -2, max: 1 }), async (list, axis) => {
        const indices = integers(list);
        await agrees(
          [[2]],
          (values) => values!.builder.apply("OneHot", [indices, integers([3], []), values!], { axis })[0]!,
        );
        await agrees(
          [[], []],
          (start, delta) => {
            const limit = start!.add(delta!.mul(3.5));
            return start!.op("Range", [limit, delta!]).op("ReduceSumSquare");
          },
          [0.3, 2.3],
        );
      }),
      runs,
    );
  });
});
