// By how much each operator can stretch distances, whatever its input: one rule per operator.

import type { OperatorName } from "../../graph/operators/index.ts";
import { ownEntry } from "../../graph/own-entry.ts";
import { elementCount } from "../../graph/tensor.ts";
import { type Matrix, type NormOrder, operatorNorm } from "../../linear-algebra/matrix-norm.ts";
import { arePoints, type Interval } from "../../numbers/interval/index.ts";
import { addDown, addUp, divUp, mulUp, sqrtDown, sqrtUp } from "../../numbers/rounding.ts";
import { transposed } from "../interval/products.ts";
import { type IntervalTensor, Unreadable } from "../interval/tensor.ts";
import type { Rules } from "../pass.ts";

/** A value of the network: how fast it changes with the inputs at most, its shape, and its numbers if it is constant. */
export interface Gain {
  readonly gain: number;
  readonly dims: readonly number[];
  readonly constant?: IntervalTensor;
}

/** Inputs that the rules below let vary: the first one, unless said here. */
const varyingPlaces: Partial<Readonly<Record<OperatorName, readonly number[] | "all">>> = {
  Add: "all",
  Sub: "all",
  Sum: "all",
  Max: "all",
  Min: "all",
  Mul: "all",
  MatMul: "all",
  Concat: "all",
  Gemm: [0, 2],
};

/** Whether the rule of an operator knows what to do with an input at this place that is no constant. */
export function mayVary(op: string, place: number): boolean {
  const places = ownEntry(varyingPlaces as Readonly<Record<string, readonly number[] | "all">>, op) ?? [0];
  return places === "all" || places.includes(place);
}

type GainRules = Rules<Gain>;
type Inputs = readonly (Gain | undefined)[];

const magnitudes = ({ lower, upper }: IntervalTensor): Float64Array =>
  lower.map((l, k) => Math.max(-l, upper[k]!));
const greatest = (x: IntervalTensor): number => magnitudes(x).reduce((a, b) => Math.max(a, b), 0);

const times = (x: Gain, factor: number): Gain => ({ gain: mulUp(x.gain, factor), dims: x.dims });
const same = ([x]: Inputs): Gain => x!;
const stretch =
  (factor: number) =>
  ([x]: Inputs): Gain =>
    times(x!, factor);

/** The constant among two factors, and the other one. */
function constantFactor([x, y]: Inputs): readonly [Gain, IntervalTensor, "left" | "right"] {
  if (y!.constant) return [x!, y!.constant, "right"];
  if (x!.constant) return [y!, x!.constant, "left"];
  throw new Unreadable("a product of two values that vary has no bound for all inputs");
}

/**
 * A constant matrix, or its transpose; what is known to within an interval only is taken at its greatest magnitudes. A
 * batch of matrices is none: what it multiplies may be repeated.
 */
function matrixOf(weight: IntervalTensor, isTransposed = false): Matrix {
  if (weight.dims.length !== 2)
    throw new Unreadable(`its weight of shape [${weight.dims}] is not one matrix`);
  const x = isTransposed ? transposed(weight) : weight;
  const [rows, columns] = x.dims as readonly [number, number];
  return { rows, columns, entries: arePoints(x) ? x.lower : magnitudes(x) };
}

/** A power of a whole number, rounded up: n^(1/p), or 1 in the maximum norm. */
const root = (n: number, order: NormOrder): number => (order === 1 ? n : order === 2 ? sqrtUp(n) : 1);

/** Norms of several parts of a vector, put together. */
function joined(gains: readonly number[], order: NormOrder): number {
  if (order === 1) return gains.reduce(addUp, 0);
  if (order === 2) return sqrtUp(gains.reduce((sum, g) => addUp(sum, mulUp(g, g)), 0));
  return Math.max(0, ...gains);
}

/**
 * A convolution in the norms 1 and infinity: each input is read at most once a tap and output channel, each output
 * reads at most one input a tap and input channel; in the norm 2 the geometric mean of both (Schur's test).
 */
