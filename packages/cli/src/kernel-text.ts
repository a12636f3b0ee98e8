// What is known of a kernel, as JSON and as a person reads it.
import { meanSquaredError, misclassified } from "@lemmata/core/kernels";
import type { Matrix } from "@lemmata/core/linear-algebra";
import type { KernelData } from "./kernel-data.ts";
import type { Layer } from "./kernel-model.ts";
import type { KernelPlan } from "./kernel-options.ts";
import type { KernelFindings } from "./kernel-work.ts";
import { counted, number, secondsText, table } from "./output.ts";

export interface Storage {
  readonly where: "memory" | "disk";
  /** Of the kernel between training examples, and of all of the process at its most. */
  readonly matrixBytes: number;
  readonly peakBytes: number;
}

export interface KernelResult {
  readonly net: string;
  readonly plan: KernelPlan;
  readonly data: KernelData;
  readonly findings: KernelFindings;
  readonly layers: readonly Layer[] | undefined;
  readonly storage: Storage;
  readonly seconds: number;
  /** Of a limit kernel: 0 where all activations have closed forms. */
  readonly quadratureError: number | undefined;
}

interface Errors {
  readonly loss: number;
  readonly error: number;
}

/** The share of wrong classes, or the root of the mean squared error. */
function errorsOf(predictions: Matrix, targets: Matrix, task: KernelData["task"]): Errors {
  const loss = meanSquaredError(predictions, targets);
  return { loss, error: task === "regression" ? Math.sqrt(loss) : misclassified(predictions, targets) };
}

function predictionRecord({ plan, data, findings: { predictions } }: KernelResult) {
  if (!predictions) return undefined;
  const train = errorsOf(predictions.train, data.train.targets, data.task);
  const test = predictions.test && errorsOf(predictions.test, data.test!.targets, data.task);
  const { variance, solver, products, residual } = predictions;
  return {
    ...{ trainError: train.error, testError: test?.error ?? null },
    ...{ trainLoss: train.loss, testLoss: test?.loss ?? null },
    ...{ time: Number.isFinite(plan.time) ? plan.time : "inf" },
    dynamics: plan.rate === undefined ? "gradient flow" : "gradient descent",
    ...(plan.rate === undefined ? {} : { rate: plan.rate }),
    ridge: plan.ridge,
    task: data.task,
    targets: data.task === "classification" ? "centred one-hot" : "as they are",
    testExamples: data.test?.x.dims[0] ?? 0,
    testVariance: variance ? summary(variance) : null,
    solver,
    ...(products === undefined ? {} : { products }),
    ...(residual === undefined ? {} : { residual }),
  };
}

function summary(values: Float64Array) {
  const [sum, min, max] = values.reduce(([s, low, high], v) => [s + v, Math.min(low, v), Math.max(high, v)], [
    0,
    Number.POSITIVE_INFINITY,
    0,
  ] as [number, number, number]);
  return { mean: sum / values.length, min, max };
}

export function kernelRecord(result: KernelResult) {
  const { plan, data, findings, layers, storage, seconds, quadratureError } = result;
  const { min, max, condition, exact } = findings.spectrum;
  const prediction = predictionRecord(result);
  return {
    kind: plan.kind,
    parameterization: plan.parameterization,
    n: data.train.x.dims[0]!,
    trace: findings.trace,
    eigenvalues: { min, max, condition, effectiveRank: findings.effectiveRank, exact },
    ...(prediction && { prediction }),
    ...(layers && { layers }),
    ...(quadratureError === undefined ? {} : { quadratureError }),
    ...{ storage, seconds },
  };
}

const names = {
  ntk: "tangent kernel of infinitely wide",
  nngp: "covariance of infinitely wide",
  empirical: "tangent kernel of",
};

const significant = (value: number, digits = 4): string => number(Number(value.toPrecision(digits)));
const gigabytes = (bytes: number): string => `${significant(bytes / 1e9, 2)} GB`;

