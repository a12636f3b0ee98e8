// From a graph to the stages that the subdivision reads.
import { checkOutputNames } from "../../graph/check.ts";
import { GraphError } from "../../graph/error.ts";
import {
  describe,
  type Graph,
  isTensorType,
  type Node,
  requiredInputs,
  type TensorType,
} from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import type { OperatorName } from "../../graph/operators/index.ts";
import { plain } from "../../graph/plain.ts";
import { elementCount } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { forwardPass, type Rule, type Rules } from "../pass.ts";
import { affineRules, type RuleContext } from "./affine-rules.ts";
import { type Forms, liftWeight, RowWriter, rowCount, slotForms } from "./forms.ts";
import { jumpRules } from "./jump-rules.ts";
import { kinkRules } from "./kink-rules.ts";
import { moverRules } from "./mover-rules.ts";
import { type AffineProgram, AffineWriter, checkFinite } from "./program.ts";

export interface InputShape {
  readonly name: string;
  readonly type: TensorType;
  readonly dims: readonly number[];
}

/**
 * The inputs that a caller gives, with open dimensions (a batch) taken as 1.
 * @example inputShapes(square(2)) // [{ name: "x", dims: [1, 1], ... }]
 */
export function inputShapes(graph: Graph): readonly InputShape[] {
  checkOutputNames(graph); // all that bounds a graph asks here first
  return requiredInputs(canonical(graph)).map(({ name, type }) => {
    if (!isTensorType(type) || !type.shape)
      throw new GraphError(`input "${name}" has no shape, so its elements cannot be told apart`);
    if (!/^b?float/.test(type.type))
      throw new GraphError(
        `input "${name}" holds ${type.type === "undefined" ? "numbers of no known type" : type.type}, and only floating-point inputs can vary in a box`,
      );
    return { name, type, dims: type.shape.map((d) => (typeof d === "number" ? d : 1)) };
  });
}

export interface AffineOptions {
  /** Functions that jump become units of their own: quantizers and trees. */
  readonly jumps?: boolean;
}

/** Operators that are affine, or bend, by their definition in simpler ones. */
const affineByDefinition = new Set(["ConvTranspose", "Resize", "DepthToSpace", "SpaceToDepth"]);

/** The graph for inputs of these shapes. */
function withInputs(original: Graph, shapes: readonly InputShape[]): Graph {
  const given = new Map(shapes.map(({ name, type, dims }) => [name, { type: type.type, shape: dims }]));
  const graph = canonical(original);
  return { ...graph, inputs: graph.inputs.map((i) => ({ ...i, type: given.get(i.name) ?? i.type })) };
}

/** The stages of a graph of affine and piecewise-linear operators; an error names the node that is neither. */
export function affineProgram(original: Graph, { jumps = false }: AffineOptions = {}): AffineProgram {
  const shapes = inputShapes(original);
  const graph = plain(withInputs(original, shapes), {
    also: affineByDefinition,
    ...(jumps && { steps: true }),
  });
  const types = inferTypes(graph, {
    inputs: new Map(shapes.map(({ name, type, dims }) => [name, { type: type.type, shape: dims }])),
  });
  const { inputs, count } = inputForms(shapes);
  const program = new AffineWriter(count);
  const context: RuleContext = {
    program,
    dims: (node, k = 0) => numericDims(types, node, k),
    type: (name) => types.get(name)?.type ?? "undefined",
  };
  const movers = moverRules(context);
  const own = jumps ? jumpRules(context) : {};
  const rules = {
    ...withIntegers({ ...affineRules(context), ...kinkRules(context) }, movers, types),
    ...own,
  };
  const values = forwardPass("regions", rules, liftWeight)(graph, inputs);
  return { inputs: count, slots: program.slots, stages: program.stages, ...outputRows(graph, values) };
}

/** What takes one of several numbers gives an integer where they are. */
const comparing = new Set(["Max", "Min", "MaxPool", "GlobalMaxPool", "ReduceMax", "ReduceMin"]);

/** Integers are computed by shape inference, which knows their arithmetic, or only moved. */
function withIntegers(
  arithmetic: Rules<Forms>,
  movers: Rules<Forms>,
  types: ReturnType<typeof inferTypes>,
): Rules<Forms> {
  const guarded = Object.entries(arithmetic).map(([op, rule]) => {
    const own = rule as Rule<Forms, OperatorName>;
    const checked: typeof own = (inputs, attributes, node) => {
      const known = types.get(node.outputs[0]!);
      if (!known || /^b?float/.test(known.type)) return own(inputs, attributes, node);
      if (known.value) return liftWeight(known.value);
      if (comparing.has(op)) return own(inputs, attributes, node);
      throw new GraphError(`${describe(node)}: the regions pass cannot compute with ${known.type}`);
    };
    return [op, checked];
  });
  return { ...(Object.fromEntries(guarded) as Rules<Forms>), ...movers };
}

/** The inputs as slots, one a number, in their order; and how many there are. */
export function inputForms(shapes: readonly InputShape[]) {
  const inputs = new Map<string, Forms>();
  let count = 0;
  for (const { name, dims } of shapes) {
    const first = count;
    count += elementCount(dims);
    inputs.set(
      name,
      slotForms(
        dims,
        Int32Array.from({ length: count - first }, (_, k) => first + k),
      ),
    );
  }
  return { inputs, count };
}

/** `y` for an output of one number, `Y[3]` for the fourth number of a longer one. */
export const elementNames = (name: string, count: number): readonly string[] =>
  count === 1 ? [name] : Array.from({ length: count }, (_, k) => `${name}[${k}]`);

/** All outputs of a graph as rows, one after the other, with a name for each. */
export function outputRows(graph: Graph, values: ReadonlyMap<string, Forms>) {
  const rows = new RowWriter();
  const outputNames: string[] = [];
  for (const { name } of graph.outputs) {
    const forms = values.get(name);
    if (!forms) throw new GraphError(`output "${name}" is not computed by the graph`);
    const count = rowCount(forms);
    for (let k = 0; k < count; k++) {
      rows.add(forms, k, 1);
      rows.endRow();
    }
    for (const element of elementNames(name, count)) outputNames.push(element);
  }
  const outputs = rows.forms([outputNames.length]);
  checkFinite(outputs, `output "${graph.outputs[0]?.name}"`);
  return { outputs, outputNames };
}

/** The shape of an output of a node, in numbers. */
export function numericDims(types: ReturnType<typeof inferTypes>, node: Node, k: number): readonly number[] {
  const shape = types.get(node.outputs[k]!)?.shape;
  if (!shape?.every((d) => typeof d === "number"))
    throw new GraphError(`the shape of the output of ${describe(node)} is not known before the run`);
  return shape as readonly number[];
}