function convolutionNorm(w: IntervalTensor, order: NormOrder): number {
  const [outputs, perGroup, taps] = [w.dims[0]!, w.dims[1]!, elementCount(w.dims.slice(2))];
  const sizes = magnitudes(w);
  const [perOutput, perInput] = [new Float64Array(outputs), new Float64Array(perGroup)];
  for (let k = 0; k < sizes.length; k++) {
    const [to, from] = [Math.floor(k / (perGroup * taps)), Math.floor(k / taps) % perGroup];
    perOutput[to] = addUp(perOutput[to]!, sizes[k]!);
    perInput[from] = addUp(perInput[from]!, sizes[k]!); // over all groups: not less than in each
  }
  const [rows, columns] = [perOutput, perInput].map((sums) => sums.reduce((a, b) => Math.max(a, b), 0));
  return order === 1 ? columns! : order === 2 ? sqrtUp(mulUp(rows!, columns!)) : rows!;
}

interface Pooling {
  readonly kernel_shape: readonly number[];
  readonly strides: readonly number[] | undefined;
  readonly dilations: readonly number[] | undefined;
}

/** How many windows an element may lie in: with each tap in one at most, and of neighbouring taps in one a stride. */
const overlap = ({ kernel_shape, strides, dilations }: Pooling): number =>
  kernel_shape.reduce(
    (n, size, k) => n * ((dilations?.[k] ?? 1) > 1 ? size : Math.ceil(size / (strides?.[k] ?? 1))),
    1,
  );

const piecewise: Partial<Record<OperatorName, number>> = {
  Relu: 1,
  Abs: 1,
  Neg: 1,
  Tanh: 1,
  Sin: 1,
  Cos: 1,
  Atan: 1,
  Asinh: 1,
  Softplus: 1,
  Softsign: 1,
  Sigmoid: 0.25,
  Erf: 1.12837916709552, // 2 / sqrt(pi), rounded up
  HardSwish: 1.5,
  Gelu: 1.1291, // 1.12890 at sqrt 2; with tanh 1.12900 near 1.42
  Mish: 1.089, // 1.08850 near 1.49
  Softmax: 0.5, // the rows of diag(s) - s s^T have sums 2 s (1 - s) of magnitudes
};

/** A sum: gains add up. A value that is repeated by broadcasting would count more than once. */
function summed(inputs: Inputs): Gain {
  const dims = broadcastDims(inputs);
  if (inputs.some((x) => x?.constant && magnitudes(x.constant).includes(Number.POSITIVE_INFINITY)))
    throw new Unreadable("a constant is infinite, and so may be what it gives");
  const varying = inputs.filter((x) => x && !x.constant) as readonly Gain[];
  if (varying.some((x) => elementCount(x.dims) !== elementCount(dims)))
    throw new Unreadable("a value that varies is repeated by broadcasting");
  return { gain: varying.reduce((sum, x) => addUp(sum, x.gain), 0), dims };
}

const broadcastDims = (inputs: Inputs): readonly number[] =>
  inputs.reduce<readonly number[]>((dims, x) => {
    const rank = Math.max(dims.length, x!.dims.length);
    const at = (d: readonly number[], k: number) => d[k - rank + d.length] ?? 1;
    return Array.from({ length: rank }, (_, k) => (at(dims, k) === 1 ? at(x!.dims, k) : at(dims, k)));
  }, []);

/** The greatest slope of a function that is x above zero and has slopes up to alpha below. */
const steepest = (alpha: number): number => Math.max(1, Math.abs(alpha));

