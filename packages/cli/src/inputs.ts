// Inputs for a model: from data files, fitted to what the model declares, or seeded random numbers.

import {
  cast,
  elementCount,
  type Graph,
  isFloat,
  isTensorType,
  type NumericType,
  numbers,
  requiredInputs,
  type Tensor,
  type TensorType,
  tensor,
  type ValueInfo,
} from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import { readData } from "./files.ts";
import { UsageError } from "./usage-error.ts";

/** Random inputs are for trying a model out, not for filling the memory. */
const mostRandomValues = 1e7;

const describeShape = (shape: readonly (number | string | undefined)[] | undefined): string =>
  shape ? `[${shape.map((d) => d ?? "?").join(", ")}]` : "of any shape";

const describeInput = ({ name, type }: ValueInfo): string =>
  `"${name}" ${isTensorType(type) ? `${type.type === "undefined" ? "of unknown type," : type.type} ${describeShape(type.shape)}` : type.description}`;

const list = (inputs: readonly ValueInfo[]): string => inputs.map(describeInput).join(", ") || "none";

/** The inputs that data files give, by name; `name=file` says which input a file is for. */
export function inputsFromFiles(graph: Graph, specifications: readonly string[]): Record<string, Tensor> {
  const given: Record<string, Tensor> = {};
  for (const specification of specifications) {
    const [, named, path] = /^([^=/]+)=(.+)$/.exec(specification) ?? [];
    const file = path ?? specification;
    for (const [key, values] of Object.entries(readData(file))) {
      const input = inputFor(graph, named, key, file);
      if (Object.hasOwn(given, input.name))
        throw new UsageError(`input "${input.name}" is given twice, again by ${file}`);
      given[input.name] = fit(input, values, file);
    }
  }
  return given;
}

function inputFor(graph: Graph, named: string | undefined, key: string, file: string): ValueInfo {
  const wanted = requiredInputs(graph);
  const find = (name: string) => graph.inputs.find((i) => i.name === name);
  if (named !== undefined) {
    const input = find(named);
    if (!input) throw new UsageError(`the model has no input "${named}"; its inputs: ${list(wanted)}`);
    return input;
  }
  const input = find(key) ?? (wanted.length === 1 ? wanted[0] : undefined);
  if (input) return input;
  throw new UsageError(
    `${file} does not say which input it is for; write --input NAME=${file}; inputs: ${list(wanted)}`,
  );
}

/** Numbers converted to the declared type; the shape completed where only one completion is possible. */
function fit({ name, type }: ValueInfo, values: Tensor, file: string): Tensor {
  if (!isTensorType(type))
    throw new UsageError(`input "${name}" is a ${type.description}, which a file cannot give`);
  // Shapes first: a few packed bytes may be billions of numbers.
  const dims = fittingDims(name, type.shape, values, file);
  const converted =
    type.type === values.type ? values : converting(name, type.type as NumericType, values, file);
  return { ...converted, dims };
}

function fittingDims(
  name: string,
  shape: TensorType["shape"],
  { dims }: Tensor,
  file: string,
): readonly number[] {
  if (!shape) return dims;
  const count = elementCount(dims);
  const fixed = shape.reduce<number>((n, d) => n * (typeof d === "number" ? d : 1), 1);
  const open = shape.filter((d) => typeof d !== "number").length;
  const isSameRank = shape.length === dims.length;
  const isFit = isSameRank
    ? shape.every((d, k) => typeof d !== "number" || d === dims[k])
    : open <= 1 && (open === 0 ? fixed === count : count % fixed === 0);
  if (!isFit)
    throw new UsageError(
      `${file} has shape [${dims.join(", ")}], but input "${name}" is ${describeShape(shape)}`,
    );
  return isSameRank ? dims : shape.map((d) => (typeof d === "number" ? d : count / fixed));
}

const integerRanges: Readonly<Record<string, readonly [number, number]>> = {
  bool: [0, 1],
  ...Object.fromEntries(
    [8, 16, 32, 64].map((bits) => [`int${bits}`, [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1]]),
  ),
  ...Object.fromEntries([8, 16, 32, 64].map((bits) => [`uint${bits}`, [0, 2 ** bits - 1]])),
};

/** The same numbers in the declared type; one that an integer type cannot hold is refused, not bent. */
function converting(name: string, type: NumericType, values: Tensor, file: string): Tensor {
  const range = integerRanges[type];
  if (range && values.type !== "string") {
    const bad = numbers(values).find((v) => !Number.isInteger(v) || v < range[0] || v > range[1]);
    if (bad !== undefined)
      throw new UsageError(
        `${file}: ${bad} is not ${/^[aeiou]/.test(type) ? "an" : "a"} ${type}, which input "${name}" wants`,
      );
  }
  return cast(values, type);
}

/** Normal numbers for floating-point inputs, 0 or 1 for others. */
export function randomInput({ name, type }: ValueInfo, seed: number): Tensor {
  if (!isTensorType(type) || type.type === "string" || type.type === "undefined") {
    throw new UsageError(`input ${describeInput({ name, type })} cannot be filled at random`);
  }
  const dims = (type.shape ?? []).map((d) => (typeof d === "number" ? d : 1));
  const count = elementCount(dims);
  if (count > mostRandomValues)
    throw new UsageError(`input "${name}" has ${count} values, too many for --random`);
  const random = createRandom(`${seed}/${name}`);
  const values = isFloat(type.type) ? random.normal(count) : random.uniform(count).map(Math.round);
  return tensor(values, { type: type.type, dims });
}

/** Says which inputs still need data. */
export function requireInputs(graph: Graph, given: Readonly<Record<string, Tensor>>, instead = ""): void {
  const missing = requiredInputs(graph).filter((i) => !Object.hasOwn(given, i.name));
  if (missing.length > 0) throw new UsageError(`give data for ${list(missing)} with --input FILE${instead}`);
}
