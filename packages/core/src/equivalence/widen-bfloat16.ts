// Networks of bfloat16 as networks of float32 with the same numbers; float16 has a runtime of its own.
import type { Graph } from "../graph/graph.ts";
import { widenTypes } from "../graph/widen-half.ts";

const narrow = new Set(["bfloat16"] as const);

/**
 * The graph in float32 where it was in bfloat16; the graph itself if it has none, or rounds to it on the way.
 * @example widenBfloat16(net) === net // true, for a network in float32
 */
export const widenBfloat16 = (source: Graph): Graph => widenTypes(source, narrow);
