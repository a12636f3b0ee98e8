import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { library } from "../../src/functions/library.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { limitKernel, limitKernelFunction, type PreparedExamples } from "../../src/kernels/index.ts";
import { symmetricEigen } from "../../src/linear-algebra/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { initialNetwork } from "../../src/train/index.ts";
import {
  activated,
  convolved,
  flattened,
  type Image,
  imagePair,
  type PairOfImages,
  pooled,
} from "./reference.ts";

const normals = (seed: number | string, ...dims: number[]): Tensor => {
  const random = createRandom(seed);
  return tensor(
    Float64Array.from({ length: dims.reduce((n, d) => n * d, 1) }, () => random.normal()),
    { dims },
  );
};

/** The greatest difference as a part of the greatest entry. */
function difference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  const most = Math.max(...Array.from(b, Math.abs));
  return Math.max(...Array.from(a, (v, n) => Math.abs(v - b[n]!))) / (most || 1);
}

const options = { wStd: 1.3, bStd: 0.4 } as const;

describe("a hidden layer of ReLU", () => {
  // T-20: for the inner layer alone, x x' (pi - t) / (2 pi); NTK parameterization divides by d, and adds the outer layer.
  it("has the arc-cosine kernels", async () => {
    const x = tensor(
      [
        [1, 0],
        [Math.cos(1.1), Math.sin(1.1)],
        [-1, 0],
        [0, 3],
      ].map(([a, b]) => [a!, b!]),
    );
    const { nngp, ntk } = await limitKernel("2-9nobias-relu-1nobias", x);
    const [points, n] = [x.data as Float64Array, 4];
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        const [a, b] = [points.subarray(2 * i, 2 * i + 2), points.subarray(2 * j, 2 * j + 2)];
        const inner = (a[0]! * b[0]! + a[1]! * b[1]!) / 2;
        const size = (Math.hypot(...a) * Math.hypot(...b)) / 2;
        const t = Math.acos(Math.max(-1, Math.min(1, inner / size)));
        const outer = (size / (2 * Math.PI)) * (Math.sin(t) + (Math.PI - t) * Math.cos(t));
        expect(nngp[i * n + j]).toBeCloseTo(outer, 12);
        expect(ntk[i * n + j]).toBeCloseTo(outer + (inner * (Math.PI - t)) / (2 * Math.PI), 7);
      }
  });

  it("doubles when an example doubles, without biases", async () => {
    const x = normals(3, 4, 5);
    const twice = tensor(
      (x.data as Float64Array).map((v, k) => (k < 5 ? 2 * v : v)),
      { dims: x.dims },
    );
    const spec = "5-9nobias-relu-9nobias-leakyrelu(0.3)-1nobias";
    const [a, b] = [await limitKernel(spec, x, options), await limitKernel(spec, twice, options)];
    for (const kind of ["nngp", "ntk"] as const) expect(b[kind][1]! / a[kind][1]!).toBeCloseTo(2, 12);
  });
});

const architectures = [
  ["6-9-relu-9-gelu-1", [6]],
  ["6-9-tanh-9-silu-2", [6]],
  ["6-9-residual(erf-9)-sin-1", [6]],
  ["2x4x4-conv5k3same-relu-conv5k3-abs-flatten-3-cos-1", [2, 4, 4]],
  ["2x4x4-conv5k3same-residual(relu-conv5k3same-relu-conv5k1)-relu-globalavgpool-flatten-1", [2, 4, 4]],
  ["2x4x4-conv5k3-relu-avgpool2-flatten-1nobias", [2, 4, 4]],
  ["3x7-conv5k3s2p1-relu-flatten-1", [3, 7]],
] as const;

