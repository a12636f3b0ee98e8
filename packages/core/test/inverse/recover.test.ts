import { describe, expect, test } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { numbers, tensor, view } from "../../src/graph/tensor.ts";
import {
  blurOperator,
  certificateOf,
  cosineBasis,
  cosineSamples,
  denseMap,
  downsampling,
  enoughMeasurements,
  fourierSamples,
  gaussianOperator,
  generatorOf,
  hiddenBox,
  identityOperator,
  type LinearMap,
  latentDescent,
  leastSingularValue,
  linearGraph,
  matrixOfMap,
  meanInterval,
  operatorFromSpec,
  peakSignalToNoise,
  radonOperator,
  randomPixels,
  rangeIsometry,
  sampledRangeIsometry,
  sparseIsometry,
  sparseRecovery,
  squaredNormOf,
  structuralSimilarity,
  totalVariation,
  totalVariationOf,
  untrainedNetwork,
  untrainedRecovery,
  waveletBasis,
  waveletNames,
} from "../../src/inverse/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { dictionaryOf } from "../../src/sparse/pursuit/dictionary.ts";
import { lassoCode } from "../../src/sparse/pursuit/lasso-code.ts";
import { initialNetwork } from "../../src/train/network.ts";

const random = createRandom("recover");
const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, v, k) => sum + v * b[k]!, 0);
const distance = (a: Float64Array, b: Float64Array): number =>
  Math.hypot(...Array.from(a, (v, k) => v - b[k]!));

const shape = [6, 8];
const maps: Readonly<Record<string, LinearMap>> = {
  gaussian: gaussianOperator(7, 48, random.split("A")),
  odd: gaussianOperator(4, 5, random.split("B")),
  dct: cosineSamples(9, shape, random.split("dct")),
  fourier: fourierSamples(5, shape, random.split("fourier")),
  pixels: randomPixels(0.3, [2, ...shape], random.split("pixels")),
  hide: hiddenBox([1, 3, 2, 5], [3, ...shape]),
  blur: blurOperator(1.3, shape),
  "blur of a line": blurOperator(2, [9]),
  downsample: downsampling(2, [2, ...shape]),
  radon: radonOperator(5, shape),
  identity: identityOperator(4),
};

