// The transform as a graph: values of Kymatio, the definition, the gradient.
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/index.ts";
import { tensor } from "../../src/graph/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { gradient } from "../../src/passes/index.ts";
import { geometry, propagate, scattering, type TransformOptions } from "../../src/scattering/index.ts";
import { sums } from "./kymatio.ts";
import { line, picture } from "./signals.ts";

/** Of Kymatio 0.3.0, numpy, with aliases of filters summed as in 0.4: [path, sample, value]. */
const references: readonly [
  TransformOptions,
  Float64Array,
  readonly (readonly [number, number, number])[],
][] = [
  [
    { shape: [1024], scale: 6, quality: 16 },
    line(1024),
    [
      [0, 3, 0.454430437219],
      [1, 0, 0.0314031293852],
      [40, 5, 0.00754029688073],
      [120, 2, 0.000141748232031],
      [221, 15, 0.00204188717615],
    ],
  ],
  [
    { shape: [4096], scale: 8, quality: 1 },
    line(4096),
    [
      [0, 3, 0.454516154272],
      [1, 0, 0.183487484191],
      [9, 5, 5.42287958902e-6],
      [20, 9, 0.000172325478475],
      [42, 15, 0.00032376960839],
    ],
  ],
  [
    { shape: [777], scale: 4, quality: 8, average: 24 },
    line(777),
    [
      [0, 3, 0.453877934212],
      [1, 0, 0.0375986977761],
      [20, 5, 0.34199086101],
      [49, 48, 0.00200613929502],
    ],
  ],
  [
    { shape: [32, 32], scale: 2 },
    picture(32, 32),
    [
      [0, 3, 1.04107726604],
      [1, 0, 0.0675920188318],
      [9, 5, 0.0662231794582],
      [17, 9, 0.0112082612205],
      [80, 63, 0.00382110473981],
    ],
  ],
  [
    { shape: [64, 64], scale: 4 },
    picture(64, 64),
    [
      [0, 3, 0.441839449414],
      [1, 0, 0.0587530912625],
      [30, 5, 0.133220440869],
      [100, 9, 0.000417626196226],
      [416, 15, 0.0020707997331],
    ],
  ],
  [
    { shape: [28, 20], scale: 2, angles: 6 },
    picture(28, 20),
    [
      [0, 3, 1.04268016328],
      [1, 0, 0.0738338811657],
      [10, 5, 0.0454310114633],
      [48, 34, 0.00377343201857],
    ],
  ],
];

/** The sum with signs that a multiplicative generator draws. */
function signed(values: ArrayLike<number>, seed: number): number {
  let [sum, state] = [0, seed];
  for (let k = 0; k < values.length; k++) {
    state = (state * 48271) % 2147483647;
    sum += state % 2 === 1 ? values[k]! : -values[k]!;
  }
  return sum;
}

