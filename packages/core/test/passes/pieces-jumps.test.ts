// Functions with jumps: values at the jumps and limits on both sides of them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { toNumber } from "../../src/numbers/exact/rational.ts";
import { evaluate, limitsOf, linearPieces } from "../../src/passes/pieces.ts";

const of = (body: (x: Value) => Value): Graph => graph({ x: float64("N", 1) }, ({ x }) => ({ y: body(x) }));
const heaviside = (x: Value): Value => x.op("GreaterOrEqual", [[0]]).cast("float64");

describe("pieces with jumps", () => {
  it("of a step have a value and two limits", () => {
    const atLeast = linearPieces(
      of((x) => heaviside(x.sub(0.5))),
      0,
      1,
    );
    expect(atLeast).toEqual({
      knots: [0, 0.5, 1],
      values: [0, 1, 1],
      limits: { left: [0, 0, 1], right: [0, 1, 1] },
    });
    const above = linearPieces(
      of((x) => x.op("Greater", [[0.5]]).cast("float64")),
      0,
      1,
    );
    expect(above.values).toEqual([0, 0, 1]);
    expect(limitsOf(above)).toEqual({ left: [0, 0, 1], right: [0, 1, 1] });
    const sign = linearPieces(
      of((x) => x.op("Sign")),
      -1,
      1,
    );
    expect(sign.values).toEqual([-1, 0, 1]);
    expect(sign.limits).toEqual({ left: [-1, -1, 1], right: [-1, 1, 1] });
  });

  it("may be at the ends of the interval", () => {
    const f = linearPieces(
      of((x) => x.op("Greater", [[0]]).cast("float64")),
      0,
      1,
    );
    expect(f).toEqual({ knots: [0, 1], values: [0, 1], limits: { left: [0, 1], right: [1, 1] } });
    const g = linearPieces(
      of((x) => x.op("Equal", [[1]]).cast("float64")),
      0,
      1,
    );
    expect(g).toEqual({ knots: [0, 1], values: [0, 1], limits: { left: [0, 0], right: [0, 1] } });
  });

  it("of a staircase are its steps", () => {
    const f = linearPieces(
      of((x) => x.mul(4).op("Floor")),
      0,
      1,
    );
    expect(f.knots).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(f.values).toEqual([0, 1, 2, 3, 4]);
    expect(f.limits).toEqual({ left: [0, 0, 1, 2, 3], right: [0, 1, 2, 3, 4] });
    const rounded = linearPieces(
      of((x) => x.op("Round")),
      0,
      2,
    );
    expect(rounded.values).toEqual([0, 0, 2, 2]); // 1/2 goes to 0 and 3/2 to 2
    expect(rounded.limits!.right).toEqual([0, 1, 2, 2]);
    const fractional = linearPieces(
      of((x) => x.sub(x.op("Floor"))),
      0,
      2.5,
    );
    expect(fractional.knots).toEqual([0, 1, 2, 2.5]);
    expect(fractional.limits).toEqual({ left: [0, 1, 1, 0.5], right: [0, 0, 0, 0.5] });
  });

  it("disappear where the jumps cancel", () => {
    const f = linearPieces(
      of((x) => heaviside(x).mul(x)),
      -1,
      1,
    ); // relu
    expect(f).toEqual(
      linearPieces(
        of((x) => x.relu()),
        -1,
        1,
      ),
    );
    const g = linearPieces(
      of((x) => heaviside(x).add(x.op("Less", [[0]]).cast("float64"))),
      -1,
      1,
    );
    expect(g.knots).toEqual([-1, 1]);
  });

  it("choose by conditions that change", () => {
    const f = linearPieces(
      of((x) => x.op("Less", [[0.25]]).op("Where", [x, x.mul(2)])),
      0,
      1,
    );
    expect(f.knots).toEqual([0, 0.25, 1]);
    expect(f.values).toEqual([0, 0.5, 2]);
    expect(f.limits!.left).toEqual([0, 0.25, 2]);
    const band = linearPieces(
      of((x) =>
        x
          .op("Less", [[0.75]])
          .op("And", [x.op("Greater", [[0.25]])])
          .cast("float64"),
      ),
      0,
      1,
    );
    expect(band.values).toEqual([0, 0, 0, 0]);
    expect(band.limits!.right).toEqual([0, 1, 0, 0]);
    const outside = linearPieces(
      of((x) =>
        x
          .op("Less", [[0.25]])
          .op("Xor", [x.op("Less", [[0.75]])])
          .op("Not")
          .cast("float64"),
      ),
      0,
      1,
    );
    expect(outside.values).toEqual([1, 0, 1, 1]);
  });

  it("refuse more steps than anybody wants", () => {
    expect(() =>
      linearPieces(
        of((x) => x.mul(1e9).op("Floor")),
        0,
        1,
      ),
    ).toThrow(/Floor node "floor": it would have more than \d+ steps/);
  });

  const dyadic = fc.integer({ min: -16, max: 16 }).map((k) => k / 4);
  const vector = (length: number) => fc.array(dyadic, { minLength: length, maxLength: length });
  const threshold = fc.record({
    first: vector(4),
    bias: vector(4),
    second: fc.array(vector(4), { minLength: 3, maxLength: 3 }),
    bias2: vector(3),
    out: vector(3),
    skip: dyadic,
  });

  it("agree with the runtime on threshold networks, at the jumps and between them", async () => {
    await fc.assert(
      fc.asyncProperty(threshold, async ({ first, bias, second, bias2, out, skip }) => {
        const net = of((x) => {
          const h = heaviside(
            x.affine(
              first.map((w) => [w]),
              bias,
            ),
          );
          return heaviside(h.affine(second, bias2).add(x.mul(skip)))
            .affine([out])
            .add(x.op("Floor"));
        });
        const f = linearPieces(net, -2, 2);
        const inside = f.knots.map(toNumber).filter((t) => Number.isInteger(t * 2 ** 20));
        const grid = [...inside, ...Array.from({ length: 100 }, (_, k) => -2 + (4 * k + 2) / 101 - 1 / 2003)];
        const { y } = await run(net, { x: tensor(grid, { dims: [grid.length, 1] }) });
        numbers(y!).forEach((value, k) => {
          expect(toNumber(evaluate(f, grid[k]!))).toBe(value);
        });
        // Limits are values close by.
        const { left, right } = limitsOf(f);
        f.knots.slice(1, -1).forEach((t, k) => {
          const x = toNumber(t);
          expect(toNumber(evaluate(f, x - 1e-9))).toBeCloseTo(toNumber(left[k + 1]!), 6);
          expect(toNumber(evaluate(f, x + 1e-9))).toBeCloseTo(toNumber(right[k + 1]!), 6);
        });
      }),
      { numRuns: 60 },
    );
  });
});
