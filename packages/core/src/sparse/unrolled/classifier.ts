// Networks that unroll a multilayer pursuit and read its last code (book, chapter 7, (7.30), (7.31)): convolutions analyze, their
// transposes synthesize, both with the same weights, so that more iterations bring no more parameters.
import { float32, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { elementCount, encode, view } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import { createRandom } from "../../numbers/random.ts";
import { SparseError } from "../error.ts";

export interface UnrolledLayer {
  readonly filters: number;
  /** Side of a filter. */
  readonly size: number;
  readonly stride: number;
}

/**
 * ml-ista, ml-fista: all layers together. layered: each layer by itself, on the code of the one before. ml-lista: synthesis has
 * weights of its own. free: every iteration has.
 */
export type UnrolledVariant = "ml-ista" | "ml-fista" | "layered" | "ml-lista" | "free";

export interface UnrolledClassifier {
  /** From "x" [N, channels, rows, columns] to scores "y" [N, classes]. */
  readonly graph: Graph;
  /** Names of what is trained. */
  readonly weights: readonly string[];
  readonly parameters: number;
}

export interface UnrolledOptions {
  readonly input: readonly [channels: number, rows: number, columns: number];
  readonly layers: readonly UnrolledLayer[];
  readonly classes: number;
  /** Iterations after the forward pass; 0: a plain convolutional network. */
  readonly unfoldings: number;
  readonly variant?: UnrolledVariant;
  readonly seed?: number | string;
}

/** A network of nonnegative codes: x_i = ReLU(x_i - c_i W_i (W_i^T x_i - x_(i-1)) + b_i), begun with the forward pass. */
export function unrolledClassifier({
  input,
  layers,
  classes,
  unfoldings,
  variant = "ml-ista",
  seed = 0,
}: UnrolledOptions): UnrolledClassifier {
  const sides = sidesOf(input, layers);
  const random = createRandom(seed);
  const names: string[] = [];
  let parameters = 0;
  const channels = [input[0], ...layers.map(({ filters }) => filters)];
  const network = graph({ x: float32("N", ...input) }, ({ x }) => {
    const known = new Map<string, Value>();
    const weight = (label: string, dims: readonly number[], scale: number, offset = 0): Value => {
      const before = known.get(label);
      if (before) return before;
      const values = random
        .split(label)
        .normal(elementCount(dims))
        .map((v) => scale * v + offset);
      const value = x.builder.weight(view("float32", dims, encode(values, "float32")), label);
      known.set(label, value);
      names.push(value.name);
      parameters += elementCount(dims);
      return value;
    };
    /** Which weights an iteration uses: its own ones only where all are free. */
    const of = (k: number): string => (variant === "free" && k > 0 ? `.${k}` : "");
    const filter = (i: number, part: "analysis" | "synthesis", k: number): Value => {
      const { filters, size } = layers[i]!;
      const own = part === "synthesis" && (variant === "ml-lista" || variant === "free");
      const fan = channels[i]! * size * size;
      const label = `layer${i + 1}${own ? ".synthesis" : ""}.weight${of(k)}`;
      return weight(label, [filters, channels[i]!, size, size], Math.sqrt(1 / fan));
    };
    const window = (i: number) => ({
      kernel_shape: [layers[i]!.size, layers[i]!.size],
      strides: [layers[i]!.stride, layers[i]!.stride],
    });
    const analyzed = (i: number, v: Value, k: number): Value =>
      v.op("Conv", [filter(i, "analysis", k)], window(i));
    const synthesized = (i: number, v: Value, k: number): Value =>
      v.op("ConvTranspose", [filter(i, "synthesis", k)], window(i));
    const bias = (i: number, k: number): Value =>
      weight(`layer${i + 1}.bias${of(k)}`, [1, layers[i]!.filters, 1, 1], 0);
    /** Steps begin at a tenth: with filters of length 1 that is below the inverse of the squared norm. */
    const step = (i: number, k: number): Value =>
      weight(`layer${i + 1}.step${of(k)}`, [1, layers[i]!.filters, 1, 1], 0, 0.1);
    const proximal = (i: number, code: Value, signal: Value, k: number): Value =>
      code
        .sub(analyzed(i, synthesized(i, code, k).sub(signal), k).mul(step(i, k)))
        .add(bias(i, k))
        .relu();
    let codes: Value[] = [];
    for (let i = 0; i < layers.length; i++) {
      let code = analyzed(i, codes.at(-1) ?? x, 0)
        .add(bias(i, 0))
        .relu();
      if (variant === "layered")
        for (let k = 1; k <= unfoldings; k++) code = proximal(i, code, codes.at(-1) ?? x, k);
      codes.push(code);
    }
    let [before, theta] = [codes.at(-1)!, 1];
    for (let k = 1; variant !== "layered" && k <= unfoldings; k++) {
      const last = codes.at(-1)!;
      const after = (1 + Math.sqrt(1 + 4 * theta ** 2)) / 2;
      const momentum = variant === "ml-fista" ? (theta - 1) / after : 0;
      const z = momentum > 0 ? last.add(last.sub(before).mul(momentum)) : last;
      const made = [z];
      for (let i = layers.length - 1; i >= 1; i--) made.unshift(synthesized(i, made[0]!, k));
      const next: Value[] = [];
      for (let i = 0; i < layers.length; i++) next.push(proximal(i, made[i]!, next.at(-1) ?? x, k));
      [codes, before, theta] = [next, last, after];
    }
    const flat = codes.at(-1)!.op("Flatten");
    const features = layers.at(-1)!.filters * sides.at(-1)! ** 2;
    const W = weight("readout.weight", [features, classes], Math.sqrt(1 / features));
    return { y: flat.op("Gemm", [W, weight("readout.bias", [classes], 0)]) };
  });
  return { graph: network, weights: names, parameters };
}

/** Sides of pictures and codes; what a stride leaves over would be lost on the way back. */
function sidesOf(
  [, rows, columns]: readonly [number, number, number],
  layers: readonly UnrolledLayer[],
): readonly number[] {
  if (rows !== columns) throw new SparseError(`pictures are square, not ${rows} x ${columns}`);
  const sides: number[] = [rows];
  for (const [i, { size, stride }] of layers.entries()) {
    const left = sides.at(-1)! - size;
    if (left < 0 || left % stride !== 0)
      throw new SparseError(
        `layer ${i + 1}: filters of ${size} in steps of ${stride} do not fit ${sides.at(-1)} places`,
      );
    sides.push(left / stride + 1);
  }
  return sides;
}
