// From a graph to the layers that the relaxation reads. The affine part is that of the regions pass; what is added here
// are curves, and care for rounded weights: each stored weight is exact or off by one relative rounding (`rounding.ts`).
import { mul } from "../../engine/exact.ts";
import { GraphError } from "../../graph/error.ts";
import { describe, type Graph, type Node } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { elementCount } from "../../graph/tensor.ts";
import { forwardPass, type Rules } from "../pass.ts";
import { affineRules, numbersOf, type RuleContext, scaled } from "../regions/affine-rules.ts";
import { inputShapes } from "../regions/compile.ts";
import {
  constantForms,
  type Forms,
  isConstant,
  liftWeight,
  RowWriter,
  rowCount,
  slotForms,
} from "../regions/forms.ts";
import { kinkRules } from "../regions/kink-rules.ts";
import { moverRules } from "../regions/mover-rules.ts";
import { checkFinite, ProgramWriter } from "../regions/program.ts";
import {
  arctangent,
  type Curve,
  clip,
  elu,
  exponential,
  hyperbolicTangent,
  sigmoid,
  softplus,
  softsign,
} from "./curves.ts";
import { type Layer, layerOf, type Network } from "./network.ts";

class RelaxationWriter extends ProgramWriter {
  readonly curves = new Map<number, Curve>();

  /** Linear combinations with exact weights: where merging terms would round, the inputs get slots of their own. */
  override combine(
    inputs: readonly Forms[],
    dims: readonly number[],
    node: string,
    write: (rows: RowWriter, inputs: readonly Forms[]) => void,
  ): Forms {
    const attempts = [
      (x: Forms) => x,
      (x: Forms) => this.materialize(x, node),
      (x: Forms) => this.apart(x, node),
    ];
    for (const attempt of attempts) {
      const rows = new RowWriter();
      write(rows, inputs.map(attempt));
      if (rows.exact) return rows.forms(dims);
      if (inputs.every(isConstant)) break;
    }
    throw new GraphError(`${node}: its constants cannot be combined without rounding`);
  }

  /** The same numbers in slots that nothing else reads: an activation of slope 1. */
  apart(x: Forms, node: string): Forms {
    return isConstant(x) ? x : this.hinge(x, () => [1, 1], node);
  }

  curve(x: Forms, curve: Curve, node: string): Forms {
    if (isConstant(x)) throw new GraphError(`${node}: its input is a constant; fold it first`);
    const result = this.hinge(x, () => [0, 1], node);
    this.curves.set(this.stages.length - 1, curve);
    return result;
  }
}

type Context = RuleContext & { readonly program: RelaxationWriter };
type RuleOf<K extends keyof Rules<Forms>> = NonNullable<Rules<Forms>[K]>;

/** A rule whose weights are rounded once; its results get slots, so that no later cancellation magnifies the error. */
const settled =
  <Arguments extends readonly [...unknown[], Node]>(
    { program }: Context,
    rule: (...given: Arguments) => Forms | readonly Forms[],
  ) =>
  (...given: Arguments): Forms =>
    program.materialize(rule(...given) as Forms, describe(given.at(-1) as Node));

/** scale (x - mean) / sqrt(variance + epsilon) + bias, so that only the factor is rounded. */
function normalized(
  context: Context,
  inputs: readonly (Forms | undefined)[],
  epsilon: number,
  node: Node,
): Forms {
  const x = inputs[0]!;
  const name = describe(node);
  const [scale, bias, mean, variance] = ["scale", "bias", "mean", "variance"].map((what, k) =>
    numbersOf(inputs[k + 1], node, `its ${what}`),
  );
  const step = x.dims.slice(2).reduce((n, d) => n * d, 1);
  const channel = (k: number): number => Math.floor(k / step) % x.dims[1]!;
  const shifted = (terms: Forms, by: (channel: number) => number) =>
    context.program.combine([terms], x.dims, name, (rows, [form]) => {
      for (let k = 0; k < rowCount(x); k++) {
        rows.add(form!, k, 1);
        rows.shift(by(channel(k)));
        rows.endRow();
      }
    });
  const factors = Float64Array.from({ length: rowCount(x) }, (_, k) => {
    const c = channel(k);
    return scale![c]! / Math.sqrt(variance![c]! + epsilon);
  });
  const centred = shifted(x, (c) => -mean![c]!);
  const product = context.program.materialize(scaled(context, centred, factors, node), name);
  return shifted(product, (c) => bias![c]!);
}

