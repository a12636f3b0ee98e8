// Why a network said that of a picture.
import {
  type Explainer,
  type Explanation,
  explainer,
  type LedgerRow,
  type Plane,
  planeOf,
} from "@lemmata/core/explain";
import { type Graph, numbers, requiredInputs } from "@lemmata/core/graph";
import type { ModelFiles } from "../../audit/model-files.ts";
import { readDroppedModel } from "../../audit/read-model.ts";
import { placed, type Refusal } from "../../compare/place.ts";
import { optionsOf } from "../../explain/options.ts";
import { type Picture, pictureInput } from "../../explain/picture-input.ts";
import { pixelBounds, pixelScales } from "../../explain/pixel-scale.ts";
import type { Settings } from "../../explain/settings.ts";
import type { Job } from "../protocol.ts";

export interface ExplainInput {
  readonly model: ModelFiles;
  /** The same number for the same model: a worker that has read it need not read it again. */
  readonly modelId: number;
  readonly picture: Picture;
  readonly settings: Settings;
}

export type ExplainPlace = "model" | "picture" | "question";

export interface Explained {
  readonly plane: Plane;
  /** What the network sees: red, green, blue, opacity. */
  readonly seen: Uint8ClampedArray<ArrayBuffer>;
  readonly scores: readonly number[];
  readonly classIndex: number | undefined;
  /** The number that is explained, and the sum of the relevance of all pixels. */
  readonly score: number;
  readonly sum: number;
  /** |sum + biases + absorbed - score|; not a number where a method promises no sum. */
  readonly offBy: number;
  readonly ledger?: readonly LedgerRow[];
  readonly imbalance?: Explanation["imbalance"];
  readonly composite?: string;
  readonly details: Explanation["details"];
  readonly notes: readonly string[];
  /** Milliseconds in the worker. */
  readonly time: number;
}

let model: { readonly id: number; readonly graph: Graph } | undefined;
let written: { readonly key: string; readonly explainer: Explainer } | undefined;

async function modelOf({ model: files, modelId }: ExplainInput): Promise<Graph> {
  if (model?.id !== modelId) model = { id: modelId, graph: await readDroppedModel(files) };
  return model.graph;
}

/** The explainer of before, if the same is asked of another picture. */
async function explainerOf(key: string, make: () => Promise<Explainer>): Promise<Explainer> {
  if (written?.key === key) return written.explainer;
  await written?.explainer.release();
  written = undefined;
  written = { key, explainer: await make() };
  return written.explainer;
}

async function explained(
  graph: Graph,
  { modelId, settings }: ExplainInput,
  { tensor, layout, seen }: Awaited<ReturnType<typeof pictureInput>>,
): Promise<Omit<Explained, "time">> {
  const input = requiredInputs(graph)[0]!;
  const inputs = { [input.name]: tensor };
  const options = optionsOf(settings, pixelBounds(pixelScales[settings.pixels], layout.channels));
  const key = JSON.stringify([modelId, layout.dims, options]);
  const { explain } = await explainerOf(key, () => explainer(graph, inputs, options));
  const found = await explain(inputs);
  const relevance = found.relevance.get(input.name)!;
  return {
    plane: planeOf(numbers(relevance), relevance.dims),
    seen,
    scores: found.allScores[0]!,
    classIndex: found.classes[0],
    score: found.scores[0]!,
    sum: found.sums[0]!,
    offBy: found.conservationError,
    ...(found.ledger && { ledger: found.ledger }),
    ...(found.imbalance && { imbalance: found.imbalance }),
    ...(found.composite !== undefined && { composite: found.composite }),
    ...{ details: found.details, notes: found.notes },
  };
}

export const explainPicture: Job<ExplainInput, Explained | Refusal<ExplainPlace>> = async (
  request,
  { signal },
) => {
  const start = performance.now();
  const graph = await placed("model", () => modelOf(request));
  if ("refused" in graph) return graph;
  const input = requiredInputs(graph.value)[0];
  if (!input) return { refused: "the network has no input", at: "model" };
  const scale = pixelScales[request.settings.pixels];
  const fit = request.picture.image ? "picture" : "model";
  const picture = await placed(fit, () => pictureInput(request.picture, input, scale));
  if ("refused" in picture) return picture;
  signal.throwIfAborted();
  const found = await placed("question", () => explained(graph.value, request, picture.value));
  return "refused" in found ? found : { ...found.value, time: performance.now() - start };
};