describe.each(architectures)("%s", (spec, example) => {
  for (const parameterization of ["ntk", "standard"] as const)
    it(`has symmetric kernels without negative eigenvalues (${parameterization})`, async () => {
      const n = 7;
      const kernel = await limitKernel(spec, normals(spec, n, ...example), { ...options, parameterization });
      for (const kind of ["nngp", "ntk"] as const) {
        const k = kernel[kind];
        for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) expect(k[i * n + j]).toBe(k[j * n + i]);
        const { values } = symmetricEigen(
          Array.from({ length: n }, (_, i) => Array.from(k.subarray(i * n, (i + 1) * n))),
        );
        expect(Math.min(...values)).toBeGreaterThan(-1e-10 * Math.max(...values));
      }
    });

  it("does not depend on how it is cut into blocks, nor on the order of examples", async () => {
    const [x, z] = [normals(1, 5, ...example), normals(2, 3, ...example)];
    const whole = await limitKernel(spec, x, { ...options, other: z });
    const kernel = limitKernelFunction(spec, options);
    const [a, b] = [kernel.prepare(x), kernel.prepare(z)];
    const one = async (...[x, i, z, j]: [PreparedExamples, number, PreparedExamples, number]) => {
      const into = {
        nngp: new Float64Array(1),
        ntk: new Float64Array(1),
        start: 0,
        stride: 1,
        isLower: false,
      };
      await kernel.write({ x, rows: [i, i + 1], z, columns: [j, j + 1] }, into);
      return { nngp: into.nngp[0]!, ntk: into.ntk[0]! };
    };
    for (let i = 0; i < 5; i++)
      for (let j = 0; j < 3; j++) {
        expect((await one(a, i, b, j)).ntk / whole.ntk[i * 3 + j]!).toBeCloseTo(1, 11);
        expect((await one(b, j, a, i)).nngp / whole.nngp[i * 3 + j]!).toBeCloseTo(1, 11);
      }
    const square = await limitKernel(spec, x, options);
    const copied = await limitKernel(spec, x, {
      ...options,
      other: tensor(x.data as Float64Array, { dims: x.dims }),
    });
    // Examples with themselves: the angle 0 is found to 1e-8 there, exactly here.
    expect(difference(copied.ntk, square.ntk)).toBeLessThan(1e-7);
    expect(
      difference(
        square.nngp.filter((_, k) => k % 6 === 0),
        a.nngp,
      ),
    ).toBe(0);
    expect(
      difference(
        square.ntk.filter((_, k) => k % 6 === 0),
        a.ntk,
      ),
    ).toBe(0);
  });
});

it("vectors may be turned: the kernel of a dense network knows their inner products alone", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.double({ min: 0, max: 6.3, noNaN: true }), async (seed, t) => {
      const x = normals(seed, 4, 2);
      const turned = Array.from({ length: 4 }, (_, i) => {
        const [a, b] = [Number(x.data[2 * i]), Number(x.data[2 * i + 1])];
        return [Math.cos(t) * a - Math.sin(t) * b, Math.sin(t) * a + Math.cos(t) * b];
      });
      const spec = "2-8-relu-8-tanh-1";
      const [one, other] = [
        await limitKernel(spec, x, options),
        await limitKernel(spec, tensor(turned), options),
      ];
      expect(difference(other.ntk, one.ntk)).toBeLessThan(1e-7);
    }),
    { numRuns: 20 },
  );
});

describe("images", () => {
  const side = 4;
  const x = normals("images", 3, 2, side, side);
  const image = (i: number): Image =>
    Array.from({ length: 2 }, (_, c) =>
      Array.from({ length: side }, (_, y) =>
        Array.from({ length: side }, (_, u) => Number(x.data[((i * 2 + c) * side + y) * side + u])),
      ),
    );
  const relu = library.relu.dual();
  const layers = (...steps: ((pair: PairOfImages) => PairOfImages)[]) => ({
    of: (i: number, j: number) =>
      flattened(
        steps.reduce((pair, step) => step(pair), imagePair(image(i), image(j))),
        options,
      ),
  });
  const convolution = (size: number) => (pair: PairOfImages) => convolved(pair, size, options);
  const bent = (pair: PairOfImages) => activated(pair, relu);
  const means = (size: number) => (pair: PairOfImages) => pooled(pair, size);

  it.each([
    ["conv7k3same-relu-flatten-1", layers(convolution(3), bent)],
    ["conv7k3same-relu-conv7k3same-relu-flatten-1", layers(convolution(3), bent, convolution(3), bent)],
    ["conv7k3same-relu-globalavgpool-flatten-1", layers(convolution(3), bent, means(4))],
    [
      "conv7k3same-relu-avgpool2-conv7k3same-relu-globalavgpool-flatten-1",
      layers(convolution(3), bent, means(2), convolution(3), bent, means(2)),
    ],
    ["conv7k1-relu-avgpool2-flatten-1", layers(convolution(1), bent, means(2))],
  ])("%s as the formulas say, position by position", async (spec, reference) => {
    const { nngp, ntk } = await limitKernel(`2x4x4-${spec}`, x, options);
    for (let i = 0; i < 3; i++)
      for (let j = 0; j < 3; j++) {
        const exact = reference.of(i, j);
        expect(nngp[i * 3 + j]! / exact.nngp).toBeCloseTo(1, 11);
        expect(ntk[i * 3 + j]! / exact.ntk).toBeCloseTo(1, 7);
      }
  });

  it("of one position are vectors", async () => {
    const points = normals(4, 5, 6, 1, 1);
    const flat = tensor(points.data as Float64Array, { dims: [5, 6] });
    const one = await limitKernel("6x1x1-conv9k1-relu-conv9k1-relu-globalavgpool-flatten-1", points, options);
    const other = await limitKernel("6-9-relu-9-relu-1", flat, options);
    expect(difference(one.ntk, other.ntk)).toBeLessThan(1e-12);
  });
});

