// Which regions share an edge of positive length.
import type { Homogeneous, Line, Vertex } from "./polygon.ts";
import type { FoundRegion } from "./subdivide.ts";

/** Numbers of two regions, the smaller one first. */
export type Neighbours = readonly [number, number];

/** One edge of a region on a line, as an interval of positions along the line. */
interface Side {
  readonly region: number;
  readonly choice: number;
  readonly from: number;
  readonly to: number;
  readonly low: Vertex;
  readonly high: Vertex;
  readonly slack: number;
}

/** Along the line a u + b v + c = 0, positions are measured by a v - b u. */
const position = ({ a, b }: Line, { u, v }: Vertex): number => a * v - b * u;

function sideOf(line: Line, region: number, found: FoundRegion, edge: number): Side {
  const { vertices } = found.polygon;
  const [start, end] = [vertices[edge]!, vertices[(edge + 1) % vertices.length]!];
  const [s, t] = [position(line, start), position(line, end)];
  const slack =
    (Math.abs(line.a) + Math.abs(line.b)) * Math.max(start.delta, end.delta) +
    2 ** -50 * (Math.abs(s) + Math.abs(t));
  const choice = found.cell!.at(line.stage).choices[line.unit]!;
  return s <= t
    ? { region, choice, from: s, to: t, low: start, high: end, slack }
    : { region, choice, from: t, to: s, low: end, high: start, slack };
}

/** All pairs of regions that share an edge of positive length; of continuous networks some are told apart sooner. */
export function neighbours(regions: readonly FoundRegion[], isContinuous: boolean): Neighbours[] {
  const lines = new Map<Line, Side[]>();
  regions.forEach((found, region) => {
    found.polygon.edges.forEach((edge, k) => {
      if (edge.stage < 0) return;
      const line = edge.representative;
      const sides = lines.get(line) ?? [];
      lines.set(line, sides);
      sides.push(sideOf(line, region, found, k));
    });
  });
  const pairs: Neighbours[] = [];
  for (const [line, sides] of lines) {
    sides.sort((p, q) => p.from - q.from);
    sides.forEach((p, i) => {
      for (let j = i + 1; j < sides.length; j++) {
        const q = sides[j]!;
        if (q.from > p.to + p.slack + q.slack) break;
        if (q.choice !== p.choice && overlap(line, p, q, regions, isContinuous))
          pairs.push(p.region < q.region ? [p.region, q.region] : [q.region, p.region]);
      }
    });
  }
  return pairs.sort((x, y) => x[0] - y[0] || x[1] - y[1]);
}

/** Do two intervals on opposite sides of a line overlap in more than a point? */
function overlap(
  line: Line,
  p: Side,
  q: Side,
  regions: readonly FoundRegion[],
  isContinuous: boolean,
): boolean {
  const length = Math.min(p.to, q.to) - Math.max(p.from, q.from);
  const slack = p.slack + q.slack;
  if (length > slack) return true;
  if (length < -slack) return false;
  if (isContinuous && sameKink(line, p, q, regions)) return false;
  const exact = (vertex: Vertex) => exactPosition(line, vertex);
  const greatest = (x: Position, y: Position) => (isLess(x, y) ? y : x);
  const least = (x: Position, y: Position) => (isLess(x, y) ? x : y);
  const ends = (side: Side) => {
    const [s, t] = [exact(side.low), exact(side.high)];
    return [least(s, t), greatest(s, t)] as const;
  };
  const [[a, b], [c, d]] = [ends(p), ends(q)];
  return isLess(greatest(a, c), least(b, d));
}

/**
 * The usual case of intervals that only touch: both end where the same unit bends, on which they disagree. If they
 * overlapped, the unit would have both signs on the overlap, which the continuity of the network rules out.
 */
function sameKink(line: Line, p: Side, q: Side, regions: readonly FoundRegion[]): boolean {
  const [x, y] = [otherLine(line, p.high), otherLine(line, q.low)];
  if (!x || !y || x.stage < 0 || x.stage !== y.stage || x.unit !== y.unit) return false;
  const choice = (region: number) => regions[region]!.cell!.at(x.stage).choices[x.unit];
  return choice(p.region) !== choice(q.region);
}

function otherLine(line: Line, { p, q }: Vertex): Line | undefined {
  if (p.representative === line) return q;
  return q.representative === line ? p : undefined;
}

/** A position along a line as a fraction with a positive denominator. */
type Position = readonly [bigint, bigint];

function exactPosition(line: Line, vertex: Vertex): Position {
  const [a, b] = line.exact;
  const [x, y, w]: Homogeneous = vertex.exact;
  return [a * y - b * x, w];
}

const isLess = ([a, b]: Position, [c, d]: Position): boolean => a * d < c * b;
