import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { battleLemarieBank } from "../../src/scattering/battle-lemarie.ts";
import { minimize } from "../../src/scattering/minimize.ts";
import { morletBank1d } from "../../src/scattering/morlet-1d.ts";
import { layerModuli, retrievedPhases } from "../../src/scattering/phase-retrieval.ts";
import { scatteringLoss, statistics, synthesize } from "../../src/scattering/synthesis.ts";
import { picture } from "./signals.ts";

describe("descent by gradients", () => {
  it("finds the least value of a narrow valley", async () => {
    const valley = async (x: Float64Array) => {
      const [a, b] = x as unknown as [number, number];
      return {
        value: (1 - a) ** 2 + 100 * (b - a * a) ** 2,
        gradient: Float64Array.of(-2 * (1 - a) - 400 * a * (b - a * a), 200 * (b - a * a)),
      };
    };
    const { x, value, values } = await minimize(valley, Float64Array.of(-1.2, 1), { iterations: 200 });
    expect(value).toBeLessThan(1e-16);
    expect(x[0]).toBeCloseTo(1, 6);
    expect(values.every((v, k) => k === 0 || v <= values[k - 1]!)).toBe(true);
  });
});

describe("synthesis", () => {
  const options = { shape: [16, 16], scale: 2, angles: 4, padding: "none", type: "float64" } as const;
  const random = createRandom("synthesis");

  it.each(["global", "local"] as const)(
    "has the gradient that differences have, averages %s",
    async (averages) => {
      const loss = scatteringLoss({ ...options, averages });
      const slope = gradient(loss, { wrt: ["x"], of: ["loss"], unitSeeds: true });
      const y = await statistics(picture(16, 16), { ...options, averages });
      const [x, along] = [random.normal(256), random.normal(256)];
      const dims = [1, 25, y.length / 25];
      const at = async (t: number) =>
        run(slope, {
          x: tensor(
            x.map((v, k) => v + t * along[k]!),
            { dims: [1, 16, 16], type: "float64" },
          ),
          y: tensor(y, { dims, type: "float64" }),
        });
      const h = 1e-5;
      const [plus, minus, here] = [await at(h), await at(-h), await at(0)];
      const difference = (numbers(plus.loss!)[0]! - numbers(minus.loss!)[0]!) / (2 * h);
      const product = Float64Array.from(numbers(here.grad_x!)).reduce((sum, v, k) => sum + v * along[k]!, 0);
      expect(product / difference).toBeCloseTo(1, 6);
    },
  );

  it("gives noise the statistics of a picture", async () => {
    const y = await statistics(picture(16, 16), options);
    const { before, after, x } = await synthesize(y, random.normal(256), { ...options, iterations: 60 });
    expect(before).toBeGreaterThan(0.1);
    expect(after).toBeLessThan(1e-2);
    const again = await statistics(x, options);
    const rest = Math.hypot(...again.map((v, k) => v - y[k]!)) / Math.hypot(...y);
    expect(rest).toBeCloseTo(after, 8);
  });

  it("says when there are not as many statistics as paths", async () => {
    await expect(synthesize([1, 2, 3], new Float64Array(256), options)).rejects.toThrow(
      /3 statistics for 25/,
    );
  });
});

describe("phases that were lost", () => {
  it("come back near the signal, the misfit never grows, and only a bank that keeps norms is taken", () => {
    const bank = battleLemarieBank({ length: 32, scale: 2 });
    const random = createRandom("phases");
    const x = random.normal(32);
    const near = x.map((v) => v + 0.05 * random.normal());
    const found = retrievedPhases(layerModuli(x, bank), bank, near, 60);
    found.misfits.slice(1).forEach((misfit, k) => {
      expect(misfit).toBeLessThanOrEqual(found.misfits[k]! * (1 + 1e-12));
    });
    expect(found.misfits.at(-1)! / found.misfits[0]!).toBeLessThan(0.5);
    const loose = morletBank1d({ length: 32, scale: 2 });
    expect(() => retrievedPhases(layerModuli(x, loose), loose, near, 1)).toThrow(/keeps norms/);
  });
});
