// Mutations of operators, their attributes and their versions.
import { operators } from "@lemmata/core/graph";
import {
  type AttributeProto,
  attributesOf,
  FLOAT,
  INT,
  INTS,
  int64,
  intAttribute,
  intsAttribute,
  nodesOf,
  pick,
  STRING,
} from "./proto.ts";
import { extremes } from "./sizes.ts";
import type { StructuralMutation } from "./structure.ts";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const texts = ["", "SAME_UPPER", "VALID", "garbage", "reverse", "ii->i", "...ij->ji", "a,b,c->abc", "cubic"];
const operatorNames = [
  ...Object.keys(operators),
  ..."Unknown SequenceConstruct Optional StringNormalizer NonMaxSuppression RoiAlign Unique Compress DFT".split(
    " ",
  ),
  ..."MaxUnpool MatMulInteger ConvInteger QuantizeLinear GridSample Col2Im STFT TfIdfVectorizer".split(" "),
  ..."ReverseSequence Hardmax Bernoulli Multinomial HannWindow MelWeightMatrix CenterCropPad".split(" "),
];
const addedAttributes: readonly ((value: bigint) => AttributeProto)[] = [
  ..."axis group transA transB keepdims ceil_mode blocksize hidden_size to dtype batch_dims allowzero".split(
    " ",
  ),
  ..."num_outputs num_scan_inputs storage_order count_include_pad largest sorted exclusive reverse p".split(
    " ",
  ),
].map((name) => (value: bigint) => intAttribute(name, value));
const addedLists: readonly ((value: bigint) => AttributeProto)[] =
  "pads strides dilations kernel_shape output_padding output_shape axes perm split starts ends shape"
    .split(" ")
    .flatMap((name) => [1, 2, 4].map((n) => (value: bigint) => intsAttribute(name, Array(n).fill(value))));

export const attributeMutations: Readonly<Record<string, StructuralMutation>> = {
  attributeValue(model, random) {
    const a = pick(random, attributesOf(model));
    if (!a) return;
    const value = int64(pick(random, extremes)!);
    if (a.type === INT) a.i = value;
    else if (a.type === INTS && a.ints?.length) a.ints[random.integer(0, a.ints.length - 1)] = value;
    else if (a.type === FLOAT)
      a.f = pick(random, [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1e38, -1e-45]);
    else if (a.type === STRING) a.s = text(pick(random, texts)!);
  },
  attributeLength(model, random) {
    const ints = pick(
      random,
      attributesOf(model).filter((a) => a.type === INTS),
    )?.ints;
    if (!ints) return;
    if (random.uniform() < 0.5) ints.pop();
    else for (let k = random.integer(1, 200); k > 0; k--) ints.push(1);
  },
  attributeRemoved: (model, random) => void pick(random, nodesOf(model))?.attribute?.pop(),
  attributeDuplicated(model, random) {
    const attributes = pick(random, nodesOf(model))?.attribute;
    const one = attributes && pick(random, attributes);
    if (one) attributes.push({ ...one });
  },
  attributeType(model, random) {
    const a = pick(random, attributesOf(model));
    if (a) a.type = random.integer(0, 15) as never;
  },
  attributeAdded(model, random) {
    const node = pick(random, nodesOf(model));
    const make = pick(random, random.uniform() < 0.5 ? addedAttributes : addedLists)!;
    if (node) node.attribute = [...(node.attribute ?? []), make(pick(random, extremes)!)];
  },
  operatorChanged(model, random) {
    const node = pick(random, nodesOf(model));
    if (node) node.opType = pick(random, operatorNames);
  },
  operatorAndInputsChanged(model, random) {
    const node = pick(random, nodesOf(model));
    if (!node) return;
    node.opType = pick(random, operatorNames);
    const names = nodesOf(model).flatMap((n) => n.input ?? []);
    node.input = Array.from({ length: random.integer(0, 5) }, () => pick(random, names) ?? "");
    node.attribute = [];
  },
  domain(model, random) {
    const node = pick(random, nodesOf(model));
    if (!node) return;
    node.domain = pick(random, ["ai.onnx.ml", "com.microsoft", "com.example", "ai.onnx.training", "a\nb"]);
    if (random.uniform() < 0.5) model.opsetImport?.push({ domain: node.domain, version: 1 });
  },
  opset(model, random) {
    const version = pick(random, [0, 1, 6, 7, 8, 9, 10, 11, 12, 13, 17, 18, 20, 22, 25, 26, 99, -1])!;
    model.opsetImport = [{ domain: random.uniform() < 0.2 ? "ai.onnx" : "", version }];
  },
  opsetMissing(model) {
    model.opsetImport = [];
  },
  irVersion(model, random) {
    model.irVersion = int64(pick(random, [0n, 1n, 2n, 3n, 4n, 8n, 13n, 14n, 99n, -1n, 2n ** 62n])!);
  },
};
