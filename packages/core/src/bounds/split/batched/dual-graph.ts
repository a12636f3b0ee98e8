// One step of the ascent of `neuron-bounds.ts` for many parts at a time, as a graph: matrix products and convolutions of the
// network's own, forwards and backwards, in its own element type. What it computes guides a search and proves nothing: every
// bound that counts is computed again by `NeuronBounder`, which rounds outward.
import { Builder } from "../../../graph/builder.ts";
import { finish } from "../../../graph/finish.ts";
import type { Graph, Node } from "../../../graph/graph.ts";
import { prune } from "../../../graph/prune.ts";
import { tensor } from "../../../graph/tensor.ts";
import type { Types, Value, Values } from "../../../graph/value.ts";
import { inputShapes } from "../../../passes/affine/compile.ts";
import { backwardPass } from "../../../passes/backward.ts";
import { expand } from "../../../passes/gradient/expand.ts";
import { rules } from "../../../passes/gradient/rules.ts";
import { fullLike, reshapeLike, zerosLike } from "../../../passes/gradient/shapes.ts";
import type { Network } from "../../linear/network.ts";
import { batchedGraph } from "../../query/batched.ts";

/** A layer of bends: the node that they come from, where its units begin among all bends, and how many there are. */
export interface BentLayer {
  /** In the network. */
  readonly layer: number;
  readonly node: Node;
  readonly first: number;
  readonly units: number;
  /** The slope where the row is negative; it is 1 elsewhere. */
  readonly below: number;
}

export interface BentGraph {
  /** The network for `count` points at a time. */
  readonly graph: Graph;
  readonly type: "float32" | "float64";
  readonly layers: readonly BentLayer[];
  /** Units of all bent layers. */
  readonly units: number;
}

const mostBelow = 1;
/** More than any multiplier that makes sense. */
const unlimited = 1e30;

/** Nodes may have no names; what they give has. */
const keyOf = (node: Node): string => node.outputs[0]!;

/** undefined: the graph has bends that are no Relu or LeakyRelu, or cannot be written for many points. */
export function bentGraph(original: Graph, network: Network, count: number): BentGraph | undefined {
  const shapes = inputShapes(original);
  const type = shapes[0]?.type.type;
  if (type !== "float32" && type !== "float64") return undefined;
  if (shapes.some((shape) => shape.type.type !== type)) return undefined;
  const many = batchedGraph(original, count);
  if (!many) return undefined;
  const graph = expand(
    many,
    many.outputs.map(({ name }) => name),
    new Set(many.inputs.map(({ name }) => name)),
  );
  const nodes = graph.nodes.filter(({ op }) => op === "Relu" || op === "LeakyRelu");
  const layers: BentLayer[] = [];
  let first = 0;
  for (const [l, { kind, below, above, units }] of network.layers.entries()) {
    if (kind === "linear" || (kind === "hinge" && below.every((b, k) => b === above[k]))) continue;
    const node = nodes[layers.length];
    const slope = below[0]!;
    const isPlain = kind === "hinge" && below.every((b) => b === slope) && above.every((a) => a === 1);
    if (!node || !isPlain || !(slope < mostBelow)) return undefined;
    layers.push({ layer: l, node, first, units, below: slope });
    first += units;
  }
  return layers.length === nodes.length && first > 0 ? { graph, type, layers, units: first } : undefined;
}

/** What of the network the ascent bounds from below: combinations of its outputs, or of the rows of one bent layer. */
export type Objective = "outputs" | number;

export const adam = { mean: 0.6, size: 0.9, tiny: 1e-12 } as const;

