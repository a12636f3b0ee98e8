// The parts of a polygon on which a unit's choice is the same.
import type { Decision } from "../affine/jumps.ts";
import type { Stage } from "../affine/program.ts";
import type { Decisions } from "./decisions.ts";
import type { Cell } from "./exact-forms.ts";
import { clip, crossingsOf, type Line, type Polygon, signsOf } from "./polygon.ts";

export interface Part {
  readonly polygon: Polygon;
  readonly choice: number;
}

type Split = (
  decisions: Decisions,
  stage: number,
  unit: number,
  polygon: Polygon,
  cell: Cell | undefined,
) => readonly Part[];

/** Two parts: where the unit's row is positive, and where it is not. */
const splitByHinge: Split = (decisions, stage, unit, polygon, cell) => {
  const line = decisions.hingeLine(stage, unit, cell);
  const signs = signsOf(line, polygon, decisions.extent);
  const crossings = crossingsOf(polygon, line, signs, decisions.extent);
  return [
    { polygon: clip(polygon, line, signs, 1, crossings), choice: 1 },
    { polygon: clip(polygon, line, signs, -1, crossings), choice: 0 },
  ];
};

/** One part for each row that is the greatest somewhere; of rows that are the same, the first. */
const splitByMax: Split = (decisions, stage, unit, polygon, cell) => {
  const { groups } = decisions.program.stages[stage]!;
  const first = groups[unit]!;
  const count = groups[unit + 1]! - first;
  const lines = new Map<number, Line | undefined>();
  /** Row p minus row q for p < q: both parts share the line. */
  const between = (p: number, q: number): Line | undefined => {
    const key = p * count + q;
    if (!lines.has(key)) lines.set(key, decisions.differenceLine(stage, unit, first + p, first + q, cell));
    return lines.get(key);
  };
  const parts: Part[] = [];
  for (let choice = 0; choice < count; choice++) {
    let part: Polygon | undefined = polygon;
    for (let other = 0; part && other < count; other++) {
      if (other === choice) continue;
      const line = choice < other ? between(choice, other) : between(other, choice);
      part = keepGreater(decisions, part, line, choice < other ? 1 : -1);
    }
    if (part) parts.push({ polygon: part, choice });
  }
  return parts;
};

/** One part for each place in which the unit's decisions end. */
const splitByJumps: Split = (decisions, stage, unit, polygon, cell) => {
  const parts: Part[] = [];
  const walk = (at: Decision | number, part: Polygon): void => {
    if (typeof at === "number") {
      parts.push({ polygon: part, choice: at });
      return;
    }
    const line = decisions.thresholdLine(stage, unit, at, cell);
    const signs = signsOf(line, part, decisions.extent);
    const [isAbove, isBelow] = [signs.includes(1), signs.includes(-1)];
    if (isAbove && isBelow) {
      const crossings = crossingsOf(part, line, signs, decisions.extent);
      walk(at.above, clip(part, line, signs, 1, crossings));
      walk(at.below, clip(part, line, signs, -1, crossings));
    } else walk(at[isAbove ? "above" : isBelow ? "below" : at.tie], part);
  };
  walk(decisions.program.stages[stage]!.jumps!.roots[unit]!, polygon);
  return parts;
};

/** How a polygon is split by a unit that bends or jumps inside. */
export const splits: Readonly<Record<Stage["kind"], Split>> = {
  hinge: splitByHinge,
  max: splitByMax,
  jump: splitByJumps,
  linear: (_decisions, _stage, _unit, polygon) => [{ polygon, choice: 0 }],
};

/** The part where side * (row p - row q) > 0, or all of it where the rows are the same and side is 1. */
function keepGreater(
  { extent }: Decisions,
  polygon: Polygon,
  line: Line | undefined,
  side: 1 | -1,
): Polygon | undefined {
  if (!line) return side === 1 ? polygon : undefined;
  const signs = signsOf(line, polygon, extent);
  const has = (sign: number) => signs.includes(sign);
  if (!has(side)) return has(-side) || side === -1 ? undefined : polygon;
  if (!has(-side)) {
    joinLines(polygon, line, signs);
    return polygon;
  }
  return clip(polygon, line, signs, side, crossingsOf(polygon, line, signs, extent));
}

/** An edge with both ends on the line lies on it: three rows that meet in one line are one border. */
function joinLines(polygon: Polygon, line: Line, signs: Int8Array): void {
  for (let k = 0; k < signs.length; k++) {
    const next = k + 1 === signs.length ? 0 : k + 1;
    if (signs[k] !== 0 || signs[next] !== 0) continue;
    const edge = polygon.edges[k]!.representative;
    if (edge.stage === line.stage && edge.unit === line.unit && edge !== line.representative)
      line.representative.same = edge;
  }
}
