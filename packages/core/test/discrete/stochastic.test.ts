import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/check/certificate.ts";
import { checkKernel } from "../../src/check/check-kernel.ts";
import { type BeliefNetwork, samplingGraph, unitsOf } from "../../src/discrete/stochastic/belief-network.ts";
import {
  certifiedKernel,
  compileKernel,
  couplingBound,
} from "../../src/discrete/stochastic/certified-kernel.ts";
import { deepNetwork } from "../../src/discrete/stochastic/deep.ts";
import { exactKernel } from "../../src/discrete/stochastic/exact-kernel.ts";
import { grayCode, partialGrayCodes } from "../../src/discrete/stochastic/gray.ts";
import { bitsOf, type Kernel, kernelOf, totalVariation } from "../../src/discrete/stochastic/kernel.ts";
import { largestIndexLaw, shallowNetwork, stickBreaking } from "../../src/discrete/stochastic/shallow.ts";
import { sharingUnit } from "../../src/discrete/stochastic/unit.ts";
import { run } from "../../src/engine/run.ts";
import { writeModel } from "../../src/graph/onnx/write.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

const sigma = (z: number): number => 1 / (1 + Math.exp(-z));

/** Rows at random; of a third of them most entries are 0, of a third one alone is not. */
function randomKernel(random: Random, d: number, s: number): Kernel {
  return kernelOf(
    Array.from({ length: 2 ** d }, () => {
      const kind = random.integer(0, 2);
      const one = random.integer(0, 2 ** s - 1);
      const row = Array.from({ length: 2 ** s }, (_, y) =>
        kind === 0 ? -Math.log(1 - random.uniform()) : kind === 1 ? random.uniform() ** 8 : y === one ? 1 : 0,
      );
      const total = row.reduce((a, b) => a + b, 0);
      return row.map((p) => p / total);
    }),
  );
}

/** All joint states of all layers, one after the other. */
function bruteForce({ inputs, layers }: BeliefNetwork): Kernel {
  const rows = Array.from({ length: 2 ** inputs }, (_, x) => {
    let law = new Map([[bitsOf(x, inputs).join(""), 1]]);
    for (const layer of layers) {
      const next = new Map<string, number>();
      for (const [state, p] of law)
        for (let h = 0; h < 2 ** layer.length; h++) {
          const bits = bitsOf(h, layer.length);
          const chance = layer.reduce((product, { bias, reads }, k) => {
            const on = sigma(reads.reduce((sum, [c, w]) => sum + w * Number(state[c]), bias));
            return product * (bits[k] ? on : 1 - on);
          }, p);
          next.set(bits.join(""), (next.get(bits.join("")) ?? 0) + chance);
        }
      law = next;
    }
    const s = layers.at(-1)!.length;
    return Float64Array.from({ length: 2 ** s }, (_, y) => law.get(bitsOf(y, s).join("")) ?? 0);
  });
  return { inputs, outputs: layers.at(-1)!.length, rows };
}

const randomNetwork = (random: Random, widths: readonly number[]): BeliefNetwork => ({
  inputs: widths[0]!,
  layers: widths.slice(1).map((width, l) =>
    Array.from({ length: width }, () => ({
      bias: random.normal(),
      reads: Array.from({ length: widths[l]! }, (_, c) => c)
        .filter(() => random.uniform() < 0.6)
        .map((c): [number, number] => [c, 2 * random.normal()]),
    })),
  ),
});

