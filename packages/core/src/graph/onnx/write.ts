// A Graph as a ModelProto. The same graph always gives the same bytes.
import { type Attribute, type Graph, isSparse, type Node } from "../graph.ts";
import { checkLocation } from "./external.ts";
import { attributeField, attributeKind, graphField, modelField, nodeField, opsetField } from "./fields.ts";
import { WireWriter } from "./wire-writer.ts";
import {
  type ExternalWeights,
  encodedType,
  writeEntry,
  writeSparse,
  writeTensor,
  writeValueInfo,
} from "./write-tensor.ts";

/**
 * The graph as an ONNX file with all of its weights (at most 2 GiB: beyond, see `writeModelAndWeights`).
 * @example readModel(writeModel(net)) // the same graph
 */
export function writeModel(graph: Graph): Uint8Array<ArrayBuffer> {
  return encodeModel(graph).finish();
}

export interface ExternalOptions {
  /** The file of the weights, relative to the model's folder. */
  readonly location: string;
  /** Initializers of at least this many bytes go there. */
  readonly threshold?: number;
}

export interface ModelAndWeights {
  readonly model: Uint8Array<ArrayBuffer>;
  /** The file at `location`, in pieces that are views of the graph's own weights: there may be over 2 GiB. */
  readonly weights: readonly Uint8Array[];
}

/**
 * The graph as an ONNX file and a second file that holds its large weights.
 * @example writeModelAndWeights(net, { location: "net.onnx.data" }).weights.length
 */
export function writeModelAndWeights(
  graph: Graph,
  { location, threshold = 16384 }: ExternalOptions,
): ModelAndWeights {
  checkLocation(location);
  const external: ExternalWeights = { location, threshold: Math.max(1, threshold), chunks: [], length: 0 };
  return { model: encodeModel(graph, external).finish(), weights: external.chunks };
}

/** The model before its bytes are put together, so that its size can be asked first. */
export function encodeModel(graph: Graph, external?: ExternalWeights): WireWriter {
  const out = new WireWriter();
  out.integer(modelField.irVersion, graph.irVersion);
  out.string(modelField.producerName, "lemmata");
  out.message(modelField.graph, writeGraph(graph, external));
  for (const [domain, version] of graph.opsets) {
    const opset = new WireWriter();
    opset.string(opsetField.domain, domain);
    opset.integer(opsetField.version, version);
    out.message(modelField.opsetImport, opset);
  }
  for (const [key, value] of graph.metadata) out.message(modelField.metadata, writeEntry(key, value));
  for (const encoded of graph.functions) out.bytes(modelField.functions, encoded);
  return out;
}

function writeGraph(graph: Graph, external?: ExternalWeights): WireWriter {
  const out = new WireWriter();
  for (const node of graph.nodes) out.message(graphField.node, writeNode(node, external));
  if (graph.name) out.string(graphField.name, graph.name);
  for (const [name, weight] of graph.initializers) {
    if (isSparse(weight)) out.message(graphField.sparseInitializer, writeSparse(weight, name));
    else out.message(graphField.initializer, writeTensor(weight, name, external));
  }
  for (const input of graph.inputs) out.message(graphField.input, writeValueInfo(input));
  for (const output of graph.outputs) out.message(graphField.output, writeValueInfo(output));
  for (const [name, type] of graph.valueTypes) {
    out.message(graphField.valueInfo, writeValueInfo({ name, type }));
  }
  return out;
}

function writeNode(node: Node, external?: ExternalWeights): WireWriter {
  const out = new WireWriter();
  for (const name of node.inputs) out.string(nodeField.input, name);
  for (const name of node.outputs) out.string(nodeField.output, name);
  if (node.name) out.string(nodeField.name, node.name);
  out.string(nodeField.op, node.op);
  for (const [name, attribute] of node.attributes) {
    out.message(nodeField.attribute, writeAttribute(name, attribute, external));
  }
  if (node.domain) out.string(nodeField.domain, node.domain);
  return out;
}

function writeAttribute(name: string, attribute: Attribute, external?: ExternalWeights): WireWriter {
  const out = new WireWriter();
  out.string(attributeField.name, name);
  writeValue(out, attribute, external);
  out.integer(attributeField.kind, attributeKind[attribute.type]);
  return out;
}

function writeValue(out: WireWriter, attribute: Attribute, external?: ExternalWeights): void {
  const field = attributeField[attribute.type];
  switch (attribute.type) {
    case "int":
      out.integer(field, attribute.value);
      break;
    case "float":
      out.float(field, attribute.value);
      break;
    case "string":
      out.string(field, attribute.value);
      break;
    case "ints":
      out.integers(field, attribute.value);
      break;
    case "floats":
      out.floats(field, attribute.value);
      break;
    case "strings":
      for (const text of attribute.value) out.string(field, text);
      break;
    case "tensor":
      out.message(field, writeTensor(attribute.value, ""));
      break;
    case "tensors":
      for (const value of attribute.value) out.message(field, writeTensor(value, ""));
      break;
    case "sparse":
      out.message(field, writeSparse(attribute.value, ""));
      break;
    case "type":
      out.bytes(field, encodedType(attribute.value));
      break;
    case "graph":
      out.message(field, writeGraph(attribute.value, external));
      break;
    case "graphs":
      for (const graph of attribute.value) out.message(field, writeGraph(graph, external));
  }
}
