// A Taylor expansion of the score at a root: what each input adds on the way from there.
import type { Point, ScoreModel } from "../score-model.ts";
import type { Attribution } from "./attribution.ts";

/** Where the expansion starts: the origin, close to it, a root on a segment, or the nearest that descent finds. */
export type Root = "origin" | "near-origin" | "segment" | "nearest";

const roots: Readonly<Record<Root, (model: ScoreModel, baseline: Point) => Point | Promise<Point>>> = {
  origin: (model) => new Float64Array(model.size),
  "near-origin": (model) => model.start.map((v) => v * 1e-6),
  segment: segmentRoot,
  nearest: nearestRoot,
};

export interface TaylorOptions {
  /** A way to find it, or the point itself. */
  readonly root: Root | Point;
  /** The other end of the segment, where the score should not be positive. */
  readonly baseline: Point;
}

const along = (from: Point, to: Point, t: number): Point => from.map((v, k) => v + t * (to[k]! - v));

async function segmentRoot(model: ScoreModel, baseline: Point): Promise<Point> {
  const x = model.start;
  let [low, high] = [0, 1];
  const sign = Math.sign(await model.score(x));
  if (sign === 0) return x;
  if (Math.sign(await model.score(baseline)) === sign) return baseline;
  for (let k = 0; k < 50; k++) {
    const middle = (low + high) / 2;
    if (Math.sign(await model.score(along(x, baseline, middle))) === sign) low = middle;
    else high = middle;
  }
  return along(x, baseline, high);
}

/** Newton's method along the gradient: x - f grad f / |grad f|^2. */
async function nearestRoot(model: ScoreModel): Promise<Point> {
  let x = model.start;
  for (let k = 0; k < 100; k++) {
    const [f, [g]] = [await model.score(x), await model.slopes([x])];
    const size = g!.reduce((s, v) => s + v * v, 0);
    if (Math.abs(f) < 1e-12 || size === 0) break;
    x = x.map((v, i) => v - (f * g![i]!) / size);
  }
  return x;
}

/** R = (x - x~) grad f(x~); what is left of f(x) is reported, never assumed to be small. */
export async function taylor(model: ScoreModel, { root, baseline }: TaylorOptions): Promise<Attribution> {
  const x = model.start;
  const reference = typeof root === "string" ? await roots[root](model, baseline) : root;
  const [slope] = await model.slopes([reference]);
  const relevance = x.map((v, k) => (v - reference[k]!) * slope![k]!);
  const [score, zeroth] = [await model.score(x), await model.score(reference)];
  const first = relevance.reduce((s, v) => s + v, 0);
  const distance = Math.sqrt(x.reduce((s, v, k) => s + (v - reference[k]!) ** 2, 0));
  return { relevance, expected: score, details: { zeroth, remainder: score - zeroth - first, distance } };
}
