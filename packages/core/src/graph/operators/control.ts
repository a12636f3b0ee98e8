// Operators that hold graphs: branches and loops.
import type { Graph } from "../graph.ts";
import { numbersOf, scalarOf } from "./constant.ts";
import { commonShape, differ, given, normalizeAxis, sameDim } from "./dims.ts";
import { operator } from "./operator.ts";
import { graphAttribute, type Inferred, int, ints, required, type ShapeContext } from "./spec.ts";

type Known = readonly (Inferred | undefined)[];

/** What holds of either of two values. */
export function common(a: Inferred | undefined, b: Inferred | undefined): Inferred | undefined {
  if (!a || !b) return undefined;
  const type = a.type === b.type ? a.type : "undefined";
  const same = numbersOf(a) && numbersOf(a)?.join() === numbersOf(b)?.join();
  const shape = commonShape(a.shape, b.shape);
  return same && shape ? { type, shape, value: a.value } : { type, shape };
}

const equal = (a: Inferred | undefined, b: Inferred | undefined): boolean =>
  a?.type === b?.type &&
  a?.shape?.length === b?.shape?.length &&
  (a?.shape?.every((d, k) => d === b?.shape?.[k]) ?? true) &&
  Boolean(a?.value) === Boolean(b?.value);

/**
 * The states of a loop that hold before and after each turn: from the first ones, what a turn changes is
 * forgotten until nothing more is. After a few turns whatever still changes is given up altogether.
 */
function steadyStates(first: Known, turn: (states: Known) => Known): { states: Known; results: Known } {
  let states = first.map((s) => s && { type: s.type, shape: s.shape, value: s.value });
  for (let turns = 0; turns < 4; turns++) {
    const results = turn(states);
    const next = states.map((s, k) => common(s, results[k]));
    if (next.every((s, k) => equal(s, states[k]))) return { states: next, results };
    states = next as typeof states;
  }
  const given = first.map((s) => s && { type: s.type });
  return { states: given, results: turn(given) };
}

function loop(inputs: Known, body: Graph, context: ShapeContext): Known {
  const [trips, condition, ...first] = inputs;
  const turnNumber: Inferred = { type: "int64", shape: [] };
  // A turn only happens when the condition holds.
  const holds: Inferred = {
    type: "bool",
    shape: [],
    value: { type: "bool", dims: [], data: Uint8Array.of(1) },
  };
  const states = first.map((s) => s);
  const steady = steadyStates(states, (now) =>
    context.inferSubgraph(body, [turnNumber, holds, ...now]).slice(1),
  );
  const goesOn = scalarOf(context.inferSubgraph(body, [turnNumber, holds, ...steady.states])[0]) === 1;
  const starts = !given(context, 1) || scalarOf(condition) === 1;
  const limit = given(context, 0) ? scalarOf(trips) : undefined;
  const count = goesOn && starts ? (typeof limit === "number" ? Math.max(0, limit) : limit) : undefined;
  const stacked = steady.results
    .slice(first.length)
    .map((x) => x && { type: x.type, shape: x.shape && [count, ...x.shape] });
  return [...steady.states, ...stacked];
}

interface ScanAttributes {
  readonly num_scan_inputs: number;
  readonly scan_input_axes: readonly number[] | undefined;
  readonly scan_output_axes: readonly number[] | undefined;
}

function scan(inputs: Known, body: Graph, attributes: ScanAttributes, context: ShapeContext): Known {
  const stateCount = inputs.length - attributes.num_scan_inputs;
  if (stateCount < 0) context.fail(`has ${inputs.length} inputs, fewer than num_scan_inputs`);
  let steps = undefined as Exclude<Inferred["shape"], undefined>[number];
  const slices = inputs.slice(stateCount).map((x, k) => {
    if (!x?.shape) return x && { type: x.type };
    const axis = normalizeAxis(attributes.scan_input_axes?.[k] ?? 0, x.shape.length, context);
    if (differ(steps, x.shape[axis])) context.fail(`scans inputs of ${steps} and of ${x.shape[axis]} steps`);
    steps = sameDim(steps, x.shape[axis]);
    return { type: x.type, shape: x.shape.toSpliced(axis, 1) };
  });
  const { states, results } = steadyStates(inputs.slice(0, stateCount), (now) =>
    context.inferSubgraph(body, [...now, ...slices]),
  );
  const stacked = results.slice(stateCount).map((x, k) => {
    if (!x?.shape) return x && { type: x.type };
    const axis = normalizeAxis(attributes.scan_output_axes?.[k] ?? 0, x.shape.length + 1, context);
    return { type: x.type, shape: x.shape.toSpliced(axis, 0, steps) };
  });
  return [...states, ...stacked];
}

export const control = {
  If: operator({
    inputs: [1, 1],
    outputs: [1, Number.POSITIVE_INFINITY],
    attributes: { then_branch: required(graphAttribute()), else_branch: required(graphAttribute()) },
    shape: ([condition], { then_branch, else_branch }, context) => {
      const decided = scalarOf(condition);
      if (decided !== undefined) return context.inferSubgraph(decided ? then_branch : else_branch, []);
      const [yes, no] = [then_branch, else_branch].map((branch) =>
        attempt(() => context.inferSubgraph(branch, [])),
      );
      return context.node.outputs.map((_, k) => (yes && no ? common(yes[k], no[k]) : (yes ?? no)?.[k]));
    },
  }),
  Loop: operator({
    inputs: [2, Number.POSITIVE_INFINITY],
    outputs: [1, Number.POSITIVE_INFINITY],
    attributes: { body: required(graphAttribute()) },
    shape: (inputs, { body }, context) => loop(inputs, body, context),
  }),
  Scan: operator({
    inputs: [1, Number.POSITIVE_INFINITY],
    outputs: [1, Number.POSITIVE_INFINITY],
    attributes: {
      body: required(graphAttribute()),
      num_scan_inputs: required(int()),
      scan_input_axes: ints(),
      scan_input_directions: ints(),
      scan_output_axes: ints(),
      scan_output_directions: ints(),
    },
    shape: (inputs, { body, ...attributes }, context) => scan(inputs, body, attributes, context),
  }),
};

/** A branch that is never taken may well contradict itself: then the other one tells. */
function attempt(infer: () => Known): Known | undefined {
  try {
    return infer();
  } catch {
    return undefined;
  }
}
