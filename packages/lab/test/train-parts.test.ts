import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diverging, heatImage, mix, parseRgb, weightImage } from "../src/train/colours.ts";
import { zeroContour } from "../src/train/contour.ts";
import { digitSide, normalizedDigit } from "../src/train/digit.ts";
import { emptyCourse, extended } from "../src/train/history.ts";
import { decades } from "../src/train/log-scale.ts";
import { contrast, guessesFrom, histogram, marginsFrom, probabilities } from "../src/train/margins.ts";

describe("a drawn digit", () => {
  const drawing = (width: number, height: number, inked: (x: number, y: number) => boolean) => ({
    width,
    height,
    ink: Float32Array.from({ length: width * height }, (_, k) =>
      inked(k % width, Math.floor(k / width)) ? 1 : 0,
    ),
  });
  const moments = (digit: Float32Array) => {
    let [mass, x, y] = [0, 0, 0];
    digit.forEach((v, k) => {
      mass += v;
      x += v * ((k % digitSide) + 0.5);
      y += v * (Math.floor(k / digitSide) + 0.5);
    });
    return { mass, x: x / mass, y: y / mass };
  };

  it("is nothing where nothing is drawn", () => {
    expect(normalizedDigit(drawing(50, 50, () => false))).toBeUndefined();
  });

  it("has its centre of mass in the middle as far as its box of 20 x 20 stays inside", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 90 }),
        fc.integer({ min: 0, max: 90 }),
        fc.integer({ min: 4, max: 49 }),
        fc.integer({ min: 4, max: 49 }),
        (left, top, across, down) => {
          // An L: its centre of mass is not that of its frame.
          const digit = normalizedDigit(
            drawing(
              140,
              140,
              (x, y) =>
                x >= left &&
                x < left + across &&
                y >= top &&
                y < top + down &&
                (x < left + 3 || y >= top + down - 3),
            ),
          )!;
          const inked = [...digit.keys()].filter((k) => digit[k]! > 0);
          const places = [inked.map((k) => k % digitSide), inked.map((k) => Math.floor(k / digitSide))];
          const ends = places.map((all) => [Math.min(...all), Math.max(...all) + 1] as const);
          expect(Math.max(...ends.map(([from, to]) => to - from))).toBe(20);
          const { x, y } = moments(digit);
          for (const [k, centre] of [x, y].entries()) {
            // A lopsided one stops at the border of the picture.
            const [from, to] = ends[k]!;
            const [isLow, isHigh] = [from === 0, to === digitSide];
            if (!isLow) expect(centre).toBeLessThanOrEqual(14.5 + 1e-4);
            if (!isHigh) expect(centre).toBeGreaterThanOrEqual(13.5 - 1e-4);
          }
          expect(Math.max(...digit)).toBeLessThanOrEqual(1 + 1e-6);
        },
      ),
      { numRuns: 60, examples: [[0, 0, 44, 45]] },
    );
  });

  it("does not depend on where and how large it is drawn", () => {
    const bar = (scale: number, shift: number) =>
      normalizedDigit(
        drawing(140, 140, (x, y) => x >= shift && x < shift + 2 * scale && y >= 10 && y < 10 + 10 * scale),
      )!;
    expect(bar(3, 20)).toEqual(bar(6, 71));
  });
});

