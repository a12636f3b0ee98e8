// A way to use an operator, changed at its edges: attributes, indices, sizes, element types, what is constant.

import type { Attribute } from "../../src/graph/graph.ts";
import { type OperatorName, operators } from "../../src/graph/operators/index.ts";
import { writeAttributes } from "../../src/graph/operators/spec.ts";
import { elementCount, type NumericType, type Tensor } from "../../src/graph/tensor.ts";
import type { Random } from "../../src/numbers/random.ts";
import type { OperatorCase } from "../graph/operators-runtime.ts";
import { chance, drawInteger, drawNumber, drawTensor, oneOf, withoutZeros } from "./edge-values.ts";

/** A node to be: its inputs (a string leaves one out), which of them are weights, and attributes as a file has them. */
export interface Usage {
  readonly op: string;
  readonly inputs: readonly (Tensor | "")[];
  readonly weights: ReadonlySet<number>;
  readonly attributes: ReadonlyMap<string, Attribute>;
  readonly outputs: number;
}

export const usageOf = (op: OperatorName, test: OperatorCase): Usage => ({
  op,
  inputs: test.inputs,
  weights: new Set(test.weights ?? []),
  attributes: writeAttributes(operators[op].attributes, test.attributes ?? {}),
  outputs: test.outputs ?? 1,
});

/** What sizes depend on must stay small, and by zero the runtime itself divides: its process would end. */
const sizing =
  /^(pads|kernel_shape|strides|dilations|output_padding|output_shape|shape|group|num_groups|blocksize|hidden_size|sample_size|num_outputs|size|num_scan_inputs|scan_.*|split|value_ints?|dtype|to|k|p|batch_dims)$/;
/** Inputs, by operator and place, that sizes depend on. */
const sizingInputs =
  /^(Reshape|Expand|Tile|ConstantOfShape|Pad|Split|TopK|OneHot)\/1$|^(ConstantOfShape|Range|Loop|Multinomial)\/0$|^(Range)\/[12]$|^Resize\/[23]$/;
const words: Readonly<Record<string, readonly string[]>> = {
  auto_pad: ["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"],
  mode: ["constant", "edge", "reflect", "wrap", "nearest", "linear", "cubic", "DCR", "CRD"],
  reduction: ["none", "add", "mul", "max", "min"],
  direction: ["forward", "reverse", "bidirectional", "LEFT", "RIGHT"],
  approximate: ["none", "tanh"],
  keep_aspect_ratio_policy: ["stretch", "not_larger", "not_smaller"],
  coordinate_transformation_mode: [
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_crop_and_resize",
  ],
  nearest_mode: ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"],
};
const activationNames =
  "Relu Tanh Sigmoid Affine LeakyRelu ThresholdedRelu ScaledTanh HardSigmoid Elu Softsign Softplus".split(
    " ",
  );

const smallInteger = (random: Random, name: string): bigint =>
  BigInt(
    random.integer(
      name === "pads" ? -2 : name === "batch_dims" ? 0 : 1,
      name === "to" || name === "dtype" ? 20 : 4,
    ),
  );
/** With another number than 0 and 1 a cast leaves memory that nobody wrote. */
const integerFor = (random: Random, name: string): bigint =>
  name === "saturate"
    ? BigInt(random.integer(0, 1))
    : sizing.test(name)
      ? smallInteger(random, name)
      : drawInteger(random, true);

function changedList(random: Random, name: string, list: readonly bigint[]): readonly bigint[] {
  const at = random.integer(0, Math.max(0, list.length - 1));
  const kind = random.integer(0, 5);
  if (kind === 0) return [...list].reverse();
  if (kind === 1) return list.length > 0 ? [...list, list[at]!] : [0n];
  if (kind === 2) return list.slice(1);
  return list.map((v, k) => (k === at ? integerFor(random, name) : v));
}

function changedAttribute(
  random: Random,
  name: string,
  type: Attribute["type"],
  old?: Attribute,
): Attribute | undefined {
  if (old && chance(random, 0.15)) return undefined;
  if (type === "int") return { type, value: integerFor(random, name) };
  if (type === "float") return { type, value: Math.fround(drawNumber(random)) };
  if (type === "string" && words[name]) return { type, value: oneOf(random, words[name]) };
  if (type === "ints") {
    const list =
      old?.type === "ints"
        ? old.value
        : Array.from({ length: random.integer(0, 3) }, () => integerFor(random, name));
    return { type, value: old ? changedList(random, name, list) : list };
  }
  if (type === "floats")
    return {
      type,
      value: Array.from({ length: random.integer(0, 3) }, () => Math.fround(drawNumber(random))),
    };
  if (type === "strings" && name === "activations")
    return {
      type,
      value: Array.from({ length: random.integer(1, 4) }, () => oneOf(random, activationNames)),
    };
  return old;
}

function changeAttribute(random: Random, usage: Usage): Usage {
  const specs = Object.entries(operators[usage.op as OperatorName].attributes);
  if (specs.length === 0) return usage;
  const [name, { type }] = oneOf(random, specs);
  const attributes = new Map(usage.attributes);
  const changed = changedAttribute(random, name, type, attributes.get(name));
  if (changed) attributes.set(name, changed);
  else attributes.delete(name);
  return { ...usage, attributes };
}

