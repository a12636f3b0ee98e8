// Where two graphs part: the values of nodes that correspond, on the same inputs.
import { EngineError } from "../../engine/error.ts";
import { run } from "../../engine/run.ts";
import { GraphError } from "../../graph/error.ts";
import { describe, type Graph, type Node } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { elementCount, isFloat, numbers, type Tensor } from "../../graph/tensor.ts";
import { inputShapes } from "../../passes/affine/compile.ts";
import type { LayerSymmetry } from "./pairing-symmetry.ts";
import { inputTensors } from "./replay.ts";
import { type UnitOrder, unitOrders } from "./unit-orders.ts";

/** Values agree where |second - first| <= atol + rtol |first|. */
export interface Closeness {
  readonly atol: number;
  readonly rtol: number;
}

/** The greatest differences of a node's values over all inputs that were tried. */
export interface NodeDifference {
  readonly first: string;
  readonly second: string;
  readonly difference: number;
  /** The greatest |value| of the first graph's node. */
  readonly scale: number;
  /** The least atol for this rtol, and the least rtol for this atol, with which the values would agree. */
  readonly leastAtol: number;
  readonly leastRtol: number;
  readonly agrees: boolean;
  readonly isOutput: boolean;
}

interface Traced {
  readonly node: Node;
  readonly value: string;
  readonly dims: readonly (number | string | undefined)[];
}

/** The floating-point values of nodes, in their order. */
function tracedValues(graph: Graph): readonly Traced[] {
  const inputs = new Map(
    inputShapes(graph).map(({ name, type, dims }) => [name, { type: type.type, shape: dims }]),
  );
  const types = inferTypes(graph, { inputs });
  return graph.nodes.flatMap((node) => {
    const value = node.outputs[0];
    const type = value === undefined ? undefined : types.get(value);
    return value && type && isFloat(type.type) && type.shape ? [{ node, value, dims: type.shape }] : [];
  });
}

/** The graph with these values as its outputs; those that it has already stay as they are. */
function exposing(graph: Graph, traced: readonly Traced[]): Graph {
  const declared = new Set(graph.outputs.map(({ name }) => name));
  const types = inferTypes(graph, {});
  const more = traced.flatMap(({ value }) => {
    const type = types.get(value);
    return declared.has(value) || !type ? [] : [{ name: value, type: { ...type, shape: undefined } }];
  });
  return { ...graph, outputs: [...graph.outputs, ...more] } as Graph;
}

const kin = (a: Traced, b: Traced): boolean =>
  a.node.op === b.node.op && a.dims.length === b.dims.length && a.dims.every((d, k) => d === b.dims[k]);

/** A longest sequence of nodes of both with the same operators and shapes, in their order; outputs with outputs. */
function aligned(a: readonly Traced[], b: readonly Traced[]): readonly (readonly [Traced, Traced])[] {
  const best = Array.from({ length: a.length + 1 }, () => new Int32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i]![j] = kin(a[i]!, b[j]!)
        ? best[i + 1]![j + 1]! + 1
        : Math.max(best[i + 1]![j]!, best[i]![j + 1]!);
  const pairs: (readonly [Traced, Traced])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; )
    if (kin(a[i]!, b[j]!)) pairs.push([a[i++]!, b[j++]!]);
    else if (best[i + 1]![j]! >= best[i]![j + 1]!) i++;
    else j++;
  return pairs;
}

interface Running {
  readonly first: string;
  readonly second: string;
  readonly label: readonly [string, string];
  readonly isOutput: boolean;
  difference: number;
  scale: number;
  leastAtol: number;
  leastRtol: number;
}

function take(row: Running, a: Tensor, b: Tensor, { atol, rtol }: Closeness, order?: UnitOrder): void {
  const [x, y] = [numbers(a), numbers(b)];
  for (let k = 0; k < y.length; k++) {
    const from = order ? order.from[k]! : k;
    if (from < 0) continue;
    // In the first graph's scale and sign.
    const u = Number(x[from]);
    const v = (Number(y[k]) - (order?.offset?.[k] ?? 0)) / (order?.factor?.[k] ?? 1);
    const found = u === v || (Number.isNaN(u) && Number.isNaN(v)) ? 0 : Math.abs(v - u);
    const gap = Number.isNaN(found) ? Number.POSITIVE_INFINITY : found;
    row.difference = Math.max(row.difference, gap);
    row.scale = Math.max(row.scale, Math.abs(u) || 0);
    row.leastAtol = Math.max(row.leastAtol, gap - rtol * Math.abs(u));
    if (gap > atol)
      row.leastRtol = Math.max(
        row.leastRtol,
        u === 0 ? Number.POSITIVE_INFINITY : (gap - atol) / Math.abs(u),
      );
  }
}

export interface NodeOptions {
  /** Units of the second graph in another order, scale or sign, by their layers: compared with those that they stand for. */
  readonly symmetry?: readonly LayerSymmetry[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

const sameSize = (a: Tensor, b: Tensor): boolean => elementCount(a.dims) === elementCount(b.dims);

/**
 * The differences of corresponding nodes over points (flat inputs), in the first graph's order, outputs last; undefined
 * where the graphs cannot be run with all their values shown.
 */
export async function nodeDifferences(
  a: Graph,
  b: Graph,
  points: readonly ArrayLike<number>[],
  close: Closeness,
  { symmetry = [], signal }: NodeOptions = {},
): Promise<readonly NodeDifference[] | undefined> {
  try {
    const isInner = (graph: Graph) => (t: Traced) => !graph.outputs.some(({ name }) => name === t.value);
    const [left, right] = [tracedValues(a), tracedValues(b)];
    const inner = aligned(left.filter(isInner(a)), right.filter(isInner(b)));
    const rows: Running[] = inner.map(([p, q]) =>
      running(p.value, q.value, [describe(p.node), describe(q.node)], false),
    );
    a.outputs.forEach(({ name }, k) => {
      const other = b.outputs[k];
      if (other) rows.push(running(name, other.name, [`output "${name}"`, `output "${other.name}"`], true));
    });
    const dims = new Map(right.map((t) => [t.value, t.dims]));
    const orders = unitOrders(b, symmetry, (name) => dims.get(name));
    const shown = [exposing(a, left), exposing(b, right)] as const;
    for (const x of points) {
      signal?.throwIfAborted();
      const [values, others] = [
        await run(shown[0], inputTensors(a, x)),
        await run(shown[1], inputTensors(b, x)),
      ];
      for (const row of rows) {
        const [u, v] = [values[row.first], others[row.second]];
        const order = row.isOutput ? undefined : orders.get(row.second);
        const fits = order?.from.length === (v && elementCount(v.dims)) ? order : undefined;
        if (u && v && sameSize(u, v)) take(row, u, v, close, fits);
      }
    }
    return rows.map((row) => ({
      first: row.label[0],
      second: row.label[1],
      difference: row.difference,
      scale: row.scale,
      leastAtol: row.leastAtol,
      leastRtol: row.leastRtol,
      agrees: row.leastAtol <= close.atol,
      isOutput: row.isOutput,
    }));
  } catch (error) {
    if (error instanceof GraphError || error instanceof EngineError) return undefined;
    throw error;
  }
}

const running = (
  first: string,
  second: string,
  label: readonly [string, string],
  isOutput: boolean,
): Running => ({
  first,
  second,
  label,
  isOutput,
  difference: 0,
  scale: 0,
  leastAtol: 0,
  leastRtol: 0,
});
