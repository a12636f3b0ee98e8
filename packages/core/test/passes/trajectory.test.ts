import { describe, expect, it } from "vitest";
import { layersOf } from "../../src/networks/layers/layers.ts";
import { randomNetwork } from "../../src/networks/layers/random.ts";
import { affineImage, polylineLength, trajectory } from "../../src/networks/trajectory.ts";
import { createRandom } from "../../src/numbers/random.ts";

const segment = [Float64Array.of(-1, 2), Float64Array.of(3, -2)];

describe("a trajectory", () => {
  it("is as long as a fine sample of the curve's image, from below", () => {
    for (let seed = 0; seed < 10; seed++) {
      const hidden = layersOf(
        randomNetwork(createRandom(seed), [2, 8, 8, 8, 1], { density: 1 }),
      ).layers.slice(0, -1);
      const fine = Array.from({ length: 20_001 }, (_, k) => {
        const point = segment[0]!.map((from, j) => from + (k / 20_000) * (segment[1]![j]! - from));
        return hidden.reduce((x, layer) => affineImage(layer, x).map((v) => Math.max(0, v)), point);
      });
      const exact = polylineLength(trajectory(hidden, segment).at(-1)!);
      expect(polylineLength(fine)).toBeLessThanOrEqual(exact * (1 + 1e-9));
      expect(polylineLength(fine)).toBeGreaterThan(exact * 0.999);
    }
  });

  it("of a closed curve stays closed", () => {
    const square = [
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
      [0, 0],
    ].map((p) => Float64Array.from(p));
    const hidden = layersOf(randomNetwork(createRandom("closed"), [2, 6, 6, 1])).layers.slice(0, -1);
    for (const image of trajectory(hidden, square)) expect(image.at(-1)).toEqual(image[0]);
  });
});
