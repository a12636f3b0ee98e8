// x[start : end : step] with starts, ends and steps at and beyond the ends of the axis and of 64-bit integers, in every
// pass, against ONNX Runtime. PyTorch writes INT64_MAX for "to the end": read as -1 it gave an empty tensor, and 0 .. 0
// as bounds of what was computed from it.
import { describe, expect, it } from "vitest";
import { linearBounds } from "../../src/bounds/linear.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { inferTypes } from "../../src/graph/infer.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { toNumber } from "../../src/numbers/exact/rational.ts";
import { intervalBounds } from "../../src/passes/interval.ts";
import { jacobianBounds } from "../../src/passes/lipschitz.ts";
import { evaluate, piecesAlong } from "../../src/passes/pieces.ts";
import { boxSlice, outputsAt, planeRegions } from "../../src/passes/regions/index.ts";
import { graphWith, nodeWith, runGraph } from "../graph/operators-runtime.ts";

const greatest = 2n ** 63n - 1n;
const least = -(2n ** 63n);
const size = 3;
const places = [least, least + 1n, -4n, -3n, -1n, 0n, 2n, 3n, 4n, 2n ** 31n - 1n, greatest - 1n, greatest];
const steps = [1n, 2n, greatest, -1n, -2n, least + 1n];

const integer = (value: bigint): Tensor => ({ type: "int64", dims: [1], data: BigInt64Array.of(value) });

/** y = relu(x)[start : end : step] along the last axis, and the sum of it. */
const sliceOf = (start: bigint, end: bigint, step: bigint): Graph =>
  graphWith({
    inputs: [{ name: "x", type: { type: "float32", shape: [1, size] } }],
    outputs: [
      { name: "y", type: { type: "float32" } },
      { name: "sum", type: { type: "float32" } },
    ],
    nodes: [
      nodeWith("Relu", ["x"], ["positive"]),
      nodeWith("Slice", ["positive", "start", "end", "axis", "step"], ["y"]),
      nodeWith("ReduceSum", ["y"], ["sum"]),
    ],
    initializers: new Map([
      ["start", integer(start)],
      ["end", integer(end)],
      ["axis", integer(-1n)],
      ["step", integer(step)],
    ]),
  });

const point = tensor([0.25, -1, 2], { type: "float32", dims: [1, size] });
const box = { lower: [-1, -2, 1], upper: [0.5, 3, 2] };
const plane = { lower: [0.25, -1, 1], upper: [0.25, 1, 2] };

/** Backwards to INT_MAX means the last position by the standard, and before the first one in ONNX Runtime. */
const isAmbiguous = (end: bigint, step: bigint): boolean =>
  step < 0n && (end === 2n ** 31n - 1n || end >= greatest - 1n);

const all = places.flatMap((start) =>
  places.flatMap((end) => steps.map((step) => ({ start, end, step, graph: sliceOf(start, end, step) }))),
);

const cases = all.filter(({ end, step }) => !isAmbiguous(end, step));

describe("Slice at and beyond its ends", () => {
  it("has the runtime's shape, and its values within the bounds of the interval pass", async () => {
    for (const { start, end, step, graph } of cases) {
      const label = `x[${start}:${end}:${step}]`;
      const results = await runGraph(graph, new Map([["x", point]]));
      const { dims, data } = results.get("y")!;
      expect(inferTypes(graph).get("y")?.shape, label).toEqual(dims);
      if (dims.includes(0)) {
        // Reductions of nothing are refused: the runtime gives them shapes of its own.
        expect(() => intervalBounds(graph, { x: box }), label).toThrow(/ReduceSum node/);
        continue;
      }
      const exact = { x: { lower: numbers(point), upper: numbers(point) } };
      expect([...intervalBounds(graph, exact).get("y")!.lower], label).toEqual([...(data as Float32Array)]);
      const sum = intervalBounds(graph, { x: box }).get("sum")!;
      const value = numbers(results.get("sum")!)[0]!;
      expect(sum.lower[0], label).toBeLessThanOrEqual(value);
      expect(sum.upper[0], label).toBeGreaterThanOrEqual(value);
    }
  });

  it("is the same function to pieces, regions, linear bounds and derivatives", async () => {
    for (const { start, end, step, graph } of cases) {
      const label = `x[${start}:${end}:${step}]`;
      const results = await runGraph(graph, new Map([["x", point]]));
      const computed = [...results.values()].flatMap((t) => [...numbers(t)]);
      if (computed.length === 1) continue;
      const pieces = piecesAlong(
        graph,
        { x: point },
        { x: tensor([1, 1, 1], { type: "float32", dims: [1, size] }) },
      );
      const atStart = Object.values(pieces).flatMap(({ components }) =>
        components.map((f) => toNumber(evaluate(f, 0))),
      );
      expect(atStart, label).toEqual(computed);
      const { lower, upper } = linearBounds(graph, box);
      computed.forEach((value, k) => {
        expect(lower[k], label).toBeLessThanOrEqual(value);
        expect(upper[k], label).toBeGreaterThanOrEqual(value);
      });
      const { regions } = await planeRegions(graph, boxSlice(plane.lower, plane.upper), { keep: true });
      const here = regions.find(({ corners }) => corners.some(([u, v]) => u === -1 && v === 2));
      expect([...outputsAt(here!, -1, 2)], label).toEqual(computed);
      const slopes = jacobianBounds(graph, { x: { lower: numbers(point), upper: numbers(point) } });
      const sumRow = slopes.upper.subarray((slopes.rows - 1) * size);
      const shifted = new Map([["x", tensor([1.25, -1, 3], { type: "float32", dims: [1, size] })]]);
      const rise = numbers((await runGraph(graph, shifted)).get("sum")!)[0]! - computed.at(-1)!;
      expect(sumRow[0]! + sumRow[2]!, label).toBe(rise);
    }
  });

  it("is refused where the runtime and the standard differ", async () => {
    for (const { start, end, step, graph } of all.filter((c) => isAmbiguous(c.end, c.step))) {
      const label = `x[${start}:${end}:${step}]`;
      expect(() => intervalBounds(graph, { x: box }), label).toThrow(/Slice node "the Slice"/);
      expect(() => linearBounds(graph, box), label).toThrow(/Slice/);
      expect(() => piecesAlong(graph, { x: point }, { x: point }), label).toThrow(/shape/);
      await expect(planeRegions(graph, boxSlice(plane.lower, plane.upper)), label).rejects.toThrow(/Slice/);
    }
  });
});
