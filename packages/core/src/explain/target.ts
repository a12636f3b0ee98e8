// Which class is explained, and what its score is.
import { numbers, type Tensor } from "../graph/tensor.ts";
import { classAxis } from "../passes/relevance/target.ts";
import type { Target } from "../passes/relevance.ts";
import { ExplainError } from "./error.ts";

/** Positions of the scores of an example by class: several where there is a score at each place of an image. */
function layout({ dims }: Tensor): {
  readonly examples: number;
  readonly classes: number;
  at(n: number, c: number): number[];
} {
  const rank = dims.length;
  const axis = rank === 0 ? 0 : classAxis(rank);
  const examples = rank > 1 ? dims[0]! : 1;
  const classes = rank === 0 ? 1 : dims[axis]!;
  const size = dims.reduce((n, d) => n * d, 1) / Math.max(1, examples);
  const inner = rank > 3 ? dims.slice(2).reduce((n, d) => n * d, 1) : 1;
  const at = (n: number, c: number): number[] => {
    const places = size / classes;
    return Array.from({ length: places }, (_, p) =>
      rank > 3 ? n * size + c * inner + p : n * size + p * classes + c,
    );
  };
  return { examples, classes, at };
}

/** The class of each example. */
export function classesOf(score: Tensor, target: Target): (number | undefined)[] {
  return allScoresOf(score).map((sums) => {
    if (target.kind === "class" || target.kind === "contrast") return target.index;
    return target.kind === "predicted" ? sums.indexOf(Math.max(...sums)) : undefined;
  });
}

/** The scores of all classes of each example, summed over places. */
export function allScoresOf(score: Tensor): number[][] {
  const { examples, classes, at } = layout(score);
  const values = numbers(score);
  const bad = values.find((v) => !Number.isFinite(v));
  if (bad !== undefined) throw new ExplainError(`a score is ${bad}: there is nothing to explain`);
  return Array.from({ length: examples }, (_, n) =>
    Array.from({ length: classes }, (_, c) => at(n, c).reduce((s, k) => s + values[k]!, 0)),
  );
}

/** What is explained of each example. */
export const chosenScores = (score: Tensor, target: Target): number[] =>
  allScoresOf(score).map((sums) => {
    if (target.kind === "class") return sums[target.index]!;
    if (target.kind === "contrast") return sums[target.index]! - sums[target.against]!;
    return target.kind === "predicted" ? Math.max(...sums) : sums.reduce((s, v) => s + v, 0);
  });

/** A target that depends on no prediction any more. */
export type FixedTarget = Exclude<Target, { kind: "predicted" | "given" }>;

/** For one example: its predicted class in the place of `predicted`. */
export function fixedTarget(target: Target, score: Tensor): FixedTarget {
  if (target.kind === "given") throw new ExplainError("shares of scores are for relevance propagation alone");
  if (target.kind !== "predicted") return target;
  return { kind: "class", index: classesOf(score, target)[0]! };
}

/**
 * A target as it is written on a command line: a class, or one against another.
 * @example parseTarget("3-5") // { kind: "contrast", index: 3, against: 5 }
 */
export function parseTarget(text: string | undefined): Target {
  if (text === undefined || text === "predicted") return { kind: "predicted" };
  if (text === "all") return { kind: "all" };
  const [, first, second] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (first === undefined)
    throw new ExplainError(`no target "${text}": a class (3), one against another ("3-5"), predicted or all`);
  const index = Number(first);
  if (second === undefined) return { kind: "class", index };
  if (Number(second) === index)
    throw new ExplainError(`no target "${text}": the score of a class less itself is always 0`);
  return { kind: "contrast", index, against: Number(second) };
}
