// The largest matching of a graph by alternating paths, odd cycles shrunk to their base (Edmonds' blossoms).

const none = -1;

/**
 * The partner of each vertex, -1 for one without: no other choice of edges without a common end has more of them.
 * @example largestMatching([[false, true, false], [true, false, true], [false, true, false]]) // [1, 0, -1]
 */
export function largestMatching(adjacent: readonly (readonly boolean[])[]): number[] {
  const partner = new Array<number>(adjacent.length).fill(none);
  for (let root = 0; root < adjacent.length; root++) {
    if (partner[root] !== none) continue;
    const { end, parent } = alternatingPath(adjacent, partner, root);
    // Along the path, edges in the matching and others change places.
    for (let v = end; v !== none; ) {
      const before = parent[v]!;
      const next = partner[before]!;
      [partner[v], partner[before]] = [before, v];
      v = next;
    }
  }
  return partner;
}

interface Found {
  /** A vertex without a partner at the end of a path from the root, or -1. */
  readonly end: number;
  readonly parent: readonly number[];
}

function alternatingPath(
  adjacent: readonly (readonly boolean[])[],
  partner: readonly number[],
  root: number,
): Found {
  const n = adjacent.length;
  const parent = new Array<number>(n).fill(none);
  /** The vertex that stands for the odd cycle in which each one is. */
  const base = Array.from({ length: n }, (_, v) => v);
  const isOuter = new Array<boolean>(n).fill(false);
  isOuter[root] = true;
  const queue = [root];
  for (const v of queue)
    for (let w = 0; w < n; w++) {
      if (!adjacent[v]![w] || base[v] === base[w] || partner[v] === w) continue;
      const closesCycle = w === root || (partner[w] !== none && parent[partner[w]!] !== none);
      if (closesCycle) shrink(v, w);
      else if (parent[w] === none) {
        parent[w] = v;
        if (partner[w] === none) return { end: w, parent };
        isOuter[partner[w]!] = true;
        queue.push(partner[w]!);
      }
    }
  return { end: none, parent };

  /** The odd cycle that the edge v - w closes becomes its base. */
  function shrink(v: number, w: number): void {
    const shared = sharedBase(v, w);
    const inside = new Array<boolean>(n).fill(false);
    mark(v, shared, w, inside);
    mark(w, shared, v, inside);
    for (let u = 0; u < n; u++) {
      if (!inside[base[u]!]) continue;
      base[u] = shared;
      if (isOuter[u]) continue;
      isOuter[u] = true;
      queue.push(u);
    }
  }

  function sharedBase(v: number, w: number): number {
    const seen = new Set<number>();
    for (let u = base[v]!; ; u = base[parent[partner[u]!]!]!) {
      seen.add(u);
      if (partner[u] === none) break;
    }
    let u = base[w]!;
    while (!seen.has(u)) u = base[parent[partner[u]!]!]!;
    return u;
  }

  function mark(from: number, to: number, child: number, inside: boolean[]): void {
    let [v, below] = [from, child];
    while (base[v] !== to) {
      inside[base[v]!] = true;
      inside[base[partner[v]!]!] = true;
      parent[v] = below;
      below = partner[v]!;
      v = parent[partner[v]!]!;
    }
  }
}
