import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { layersOf } from "../../src/networks/layers/layers.ts";
import { zigzagSquare } from "../../src/networks/square/zigzags.ts";
import { mostPieces } from "../../src/networks/triangle/folds.ts";
import { sawtooth, sawtoothSpline, triangle, zigzag } from "../../src/networks/triangle/triangle.ts";
import { toNumber } from "../../src/numbers/exact/rational.ts";
import { distanceToQuadratic, l1Distance } from "../../src/passes/distance.ts";
import { evaluate, linearPieces } from "../../src/passes/pieces.ts";
import { sizes } from "../../src/passes/sizes.ts";

describe("the triangle map", () => {
  it("composed 1 to 7 times has 2^L pieces on [0, 1] and 2^L + 2 on the line", () => {
    const onLine = [1, 2, 3, 4, 5, 6, 7].map(
      (L) => linearPieces(triangle(L, { domain: "line" }), -1, 2).knots.length - 1,
    );
    expect(onLine).toEqual([4, 6, 10, 18, 34, 66, 130]);
    expect(linearPieces(triangle(7), 0, 1).knots.length - 1).toBe(128);
  });

  it("composed no times is the identity", () => {
    expect(linearPieces(triangle(0), 0, 1)).toEqual({ knots: [0, 1], values: [0, 1] });
  });

  it("is zero outside [0, 1] on the line", async () => {
    const x = [-5, -0.25, 1.25, 7];
    const { y } = await run(triangle(2, { domain: "line" }), { x: tensor(x, { dims: [4, 1] }) });
    expect([...numbers(y!)]).toEqual([0, 0, 0, 0]);
  });

  it("is the zigzag with two teeth", () => {
    expect(linearPieces(zigzag(2), 0, 1)).toEqual(linearPieces(triangle(), 0, 1));
  });
});

describe("zigzags one after the other", () => {
  it("have the product of their teeth as pieces, from as many units as teeth, without rounding", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }), (teeth) => {
        const network = sawtooth(teeth);
        const f = linearPieces(network, 0, 1);
        expect(f.knots.length - 1).toBe(teeth.reduce((a, b) => a * b, 1));
        expect(f.values.map((v) => Number(v))).toEqual(f.values.map((_, k) => k % 2));
        expect(sizes(network).hiddenUnits).toBe(teeth.reduce((a, b) => a + b, 0));
        expect(layersOf(network).exact).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it("refuse a number of teeth that is none", () => {
    expect(() => zigzag(0)).toThrow(/number of teeth is a whole number of at least 1, not 0/);
    expect(() => zigzag(2.5)).toThrow(/not 2.5/);
  });
});

describe("the spline that follows a sawtooth", () => {
  it("is as far from it as said, with one unit less than pieces", () => {
    for (const pieces of [1, 2, 3, 7, 8, 16]) {
      const network = sawtoothSpline(4, pieces);
      const { lower, upper } = l1Distance(linearPieces(triangle(4), 0, 1), linearPieces(network, 0, 1));
      expect(toNumber(lower)).toBe(pieces === 1 ? 1 / 4 : (1 - (pieces - 1.5) / 16) / 4);
      expect(toNumber(upper)).toBe(toNumber(lower));
      expect(sizes(network).hiddenUnits).toBe(pieces - 1);
    }
  });

  it("refuses more pieces than the sawtooth has", () => {
    expect(() => sawtoothSpline(2, 5)).toThrow(/4 pieces is not approached by more of them, 5/);
  });
});

describe("squaring with zigzags", () => {
  it("interpolates x^2 at equal distances, whatever the teeth", () => {
    for (const teeth of [[1], [2], [4, 2], [2, 8], [2, 2, 4]]) {
      const pieces = teeth.reduce((a, b) => a * b, 1);
      const f = linearPieces(zigzagSquare(teeth), 0, 1);
      expect(f.knots).toEqual(Array.from({ length: pieces + 1 }, (_, k) => k / pieces));
      expect(f.values).toEqual(f.knots.map((t) => toNumber(t) ** 2));
      const lowered = distanceToQuadratic(
        linearPieces(zigzagSquare(teeth, { best: "sup" }), 0, 1),
        [0, 0, 1],
      );
      expect(toNumber(lowered.sup)).toBe(1 / (8 * pieces ** 2));
    }
  });

  it("has widths q, q + 1, ..., and rounds only where teeth are no powers of two", () => {
    expect(sizes(zigzagSquare([4, 2, 8])).widths).toEqual([4, 3, 9]);
    const thirds = distanceToQuadratic(linearPieces(zigzagSquare([3, 3]), 0, 1), [0, 0, 1]);
    expect(toNumber(thirds.sup)).toBeCloseTo(1 / (4 * 81), 14);
  });
});

describe("folds", () => {
  it("reach prod (width + 1) pieces for widths of at least 3", () => {
    for (const widths of [[3], [8], [3, 3], [3, 3, 3], [5, 4, 3], [3, 7, 4], [4, 4, 4]]) {
      const pieces = linearPieces(mostPieces(widths), -(2 ** 20), 2 ** 20).knots.length - 1;
      expect(pieces).toBe(widths.reduce((all, m) => all * (m + 1), 1));
    }
  });

  it("say why smaller widths are refused", () => {
    expect(() => mostPieces([3, 2])).toThrow(/layer 2 has the width 2/);
  });

  it("run alike on ONNX Runtime", async () => {
    const network = mostPieces([3, 4, 3]);
    const x = Float64Array.from({ length: 501 }, (_, k) => k / 50 - 3);
    const { y } = await run(network, { x: tensor(x, { dims: [501, 1] }) });
    const f = linearPieces(network, -3, 7);
    numbers(y!).forEach((value, k) => {
      expect(value).toBeCloseTo(toNumber(evaluate(f, x[k]!)), 9);
    });
  });
});
