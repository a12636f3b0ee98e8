import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { numbers, view } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import {
  acceleratedCode,
  analysisPursuit,
  type CodeOperator,
  codesOf,
  coherenceOf,
  convolutionalDictionary,
  type Dictionary,
  drawnCode,
  effectiveDictionary,
  explicitDictionary,
  filterCoherence,
  forwardStability,
  generalizedLasso,
  generalizedObjective,
  holisticPursuit,
  holisticUniqueness,
  lassoCode,
  lassoPath,
  learnedDictionaries,
  modelDimension,
  multilayerBasisPursuit,
  multilayerObjective,
  oracleErrors,
  patternOf,
  projectionPursuit,
  sharedSignals,
  unitAtoms,
  unrolledClassifier,
} from "../../src/sparse/index.ts";
import { subsets } from "../../src/sparse/restricted-isometry.ts";

const normal = (seed: number | string, size: number, count: number): Dictionary =>
  unitAtoms({ size, count, atoms: createRandom(seed).normal(size * count) });

describe("several sparse layers", () => {
  it("three layers: patterns within all bounds share no signal, beyond an inner bound some do", () => {
    const shared = (sizes: readonly number[], s: number, zeros: readonly [number, number]) => {
      const layers = sizes.slice(1).map((count, i) => normal(`${sizes} ${i}`, sizes[i]!, count));
      const sets = [[...subsets(sizes[1]!, zeros[0])], [...subsets(sizes[2]!, zeros[1])]] as const;
      const patterns = [...subsets(sizes[3]!, s)].flatMap((support) =>
        sets[0].slice(0, 3).flatMap((a) => sets[1].slice(0, 3).map((b) => ({ support, zeros: [a, b] }))),
      );
      const { holds, rank } = holisticUniqueness(layers, patterns[0]!);
      const common = patterns.slice(0, 400).filter((p) => sharedSignals(layers, patterns[0]!, p) > 0).length;
      return { holds, rank, common };
    };
    expect(shared([4, 6, 7, 8], 4, [1, 1])).toEqual({ holds: true, rank: 2, common: 0 });
    // The first bound holds (2 (s - r) = 4 <= 4), the last does not: x_3 has 2 dimensions, x_2 has 5 - 3 - 0 numbers left for two.
    const beyond = shared([4, 8, 5, 8], 5, [0, 3]);
    expect(beyond).toMatchObject({ holds: false, rank: 3 });
    expect(beyond.common).toBeGreaterThan(0);
  });

  it("(7.20) holds and codes are not unique: any two atoms make what two numbers say", () => {
    const layers = [normal("a", 4, 2), normal("b", 2, 4)];
    const pattern = { support: [0, 1], zeros: [[1]] };
    const verdict = holisticUniqueness(layers, pattern);
    expect([verdict.printed, verdict.holds]).toEqual([true, false]);
    expect(sharedSignals(layers, pattern, { support: [2, 3], zeros: [[1]] })).toBe(1);
  });

  it("draws codes of a pattern, and refuses patterns that make no sense", () => {
    const layers = [normal(1, 10, 12), normal(2, 12, 14)];
    const pattern = { support: [1, 3, 5, 7, 9], zeros: [[0, 2]] };
    const x = drawnCode(layers, pattern, createRandom(3))!;
    expect(patternOf(codesOf(layers, x))).toEqual(pattern);
    expect(modelDimension(layers, pattern).dimension).toBe(3);
    expect(drawnCode(layers, { support: [1, 3], zeros: [[0, 2]] }, createRandom(3))).toBeUndefined();
    expect(() => modelDimension(layers, { support: [99], zeros: [[]] })).toThrow("from 0 to 13");
    expect(() => modelDimension(layers, { support: [1], zeros: [] })).toThrow("zeros of 0 codes");
  });

  it("oracle errors are traces: of orthonormal atoms the number of free entries", () => {
    const n = 6;
    const unit = {
      size: n,
      count: n,
      atoms: Float64Array.from({ length: 36 }, (_, k) => Number(k % 7 === 0)),
    };
    const errors = oracleErrors([unit, unit], { support: [0, 1, 2, 3], zeros: [[0]] }, 2);
    expect(errors).toEqual({ synthesis: 16, holistic: 12, synthesisBound: 16, holisticBound: 12 });
  });

  it("a forward pass needs atoms of length 1, and stops judging behind a layer that fails", () => {
    const layers = [normal(1, 8, 8), normal(2, 8, 8)];
    const x = Float64Array.of(1, 0.2, 0.5, 0, 0, 0, 0, 0);
    expect(forwardStability(layers, [x, x], 0.1)).toHaveLength(1);
    const long = { ...layers[0]!, atoms: layers[0]!.atoms.map((v) => 2 * v) };
    expect(() => forwardStability([long, layers[1]!], [x, x], 0)).toThrow("is not of length 1");
  });
});

