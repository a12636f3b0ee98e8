// Folds what is too much for one picture. Blocks of neighbouring ranks become one: edges lead from lower ranks to higher
// ones, so that no cycle can come of it.

import type { BlockDiagram, NetworkBlock } from "./block-diagram.ts";
import { ranksOf } from "./layered-layout.ts";

/** Side by side in one rank, at most. */
const widest = 6;

export interface FoldedDiagram extends BlockDiagram {
  /** Where each block of the diagram before went. */
  readonly places: readonly number[];
}

/** At most about `most` blocks: ranks that are too wide first, then the middle of those that are too many. */
export function foldBlocks(diagram: BlockDiagram, most: number): FoldedDiagram {
  const narrow = merged(diagram, wideRanks(diagram));
  const short = merged(narrow, middleRanks(narrow, most));
  return { ...short, places: narrow.places.map((p) => short.places[p]!) };
}

/** Outputs, the last blocks of a diagram, beyond those that fit side by side. */
export const foldEnds = (diagram: BlockDiagram, outputs: number): BlockDiagram => {
  const ends = diagram.blocks.map((_, k) => k).slice(diagram.blocks.length - outputs);
  return ends.length > widest ? merged(diagram, [ends.slice(widest - 1)]) : diagram;
};

function byRank(diagram: BlockDiagram): readonly (readonly number[])[] {
  const ranks = ranksOf(diagram.blocks.length, diagram.edges);
  const rows: number[][] = [];
  ranks.forEach((rank, k) => {
    rows[rank] ??= [];
    rows[rank].push(k);
  });
  return Array.from(rows, (row) => row ?? []);
}

/** In each rank, what exceeds the width. */
const wideRanks = (diagram: BlockDiagram): readonly (readonly number[])[] =>
  byRank(diagram).flatMap((row) => (row.length > widest ? [row.slice(widest - 1)] : []));

/** A run of ranks in the middle, so that as many blocks stay before it as behind it. */
function middleRanks(diagram: BlockDiagram, most: number): readonly (readonly number[])[] {
  if (diagram.blocks.length <= most) return [];
  const rows = byRank(diagram);
  const kept = (list: readonly (readonly number[])[]): number => {
    let [count, blocks] = [0, 0];
    for (const row of list) {
      if (blocks + row.length > (most - 1) / 2 && count > 0) break;
      blocks += row.length;
      count++;
    }
    return count;
  };
  const [before, behind] = [kept(rows), kept(rows.toReversed())];
  const middle = rows.slice(before, rows.length - behind).flat();
  return middle.length > 1 ? [middle] : [];
}

/** The diagram in which each group is one block. */
function merged({ blocks, edges }: BlockDiagram, groups: readonly (readonly number[])[]): FoldedDiagram {
  const leader = blocks.map((_, k) => k);
  for (const group of groups) for (const k of group) leader[k] = group[0]!;
  const members = new Map<number, number[]>();
  leader.forEach((l, k) => {
    const list = members.get(l);
    if (list) list.push(k);
    else members.set(l, [k]);
  });
  const list = [...members];
  const place = new Map(list.map(([l], k) => [l, k]));
  const places = leader.map((l) => place.get(l)!);
  const links = new Map(
    edges.map(([f, t]) => [`${places[f]} ${places[t]}`, [places[f]!, places[t]!] as const]),
  );
  return {
    blocks: list.map(([l, ks]) => (ks.length === 1 ? blocks[l]! : foldedBlock(ks.map((k) => blocks[k]!)))),
    edges: [...links.values()].filter(([f, t]) => f !== t),
    places,
  };
}

function foldedBlock(blocks: readonly NetworkBlock[]): NetworkBlock {
  const nodes = blocks.flatMap((b) => b.nodes);
  const ends = (["input", "output"] as const).find((kind) => blocks.every((b) => b.kind === kind));
  const count = ends ? blocks.length : nodes.length;
  return {
    kind: "folded",
    label: `… ${count} more ${ends ?? "node"}${count === 1 ? "" : "s"}`,
    parameters: blocks.reduce((sum, b) => sum + b.parameters, 0),
    nodes,
  };
}