describe("the scattering transform", () => {
  it.each(references)("equals Kymatio's: %o", async (options, x, values) => {
    const { graph, paths, geometry } = scattering({ ...options, type: "float64" });
    const { s } = await run(graph, { x: tensor(x, { type: "float64", dims: [1, ...options.shape] }) });
    expect(s.dims).toEqual([1, paths.length, ...geometry.output]);
    const size = geometry.output.reduce((a, b) => a * b, 1);
    // Kymatio's filters of two variables are in single precision.
    const tolerance = options.shape.length === 1 ? 1e-10 : 3e-6;
    for (const [path, at, value] of values)
      expect(Math.abs((s.data as Float64Array)[path * size + at]! / value - 1)).toBeLessThan(tolerance);
  });

  it.each(sums)("in single precision every order is Kymatio's to 1e-5: %o", async (options, orders) => {
    const { shape } = options;
    const x = shape.length === 1 ? line(shape[0]!) : picture(shape[0]!, shape[1]!);
    const { graph, paths, geometry } = scattering(options);
    const { s } = await run(graph, { x: tensor(x, { type: "float32", dims: [1, ...shape] }) });
    const size = geometry.output.reduce((a, b) => a * b, 1);
    orders.forEach(([norm, ...wanted], m) => {
      const own = (s.data as Float32Array).filter((_, k) => paths[Math.floor(k / size)]!.order === m);
      expect(Math.hypot(...own) / norm!).toBeCloseTo(1, 5);
      const off = wanted.map((sum, p) => signed(own, p + 1) - sum);
      expect(Math.hypot(...off) / Math.sqrt(off.length) / norm!).toBeLessThan(1e-5);
    });
  });

  it("single precision and several signals at once", async () => {
    const [a, b] = [picture(32, 32), picture(32, 32).map((v) => 1 - 2 * v)];
    const options = { shape: [32, 32], scale: 3 };
    const both = Float64Array.from([...a, ...b]);
    const exact = scattering({ ...options, type: "float64" });
    const { s: wide } = await run(exact.graph, { x: tensor(both, { type: "float64", dims: [2, 32, 32] }) });
    const { s: single } = await run(scattering(options).graph, {
      x: tensor(both, { type: "float32", dims: [2, 32, 32] }),
    });
    const { s: second } = await run(exact.graph, { x: tensor(b, { type: "float64", dims: [1, 32, 32] }) });
    const [p, q, r] = [wide, single, second].map(({ data }) => data as Float64Array) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const size = Math.sqrt(p.reduce((sum, v) => sum + v * v, 0));
    expect(Math.sqrt(p.reduce((sum, v, k) => sum + (v - q[k]!) ** 2, 0)) / size).toBeLessThan(1e-6);
    expect(Math.max(...r.map((v, k) => Math.abs(v - p[r.length + k]!)))).toBeLessThan(1e-13);
  });

  it.each<[string, TransformOptions]>([
    ["one variable, an odd length", { shape: [45], scale: 3 }],
    ["two variables", { shape: [9, 15], scale: 2, angles: 4 }],
  ])("without leaving out samples it is the definition: %s", async (_, options) => {
    const size = options.shape.reduce((a, b) => a * b, 1);
    const x = createRandom("definition").normal(size);
    const all = { padding: "none", bank: "spline", type: "float64" } as const;
    const { graph, paths, banks, geometry } = scattering({ ...options, ...all });
    expect(geometry.stride).toBe(0);
    const { s } = await run(graph, { x: tensor(x, { type: "float64", dims: [1, ...options.shape] }) });
    const defined = propagate(x, banks[0]!);
    paths.forEach(({ wavelets }, k) => {
      const path = defined.find((d) => d.wavelets.join() === wavelets.join())!;
      const differences = path.averaged.map((v, t) => Math.abs((s.data as Float64Array)[k * size + t]! - v));
      expect(Math.max(...differences)).toBeLessThan(1e-13);
    });
  });

  it.each<[string, TransformOptions]>([
    ["one variable", { shape: [60], scale: 3, quality: 2, type: "float64" }],
    ["two variables", { shape: [16, 12], scale: 2, angles: 4, type: "float64" }],
  ])("its gradient is that of finite differences: %s", async (_, options) => {
    const { graph, geometry, paths } = scattering(options);
    const random = createRandom("gradient");
    const size = options.shape.reduce((a, b) => a * b, 1);
    const [x, v] = [random.normal(size), random.normal(size)];
    const seed = random.normal(paths.length * geometry.output.reduce((a, b) => a * b, 1));
    const dims = [1, ...options.shape];
    const along = async (t: number): Promise<number> => {
      const { s } = await run(graph, {
        x: tensor(
          x.map((u, k) => u + t * v[k]!),
          { type: "float64", dims },
        ),
      });
      return (s.data as Float64Array).reduce((sum, value, k) => sum + value * seed[k]!, 0);
    };
    const { grad_x } = await run(gradient(graph), {
      x: tensor(x, { type: "float64", dims }),
      seed_s: tensor(seed, { type: "float64", dims: [1, paths.length, ...geometry.output] }),
    });
    const slope = (grad_x!.data as Float64Array).reduce((sum, g, k) => sum + g * v[k]!, 0);
    const h = 1e-5;
    expect(Math.abs(((await along(h)) - (await along(-h))) / (2 * h) / slope - 1)).toBeLessThan(1e-7);
  });

  it("a constant has no wavelet coefficients, and a gradient that is a number", async () => {
    const { graph, paths, geometry } = scattering({ shape: [16, 16], scale: 2, type: "float64" });
    const x = tensor(new Float64Array(256), { type: "float64", dims: [1, 16, 16] });
    const count = paths.length * geometry.output[0]! * geometry.output[1]!;
    const seed = tensor(new Float64Array(count).fill(1), {
      type: "float64",
      dims: [1, paths.length, ...geometry.output],
    });
    const { s, grad_x } = await run(gradient(graph), { x, seed_s: seed });
    expect([...(s!.data as Float64Array)].every((v) => v === 0)).toBe(true);
    expect([...(grad_x!.data as Float64Array)].every(Number.isFinite)).toBe(true);
  });

  it.each([
    [760, 3, 1024],
    [820, 3, 2048],
    [500, 5, 1024],
    [1000, 7, 2048],
  ])("pads %d samples for J = %d to %d, as Kymatio does", (n, scale, grid) => {
    expect(geometry({ shape: [n], scale }).grid).toEqual([grid]);
  });

  it("refuses what it cannot do, in one line", () => {
    expect(() => scattering({ shape: [8, 8], scale: 4 })).toThrow(/does not fit/);
    expect(() => scattering({ shape: [64], scale: 3, angles: 8 })).toThrow(/not angles/);
    expect(() => scattering({ shape: [64], scale: 3, order: 3 })).toThrow(/order is 0, 1 or 2/);
    expect(() => scattering({ shape: [64], scale: 3, average: 100 })).toThrow(/does not fit/);
  });
});
