// Weights that live in a file beside the model: where a TensorProto says they are, and which places are allowed.
import { GraphError } from "../error.ts";
import {
  attributeField,
  entryField,
  functionField,
  graphField,
  modelField,
  nodeField,
  sparseField,
  tensorField,
} from "./fields.ts";
import { WireReader } from "./wire.ts";

/** Gives `length` bytes from `offset` of the file at `location`, a path relative to the model's folder. */
export type ExternalData = (location: string, offset: number, length: number) => Uint8Array;

/** The key "location", "offset" or "length" and its value. */
export function readEntry(reader: WireReader): [key: string, value: string] {
  let key = "";
  let value = "";
  while (reader.next()) {
    if (reader.field === entryField.key) key = reader.string();
    else if (reader.field === entryField.value) value = reader.string();
    else reader.skip();
  }
  return [key, value];
}

/** The bytes of a tensor whose TensorProto has these external_data entries and needs `length` bytes. */
export function externalBytes(
  entries: ReadonlyMap<string, string>,
  length: number,
  label: string,
  external: ExternalData | undefined,
): Uint8Array {
  const location = entries.get("location");
  if (!location) throw new GraphError(`${label} is external data without a location`);
  if (!external) {
    throw new GraphError(
      `${label} is in the file ${JSON.stringify(location)}, which was not given: use loadModel`,
    );
  }
  const offset = byteCount(entries.get("offset"), "offset", label) ?? 0;
  const stated = byteCount(entries.get("length"), "length", label) ?? length;
  if (stated !== length) {
    throw new GraphError(`${label} needs ${length} bytes, but its external data states ${stated}`);
  }
  if (length === 0) return new Uint8Array(0);
  const bytes = external(location, offset, length);
  if (bytes.length !== length) {
    throw new GraphError(
      `${label} needs ${length} bytes, but ${JSON.stringify(location)} gave ${bytes.length}`,
    );
  }
  return bytes;
}

function byteCount(text: string | undefined, key: string, label: string): number | undefined {
  if (text === undefined || text === "") return undefined;
  const count = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  throw new GraphError(
    `${label} has the external ${key} ${JSON.stringify(text.slice(0, 40))}, not a count of bytes`,
  );
}

/** Refuses a location that is not plainly a file in the model's folder or below: `/x`, `../x`, `C:x`, `a?b`. */
export function checkLocation(location: string): void {
  const parts = location.split(/[/\\]/);
  const printable = [...location].every((c) => c >= " " && !"\\:?#%*".includes(c));
  if (printable && parts.every((part) => part !== "" && part !== "..")) return;
  throw new GraphError(
    `external data at ${JSON.stringify(location)} is refused: it must be a relative path inside the model's folder`,
  );
}

/** The files of external data that a model mentions, without reading its tensors. */
export function externalLocations(model: Uint8Array): ReadonlySet<string> {
  const found = new Set<string>();
  visitModel(new WireReader(model, "ModelProto"), found);
  return found;
}

type Visitor = (reader: WireReader, found: Set<string>) => void;

/** A visitor that descends into the given fields only. */
const descend =
  (fields: () => Readonly<Record<number, Visitor>>): Visitor =>
  (reader, found) => {
    const inner = fields();
    while (reader.next()) {
      const visit = inner[reader.field];
      if (visit) visit(reader.message("a message"), found);
      else reader.skip();
    }
  };

const visitEntry: Visitor = (reader, found) => {
  const [key, value] = readEntry(reader);
  if (key === "location") found.add(value);
};
const visitTensor = descend(() => ({ [tensorField.external]: visitEntry }));
const visitSparse = descend(() => ({
  [sparseField.values]: visitTensor,
  [sparseField.indices]: visitTensor,
}));
const visitAttribute = descend(() => ({
  [attributeField.tensor]: visitTensor,
  [attributeField.tensors]: visitTensor,
  [attributeField.sparse]: visitSparse,
  [attributeField.graph]: visitGraph,
  [attributeField.graphs]: visitGraph,
}));
const visitNode = descend(() => ({ [nodeField.attribute]: visitAttribute }));
const visitGraph: Visitor = descend(() => ({
  [graphField.initializer]: visitTensor,
  [graphField.sparseInitializer]: visitSparse,
  [graphField.node]: visitNode,
}));
/** ONNX Runtime reads the body of a function by itself, and its external data from wherever the process is. */
export function checkFunction(encoded: Uint8Array): void {
  const found = new Set<string>();
  visitFunction(new WireReader(encoded, "FunctionProto"), found);
  if (found.size === 0) return;
  const [location] = found;
  throw new GraphError(
    `the body of a function keeps a tensor in the file ${JSON.stringify(location)}: external data of functions is refused`,
  );
}
const visitFunction: Visitor = descend(() => ({
  [functionField.node]: visitNode,
  [functionField.attribute]: visitAttribute,
}));
const visitModel = descend(() => ({ [modelField.graph]: visitGraph }));
