// Piecewise-linear operators: each kink becomes a unit.

import { broadcastPositions } from "../../graph/elements/positions.ts";
import { windowAxes, windowTaps } from "../../graph/elements/windows.ts";
import { GraphError } from "../../graph/error.ts";
import { describe, type Node } from "../../graph/graph.ts";
import type { WindowAttributes } from "../../graph/operators/window.ts";
import { elementCount } from "../../graph/tensor.ts";
import type { Rules } from "../pass.ts";
import { groupSums, numbersOf, type RuleContext, reductionGroups, sizeOf } from "./affine-rules.ts";
import { constantForms, type Forms, RowWriter, rowCount, select } from "./forms.ts";

/** min(high, max(low, x)) = low + relu(x - low) - relu(x - high). */
function clipped(context: RuleContext, x: Forms, low: number, high: number, node: Node): Forms {
  if (low > high) return constantForms(x.dims, new Float64Array(rowCount(x)).fill(high));
  const { program } = context;
  const count = rowCount(x);
  const from = (bound: number) =>
    program.hinge(
      program.combine([x], x.dims, describe(node), (rows, [terms]) => {
        for (let k = 0; k < count; k++) {
          rows.add(terms!, k, 1);
          rows.shift(-bound);
          rows.endRow();
        }
      }),
      () => [0, 1],
      describe(node),
    );
  const lower = low === Number.NEGATIVE_INFINITY ? x : from(low);
  const upper = high === Number.POSITIVE_INFINITY ? undefined : from(high);
  return program.combine(
    upper ? [lower, upper] : [lower],
    x.dims,
    describe(node),
    (rows, [above, beyond]) => {
      for (let k = 0; k < count; k++) {
        rows.add(above!, k, 1);
        if (Number.isFinite(low)) rows.shift(low);
        if (beyond) rows.add(beyond, k, -1);
        rows.endRow();
      }
    },
  );
}

/** The greatest or least of several tensors, element by element. */
function extreme(context: RuleContext, inputs: readonly Forms[], sign: 1 | -1, node: Node): Forms {
  const dims = context.dims(node);
  const count = elementCount(dims);
  const rows = new RowWriter();
  for (const x of inputs) {
    for (const position of broadcastPositions(x.dims, dims)) {
      rows.add(x, position, 1);
      rows.endRow();
    }
  }
  const groups = Array.from({ length: count }, (_, k) => inputs.map((_, n) => n * count + k));
  return context.program.extreme(rows.forms([inputs.length * count]), groups, dims, sign, describe(node));
}

interface PoolAttributes extends WindowAttributes {
  readonly kernel_shape: readonly number[];
}

/** For each output element of a pooling, the input elements of its window, and how many the padding adds. */
function pools(x: Forms, attributes: PoolAttributes, dims: readonly number[]) {
  const sizes = x.dims.slice(2);
  const taps = windowTaps(windowAxes(sizes, attributes.kernel_shape, dims.slice(2), attributes));
  const area = elementCount(sizes);
  const planes = x.dims[0]! * x.dims[1]!;
  return Array.from({ length: planes * taps.length }, (_, k) => {
    const [plane, window] = [Math.floor(k / taps.length), taps[k % taps.length]!];
    const inside = window.filter((t) => t.input >= 0).map((t) => plane * area + t.input);
    return { inside, padding: window.length - inside.length };
  });
}

const wholeGroups = (x: Forms): number[][] => {
  const area = elementCount(x.dims.slice(2));
  return Array.from({ length: x.dims[0]! * x.dims[1]! }, (_, plane) =>
    Array.from({ length: area }, (_, k) => plane * area + k),
  );
};

/** Each piecewise-linear operator's rule. */
export const kinkRules = (context: RuleContext): Rules<Forms> => {
  const { program, dims } = context;
  const reduce =
    (sign: 1 | -1) =>
    (
      [x, axes]: readonly (Forms | undefined)[],
      { noop_with_empty_axes }: { readonly noop_with_empty_axes: number },
      node: Node,
    ): Forms =>
      program.extreme(
        x!,
        reductionGroups(x!, axes, noop_with_empty_axes === 1, node),
        dims(node),
        sign,
        describe(node),
      );
  return {
    Relu: ([x], _, node) => program.hinge(x!, () => [0, 1], describe(node)),
    LeakyRelu: ([x], { alpha }, node) => program.hinge(x!, () => [alpha, 1], describe(node)),
    PRelu: ([x, slope], _, node) => {
      numbersOf(slope, node, "its slope");
      const slopes = select(slope!, broadcastPositions(slope!.dims, x!.dims), x!.dims).constants;
      return program.hinge(x!, (k) => [slopes[k]!, 1], describe(node));
    },
    Abs: ([x], _, node) => program.hinge(x!, () => [-1, 1], describe(node)),
    Clip: ([x, low, high], _, node) =>
      clipped(
        context,
        x!,
        low ? numbersOf(low, node, "its least value")[0]! : Number.NEGATIVE_INFINITY,
        high ? numbersOf(high, node, "its greatest value")[0]! : Number.POSITIVE_INFINITY,
        node,
      ),
    HardSigmoid: ([x], { alpha, beta }, node) => {
      const line = program.combine([x!], x!.dims, describe(node), (rows, [terms]) => {
        for (let k = 0; k < rowCount(x!); k++) {
          rows.add(terms!, k, alpha);
          rows.shift(beta);
          rows.endRow();
        }
      });
      return clipped(context, line, 0, 1, node);
    },
    Max: (inputs, _, node) => extreme(context, inputs as readonly Forms[], 1, node),
    Min: (inputs, _, node) => extreme(context, inputs as readonly Forms[], -1, node),
    ReduceMax: reduce(1),
    ReduceMin: reduce(-1),
    MaxPool: ([x], attributes, node) => {
      if (node.outputs[1])
        throw new GraphError(`${describe(node)}: the regions pass cannot follow positions of maxima`);
      const groups = pools(x!, attributes, dims(node)).map((p) => p.inside);
      return program.extreme(x!, groups, dims(node), 1, describe(node));
    },
    GlobalMaxPool: ([x], _, node) => program.extreme(x!, wholeGroups(x!), dims(node), 1, describe(node)),
    AveragePool: ([x], attributes, node) => {
      const windows = pools(x!, attributes, dims(node));
      const count = (k: number) =>
        windows[k]!.inside.length + (attributes.count_include_pad ? windows[k]!.padding : 0);
      return groupSums(
        context,
        x!,
        windows.map((w) => w.inside),
        (_, k) => 1 / count(k),
        node,
      );
    },
    GlobalAveragePool: ([x], _, node) =>
      groupSums(context, x!, wholeGroups(x!), (g) => 1 / sizeOf(g, node), node),
  };
};
