// Looks at the network of a run from a second worker: its measures, and its exact linear regions.
import type { Graph } from "@lemmata/core/graph";
import { boxSlice, lipschitzBound, planeRegions } from "@lemmata/core/passes";
import { initialNetwork } from "@lemmata/core/train";
import { counted } from "../../parts/numbers.ts";
import { chainOf, normOf, pathNorm1, pathNorm2, spectralNorm } from "../../train/live-measures.ts";
import {
  canvasSide,
  type LiveMeasures,
  type PlaneBox,
  type RegionPicture,
  type WatchReport,
  type WatchTell,
  type Weight,
} from "../../train/messages.ts";
import type { Job } from "../protocol.ts";

/** More are not drawn. */
const mostRegions = 20_000;

export const trainWatch: Job<undefined, undefined> = async (_, { signal, partial, onTell }) => {
  const say = (report: WatchReport): void => partial(report);
  let wake = (): void => {};
  const inbox: WatchTell[] = [];
  onTell((message) => {
    inbox.push(message as WatchTell);
    wake();
  });
  signal.addEventListener("abort", () => wake());
  const start = startOf();
  say({ kind: "ready" });
  while (!signal.aborted) {
    const asked = inbox.splice(0).at(-1);
    if (!asked) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    const { id } = asked;
    try {
      const { network, weights: first } = start(asked);
      const graph = withWeights(network, asked.weights);
      say({ kind: "measures", id, measures: measuresOf(graph, asked, first) });
      if (asked.box) say({ kind: "regions", id, ...(await regionsOf(graph, asked.box, signal)) });
    } catch (error) {
      say({ kind: "regions", id, reason: error instanceof Error ? error.message : String(error) });
    }
    say({ kind: "seen", id });
  }
  return undefined;
};

interface Start {
  readonly network: Graph;
  readonly weights: readonly Weight[];
}

/** The network before the first step, drawn once for each specification and seed. */
function startOf(): (asked: WatchTell) => Start {
  let [known, start]: [string, Start | undefined] = ["", undefined];
  return ({ spec, seed, weights }) => {
    const key = `${spec} ${seed}`;
    if (start && key === known) return start;
    const network = initialNetwork(spec, { seed, type: "float32" });
    const first = weights.map(({ name, dims }) => {
      const { data } = network.initializers.get(name) as { readonly data: Float32Array };
      return { name, dims, data };
    });
    [known, start] = [key, { network, weights: first }];
    return start;
  };
}

const withWeights = (graph: Graph, weights: readonly Weight[]): Graph => ({
  ...graph,
  initializers: new Map([
    ...graph.initializers,
    ...weights.map(({ name, dims, data }) => [name, { type: "float32", dims, data }] as const),
  ]),
});

/** Path norms are of networks whose gates have slopes of at most 1 in size, as in an audit. */
const hasPaths = (spec: string): boolean =>
  spec.split("-").every((part) => /^(\d+|relu|leakyrelu\(.*\)|abs|linear)$/.test(part));

function measuresOf(graph: Graph, { spec, weights }: WatchTell, start: readonly Weight[]): LiveMeasures {
  const layers = chainOf(weights);
  const spectral = layers.map(spectralNorm);
  return {
    spectral,
    spectralProduct: spectral.reduce((product, s) => product * s, 1),
    ...lipschitzOf(graph),
    ...(hasPaths(spec) ? { path1: pathNorm1(layers), path2: pathNorm2(layers) } : {}),
    weightNorm: normOf(weights),
    distance: normOf(weights, start),
  };
}

function lipschitzOf(graph: Graph): { readonly lipschitz?: number } {
  try {
    return { lipschitz: lipschitzBound(graph, 2) };
  } catch {
    return {}; // an activation without a rule
  }
}

async function regionsOf(
  graph: Graph,
  box: PlaneBox,
  signal: AbortSignal,
): Promise<{ readonly regions?: RegionPicture; readonly reason?: string }> {
  try {
    const found = await planeRegions(graph, boxSlice(box.lower, box.upper), {
      maxRegions: mostRegions,
      signal,
    });
    const corners = found.regions.map((region) => region.corners);
    return { regions: { count: found.count, borders: bordersOf(corners, box) } };
  } catch (error) {
    if (/more than \d+ regions/.test(String(error)))
      return { reason: `more than ${counted(mostRegions)} regions` };
    throw error;
  }
}

/** Thin lines where one linear piece ends and the next begins. */
function bordersOf(
  polygons: readonly (readonly (readonly [number, number])[])[],
  { lower, upper }: PlaneBox,
): ImageBitmap {
  const canvas = new OffscreenCanvas(canvasSide, canvasSide);
  const pen = canvas.getContext("2d")!;
  const scale = canvasSide / (upper[0] - lower[0]);
  for (const corners of polygons) {
    pen.beginPath();
    for (const [u, v] of corners) pen.lineTo((u - lower[0]) * scale, (upper[1] - v) * scale);
    pen.closePath();
    pen.stroke();
  }
  return canvas.transferToImageBitmap();
}
