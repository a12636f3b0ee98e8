// Places boxes of a directed acyclic graph in rows: the row of a box is its longest path from a source, the order within a
// row follows the mean place of its neighbours (barycentre heuristic); edges over several rows bend around the boxes.

export interface LaidOutBox {
  readonly width: number;
  readonly height: number;
}

export interface Placed {
  /** Middle of the box. */
  readonly x: number;
  readonly y: number;
  readonly rank: number;
}

export interface LayeredLayout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Placed[];
  /** For each edge, the points it passes: from the lower side of a box, between boxes, to the upper side of another. */
  readonly routes: readonly (readonly (readonly [x: number, y: number])[])[];
}

export interface LayoutOptions {
  readonly columnGap?: number;
  readonly rowGap?: number;
}

type Edge = readonly [from: number, to: number];

/**
 * The length of the longest path that ends in each vertex.
 * @example ranksOf(4, [[0, 1], [1, 3], [0, 3], [0, 2]]) // [0, 1, 1, 2]
 */
export function ranksOf(count: number, edges: readonly Edge[]): readonly number[] {
  const following: number[][] = Array.from({ length: count }, () => []);
  const waiting = new Array<number>(count).fill(0);
  for (const [from, to] of edges) {
    following[from]!.push(to);
    waiting[to]!++;
  }
  const ranks = new Array<number>(count).fill(0);
  const ready = waiting.flatMap((n, k) => (n === 0 ? [k] : []));
  for (let head = 0; head < ready.length; head++)
    for (const to of following[ready[head]!]!) {
      ranks[to] = Math.max(ranks[to]!, ranks[ready[head]!]! + 1);
      if (--waiting[to]! === 0) ready.push(to);
    }
  if (ready.length < count) throw new RangeError("a graph with a cycle has no layers");
  return ranks;
}

/** A box, or a place where a long edge passes a row. */
interface Vertex {
  readonly width: number;
  readonly height: number;
  readonly rank: number;
  x: number;
}

const passing = 14;
const sweeps = 6;

/** Rows from above to below, each centred. */
export function layeredLayout(
  boxes: readonly LaidOutBox[],
  edges: readonly Edge[],
  { columnGap = 28, rowGap = 34 }: LayoutOptions = {},
): LayeredLayout {
  const ranks = ranksOf(boxes.length, edges);
  const vertices: Vertex[] = boxes.map((box, k) => ({ ...box, rank: ranks[k]!, x: 0 }));
  const paths = edges.map(([from, to]): readonly number[] => {
    const path = [from];
    for (let rank = ranks[from]! + 1; rank < ranks[to]!; rank++)
      path.push(vertices.push({ width: passing, height: 0, rank, x: 0 }) - 1);
    return [...path, to];
  });
  const rows = rowsOf(vertices);
  const neighbours = neighboursOf(vertices.length, paths);
  orderRows(rows, neighbours);
  placeColumns(rows, vertices, neighbours, columnGap);
  const heights = rows.map((row) => Math.max(...row.map((v) => vertices[v]!.height)));
  let y = 0;
  const tops = heights.map((height) => {
    const top = y;
    y += height + rowGap;
    return top;
  });
  const middle = (v: number): number => tops[vertices[v]!.rank]! + heights[vertices[v]!.rank]! / 2;
  const left = Math.min(...vertices.map((v) => v.x - v.width / 2));
  const right = Math.max(...vertices.map((v) => v.x + v.width / 2));
  const routes = paths.map((path) => {
    const [from, to] = [path[0]!, path.at(-1)!];
    const inner = path.slice(1, -1).flatMap((v): [number, number][] => {
      const { rank, x } = vertices[v]!;
      return [
        [x - left, tops[rank]!],
        [x - left, tops[rank]! + heights[rank]!],
      ];
    });
    return [
      [vertices[from]!.x - left, middle(from) + vertices[from]!.height / 2] as const,
      ...inner,
      [vertices[to]!.x - left, middle(to) - vertices[to]!.height / 2] as const,
    ];
  });
  return {
    width: boxes.length > 0 ? right - left : 0,
    height: boxes.length > 0 ? y - rowGap : 0,
    boxes: boxes.map((_, k) => ({ x: vertices[k]!.x - left, y: middle(k), rank: ranks[k]! })),
    routes,
  };
}

