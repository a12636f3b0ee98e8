// A convolution of pictures as an operator. In double precision both ways are products of matrices, with patches taken out
// or put back here; in single precision the way back is a convolution of the runtime. All of them sum up products in some
// order, which is what the bound on rounding errors (`rounding.ts`) needs: no transforms.
import { run } from "../../engine/run.ts";
import { float32, graph } from "../../graph/builder.ts";
import type { WindowAxis } from "../../graph/elements/windows.ts";
import type { Graph } from "../../graph/graph.ts";
import { tensor } from "../../graph/tensor.ts";
import { multiplied } from "./matrix-product.ts";
import type { Field, Floats, Operator, Reading } from "./operator.ts";

export interface Kernel {
  /** By output channel, input channel of the group, row and column. */
  readonly weights: Float64Array;
  readonly channels: number;
  readonly outputs: number;
  readonly group: number;
  readonly axes: readonly [WindowAxis, WindowAxis];
}

const spanOf = ({ kernel, dilation }: WindowAxis): number => (kernel - 1) * dilation + 1;

const readingOf = (axis: WindowAxis): Reading => ({
  stride: axis.stride,
  before: axis.padBegin,
  reach: spanOf(axis) - 1,
});

export class Convolution implements Operator {
  readonly inputs: number;
  readonly outputs: number;
  readonly field: Field;
  readonly reading: readonly [Reading, Reading];
  readonly terms: number;
  readonly termsBack: number;
  readonly products: number;
  readonly #kernel: Kernel;
  readonly #taps: number;
  readonly #area: number;
  readonly #size: number;
  #magnitudes: Float64Array | undefined;
  #turned: Float64Array | undefined;
  #single: Graph | undefined;

  constructor(kernel: Kernel) {
    const { channels, outputs, group, axes } = kernel;
    const [y, x] = axes;
    this.#kernel = kernel;
    this.#taps = y.kernel * x.kernel;
    this.#area = y.output * x.output;
    this.#size = y.size * x.size;
    this.inputs = channels * this.#size;
    this.outputs = outputs * this.#area;
    this.field = { channels: outputs, height: y.output, width: x.output };
    this.reading = [readingOf(y), readingOf(x)];
    this.terms = (channels / group) * this.#taps;
    this.termsBack = (outputs / group) * this.#taps;
    this.products = outputs * this.#area * this.terms;
  }