describe("scores", () => {
  it("have margins: the right score less the best other one", () => {
    expect([...marginsFrom([1, 3, 2, 0.5, 0, 4], Uint8Array.of(1, 0))]).toEqual([1, -3.5]);
    expect([...marginsFrom([2, -3], Uint8Array.of(1, 1))]).toEqual([2, -3]);
    expect([...marginsFrom([2, -3], Uint8Array.of(0, 0))]).toEqual([-2, 3]);
  });

  it("name a class, and compare two", () => {
    expect([...guessesFrom([0, 5, 1, 9, 2, 3], 3)]).toEqual([1, 0]);
    expect([...contrast(Float32Array.of(1, 4, 2, 0), 2)]).toEqual([3, -2]);
    expect([...contrast(Float32Array.of(1, 4), 1)]).toEqual([1, 4]);
  });

  it("give probabilities, however great they are", () => {
    expect(probabilities([0])).toEqual([0.5, 0.5]);
    const [a, b] = probabilities([1000, 1001]);
    expect(a! + b!).toBeCloseTo(1, 12);
    expect(b! / a!).toBeCloseTo(Math.E, 9);
  });

  it("fall into cells, with 0 on a border", () => {
    fc.assert(
      fc.property(fc.array(fc.float({ min: -1000, max: 1000, noNaN: true }), { minLength: 1 }), (values) => {
        const { from, to, counts } = histogram(values);
        const size = (to - from) / counts.length;
        expect(counts.reduce((n, c) => n + c, 0)).toBe(values.length);
        expect(Math.abs(from / size - Math.round(from / size))).toBeLessThan(1e-6);
        const right = counts.filter((_, k) => from + (k + 0.5) * size > 0).reduce((n, c) => n + c, 0);
        expect(right).toBe(values.filter((v) => v >= 0).length);
      }),
    );
  });
});

describe("pictures", () => {
  const palette = { negative: [0, 0, 200], zero: [255, 255, 255], positive: [200, 100, 0] } as const;

  it("mix colours", () => {
    expect(parseRgb("rgb(0, 114, 178)")).toEqual([0, 114, 178]);
    expect(mix([0, 0, 0], [10, 20, 30], 0.5)).toEqual([5, 10, 15]);
    expect(diverging(palette, -7)).toEqual(palette.negative);
    expect(diverging(palette, 1)).toEqual(palette.positive);
  });

  it("show the sign of a score", () => {
    const pixels = heatImage(Float32Array.of(-50, 0, 50), palette, 1);
    expect([...pixels]).toEqual([0, 0, 200, 255, 255, 255, 255, 255, 200, 100, 0, 255]);
  });

  it("show weights by the greatest of them, zeros too", () => {
    expect([...weightImage([0.1, -0.1], palette)].slice(0, 3)).toEqual([200, 100, 0]);
    expect([...weightImage([0, 0], palette)].slice(0, 3)).toEqual([255, 255, 255]);
  });

  it("find the line where a function is 0", () => {
    const side = 20;
    // x + y = 17.3 in middles of cells
    const values = Float32Array.from(
      { length: side * side },
      (_, k) => (k % side) + 0.5 + Math.floor(k / side) + 0.5 - 17.3,
    );
    const segments = zeroContour(values, side);
    expect(segments.length).toBeGreaterThan(4 * side);
    for (let k = 0; k < segments.length; k += 2) expect(segments[k]! + segments[k + 1]!).toBeCloseTo(17.3, 4);
    expect(zeroContour(new Float32Array(side * side).fill(1), side)).toHaveLength(0);
  });
});

describe("curves", () => {
  it("stay short, and keep their first point", () => {
    let course = extended<number>(emptyCourse, 0, 10);
    for (let k = 1; k < 1000; k++) course = extended(course, k, 10);
    expect(course.points.length).toBeLessThanOrEqual(10);
    expect(course.points[0]).toBe(0);
    const gaps = course.points.slice(1).map((p, k) => p - course.points[k]!);
    expect(new Set(gaps).size).toBe(1);
  });

  it("have whole decades for an axis", () => {
    const { from, to, ticks, place } = decades([0.02, 3, 0, Number.NaN]);
    expect([from, to]).toEqual([0.01, 10]);
    expect(ticks).toEqual([0.01, 0.1, 1, 10]);
    expect(place(0.1)).toBeCloseTo(1 / 3, 12);
    expect([place(0), place(100)]).toEqual([0, 1]);
    expect(decades([1e-12, 1e3]).ticks.length).toBeLessThanOrEqual(6);
    expect(decades([]).ticks).toEqual([0.1, 1]);
  });
});
