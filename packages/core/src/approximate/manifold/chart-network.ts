// A ReLU network for a function on a curve in R^d: linear charts, an exact partition of unity by telescoping, splines in
// the charts, and products to glue them. Only the first layer knows d.

import { ConstructError } from "../../functions/error.ts";
import type { Graph } from "../../graph/graph.ts";
import { affine, compose, parallel } from "../../networks/calculus/calculus.ts";
import type { Layer } from "../../networks/layers/layered.ts";
import { layersOf, network, sparseLayer } from "../../networks/layers/layers.ts";
import { multiplication, multiplicationError } from "../../networks/product/product.ts";
import { uniformKnots } from "../../networks/spline/knots.ts";
import { spline } from "../../networks/spline/spline.ts";
import type { CurveChart } from "./charts.ts";

export interface ChartOptions {
  /** Where a chart counts fully, and where it ends. */
  readonly inner: number;
  readonly outer: number;
  /** Pieces of the spline in each chart. */
  readonly cells: number;
  /** Levels of the products. */
  readonly levels: number;
  /** sup |g|. */
  readonly bound: number;
  /** At how many charts at most a point of the curve is nearer than `outer`. */
  readonly overlap: number;
}

export interface ChartNetwork {
  readonly network: Graph;
  /** x -> (phi_1(x), ..., phi_p(x)): nonnegative, with sum 1 wherever a chart counts fully. */
  readonly partition: Graph;
  /** h^2 / 8 sup |f''| + overlap B^2 4^-(levels + 1): the error on the curve, in real arithmetic. */
  readonly error: number;
}

type Entry = readonly [number, number, number];

/**
 * sum_i phi_i (x) f_i(<V_i, x - c_i>), with t_i = clip((outer - D_i) / (outer - inner)), D_i = sum_k |<e_k, x - c_i>|,
 * T_i = t_1 + ... + t_i and phi_i = min(1, T_i) - min(1, T_(i-1)).
 */
export function chartNetwork(charts: readonly CurveChart[], options: ChartOptions): ChartNetwork {
  const { cells, levels, bound, overlap } = options;
  if (charts.length === 0) throw new ConstructError("a network of charts needs a chart");
  if (!(bound > 0)) throw new ConstructError(`the bound on the function is a positive number, not ${bound}`);
  const splines = charts.map((chart) => chartSpline(chart, cells));
  const first = coordinates(charts);
  const second = bumpsAndBends(charts, splines, options);
  const third = sumsAndValues(charts.length, splines, bound);
  const p = charts.length;
  const pairs = pairsOf(p, bound);
  const products = parallel(...charts.map(() => multiplication(levels, { bound: Math.max(1, bound) })));
  const total = affine([new Array<number>(p).fill(1)]);
  const features = network([first, second, third, pairs], { name: "charts" });
  const width = charts.reduce((most, { reach }) => Math.max(most, (2 * reach) / cells), 0);
  const curvature = charts.reduce((most, { second: s }) => Math.max(most, s), 0);
  const { error } = multiplicationError(levels, { bound: Math.max(1, bound) });
  return {
    network: compose(compose(total, products), features),
    partition: network([first, second, third, onlyPartition(pairs)], { name: "partition" }),
    error: (width ** 2 / 8) * curvature + overlap * error,
  };
}

interface ChartSpline {
  /** Bends, changes of slope, and the value left of all bends. */
  readonly knots: readonly number[];
  readonly changes: readonly number[];
  readonly start: number;
}

/** The interpolant on [-reach, reach], constant beyond: a bend more than `spline` has, at the right end. */
function chartSpline({ local, reach }: CurveChart, cells: number): ChartSpline {
  const knots = uniformKnots([-reach, reach], cells);
  const [bends, output] = layersOf(spline(knots, knots.map(local))).layers as readonly [Layer, Layer];
  const changes = new Array<number>(bends.bias.length).fill(0);
  output.weights.columnOf.forEach((j, k) => {
    changes[j] = output.weights.values[k]!;
  });
  return {
    knots,
    changes: [...changes, -changes.reduce((a, b) => a + b, 0)],
    start: output.bias[0]!,
  };
}