describe("zeros around the positions", () => {
  const x = normals("zeros", 3, 2, 4, 5);
  const weight = (...dims: number[]): Tensor => normals(7, ...dims);
  const conv = (h: Value, from: number): Value => h.op("Conv", [weight(6, from, 3, 3), weight(6)]);
  const around = (h: Value, ...pads: number[]): Value => h.op("Pad", [tensor(pads, { type: "int64" })]);
  const dense = (positions: number) => (h: Value) =>
    h
      .op("Flatten")
      .matmul(weight(6 * positions, 1))
      .add(weight(1));
  const end = (body: (x: Value) => Value): Graph =>
    graph({ x: float64("N", 2, 4, 5) }, ({ x: data }) => ({ y: body(data) }));

  it.each([
    ["flatten-1", dense(20)],
    ["globalavgpool-flatten-1", (h: Value) => dense(1)(h.op("GlobalAveragePool"))],
  ] as const)("are what a layer of the same size has, before %s", async (rest, last) => {
    const zeros = (h: Value): Value => around(h, 0, 0, 1, 1, 0, 0, 1, 1);
    const own = end((h) => last(conv(zeros(conv(zeros(h), 2).relu()), 6).relu()));
    const one = await limitKernel(own, x, options);
    const other = await limitKernel(`2x4x5-conv6k3same-relu-conv6k3same-relu-${rest}`, x, options);
    expect(difference(one.nngp, other.nngp)).toBeLessThan(1e-12);
    expect(difference(one.ntk, other.ntk)).toBeLessThan(1e-12);
  });

  it("may be fewer on one side, and positions may go", async () => {
    const [uneven, moved] = [
      end((h) => dense(3 * 4)(conv(around(h, 0, 0, 1, 0, 0, 0, 0, 1), 2).relu())),
      end((h) =>
        dense(3 * 4)(conv(around(around(h, 0, 0, 2, 1, 0, 0, 0, 1), 0, 0, -1, -1, 0, 0, 0, 0), 2).relu()),
      ),
    ];
    const [one, other] = [await limitKernel(uneven, x, options), await limitKernel(moved, x, options)];
    expect(difference(one.ntk, other.ntk)).toBeLessThan(1e-14);
    const inside = end((h) => {
      const padded = h.op("Conv", [weight(6, 2, 3, 3), weight(6)], { pads: [1, 0, 0, 1] });
      return dense(3 * 4)(padded.relu());
    });
    expect(difference((await limitKernel(inside, x, options)).ntk, one.ntk)).toBeLessThan(1e-12);
  });

  it("are nothing else: other numbers, examples and units are refused", async () => {
    const refused = (units: number, body: (h: Value) => Value) =>
      expect(
        limitKernel(
          end((h) => body(h).op("GlobalAveragePool").op("Flatten").matmul(weight(units, 1))),
          x,
        ),
      ).rejects;
    const ones = (h: Value): Value =>
      h.op("Pad", [tensor([0, 0, 1, 0, 0, 0, 0, 0], { type: "int64" }), tensor(1)]);
    await refused(2, ones).toThrow(/Pad node ".*" has no limit kernel: only zeros/);
    await refused(3, (h) => around(h, 0, 1, 0, 0, 0, 0, 0, 0)).toThrow(/Pad node ".*" .* examples or units/);
  });
});