describe("operators", () => {
  test.each(Object.entries(maps))("%s: the transpose, and the graph", async (_, map) => {
    const [x, r] = [random.normal(map.inputs), random.normal(map.outputs)];
    expect(dot(map.apply(x), r)).toBeCloseTo(dot(x, map.transpose(r)), 11);
    const written = graph({ x: float64("N", map.inputs) }, ({ x }) => ({ y: map.write(x) }));
    const both = new Float64Array(2 * map.inputs);
    both.set(x);
    both.set(
      x.map((v) => 2 * v),
      map.inputs,
    );
    const y = numbers((await run(written, { x: view("float64", [2, map.inputs], both) })).y);
    map.apply(x).forEach((v, k) => {
      expect(y[k]).toBeCloseTo(v, 11);
      expect(y[map.outputs + k]).toBeCloseTo(2 * v, 11);
    });
  });

  test("what is known of each", () => {
    const picture = random.normal(48);
    // The unitary transform, by its definition.
    const whole = fourierSamples(1, shape, random).apply(picture);
    expect(whole[0]).toBeCloseTo(picture.reduce((a, b) => a + b, 0) / Math.sqrt(48), 12);
    const [u, v] = [1, 3];
    const every = fourierSamples(26, shape, createRandom(1), 0);
    const at = [...Array(48).keys()]
      .filter((k) => k <= ((6 - Math.floor(k / 8)) % 6) * 8 + ((8 - (k % 8)) % 8))
      .indexOf(u * 8 + v);
    let [re, im] = [0, 0];
    picture.forEach((p, k) => {
      const angle = 2 * Math.PI * ((u * Math.floor(k / 8)) / 6 + (v * (k % 8)) / 8);
      re += (p * Math.cos(angle)) / Math.sqrt(48);
      im -= (p * Math.sin(angle)) / Math.sqrt(48);
    });
    expect(every.outputs).toBe(52);
    expect(every.apply(picture)[at]).toBeCloseTo(re, 12);
    expect(every.apply(picture)[26 + at]).toBeCloseTo(im, 12);
    const constant = new Float64Array(48).fill(3);
    for (const map of [maps["blur"]!, downsampling(2, shape)])
      for (const value of map.apply(constant)) expect(value).toBeCloseTo(3, 12);
    // Every pixel is in full on the lines of each angle.
    expect(
      radonOperator(5, shape)
        .apply(picture)
        .reduce((a, b) => a + b, 0),
    ).toBeCloseTo(5 * picture.reduce((a, b) => a + b, 0), 11);
    expect(downsampling(2, [4]).apply(Float64Array.of(1, 3, 5, 7))).toEqual(Float64Array.of(2, 6));
    expect(blurOperator(1, [3]).apply(Float64Array.of(0, 1, 0))[1]).toBeCloseTo(
      // The kernel reaches 4: 1 is seen again in the mirrors at distances 3 and 3.
      [0, -3, 3].reduce((s, d) => s + Math.exp(-(d ** 2) / 2), 0) /
        [-4, -3, -2, -1, 0, 1, 2, 3, 4].reduce((s, d) => s + Math.exp(-(d ** 2) / 2), 0),
      12,
    );
    expect(
      squaredNormOf(denseMap({ rows: 2, columns: 2, entries: Float64Array.of(3, 0, 0, 1) })),
    ).toBeCloseTo(9, 4);
    // Low frequencies are preferred, none is taken twice.
    const low = matrixOfMap(cosineSamples(40, [64], createRandom(1), 6)).entries;
    expect(new Set(Array.from({ length: 40 }, (_, i) => low.slice(64 * i, 64 * i + 64).join())).size).toBe(
      40,
    );
  });

  test("a graph is read as a matrix, and refused where it bends or adds", () => {
    const W = tensor(
      [
        [1, 2, 0],
        [0, -1, 4],
      ],
      { type: "float64" },
    );
    const linear = graph({ x: float64("N", 3) }, ({ x }) => ({
      y: x
        .affine(W)
        .mul(2)
        .sub(x.slice(1, 0, 2)),
    }));
    expect(matrixOfMap(linearGraph(linear).map).entries).toEqual(Float64Array.of(1, 4, 0, 0, -3, 8));
    const bent = graph({ x: float64("N", 3) }, ({ x }) => ({ y: x.affine(W).relu() }));
    expect(() => linearGraph(bent)).toThrow(/not linear: .*bends/);
    const shifted = graph({ x: float64("N", 3) }, ({ x }) => ({ y: x.affine(W, [0, 1]) }));
    expect(() => linearGraph(shifted)).toThrow(/output 1 of the input 0 is 1/);
    const curved = graph({ x: float64("N", 3) }, ({ x }) => ({ y: x.tanh() }));
    expect(() => linearGraph(curved)).toThrow(/cannot be read as a linear one/);
  });

  test.each([
    ["gauss:m=3", /there is no operator "gauss"/],
    ["gaussian", /needs m/],
    ["gaussian:k=3", /has m, seed, not "k"/],
    ["gaussian:m=x", /m of operator gaussian is a number/],
    ["gaussian:m=0", /0 measurements/],
    ["pixels:keep=2", /a share of pixels/],
    ["downsample:factor=4", /no whole number of blocks of 4/],
    ["hide:top=0,bottom=9,left=0,right=2", /rows 0 to 9/],
    ["blur:sigma=-1", /is positive/],
    ["dct:m=99", /99 coefficients/],
    ["fourier:frequencies=27", /27 frequencies/],
  ])("%s is refused", (spec, message) => {
    expect(() => operatorFromSpec(spec, shape)).toThrow(message);
  });
});

describe("bases", () => {
  test.each([
    ["cosines", cosineBasis([6, 8])],
    ["cosines of a line", cosineBasis([7])],
    ...waveletNames.map((name) => [name, waveletBasis([2, 12, 16], name)] as const),
    ["a line", waveletBasis([24], "db3")],
  ] as const)("%s: orthonormal, and undone by synthesis", (_, basis) => {
    const x = random.normal(basis.size);
    const s = basis.analysis(x);
    expect(dot(s, s)).toBeCloseTo(dot(x, x), 10);
    expect(distance(basis.synthesis(s), x)).toBeLessThan(1e-11);
  });

  test("vanishing moments: details of lines and parabolas are 0 inside", () => {
    for (const [name, degree] of [
      ["haar", 0],
      ["db2", 1],
      ["db3", 2],
    ] as const) {
      const s = waveletBasis([32], name).analysis(Float64Array.from({ length: 32 }, (_, k) => k ** degree));
      // The finest details, but for those that reach around the end.
      for (const v of s.subarray(16, 29)) expect(Math.abs(v)).toBeLessThan(1e-10);
    }
  });
});

