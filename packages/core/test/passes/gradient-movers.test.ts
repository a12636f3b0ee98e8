// Gradient rules of operators that move numbers against central differences at random shapes and attributes.
import fc from "fast-check";
import { describe, it } from "vitest";
import { elementCount, tensor } from "../../src/graph/tensor.ts";
import { agrees, at, indicesInto, integers, runs, shapeAndAxis, shapeOf } from "./gradient-random.ts";

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
        // What comes back is multiplied on: its shape must be right, not only its size.
        await agrees([shape], (x) => x!.sin().op("Tile", [integers(times)]));
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
  it("Tile that keeps nothing, and Gather by integers of 32 bits", async () => {
    await agrees([[2, 3], [1]], (x, y) =>
      x!
        .sin()
        .op("Tile", [integers([1, 0])])
        .sum([0, 1], 1)
        .add(y!),
    );
    const places = (values: number[], dims: number[]) => tensor(values, { type: "int32", dims });
    for (const axis of [0, 1]) {
      await agrees([[4, 3]], (x) => x!.op("Gather", [places([1, 1, 0], [3])], { axis }));
      await agrees([[4, 3]], (x) => x!.op("Gather", [places([1, 1, 0, -1], [2, 2])], { axis }));
    }
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