describe("the exact kernel", () => {
  it("is the sum over all states, for networks with and without independent parts", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 4 }),
        (seed, widths) => {
          const network = randomNetwork(createRandom(seed), widths);
          expect(totalVariation(exactKernel(network), bruteForce(network))).toBeLessThan(1e-13);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("does not underflow where a state has the probability e^-2000", () => {
    const unit = { bias: -1000, reads: [] };
    const network: BeliefNetwork = { inputs: 1, layers: [[unit, unit], [{ bias: 0, reads: [[0, 1]] }]] };
    expect(exactKernel(network).rows[0]).toEqual(Float64Array.of(0.5, 0.5));
  });

  it("is what the sampling graph samples, with uniform numbers from a seed", async () => {
    const random = createRandom(5);
    const network = randomNetwork(random, [2, 3, 2]);
    const [n, x] = [20_000, [1, 0]];
    const uniforms = network.layers.map((l) => tensor(random.uniform(n * l.length), { dims: [n, l.length] }));
    const inputs = { x: tensor(Array.from({ length: n }, () => x)), u1: uniforms[0]!, u2: uniforms[1]! };
    const y = numbers((await run(samplingGraph(network), inputs))["y"]!);
    const expected = exactKernel(network).rows[2]!;
    const counts = new Float64Array(4);
    for (let k = 0; k < n; k++) counts[2 * y[2 * k]! + y[2 * k + 1]!]!++;
    counts.forEach((count, k) => {
      expect(Math.abs(count / n - expected[k]!)).toBeLessThan(5 * Math.sqrt(0.25 / n));
    });
  });
});

describe("constructions", () => {
  it("Gray codes flip one bit a step, partial ones partition the cube and flip apart", () => {
    const distance = (a: readonly number[], b: readonly number[]): number =>
      a.filter((v, k) => v !== b[k]).length;
    expect(
      grayCode(4)
        .slice(1)
        .every((g, k) => distance(g, grayCode(4)[k]!) === 1),
    ).toBe(true);
    for (const b of [1, 2, 3]) {
      const codes = partialGrayCodes(b);
      const m = 2 ** (b - 1) + b;
      expect(new Set(codes.flat().map((s) => s.join(""))).size).toBe(2 ** m);
      expect(codes[0]!.at(-1)!.every((bit) => bit === 0)).toBe(true);
      expect(new Set(codes.map((c) => c[0]!.slice(0, m - b).join(""))).size).toBe(1);
      codes[0]!.slice(1).forEach((_, k) => {
        const flips = codes.map((c) => c[k]!.findIndex((v, i) => v !== c[k + 1]![i]));
        expect(codes.every((c) => distance(c[k]!, c[k + 1]!) === 1)).toBe(true);
        for (let i = 0; i < codes.length; i++)
          for (let r = 0; r < i; r++)
            if (flips[i] === flips[r]) expect(distance(codes[i]![k]!, codes[r]![k]!)).toBe(1);
      });
    }
  });

  it("sticks are broken and put together", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 9 }),
        (weights) => {
          const total = weights.reduce((a, b) => a + b, 0);
          fc.pre(total > 1e-3);
          const q = weights.map((w) => w / total);
          largestIndexLaw(stickBreaking(q)).forEach((p, k) => {
            expect(p).toBeCloseTo(q[k]!, 10);
          });
        },
      ),
    );
  });

  it("a sharing unit fires as it should in its states and copies in all others", () => {
    const eps = 1e-3;
    for (const place of [undefined, 2])
      for (let g = 0; g < 16; g++) {
        const state = bitsOf(g, 4);
        const unit = sharingUnit(
          {
            columns: [0, 1, 2, 3],
            state,
            flips: 1,
            stay: 0.3,
            ...(place !== undefined && { partner: { place, stay: 0.9 } }),
          },
          eps,
        );
        for (let h = 0; h < 16; h++) {
          const bits = bitsOf(h, 4);
          const on = sigma(unit.reads.reduce((sum, [c, w]) => sum + w * bits[c]!, unit.bias));
          const stays = bits[1] === 1 ? on : 1 - on;
          const isState = bits.every((b, k) => b === state[k]);
          const isPartner = place !== undefined && bits.every((b, k) => (b === state[k]) !== (k === place));
          if (isState) expect(stays).toBeCloseTo(0.3, 9);
          else if (isPartner) expect(stays).toBeCloseTo(0.9, 9);
          else expect(stays).toBeGreaterThanOrEqual(1 - eps - 1e-12);
        }
      }
  });
});

