// An ONNX graph of the few operators that compiled networks have, column by column: every number that a run computes
// for one row of the input is a weighted sum, a ReLU or an absolute value of others. Nothing else is let in, so what is
// not looked at cannot matter, but for what has weight 0: 0 times infinity is no number.
import { type Graph, type Node, opsetOf } from "../graph/graph.ts";
import { type Broadcast, broadcast, size } from "./broadcast.ts";
import { Refutation } from "./error.ts";
import { Operands, refuse } from "./operands.ts";

/** bias + sum_k weights[k] terms[k], computed by additions in any order; `serial` grows along every edge. */
export interface Sum {
  readonly kind: "sum";
  readonly serial: number;
  readonly terms: readonly Scalar[];
  readonly weights: readonly number[];
  readonly bias: number;
}
/** relu(of); abs is 2 relu(of) - of, computed without rounding; sign only where steps are let in. */
export interface Bend {
  readonly kind: "relu" | "abs" | "sign";
  readonly serial: number;
  readonly of: Scalar;
}
export type Scalar = { readonly kind: "input"; readonly serial: number } | Sum | Bend;

/** A value of shape [N, ...shape]. */
export interface Columns {
  readonly shape: readonly number[];
  readonly scalars: readonly Scalar[];
}
export type Circuit = ReadonlyMap<string, Columns>;

export interface Network {
  readonly circuit: Circuit;
  /** Values with weight 0 somewhere: they are left out of sums, which is right if they are finite. */
  readonly leftOut: ReadonlySet<Scalar>;
}

const newest = 25;
const oldest = 13;
/** Numbers a row that a file may make a checker keep. */
const mostScalars = 4_000_000;
/** Places in named values: a column may stand in many. */
const mostColumns = 16_000_000;

/** Values by their columns, operator by operator. */
export class ColumnBuilder {
  readonly values = new Map<string, Columns>();
  readonly leftOut = new Set<Scalar>();
  readonly #operands: Operands;
  #serial = 0;
  #columnCount = 0;

  readonly #letsSteps: boolean;

  constructor(graph: Graph, type: string, letsSteps = false) {
    this.#operands = new Operands(graph, type);
    this.#letsSteps = letsSteps;
  }

  #next(): number {
    if (this.#serial > mostScalars) throw new Refutation("the network", "it is too large to be checked");
    return this.#serial++;
  }

  input(name: string, width: number): void {
    const scalars = Array.from({ length: width }, () => ({ kind: "input", serial: this.#next() }) as const);
    this.values.set(name, { shape: [width], scalars });
  }

  #sum(terms: readonly Scalar[], weights: readonly number[], bias: number): Scalar {
    const kept = weights.flatMap((w, k) => (w === 0 ? [] : [k]));
    if (kept.length < terms.length)
      terms.forEach((term, k) => {
        if (weights[k] === 0) this.leftOut.add(term);
      });
    const serial = this.#next();
    return {
      kind: "sum",
      serial,
      terms: kept.map((k) => terms[k]!),
      weights: kept.map((k) => weights[k]!),
      bias,
    };
  }

  #columns(node: Node, k = 0): Columns {
    const found = this.values.get(node.inputs[k] ?? "");
    if (!found) throw refuse(node, `its input "${node.inputs[k] ?? ""}" is no computed value`);
    return found;
  }

  #broadcast(node: Node, a: readonly number[], b: readonly number[]): Broadcast {
    const found = broadcast(a, b);
    if (!found) throw refuse(node, `shapes [${a}] and [${b}] do not go together`);
    return found;
  }

