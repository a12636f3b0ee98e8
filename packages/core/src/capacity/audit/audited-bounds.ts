// Every bound that can be stated of an audited model, each with the lemma that tries it.
import { numbers } from "../../graph/tensor.ts";
import type { Examples } from "../../train/data/dataset.ts";
import type { GeneralizationBound } from "../bounds/bound.ts";
import { classifierBounds } from "../bounds/classifier-bounds.ts";
import { validationBound } from "../bounds/validation.ts";
import { kernelMarginBounds } from "../local-kernels/kernel-margin-bound.ts";
import type { AuditedModel } from "../measures/audited-model.ts";
import type { LinearLayer } from "../measures/linear-layers.ts";
import type { ModelMeasures } from "../measures/measure-model.ts";
import { predict } from "../measures/predictions.ts";
import type { AuditBound, AuditedData } from "./audit.ts";
import { boundLemmata } from "./bound-lemmata.ts";
import { classifierFacts, homogenizedFacts } from "./classifier-facts.ts";
import { networkChain } from "./network-chain.ts";
import { sharedExamples } from "./shared-examples.ts";
import { pacBayesPlan, trainedPacBayes, untrainedPacBayes } from "./trained-pac-bayes.ts";

export interface BoundsInput {
  readonly model: AuditedModel;
  readonly layers: readonly LinearLayer[];
  readonly measures: ModelMeasures;
  readonly about: AuditedData;
  readonly data: Examples;
  readonly test?: Examples;
}

export interface AuditedBoundsOptions {
  readonly delta: number;
  readonly models: number;
  readonly seed: number;
  readonly pacBayes: boolean | "auto";
  readonly inputRadius: number;
  readonly signal?: AbortSignal;
  readonly onProgress: (share: number) => void;
}

/** Seconds that a PAC-Bayes posterior may take without being asked for. */
const patience = 20;

/** The bounds, in the order of the list. */
export async function auditedBounds(
  input: BoundsInput,
  options: AuditedBoundsOptions,
): Promise<readonly AuditBound[]> {
  if (input.about.task === "regression") return [await toleranceBound(input, options)];
  return [
    ...structuralBounds(input, options),
    ...(await localBounds(input, options)),
    heldOut(input, options),
    await posteriorBound(input, options),
  ];
}

const withLemma = (bound: GeneralizationBound, remark?: string): AuditBound => {
  const lemma = boundLemmata[bound.id];
  return { ...bound, ...(lemma ? { lemma } : {}), ...(remark ? { remark } : {}) };
};

/** Bounds that ask for no biases; on the input (x, 1) every network of ReLUs has none. */
const biasFreeBounds = new Set([
  "rademacher-norm-exponential",
  "rademacher-norm-depth-free",
  "spectral-margin",
  "pac-bayes-margin",
]);

function structuralBounds(
  { model, layers, measures, about, data }: BoundsInput,
  { delta, inputRadius }: AuditedBoundsOptions,
): readonly AuditBound[] {
  const chain = networkChain(model.graph, layers, about.features);
  const facts = { model, layers, chain, measures, x: data.x, delta, inputRadius };
  const plain = classifierFacts(facts);
  const remarkOf = ({ id, unmet }: GeneralizationBound): string | undefined => {
    if (id.startsWith("occam")) return `${plain.bits} bits for each of ${plain.parameters} stored numbers`;
    if (unmet.length === 0) return undefined;
    if (chain.obstacles.length > 0) return chain.obstacles[0];
    return biasFreeBounds.has(id) && !plain.biasFree ? "it has biases" : undefined;
  };
  const stated = classifierBounds(plain).map((bound) => withLemma(bound, remarkOf(bound)));
  if (plain.biasFree || !chain.layered || chain.activation !== "relu") return stated;
  const homogenized = classifierBounds(homogenizedFacts(plain, facts)).flatMap((bound) =>
    biasFreeBounds.has(bound.id)
      ? [
          {
            ...withLemma(
              bound,
              bound.unmet.length > 0 ? undefined : "biases are weights of an input that is always 1 (C1a-03)",
            ),
            id: `${bound.id}-homogenized`,
            name: `${bound.name}, on (x, 1)`,
          },
        ]
      : [],
  );
  return [...stated, ...homogenized];
}

