// All measures of a model in one record: norms, paths, slopes, margins, errors, sharpness, activity, complexity.

import { GraphError } from "../graph/error.ts";
import { type Graph, isSparse } from "../graph/graph.ts";
import { isFloat, numbers } from "../graph/tensor.ts";
import { createRandom, type Random } from "../numbers/random.ts";
import type { Examples } from "../train/data/dataset.ts";
import type { UnitActivity } from "./activity.ts";
import { auditedModel, auditedTask, fittedExamples } from "./audited-model.ts";
import { euclidean } from "./euclidean.ts";
import { layerMeasures } from "./layer-measures.ts";
import type { LayerMeasures } from "./layer-values.ts";
import { type LinearLayer, type LinearLayers, linearLayers } from "./linear-layers.ts";
import { type MeasureOptions, stages } from "./measure-options.ts";
import type { NamedMeasure } from "./measure-row.ts";
import { namedMeasures } from "./measure-table.ts";
import { type LastLayerRademacher, measuredOnData } from "./measured-on-data.ts";
import { measuredPaths, pathConvention } from "./measured-paths.ts";
import { measuredHistory, measuredRadialSquare, measuredSharpness } from "./measured-sharpness.ts";
import { lipschitzUpper, seenSlopes } from "./measured-slopes.ts";
import { type Fit, fitOf, type MarginSummary, predict } from "./predictions.ts";
import type { MeasuredValue, Sharpness } from "./sharpness.ts";
import { frozenCount } from "./stored-weights.ts";
import { weightsOf } from "./weight-risk.ts";

export interface ModelMeasures {
  /** Weights that training changes, and frozen ones: whole numbers, sparse ones, those in bodies of operators. */
  readonly parameters: number;
  readonly task?: "classification" | "regression";
  /** The operator at the end that was left out, so that margins are of scores. */
  readonly without?: string;
  readonly layers: readonly LayerMeasures[];
  readonly unreadLayers: LinearLayers["unread"];
  /** Layer by layer; of a convolution, of its kernel. */
  readonly frobeniusNorms: readonly number[];
  /** Layer by layer the true operator norm. */
  readonly spectralNorms: readonly number[];
  readonly spectralProduct: number;
  /** What the path norms are of. */
  readonly pathConvention: string;
  /** Sum over the outputs. */
  readonly pathNorm1?: number;
  /** sqrt of the sum of squares over the outputs. */
  readonly pathNorm2?: number;
  /** Sound, in the Euclidean norm, for all inputs. */
  readonly lipschitzUpper?: number;
  /** The greatest Jacobian that was found. */
  readonly lipschitzLower?: number;
  /** The greatest Jacobian at the examples themselves: at those that `restsOn` counts. */
  readonly lipschitzOnData?: number;
  /** Over the weights that training changes. */
  readonly weightNorm: number;
  /** Over all weights. */
  readonly distanceFromInitial?: number;
  readonly margins?: MarginSummary;
  readonly trainError?: number;
  readonly trainLoss?: number;
  readonly testError?: number;
  readonly testLoss?: number;
  readonly testMargins?: MarginSummary;
  readonly outputEntropy?: number;
  readonly activity: readonly UnitActivity[];
  readonly sharpness?: Sharpness;
  /** Of the last layer's class { <v, phi(x)> : |v| <= B }, B the greatest norm of a row of it. */
  readonly rademacher?: LastLayerRademacher;
  /** All that comparison studies use, by name. */
  readonly named: readonly NamedMeasure[];
  /** On how many examples a number above rests, by its name; what is not listed reads the weights alone. */
  readonly restsOn: Readonly<Record<string, number>>;
  /** Why a number above is not there, by its name. */
  readonly reasons: Readonly<Record<string, string>>;
}

/**
 * Measures a model; numbers that data, initial weights or missing rules stand in the way of have a reason instead.
 * @example (await measureModel(denseNetwork([{ W: [[3, 4]] }], "linear"))).spectralNorms.map(Math.round) // [5]
 */
