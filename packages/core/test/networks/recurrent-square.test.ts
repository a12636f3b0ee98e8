import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { readModel, writeModel } from "../../src/graph/onnx/index.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { recurrentSquare, unrolledSquare } from "../../src/networks/square/recurrent.ts";
import { square } from "../../src/networks/square/square.ts";
import { linearPieces } from "../../src/passes/pieces.ts";

const x = Float64Array.from({ length: 257 }, (_, k) => k / 256);
const batch = tensor(x, { dims: [257, 1] });
const steps = (count: number) => tensor(count, { type: "int64" });

describe("the recurrent network that squares", () => {
  it("has the error 4^-(T+1) after T steps, as a Loop on ONNX Runtime", async () => {
    const network = recurrentSquare();
    for (let T = 0; T <= 7; T++) {
      const y = numbers((await run(network, { x: batch, steps: steps(T) })).y!);
      const error = x.reduce((worst, t, k) => Math.max(worst, Math.abs(y[k]! - t * t)), 0);
      expect(error).toBe(4 ** -(T + 1));
    }
  });

  it("survives the way through an ONNX file", async () => {
    const again = readModel(writeModel(recurrentSquare()));
    const y = numbers((await run(again, { x: batch, steps: steps(20) })).y!);
    expect(x.every((t, k) => Math.abs(y[k]! - t * t) < 1e-12)).toBe(true);
  });

  it("unrolled is the squaring network as a function", () => {
    for (const T of [1, 4])
      expect(linearPieces(unrolledSquare(T), 0, 1)).toEqual(linearPieces(square(T), 0, 1));
  });
});