/** Kernel norms say something that matrix norms do not where there are convolutions. */
async function localBounds(
  { model, layers, measures, data }: BoundsInput,
  { delta }: AuditedBoundsOptions,
): Promise<readonly AuditBound[]> {
  if (!layers.some((l) => l.convolution)) return [];
  const margins = measures.margins!.sorted;
  const found = await kernelMarginBounds(model.graph, data.x, { delta, margins, outputs: model.outputs });
  return found.map((bound) => withLemma(bound));
}

function heldOut(
  { measures, about, data, test }: BoundsInput,
  { delta, models }: AuditedBoundsOptions,
): AuditBound {
  const n = about.testExamples ?? 0;
  const bound = validationBound({ errors: Math.round((measures.testError ?? 0) * n), n, models, delta });
  if (n === 0) return withLemma({ ...bound, unmet: ["there are held-out examples"] });
  const seen = test ? sharedExamples(data, test) : 0;
  if (seen === n) {
    const { value, ...rest } = bound;
    return withLemma(
      { ...rest, vacuous: true, unmet: ["no model was trained on the held-out examples"] },
      "every test example is a training example",
    );
  }
  if (seen > 0.01 * n) return withLemma(bound, `${seen} of the ${n} test examples are training examples too`);
  return withLemma(
    bound,
    models === 1
      ? undefined
      : `delta is shared by the ${models} models, so that the best of them may be chosen`,
  );
}

async function posteriorBound(
  { model, layers, data, about }: BoundsInput,
  { pacBayes, delta, seed, signal, onProgress }: AuditedBoundsOptions,
): Promise<AuditBound> {
  if (pacBayes === false) return untrainedPacBayes(delta, "a posterior was trained", "left out as asked");
  if (about.examples < 16)
    return untrainedPacBayes(delta, "there are at least 16 examples", "half of them must be at least 8");
  if (pacBayes === "auto" && model.batch === 1)
    return untrainedPacBayes(
      delta,
      "a posterior was trained",
      "left out: the model reads one example at a time, so training is slow; --pac-bayes runs it",
    );
  const { passes, seconds } = pacBayesPlan(
    layers,
    about.examples,
    pacBayes === "auto" ? patience : Number.POSITIVE_INFINITY,
  );
  if (pacBayes === "auto" && seconds > 1.5 * patience)
    return untrainedPacBayes(
      delta,
      "a posterior was trained",
      `left out: its training would take about ${Number(seconds.toPrecision(1))} s; --pac-bayes runs it`,
    );
  try {
    return await trainedPacBayes(model, data, {
      delta,
      passes,
      seed,
      ...(signal ? { signal } : {}),
      onProgress,
    });
  } catch (error) {
    if (!(error instanceof Error) || !unable.has(error.name)) throw error;
    return untrainedPacBayes(delta, "a posterior can be trained", error.message);
  }
}

/** What training throws when a graph or its data does not allow it. */
const unable = new Set(["TrainError", "GraphError", "EngineError"]);

/** P(|f(x) - y| > t) for numbers as targets, t twice the root mean square error on the training examples. */
async function toleranceBound(
  { model, measures, test }: BoundsInput,
  { delta, models, signal }: AuditedBoundsOptions,
): Promise<AuditBound> {
  const tolerance = 2 * Math.sqrt(measures.trainError!);
  const n = test?.x.dims[0] ?? 0;
  let far = 0;
  if (test) {
    const { scores } = await predict(model, test, signal ? { signal } : {});
    const targets = numbers(test.y);
    for (let i = 0; i < n; i++) {
      let square = 0;
      for (let k = i * model.outputs; k < (i + 1) * model.outputs; k++)
        square += (scores[k]! - targets[k]!) ** 2;
      if (!(Math.sqrt(square) <= tolerance)) far++;
    }
  }
  const bound = validationBound({ errors: far, n, models, delta });
  return withLemma(
    {
      ...bound,
      id: "validation-tolerance",
      name: "Held-out examples: share of answers off by more than t",
      ...(n === 0 ? { unmet: ["there are held-out examples"] } : {}),
    },
    `t = ${Number(tolerance.toPrecision(4))}, twice the root mean square error on the training data${n === 0 ? "" : `; ${far} of ${n} were farther off`}. The square loss itself is not bounded, so no bound of its mean is stated`,
  );
}
