// Mutations of what is connected to what, and of names.
import type { Random } from "@lemmata/core/numbers";
import { attributesOf, graphsOf, int64, type Model, nodesOf, pick, valueInfosOf } from "./proto.ts";
import type { StructuralMutation } from "./structure.ts";

const hostileNames = [
  "",
  "two\nlines",
  "\x1b[2J\x1b[31mred",
  "\r\nlemmata: fine",
  "nul\0inside",
  "long ".repeat(20_000),
  "\u202Eright to left",
  "line\u2028separator",
  "__proto__",
  "constructor",
  "toString",
  '"quoted"\\',
  "%s%n%d",
];

const someNames = (model: Model): string[] => [
  ...nodesOf(model).flatMap((n) => [...(n.input ?? []), ...(n.output ?? [])]),
  ...valueInfosOf(model).map((v) => v.name ?? ""),
];

/** Renames a value everywhere. */
function rename(model: Model, from: string, to: string): void {
  const renamed = (names: string[] | null | undefined) => names?.map((n) => (n === from ? to : n));
  for (const node of nodesOf(model)) {
    node.input = renamed(node.input);
    node.output = renamed(node.output);
  }
  for (const graph of graphsOf(model))
    for (const named of [...(graph.initializer ?? []), ...(graph.input ?? []), ...(graph.output ?? [])])
      if (named.name === from) named.name = to;
  for (const info of valueInfosOf(model)) if (info.name === from) info.name = to;
}

function changeInput(model: Model, random: Random, to: (names: string[]) => string | undefined): void {
  const inputs = pick(random, nodesOf(model))?.input;
  const name = to(someNames(model));
  if (inputs && name !== undefined) inputs[random.integer(0, inputs.length)] = name;
}

export const wiringMutations: Readonly<Record<string, StructuralMutation>> = {
  cycle(model, random) {
    const nodes = pick(random, graphsOf(model))?.node ?? [];
    const at = random.integer(0, Math.max(0, nodes.length - 1));
    const later = pick(random, nodes.slice(at));
    const inputs = nodes[at]?.input;
    if (inputs && later?.output?.[0]) inputs[random.integer(0, inputs.length)] = later.output[0];
  },
  inputRewired: (model, random) => changeInput(model, random, (names) => pick(random, names)),
  inputUnknown: (model, random) => changeInput(model, random, () => "nobody makes this"),
  inputLeftOut: (model, random) => changeInput(model, random, () => ""),
  inputRemoved: (model, random) => void pick(random, nodesOf(model))?.input?.pop(),
  inputsSwapped: (model, random) => void pick(random, nodesOf(model))?.input?.reverse(),
  manyInputs(model, random) {
    const inputs = pick(random, nodesOf(model))?.input;
    if (inputs?.[0]) for (let k = random.integer(1, 300); k > 0; k--) inputs.push(inputs[0]);
  },
  outputDuplicated(model, random) {
    const outputs = pick(random, nodesOf(model))?.output;
    const name = pick(random, someNames(model));
    if (outputs && name !== undefined) outputs[random.integer(0, outputs.length)] = name;
  },
  outputRemoved: (model, random) => void pick(random, nodesOf(model))?.output?.pop(),
  nodeDuplicated(model, random) {
    const nodes = pick(random, graphsOf(model))?.node;
    const one = nodes && pick(random, nodes);
    if (one) nodes.push(one);
  },
  nodeRemoved(model, random) {
    const nodes = pick(random, graphsOf(model))?.node;
    nodes?.splice(random.integer(0, Math.max(0, nodes.length - 1)), 1);
  },
  nodesReordered: (model, random) => void random.shuffle(pick(random, graphsOf(model))?.node ?? []),
  sameNodeName(model) {
    for (const node of nodesOf(model)) node.name = "the same";
  },
  initializerDuplicated(model, random) {
    const weights = pick(random, graphsOf(model))?.initializer;
    const one = weights && pick(random, weights);
    if (one) weights.push({ ...one, dims: [...(one.dims ?? []), 1] });
  },
  initializerRemoved: (model, random) => void pick(random, graphsOf(model))?.initializer?.shift(),
  inputDuplicated(model, random) {
    const inputs = pick(random, graphsOf(model))?.input;
    const one = inputs && pick(random, inputs);
    if (one) inputs.push(one);
  },
  graphOutputRenamed(model, random) {
    const output = pick(random, pick(random, graphsOf(model))?.output ?? []);
    const name = pick(random, someNames(model));
    if (output && name !== undefined) output.name = name;
  },
  graphOutputRemoved: (model, random) => void pick(random, graphsOf(model))?.output?.pop(),
  weightAsInput(model, random) {
    const graph = pick(random, graphsOf(model));
    const weight = pick(random, graph?.initializer ?? []);
    if (!graph || !weight) return;
    const dim = (weight.dims ?? []).map((dimValue) => ({ dimValue }));
    const type = { tensorType: { elemType: weight.dataType, shape: { dim } } };
    graph.input = [...(graph.input ?? []), { name: weight.name, type }];
  },
  hostileValueName(model, random) {
    const name = pick(random, someNames(model));
    if (name) rename(model, name, pick(random, hostileNames)!);
  },
  /** Only in one place: the error has to show it. */
  hostileInput: (model, random) => changeInput(model, random, () => pick(random, hostileNames)),
  hostileNodeName(model, random) {
    const node = pick(random, nodesOf(model));
    if (!node) return;
    node.name = pick(random, hostileNames);
    if (random.uniform() < 0.5) node.input?.push("unknown");
  },
  hostileOperator(model, random) {
    const node = pick(random, nodesOf(model));
    if (node) node.opType = pick(random, hostileNames);
  },
  hostileDimension(model, random) {
    const dim = pick(random, pick(random, valueInfosOf(model))?.type?.tensorType?.shape?.dim ?? []);
    if (dim) Object.assign(dim, { dimValue: undefined, dimParam: pick(random, hostileNames) });
  },
  hostileAttributeName(model, random) {
    const attribute = pick(random, attributesOf(model));
    if (attribute) attribute.name = pick(random, hostileNames);
  },
  hostileTensorName(model, random) {
    const weight = pick(random, pick(random, graphsOf(model))?.initializer ?? []);
    if (weight) Object.assign(weight, { name: pick(random, hostileNames), dims: [int64(-1n)] });
  },
};
