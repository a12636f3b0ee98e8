// ModelProto, GraphProto and NodeProto, as a Graph.
import { checkGraph } from "../check.ts";
import { GraphError } from "../error.ts";
import {
  type Attribute,
  describe,
  type Graph,
  isSparse,
  type Node,
  outerReferences,
  subgraphs,
  topologicalOrder,
  type ValueInfo,
  type ValueType,
} from "../graph.ts";
import type { SparseTensor, Tensor } from "../tensor.ts";
import { checkFunction, type ExternalData, readEntry } from "./external.ts";
import { graphField, modelField, nodeField, opsetField } from "./fields.ts";
import { readAttribute } from "./read-attribute.ts";
import { readSparse } from "./read-sparse.ts";
import { plain, readTensor } from "./read-tensor.ts";
import { readValueInfo } from "./read-type.ts";
import { WireReader } from "./wire.ts";

export interface ModelReadOptions {
  /** Gives the bytes of weights that are kept in other files. */
  readonly external?: ExternalData;
}

interface Context extends ModelReadOptions {
  readonly opsets: ReadonlyMap<string, number>;
  readonly irVersion: number;
}

/**
 * Reads an ONNX model. Weights are views of `bytes` where they can be: do not change these afterwards.
 * @example readModel(writeModel(net)).nodes.length
 */
export function readModel(bytes: Uint8Array, options: ModelReadOptions = {}): Graph {
  const opsets = new Map<string, number>();
  const metadata = new Map<string, string>();
  const functions: Uint8Array[] = [];
  let irVersion = 0;
  let graphReader: WireReader | undefined;
  if (isHtml(bytes))
    throw new GraphError("not a valid ONNX model: it is a page of HTML (is the address right?)");
  const reader = new WireReader(plain(bytes), "ModelProto");
  while (reader.next()) {
    switch (reader.field) {
      case modelField.irVersion:
        irVersion = reader.integer();
        break;
      case modelField.graph:
        if (graphReader) reader.fail("it holds two graphs");
        graphReader = reader.message("GraphProto");
        break;
      case modelField.opsetImport:
        readOpset(reader.message("OperatorSetIdProto"), opsets);
        break;
      case modelField.metadata:
        metadata.set(...readEntry(reader.message("StringStringEntryProto")));
        break;
      case modelField.functions:
        functions.push(reader.delimited());
        checkFunction(functions.at(-1)!);
        break;
      default:
        reader.skip();
    }
  }
  if (!graphReader) throw new GraphError("not a valid ONNX model: it holds no graph");
  const graph = readGraph(graphReader, "the graph", { ...options, opsets, irVersion });
  const model = { ...graph, metadata, functions };
  checkGraph(model);
  return model;
}

/** What a server sends in place of a file that it does not have. */
function isHtml(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, 256)).trimStart();
  return /^<(!doctype html|html|head|body|!--)/i.test(start);
}

const normalDomain = (domain: string): string => (domain === "ai.onnx" ? "" : domain);

function readOpset(reader: WireReader, opsets: Map<string, number>): void {
  let domain = "";
  let version = 0;
  while (reader.next()) {
    if (reader.field === opsetField.domain) domain = normalDomain(reader.string());
    else if (reader.field === opsetField.version) version = reader.integer();
    else reader.skip();
  }
  const other = opsets.get(domain);
  if (other !== undefined && other !== version) {
    reader.fail(`the operators of domain "${domain}" are imported in versions ${other} and ${version}`);
  }
  opsets.set(domain, version);
}

function readGraph(reader: WireReader, where: string, context: Context): Graph {
  let name = "";
  const inputs: ValueInfo[] = [];
  const outputs: ValueInfo[] = [];
  const nodes: Node[] = [];
  const initializers = new Map<string, Tensor | SparseTensor>();
  const valueTypes = new Map<string, ValueType>();
  // Of several dense initializers of one name ONNX Runtime takes the last, and so does Map.set; of a sparse and a dense
  // one it takes the sparse one wherever it stands.
  const place = (key: string, weight: Tensor | SparseTensor): void => {
    const before = initializers.get(key);
    if (before && isSparse(before) !== isSparse(weight))
      throw new GraphError(`weight "${key}" is there twice in ${where}: dense and sparse`);
    initializers.set(key, weight);
  };
  while (reader.next()) {
    switch (reader.field) {
      case graphField.name:
        name = reader.string();
        break;
      case graphField.node:
        nodes.push(readNode(reader.message("NodeProto"), `node ${nodes.length} of ${where}`, context));
        break;
      case graphField.initializer: {
        const found = readTensor(reader.message("TensorProto"), where, context.external);
        place(found.name, found.tensor);
        break;
      }
      case graphField.sparseInitializer: {
        const found = readSparse(reader.message("SparseTensorProto"), where, context.external);
        place(found.name, found.tensor);
        break;
      }
      case graphField.input:
        inputs.push(readValueInfo(reader.message("ValueInfoProto")));
        break;
      case graphField.output:
        outputs.push(readValueInfo(reader.message("ValueInfoProto")));
        break;
      case graphField.valueInfo: {
        const info = readValueInfo(reader.message("ValueInfoProto"));
        valueTypes.set(info.name, info.type);
        break;
      }
      default:
        reader.skip();
    }
  }
  const { opsets, irVersion } = context;
  const known = [...inputs.map((input) => input.name), ...initializers.keys()];
  return {
    name,
    inputs,
    outputs,
    nodes: isOrdered(nodes, known) ? nodes : topologicalOrder(nodes),
    initializers,
    valueTypes,
    opsets,
    irVersion,
    metadata: new Map(),
    functions: [],
  };
}

/** Whether no node reads what a later one makes: then the order of the file is kept. */
function isOrdered(nodes: readonly Node[], known: readonly string[]): boolean {
  const later = new Set(nodes.flatMap((node) => node.outputs));
  for (const name of ["", ...known]) later.delete(name);
  return nodes.every((node) => {
    const waits =
      node.inputs.some((name) => later.has(name)) ||
      subgraphs(node).some((graph) => [...outerReferences(graph)].some((name) => later.has(name)));
    for (const name of node.outputs) later.delete(name);
    return !waits;
  });
}

function readNode(reader: WireReader, where: string, context: Context): Node {
  let op = "";
  let domain = "";
  let name = "";
  let overload = "";
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributeReaders: WireReader[] = [];
  while (reader.next()) {
    switch (reader.field) {
      case nodeField.input:
        inputs.push(reader.string());
        break;
      case nodeField.output:
        outputs.push(reader.string());
        break;
      case nodeField.name:
        name = reader.string();
        break;
      case nodeField.op:
        op = reader.string();
        break;
      case nodeField.domain:
        domain = normalDomain(reader.string());
        break;
      case nodeField.overload:
        overload = reader.string();
        break;
      case nodeField.attribute:
        attributeReaders.push(reader.message("AttributeProto"));
        break;
      default:
        reader.skip();
    }
  }
  const attributes = new Map<string, Attribute>();
  const node: Node = { op, domain, name, inputs, outputs, attributes };
  const label = op ? describe(node) : where;
  if (overload)
    throw new GraphError(`${label} calls overload "${overload}" of a function, which is not read`);
  const readers = {
    external: context.external,
    readGraph: (inner: WireReader, owner: string) => readGraph(inner, owner, context),
  };
  for (const attributeReader of attributeReaders) {
    const [key, value] = readAttribute(attributeReader, label, readers);
    if (attributes.has(key)) throw new GraphError(`${label} has the attribute "${key}" twice`);
    attributes.set(key, value);
  }
  return node;
}