function gemm(
  context: Context,
  affine: Rules<Forms>,
  ...[inputs, attributes, node]: Parameters<RuleOf<"Gemm">>
) {
  const [a, b, bias] = inputs;
  const { alpha, beta } = attributes;
  const name = describe(node);
  const factors = (x: Forms, factor: number) => new Float64Array(rowCount(x)).fill(factor);
  const plain = affine.Gemm!([a, b], { ...attributes, alpha: 1, beta: 1 }, node) as Forms;
  const product = alpha === 1 ? plain : scaled(context, plain, factors(plain, alpha), node);
  if (!bias || beta === 0) return product;
  if (beta === 1) return affine.Add!([product, bias], {}, node) as Forms;
  const rounded = constantForms(
    bias.dims,
    numbersOf(bias, node, "its bias").map((c) => beta * c),
  );
  return context.program.materialize(
    affine.Add!([context.program.materialize(product, name), rounded], {}, node) as Forms,
    name,
  );
}

/** x / d by 1 / d, rounded; numbers by numbers only where the quotients are doubles. */
function quotient(
  context: Context,
  affine: Rules<Forms>,
  ...[[x, y], none, node]: Parameters<RuleOf<"Div">>
) {
  const divisors = numbersOf(y, node, "its divisor");
  if (divisors.some((d) => d === 0)) throw new GraphError(`${describe(node)}: division by 0`);
  if (!isConstant(x!)) {
    const product = affine.Mul!([x, { ...y!, constants: divisors.map((d) => 1 / d) }], none, node) as Forms;
    return context.program.materialize(product, describe(node));
  }
  if (divisors.some((d) => mul(d, 1 / d) !== 1))
    throw new GraphError(`${describe(node)}: its constants cannot be combined without rounding`);
  return affine.Div!([x, y], none, node) as Forms;
}

function clipped(context: Context, ...[[x, low, high], , node]: Parameters<RuleOf<"Clip">>): Forms {
  const least = low ? numbersOf(low, node, "its least value")[0]! : Number.NEGATIVE_INFINITY;
  const greatest = high ? numbersOf(high, node, "its greatest value")[0]! : Number.POSITIVE_INFINITY;
  if (isConstant(x!))
    return constantForms(
      x!.dims,
      x!.constants.map((c) => Math.min(greatest, Math.max(least, c))),
    );
  if (least > greatest) return constantForms(x!.dims, new Float64Array(rowCount(x!)).fill(greatest));
  if (least === Number.NEGATIVE_INFINITY && greatest === Number.POSITIVE_INFINITY) return x!;
  return context.program.curve(x!, clip(least, greatest), describe(node));
}

/** A curve for each row. */
function curveRules({ program }: Context): Rules<Forms> {
  const curve =
    (f: Curve) =>
    ([x]: readonly (Forms | undefined)[], _: unknown, node: Node): Forms =>
      program.curve(x!, f, describe(node));
  return {
    Sigmoid: curve(sigmoid),
    Tanh: curve(hyperbolicTangent),
    Exp: curve(exponential),
    Softplus: curve(softplus),
    Softsign: curve(softsign),
    Atan: curve(arctangent),
    Elu: ([x], { alpha }, node) => {
      if (!(alpha >= 0 && alpha <= 1))
        throw new GraphError(`${describe(node)}: alpha must be between 0 and 1`);
      return program.curve(x!, elu(alpha), describe(node));
    },
    HardSigmoid: ([x], { alpha, beta }, node) => {
      const line = program.combine([x!], x!.dims, describe(node), (rows, [terms]) => {
        for (let k = 0; k < rowCount(x!); k++) {
          rows.add(terms!, k, alpha);
          rows.shift(beta);
          rows.endRow();
        }
      });
      return program.curve(line, clip(0, 1), describe(node));
    },
  };
}