describe("priors", () => {
  test("a sparse code by operator is that of the dictionary", async () => {
    const [map, basis] = [gaussianOperator(14, 24, random.split("lasso")), cosineBasis([4, 6])];
    const y = random.normal(14);
    const matrix = matrixOfMap({ ...map, apply: (s) => map.apply(basis.synthesis(s)) });
    const code = lassoCode(dictionaryOf(matrix), y, 0.3);
    const found = await sparseRecovery(map, y, basis, { lambda: 0.3, gap: 1e-12 });
    expect(found.objective).toBeCloseTo(code.objective, 9);
    expect(distance(found.code, code.x)).toBeLessThan(1e-4);
    expect(found.dualityGap).toBeLessThan(1e-10);
  });

  test("a gap bounds what another code could gain, before the end", async () => {
    const [map, basis] = [gaussianOperator(14, 24, random.split("gap")), cosineBasis([4, 6])];
    const y = random.normal(14);
    const best = await sparseRecovery(map, y, basis, { lambda: 0.1, gap: 1e-13, iterations: 20_000 });
    const early = await sparseRecovery(map, y, basis, { lambda: 0.1, iterations: 10 });
    expect(early.objective - early.dualityGap).toBeLessThanOrEqual(best.objective);
    const [tv, short] = [
      await totalVariation(map, y, [4, 6], { lambda: 0.1, gap: 1e-9, iterations: 20_000 }),
      await totalVariation(map, y, [4, 6], { lambda: 0.1, iterations: 50 }),
    ];
    expect(tv.dualityGap).toBeLessThan(1e-7);
    expect(short.objective - short.dualityGap).toBeLessThanOrEqual(tv.objective + 1e-12);
  });

  test("total variation of a step: its sides move by lambda over their lengths", async () => {
    const y = Float64Array.of(0, 0, 0, 1, 1);
    const { x } = await totalVariation(identityOperator(5), y, [5], { lambda: 0.15, gap: 1e-12 });
    [0.05, 0.05, 0.05, 0.925, 0.925].forEach((v, k) => {
      expect(x[k]).toBeCloseTo(v, 5);
    });
    expect(totalVariationOf(Float64Array.of(0, 3, 4, 0), [2, 2])).toBe(5 + 3 + 4);
    const bounded = await totalVariation(identityOperator(2), Float64Array.of(-1, 2), [2], {
      ...{ lambda: 0.1, range: [0, 1] as const, gap: 1e-10 },
    });
    expect(bounded.x[0]).toBe(0);
    expect(bounded.x[1]).toBe(1);
  });

  test("untrained networks fit, and stop where the noise is reached", async () => {
    const target = Float64Array.from({ length: 64 }, (_, k) => (k % 8 < 4 ? 0.2 : 0.8));
    const { count } = untrainedNetwork("deep-decoder", [8, 8], createRandom(1), { width: 6 });
    expect(count).toBe(2 * (36 + 12) + 6);
    for (const name of ["dip", "deep-decoder"] as const) {
      const found = await untrainedRecovery(name, identityOperator(64), target, [8, 8], createRandom(2), {
        ...{ width: 8, steps: 300, discrepancy: 0.4 },
      });
      expect(found.ended).toBe("floor");
      expect(distance(found.x, target) ** 2).toBeLessThan(0.45);
    }
    const flat = await untrainedRecovery("dip", identityOperator(64), target, [8, 8], createRandom(2), {
      ...{ width: 6, steps: 100, variation: 5 },
    });
    expect(totalVariationOf(flat.x, [8, 8])).toBeLessThan(0.5 * totalVariationOf(target, [8, 8]));
  });
});

