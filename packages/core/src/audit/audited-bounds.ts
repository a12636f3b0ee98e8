// Every bound that can be stated of an audited model, each with the lemma that tries it.

import type { GeneralizationBound } from "../generalization/bounds/bound.ts";
import { classifierBounds } from "../generalization/bounds/classifier-bounds.ts";
import { kernelMarginBounds } from "../generalization/local-kernels/kernel-margin-bound.ts";
import type { AuditBound } from "./audit.ts";
import { withLemma } from "./bound-lemmata.ts";
import type { AuditedBoundsOptions, BoundsInput } from "./bounds-input.ts";
import { classifierFacts, homogenizedFacts } from "./classifier-facts.ts";
import { grouped } from "./grouped.ts";
import { heldOutBound, toleranceBound } from "./held-out-bounds.ts";
import { networkChain } from "./network-chain.ts";
import { pacBayesPlan, trainedPacBayes, untrainedPacBayes } from "./trained-pac-bayes.ts";

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
    heldOutBound(input, options),
    await posteriorBound(input, options),
  ];
}

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
    if (id.startsWith("occam")) return codeText(plain);
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

const codeText = ({ bits, parameters }: { readonly bits: number; readonly parameters: number }): string =>
  `${grouped(Math.round(bits * parameters))} bits for ${grouped(parameters)} stored ${parameters === 1 ? "number" : "numbers"}`;

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