export async function measureModel(original: Graph, options: MeasureOptions = {}): Promise<ModelMeasures> {
  const { initial, seed = 0, signal, onProgress } = options;
  const random = createRandom(seed);
  const report = (what: string, share: number): void => {
    signal?.throwIfAborted();
    onProgress?.({ what, share });
  };
  const model = await auditedModel(original, auditedTask(options.data));
  const data = options.data && fittedExamples(model, options.data, "data");
  checkWeights(model.graph);
  const test = options.test && fittedExamples(model, options.test, "test data");
  report("layers", stages.layers);
  const { layers: found, unread } = await linearLayers(model.graph);
  const layers = await measuredLayers(found, initial, random, options);
  report("paths", stages.paths);
  const paths = await measuredPaths(model.graph);
  report("slopes", stages.slopes);
  const upper = lipschitzUpper(model.graph, found, layers);
  const search = { random: random.split("slopes"), ...(signal ? { signal } : {}) };
  const steepest =
    options.slopes === false
      ? { reason: "the search for slopes was not asked for" }
      : await seenSlopes(model, data, found, search);
  report("data", stages.data);
  const onData = data && (await measuredOnData(model, data, found, random, options));
  const onTest = test && fitOf(await predict(model, test, signal ? { signal } : {}), model.outputs, test.y);
  report("sharpness", stages.sharpness);
  const sharpness = data && (await measuredSharpness(model, data, random, options));
  const radialSquare = sharpness && (await measuredRadialSquare(model, data, found, random));
  const weights = weightsOf(model.graph);
  const gone = initial && distanceVector(weights, initial);
  const norms = {
    frobeniusNorms: layers.map((l) => l.frobenius),
    spectralNorms: layers.map((l) => l.spectral.value),
    spectralProduct: layers.reduce((p, l) => p * l.spectral.value, 1),
  };
  const distance: MeasuredValue = !gone
    ? { reason: "the initial weights are not given" }
    : "reason" in gone
      ? gone
      : { value: euclidean(gone.vector) };
  const parameters = weights.start.length + frozenCount(model.graph);
  const named = namedMeasures({
    parameters,
    layers,
    pathSquare: "reason" in paths.norm2 ? paths.norm2 : { value: paths.norm2.value ** 2 },
    weightSquare: euclidean(weights.start) ** 2,
    distanceSquare: "reason" in distance ? distance : { value: distance.value ** 2 },
    weights: weights.start,
    ...(gone && "vector" in gone ? { gone: gone.vector } : {}),
    vcDimension: parameters * layers.length * Math.log(Math.max(2, parameters)),
    ...(data ? { examples: data.x.dims[0]! } : {}),
    ...(onData?.fit.margins ? { margins: onData.fit.margins } : {}),
    ...(onData ? { trainLoss: onData.fit.loss } : {}),
    ...(onData?.fit.entropy === undefined ? {} : { entropy: onData.fit.entropy }),
    ...(sharpness ? { sharpness } : {}),
    ...(radialSquare ? { radialSquare } : {}),
    ...(options.history ? { history: await measuredHistory(options.history, data, random, options) } : {}),
  });
  const numbered = valuesAndReasons({
    pathNorm1: paths.norm1,
    pathNorm2: paths.norm2,
    lipschitzUpper: upper,
    lipschitzLower: steepest,
    distanceFromInitial: distance,
    rademacher: onData?.rademacher ?? { reason: "there are no examples" },
  });
  report("done", stages.done);
  return {
    parameters,
    ...(data ? { task: auditedTask(data) } : {}),
    ...(model.without ? { without: model.without } : {}),
    layers,
    unreadLayers: unread,
    ...norms,
    pathConvention,
    ...numbered.values,
    ...(data && "onData" in steepest ? { lipschitzOnData: steepest.onData } : {}),
    weightNorm: euclidean(weights.start),
    ...(onData ? trained(onData.fit) : {}),
    ...(onTest ? tested(onTest) : {}),
    activity: onData?.activity ?? [],
    ...(sharpness ? { sharpness } : {}),
    ...(onData && "value" in onData.rademacher ? { rademacher: onData.rademacher } : {}),
    named,
    restsOn: {
      ...(data
        ? counts(data, ["trainError", "trainLoss", "margins", "outputEntropy", "activity", "rademacher"])
        : {}),
      ...(test ? counts(test, ["testError", "testLoss", "testMargins"]) : {}),
      ...(data && "points" in steepest
        ? { lipschitzOnData: steepest.points, lipschitzLower: steepest.points }
        : {}),
      ...(sharpness ? { sharpness: sharpness.examples } : {}),
    },
    reasons: numbered.reasons,
  };
}