describe("generators", () => {
  const generator = generatorOf(initialNetwork("3-24-relu-60", { seed: 1, type: "float64" }));
  const made = async (z: Float64Array): Promise<Float64Array> =>
    Float64Array.from(
      numbers((await run(generator.graph, { x: view("float64", [1, 3], z) }))[generator.output]!),
    );

  test("descent finds what a generator made, from few measurements and from their moduli", async () => {
    const truth = await made(random.normal(3));
    const map = gaussianOperator(15, 60, random.split("few"));
    const y = map.apply(truth);
    const linear = await latentDescent(generator, map, y, createRandom(1), { steps: 150, restarts: 8 });
    expect(distance(linear.x, truth)).toBeLessThan(1e-6);
    expect(linear.objective).toBeLessThanOrEqual(Math.min(...linear.restarts));
    expect(linear.trace).toHaveLength(151);
    const modulus = await latentDescent(generator, map, y.map(Math.abs), createRandom(2), {
      ...{ steps: 150, restarts: 16, measured: "modulus" as const, negation: 20 },
    });
    expect(modulus.objective).toBeLessThan(1e-9);
  });

  test("a linear generator gives ridge regression", async () => {
    const flat = generatorOf(initialNetwork("2-9", { seed: 3, type: "float64" }));
    const W = numbers(flat.graph.initializers.get("layer1.weight") as never); // 2 x 9
    const y = random.normal(9);
    const { z } = await latentDescent(flat, identityOperator(9), y, createRandom(1), {
      weight: 0.5,
      steps: 100,
    });
    const [a, b] = [W.slice(0, 9), W.slice(9)].map((row) => Float64Array.from(row)) as [
      Float64Array,
      Float64Array,
    ];
    // (W W^T + 1/2) z = W y
    expect(dot(a, a) * z[0]! + dot(a, b) * z[1]! + 0.5 * z[0]!).toBeCloseTo(dot(a, y), 8);
    expect(dot(a, b) * z[0]! + dot(b, b) * z[1]! + 0.5 * z[1]!).toBeCloseTo(dot(b, y), 8);
  });

  test("gamma by all pieces is below what pairs show, and never above a linear one", async () => {
    const small = generatorOf(initialNetwork("2-5-relu-20", { seed: 4, type: "float64" }));
    const map = gaussianOperator(9, 20, random.split("rec"));
    const whole = (await rangeIsometry(small, map, 2))!;
    expect(whole.provenance).toBe("checked");
    expect(whole.gamma).toBeGreaterThan(0);
    expect(whole.delta).toBeLessThan(1e-6);
    const seen = await sampledRangeIsometry(small, map, Float64Array.of(0.3, -0.4), createRandom(1));
    expect(seen.provenance).toBe("estimated");
    expect(seen.gamma).toBeGreaterThanOrEqual(whole.gamma);
    // Of a linear generator there is one piece, and gamma is the least singular value on its range.
    const line = generatorOf(initialNetwork("1-20", { seed: 4, type: "float64" }));
    const w = Float64Array.from(numbers(line.graph.initializers.get("layer1.weight") as never));
    const exact = Math.sqrt(dot(map.apply(w), map.apply(w)) / dot(w, w));
    expect((await rangeIsometry(line, map, 2))!.gamma).toBeCloseTo(exact, 8);
    // Two measurements cannot tell four directions apart.
    expect((await rangeIsometry(small, gaussianOperator(2, 20, random), 2))!.gamma).toBeLessThan(1e-4);
    expect(await rangeIsometry(generator, map, 2)).toBeUndefined();
  });

  test("pieces that do not touch differ by more than their slopes", async () => {
    // Slopes e0, e1, e2 with bends at -1 and 1: only the first and the last piece together reach (1, 1, 1).
    const bends = graph({ z: float64("N", 1) }, ({ z }) => ({
      x: z
        .mul([[1, 0, 0]])
        .add(
          z
            .add([[1]])
            .relu()
            .mul([[-1, 1, 0]]),
        )
        .add(
          z
            .sub([[1]])
            .relu()
            .mul([[0, -1, 1]]),
        ),
    }));
    // I - 0.9 v v^T with v = (1, 1, 1) / sqrt 3: 0.1 along v, 1 across.
    const entries = Float64Array.from({ length: 9 }, (_, k) => (k % 4 === 0 ? 1 : 0) - 0.3);
    const map = denseMap({ rows: 3, columns: 3, entries });
    expect((await rangeIsometry(generatorOf(bends), map, 2))!.gamma).toBeCloseTo(0.1, 6);
  });

  test("negation leaves the side on which a ReLU is flat", async () => {
    const half = graph({ z: float64("N", 1) }, ({ z }) => ({ x: z.relu().mul([[1, 2]]) }));
    const y = Float64Array.of(3, 6);
    const ends = [];
    for (const seed of [1, 2, 3, 4])
      ends.push(
        await latentDescent(generatorOf(half), identityOperator(2), y, createRandom(seed), {
          ...{ restarts: 1, steps: 60, negation: 1, polish: 30 },
        }),
      );
    for (const { objective, z } of ends) {
      expect(objective).toBeLessThan(1e-12);
      expect(z[0]).toBeCloseTo(3, 6);
    }
  });

  test("what generators must be", () => {
    const two = graph({ a: float64("N", 2), b: float64("N", 2) }, ({ a, b }) => ({ y: a.add(b) }));
    expect(() => generatorOf(two)).toThrow(/one input and one output, .* has 2 and 1/);
  });
});

