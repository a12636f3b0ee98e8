// A loop in a graph, written as a function of its states.

import type { TensorType } from "./graph.ts";
import { tensor } from "./tensor.ts";
import type { GraphWriter, Values } from "./value.ts";
import { Value } from "./value.ts";

export interface Turn {
  /** Whether to go on. */
  readonly go: Value;
  readonly states: Values;
  /** What each turn leaves behind; stacked along a new first axis. */
  readonly traces: Values;
}

const plain = ({ type, shape }: TensorType): TensorType => ({ type, shape });

/** A value of the graph around, to be read inside of a body by the operations of its builder. */
export const seen = (value: Value, from: GraphWriter): Value => new Value(from, value.name, value.type);

/** Turns until the body says stop, at most `turns` of them: the last states, and the traces of all turns. */
export function loop(
  turns: Value,
  states: Values,
  body: (turn: Value, states: Values, go: Value) => Turn,
): { readonly states: Values; readonly traces: Values } {
  const { builder } = turns;
  const names = Object.keys(states);
  const traced: [string, TensorType][] = [];
  const types = Object.fromEntries(names.map((name) => [name, plain(states[name]!.type)]));
  const graph = builder.subgraph(
    { turn: { type: "int64", shape: [] }, go: { type: "bool", shape: [] }, ...types },
    ({ turn, go, ...given }) => {
      const result = body(turn!, given, go!);
      traced.push(
        ...Object.entries(result.traces).map(([name, v]): [string, TensorType] => [name, plain(v.type)]),
      );
      return {
        go_on: result.go,
        ...Object.fromEntries(names.map((name) => [`${name}_next`, result.states[name]!])),
        ...Object.fromEntries(traced.map(([name]) => [`${name}_trace`, result.traces[name]!])),
      };
    },
  );
  const truth = builder.weight(tensor(1, { type: "bool" }), "true");
  const results = builder.apply(
    "Loop",
    [turns, truth, ...names.map((name) => states[name]!)],
    { body: graph },
    names.length + traced.length,
  );
  const typed = (k: number, type: TensorType): Value => new Value(builder, results[k]!.name, type);
  return {
    states: Object.fromEntries(names.map((name, k) => [name, typed(k, types[name]!)])),
    traces: Object.fromEntries(
      traced.map(([name, { type, shape }], k) => [
        name,
        typed(names.length + k, { type, ...(shape ? { shape: [undefined, ...shape] } : {}) }),
      ]),
    ),
  };
}