  /** The same, each output channel times a factor; every weight is rounded once more. */
  scaled(factors: Float64Array): Convolution {
    const { weights } = this.#kernel;
    const own = weights.map((w, k) => w * factors[Math.floor(k / this.terms)]!);
    return new Convolution({ ...this.#kernel, weights: own });
  }

  get weights(): Float64Array {
    return this.#kernel.weights;
  }

  async forward(x: Float64Array, count: number, isMagnitude: boolean): Promise<Float64Array> {
    const { outputs, group, weights } = this.#kernel;
    const { terms } = this;
    if (isMagnitude) this.#magnitudes ??= weights.map(Math.abs);
    const patches = new Float64Array(count * group * terms * this.#area);
    for (let n = 0; n < count; n++) this.#takePatches(x, n * this.inputs, patches, n);
    return multiplied(
      { data: isMagnitude ? this.#magnitudes! : weights, dims: [group, outputs / group, terms] },
      { data: patches, dims: [count, group, terms, this.#area] },
    );
  }

  async back(g: Floats, count: number): Promise<Floats> {
    if (g instanceof Float32Array) return this.#backSingly(g, count);
    const { outputs, group, weights } = this.#kernel;
    this.#turned ??= turned(weights, group, outputs / group, this.terms);
    const patches = await multiplied(
      { data: this.#turned, dims: [group, this.terms, outputs / group] },
      { data: g, dims: [count, group, outputs / group, this.#area] },
    );
    const result = new Float64Array(count * this.inputs);
    for (let n = 0; n < count; n++) this.#putPatches(patches, n, result, n * this.inputs);
    return result;
  }

  /** Of output column v and tap kx: the columns from `first` to `end` whose place x = v stride + offset is inside. */
  #columns(kx: number): readonly [first: number, end: number, offset: number] {
    const { stride, dilation, padBegin, size, output } = this.#kernel.axes[1];
    const offset = kx * dilation - padBegin;
    const first = Math.max(0, Math.ceil(-offset / stride));
    return [first, Math.min(output, Math.floor((size - 1 - offset) / stride) + 1), offset];
  }

  #takePatches(x: Float64Array, from: number, patches: Float64Array, n: number): void {
    const { channels, axes } = this.#kernel;
    const [ay, ax] = axes;
    let at = n * channels * this.#taps * this.#area;
    for (let c = 0; c < channels; c++)
      for (let ky = 0; ky < ay.kernel; ky++)
        for (let kx = 0; kx < ax.kernel; kx++, at += this.#area) {
          const [first, end, offset] = this.#columns(kx);
          for (let v = 0; v < ay.output; v++) {
            const y = v * ay.stride + ky * ay.dilation - ay.padBegin;
            if (y < 0 || y >= ay.size) continue;
            const row = from + c * this.#size + y * ax.size + offset;
            const to = at + v * ax.output;
            for (let w = first; w < end; w++) patches[to + w] = x[row + w * ax.stride]!;
          }
        }
  }

  #putPatches(patches: Float64Array, n: number, into: Float64Array, from: number): void {
    const { channels, axes } = this.#kernel;
    const [ay, ax] = axes;
    let at = n * channels * this.#taps * this.#area;
    for (let c = 0; c < channels; c++)
      for (let ky = 0; ky < ay.kernel; ky++)
        for (let kx = 0; kx < ax.kernel; kx++, at += this.#area) {
          const [first, end, offset] = this.#columns(kx);
          for (let v = 0; v < ay.output; v++) {
            const y = v * ay.stride + ky * ay.dilation - ay.padBegin;
            if (y < 0 || y >= ay.size) continue;
            const row = from + c * this.#size + y * ax.size + offset;
            const start = at + v * ax.output;
            for (let w = first; w < end; w++) into[row + w * ax.stride]! += patches[start + w]!;
          }
        }
  }

  async #backSingly(g: Float32Array, count: number): Promise<Float32Array> {
    const { outputs, axes } = this.#kernel;
    const dims = [count, outputs, axes[0].output, axes[1].output];
    this.#single ??= backGraph(this.#kernel);
    const found = await run(this.#single, { g: { type: "float32", dims, data: g } });
    return found["x"]!.data as Float32Array;
  }
}

/** Of each group, the transposed matrix: (columns x rows) of (rows x columns). */
function turned(weights: Float64Array, groups: number, rows: number, columns: number): Float64Array {
  const result = new Float64Array(weights.length);
  for (let g = 0; g < groups; g++) {
    const at = g * rows * columns;
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < columns; c++) result[at + c * rows + r] = weights[at + r * columns + c]!;
  }
  return result;
}

/** The way back for any number of images, in single precision: with stride 1 a convolution with the turned kernel. */
function backGraph(kernel: Kernel): Graph {
  const { channels, outputs, group, axes, weights } = kernel;
  const [y, x] = axes;
  const input = { g: float32("n", outputs, y.output, x.output) };
  const before = axes.map((axis) => spanOf(axis) - 1 - axis.padBegin);
  const after = axes.map((axis, k) => axis.size - axis.output - before[k]! + spanOf(axis) - 1);
  const isPlain = axes.every(({ stride }) => stride === 1) && [...before, ...after].every((pad) => pad >= 0);
  const dilations = axes.map(({ dilation }) => dilation);
  if (isPlain) {
    const w = tensor(rotated(kernel), {
      type: "float32",
      dims: [channels, outputs / group, y.kernel, x.kernel],
    });
    const pads = [...before, ...after];
    return graph(input, ({ g }) => ({ x: g.op("Conv", [w], { pads, dilations, group }) }));
  }
  const w = tensor(Float32Array.from(weights), {
    type: "float32",
    dims: [outputs, channels / group, y.kernel, x.kernel],
  });
  const pads = [...axes.map(({ padBegin }) => padBegin), ...axes.map(({ padEnd }) => padEnd)];
  const beyond = axes.map(
    (axis) => axis.size - ((axis.output - 1) * axis.stride - axis.padBegin - axis.padEnd + spanOf(axis)),
  );
  const strides = axes.map(({ stride }) => stride);
  return graph(input, ({ g }) => ({
    x: g.op("ConvTranspose", [w], { pads, dilations, group, strides, output_padding: beyond }),
  }));
}

/** The kernel with inputs and outputs of each group exchanged and both axes reversed. */
function rotated({ weights, channels, outputs, group, axes }: Kernel): Float32Array {
  const taps = axes[0].kernel * axes[1].kernel;
  const [inward, outward] = [channels / group, outputs / group];
  const result = new Float32Array(weights.length);
  for (let o = 0; o < outputs; o++)
    for (let c = 0; c < inward; c++) {
      const to = ((Math.floor(o / outward) * inward + c) * outward + (o % outward)) * taps;
      const from = (o * inward + c) * taps;
      for (let k = 0; k < taps; k++) result[to + taps - 1 - k] = weights[from + k]!;
    }
  return result;
}