describe("certificates and measures", () => {
  test("singular values, correlations, and the sum of its parts", async () => {
    const map = denseMap({ rows: 3, columns: 2, entries: Float64Array.of(3, 0, 0, 2, 0, 0) });
    expect(await leastSingularValue(map)).toBeCloseTo(2, 10);
    expect(await leastSingularValue(gaussianOperator(3, 4, random))).toBe(0);
    // Columns (1, 0), (0, 1), (0.6, 0.8) / 10: one nonzero each, pairs are told apart by 1 - 0.8 / 10 at least.
    const flat = waveletBasis([3], "haar"); // an odd length has no level: the basis of pixels
    const dictionary = denseMap({
      rows: 3,
      columns: 3,
      entries: Float64Array.of(1, 0, 0.06, 0, 1, 0.08, 0, 0, 0.995),
    });
    const found = sparseIsometry(dictionary, flat, Float64Array.of(0, 2, 0), createRandom(1))!;
    expect(found.provenance).toBe("checked");
    expect(found.gamma ** 2).toBeCloseTo(1 - 0.08, 2);
    expect(sparseIsometry(dictionary, flat, Float64Array.of(1, 2, 0), createRandom(1))!.gamma).toBeLessThan(
      found.gamma,
    );
    const { bound, perDistance } = certificateOf(
      "generator-range",
      { gamma: 0.5, delta: 0.1, provenance: "checked", looked: 1 },
      { residual: 0.2, noise: 0.3, norm: 2 },
      [],
    );
    expect([bound, perDistance]).toEqual([expect.closeTo(1.2, 12), 5]);
    expect(
      certificateOf(
        "sparse-codes",
        { gamma: 0, delta: 0, provenance: "estimated", looked: 0 },
        { residual: 0, noise: 0, norm: 1 },
        [],
      ).bound,
    ).toBeUndefined();
    expect(enoughMeasurements(20, [500, 784], 0.8, 0.01)).toBe(26141);
    expect(enoughMeasurements(100, [1000, 4000, 12288], 0.1, 0.01)).toBe(9525);
  });

  test("PSNR, SSIM and intervals", () => {
    expect(peakSignalToNoise(Float64Array.of(0.1), Float64Array.of(0), 1)).toBeCloseTo(20, 12);
    const a = random.uniform(64);
    expect(structuralSimilarity(a, a, [8, 8], 1)).toBeCloseTo(1, 12);
    // Constant pictures 0 and 1: (c1 / (1 + c1)) (c2 / c2).
    expect(structuralSimilarity(new Float64Array(49), new Float64Array(49).fill(1), [7, 7], 1)).toBeCloseTo(
      1e-4 / (1 + 1e-4),
      12,
    );
    const b = a.map((v) => 1 - v);
    expect(structuralSimilarity(a, b, [8, 8], 1)).toBeLessThan(0);
    const { mean, halfWidth } = meanInterval([1, 2, 3]);
    expect(mean).toBe(2);
    expect(halfWidth).toBeCloseTo(4.302653 / Math.sqrt(3), 4);
  });
});