export function kernelText(result: KernelResult, { quiet }: { readonly quiet?: boolean }): string {
  const { net, plan, data, findings, layers, storage, seconds, quadratureError } = result;
  const { min, max, condition, exact } = findings.spectrum;
  const n = data.train.x.dims[0]!;
  const lines = [
    `${names[plan.kind]} ${net}, ${plan.parameterization} parameterization, on ${counted(n, "example")} of ${data.name}`,
    table(
      ["", ""],
      [
        ["trace", significant(findings.trace)],
        ["greatest eigenvalue", significant(max)],
        ["least eigenvalue", `${exact ? "" : "at most "}${significant(min)}`],
        ["condition", `${exact ? "" : "at least "}${significant(condition)}`],
        ["effective rank", significant(findings.effectiveRank)],
        ...(quadratureError ? [["error of quadrature", `about ${quadratureError.toExponential(0)}`]] : []),
      ],
    )
      .split("\n")
      .slice(2)
      .join("\n"),
  ];
  if (layers) lines.push("", layerTable(layers));
  if (findings.predictions) lines.push("", predictionText(result));
  if (!quiet && storage.where === "disk")
    lines.push(
      `the matrix is on disk: ${gigabytes(storage.matrixBytes)}, and ${gigabytes(storage.peakBytes)} of memory were used, ${secondsText(seconds)}`,
    );
  return lines.join("\n");
}

const layerTable = (layers: readonly Layer[]): string =>
  table(
    ["weight", "trace", "share", "least output", "greatest output"],
    layers.map(({ weight, trace, share, outputs }) => [
      weight,
      significant(trace),
      `${(100 * share).toFixed(1)} %`,
      significant(outputs.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)),
      significant(outputs.reduce((a, b) => Math.max(a, b), 0)),
    ]),
    [1, 2, 3, 4],
  );

function courseText({ time, rate, ridge }: KernelPlan): string {
  const course =
    rate === undefined
      ? `gradient flow ${Number.isFinite(time) ? `up to t = ${number(time)}` : "to its end"}`
      : `gradient descent with rate ${number(rate)}, ${Number.isFinite(time) ? counted(time, "step") : "to its end"}`;
  return `${course}${ridge > 0 ? `, ridge ${number(ridge)}` : ""}`;
}

function predictionText(result: KernelResult): string {
  const { plan, data, findings } = result;
  const found = predictionRecord(result)!;
  const isClasses = data.task === "classification";
  const errorText = (error: number): string =>
    isClasses ? `${(100 * error).toFixed(2)} %` : significant(error);
  const row = (name: string, loss: number | null, error: number | null): string[][] =>
    loss === null || error === null ? [] : [[name, significant(loss), errorText(error)]];
  const { variance, products, residual, solver } = findings.predictions!;
  return [
    `${courseText(plan)}; targets are ${isClasses ? `${data.classes} classes as centred one-hot vectors` : "used as they are"}`,
    table(
      ["", "mean squared error", isClasses ? "wrong" : "root"],
      [
        ...row("training", found.trainLoss, found.trainError),
        ...row("test", found.testLoss, found.testError),
      ],
      [1, 2],
    ),
    ...(variance && found.testVariance ? [varianceText(plan, found.testVariance)] : []),
    ...(products === undefined
      ? []
      : [
          `${solver}: ${counted(products, "pass", "passes")} over the matrix${residual === undefined ? "" : `, ${residual.toExponential(1)} of the targets left`}`,
        ]),
  ].join("\n");
}

const varianceText = (
  { kind }: KernelPlan,
  { mean, min, max }: { readonly mean: number; readonly min: number; readonly max: number },
): string =>
  `${kind === "ntk" ? "variance of trained networks" : "posterior variance"} on the test examples: ${significant(mean)} in the mean, ${significant(min)} to ${significant(max)}`;
