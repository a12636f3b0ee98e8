// Positions and windows by plain loops, a second way.
import { describe, expect, it } from "vitest";
import { broadcastPositions, stridesOf, transposedPositions } from "../../src/graph/elements/positions.ts";
import { type WindowAxis, windows, windowTaps } from "../../src/graph/elements/windows.ts";
import { createRandom } from "../../src/numbers/random.ts";

const random = createRandom("elements");

describe("positions", () => {
  it("of a broadcast repeat axes of size 1, aligned at the right", () => {
    expect([...broadcastPositions([3, 1], [2, 3, 2])]).toEqual([0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2]);
    expect([...broadcastPositions([2, 1, 2], [2, 2, 2])]).toEqual([0, 1, 0, 1, 2, 3, 2, 3]);
  });
  it("of a transposition are those of the axes in their new order", () => {
    expect([...transposedPositions([2, 3], [1, 0])]).toEqual([0, 3, 1, 4, 2, 5]);
    expect(stridesOf([2, 3, 4])).toEqual([12, 4, 1]);
  });
});

/** Taps of one axis: in the input, in the padding (-1), or beyond it (left out). */
function tapsOf(
  { size, kernel, stride, dilation, padBegin, padEnd }: WindowAxis,
  place: number,
): [number, number][] {
  const taps: [number, number][] = [];
  for (let tap = 0; tap < kernel; tap++) {
    const at = place * stride + tap * dilation - padBegin;
    if (at < size + padEnd) taps.push([tap, at >= 0 && at < size ? at : -1]);
  }
  return taps;
}

describe("windows", () => {
  const drawAxis = (): WindowAxis => ({
    size: random.integer(1, 5),
    kernel: random.integer(1, 3),
    output: random.integer(1, 4),
    stride: random.integer(1, 3),
    dilation: random.integer(1, 2),
    padBegin: random.integer(0, 2),
    padEnd: random.integer(0, 2),
  });

  it.each(Array.from({ length: 200 }, (_, k) => k))(
    "case %i: taps in the input, in the padding, beyond",
    () => {
      const axes = [drawAxis(), drawAxis()] as const;
      const [found, others] = [windowTaps(axes), windows(axes)];
      let output = 0;
      for (let p = 0; p < axes[0].output; p++)
        for (let q = 0; q < axes[1].output; q++, output++) {
          const expected = tapsOf(axes[0], p).flatMap(([a, i]) =>
            tapsOf(axes[1], q).map(([b, j]) => ({
              kernel: a * axes[1].kernel + b,
              input: i < 0 || j < 0 ? -1 : i * axes[1].size + j,
            })),
          );
          expect(found[output]).toEqual(expected);
          const inside = expected.filter(({ input }) => input >= 0);
          expect(others[output]).toEqual({
            positions: inside.map(({ input }) => input),
            taps: inside.map(({ kernel }) => kernel),
            paddedCount: expected.length,
          });
        }
    },
  );
});