/** The rules for one norm. Shapes of movers are filled in by the driver. */
export function gainRules(order: NormOrder): GainRules {
  /** |max(a, b) - max(a', b')| <= max(|a - a'|, |b - b'|). */
  const extremum = (inputs: Inputs): Gain => {
    const varying = inputs.filter((x) => x && !x.constant) as readonly Gain[];
    return {
      ...summed(inputs),
      gain: joined(
        varying.map((x) => x.gain),
        order,
      ),
    };
  };
  const pooled = ([x]: Inputs, pooling: Pooling): Gain => times(x!, root(overlap(pooling), order));
  const plain = Object.fromEntries(
    Object.entries(piecewise).map(([op, factor]) => [op, stretch(factor)]),
  ) as GainRules;
  const movers = Object.fromEntries(
    "Identity Reshape Flatten Squeeze Unsqueeze Transpose Dropout Cast CastLike DepthToSpace SpaceToDepth Slice Split Trilu"
      .split(" ")
      .map((op) => [op, same]),
  ) as GainRules;
  return {
    ...plain,
    ...movers,
    LeakyRelu: ([x], { alpha }) => times(x!, steepest(alpha)),
    PRelu: ([x, slope]) => times(x!, steepest(greatest(slope!.constant!))),
    Clip: same,
    Elu: ([x], { alpha }) => times(x!, steepest(alpha)),
    // min(0, alpha (exp(x / alpha) - 1)) has slopes exp(x / alpha), for x < 0.
    Celu: ([x], { alpha }) => {
      if (!(alpha > 0)) throw new Unreadable(`its slopes have no bound with alpha = ${alpha}`);
      return x!;
    },
    Selu: ([x], { alpha, gamma }) => times(x!, mulUp(Math.abs(gamma), steepest(alpha))),
    HardSigmoid: ([x], { alpha }) => times(x!, Math.abs(alpha)),
    Add: summed,
    Sub: summed,
    Sum: summed,
    Max: extremum,
    Min: extremum,
    Mul: (inputs) => {
      const [x, constant] = constantFactor(inputs);
      return times(summed([x, { gain: 0, dims: constant.dims, constant }]), greatest(constant));
    },
    Div: ([x, y]) => {
      const least = y!.constant!.lower.reduce(
        (a, l, k) => Math.min(a, distanceToZero({ lower: l, upper: y!.constant!.upper[k]! })),
        Infinity,
      );
      if (!(least > 0)) throw new Unreadable("it divides by zero");
      return times(summed([x, y]), divUp(1, least));
    },
    MatMul: (inputs) => {
      const [x, weight, side] = constantFactor(inputs);
      // A row x W is W^T x: the norm is that of the map on columns.
      return times(x, operatorNorm(matrixOf(weight, side === "right"), order));
    },
    Gemm: ([a, b, c], { alpha, beta, transA, transB }) => {
      const map = matrixOf(b!.constant!, !transB);
      const product = a!.constant ? 0 : mulUp(a!.gain, mulUp(Math.abs(alpha), operatorNorm(map, order)));
      if (!c || c.constant) return { gain: product, dims: a!.dims };
      // A summand that is repeated by broadcasting would count more than once.
      if (elementCount(c.dims) !== a!.dims[transA ? 1 : 0]! * map.rows)
        throw new Unreadable("its third input varies and is repeated by broadcasting");
      return { gain: addUp(product, mulUp(c.gain, Math.abs(beta))), dims: a!.dims };
    },
    Conv: ([x, w]) => times(x!, convolutionNorm(w!.constant!, order)),
    BatchNormalization: ([x, scale, , , variance], { epsilon, training_mode }) => {
      if (training_mode) throw new Unreadable("in training mode it divides by a variance that varies");
      const factors = magnitudes(scale!.constant!).map((s, k) => {
        const least = addDown(variance!.constant!.lower[k]!, epsilon);
        if (!(least > 0)) throw new Unreadable("it divides by the root of a number that may not be positive");
        return divUp(s, sqrtDown(least));
      });
      return times(
        x!,
        factors.reduce((a, b) => Math.max(a, b), 0),
      );
    },
    Concat: (inputs) => ({
      gain: joined(
        (inputs as readonly Gain[]).filter((x) => !x.constant).map((x) => x.gain),
        order,
      ),
      dims: inputs[0]!.dims,
    }),
    MaxPool: pooled,
    AveragePool: pooled,
    GlobalMaxPool: same,
    GlobalAveragePool: same,
    // |mean|^p is at most the mean of |.|^p; where there is nothing to take a mean of, it is no number.
    ReduceMean: ([x]) => {
      if (elementCount(x!.dims) === 0) throw new Unreadable("it takes a mean of nothing");
      return x!;
    },
    Pad: ([x], { mode }) => {
      if (mode !== "constant") throw new Unreadable(`its mode is "${mode}"`);
      return x!;
    },
  };
}

const distanceToZero = ({ lower, upper }: Interval): number => Math.max(lower, -upper);
