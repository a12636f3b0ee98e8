// The layers of a stochastic network, read off its ONNX graph: y = (u < sigmoid(W h + b)) with uniform numbers u of its own
// for each layer. Nothing else is let in.
import type { Graph, Node } from "../graph/graph.ts";
import { isTensorType, opsetOf } from "../graph/graph.ts";
import { ColumnBuilder, type Columns, type Scalar } from "./circuit.ts";
import { Refutation } from "./error.ts";
import { Operands, refuse } from "./operands.ts";

/** Units of a layer: column c of the layer before is read by units[k] with weights[k], starts[c] <= k < starts[c + 1]. */
export interface StochasticLayer {
  readonly bias: Float64Array;
  readonly starts: Int32Array;
  readonly units: Int32Array;
  readonly weights: Float64Array;
}

/** What a certificate calls the values of its network. */
export interface StochasticNames {
  readonly input: string;
  readonly output: string;
  /** The inputs with uniform numbers, layer by layer. */
  readonly uniforms: readonly string[];
}

const double = 11;
const [oldest, newest] = [13, 25];
/** Terms of sums that a file may make a checker multiply out. */
const mostTerms = 2 ** 24;
/** Sums of weights up to here are finite in any order. */
const mostWeight = 1e300;

interface Row {
  readonly bias: number;
  readonly terms: readonly (readonly [column: number, weight: number])[];
}

/** bias + sum of weight bit, without any rounding: one bias, one weight on the way to each bit. */
function rowOf(value: Scalar, columnOf: ReadonlyMap<Scalar, number>, where: string, budget: Budget): Row {
  const terms: [number, number][] = [];
  let bias = 0;
  const open: [Scalar, number][] = [[value, 1]];
  while (open.length > 0) {
    const [s, w] = open.pop()!;
    if (--budget.terms < 0) throw new Refutation("the network", "it is too large to be checked");
    const column = columnOf.get(s);
    if (column !== undefined) terms.push([column, w]);
    else if (s.kind !== "sum")
      throw new Refutation(where, "it reads a value that is not of the layer before");
    else {
      if (s.bias !== 0) {
        if (bias !== 0 || w !== 1) throw new Refutation(where, "it has more than one bias");
        bias = s.bias;
      }
      s.terms.forEach((term, k) => {
        if (w !== 1 && s.weights[k] !== 1) throw new Refutation(where, "its weights are products");
        open.push([term, w * s.weights[k]!]);
      });
    }
  }
  const size = terms.reduce((sum, [, w]) => sum + Math.abs(w), Math.abs(bias));
  if (!(size <= mostWeight)) throw new Refutation(where, "its weights are too large");
  return { bias, terms };
}

interface Budget {
  terms: number;
}

/** By columns, since few of them are on. */
function layerOf(rows: readonly Row[], columns: number): StochasticLayer {
  const starts = new Int32Array(columns + 1);
  for (const { terms } of rows) for (const [c] of terms) starts[c + 1]!++;
  for (let c = 0; c < columns; c++) starts[c + 1]! += starts[c]!;
  const next = starts.slice();
  const units = new Int32Array(starts[columns]!);
  const weights = new Float64Array(starts[columns]!);
  rows.forEach(({ terms }, unit) => {
    for (const [c, w] of terms) {
      const at = next[c]!++;
      units[at] = unit;
      weights[at] = w;
    }
  });
  return { bias: Float64Array.from(rows, ({ bias }) => bias), starts, units, weights };
}

/** The widths of the inputs: that of x is known, each layer says its own. */
function checkInputs(graph: Graph, { input, uniforms }: StochasticNames, inputs: number): readonly number[] {
  const names = [input, ...uniforms];
  const widths = names.map((name, k) => {
    const found = graph.inputs[k];
    const type = found && isTensorType(found.type) ? found.type : undefined;
    const [batch, width] = type?.shape ?? [];
    const [first] = graph.inputs;
    const rows = first && isTensorType(first.type) ? first.type.shape?.[0] : undefined;
    const fits =
      found?.name === name &&
      type?.type === "float64" &&
      type.shape?.length === 2 &&
      typeof width === "number" &&
      batch !== undefined &&
      batch === rows &&
      !graph.initializers.has(name);
    if (!fits) throw new Refutation("the network", "its inputs are not those of the certificate");
    return width;
  });
  if (graph.inputs.length !== names.length || new Set(names).size < names.length || widths[0] !== inputs)
    throw new Refutation("the network", "its inputs are not those of the certificate");
  return widths.slice(1);
}