describe("a file", () => {
  const weight = (...dims: number[]): Tensor => normals(9, ...dims);
  const dense = (activate: (x: Value) => Value): Graph =>
    graph({ x: float64("N", 6) }, ({ x }) => ({
      y: activate(x.matmul(weight(6, 9)).add(weight(9)))
        .matmul(weight(9, 2))
        .add(weight(2)),
    }));
  const x = normals(5, 4, 6);

  it("is read for its structure: MatMul and Add are a layer, whatever the weights are", async () => {
    for (const parameterization of ["ntk", "standard"] as const) {
      const given = { ...options, parameterization };
      const [one, other] = [
        await limitKernel(
          dense((h) => h.relu()),
          x,
          given,
        ),
        await limitKernel("6-9-relu-2", x, given),
      ];
      expect(difference(one.ntk, other.ntk)).toBeLessThan(1e-12);
      expect(difference(one.nngp, other.nngp)).toBeLessThan(1e-12);
    }
  });

  it("may write an activation by simpler operators, which are made one function", async () => {
    const gelu = (h: Value): Value => h.div(Math.SQRT2).op("Erf").add(1).mul(h).mul(0.5);
    const one = await limitKernel(dense(gelu), x, options);
    const other = await limitKernel("6-9-gelu-2", x, options);
    expect(difference(one.ntk, other.ntk)).toBeLessThan(1e-9);
    expect(one.error).toBeLessThan(1e-8);
    expect(other.error).toBe(0);
    const leaky = await limitKernel(
      dense((h) => h.mul(0.25).max(h)),
      x,
      options,
    );
    const exact = await limitKernel("6-9-leakyrelu(0.25)-2", x, options);
    // A kink leaves a tail of the series: the estimate says so.
    expect(difference(leaky.ntk, exact.ntk)).toBeLessThan(10 * leaky.error + 1e-9);
    const scaled = await limitKernel(
      dense((h) => h.relu().mul(Math.SQRT2)),
      x,
      options,
    );
    expect(scaled.error).toBe(0);
    // A number times a number times a layer is still that layer.
    const [twice, once] = await Promise.all(
      [(h: Value) => h.mul(0.7).mul(-2), (h: Value) => h.mul(-1.4)].map((times) =>
        limitKernel(
          dense((h) => times(h).relu().add(times(h))),
          x,
          options,
        ),
      ),
    );
    expect(difference(twice!.ntk, once!.ntk)).toBeLessThan(1e-12);
  });

  it("may have the factor of the NTK parameterization in it, which is not counted twice", async () => {
    for (const [spec, data] of [
      ["6-9-relu-9-relu-2", x],
      ["2x3x3-conv5k3same-relu-flatten-2", normals(6, 3, 2, 3, 3)],
    ] as const) {
      const net = initialNetwork(spec, { initialization: "ntk", seed: 1 });
      expect(
        difference((await limitKernel(net, data, options)).ntk, (await limitKernel(spec, data, options)).ntk),
      ).toBe(0);
    }
  });

  it("with layer normalization does not know how long the data is", async () => {
    const net = graph({ x: float32("N", 6) }, ({ x: data }) => {
      const type = { type: "float32" } as const;
      const [W, V] = [
        tensor(new Float32Array(54), { dims: [6, 9], ...type }),
        tensor(new Float32Array(9), { dims: [9, 1], ...type }),
      ];
      const normal = data
        .matmul(W)
        .op("LayerNormalization", [tensor(new Float32Array(9).fill(1), type), undefined], {
          axis: -1,
          epsilon: 1e-12,
        });
      return { y: normal.relu().matmul(V) };
    });
    const scaled = tensor(
      (x.data as Float64Array).map((v) => 7 * v),
      { dims: x.dims },
    );
    const [one, other] = [await limitKernel(net, x, options), await limitKernel(net, scaled, options)];
    expect(difference(other.ntk, one.ntk)).toBeLessThan(1e-10);
    // Normalized to variance 1: E relu^2 = 1/2, times W_std^2.
    expect(one.nngp[0]).toBeCloseTo(options.wStd ** 2 / 2, 10);
  });

  it("of sequences has units last", async () => {
    const net = graph({ x: float64("N", 3, 6) }, ({ x: data }) => ({
      y: data
        .matmul(weight(6, 9))
        .relu()
        .op("ReduceMean", [tensor([1], { type: "int64" })], { keepdims: 0 })
        .matmul(weight(9, 1)),
    }));
    const sequences = normals(8, 4, 3, 6);
    const moved = tensor(
      Float64Array.from({ length: 72 }, (_, k) => {
        const [i, c, p] = [Math.floor(k / 18), Math.floor(k / 3) % 6, k % 3];
        return Number(sequences.data[i * 18 + p * 6 + c]);
      }),
      { dims: [4, 6, 3] },
    );
    const other = await limitKernel("6x3-conv9k1nobias-relu-globalavgpool-flatten-1nobias", moved, options);
    expect(difference((await limitKernel(net, sequences, options)).ntk, other.ntk)).toBeLessThan(1e-12);
  });
});

