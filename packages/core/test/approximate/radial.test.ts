import fc from "fast-check";
import { expect, test } from "vitest";
import { radialCertificate, radialNetwork } from "../../src/approximate/radial/index.ts";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { complexity } from "../../src/networks/layers/layers.ts";
import { toNumber } from "../../src/numbers/exact/rational.ts";
import { createRandom } from "../../src/numbers/random.ts";

async function greatestError(
  graph: Parameters<typeof run>[0],
  d: number,
  B: number,
  g: (s: number) => number,
) {
  const count = 500;
  const points = createRandom(d)
    .uniform(count * d)
    .map((u) => B * (2 * u - 1));
  for (let i = 0; i < count; i += 3) points.fill((B * i) / count, i * d, (i + 1) * d);
  const y = numbers((await run(graph, { x: tensor(points, { dims: [count, d] }) })).y!);
  return Array.from(y, Number).reduce((most, v, i) => {
    const s = points.subarray(i * d, (i + 1) * d).reduce((sum, x) => sum + x * x, 0);
    return Math.max(most, Math.abs(v - g(s)));
  }, 0);
}

test("any Lipschitz profile, within eps and the formula", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.double({ min: 0.2, max: 3, noNaN: true }),
      fc.double({ min: 0.1, max: 2, noNaN: true }),
      fc.double({ min: 0.5, max: 4, noNaN: true }),
      async (d, B, eps, omega) => {
        const g = (s: number) => Math.sin(omega * s); // omega-Lipschitz
        const made = radialNetwork(g, { dimension: d, bound: B, lipschitz: omega, eps });
        expect(made.error).toBeLessThanOrEqual(eps * (1 + 1e-12));
        expect(await greatestError(made.network, d, B, g)).toBeLessThanOrEqual(
          made.error * (1 + 1e-9) + 1e-11,
        );
        expect(complexity(made.network).architecture).toEqual([d, d * made.pieces[0], made.pieces[1], 1]);
      },
    ),
    { numRuns: 20 },
  );
});

test("the certificate of a piecewise-linear profile is met nearly, not exceeded", async () => {
  // |s - 1/3| on [0, 2]: the worst of the squares and the worst of the profile add up at most.
  const g = { knots: [0, 1 / 3, 2], values: [1 / 3, 0, 5 / 3] };
  const made = radialNetwork((s) => Math.abs(s - 1 / 3), { dimension: 2, lipschitz: 1, eps: 0.2 });
  const certificate = radialCertificate(made, g, { dimension: 2, bound: 1 });
  const error = toNumber(certificate.error);
  expect(error).toBeLessThanOrEqual(made.error + 1e-12);
  const seen = await greatestError(made.network, 2, 1, (s) => Math.abs(s - 1 / 3));
  expect(seen).toBeLessThanOrEqual(error);
  expect(seen).toBeGreaterThan(error / 4);
  expect(toNumber(certificate.below)).toBeGreaterThanOrEqual(-1e-15);
});

test("what is refused", () => {
  const options = { dimension: 2, lipschitz: 1, eps: 0.1 };
  expect(() => radialNetwork(Math.sqrt, { ...options, dimension: 0 })).toThrow(/dimension/);
  expect(() => radialNetwork(Math.sqrt, { ...options, eps: 0 })).toThrow(/error of a radial network/);
  expect(() => radialNetwork(Math.sqrt, { ...options, lipschitz: Number.NaN })).toThrow(/Lipschitz constant/);
});
