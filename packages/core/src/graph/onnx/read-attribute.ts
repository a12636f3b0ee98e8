// AttributeProto: one value of one of twelve kinds; old files leave the kind out, and it follows from the value.
import { GraphError } from "../error.ts";
import type { Attribute, AttributeType, Graph } from "../graph.ts";
import { Collected } from "./collected.ts";
import type { ExternalData } from "./external.ts";
import { attributeField, attributeKind } from "./fields.ts";
import { readSparse } from "./read-sparse.ts";
import { integersOf, readTensor } from "./read-tensor.ts";
import { readType } from "./read-type.ts";
import type { WireReader } from "./wire.ts";

export interface AttributeContext {
  readonly external?: ExternalData;
  /** Reads a subgraph; `where` says whose. */
  readGraph(reader: WireReader, where: string): Graph;
}

const kindByNumber = new Map<number, AttributeType>(
  Object.entries(attributeKind).map(([kind, number]) => [number, kind as AttributeType]),
);

/** What was found in the fields, messages still unread: the name, for errors, may come last. */
interface Parts {
  name: string;
  kind?: number;
  reference?: string;
  int: bigint;
  float: number;
  string: string;
  ints: Collected;
  floats: Collected;
  strings: string[];
  messages: Map<AttributeType, WireReader[]>;
  present: Set<AttributeType>;
}

/** The name and value of an attribute; `where` describes its node. */
export function readAttribute(
  reader: WireReader,
  where: string,
  context: AttributeContext,
): [name: string, value: Attribute] {
  const parts = readParts(reader);
  const label = `attribute ${JSON.stringify(parts.name)} of ${where}`;
  if (parts.reference) {
    throw new GraphError(`${label} refers to ${JSON.stringify(parts.reference)}, outside of any function`);
  }
  return [parts.name, attributeValue(parts, kindOf(parts, label), label, context)];
}

function readParts(reader: WireReader): Parts {
  const parts: Parts = {
    name: "",
    int: 0n,
    float: 0,
    string: "",
    ints: new Collected(),
    floats: new Collected(),
    strings: [],
    messages: new Map(),
    present: new Set(),
  };
  while (reader.next()) readField(reader, parts);
  return parts;
}

const messageFields: Readonly<Record<number, AttributeType>> = {
  [attributeField.tensor]: "tensor",
  [attributeField.graph]: "graph",
  [attributeField.sparse]: "sparse",
  [attributeField.type]: "type",
  [attributeField.tensors]: "tensors",
  [attributeField.graphs]: "graphs",
};

function readField(reader: WireReader, parts: Parts): void {
  const message = messageFields[reader.field];
  if (message) {
    parts.present.add(message);
    const found = parts.messages.get(message) ?? [];
    parts.messages.set(message, found);
    found.push(reader.message(`a ${message} attribute`));
    return;
  }
  switch (reader.field) {
    case attributeField.name:
      parts.name = reader.string();
      return;
    case attributeField.kind:
      parts.kind = reader.integer();
      return;
    case attributeField.reference:
      parts.reference = reader.string();
      return;
    case attributeField.int:
      parts.int = reader.int64();
      parts.present.add("int");
      return;
    case attributeField.float:
      parts.float = reader.float();
      parts.present.add("float");
      return;
    case attributeField.string:
      parts.string = reader.string();
      parts.present.add("string");
      return;
    case attributeField.ints:
      reader.varints(parts.ints);
      parts.present.add("ints");
      return;
    case attributeField.floats:
      reader.fixed(parts.floats, 4);
      parts.present.add("floats");
      return;
    case attributeField.strings:
      parts.strings.push(reader.string());
      parts.present.add("strings");
      return;
    case attributeField.sparses:
    case attributeField.types:
      reader.fail("an attribute that lists sparse tensors or types is not read");
      return;
    default:
      reader.skip();
  }
}

function kindOf({ kind: number, present }: Parts, label: string): AttributeType {
  const [first] = present;
  if (!number) {
    if (first === undefined) throw new GraphError(`${label} has neither a type nor a value`);
    if (present.size > 1) throw new GraphError(`${label} has no type, but several values: ${[...present]}`);
    return first;
  }
  const kind = kindByNumber.get(number);
  if (!kind) throw new GraphError(`${label} has type ${number}, which is not read`);
  if (first !== undefined && !present.has(kind)) {
    throw new GraphError(`${label} says that it is of type ${kind}, but holds ${first}`);
  }
  return kind;
}

function attributeValue(
  parts: Parts,
  kind: AttributeType,
  label: string,
  context: AttributeContext,
): Attribute {
  const messages = parts.messages.get(kind) ?? [];
  const only = (): WireReader => {
    const last = messages.at(-1);
    if (!last) throw new GraphError(`${label} has no value`);
    return last;
  };
  const tensorOf = (reader: WireReader) => readTensor(reader, label, context.external).tensor;
  switch (kind) {
    case "int":
    case "float":
    case "string":
    case "strings":
      return { type: kind, value: parts[kind] } as Attribute;
    case "ints":
      return { type: kind, value: Array.from(integersOf(parts.ints)) };
    case "floats":
      return { type: kind, value: floatsOf(parts.floats) };
    case "tensor":
      return { type: kind, value: tensorOf(only()) };
    case "tensors":
      return { type: kind, value: messages.map(tensorOf) };
    case "sparse":
      return { type: kind, value: readSparse(only(), label, context.external).tensor };
    case "type":
      return { type: kind, value: readType(only()) };
    case "graph":
      return { type: kind, value: context.readGraph(only(), label) };
    case "graphs":
      return { type: kind, value: messages.map((reader) => context.readGraph(reader, label)) };
  }
}

function floatsOf(collected: Collected): number[] {
  const bytes = collected.result();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / 4 }, (_, k) => view.getFloat32(4 * k, true));
}
