// The layers of a machine's network, read off its ONNX graph: sums and ReLUs in turn, or a Loop whose body is one such layer.
import { type Graph, isTensorType, type Node, opsetOf, subgraphs } from "../graph/graph.ts";
import { numbers } from "../graph/tensor.ts";
import { Refutation } from "./error.ts";
import { type IntegerRows, IntegerRowsReader } from "./integer-rows.ts";
import type { MachineCertificate } from "./machine-certificate.ts";
import { refuse } from "./operands.ts";

export interface MachineNetwork {
  /** Before the bend, in terms of the layer before; of a Loop those of its body, in terms of what goes round. */
  readonly hidden: readonly { readonly name: string; readonly rows: IntegerRows }[];
  /** In terms of the last layer, or of what goes round. */
  readonly output: IntegerRows;
  /** What goes round: before the first turn, in terms of the input, and after a turn, in terms of the body's units. */
  readonly loop?: { readonly name: string; readonly initial: IntegerRows; readonly next: IntegerRows };
}

const [oldest, newest] = [13, 25];

function checkInputs(graph: Graph, { input, steps }: MachineCertificate["network"], width: number): void {
  const [x, count, ...more] = graph.inputs;
  const types = [x, count].map((value) => (value && isTensorType(value.type) ? value.type : undefined));
  const isRow = (type: (typeof types)[number]): boolean =>
    type?.type === "float64" && type.shape?.length === 2 && type.shape[1] === width;
  const fits =
    x?.name === input &&
    isRow(types[0]) &&
    more.length === 0 &&
    (steps === undefined
      ? count === undefined
      : count?.name === steps && types[1]?.type === "int64" && types[1].shape?.length === 0);
  if (!fits || graph.inputs.some(({ name }) => graph.initializers.has(name)))
    throw new Refutation("the network", "its inputs are not those of the certificate");
}

/** The reader of a chain, and the layers that it has ended so far. */
class Chain {
  readonly hidden: { readonly name: string; readonly rows: IntegerRows }[] = [];
  readonly reader: IntegerRowsReader;

  constructor(graph: Graph, input: string, width: number) {
    this.reader = new IntegerRowsReader(graph);
    this.reader.begin(input, width);
  }

  add(node: Node): void {
    if (node.op !== "Relu" || node.domain !== "") {
      this.reader.add(node);
      return;
    }
    const rows = this.reader.flat(node);
    const name = this.reader.checkNew(node);
    this.hidden.push({ name, rows });
    this.reader.begin(name, rows.bias.length);
  }
}

/** `turn`, `go` and the state in; whether to go on, which is `go`, and the next state out. */
function readBody(graph: Graph, width: number, known: ReadonlySet<string>) {
  const [turn, go, state] = graph.inputs;
  const [goOn, after] = graph.outputs;
  const inner = [turn, go, state].map((v) => v?.name ?? "");
  if (graph.inputs.length !== 3 || graph.outputs.length !== 2 || new Set(inner).size < 3)
    throw new Refutation("the loop", "its body has more than one state");
  const hides = [...inner, ...graph.initializers.keys(), ...graph.nodes.flatMap((n) => n.outputs)].find(
    (name) => known.has(name),
  );
  if (hides !== undefined)
    throw new Refutation("the loop", `its body has another "${hides}" than the graph around`);
  if (inner.some((name) => graph.initializers.has(name)))
    throw new Refutation("the loop", "an input of its body has a default");
  const chain = new Chain(graph, state!.name, width);
  let goes = go!.name;
  for (const node of graph.nodes)
    if (node.op === "Identity" && node.domain === "" && node.inputs[0] === goes)
      goes = chain.reader.checkNew(node);
    else chain.add(node);
  if (goOn!.name !== goes) throw new Refutation("the loop", "its body may stop it");
  const next = chain.reader.value(after!.name, "the loop");
  if (next.shape.length !== 1 || next.bias.length !== width)
    throw new Refutation("the loop", "its state changes its width");
  return { hidden: chain.hidden, next };
}

function isTrue(graph: Graph, name: string | undefined): boolean {
  const found = graph.initializers.get(name ?? "");
  return (
    found !== undefined &&
    !("indices" in found) &&
    found.type === "bool" &&
    found.data.length === 1 &&
    Number(numbers(found)[0]) === 1
  );
}

/** The layers of the network of a certificate, or what in the graph is not as they have it. */
export function machineNetworkOf(
  graph: Graph,
  names: MachineCertificate["network"],
  width: number,
): MachineNetwork {
  checkInputs(graph, names, width);
  const opset = opsetOf(graph);
  if (!(opset >= oldest && opset <= newest))
    throw new Refutation("the network", `operator set ${opset} is not known here`);
  if (graph.functions.length > 0) throw new Refutation("the network", "it has functions of its own");
  const chain = new Chain(graph, names.input, width);
  let loop: MachineNetwork["loop"];
  let hidden: MachineNetwork["hidden"] = [];
  const known = new Set([...graph.inputs.map((v) => v.name), ...graph.initializers.keys()]);
  for (const node of graph.nodes) {
    if (node.op === "Loop" && node.domain === "" && names.steps !== undefined) {
      const [body] = subgraphs(node);
      const [count, condition, state, ...more] = node.inputs;
      const isPlain =
        loop === undefined && chain.hidden.length === 0 && body && count === names.steps && more.length === 0;
      if (!isPlain || !(condition === "" || isTrue(graph, condition)))
        throw refuse(node, "it is not the one loop that the input counts");
      const initial = chain.reader.value(state ?? "", "the loop");
      if (initial.shape.length !== 1) throw refuse(node, "what goes round is not a row of columns");
      const outside = new Set([...known, ...graph.nodes.flatMap((n) => n.outputs)]);
      const inside = readBody(body, initial.bias.length, outside);
      const name = chain.reader.checkNew(node);
      loop = { name, initial, next: inside.next };
      hidden = inside.hidden;
      chain.reader.begin(name, initial.bias.length);
    } else chain.add(node);
  }
  if ((names.steps !== undefined) !== (loop !== undefined))
    throw new Refutation("the network", "it has no loop that the input counts");
  if (loop !== undefined && chain.hidden.length > 0)
    throw new Refutation("the network", "it has layers outside of its loop");
  const [y, ...others] = graph.outputs;
  if (others.length > 0 || y?.name !== names.output)
    throw new Refutation(`output "${names.output}"`, "it is not the network's only output");
  const output = chain.reader.value(names.output, `output "${names.output}"`);
  if (output.shape.length !== 1)
    throw new Refutation(`output "${names.output}"`, "it is not a row of columns");
  return { hidden: loop ? hidden : chain.hidden, output, ...(loop && { loop }) };
}
