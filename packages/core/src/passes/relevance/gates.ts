// Which factor of a product is the gate and which the signal: a gate says how much, the signal says what.
import type { Graph, Node } from "../../graph/graph.ts";

/** What moves numbers about, or scales them all alike, and leaves a gate a gate. */
const passing = new Set(
  "Identity Cast Reshape Flatten Squeeze Unsqueeze Transpose Slice Split Concat Expand Tile Gather Dropout Where Clip Neg".split(
    " ",
  ),
);
const squashing = new Set(["Sigmoid", "HardSigmoid", "Softmax", "Hardmax"]);
/** Between -1 and 1: 1 plus it is how much of something is let through, as exporters write Gelu. */
const centred = new Set(["Erf", "Tanh"]);

/** 2: surely a gate; 1: one if the other factor is none; 0: a signal. */
export type Gateness = 0 | 1 | 2;

/** By name of a value. */
export function gates(graph: Graph, active: (name: string) => boolean): (name: string) => Gateness {
  const makers = new Map<string, Node>(graph.nodes.flatMap((n) => n.outputs.map((o) => [o, n] as const)));
  const known = new Map<string, Gateness>();
  const find = (name: string): Gateness => {
    const node = makers.get(name);
    if (!node || !active(name)) return 0;
    if (squashing.has(node.op)) return 2;
    const from = node.inputs.filter(active);
    const constants = node.inputs.length - from.length;
    if (passing.has(node.op)) return from.length === 1 ? gateness(from[0]!) : 0;
    // 1 - u, u + 1, u / 2: the other operand is constant.
    if (/^(Add|Sub|Mul|Div)$/.test(node.op) && from.length === 1 && constants === 1) {
      const inner = makers.get(from[0]!);
      const isShift = node.op === "Add" || node.op === "Sub";
      if (isShift && inner && centred.has(inner.op)) return 1;
      return gateness(from[0]!);
    }
    return 0;
  };
  const gateness = (name: string): Gateness => {
    const before = known.get(name);
    if (before !== undefined) return before;
    known.set(name, 0);
    const found = find(name);
    known.set(name, found);
    return found;
  };
  return gateness;
}