function rowsOf(vertices: readonly Vertex[]): number[][] {
  const rows: number[][] = [];
  vertices.forEach(({ rank }, v) => {
    rows[rank] ??= [];
    rows[rank].push(v);
  });
  return rows;
}

interface Neighbours {
  readonly above: readonly (readonly number[])[];
  readonly below: readonly (readonly number[])[];
}

function neighboursOf(count: number, paths: readonly (readonly number[])[]): Neighbours {
  const above: number[][] = Array.from({ length: count }, () => []);
  const below: number[][] = Array.from({ length: count }, () => []);
  for (const path of paths)
    for (let k = 1; k < path.length; k++) {
      above[path[k]!]!.push(path[k - 1]!);
      below[path[k - 1]!]!.push(path[k]!);
    }
  return { above, below };
}

/** Down and up by turns, each row sorted by the mean place of the neighbours. */
function orderRows(rows: number[][], { above, below }: Neighbours): void {
  const place = new Map(rows.flatMap((row) => row.map((v, k) => [v, k] as const)));
  const sortBy = (row: number[], near: readonly (readonly number[])[]): void => {
    const key = new Map(
      row.map((v, k) => {
        const others = near[v]!;
        return [v, others.length > 0 ? others.reduce((s, o) => s + place.get(o)!, 0) / others.length : k];
      }),
    );
    row.sort((a, b) => key.get(a)! - key.get(b)!);
    row.forEach((v, k) => {
      place.set(v, k);
    });
  };
  for (let sweep = 0; sweep < sweeps; sweep++) {
    if (sweep % 2 === 0) for (const row of rows) sortBy(row, above);
    else for (const row of rows.toReversed()) sortBy(row, below);
  }
}

/** Each vertex as near to its neighbours as the order and the widths allow. */
function placeColumns(
  rows: readonly (readonly number[])[],
  vertices: readonly Vertex[],
  { above, below }: Neighbours,
  gap: number,
): void {
  for (const row of rows) pack(row, vertices, new Map(row.map((v) => [v, 0])), gap);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const near = sweep % 2 === 0 ? above : below;
    for (const row of sweep % 2 === 0 ? rows : rows.toReversed()) {
      const wish = new Map(
        row.map((v) => {
          const others = near[v]!;
          const mean = others.reduce((s, o) => s + vertices[o]!.x, 0) / others.length;
          return [v, others.length > 0 ? mean : vertices[v]!.x];
        }),
      );
      pack(row, vertices, wish, gap);
    }
  }
}

/** Groups that would overlap share the mean of their wishes (pool adjacent violators): the least squares of the shifts. */
function pack(
  row: readonly number[],
  vertices: readonly Vertex[],
  wish: ReadonlyMap<number, number>,
  gap: number,
): void {
  const groups: { start: number; members: number[]; sum: number }[] = [];
  let offset = 0;
  const offsets = row.map((v, k) => {
    if (k > 0) offset += (vertices[row[k - 1]!]!.width + vertices[v]!.width) / 2 + gap;
    return offset;
  });
  row.forEach((v, k) => {
    const target = wish.get(v)! - offsets[k]!;
    let group = { start: target, members: [k], sum: target };
    while (groups.length > 0 && groups.at(-1)!.start > group.start) {
      const before = groups.pop()!;
      const members = [...before.members, ...group.members];
      const sum = before.sum + group.sum;
      group = { start: sum / members.length, members, sum };
    }
    groups.push(group);
  });
  for (const { start, members } of groups)
    for (const k of members) vertices[row[k]!]!.x = start + offsets[k]!;
}
