// When the values of a circuit are made and how long they are carried: gates of a stage run side by side.
import { earliestStages } from "../../numbers/dataflow.ts";
import { type Circuit, type CircuitValue, isGate, operands, type Sum, takesAbsolute } from "./circuit.ts";

/** A term joins a running sum level by level ("direct") or, finished, at the start of a stage. */
export type Joining = "direct" | number;

export interface Schedule {
  /** Stages 1, 2, ...: the gates of each. */
  readonly stages: readonly (readonly number[])[];
  /** The last stage at whose start a value is read; stages + 1 for what is read at the end. */
  readonly neededAt: readonly number[];
  /** Stages that begin with a layer that only carries values, because they are the first to read these held sums. */
  readonly holding: ReadonlyMap<number, readonly number[]>;
  /** For each sum: how each of its terms joins it. */
  readonly joining: ReadonlyMap<number, ReadonlyMap<number, Joining>>;
}

/** Gates as soon as their operands are there; a finished value joins its sums when no gate needs it any more. */
export function schedule({ values, outputs }: Circuit): Schedule {
  const ready = earliestStages(
    values.keys(),
    (index) => readsOf(values[index]!),
    (index) => (isGate(values[index]!) ? 1 : 0),
  );
  const readBy = values.map(() => [] as number[]); // stages whose gates read the value
  values.forEach((value, index) => {
    if (isGate(value)) for (const i of readsOf(value)) readBy[i]!.push(ready[index]!);
  });
  const count = Math.max(0, ...values.map((v, i) => (isGate(v) ? ready[i]! : 0)));
  const stages = Array.from({ length: count }, (_, s) =>
    values.flatMap((v, i) => (isGate(v) && ready[i] === s + 1 ? [i] : [])),
  );
  const neededAt = readBy.map((at) => Math.max(0, ...at));
  for (const output of outputs) neededAt[output] = count + 1;
  const joining = new Map<number, ReadonlyMap<number, Joining>>();
  const holding = new Map<number, readonly number[]>();
  values.forEach((value, index) => {
    if (value.kind !== "sum") return;
    const firstRead = Math.min(count + 1, ...readBy[index]!);
    joining.set(index, joiningOf(value, values, readBy, firstRead));
    if (value.held && firstRead <= count) holding.set(firstRead, [...(holding.get(firstRead) ?? []), index]);
  });
  for (const terms of joining.values())
    for (const [term, joins] of terms)
      if (joins !== "direct") neededAt[term] = Math.max(neededAt[term]!, joins);
  return { stages, neededAt, holding, joining };
}

const readsOf = (value: CircuitValue): number[] =>
  (value.kind === "source" ? [] : isGate(value) ? operands(value) : [value.of]).flatMap((f) => [
    ...f.terms.keys(),
  ]);

function joiningOf(
  { of, separate }: Sum,
  values: readonly CircuitValue[],
  readBy: readonly (readonly number[])[],
  firstRead: number,
): ReadonlyMap<number, Joining> {
  return new Map(
    [...of.terms.keys()].map((term): [number, Joining] => {
      if (separate) return [term, firstRead];
      if (isGate(values[term]!) && readBy[term]!.length === 0) return [term, "direct"];
      return [term, Math.min(firstRead, Math.max(1, ...readBy[term]!))];
    }),
  );
}

/** Hidden layers of a gate: one for absolute values where needed, and one a level. */
export const gateLayers = (value: CircuitValue, levels: number): number =>
  isGate(value) ? levels + (takesAbsolute(value) ? 1 : 0) : 0;