  /** a + b or a - b; 2 relu(s) - s is |s|. */
  #added(node: Node, sign: 1 | -1): Columns {
    if (this.#operands.isConstant(node, 1)) {
      const x = this.#columns(node);
      const c = this.#operands.operand(node, 0);
      return this.#withConstant(node, x, c.dims, (s, k) => this.#sum([s], [1], sign * c.data[k]!));
    }
    const [x, y] = [this.#columns(node, 0), this.#columns(node, 1)];
    if (x.shape.length !== y.shape.length) throw refuse(node, "it adds values of different ranks");
    const { shape, at } = this.#broadcast(node, x.shape, y.shape);
    const scalars = Array.from({ length: size(shape) }, (_, k) => {
      const [a, b] = at(k).map((place, side) => (side === 0 ? x : y).scalars[place]!) as [Scalar, Scalar];
      return sign === -1 && isTwiceRelu(a, b)
        ? ({ kind: "abs", serial: this.#next(), of: b } as const)
        : this.#sum([a, b], [1, sign], 0);
    });
    return { shape, scalars };
  }

  #withConstant(
    node: Node,
    x: Columns,
    dims: readonly number[],
    make: (s: Scalar, k: number) => Scalar,
  ): Columns {
    if (dims.length > x.shape.length) throw refuse(node, "a constant goes along the batch");
    const { shape, at } = this.#broadcast(node, x.shape, dims);
    const scalars = Array.from({ length: size(shape) }, (_, k) => {
      const [i, j] = at(k);
      return make(x.scalars[i]!, j);
    });
    return { shape, scalars };
  }

  readonly #rules: Readonly<Record<string, (node: Node) => Columns>> = {
    Identity: (node) => this.#columns(node),
    Add: (node) => this.#added(node, 1),
    Sub: (node) => this.#added(node, -1),
    Mul: (node) => {
      const c = this.#operands.operand(node, 1);
      return this.#withConstant(node, this.#columns(node), c.dims, (s, k) => this.#sum([s], [c.data[k]!], 0));
    },
    Relu: (node) => {
      const { shape, scalars } = this.#columns(node);
      return { shape, scalars: scalars.map((of) => ({ kind: "relu", serial: this.#next(), of })) };
    },
    Sign: (node) => {
      if (!this.#letsSteps) throw refuse(node, "compiled networks have no such operator");
      const { shape, scalars } = this.#columns(node);
      return { shape, scalars: scalars.map((of) => ({ kind: "sign", serial: this.#next(), of })) };
    },
    Neg: (node) => {
      const { shape, scalars } = this.#columns(node);
      return { shape, scalars: scalars.map((s) => this.#sum([s], [-1], 0)) };
    },
    Gemm: (node) => {
      const { shape, scalars } = this.#columns(node);
      const W = this.#operands.weights(node, 1);
      const bias = node.inputs[2]
        ? this.#operands.weights(node, 2)
        : { dims: [W.dims[0]!], data: new Float64Array(W.dims[0]!) };
      const plain = ["alpha", "beta"].every((name) => this.#operands.attribute(node, name, 1) === 1);
      const [rows, width] = W.dims as [number, number];
      const fits =
        W.dims.length === 2 &&
        shape.length === 1 &&
        width === shape[0] &&
        bias.dims.length === 1 &&
        bias.dims[0] === rows;
      if (
        !plain ||
        !fits ||
        this.#operands.attribute(node, "transA", 0) !== 0 ||
        this.#operands.attribute(node, "transB", 0) !== 1
      )
        throw refuse(node, "it is not x W^T + b");
      const row = (r: number): number[] => Array.from({ length: width }, (_, c) => W.data[r * width + c]!);
      return {
        shape: [rows],
        scalars: Array.from({ length: rows }, (_, r) => this.#sum(scalars, row(r), bias.data[r]!)),
      };
    },
    ReduceSum: (node) => {
      const { shape, scalars } = this.#columns(node);
      const axes = this.#operands.integers(node, 1).data;
      const axis = axes[0]! - 1;
      if (
        axes.length !== 1 ||
        !(axis >= 0 && axis < shape.length) ||
        shape.length < 2 ||
        this.#operands.attribute(node, "keepdims", 1) !== 0
      )
        throw refuse(node, "it does not sum over one axis of columns");
      const [inner, count] = [size(shape.slice(axis + 1)), shape[axis]!];
      const rest = shape.filter((_, k) => k !== axis);
      const of = (k: number): Scalar[] => {
        const start = Math.floor(k / inner) * inner * count + (k % inner);
        return Array.from({ length: count }, (_, j) => scalars[start + j * inner]!);
      };
      const ones = new Array<number>(count).fill(1);
      return {
        shape: rest,
        scalars: Array.from({ length: size(rest) }, (_, k) => this.#summed(of(k), ones)),
      };
    },
    Gather: (node) => {
      const { dims, data } = this.#operands.integers(node, 1);
      return { shape: dims, scalars: this.#picked(node, data, this.#operands.attribute(node, "axis", 0)) };
    },
    Slice: (node) => {
      const [starts, ends, axes] = [1, 2, 3].map((k) => this.#operands.integers(node, k).data) as [
        number[],
        number[],
        number[],
      ];
      const [width = 0] = this.#columns(node).shape;
      const isPlain =
        [starts, ends, axes].every((list) => list.length === 1) && !node.inputs[4] && starts[0]! >= 0;
      if (!isPlain || !(ends[0]! > starts[0]!) || !(ends[0]! <= width))
        throw refuse(node, "it is no plain slice");
      const places = Array.from({ length: ends[0]! - starts[0]! }, (_, k) => starts[0]! + k);
      return { shape: [places.length], scalars: this.#picked(node, places, axes[0]!) };
    },
    Concat: (node) => {
      const parts = node.inputs.map((_, k) => this.#columns(node, k));
      if (this.#operands.attribute(node, "axis", 0) !== 1 || parts.some((p) => p.shape.length !== 1))
        throw refuse(node, "it does not join columns");
      const scalars = parts.flatMap((p) => p.scalars);
      return { shape: [scalars.length], scalars };
    },
    Unsqueeze: (node) => {
      const { shape, scalars } = this.#columns(node);
      const axes = this.#operands.integers(node, 1).data;
      if (axes.length !== 1 || axes[0] !== shape.length + 1)
        throw refuse(node, "it does not add a last axis");
      return { shape: [...shape, 1], scalars };
    },
  };

  /** Terms that are constant zeros, the padding of sparse rows, take no part. */
  #summed(terms: readonly Scalar[], ones: readonly number[]): Scalar {
    const isZero = (s: Scalar): boolean => s.kind === "sum" && s.terms.length === 0 && s.bias === 0;
    return this.#sum(
      terms,
      terms.map((s, k) => (isZero(s) ? 0 : ones[k]!)),
      0,
    );
  }

  #picked(node: Node, places: readonly number[], axis: number): readonly Scalar[] {
    const { shape, scalars } = this.#columns(node);
    if (axis !== 1 || shape.length !== 1 || places.some((p) => !(p >= 0 && p < shape[0]!)))
      throw refuse(node, "it does not pick columns");
    return places.map((p) => scalars[p]!);
  }

  add(node: Node): void {
    const rule = Object.hasOwn(this.#rules, node.op) && node.domain === "" ? this.#rules[node.op] : undefined;
    if (!rule || node.outputs.length !== 1) throw refuse(node, "compiled networks have no such operator");
    if (this.values.has(node.outputs[0]!)) throw refuse(node, "its output is there already");
    const found = rule(node);
    this.#columnCount += found.scalars.length;
    if (this.#columnCount > mostColumns) throw new Refutation("the network", "it is too large to be checked");
    this.values.set(node.outputs[0]!, found);
  }
}

const isTwiceRelu = (a: Scalar, s: Scalar): boolean =>
  a.kind === "sum" &&
  a.bias === 0 &&
  a.terms.length === 2 &&
  a.weights.every((w) => w === 1) &&
  a.terms.every((r) => r.kind === "relu" && r.of === s);

/** Every named value of the network by its columns. */
export function circuitOf(
  graph: Graph,
  input: string,
  width: number,
  type: string,
  letsSteps = false,
): Network {
  const [x] = graph.inputs;
  const opset = opsetOf(graph);
  if (graph.inputs.length !== 1 || x!.name !== input || graph.initializers.has(input))
    throw new Refutation(`input "${input}"`, "it is not the network's only input");
  const shape = x!.type.type === type && "shape" in x!.type ? x!.type.shape : undefined;
  if (shape?.length !== 2 || shape[1] !== width)
    throw new Refutation(`input "${input}"`, `it is not of type ${type} and shape [N, ${width}]`);
  if (graph.functions.length > 0) throw new Refutation("the network", "it has functions of its own");
  if (!(opset >= oldest && opset <= newest))
    throw new Refutation("the network", `operator set ${opset} is not known here`);
  const builder = new ColumnBuilder(graph, type, letsSteps);
  builder.input(input, width);
  for (const node of graph.nodes) builder.add(node);
  return { circuit: builder.values, leftOut: builder.leftOut };
}
