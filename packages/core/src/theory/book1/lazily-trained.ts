// Networks of one or two hidden layers trained on four points, beside regression with the tangent kernel of their start.

import { type LazyCertificate, lazyCertificate } from "../../dynamics/lazy/certificate.ts";
import { descend } from "../../dynamics/lazy/descent.ts";
import { drawTwoLayer, padded } from "../../dynamics/lazy/features.ts";
import type { SmoothNetwork } from "../../dynamics/lazy/hessian.ts";
import { flatWeights, squaredLength } from "../../dynamics/lazy/squared-risk.ts";
import {
  kernelRegression,
  type MeanTangent,
  meanTangent,
  tangentGram,
  tangentModel,
} from "../../dynamics/lazy/tangent-model.ts";
import { type PlainDescentOptions, plainDescent } from "../../dynamics/plain-descent.ts";
import { shallowValue } from "../../dynamics/shallow-network.ts";
import { run } from "../../engine/run.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { empiricalKernel } from "../../kernels/empirical-kernel.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { denseNetwork, layersFrom } from "../../train/dense-network.ts";
import { empiricalRisk } from "../../train/empirical-risk.ts";

/** The book does not print its four points. */
export const inputs: readonly number[] = [-1.5, -0.5, 0.5, 1.5];
const signs: readonly number[] = [1, -1, 1.2, -0.4];
/** Where functions are compared. */
const grid: readonly number[] = Array.from({ length: 81 }, (_, k) => -2 + k / 20);

export interface LazyOptions {
  /** Of the labels. */
  readonly y: number;
  readonly steps: number;
  /** Descent ends where this part of the risk is left; default 1e-4. */
  readonly goal?: number;
  readonly random: Random;
}

export interface LazilyTrained {
  readonly n: number;
  readonly risks: readonly number[];
  readonly hasFitted: boolean;
  /** Distances from the start, as parts of its own length. */
  readonly relative: readonly number[];
  /** The way to the end, over that of the linear model. */
  readonly travelOverLinear: number;
  /** (x, Phi(x)) at the end, and what the linear model has after as many steps: regression with the tangent kernel. */
  readonly curve: readonly (readonly [number, number])[];
  readonly regression: readonly (readonly [number, number])[];
  /** The greatest difference of these. */
  readonly gap: number;
  readonly eta: number;
  /** For one hidden layer. */
  readonly certificate?: LazyCertificate;
  /** The distance from the start itself. */
  readonly travel: number;
  /** For one hidden layer: the mean of the Jacobian along the line from the start to the end, and what it should change. */
  readonly line?: MeanTangent & { readonly known: readonly number[] };
}

export const labels = (size: number): readonly number[] => signs.map((v) => size * v);

interface Ends {
  readonly risks: readonly number[];
  readonly distances: readonly number[];
  readonly size: number;
  readonly linear: number;
  readonly values: readonly number[];
  readonly regression: readonly number[];
}

function summary(n: number, eta: number, goal: number, ends: Ends): LazilyTrained {
  const { risks, distances, size, linear, values, regression } = ends;
  return {
    n,
    eta,
    risks,
    hasFitted: risks.at(-1)! <= goal * risks[0]!,
    relative: distances.map((v) => v / size),
    travel: distances.at(-1)!,
    travelOverLinear: distances.at(-1)! / linear,
    curve: values.map((v, k) => [grid[k]!, v]),
    regression: regression.map((v, k) => [grid[k]!, v]),
    gap: Math.max(...values.map((v, k) => Math.abs(v - regression[k]!))),
  };
}

/** One hidden layer of tanh, both layers trained at the greatest rate that the curvature at the start suggests. */
export function oneHiddenLayer(
  n: number,
  {
    y,
    tau,
    steps,
    goal = 1e-4,
    random,
    withCurves = true,
  }: LazyOptions & { readonly tau: number; readonly withCurves?: boolean },
): LazilyTrained {
  const examples = { points: inputs.map((x) => padded([x])), values: labels(y) };
  const start: SmoothNetwork = {
    ...drawTwoLayer("tanh", n, 2, { inner: 1, outer: tau / Math.sqrt(n) }, random),
    sigma: "tanh",
  };
  const spectrum = symmetricEigen(tangentGram(start, examples.points)).values;
  const certificate = lazyCertificate(start, examples);
  const eta = certificate.promised?.eta ?? inputs.length / (2 * spectrum.at(-1)!);
  const { risks, distances, end } = descend(start, examples, {
    eta,
    steps,
    until: goal * certificate.risk,
  });
  const model = tangentModel(start, examples, { eta, count: risks.length - 1 });
  const points = withCurves ? grid.map((x) => padded([x])) : [];
  const ends = {
    risks,
    distances,
    size: Math.sqrt(squaredLength(flatWeights(start))),
    linear: model.travel,
    values: points.map((x) => shallowValue(end, x)),
    regression: points.map((x) => model.value(x)),
  };
  const known = examples.points.map((x) => shallowValue(end, x) - shallowValue(start, x));
  const line = withCurves ? { ...meanTangent(start, end, examples.points), known } : undefined;
  return { ...summary(n, eta, goal, ends), certificate, ...(line && { line }) };
}

/** The book's network: two hidden layers of ReLUs, weights of variance 2 / fan-in, the first bias drawn like a weight. */
export async function twoHiddenLayers(
  n: number,
  {
    y,
    steps,
    goal = 1e-4,
    random,
    progress,
  }: LazyOptions & { readonly progress?: PlainDescentOptions["progress"] },
): Promise<LazilyTrained> {
  const widths = [2, n, n, 1];
  const layers = widths.slice(1).map((rows, l) => ({
    W: Array.from({ length: rows }, () =>
      Array.from(random.normal(widths[l]!), (v) => v * Math.sqrt(2 / widths[l]!)),
    ),
  }));
  const start = denseNetwork(layers, "relu");
  const rows = (xs: readonly number[]) => tensor(xs.map((x) => [x, 1]));
  const values = labels(y);
  const risk = empiricalRisk(start, "square", {
    x: rows(inputs),
    target: tensor([...values], { dims: [4, 1] }),
  });
  const m = inputs.length;
  const all = m + grid.length;
  const { ntk } = await empiricalKernel(start, rows([...inputs, ...grid]));
  const before = [...numbers((await run(start, { x: rows([...inputs, ...grid]) })).y!)];
  const kernel = inputs.map((_, i) => [...ntk.subarray(all * i, all * i + m)]);
  const errors = values.map((v, i) => v - before[i]!);
  const eta = m / (2 * symmetricEigen(kernel).values.at(-1)!);
  const until = (goal * dot(errors, errors)) / m;
  const { risks, distances, end } = await plainDescent(risk, {
    eta,
    steps,
    until,
    ...(progress && { progress }),
  });
  const { weights, travel } = kernelRegression(kernel, errors, { eta, count: risks.length - 1 });
  const after = await run(denseNetwork(layersFrom(risk, end, widths), "relu"), { x: rows(grid) });
  return summary(n, eta, goal, {
    risks,
    distances,
    size: Math.sqrt(dot(risk.start, risk.start)),
    linear: travel,
    values: [...numbers(after.y!)],
    regression: grid.map(
      (_, q) => before[m + q]! + weights.reduce((s, w, i) => s + w * ntk[all * i + m + q]!, 0),
    ),
  });
}
