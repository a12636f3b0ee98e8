// Recurrent layers, unrolled: one copy of the step for each time, which must be known in number.
import { GraphError } from "../error.ts";
import { describe, type Node } from "../graph.ts";
import { tensor } from "../tensor.ts";
import type { Value } from "../value.ts";
import { type Definitions, elementType, fixed, shapeOf } from "./definition.ts";
import { integers, where } from "./expression.ts";
import {
  activationsOf,
  type Cell,
  gruStep,
  lstmStep,
  rnnStep,
  type State,
  type Step,
} from "./recurrent-cells.ts";

interface Layer {
  readonly gates: number;
  readonly step: Step;
  /** The activations of one direction, unless the node names others. */
  readonly activations: readonly string[];
}

interface Attributes {
  readonly activation_alpha: readonly number[] | undefined;
  readonly activation_beta: readonly number[] | undefined;
  readonly activations: readonly string[] | undefined;
  readonly clip: number | undefined;
  readonly direction: string;
  readonly layout: number;
  readonly linear_before_reset?: number;
  readonly input_forget?: number;
}

/** The inputs of a layer under their names, in the layout [steps, batch, features]. */
interface Inputs {
  readonly x: Value;
  readonly weights: Value;
  readonly recurrence: Value;
  readonly bias: Value | undefined;
  readonly lengths: Value | undefined;
  readonly initial: Value | undefined;
  readonly initialCell: Value | undefined;
  readonly peepholes: Value | undefined;
}

const swapped = (x: Value | undefined): Value | undefined => x?.transpose([1, 0, 2]);

function named(inputs: readonly (Value | undefined)[], batchFirst: boolean): Inputs {
  const [x, weights, recurrence, bias, lengths, initial, initialCell, peepholes] = inputs;
  const turned = (value: Value | undefined) => (batchFirst ? swapped(value) : value);
  return {
    x: turned(x)!,
    weights: weights!,
    recurrence: recurrence!,
    bias,
    lengths,
    initial: turned(initial),
    initialCell: turned(initialCell),
    peepholes,
  };
}

interface Direction {
  readonly index: number;
  readonly backwards: boolean;
}

interface Run {
  /** The hidden state after each step, in the order of time; 0 after a sequence's end. */
  readonly outputs: readonly Value[];
  readonly last: State;
}

/** x W^T + b for all steps at once, and the parameters of the recurrence. */
function parametersOf(
  inputs: Inputs,
  layer: Layer,
  attributes: Attributes,
  { index }: Direction,
  node: Node,
): { readonly projected: Value; readonly cell: Cell } {
  const units = fixed(shapeOf(inputs.recurrence, node)[2], "the number of hidden units", node);
  const part = (value: Value | undefined) => value?.gather(index, 0);
  const width = layer.gates * units;
  const bias = part(inputs.bias);
  const product = inputs.x.matmul(part(inputs.weights)!.transpose([1, 0]));
  const count = layer.activations.length;
  const names = attributes.activations?.length
    ? attributes.activations
    : [...layer.activations, ...layer.activations];
  if (attributes.clip !== undefined && !(attributes.clip > 0))
    throw new GraphError(`${describe(node)}: it clips at ${attributes.clip}, which is not above 0`);
  const all = activationsOf(names, attributes.activation_alpha, attributes.activation_beta, node);
  return {
    projected: bias ? product.add(bias.slice(0, 0, width)) : product,
    cell: {
      units,
      recurrence: part(inputs.recurrence)!.transpose([1, 0]),
      recurrenceBias: bias?.slice(0, width, 2 * width),
      peepholes: part(inputs.peepholes),
      activations: all.slice(index * count, (index + 1) * count),
      clip: attributes.clip,
      linearBeforeReset: attributes.linear_before_reset === 1,
      inputForget: attributes.input_forget === 1,
    },
  };
}

function runDirection(
  inputs: Inputs,
  layer: Layer,
  attributes: Attributes,
  direction: Direction,
  node: Node,
): Run {
  const { x, lengths, initial, initialCell } = inputs;
  const { projected, cell } = parametersOf(inputs, layer, attributes, direction, node);
  const steps = fixed(shapeOf(x, node)[0], `the number of steps of its input "${x.name}"`, node);
  if (steps === 0) throw new GraphError(`${describe(node)}: it has no definition for 0 steps`);
  const zero = x.builder.weight(
    tensor(new Float64Array(cell.units), { type: elementType(x, node), dims: [1, cell.units] }),
    "zero",
  );
  const first = (value: Value | undefined) => value?.gather(direction.index, 0) ?? zero;
  let state: State = { hidden: first(initial), cell: first(initialCell) };
  const outputs = new Array<Value>(steps);
  const times = [...Array(steps).keys()];
  for (const time of direction.backwards ? times.reverse() : times) {
    const next = layer.step(projected.gather(time, 0), state, cell);
    const goesOn = lengths?.op("Greater", [time]).op("Unsqueeze", [integers([1])]);
    state = goesOn ? stayingWhere(goesOn, next, state) : next;
    outputs[time] = goesOn ? where(goesOn, next.hidden, 0, next.hidden) : next.hidden;
  }
  return { outputs, last: state };
}

/** The next state of the sequences that go on, the old one of those that have ended. */
const stayingWhere = (goesOn: Value, next: State, old: State): State => ({
  hidden: where(goesOn, next.hidden, old.hidden, next.hidden),
  ...(next.cell && old.cell ? { cell: where(goesOn, next.cell, old.cell, next.cell) } : {}),
});

const stacked = (values: readonly Value[], axis: number): Value =>
  values.length === 1 ? values[0]! : values[0]!.concat(values.slice(1), axis);
const withAxes = (value: Value, ...axes: number[]): Value => value.op("Unsqueeze", [integers(axes)]);

function unrolled(
  values: readonly (Value | undefined)[],
  layer: Layer,
  attributes: Attributes,
  node: Node,
): readonly (Value | undefined)[] {
  const batchFirst = attributes.layout === 1;
  const inputs = named(values, batchFirst);
  const directions: Direction[] = [{ index: 0, backwards: attributes.direction === "reverse" }];
  if (attributes.direction === "bidirectional") directions.push({ index: 1, backwards: true });
  const runs = directions.map((direction) => runDirection(inputs, layer, attributes, direction, node));
  const all = () => {
    const each = runs.map(({ outputs }) =>
      stacked(
        outputs.map((y) => withAxes(y, 0, 1)),
        0,
      ),
    );
    const y = stacked(each, 1);
    return batchFirst ? y.transpose([2, 0, 1, 3]) : y;
  };
  const last = (part: (state: State) => Value) => {
    const y = stacked(
      runs.map((run) => withAxes(part(run.last), 0)),
      0,
    );
    return batchFirst ? swapped(y) : y;
  };
  return [
    node.outputs[0] ? all() : undefined,
    node.outputs[1] ? last((state) => state.hidden) : undefined,
    node.outputs[2] ? last((state) => state.cell!) : undefined,
  ];
}

const rnn: Layer = { gates: 1, step: rnnStep, activations: ["Tanh"] };
const gru: Layer = { gates: 3, step: gruStep, activations: ["Sigmoid", "Tanh"] };
const lstm: Layer = { gates: 4, step: lstmStep, activations: ["Sigmoid", "Tanh", "Tanh"] };

export const recurrent: Definitions = {
  RNN: (inputs, attributes, node) => unrolled(inputs, rnn, attributes, node),
  GRU: (inputs, attributes, node) => unrolled(inputs, gru, attributes, node),
  LSTM: (inputs, attributes, node) => unrolled(inputs, lstm, attributes, node),
};