/** Where the nodes stand: affine maps are collected, and each Sigmoid, Less and Cast ends a layer. */
class Reader {
  readonly #operands: Operands;
  readonly #builder: ColumnBuilder;
  readonly #names: StochasticNames;
  readonly #widths: readonly number[];
  readonly #chances = new Map<string, Columns>();
  readonly #signs = new Map<string, Columns>();
  readonly #budget: Budget = { terms: mostTerms };
  #before: readonly Scalar[];
  #last: string;
  readonly layers: StochasticLayer[] = [];

  constructor(graph: Graph, names: StochasticNames, inputs: number, widths: readonly number[]) {
    this.#operands = new Operands(graph, "float64");
    this.#builder = new ColumnBuilder(graph, "float64");
    this.#builder.input(names.input, inputs);
    this.#before = this.#builder.values.get(names.input)!.scalars;
    [this.#names, this.#widths, this.#last] = [names, widths, names.input];
  }

  get last(): string {
    return this.#last;
  }

  /** What has weight 0 takes no part if it is finite: bits are, and zeros. */
  get isFinite(): boolean {
    return [...this.#builder.leftOut].every(
      (s) => s.kind === "input" || (s.kind === "sum" && s.terms.length === 0 && s.bias === 0),
    );
  }

  add(node: Node): void {
    if (!/^(Sigmoid|Less|Cast)$/.test(node.op)) {
      this.#builder.add(node);
      return;
    }
    const isNew =
      node.domain === "" &&
      node.outputs.length === 1 &&
      ![this.#builder.values, this.#chances, this.#signs].some((known) => known.has(node.outputs[0]!));
    if (!isNew) throw refuse(node, "it is no operator of a stochastic layer");
    const [a = "", b = ""] = node.inputs;
    if (node.op === "Sigmoid")
      this.#chances.set(node.outputs[0]!, this.#columns(node, this.#builder.values, a));
    else if (node.op === "Less") {
      const uniform = this.#names.uniforms[this.layers.length];
      if (uniform === undefined || a !== uniform)
        throw refuse(node, "it does not compare with the uniform numbers of its layer");
      this.#signs.set(node.outputs[0]!, this.#columns(node, this.#chances, b));
    } else this.#end(node, this.#columns(node, this.#signs, a));
  }

  #columns(node: Node, known: ReadonlyMap<string, Columns>, name: string): Columns {
    const found = known.get(name);
    if (found?.shape.length !== 1) throw refuse(node, `"${name}" is not what it should read there`);
    return found;
  }

  /** The layer is there: its bits are what the next one may read. */
  #end(node: Node, { scalars }: Columns): void {
    if (this.#operands.attribute(node, "to", 0) !== double) throw refuse(node, "it does not make doubles");
    if (this.#widths[this.layers.length] !== scalars.length)
      throw refuse(node, `it has ${scalars.length} units, but not so many uniform numbers`);
    const columnOf = new Map(this.#before.map((s, k) => [s, k]));
    const name = node.outputs[0]!;
    const rows = scalars.map((s, k) => rowOf(s, columnOf, `unit ${k} of "${name}"`, this.#budget));
    this.layers.push(layerOf(rows, this.#before.length));
    this.#signs.clear();
    this.#chances.clear();
    this.#builder.input(name, scalars.length);
    this.#before = this.#builder.values.get(name)!.scalars;
    this.#last = name;
  }
}

/** The layers of the network of a certificate, or what in the graph is not as they have it. */
export function stochasticLayers(
  graph: Graph,
  names: StochasticNames,
  inputs: number,
): readonly StochasticLayer[] {
  const widths = checkInputs(graph, names, inputs);
  const opset = opsetOf(graph);
  if (!(opset >= oldest && opset <= newest))
    throw new Refutation("the network", `operator set ${opset} is not known here`);
  if (graph.functions.length > 0) throw new Refutation("the network", "it has functions of its own");
  const reader = new Reader(graph, names, inputs, widths);
  for (const node of graph.nodes) reader.add(node);
  if (reader.layers.length !== names.uniforms.length)
    throw new Refutation("the network", `it does not have ${names.uniforms.length} layers`);
  if (graph.outputs.length !== 1 || graph.outputs[0]!.name !== names.output || reader.last !== names.output)
    throw new Refutation(`output "${names.output}"`, "it is not the network's only output and last layer");
  if (!reader.isFinite) throw new Refutation("the network", "a value that takes no part may be infinite");
  return reader.layers;
}
