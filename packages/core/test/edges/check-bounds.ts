// Linear bounds and bounds by branch and bound, against what the runtime computed at points of the box.

import { linearBounds, type OutputBounds } from "../../src/bounds/linear.ts";
import { splitBounds } from "../../src/bounds/split.ts";
import { numbers } from "../../src/graph/tensor.ts";
import { inputShapes } from "../../src/passes/affine/compile.ts";
import { isReadable } from "./check-values.ts";
import { roomAround } from "./enclosure.ts";
import { Finding, orRefusal, orRefusalLater, type Verdict } from "./finding.ts";
import type { Trial } from "./trial.ts";

/** The box as the passes for float inputs want it: flat, in the order of the inputs. */
export function flatBox({ model, box }: Trial): { lower: number[]; upper: number[] } {
  const sides = inputShapes(model.graph).map(({ name }) => box.get(name)!);
  return { lower: sides.flatMap((b) => [...b.lower]), upper: sides.flatMap((b) => [...b.upper]) };
}

function checkOutputs(trial: Trial, { lower, upper }: OutputBounds): Verdict {
  trial.outputs.forEach((results, n) => {
    let at = 0;
    for (const { name } of trial.model.graph.outputs) {
      const t = results.get(name)!;
      if (!isReadable(t)) return;
      const here = trial.enclosures[n]?.get(name);
      numbers(t).forEach((v, k) => {
        const place = at + k;
        if (!Number.isFinite(v)) return;
        // The real value is where the enclosure of a run is, or within some hundred roundings.
        const room = roomAround(v, t.type);
        const [low, high] = here ? [here.lower[k]!, here.upper[k]!] : [v - room, v + room];
        if (!(lower[place]! <= high && low <= upper[place]!))
          throw new Finding(`${name}[${k}] is ${v}, outside ${lower[place]} .. ${upper[place]} on a box`);
      });
      at += t.data.length;
    }
    if (at !== lower.length) throw new Finding(`${lower.length} bounds for ${at} numbers`);
  });
  return "agrees";
}

export function checkLinearBounds(trial: Trial): Verdict {
  const bounds = orRefusal(() => linearBounds(trial.model.graph, flatBox(trial)));
  return bounds ? checkOutputs(trial, bounds) : "refused";
}

export async function checkSplitBounds(trial: Trial): Promise<Verdict> {
  const bounds = await orRefusalLater(async () =>
    splitBounds(trial.model.graph, flatBox(trial), { seconds: 0.05, tolerance: 1e-2 }),
  );
  return bounds ? checkOutputs(trial, bounds) : "refused";
}
