// Units that are multiples or negatives of earlier ones, written as such: the same function at every point.
import { expect, it } from "vitest";
import { Probe } from "../../src/bounds/difference/index.ts";
import { networkOf } from "../../src/bounds/linear.ts";
import { withCopies } from "../../src/equivalence/simplify/copied-units.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";

const f64 = { type: "float64" } as const;
const rows = [
  [0.5, -1.25],
  [-0.5, 1.25],
  [1, -2.5],
  [0.75, 0.5],
  [-0.75, -0.5],
];
const biases = [0.25, -0.25, 0.5, -1, 1];

it.each([
  ["Relu", 1],
  ["Tanh", 2],
  ["Sigmoid", 2],
  ["Erf", 2],
  ["Softplus", 0],
] as const)("%s: %i of five units are copies", (op, count) => {
  const source = networkOf(
    graph({ x: float64(1, 2) }, ({ x }) => ({
      y: x
        .affine(tensor(rows, f64), tensor(biases, f64))
        .op(op)
        .affine(tensor([[1, -2, 0.5, 3, 0.7]], f64), tensor([0.1], f64))
        .op(op)
        .affine(tensor([[2]], f64), tensor([0], f64)),
    })),
  );
  const { network, place } = withCopies(source);
  const bends = source.layers.findIndex(({ kind }) => kind !== "linear");
  expect(rows.filter((_, unit) => place(bends, unit).isCopy)).toHaveLength(count);
  const probe = new Probe(source, network);
  const box = { lower: new Float64Array([-2, -2]), upper: new Float64Array([2, 2]) };
  probe.search(box, createRandom(1), { points: 200 });
  expect(probe.scale).toBeGreaterThan(0.1);
  expect(probe.greatest).toBeLessThan(1e-14 * (1 + probe.scale));
});