/** The rules of this pass: those of the regions pass, with rounded factors settled, and curves. */
function relaxationRules(context: Context): Rules<Forms> {
  const [affine, kinks] = [affineRules(context), kinkRules(context)];
  const sum = (inputs: readonly (Forms | undefined)[], node: Node): Forms =>
    inputs.reduce((total, x) => affine.Add!([total, x], {}, node) as Forms)!;
  return {
    ...affine,
    ...moverRules(context),
    ...kinks,
    ...curveRules(context),
    Sum: (inputs, _, node) => sum(inputs, node),
    Mean: settled(context, (inputs, _, node) => {
      const total = sum(inputs, node);
      return scaled(context, total, new Float64Array(rowCount(total)).fill(1 / inputs.length), node);
    }) as RuleOf<"Mean">,
    Div: (inputs, none, node) => quotient(context, affine, inputs, none, node),
    Gemm: (inputs, attributes, node) => gemm(context, affine, inputs, attributes, node),
    BatchNormalization: (inputs, { epsilon, training_mode }, node) => {
      if (training_mode) throw new GraphError(`${describe(node)} is in training mode`);
      return normalized(context, inputs, epsilon, node);
    },
    ReduceMean: settled(context, affine.ReduceMean!),
    AveragePool: settled(context, kinks.AveragePool!),
    GlobalAveragePool: settled(context, kinks.GlobalAveragePool!),
    Clip: (...given) => clipped(context, ...given),
  };
}

function numericDims(types: ReturnType<typeof inferTypes>, node: Node, k: number): readonly number[] {
  const shape = types.get(node.outputs[k]!)?.shape;
  if (!shape?.every((d) => typeof d === "number"))
    throw new GraphError(`the shape of the output of ${describe(node)} is not known before the run`);
  return shape as readonly number[];
}

/** The layers of a graph of affine operators, kinks, maxima and curves; an error names the node that is none of these. */
export function lowerNetwork(graph: Graph): Network {
  const shapes = inputShapes(graph);
  const types = inferTypes(graph, {
    inputs: new Map(shapes.map(({ name, type, dims }) => [name, { type: type.type, shape: dims }])),
  });
  const inputs = new Map<string, Forms>();
  let first = 0;
  for (const { name, dims } of shapes) {
    const count = elementCount(dims);
    const slots = Int32Array.from({ length: count }, (_, k) => first + k);
    inputs.set(name, slotForms(dims, slots));
    first += count;
  }
  const program = new RelaxationWriter(first);
  const context: Context = { program, dims: (node, k = 0) => numericDims(types, node, k) };
  const values = forwardPass("linear bounds", relaxationRules(context), liftWeight)(graph, inputs);
  const layers: Layer[] = [];
  let rows = 0;
  program.stages.forEach((stage, k) => {
    const curve = program.curves.get(k);
    layers.push(layerOf(stage, curve ? "curve" : stage.kind, rows, curve));
    rows += stage.rows.constants.length;
  });
  const { forms, outputNames } = outputRows(graph, values);
  const last = { rows: forms, units: rowCount(forms), firstSlot: program.slots, node: "the outputs" };
  const none = new Float64Array(0);
  layers.push(layerOf({ ...last, below: none, above: none, groups: new Int32Array(0) }, "linear", rows));
  return {
    inputs: first,
    slots: program.slots + last.units,
    rows: rows + last.units,
    layers,
    firstOutput: program.slots,
    outputNames,
  };
}

function outputRows(graph: Graph, values: ReadonlyMap<string, Forms>) {
  const outputs = new RowWriter();
  const outputNames: string[] = [];
  for (const { name } of graph.outputs) {
    const forms = values.get(name);
    if (!forms) throw new GraphError(`output "${name}" is not computed by the graph`);
    const count = rowCount(forms);
    for (let k = 0; k < count; k++) {
      outputs.add(forms, k, 1);
      outputs.endRow();
      outputNames.push(count === 1 ? name : `${name}[${k}]`);
    }
  }
  const forms = outputs.forms([outputNames.length]);
  checkFinite(forms, `output "${graph.outputs[0]?.name}"`);
  return { forms, outputNames };
}