/** The graph of one step; its inputs and outputs are those of `DualBatch`. */
export function dualStep(
  { graph, type, layers }: BentGraph,
  original: Graph,
  network: Network,
  count: number,
  objective: Objective,
): Graph {
  const active = objective === "outputs" ? layers : layers.slice(0, objective);
  const shapes = inputShapes(original);
  const of =
    objective === "outputs" ? graph.outputs.map(({ name }) => name) : [layers[objective]!.node.inputs[0]!];
  const width = objective === "outputs" ? network.outputNames.length : layers[objective]!.units;
  const used = active.reduce((n, layer) => n + layer.units, 0);
  const part = (n: number) => ({ type, shape: [count, n] }) as const;
  const one = { type, shape: [1] } as const;
  const types: Types = {
    seed: part(width),
    shift: part(1),
    lower: part(network.inputs),
    upper: part(network.inputs),
    rowLower: part(used),
    rowUpper: part(used),
    side: part(used),
    extra: part(used),
    // The last dual is the factor of the seed, which moves only where it has a reach.
    pullReach: part(1),
    dual: part(used + 1),
    mean: part(used + 1),
    size: part(used + 1),
    best: part(1),
    bestDual: part(used + 1),
    pace: one,
    meanScale: one,
    sizeScale: one,
  };
  const builder = new Builder();
  const body = (given: Values): Values => {
    const g = given as Values<keyof typeof types & string>;
    const asInputs = (x: Value): Values => {
      let first = 0;
      return Object.fromEntries(
        shapes.map(({ name, dims }) => {
          const size = dims.reduce((n, d) => n * d, 1);
          const own = shapes.length === 1 ? x : x.slice(1, first, first + size);
          first += size;
          return [name, own.reshape([count, ...dims.slice(1)])];
        }),
      );
    };
    const plain = builder.trace(graph, asInputs(g["lower"]!));
    // The lines of each layer: what is free has the dual as its lower slope, what is held has none and pays the dual.
    const lines = new Map(
      active.map((bent) => {
        const { node, first, units: n, below } = bent;
        const own = (x: Value) => x.slice(1, first, first + n);
        const [l, u, side, dual] = [
          own(g["rowLower"]!),
          own(g["rowUpper"]!),
          own(g["side"]!),
          own(g["dual"]!),
        ];
        const numeric = (x: Value): Value => x.cast(type);
        const isOpen = numeric(l.op("Less", [0])).mul(numeric(u.op("Greater", [0])));
        const held = side.abs().mul(isOpen);
        const free = isOpen.sub(held);
        // A stable unit has the slope of its side; one that is held that of the side where it is held.
        const onTop = numeric(l.op("GreaterOrEqual", [0])).add(side.relu().mul(isOpen));
        const fixed = onTop.mul(1 - below).add(below);
        const span = u.sub(l).max(1e-30);
        const chord = u.sub(l.mul(below)).div(span).mul(isOpen);
        const chordShift = u.sub(chord.mul(u)).relu();
        const straight = free.neg().add(1);
        const low = free.mul(dual).add(straight.mul(fixed));
        const high = free.mul(chord).add(straight.mul(fixed));
        const highShift = free.mul(chordShift);
        const factor = side.neg().mul(dual).mul(held).add(own(g["extra"]!));
        return [
          keyOf(node),
          { bent, low, high, highShift, factor, free, held, side, dual, l, u, isOpen },
        ] as const;
      }),
    );
    const back = new Map<string, { readonly g: Value; readonly isLow: Value }>();
    const flat = (x: Value, n: number) => x.reshape([count, n]);
    const walk = backwardPass(
      "lines",
      {
        ...rules,
        ...Object.fromEntries(
          (["Relu", "LeakyRelu"] as const).map((op) => [
            op,
            ({ node, g: coming, x: [x] }: Parameters<NonNullable<(typeof rules)["Relu"]>>[0]) => [
              () => {
                const line = lines.get(keyOf(node))!;
                const a = flat(coming, line.bent.units);
                const isLow = a.op("Greater", [0]);
                back.set(keyOf(node), { g: a, isLow });
                const slope = isLow.op("Where", [line.low, line.high]);
                return reshapeLike(a.mul(slope).add(line.factor), x);
              },
            ],
          ]),
        ),
      },
      {
        gather: (shares) =>
          shares.length === 2 ? shares[0]!.add(shares[1]!) : shares[0]!.op("Sum", shares.slice(1)),
        nothing: (output) => zerosLike(output),
      },
    );
    let at = 0;
    const pull = g["dual"]!.slice(1, used, used + 1);
    const seed = g["seed"]!.mul(pull);
    const seeds = of.map((name) => {
      const like = plain.get(name)!;
      const n = (like.type.shape as readonly number[]).slice(1).reduce((p, d) => p * d, 1);
      const own = of.length === 1 ? seed : seed.slice(1, at, at + n);
      at += n;
      return [name, reshapeLike(own, like)] as const;
    });
    const upTo: Graph = objective === "outputs" ? graph : before(graph, layers[objective]!.node);
    // What is not read on the way from the objective has a multiplier all the same: its rows are walked from the last one.
    const wanted = shapes.map(({ name }) => name);
    const found = walk(upTo, plain, new Map(seeds), new Set(wanted));
    const coefficients = flatInputs(found, plain, wanted, count);
    const point = coefficients.op("Greater", [0]).op("Where", [g["lower"]!, g["upper"]!]);
    // Forwards with the lines that were chosen.
    const values = new Map<string, Value>(Object.entries(asInputs(point)));
    const rows = new Map<string, Value>();
    forward(builder, upTo, values, plain, (node, z) => {
      const line = lines.get(keyOf(node))!;
      const from = back.get(keyOf(node));
      const row = flat(z, line.bent.units);
      rows.set(keyOf(node), row);
      const slope = from ? from.isLow.op("Where", [line.low, line.high]) : line.low;
      const lift = from ? from.isLow.op("Where", [fullLike(line.highShift, 0), line.highShift]) : undefined;
      const y = row.mul(slope);
      return reshapeLike(lift ? y.add(lift) : y, z);
    });
    const parts = of.map((name) => values.get(name)!.reshape([count, -1]));
    const outputs = parts.length === 1 ? parts[0]! : parts[0]!.concat(parts.slice(1), 1);
    const pulled = outputs.mul(g["seed"]!).sum([1], 1).add(g["shift"]!);
    let bound = pulled.mul(pull);
    const slopes: Value[] = [];
    const reaches: Value[] = [];
    const scores: Value[] = [];
    for (const { node, units: n } of active) {
      const line = lines.get(keyOf(node))!;
      const row = rows.get(keyOf(node));
      const from = back.get(keyOf(node));
      if (!row || !from) {
        const none = fullLike(line.low, 0);
        slopes.push(none);
        reaches.push(none);
        scores.push(none);
        continue;
      }
      bound = bound.add(line.factor.mul(row).sum([1], 1));
      const positive = from.g.relu();
      slopes.push(positive.mul(row).mul(line.free).sub(line.side.mul(row).mul(line.held)));
      reaches.push(
        line.free.mul(range).add(line.held.mul(from.g.abs().mul(0.2).add(line.dual.mul(0.2)).add(1e-3))),
      );
      // What holding the unit could gain: what its lines give away at the least point, and a share of their gap.
      const real = row.max(row.mul(line.bent.below));
      const slope = from.isLow.op("Where", [line.low, line.high]);
      const lift = from.isLow.op("Where", [fullLike(line.highShift, 0), line.highShift]);
      const given = row.mul(slope).add(lift);
      const cheat = from.g.mul(real.sub(given)).relu();
      const gap = line.l
        .neg()
        .mul(line.u)
        .div(line.u.sub(line.l).max(1e-30))
        .mul(1 - line.bent.below);
      scores.push(cheat.add(from.g.abs().mul(gap).mul(gapShare)).mul(line.free).reshape([count, n]));
    }
    const join = (all: readonly Value[]): Value => {
      const full = all.map((x, k) => expandTo(x, [count, active[k]?.units ?? 1]));
      return full.length === 1 ? full[0]! : full[0]!.concat(full.slice(1), 1);
    };
    const isBetter = bound.op("Greater", [g["best"]!]);
    const slope = join([...slopes, pulled]);
    const mean = g["mean"]!.mul(adam.mean).add(slope.mul(1 - adam.mean));
    const size = g["size"]!.mul(adam.size).add(slope.mul(slope).mul(1 - adam.size));
    const way = mean.mul(g["meanScale"]!).div(size.mul(g["sizeScale"]!).sqrt().add(adam.tiny));
    const moved = g["dual"]!.add(way.mul(join([...reaches, g["pullReach"]!])).mul(g["pace"]!));
    const all = active.map(({ node }) => lines.get(keyOf(node))!);
    const lows = join([...all.map(({ free, bent }) => free.mul(bent.below)), fullLike(pull, 0)]);
    const most = all.map(({ free, held }) => free.add(held.mul(unlimited)));
    const highs = join([...most, fullLike(pull, unlimited)]);
    return {
      bound,
      nextBest: bound.max(g["best"]!),
      nextBestDual: isBetter.op("Where", [g["dual"]!, g["bestDual"]!]),
      nextDual: moved.max(lows).min(highs),
      nextMean: mean,
      nextSize: size,
      scores: join(scores),
      point,
    };
  };
  const result = finish(builder, types, body, { name: "dual step", nested: false });
  return prune({ ...result, opsets: graph.opsets, functions: graph.functions });
}

