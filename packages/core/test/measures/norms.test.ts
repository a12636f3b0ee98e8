import { describe, expect, it } from "vitest";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { tensor } from "../../src/graph/tensor.ts";
import { lanczos } from "../../src/linear-algebra/lanczos.ts";
import { symmetricEigen } from "../../src/linear-algebra/symmetric-eigen.ts";
import { symmetricSpectrum } from "../../src/linear-algebra/tridiagonal.ts";
import { linearLayers } from "../../src/measures/linear-layers.ts";
import { layerMap, layerNorm } from "../../src/measures/operator-norm.ts";
import { spectralUpper } from "../../src/measures/spectral-bound.ts";
import { circularNorm, torusBound } from "../../src/measures/torus-norm.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

const random = createRandom("norms");

/** A random symmetric matrix, row by row. */
function symmetric(n: number): Float64Array {
  const a = random.normal(n * n);
  return a.map((_, k) => a[k]! + a[(k % n) * n + Math.floor(k / n)]!);
}

const rowsOf = (a: Float64Array, n: number): number[][] =>
  Array.from({ length: a.length / n }, (_, i) => Array.from(a.subarray(i * n, (i + 1) * n)));

/** The greatest singular value by Jacobi's rotations on the Gram matrix: another way. */
function svdNorm(rows: readonly (readonly number[])[]): number {
  const gram = rows.map((a) => rows.map((b) => a.reduce((s, x, k) => s + x * b[k]!, 0)));
  return Math.sqrt(symmetricEigen(gram).values.at(-1)!);
}

describe("eigenvalues", () => {
  it.each([1, 2, 3, 7, 30])("of a tridiagonal form are those of the matrix, %i rows", (n) => {
    const a = symmetric(n);
    const expected = symmetricEigen(rowsOf(a, n)).values;
    symmetricSpectrum(a, n).forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k]!, 10);
    });
  });

  it("survive multiple eigenvalues and zeros", () => {
    expect([...symmetricSpectrum(Float64Array.of(2, 0, 0, 0, 2, 0, 0, 0, 0), 3)]).toEqual([0, 2, 2]);
    expect([...symmetricSpectrum(new Float64Array(16), 4)]).toEqual([0, 0, 0, 0]);
  });

  it("at both ends, by products with vectors", async () => {
    const n = 40;
    const a = symmetric(n);
    const product = async (v: Float64Array) =>
      Float64Array.from({ length: n }, (_, i) => v.reduce((s, x, j) => s + a[i * n + j]! * x, 0));
    const found = await lanczos(product, n, { random, ends: ["greatest", "least"] });
    const expected = symmetricEigen(rowsOf(a, n)).values;
    expect(found.greatest).toBeCloseTo(expected.at(-1)!, 7);
    expect(found.least).toBeCloseTo(expected[0]!, 7);
    expect(found.converged).toEqual({ greatest: true, least: true });
    expect(Math.max(found.residual.greatest, found.residual.least)).toBeLessThan(0.01);
  });

  it.each([
    ["close together", (k: number) => (k < 3 ? 10 - 1e-4 * k : k / 60), 1e-7],
    ["but one the same", (k: number) => (k === 7 ? 1.01 : 1), 1e-3],
  ] as const)("where they are %s", async (how, value, tolerance) => {
    const product = async (v: Float64Array) => v.map((x, k) => value(k) * x);
    for (let trial = 0; trial < 20; trial++) {
      const { greatest } = await lanczos(product, 58, { random, tolerance });
      expect(greatest).toBeCloseTo(value(how === "close together" ? 0 : 7), 9);
    }
  });
});

describe("matrices", () => {
  it.each([
    [1, 1],
    [5, 9],
    [40, 12],
    [110, 130],
  ])("%i x %i: Lanczos and the sound bound enclose the norm", async (rows, columns) => {
    const entries = random.normal(rows * columns);
    const exact = svdNorm(rowsOf(entries, columns));
    const { value, upper } = await layerNorm(dense(rows, columns, entries));
    expect(value).toBeCloseTo(exact, 8);
    expect(upper).toBeGreaterThanOrEqual(exact);
    expect(upper).toBeLessThan(1.02 * exact);
  });

  it("the bound by squarings on ONNX Runtime is sound and near for hundreds of rows", async () => {
    // Orthogonal rows of known length: the norm is exactly the greatest.
    const n = 128;
    const entries = new Float64Array(n * n);
    const place = random.permutation(n);
    for (let i = 0; i < n; i++) entries[i * n + place[i]!] = 1 + i / 64;
    const exact = 1 + (n - 1) / 64;
    const upper = await spectralUpper({ rows: n, columns: n, entries });
    expect(upper).toBeGreaterThanOrEqual(exact);
    expect(upper).toBeLessThan(1.02 * exact);
  });
});

const dense = (rows: number, columns: number, entries: Float64Array) => ({
  name: "W",
  op: "MatMul",
  output: "y",
  kind: "dense" as const,
  rows,
  columns,
  entries,
});

interface Convolution {
  readonly channels: readonly [number, number];
  readonly sides: readonly number[];
  readonly kernel: readonly number[];
  readonly strides?: readonly number[];
  readonly dilations?: readonly number[];
  readonly pads?: readonly number[];
  readonly group?: number;
  readonly auto_pad?: string;
}

function convolution(
  { channels: [from, to], sides, kernel, group = 1, ...attributes }: Convolution,
  draw: Random,
): Graph {
  const dims = [to, from / group, ...kernel];
  const weight = tensor(draw.normal(dims.reduce((a, b) => a * b)), { dims });
  return graph({ x: float64(1, from, ...sides) }, ({ x }) => ({
    y: x.op("Conv", [weight], { ...attributes, group, kernel_shape: kernel }),
  }));
}