/** Integers that are no data: axes, starts, ends, indices. */
function changeIndices(random: Random, usage: Usage): Usage {
  const places = usage.inputs.flatMap((t, k) => (t !== "" && k > 0 && t.type === "int64" ? [k] : []));
  if (places.length === 0) return usage;
  const place = oneOf(random, places);
  const old = usage.inputs[place] as Tensor;
  const list = [...(old.data as BigInt64Array)];
  const isSizing = sizingInputs.test(`${usage.op}/${place}`);
  const drawn = (): bigint =>
    isSizing ? BigInt(random.integer(usage.op === "Pad" ? -2 : -1, 4)) : drawInteger(random, true);
  const isVector = old.dims.length === 1;
  const changed =
    isVector && chance(random, 0.3)
      ? changedList(random, isSizing ? "pads" : "axes", list)
      : list.map((v) => (chance(random, 0.5) ? drawn() : v));
  const dims = changed.length === list.length ? old.dims : [changed.length];
  const type = chance(random, 0.1) ? "int32" : "int64";
  const fits = changed.every((n) => BigInt.asIntN(32, n) === n);
  const t: Tensor =
    type === "int32" && fits
      ? { type, dims, data: Int32Array.from(changed, Number) }
      : { type: "int64", dims, data: BigInt64Array.from(changed) };
  return { ...usage, inputs: usage.inputs.map((x, k) => (k === place ? t : x)) };
}

/** All sizes of one length become another, in every input. */
function changeSize(random: Random, usage: Usage): Usage {
  const sizes = [...new Set(usage.inputs.flatMap((t) => (t === "" ? [] : t.dims)))];
  if (sizes.length === 0) return usage;
  const isCrash = /^(InstanceNormalization|TopK)$/.test(usage.op); // on nothing the runtime's process ends
  const [from, to] = [oneOf(random, sizes), oneOf(random, isCrash ? [1, 2, 5] : [0, 1, 1, 2, 2, 3, 5])];
  return {
    ...usage,
    inputs: usage.inputs.map((t) => {
      if (t === "" || !t.dims.includes(from)) return t;
      const dims = t.dims.map((d) => (d === from ? to : d));
      if (t.type !== "int64") return drawTensor(random, t.type as NumericType, dims);
      const old = [...(t.data as BigInt64Array)];
      const data = BigInt64Array.from({ length: elementCount(dims) }, (_, k) => old[k % old.length] ?? 0n);
      return { type: t.type, dims, data };
    }),
  };
}

const types: readonly NumericType[] = [
  "float64",
  "float64",
  "float16",
  "bfloat16",
  "int32",
  "int64",
  "int8",
  "uint8",
  "int16",
  "uint16",
  "uint32",
  "uint64",
  "bool",
];

/** Another element type of the data. */
function changeType(random: Random, usage: Usage): Usage {
  const type = oneOf(random, types);
  return {
    ...usage,
    inputs: usage.inputs.map((t) =>
      t !== "" && t.type === "float32" ? drawTensor(random, type, t.dims) : t,
    ),
  };
}

/** Optional inputs left out, from the back or in the middle. */
function dropInput(random: Random, usage: Usage): Usage {
  const [least, most] = operators[usage.op as OperatorName].inputs;
  if (usage.inputs.length <= least || most === Number.POSITIVE_INFINITY) return usage; // the runtime crashes on gaps
  const at = random.integer(least, usage.inputs.length - 1);
  return { ...usage, inputs: usage.inputs.map((t, k) => (k === at ? "" : t)) };
}

const changes = [
  changeAttribute,
  changeAttribute,
  changeAttribute,
  changeIndices,
  changeIndices,
  changeSize,
  changeType,
  dropInput,
];

/** Random data, and some changes. Integers are mostly weights, as they are in files; floats are so sometimes. */
export function mutated(random: Random, original: Usage): Usage {
  let usage: Usage = {
    ...original,
    inputs: original.inputs.map((t, k) =>
      t !== "" && t.type === "float32" && !sizingInputs.test(`${original.op}/${k}`)
        ? drawTensor(random, "float32", t.dims)
        : t,
    ),
  };
  const count = oneOf(random, [0, 1, 1, 1, 2, 2, 3]);
  for (let k = 0; k < count; k++) usage = oneOf(random, changes)(random, usage);
  const floatsFixed = chance(random, 0.5);
  const weights = usage.inputs.flatMap((t, k) => {
    if (t === "") return [];
    if (t.type.startsWith("int") || t.type === "bool") return chance(random, 0.85) ? [k] : [];
    return original.weights.has(k) || (k > 0 && floatsFixed) ? [k] : [];
  });
  // More outputs than it says end the runtime's process.
  const parts = usage.attributes.get("num_outputs");
  const attributes = new Map(usage.attributes);
  if (parts) attributes.set("num_outputs", { type: "int", value: BigInt(usage.outputs) });
  const divides = /^(Div|Mod)$/.test(usage.op);
  const inputs = usage.inputs.map((t, k) => (divides && t !== "" && k === 1 ? withoutZeros(t) : t));
  return { ...usage, inputs, attributes, weights: new Set(weights) };
}