/** A slope moves by at most this share of its range, times the pace. */
const range = 0.5;
/** The share of the gap of the lines in a score. */
const gapShare = 0.3;

const expandTo = (x: Value, dims: readonly number[]): Value =>
  x.type.shape?.[0] === dims[0] ? x : x.op("Expand", [tensor([...dims], { type: "int64", dims: [2] })]);

/** The nodes before one. */
function before(graph: Graph, node: Node): Graph {
  const at = graph.nodes.findIndex(({ outputs }) => outputs[0] === node.outputs[0]);
  return { ...graph, nodes: graph.nodes.slice(0, at) };
}

function flatInputs(
  found: ReadonlyMap<string, Value>,
  values: ReadonlyMap<string, Value>,
  wanted: readonly string[],
  count: number,
): Value {
  const parts = wanted.map((name) => (found.get(name) ?? zerosLike(values.get(name)!)).reshape([count, -1]));
  return parts.length === 1 ? parts[0]! : parts[0]!.concat(parts.slice(1), 1);
}

/** Copies the nodes in once more, with bends as `bend` has them. */
function forward(
  builder: Builder,
  graph: Graph,
  values: Map<string, Value>,
  plain: ReadonlyMap<string, Value>,
  bend: (node: Node, z: Value) => Value,
): void {
  for (const name of graph.initializers.keys()) values.set(name, plain.get(name)!);
  for (const node of graph.nodes) {
    if (node.op === "Relu" || node.op === "LeakyRelu") {
      values.set(keyOf(node), bend(node, values.get(node.inputs[0]!)!));
      continue;
    }
    const single: Graph = {
      ...graph,
      inputs: node.inputs
        .filter((name) => name !== "")
        .map((name) => ({ name, type: values.get(name)!.type })),
      outputs: node.outputs
        .filter((name) => name !== "")
        .map((name) => ({ name, type: plain.get(name)!.type })),
      nodes: [node],
      initializers: new Map(),
    };
    const made = builder.trace(
      single,
      Object.fromEntries(node.inputs.flatMap((name) => (name === "" ? [] : [[name, values.get(name)!]]))),
    );
    for (const name of node.outputs) if (name !== "") values.set(name, made.get(name)!);
  }
}