/** Layer 1: relu(+-<e_k, x - c_i>), in the order of charts, vectors and signs. */
function coordinates(charts: readonly CurveChart[]): Layer {
  const d = charts[0]!.centre.length;
  const rows = charts.flatMap(({ frame, centre }) =>
    frame.flatMap((e) => {
      const offset = e.reduce((s, x, c) => s + x * centre[c]!, 0);
      return [
        { weights: e, bias: -offset },
        { weights: e.map((x) => 0 - x), bias: offset },
      ];
    }),
  );
  return sparseLayer(
    rows.length,
    d,
    rows.flatMap(({ weights }, r): Entry[] =>
      Array.from(weights, (w, c): Entry => [r, c, w]).filter(([, , w]) => w !== 0),
    ),
    rows.map(({ bias }) => bias),
  );
}

/** Layer 2, for each chart: relu(s) and relu(s - 1), s = (outer - D) / (outer - inner); then relu(u - knot) for each knot. */
function bumpsAndBends(
  charts: readonly CurveChart[],
  splines: readonly ChartSpline[],
  { inner, outer }: ChartOptions,
): Layer {
  const steep = 1 / (outer - inner);
  const [entries, bias]: [Entry[], number[]] = [[], []];
  let column = 0;
  charts.forEach(({ frame }, i) => {
    const units = 2 * frame.length;
    for (const shift of [0, 1]) {
      for (let k = 0; k < units; k++) entries.push([bias.length, column + k, -steep]);
      bias.push(outer * steep - shift);
    }
    for (const knot of splines[i]!.knots) {
      // The tangent comes first in the frame: u = relu(u) - relu(-u).
      entries.push([bias.length, column, 1], [bias.length, column + 1, -1]);
      bias.push(-knot);
    }
    column += units;
  });
  return sparseLayer(bias.length, column, entries, bias);
}

/** Layer 3: relu(1 - T_i) for each chart, then relu(f_i + B), which is f_i + B. */
function sumsAndValues(p: number, splines: readonly ChartSpline[], bound: number): Layer {
  const starts = [0];
  for (const { knots } of splines) starts.push(starts.at(-1)! + 2 + knots.length);
  const entries: Entry[] = [];
  for (let i = 0; i < p; i++) {
    for (let j = 0; j <= i; j++) entries.push([i, starts[j]!, -1], [i, starts[j]! + 1, 1]);
    splines[i]!.changes.forEach((v, k) => {
      entries.push([p + i, starts[i]! + 2 + k, v]);
    });
  }
  const bias = [...new Array<number>(p).fill(1), ...splines.map(({ start }) => start + bound)];
  return sparseLayer(2 * p, starts[p]!, entries, bias);
}

/** (phi_1, f_1, phi_2, f_2, ...): phi_i = relu(1 - T_(i-1)) - relu(1 - T_i), the first from 1. */
function pairsOf(p: number, bound: number): Layer {
  const entries: Entry[] = [];
  const bias: number[] = [];
  for (let i = 0; i < p; i++) {
    if (i > 0) entries.push([2 * i, i - 1, 1]);
    entries.push([2 * i, i, -1], [2 * i + 1, p + i, 1]);
    bias.push(i === 0 ? 1 : 0, -bound);
  }
  return sparseLayer(2 * p, 2 * p, entries, bias);
}

/** The even rows. */
function onlyPartition({ weights, bias }: Layer): Layer {
  const entries: Entry[] = [];
  for (let r = 0; r < weights.rows; r += 2)
    for (let k = weights.starts[r]!; k < weights.starts[r + 1]!; k++)
      entries.push([r / 2, weights.columnOf[k]!, weights.values[k]!]);
  return sparseLayer(
    weights.rows / 2,
    weights.columns,
    entries,
    bias.filter((_, r) => r % 2 === 0),
  );
}