const counts = ({ x }: Examples, names: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(names.map((name) => [name, x.dims[0]!]));

/** Norms of what is not a number would be none either. */
function checkWeights(graph: Graph): void {
  for (const [name, weight] of graph.initializers) {
    if (isSparse(weight) || !isFloat(weight.type)) continue;
    const wrong = numbers(weight).find((w) => !Number.isFinite(w));
    if (wrong !== undefined) throw new GraphError(`weight "${name}" holds ${wrong}: it cannot be measured`);
  }
}

const valueNames = [
  "pathNorm1",
  "pathNorm2",
  "lipschitzUpper",
  "lipschitzLower",
  "distanceFromInitial",
] as const;

/** Numbers in one record, reasons in another. */
function valuesAndReasons(
  found: Readonly<Record<(typeof valueNames)[number] | "rademacher", MeasuredValue>>,
): {
  readonly values: { readonly [K in (typeof valueNames)[number]]?: number };
  readonly reasons: Readonly<Record<string, string>>;
} {
  const values = valueNames.flatMap((name) => {
    const each = found[name];
    return "value" in each ? [[name, each.value] as const] : [];
  });
  const reasons = Object.entries(found).flatMap(([name, each]) =>
    "reason" in each ? [[name, each.reason] as const] : [],
  );
  return { values: Object.fromEntries(values), reasons: Object.fromEntries(reasons) };
}

const trained = ({ error, loss, margins, entropy }: Fit) => ({
  trainError: error,
  trainLoss: loss,
  ...(margins ? { margins } : {}),
  ...(entropy === undefined ? {} : { outputEntropy: entropy }),
});

const tested = ({ error, loss, margins }: Fit) => ({
  testError: error,
  testLoss: loss,
  ...(margins ? { testMargins: margins } : {}),
});

async function measuredLayers(
  found: readonly LinearLayer[],
  initial: Graph | undefined,
  random: Random,
  { signal, onProgress }: MeasureOptions,
): Promise<readonly LayerMeasures[]> {
  const starts = initial ? (await linearLayers(initial)).layers : [];
  const measured: LayerMeasures[] = [];
  for (const [k, layer] of found.entries()) {
    signal?.throwIfAborted();
    const start = starts.find((l) => l.name === layer.name && l.entries.length === layer.entries.length);
    measured.push(
      await layerMeasures(layer, {
        random,
        ...(start ? { initial: start } : {}),
        ...(signal ? { signal } : {}),
      }),
    );
    onProgress?.({ what: `layer ${layer.name}`, share: (stages.paths * (k + 1)) / found.length });
  }
  return measured;
}

/** w - w^0 over all weights, if the start has the same ones. */
function distanceVector(
  weights: ReturnType<typeof weightsOf>,
  initial: Graph,
): { readonly vector: Float64Array } | { readonly reason: string } {
  const starts = weightsOf(initial);
  const isSame =
    starts.start.length === weights.start.length && starts.names.join("\n") === weights.names.join("\n");
  if (!isSame) return { reason: "the initial model has other weights" };
  return { vector: weights.start.map((w, k) => w - starts.start[k]!) };
}
