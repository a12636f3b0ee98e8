// Do parts cover the whole that they were split from?
import type { Held } from "./held.ts";

/**
 * Paths from the root of a tree to all of its leaves: at each step the same unit on one side for some of them, on the other
 * side for the rest, until one is alone and holds no more.
 */
export function covers(paths: readonly (readonly Held[])[], depth = 0): boolean {
  const [first] = paths;
  if (!first) return false;
  if (first.length === depth) return paths.length === 1;
  const { bend } = first[depth]!;
  if (paths.some((path) => path.length <= depth || path[depth]!.bend !== bend)) return false;
  return ([1, -1] as const).every((side) =>
    covers(
      paths.filter((path) => path[depth]!.side === side),
      depth + 1,
    ),
  );
}