describe("layers without activations are sums that can be written down", () => {
  const [n, units, positions, epsilon, square] = [3, 4, 5, 0.25, 1.3 ** 2];
  const x = normals("sums", n, units, positions);
  const at = (i: number, c: number, p: number): number => Number(x.data[(i * units + c) * positions + p]);
  /** W_std^2 <x_p, x'_q> / units: behind a convolution of one tap. */
  const before = (i: number, j: number, p: number, q: number): number => {
    let sum = 0;
    for (let c = 0; c < units; c++) sum += at(i, c, p) * at(j, c, q);
    return (square * sum) / units;
  };
  const each = Array.from({ length: positions }, (_, p) => p);
  const mean = (values: readonly number[]): number => values.reduce((s, v) => s + v, 0) / values.length;
  const kernelOf = async (between: (h: Value) => Value, features: number): Promise<Float64Array> => {
    const net = graph({ x: float64("N", units, positions) }, ({ x }) => ({
      y: between(x.op("Conv", [normals("taps", 6, units, 1)]))
        .op("Flatten")
        .matmul(normals("last", features, 1)),
    }));
    return (await limitKernel(net, x, { wStd: 1.3 })).nngp;
  };
  const expectKernel = (found: Float64Array, entry: (i: number, j: number) => number): void => {
    const wanted = Array.from({ length: n * n }, (_, k) => square * entry(Math.floor(k / n), k % n));
    expect(difference(found, wanted)).toBeLessThan(1e-12);
  };

  it("layer normalization over units and positions has the mean of the variances", async () => {
    const scale = tensor(new Float64Array(6 * positions).fill(1), { dims: [6, positions] });
    const found = await kernelOf(
      (h) => h.op("LayerNormalization", [scale, undefined], { axis: 1, epsilon }),
      6 * positions,
    );
    const size = (i: number): number => Math.sqrt(mean(each.map((p) => before(i, i, p, p))) + epsilon);
    expectKernel(found, (i, j) => mean(each.map((p) => before(i, j, p, p))) / size(i) / size(j));
  });

  it("layer normalization over units alone has that of each position", async () => {
    const scale = tensor(new Float64Array(6).fill(1));
    const turned = { perm: [0, 2, 1] };
    const found = await kernelOf(
      (h) =>
        h
          .op("Transpose", [], turned)
          .op("LayerNormalization", [scale, undefined], { axis: -1, epsilon })
          .op("Transpose", [], turned),
      6 * positions,
    );
    const size = (i: number, p: number): number => Math.sqrt(before(i, i, p, p) + epsilon);
    expectKernel(found, (i, j) => mean(each.map((p) => before(i, j, p, p) / size(i, p) / size(j, p))));
  });

  it.each([0, 1])("means over windows count what lies outside or not (%d)", async (counted) => {
    const found = await kernelOf(
      (h) =>
        h.op("AveragePool", [], {
          kernel_shape: [3],
          pads: [1, 1],
          strides: [2],
          count_include_pad: counted,
        }),
      6 * 3,
    );
    const windows = [
      [0, 1],
      [1, 2, 3],
      [3, 4],
    ];
    expectKernel(found, (i, j) =>
      mean(
        windows.map((window) => {
          const sum = window.flatMap((p) => window.map((q) => before(i, j, p, q))).reduce((s, v) => s + v, 0);
          return sum / (counted ? 3 : window.length) ** 2;
        }),
      ),
    );
  });
});

