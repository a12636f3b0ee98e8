// The Fourier transform of any length against its sum.
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/numbers/random.ts";
import { fourier, gridFourier, inverseFourier } from "../../src/scattering/index.ts";

const random = createRandom("fourier");
const drawn = (n: number) => ({ re: random.normal(n), im: random.normal(n) });

describe("the discrete Fourier transform", () => {
  it.each([1, 2, 3, 7, 8, 12, 30, 64, 67, 97, 2 * 73, 128])("is the sum that defines it, n = %i", (n) => {
    const x = drawn(n);
    const found = fourier(x);
    for (let k = 0; k < n; k++) {
      let [re, im] = [0, 0];
      for (let t = 0; t < n; t++) {
        const angle = (-2 * Math.PI * ((k * t) % n)) / n;
        re += x.re[t]! * Math.cos(angle) - x.im[t]! * Math.sin(angle);
        im += x.re[t]! * Math.sin(angle) + x.im[t]! * Math.cos(angle);
      }
      expect(Math.hypot(found.re[k]! - re, found.im[k]! - im)).toBeLessThan(1e-11 * n);
    }
  });

  it.each([5, 101, 96, 1024])("comes back, n = %i", (n) => {
    const x = drawn(n);
    const back = inverseFourier(fourier(x));
    for (let k = 0; k < n; k++)
      expect(Math.hypot(back.re[k]! - x.re[k]!, back.im[k]! - x.im[k]!)).toBeLessThan(1e-12);
  });

  it("of a picture goes along both axes", () => {
    const wave = Float64Array.from({ length: 12 }, (_, k) =>
      Math.cos(2 * Math.PI * (Math.floor(k / 4) / 3 + (k % 4) / 4)),
    );
    const { re } = gridFourier([3, 4], wave);
    expect(re[1 * 4 + 1]).toBeCloseTo(6, 12);
    expect(re[2 * 4 + 3]).toBeCloseTo(6, 12);
    expect(re.reduce((sum, v) => sum + Math.abs(v), 0)).toBeCloseTo(12, 12);
  });
});
