// In which hidden layer each gate stands, and up to which layer its value is needed.
import { type Circuit, firstGate, nodeOf } from "./circuit.ts";

export interface Schedule {
  /** By node: the hidden layer that computes it; 0 for inputs. */
  readonly layer: Int32Array;
  /** By node: the last layer at which its value must stand, -1 if nobody reads it. */
  readonly last: Int32Array;
  readonly depth: number;
}

/** As soon as what they read is there, or as late as those who read them allow: whoever carries fewer values is better. */
export function schedule(circuit: Circuit, when: "early" | "late"): Schedule {
  const { gates, outputs } = circuit;
  const first = firstGate(circuit);
  const layer = new Int32Array(first + gates.length);
  gates.forEach(({ args }, k) => {
    layer[first + k] = 1 + args.reduce((most, a) => Math.max(most, layer[nodeOf(a)]!), 0);
  });
  const depth = outputs.reduce((most, { literal }) => Math.max(most, layer[nodeOf(literal)]!), 0);
  if (when === "late") {
    const latest = new Int32Array(layer.length).fill(depth);
    for (let k = gates.length - 1; k >= 0; k--)
      for (const a of gates[k]!.args)
        latest[nodeOf(a)] = Math.min(latest[nodeOf(a)]!, latest[first + k]! - 1);
    for (let node = first; node < layer.length; node++) layer[node] = latest[node]!;
  }
  const last = new Int32Array(layer.length).fill(-1);
  gates.forEach(({ args }, k) => {
    for (const a of args) last[nodeOf(a)] = Math.max(last[nodeOf(a)]!, layer[first + k]! - 1);
  });
  for (const { literal } of outputs) last[nodeOf(literal)] = depth;
  return { layer, last, depth };
}
