// What is explained: the score of a class, of the class that wins, or of one class against another.
import { GraphError } from "../../graph/error.ts";
import { tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import { expandLike, fullLike } from "../gradient/shapes.ts";

export type Target =
  | { readonly kind: "predicted" }
  | { readonly kind: "class"; readonly index: number }
  /** The score of one class less that of another. */
  | { readonly kind: "contrast"; readonly index: number; readonly against: number }
  /** All scores together. */
  | { readonly kind: "all" }
  /** A further input, `target`, in the shape of the scores: how much of each is explained. */
  | { readonly kind: "given" };

/** What is handed back: the score itself, or 1, as for gradients. */
export type Start = "score" | "one";

/** Along which axis the classes are: the last one of vectors and sequences, the channels of images. */
export const classAxis = (rank: number): number => (rank <= 3 ? rank - 1 : 1);

/** The relevance that the walk starts with, in the shape of the scores. */
export function seedOf(target: Target, score: Value, given: Value | undefined, start: Start): Value {
  const times = (mask: Value): Value => (start === "score" ? score.mul(mask) : expandLike(mask, score));
  if (target.kind === "all") return times(fullLike(score, 1));
  if (target.kind === "given") return times(given!);
  const rank = score.type.shape!.length;
  if (rank === 0) {
    if (target.kind !== "predicted" && !(target.kind === "class" && target.index === 0))
      throw new GraphError(`the score "${score.name}" is one number, of class 0: there is no other`);
    return times(fullLike(score, 1));
  }
  const axis = classAxis(rank);
  return times(maskOf(target, score, axis, rank));
}

type Chosen = Exclude<Target, { kind: "all" | "given" }>;

function maskOf(target: Chosen, score: Value, axis: number, rank: number): Value {
  const count = score.type.shape![axis];
  const along = Array.from({ length: rank }, (_, k) => (k === axis ? -1 : 1));
  if (typeof count !== "number")
    throw new GraphError(`how many classes "${score.name}" has is not known: axis ${axis} is open`);
  if (target.kind === "predicted") {
    if (count === 1) return score.builder.lift(1, score.type.type);
    const classes = score.builder.weight(
      tensor([...Array(count).keys()], { type: "int64", dims: along.map((d) => (d === -1 ? count : 1)) }),
    );
    // Where there is a score at each place, the class that has most in all.
    const places = along.flatMap((_, k) => (k !== axis && (k > 0 || rank === 1) ? [k] : []));
    const sums = places.length > 0 ? score.sum(places, 1) : score;
    const best = sums.op("ArgMax", [], { axis, keepdims: 1 });
    return best.op("Equal", [classes]).op("CastLike", [score]);
  }
  const weights = new Array<number>(count).fill(0);
  const set = (index: number, to: number): void => {
    if (!Number.isInteger(index) || index < 0 || index >= count)
      throw new GraphError(`no class ${index}: there are ${count}, from 0 to ${count - 1}`);
    weights[index] = weights[index]! + to;
  };
  set(target.index, 1);
  if (target.kind === "contrast") set(target.against, -1);
  return score.builder.lift(weights, score.type.type).reshape(along);
}