describe("pursuits of all layers", () => {
  it("the dual value is below every objective, whatever the problem", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 7 }),
        fc.integer(),
        fc.boolean(),
        fc.boolean(),
        async (n, seed, hasFit, nonnegative) => {
          const random = createRandom(seed);
          const count = hasFit ? n + 2 : n;
          const fit = hasFit ? { size: n, count, atoms: random.normal(n * count) } : undefined;
          const penalties = [
            { weight: random.uniform(), of: { size: 3, count, atoms: random.normal(3 * count) } },
            { weight: 0.05 + random.uniform() },
          ];
          const y = random.normal(n);
          const found = await generalizedLasso(fit, y, penalties, { nonnegative });
          expect(found.dualityGap).toBeLessThan(1e-6 * y.reduce((s, v) => s + v * v, 0));
          for (let k = 0; k < 30; k++) {
            const x = random.normal(count).map((v, j) => {
              const near = found.x[j]! + 10 ** (-k / 5) * v;
              return nonnegative ? Math.max(0, near) : near;
            });
            expect(generalizedObjective(fit, y, penalties, x)).toBeGreaterThanOrEqual(found.dual - 1e-12);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it("multilayer basis pursuit: the objective that it says, and basis pursuit where only the last weight counts", async () => {
    const layers = [normal(5, 8, 10), normal(6, 10, 12)];
    const effective = [effectiveDictionary(layers), layers[1]!];
    const y = createRandom(7).normal(8);
    const both = await multilayerBasisPursuit(effective, y, [0.1, 0.2]);
    expect(multilayerObjective(layers, y, [0.1, 0.2], both.x)).toBeCloseTo(both.objective, 12);
    const last = await multilayerBasisPursuit(effective, y, [0, 0.2], { gap: 1e-12 });
    expect(last.objective).toBeCloseTo(lassoCode(effective[0]!, y, 0.2).objective, 9);
  });

  it("holistic and projection pursuit keep to their sparsities, with codes made of each other", async () => {
    const layers = [normal(8, 12, 15), normal(9, 15, 18)];
    const y = createRandom(10).normal(12);
    for (const { codes } of [
      await holisticPursuit(layers, y, [11, 6]),
      projectionPursuit(layers, y, [11, 6]),
    ]) {
      const [few1, few2] = codes.map((x) => x.filter((v) => v !== 0).length);
      expect(few1).toBeLessThanOrEqual(11);
      expect(few2).toBeLessThanOrEqual(6);
    }
    await expect(holisticPursuit(layers, y, [11])).rejects.toThrow("1 sparsities for 2 dictionaries");
  });

  it("learning never raises its objective", async () => {
    const signals = Array.from({ length: 10 }, (_, k) => createRandom(k).normal(6));
    const { objectives } = await learnedDictionaries([normal(1, 6, 8), normal(2, 8, 9)], signals, {
      ...{ lambda: 0.2, decay: 1e-2, perAtom: [3], rounds: 8 },
    });
    objectives.slice(1).forEach((v, k) => {
      expect(v).toBeLessThanOrEqual(objectives[k]! * (1 + 1e-7));
    });
  });
});

describe("one layer", () => {
  it("a path's codes are those of single problems, to the gap, dense ends included", () => {
    for (const [seed, n, m] of [
      [1, 40, 60],
      [2, 30, 120],
      [3, 50, 20],
    ] as const) {
      const d = normal(seed, n, m);
      const y = createRandom(seed + 50).normal(n);
      for (const nonnegative of [false, true])
        for (const { lambda, objective, x, dualityGap } of lassoPath(d, y, {
          count: 8,
          least: 1e-3,
          nonnegative,
        })) {
          expect(dualityGap).toBeLessThanOrEqual(0.5e-12 * y.reduce((s, v) => s + v * v, 0));
          if (nonnegative) expect(Math.min(...x)).toBeGreaterThanOrEqual(0);
          const reference = acceleratedCode(
            {
              ...{ size: n, count: m, squaredNorm: 40 },
              synthesize: (v: Float64Array) => explicit(d, v),
              analyze: (r: Float64Array) =>
                Float64Array.from({ length: m }, (_, j) =>
                  r.reduce((s, v, i) => s + v * d.atoms[j * n + i]!, 0),
                ),
            } satisfies CodeOperator,
            y,
            lambda,
            { nonnegative, iterations: 400, gap: 1e-9 },
          );
          expect(objective).toBeLessThanOrEqual(reference.objective + 1e-9);
        }
    }
  });

  it("convolutions are what their atoms say, on small tori too", () => {
    for (const [rows, columns] of [
      [3, 3],
      [4, 5],
    ] as const) {
      const filters = { filters: 2, channels: 2, height: 3, width: 2, entries: createRandom(4).normal(24) };
      const operator = convolutionalDictionary(filters, rows, columns);
      const atoms = explicitDictionary(operator);
      const r = createRandom(5).normal(operator.size);
      const seen = operator.analyze(r);
      for (let j = 0; j < operator.count; j++)
        expect(seen[j]).toBeCloseTo(
          r.reduce((s, v, i) => s + v * atoms.atoms[j * operator.size + i]!, 0),
          12,
        );
      expect(filterCoherence(filters, rows, columns)).toBeCloseTo(coherenceOf(atoms), 12);
    }
    expect(() =>
      convolutionalDictionary(
        { filters: 1, channels: 1, height: 1, width: 9, entries: new Float64Array(9) },
        1,
        4,
      ),
    ).toThrow("filters of 1 x 9 for pictures of 1 x 4");
  });

  it("a constant signal has every difference in its co-support", () => {
    const atoms = Float64Array.of(-1, 0, 1, -1, 0, 1);
    const { a, cosupport } = analysisPursuit({ size: 2, count: 3, atoms }, Float64Array.of(1, 2, 6), 2);
    expect(cosupport).toEqual([0, 1]);
    expect([...a].map((v) => Math.round(1e9 * v) / 1e9)).toEqual([3, 3, 3]);
  });
});

it("an unrolled network without unfoldings is a plain one; one step beyond is the formula", async () => {
  const layers = [{ filters: 2, size: 3, stride: 1 }];
  const options = { input: [1, 4, 4] as const, layers, classes: 2, seed: 3 };
  const x = createRandom(1).normal(16);
  const scores = async (
    unfoldings: number,
    variant: "ml-ista" | "layered" | "ml-fista" | "free" | "ml-lista",
  ) => {
    const { graph } = unrolledClassifier({ ...options, unfoldings, variant });
    const found = await run(graph, { x: view("float32", [1, 1, 4, 4], Float32Array.from(x)) });
    return [...numbers(found["y"]!)].map(Number);
  };
  // One layer: all variants agree, since there is nothing between layers and no momentum in the first step.
  const plain = await scores(1, "ml-ista");
  for (const [i, v] of (await scores(1, "layered")).entries()) expect(v).toBeCloseTo(plain[i]!, 5);
  for (const [i, v] of (await scores(1, "ml-fista")).entries()) expect(v).toBeCloseTo(plain[i]!, 5);
  const { graph } = unrolledClassifier({ ...options, unfoldings: 1 });
  const filters = Array.from(numbers(graph.initializers.get("layer1.weight") as never), Number);
  const readout = Array.from(numbers(graph.initializers.get("readout.weight") as never), Number);
  const patch = (v: ArrayLike<number>, f: number, i: number, j: number): number => {
    let sum = 0;
    for (let p = 0; p < 3; p++)
      for (let q = 0; q < 3; q++) sum += v[(i + p) * 4 + j + q]! * filters[f * 9 + p * 3 + q]!;
    return sum;
  };
  const places = [0, 1].flatMap((f) => [0, 1].flatMap((i) => [0, 1].map((j) => [f, i, j] as const)));
  const code = places.map(([f, i, j]) => Math.max(0, patch(x, f, i, j)));
  const made = new Array<number>(16).fill(0);
  places.forEach(([f, i, j], k) => {
    for (let p = 0; p < 3; p++)
      for (let q = 0; q < 3; q++) made[(i + p) * 4 + j + q]! += code[k]! * filters[f * 9 + p * 3 + q]!;
  });
  const rest = made.map((v, i) => v - x[i]!);
  const next = places.map(([f, i, j], k) => Math.max(0, code[k]! - 0.1 * patch(rest, f, i, j)));
  for (let c = 0; c < 2; c++)
    expect(plain[c]).toBeCloseTo(
      next.reduce((s, v, k) => s + v * readout[2 * k + c]!, 0),
      5,
    );
});

function explicit({ size, atoms }: Dictionary, x: Float64Array): Float64Array {
  const y = new Float64Array(size);
  x.forEach((v, j) => {
    for (let i = 0; i < size; i++) y[i]! += v * atoms[j * size + i]!;
  });
  return y;
}
