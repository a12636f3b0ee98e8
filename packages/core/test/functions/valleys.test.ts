// Enclosures of functions with a valley: at the bottom, where a constant that is a hair too high would be unsound.
import { describe, expect, it } from "vitest";
import { gelu, tanhGelu } from "../../src/functions/library/gelu.ts";
import { hardSwish } from "../../src/functions/library/hard-swish.ts";
import { mish } from "../../src/functions/library/mish.ts";
import { point } from "../../src/numbers/interval/index.ts";

describe.each([
  ["Gelu", gelu],
  ["Gelu by tanh", tanhGelu],
  ["Mish", mish],
  ["HardSwish", hardSwish],
] as const)("the valley of %s", (_, { bend: { value }, enclosure }) => {
  /** Thirds of an interval, until it is the bottom. */
  let [left, right] = [-3, 0];
  for (let k = 0; k < 90; k++) {
    const [a, b] = [left + (right - left) / 3, right - (right - left) / 3];
    if (value(point(a)).upper < value(point(b)).upper) right = b;
    else left = a;
  }
  const bottom = value(point((left + right) / 2));

  it("is not below what is said of it, and hardly above", () => {
    const { lower } = enclosure({ lower: -3, upper: 0 });
    expect(lower).toBeLessThanOrEqual(bottom.upper);
    expect(bottom.lower - lower).toBeLessThan(1e-13);
  });
  it("rises to both sides", () => {
    expect(enclosure({ lower: -0.5, upper: 0 }).lower).toBeGreaterThan(bottom.upper);
    expect(enclosure({ lower: -3, upper: -2 }).lower).toBeGreaterThan(bottom.upper);
  });
});