describe("kernels as networks", () => {
  it.each([
    [1, 1, "shallow"],
    [1, 2, "shallow"],
    [2, 2, "shallow"],
    [1, 3, "shallow"],
    [3, 1, "shallow"],
    [1, 2, 0],
    [1, 2, 1],
    [2, 2, 0],
    [2, 2, 1],
    [2, 2, 2],
    [1, 4, 1],
    [2, 3, 1],
    [2, 1, 1],
  ] as const)("%i inputs, %i outputs, %s: within the error, whatever the kernel", (d, s, depth) => {
    const random = createRandom(`${d}${s}${depth}`);
    for (const error of [0.1, 1e-4]) {
      const kernel = randomKernel(random, d, s);
      const { network, certifiedError, unitError } = compileKernel(kernel, error, depth);
      expect(certifiedError).toBeLessThanOrEqual(error);
      expect(certifiedError).toBe(couplingBound(unitError, unitsOf(network)));
      expect(totalVariation(exactKernel(network), kernel)).toBeLessThanOrEqual(certifiedError);
    }
  });

  it("have the widths and depths of the theorems", () => {
    const kernel = randomKernel(createRandom(1), 2, 2);
    expect(shallowNetwork(kernel, 0.01).layers.map((l) => l.length)).toEqual([6, 2]);
    for (const j of [0, 1, 2]) {
      const hidden = deepNetwork(kernel, j, 0.01).layers.slice(0, -1);
      expect(hidden.length).toBeLessThanOrEqual(2 ** (2 - j) * 3);
      expect(hidden.every((l) => l.length === 2 ** j * (4 - j))).toBe(true);
    }
  });
});

describe("the certificate of a kernel", () => {
  const kernel = kernelOf([
    [0.1, 0.2, 0.3, 0.4],
    [0.4, 0.3, 0.2, 0.1],
    [0.25, 0.25, 0.25, 0.25],
    [0.7, 0.1, 0.1, 0.1],
  ]);

  it.each(["shallow", 0, 2] as const)(
    "of %s is confirmed by another way to the same numbers",
    async (depth) => {
      const { bytes, certificate } = await certifiedKernel(kernel, compileKernel(kernel, 1e-3, depth));
      const found = await checkKernel(bytes, certificate);
      expect(found).toMatchObject({ ok: true });
      const exact = totalVariation(exactKernel(compileKernel(kernel, 1e-3, depth).network), kernel);
      expect(Math.abs((found as { error: number }).error - exact)).toBeLessThan(1e-5);
    },
  );

  it("is refuted when the table, the claim or a weight is another one", async () => {
    const compiled = compileKernel(kernel, 1e-3, 2);
    const { bytes, certificate } = await certifiedKernel(kernel, compiled);
    const swapped = certificate.table.toReversed();
    const layers = compiled.network.layers.map((layer, l) =>
      layer.map((unit, k) => (l === 1 && k === 1 ? { ...unit, bias: unit.bias + 3 } : unit)),
    );
    const other = writeModel(samplingGraph({ ...compiled.network, layers }));
    const network = { ...certificate.network, sha256: await sha256(other) };
    const forgeries = [
      [bytes, { ...certificate, table: swapped }],
      [bytes, { ...certificate, certifiedError: 1e-6 }],
      [bytes, { ...certificate, network: { ...certificate.network, uniforms: ["u1", "u1", "u3"] } }],
      [bytes, { ...certificate, network: { ...certificate.network, output: "x" } }],
      [bytes, { ...certificate, table: certificate.table.map((row) => row.map((p) => p / 2)) }],
      [other, certificate],
      [other, { ...certificate, network }],
    ] as const;
    for (const [file, forged] of forgeries) expect((await checkKernel(file, forged)).ok).toBe(false);
  });
});

describe("tables of probabilities", () => {
  it.each([
    [[[0.5, 0.4]], /^row 1 sums to 0\.9, not to 1$/],
    [
      [
        [1, 0],
        [1.5, -0.5],
      ],
      /^row 2, column 2: -0\.5 is no probability$/,
    ],
    [
      [
        [1, 0],
        [0.5, 0.5, 0],
      ],
      /^row 2 has 3 columns, the first one 2$/,
    ],
    [
      [
        [1, 0],
        [1, 0],
        [1, 0],
      ],
      /^a table of probabilities has 2\^d rows/,
    ],
    [[[1, Number.NaN]], /^row 1, column 2: NaN is no probability$/],
  ])("%j is refused with its place", (table, line) => {
    expect(() => kernelOf(table)).toThrow(line);
  });
});