const convolutions: readonly Convolution[] = [
  { channels: [2, 3], sides: [6, 5], kernel: [3, 3], pads: [1, 1, 1, 1] },
  { channels: [2, 3], sides: [6, 6], kernel: [3, 3], pads: [1, 1, 1, 1], strides: [2, 2] },
  { channels: [1, 4], sides: [7, 7], kernel: [2, 3], strides: [1, 2] },
  { channels: [4, 4], sides: [6, 6], kernel: [3, 3], group: 2, pads: [1, 0, 1, 2] },
  { channels: [2, 2], sides: [8, 7], kernel: [2, 2], dilations: [2, 3] },
  { channels: [3, 2], sides: [11], kernel: [4], strides: [3], pads: [2, 1] },
  { channels: [2, 2], sides: [6, 6], kernel: [3, 3], strides: [2, 2], auto_pad: "SAME_UPPER" },
  { channels: [2, 2], sides: [4, 4], kernel: [2, 2], strides: [2, 2] },
];

describe("convolutions", () => {
  it.each(convolutions)("%o: power iteration is the norm of the dense matrix", async (spec) => {
    const net = convolution(spec, random);
    const [layer] = (await linearLayers(net)).layers;
    const map = layerMap(layer!);
    const columns: number[][] = [];
    for (let j = 0; j < map.inputs; j++) {
      const unit = new Float64Array(map.inputs);
      unit[j] = 1;
      columns.push(Array.from(await map.apply(unit)));
    }
    const exact = svdNorm(columns);
    const { value, upper } = await layerNorm(layer!);
    expect(value).toBeCloseTo(exact, 8);
    expect(upper).toBeGreaterThanOrEqual(exact);
    expect(torusBound(layer!)!).toBeGreaterThanOrEqual(exact);
    // The transpose that the gradient pass gives is the transpose.
    const [x, y] = [random.normal(map.inputs), random.normal(map.outputs)];
    const [forth, back] = [await map.apply(x), await map.adjoint(y)];
    expect(forth.reduce((s, a, k) => s + a * y[k]!, 0)).toBeCloseTo(
      back.reduce((s, a, k) => s + a * x[k]!, 0),
      9,
    );
  });

  it("that wrap around: the Fourier value is the norm of the circulant matrix", async () => {
    for (const strides of [
      [1, 1],
      [2, 2],
    ]) {
      const spec = { channels: [2, 3] as const, sides: [6, 4], kernel: [3, 3], strides };
      const [layer] = (await linearLayers(convolution(spec, random))).layers;
      expect(circularNorm(layer!)!).toBeCloseTo(svdNorm(circulant(layer!.entries, spec)), 9);
    }
  });

  it("windows side by side: kernel and operator agree, and the bound is tight", async () => {
    const [layer] = (await linearLayers(convolution(convolutions.at(-1)!, random))).layers;
    const { value, kernel, upper } = await layerNorm(layer!);
    expect(value).toBeCloseTo(kernel!, 9);
    expect(upper).toBeLessThan(1.02 * value);
  });
});

/** The columns of the circular convolution, written out. */
function circulant(
  entries: Float64Array,
  { channels: [from, to], sides: [h, w], strides: [sh, sw] }: Convolution & { strides: readonly number[] },
): number[][] {
  const columns = Array.from({ length: from * h! * w! }, () =>
    new Array<number>((to * h! * w!) / (sh! * sw!)).fill(0),
  );
  for (let o = 0; o < to; o++)
    for (let i = 0; i < from; i++)
      for (let p = 0; p < h! / sh!; p++)
        for (let q = 0; q < w! / sw!; q++)
          for (let a = 0; a < 3; a++)
            for (let b = 0; b < 3; b++) {
              const [row, column] = [(p * sh! + a) % h!, (q * sw! + b) % w!];
              columns[(i * h! + row) * w! + column]![(o * (h! / sh!) + p) * (w! / sw!) + q]! +=
                entries[((o * from + i) * 3 + a) * 3 + b]!;
            }
  return columns;
}

describe("layers of a graph", () => {
  it("are found behind transposed weights, factors and normalizations", async () => {
    const net = graph({ x: float32("N", 2) }, ({ x }) => {
      const { builder } = x;
      const W = builder.weight(
        tensor(
          [
            [1, 2],
            [3, 4],
            [5, 6],
          ],
          { type: "float32" },
        ),
        "W",
      );
      const hidden = x.matmul(W.transpose([1, 0])).add(tensor([1, 1, 1], { type: "float32" }));
      const [normal] = builder.apply(
        "BatchNormalization",
        [hidden, [2, 2, 2], [0, 0, 0], [0, 0, 0], [4, 4, 4]].map((v) =>
          Array.isArray(v) ? tensor(v, { type: "float32" }) : v,
        ),
        { epsilon: 0 },
      );
      const V = tensor([[1, 0, 0]], { type: "float32" });
      return { y: normal!.relu().op("Gemm", [V], { transB: 1, alpha: 0.5 }) };
    });
    const { layers, unread } = await linearLayers(net);
    expect(unread).toEqual([]);
    expect(layers.map((l) => [l.rows, l.columns, [...l.entries]])).toEqual([
      [3, 2, [1, 2, 3, 4, 5, 6]], // times 2 / sqrt 4
      [1, 3, [0.5, 0, 0]],
    ]);
    expect(layers[0]!.folded?.output).toBeDefined();
  });
});
