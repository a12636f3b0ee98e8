// Constructions without a bound on the rounding of their run: ONNX Runtime in f64 against exact pieces.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { sawtoothSpline, takagi, triangle, zigzag, zigzagSquare } from "../../src/networks/index.ts";
import { toNumber } from "../../src/numbers/exact/rational.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { evaluate, linearPieces } from "../../src/passes/pieces.ts";

const cases: readonly (readonly [string, Graph])[] = [
  ["takagi, 12 terms, ratio 1/2", takagi(12, 0.5)],
  ["takagi, 12 terms, ratio 1/4", takagi(12, 0.25)],
  ["takagi, 10 terms, ratio 0.7", takagi(10, 0.7)],
  ["zigzag of 1000 teeth", zigzag(1000)],
  ["triangle map, 12 times", triangle(12)],
  ["sawtooth spline", sawtoothSpline(6, 20)],
  ["x^2 from zigzags", zigzagSquare([8, 6, 5])],
];

describe("in f64 on ONNX Runtime", () => {
  it.each(cases)("%s is the real function of its weights to 1e-12", async (_, net) => {
    const pieces = linearPieces(net, 0, 1);
    const random = createRandom(3);
    const at = [...Array.from(random.uniform(400)), 0, 0.5, 1, 1 / 3, 2 ** -20, 1 - 2 ** -53];
    const { inputs, outputs } = net;
    const found = await run(net, { [inputs[0]!.name]: tensor(at, { dims: [at.length, 1] }) });
    const values = numbers(found[outputs[0]!.name]!);
    const gaps = at.map((x, k) => Math.abs(values[k]! - toNumber(evaluate(pieces, x))));
    expect(Math.max(...gaps)).toBeLessThan(1e-12);
  });
});
