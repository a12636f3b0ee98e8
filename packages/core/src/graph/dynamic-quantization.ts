// Products of numbers that are quantized while the network runs, as bounds read them: x and an error that is half a step
// at most, instead of whole numbers and a scale whose tie is lost.
//
// With s = (max(x, 0) - min(x, 0)) / 255, q = clip(round(x / s) + z) and z = round(-min(x, 0) / s), the number s (q - z)
// that a product reads is x up to s / 2: rounding moves x / s by at most 1/2, and where q is cut off it is moved back
// towards x / s, which lies within 1/2 of the range of q - z.
import type { Attribute, Graph, Node } from "./graph.ts";
import { type Tensor, tensor } from "./tensor.ts";
import { allNames, FreshNames } from "./upgrade/names.ts";

const noAttributes: ReadonlyMap<string, Attribute> = new Map();
const isOp = (node: Node | undefined, op: string): node is Node => node?.op === op && node.domain === "";

/** A product whose result is a real number again: s (q - z) W c. */
interface Product {
  readonly product: Node;
  readonly quantizer: Node;
  /** The node that multiplies by both scales, and the scale of the weights. */
  readonly scaled: Node;
  readonly weightScale: string;
}

function findProducts(graph: Graph): readonly Product[] {
  const made = new Map(graph.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
  const isKnown = (name: string | undefined): boolean => !name || graph.initializers.has(name);
  return graph.nodes.flatMap((scaled): Product[] => {
    if (!isOp(scaled, "Mul")) return [];
    for (const [whole, scales] of [scaled.inputs, scaled.inputs.toReversed()] as const) {
      const cast = made.get(whole!);
      const product = isOp(cast, "Cast") ? made.get(cast.inputs[0]!) : undefined;
      if (!product || !(isOp(product, "MatMulInteger") || isOp(product, "ConvInteger"))) continue;
      const quantizer = made.get(product.inputs[0]!);
      if (!isOp(quantizer, "DynamicQuantizeLinear")) continue;
      const [q, scale, zero] = quantizer.outputs;
      const isOwn = product.inputs[0] === q && product.inputs[2] === zero;
      const both = made.get(scales!);
      if (!isOwn || !isKnown(product.inputs[1]) || !isKnown(product.inputs[3]) || !isOp(both, "Mul"))
        continue;
      const weightScale = both.inputs.find((name) => name !== scale);
      if (!both.inputs.includes(scale!) || !isKnown(weightScale)) continue;
      return [{ product, quantizer, scaled, weightScale: weightScale! }];
    }
    return [];
  });
}

/** The graph with such products written for bounds; values keep their names and their meaning. */
export function withQuantizationErrors(graph: Graph): Graph {
  const products = findProducts(graph);
  if (products.length === 0) return graph;
  const names = new FreshNames(allNames(graph));
  const initializers = new Map(graph.initializers);
  const number = (value: number): string => {
    const name = names.fresh(`step/${value}`);
    initializers.set(name, tensor([value], { type: "float32", dims: [] }) as Tensor);
    return name;
  };
  const [none, perRange, minusPerRange] = [number(0), number(2 * 255), number(-2 * 255)];
  const before = new Map<Node, readonly Node[]>();
  const replaced = new Map<Node, readonly Node[]>();
  const restored = new Map<Node, string>();
  const node = (op: string, inputs: readonly string[], output: string, attributes = noAttributes): Node => ({
    op,
    domain: "",
    name: output,
    inputs,
    outputs: [output],
    attributes,
  });
  const keep = (value: bigint): ReadonlyMap<string, Attribute> =>
    new Map([["keepdims", { type: "int", value }]]);
  const toFloat: ReadonlyMap<string, Attribute> = new Map([["to", { type: "int", value: 1n }]]);
  /** What the product reads of x: x + max(min(s (q - z) - x, range / 510), -range / 510). */
  const read = (quantizer: Node): string => {
    const known = restored.get(quantizer);
    if (known !== undefined) return known;
    const x = quantizer.inputs[0]!;
    const [q, scale, zero] = quantizer.outputs as [string, string, string];
    const name = (stem: string): string => names.fresh(`${x}/${stem}`);
    const nodes: Node[] = [];
    const make = (op: string, inputs: readonly string[], stem: string, attributes = noAttributes): string => {
      const output = name(stem);
      nodes.push(node(op, inputs, output, attributes));
      return output;
    };
    const greatest = make("Max", [make("ReduceMax", [x], "greatest", keep(0n)), none], "end");
    const least = make("Min", [make("ReduceMin", [x], "least", keep(0n)), none], "start");
    const range = make("Sub", [greatest, least], "range");
    const steps = make("Sub", [make("Cast", [q], "q", toFloat), make("Cast", [zero], "z", toFloat)], "steps");
    const error = make("Sub", [make("Mul", [steps, scale], "read"), x], "moved");
    const above = make("Min", [error, make("Div", [range, perRange], "half")], "below-half");
    const inside = make("Max", [above, make("Div", [range, minusPerRange], "minus-half")], "error");
    const result = make("Add", [x, inside], "real");
    before.set(quantizer, nodes);
    restored.set(quantizer, result);
    return result;
  };
  for (const { product, quantizer, scaled, weightScale } of products) {
    const x = read(quantizer);
    const [, weights, , zero] = product.inputs;
    const name = (stem: string): string => names.fresh(`${scaled.outputs[0]}/${stem}`);
    const nodes: Node[] = [];
    const make = (op: string, inputs: readonly string[], stem: string, attributes = noAttributes): string => {
      const output = name(stem);
      nodes.push(node(op, inputs, output, attributes));
      return output;
    };
    const real = make("Cast", [weights!], "weights", toFloat);
    const centred = zero
      ? make("Sub", [real, make("Cast", [zero], "weights-zero", toFloat)], "centred")
      : real;
    const isMatrix = product.op === "MatMulInteger";
    const sum = make(isMatrix ? "MatMul" : "Conv", [x, centred], "product", product.attributes);
    nodes.push({ ...scaled, inputs: [sum, weightScale] });
    replaced.set(scaled, nodes);
  }
  const nodes = graph.nodes.flatMap((n) => [...(replaced.get(n) ?? [n]), ...(before.get(n) ?? [])]);
  return { ...graph, nodes, initializers };
}
