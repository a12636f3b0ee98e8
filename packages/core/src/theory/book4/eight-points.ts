// A function of one weight with the eight critical points of Figure 4.1, found and labelled from its values alone.
import { classifyPoint } from "../../landscape/point/classify.ts";
import type { Random } from "../../numbers/random.ts";

export type LineLabel = "plateau" | "global minimum" | "local maximum" | "local minimum" | "none";

/** (a) to (h), as they are printed. */
export const figureLabels: readonly LineLabel[] = [
  ...(["plateau", "global minimum", "plateau", "global minimum"] as const),
  ...(["local maximum", "local minimum", "local maximum", "local minimum"] as const),
];

export interface LinePoint {
  readonly w: number;
  readonly value: number;
  readonly label: LineLabel;
}

export interface Line {
  readonly end: number;
  readonly value: (w: number) => number;
}

/** Cubic steps from level to level, flat where two are alike; which are lows and highs is as in the figure, how far is drawn. */
export function figureLine(random: Random): Line {
  const level = (label: string, low: number): number => low + random.split(label).uniform();
  const [a, c, e, g] = [level("a", 2), level("c", 1), level("e", 2), level("g", 2)];
  const [f, h] = [level("f", 0.5), level("h", 0.5)];
  const levels = [a + 1, a, a, 0, c, c, 0, e, f, g, h, h + 2];
  const nodes = [0];
  for (let k = 1; k < levels.length; k++) nodes.push(nodes[k - 1]! + level(`gap ${k}`, 0.5));
  const value = (w: number): number => {
    const beyond = nodes.findIndex((node) => node > w);
    const k = beyond < 0 ? nodes.length - 2 : Math.max(0, beyond - 1);
    const t = (w - nodes[k]!) / (nodes[k + 1]! - nodes[k]!);
    return levels[k]! + (levels[k + 1]! - levels[k]!) * t * t * (3 - 2 * t);
  };
  return { end: nodes.at(-1)!, value };
}

/** Differences of this width: second ones of rounding are 1e-8, of a step's edge a part of what the curvature is. */
const width = 1e-4;
const grid = 4000;
/** What counts as 0: above what rounding makes of differences. */
const tolerances = { gradient: 1e-6, curvature: 1e-3 };

/** Critical points between the ends: zeros of the slope by halving, and the middle of where it stays 0. */
export function criticalPoints({ end, value }: Line): readonly LinePoint[] {
  const slope = (w: number): number => (value(w + width) - value(w - width)) / (2 * width);
  const sign = (w: number): number => (Math.abs(slope(w)) <= tolerances.gradient ? 0 : Math.sign(slope(w)));
  const found: number[] = [];
  let last = { w: 2 * width, sign: sign(2 * width) };
  for (let k = 1; k < grid; k++) {
    const w = (end * k) / grid;
    const now = sign(w);
    if (now === 0) continue;
    if (w - last.w > (1.5 * end) / grid) found.push((last.w + w) / 2);
    else if (now * last.sign < 0) found.push(halved(slope, last.w, w));
    last = { w, sign: now };
  }
  const least = Math.min(...found.map(value));
  return found.map((w) => ({ w, value: value(w), label: labelOf(w) }));

  function labelOf(w: number): LineLabel {
    const curvature = (value(w + width) - 2 * value(w) + value(w - width)) / width ** 2;
    const facts = { gradientNorm: Math.abs(slope(w)), min: curvature, max: curvature };
    const kind = classifyPoint({ ...facts, residual: { min: 0, max: 0 } }, tolerances);
    if (kind === "minimum") return value(w) <= least + 1e-6 ? "global minimum" : "local minimum";
    return kind === "degenerate" ? "plateau" : kind === "maximum" ? "local maximum" : "none";
  }
}

function halved(slope: (w: number) => number, from: number, to: number): number {
  let [low, high] = [from, to];
  for (let k = 0; k < 40; k++) {
    const middle = (low + high) / 2;
    if (slope(low) * slope(middle) <= 0) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}
