// Pixel flipping of many examples in one run of the network, and how composites do by it and by masks.
import { run } from "../engine/run.ts";
import type { Graph } from "../graph/graph.ts";
import { elementCount, numbers, type Tensor, tensor } from "../graph/tensor.ts";
import { type Estimate, estimate, groupSums, localization } from "./evaluate.ts";
import { explain } from "./explain.ts";
import { type Groups, patchGroups } from "./methods/groups.ts";

/** Examples of a network with one input and one output [examples, classes], and the classes that are explained. */
export interface Batch {
  readonly graph: Graph;
  readonly input: string;
  readonly output: string;
  readonly x: Tensor;
  readonly classes: readonly number[];
  readonly groups: Groups;
  /** What stands for nothing. */
  readonly baseline: number;
}

/** Of each example the score as regions go, those with most relevance first; relevance in the shape of the examples. */
export async function flippingCurves(
  { graph, input, output, x, classes, groups, baseline }: Batch,
  relevance: ArrayLike<number>,
): Promise<readonly (readonly number[])[]> {
  const [size, points] = [elementCount(x.dims.slice(1)), groups.length + 1];
  const given = numbers(x);
  const data = new Float64Array(classes.length * points * size);
  classes.forEach((_, n) => {
    const own = Array.from({ length: size }, (__, k) => relevance[n * size + k]!);
    const sums = groupSums(own, groups);
    const order = sums.map((__, g) => g).sort((a, b) => sums[b]! - sums[a]!);
    const y = Float64Array.from(given.subarray(n * size, (n + 1) * size));
    data.set(y, n * points * size);
    order.forEach((g, k) => {
      for (const i of groups[g]!) y[i] = baseline;
      data.set(y, (n * points + k + 1) * size);
    });
  });
  const dims = [classes.length * points, ...x.dims.slice(1)];
  const scores = (await run(graph, { [input]: tensor(data, { type: x.type as "float32", dims }) }))[output]!;
  const count = scores.dims.at(-1)!;
  const values = numbers(scores);
  return classes.map((c, n) =>
    Array.from({ length: points }, (_, k) => values[(n * points + k) * count + c]!),
  );
}

/** The mean drop along each curve (AOPC). */
export const drops = (curves: readonly (readonly number[])[]): number[] =>
  curves.map((curve) => curve[0]! - curve.reduce((s, v) => s + v, 0) / curve.length);

export interface Candidate {
  readonly name: string;
  /** The mean drop along the curve of pixel flipping. */
  readonly drop: Estimate;
  /** The part of the positive relevance that lies on the masks. */
  readonly mass: Estimate;
  /** By example. */
  readonly masses: readonly number[];
}

/** Composites by name on examples whose masks are known, in the shape of the pixels. */
export async function candidates(
  batch: Omit<Batch, "groups">,
  masks: readonly ArrayLike<number>[],
  names: readonly string[],
  patch = 1,
): Promise<readonly Candidate[]> {
  const size = elementCount(batch.x.dims.slice(1));
  const groups = patchGroups([1, ...batch.x.dims.slice(1)], patch);
  const all: Candidate[] = [];
  for (const name of names) {
    const { relevance } = await explain(
      batch.graph,
      { [batch.input]: batch.x },
      { composite: name, output: batch.output, bounds: { low: 0, high: 1 } },
    );
    const values = numbers(relevance.get(batch.input)!);
    const masses = masks.map((mask, n) => localization(values.subarray(n * size, (n + 1) * size), mask).mass);
    const curves = await flippingCurves({ ...batch, groups }, values);
    all.push({ name, drop: estimate(drops(curves)), mass: estimate(masses), masses });
  }
  return all;
}

const dominates = (a: Candidate, b: Candidate): boolean =>
  a.drop.mean >= b.drop.mean &&
  a.mass.mean >= b.mass.mean &&
  (a.drop.mean > b.drop.mean || a.mass.mean > b.mass.mean);

/** Those that no other one beats in both. */
export const paretoFront = (all: readonly Candidate[]): readonly Candidate[] =>
  all.filter((own) => !all.some((other) => dominates(other, own)));