describe("images with their channels last, as TensorFlow has them", () => {
  const spec = "CxHxW-conv5k3same-relu-conv5k2-gelu-flatten-1";
  it.each([
    [2, "Transpose"],
    [1, "Transpose"],
    [1, "Reshape"],
  ] as const)("%d channels, moved by %s", async (channels, op) => {
    const first = normals(`channels ${channels}`, 4, channels, 3, 5);
    const last = tensor(
      Float64Array.from({ length: first.data.length }, (_, k) => {
        const [i, p, c] = [Math.floor(k / 15 / channels), Math.floor(k / channels) % 15, k % channels];
        return Number(first.data[(i * channels + c) * 15 + p]);
      }),
      { dims: [4, 3, 5, channels] },
    );
    const net = initialNetwork(spec.replace("CxHxW", `${channels}x3x5`), { seed: 1, type: "float64" });
    const moved = graph({ x: float64("N", 3, 5, channels) }, ({ x }) => ({
      y: x.builder
        .trace(net, {
          x:
            op === "Transpose"
              ? x.op("Transpose", [], { perm: [0, 3, 1, 2] })
              : x.op("Reshape", [tensor([-1, 1, 3, 5], { type: "int64" })]),
        })
        .get(net.outputs[0]!.name)!,
    }));
    const [one, other] = [await limitKernel(moved, last, options), await limitKernel(net, first, options)];
    expect(difference(one.ntk, other.ntk)).toBeLessThan(1e-14);
  });
});

describe("what has no limit kernel is refused, by node and operator", () => {
  const w = (...dims: number[]): Tensor =>
    tensor(new Float64Array(dims.reduce((n, d) => n * d, 1)), { dims });
  const x = normals(1, 2, 4);
  const net = (body: (x: Value) => Value): Graph =>
    graph({ x: float64("N", 4) }, ({ x: data }) => ({ y: body(data) }));
  it.each([
    [
      "an activation of the data",
      net((h) => h.relu().matmul(w(4, 1))),
      /Relu node ".*" has no limit kernel: .* not Gaussian/,
    ],
    [
      "a branch that is correlated",
      net((h) => {
        const u = h.matmul(w(4, 4));
        return u
          .add(u.relu().matmul(w(4, 4)).add(u))
          .relu()
          .matmul(w(4, 1));
      }),
      /Add node ".*" has no limit kernel: .* correlated/,
    ],
    ["a softmax", net((h) => h.matmul(w(4, 4)).op("Softmax")), /cannot read Softmax node/],
    [
      "a product of two layers",
      net((h) =>
        h
          .matmul(w(4, 4))
          .mul(h.matmul(w(4, 4)))
          .matmul(w(4, 1)),
      ),
      /Mul node ".*" has no limit kernel: .* two different/,
    ],
  ])("%s", async (_, model, message) => {
    await expect(limitKernel(model, x)).rejects.toThrow(message);
  });

  it("weights that are used twice", async () => {
    const shared = w(4, 4);
    const tied = graph({ x: float64("N", 4) }, ({ x: data }) => {
      const W = data.builder.weight(shared, "W");
      return { y: data.matmul(W).relu().matmul(W) };
    });
    await expect(limitKernel(tied, x)).rejects.toThrow(
      /MatMul node ".*" has no limit kernel: its weight "W" is used before/,
    );
  });

  it("groups, greatest values, positions at the output, wrong shapes, numbers that are none", async () => {
    const images = normals(1, 2, 2, 4, 4);
    await expect(limitKernel("2x4x4-conv4k3g2-relu-flatten-1", images)).rejects.toThrow(
      /Conv node ".*" has no limit kernel: its groups/,
    );
    await expect(limitKernel("2x4x4-conv4k3-relu-maxpool2-flatten-1", images)).rejects.toThrow(
      /cannot read MaxPool node/,
    );
    await expect(limitKernel("2x4x4-conv4k3-relu", images)).rejects.toThrow(/has 4 positions/);
    await expect(limitKernel("5-3-relu-1", x)).rejects.toThrow(/shape \[4\], but the network reads \[5\]/);
    await expect(limitKernel("4-3-relu-1", tensor([[1, 2, 3, Number.NaN]]))).rejects.toThrow(
      /example 0 of the data holds NaN/,
    );
    await expect(limitKernel("4-3-relu-1", x, { wStd: -1 })).rejects.toThrow(/at least 0, not -1/);
  });
});
