// Places the nodes of a function graph: a column for each level, in an order in which few edges cross.
import type { NodeView } from "./compiled-view.ts";

export interface PlacedNode {
  readonly node: NodeView;
  readonly x: number;
  readonly y: number;
}

export interface GraphLayout {
  readonly nodes: readonly PlacedNode[];
  /** Pairs of places: right side of an argument, left side of the node. */
  readonly edges: readonly { readonly key: string; readonly path: string }[];
  readonly hidden: readonly { readonly x: number; readonly count: number }[];
  readonly width: number;
  readonly height: number;
}

export const box = { width: 186, height: 74, gapX: 44, gapY: 14, margin: 3 } as const;
/** Nodes of one column that are shown. */
const tallest = 16;

function levelsOf(nodes: readonly NodeView[]): readonly number[] {
  const levels: number[] = [];
  for (const { id, args } of nodes) levels[id] = args.reduce((most, a) => Math.max(most, levels[a]! + 1), 0);
  // A variable stands directly before what first needs it.
  nodes.forEach(({ id, op }) => {
    if (op !== "variable") return;
    const users = nodes.filter((n) => n.args.includes(id)).map((n) => levels[n.id]!);
    if (users.length > 0 && nodes.length < 200) levels[id] = Math.min(...users) - 1;
  });
  return levels;
}

/** Each column ordered by the mean place of its arguments, as they stand. */
function columnsOf(nodes: readonly NodeView[]): readonly (readonly NodeView[])[] {
  const levels = levelsOf(nodes);
  const columns: NodeView[][] = [];
  for (const node of nodes) {
    const level = levels[node.id]!;
    columns[level] = [...(columns[level] ?? []), node];
  }
  const place = new Map<number, number>();
  for (const column of columns) {
    const mean = ({ args }: NodeView): number =>
      args.length === 0 ? 0.5 : args.reduce((sum, a) => sum + (place.get(a) ?? 0.5), 0) / args.length;
    column.sort((a, b) => mean(a) - mean(b) || a.id - b.id);
    for (const [k, node] of column.entries()) place.set(node.id, (k + 0.5) / column.length);
  }
  return columns;
}

/** The layout of a function graph. */
export function functionGraphLayout(nodes: readonly NodeView[]): GraphLayout {
  const columns = columnsOf(nodes);
  const shown = columns.map((column) => column.slice(0, tallest));
  const rows = Math.max(...shown.map((column) => column.length));
  const { margin } = box;
  const [stepX, stepY] = [box.width + box.gapX, box.height + box.gapY];
  const placed = shown.flatMap((column, level) => {
    const top = margin + ((rows - column.length) * stepY) / 2;
    return column.map((node, row) => ({ node, x: margin + level * stepX, y: top + row * stepY }));
  });
  const places = new Map(placed.map((p) => [p.node.id, p]));
  const edges = placed.flatMap(({ node, x, y }) =>
    [...new Set(node.args)].flatMap((arg) => {
      const from = places.get(arg);
      if (!from) return [];
      const [x1, y1, x2, y2] = [from.x + box.width, from.y + box.height / 2, x, y + box.height / 2];
      const bend = Math.max(box.gapX / 2, (x2 - x1) / 3);
      return [
        { key: `${arg}-${node.id}`, path: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` },
      ];
    }),
  );
  const hidden = columns.flatMap((column, level) =>
    column.length > tallest ? [{ x: margin + level * stepX, count: column.length - tallest }] : [],
  );
  return {
    ...{ nodes: placed, edges, hidden },
    width: 2 * margin + columns.length * stepX - box.gapX,
    height: 2 * margin + rows * stepY - box.gapY + (hidden.length > 0 ? 22 : 0),
  };
}
