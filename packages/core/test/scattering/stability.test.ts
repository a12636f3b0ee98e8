import { describe, expect, it } from "vitest";
import { float64, graph } from "../../src/graph/builder.ts";
import { createRandom } from "../../src/numbers/random.ts";
import {
  deformed,
  drawnDeformation,
  representationOf,
  stabilityConstants,
} from "../../src/scattering/stability.ts";
import { scattering } from "../../src/scattering/transform.ts";

const shape = [32];
const wave = (f: number): Float64Array =>
  Float64Array.from({ length: 32 }, (_, u) => Math.cos((2 * Math.PI * f * u) / 32));
const options = { shape, random: createRandom("stability") };

describe("empirical stability", () => {
  it("finds the gain of a linear map, and never more", async () => {
    const doubled = graph({ x: float64("N", 32) }, ({ x }) => ({ y: x.mul(2) }));
    const { additive } = await stabilityConstants(representationOf(doubled, shape), [wave(3)], options);
    expect(additive).toBeCloseTo(2, 10);
  });

  it("is below the norm of a map that stretches one direction, and climbs towards it", async () => {
    const stretch = (x: Float64Array): Float64Array => x.map((v, k) => (k === 0 ? 5 * v : v));
    const few = await stabilityConstants(stretch, [wave(3)], { ...options, draws: 4, climbs: 0 });
    const many = await stabilityConstants(stretch, [wave(3)], { ...options, draws: 4, climbs: 200 });
    expect(few.additive).toBeLessThanOrEqual(5);
    expect(many.additive).toBeLessThanOrEqual(5);
    expect(many.additive).toBeGreaterThan(few.additive);
  });

  it("shows that samples of fine waves are moved further by a deformation than coefficients", async () => {
    const { graph: transform, geometry } = scattering({ shape, scale: 3, padding: "none", type: "float64" });
    const share = 2 ** (geometry.stride / 2);
    const coefficients = representationOf(transform, shape);
    const scaled = async (x: Float64Array) => Float64Array.from(await coefficients(x), (v) => share * v);
    const [fine, own] = [
      await stabilityConstants((x) => x, [wave(9)], options),
      await stabilityConstants(scaled, [wave(9)], options),
    ];
    expect(own.geometric).toBeLessThan(fine.geometric / 2);
    expect(own.additive).toBeLessThan(1.01);
  });

  it("deforms by whole samples as a shift does, and by the slope that is asked for", () => {
    const shifted = deformed([1, 2, 3, 4], [2, 2], {
      tau: [new Float64Array(4).fill(1), new Float64Array(4)],
      slope: 0,
    });
    expect([...shifted]).toEqual([3, 4, 1, 2]);
    const { tau } = drawnDeformation([16, 8], 0.2, createRandom(4));
    let most = 0;
    for (let u = 0; u < 128; u++) {
      const [right, below] = [8 * Math.floor(u / 8) + ((u + 1) % 8), (u + 8) % 128];
      let square = 0;
      for (const field of tau) for (const next of [right, below]) square += (field[next]! - field[u]!) ** 2;
      most = Math.max(most, square);
    }
    expect(Math.sqrt(most)).toBeCloseTo(0.2, 12);
  });

  it("says which graphs are no representation of a signal", () => {
    const pair = graph({ x: float64("N", 4), y: float64("N", 4) }, ({ x, y }) => ({ z: x.add(y) }));
    expect(() => representationOf(pair, [4])).toThrow("one input of real numbers");
    const wide = graph({ x: float64("N", 2, 4) }, ({ x }) => ({ z: x.relu() }));
    expect(() => representationOf(wide, [4])).toThrow("the graph reads 2 x 4 numbers, a signal has 4");
  });
});
