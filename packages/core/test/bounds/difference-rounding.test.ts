// Lines around the change of a unit hold exactly, roundings included: looked at in rational arithmetic where they are tight.
import { describe, expect, it } from "vitest";
import { writePlanes } from "../../src/bounds/difference/two-lines.ts";
import { hingeAround, hingeLines, slopeLines } from "../../src/bounds/difference/unit-lines.ts";
import type { Relaxation } from "../../src/bounds/linear/relaxation-lines.ts";
import type { Lines } from "../../src/functions/lines.ts";
import { add, compare, type Exact, max, min, mul, sub } from "../../src/numbers/exact/rational.ts";
import { createRandom } from "../../src/numbers/random.ts";

const lines = (): Lines => ({ lowSlope: 0, lowShift: 0, highSlope: 0, highShift: 0 });
const at = (slope: number, shift: number, d: number): Exact => add(mul(slope, d), shift);

const random = createRandom("difference-rounding");
/** Numbers of any size and sign, with all their bits. */
const size = (): number => 2 ** (12 * random.uniform() - 6) * (0.5 + random.uniform());
const signed = (): number => size() * (random.uniform() < 0.5 ? -1 : 1);
const around = (): readonly [number, number] => [-size(), size()];
const draws = 4000;

/** Where the line fails by more than nothing, if anywhere: at a corner, since all of this is piecewise linear. */
function outside(found: Lines, corners: readonly (readonly [number, Exact, Exact])[]): boolean {
  return corners.some(
    ([d, least, greatest]) =>
      compare(at(found.lowSlope, found.lowShift, d), least) > 0 ||
      compare(at(found.highSlope, found.highShift, d), greatest) < 0,
  );
}

describe("lines around a change, exactly", () => {
  it("any slope of an interval", () => {
    for (let k = 0; k < draws; k++) {
      const [low, high] = around();
      const [one, other] = [signed(), signed()];
      const slopes = { lower: Math.min(one, other), upper: Math.max(one, other) };
      const found = lines();
      slopeLines(slopes, low, high, found);
      const corners = [low, 0, high].map((d): [number, Exact, Exact] => {
        const ends = [mul(slopes.lower, d), mul(slopes.upper, d)] as const;
        return [d, min(...ends), max(...ends)];
      });
      expect(outside(found, corners), JSON.stringify({ slopes, low, high })).toBe(false);
    }
  });

  it("a hinge, by itself and as a change of its row", () => {
    const hinge = (below: number, above: number, z: Exact): Exact =>
      mul(compare(z, 0) > 0 ? above : below, z);
    for (let k = 0; k < draws; k++) {
      const [below, above] = [signed(), signed()];
      const [low, high] = around();
      const found = lines();
      hingeAround({ below, above }, { lower: low, upper: high }, found);
      const values = [low, 0, high].map((z): [number, Exact, Exact] => {
        const value = hinge(below, above, z);
        return [z, value, value];
      });
      expect(outside(found, values), JSON.stringify({ below, above, low, high })).toBe(false);

      const row =
        random.uniform() < 0.5 ? { lower: size() / 8, upper: 64 } : { lower: -64, upper: -size() / 8 };
      hingeLines({ below, above }, row, low, high, found);
      const change = (z: number, d: number): Exact =>
        sub(hinge(below, above, add(z, d)), hinge(below, above, z));
      const changes = [low, 0, high].flatMap((d) =>
        [row.lower, row.upper, Math.min(row.upper, Math.max(row.lower, -d))].map(
          (z): [number, Exact, Exact] => {
            const value = change(z, d);
            return [d, value, value];
          },
        ),
      );
      expect(outside(found, changes), JSON.stringify({ below, above, row, low, high })).toBe(false);
    }
  });

  it("planes that are the line around one network less the line around the other", () => {
    const one = (): Float64Array => new Float64Array(2);
    const into: Relaxation = {
      ...{ lowSlope: one(), highSlope: one(), lowShift: one(), highShift: one() },
      ...{ order: new Int32Array(2), straight: new Int32Array(2), bent: new Int32Array(2) },
    };
    const nothing = { lowSlope: 0, lowShift: -1e300, highSlope: 0, highShift: 1e300 };
    for (let k = 0; k < draws; k++) {
      const unit = { lowSlope: signed(), lowShift: signed(), highSlope: signed(), highShift: signed() };
      // Slopes that nearly cancel lose what the rows multiply.
      const near = (x: number): number => (random.uniform() < 0.5 ? signed() : x * (1 + size() * 2 ** -30));
      const second = {
        ...{ lowSlope: near(unit.highSlope), lowShift: near(unit.highShift) },
        ...{ highSlope: near(unit.lowSlope), highShift: near(unit.lowShift) },
      };
      const [lower, upper] = around().map((x) => x * 2 ** 10) as [number, number];
      const after = { lower, upper };
      writePlanes(
        nothing,
        unit,
        second,
        { before: after, change: { lower: -1, upper: 1 }, after },
        into,
        0,
        0,
      );
      for (const z2 of [lower, upper])
        for (const d of [-1, 1]) {
          const z1 = sub(z2, d);
          const over = sub(
            at(second.highSlope, second.highShift, z2),
            add(mul(unit.lowSlope, z1), unit.lowShift),
          );
          const under = sub(
            at(second.lowSlope, second.lowShift, z2),
            add(mul(unit.highSlope, z1), unit.highShift),
          );
          const plane = (slope: Float64Array, shift: Float64Array): Exact =>
            add(add(mul(slope[0]!, d), mul(slope[1]!, z2)), shift[0]!);
          const text = JSON.stringify({ unit, second, after, z2, d });
          expect(compare(plane(into.highSlope, into.highShift), over), text).toBeGreaterThanOrEqual(0);
          expect(compare(plane(into.lowSlope, into.lowShift), under), text).toBeLessThanOrEqual(0);
        }
    }
  });
});
