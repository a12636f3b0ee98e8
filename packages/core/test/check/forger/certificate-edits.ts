// Changes of a certificate: every field that it has, and those that it may have.
import type { Certificate, CertificateBlock, CertificateNode } from "../../../src/check/certificate.ts";
import type { Random } from "../../../src/numbers/random.ts";
import { anySize, chosen, type Edit } from "./network-edits.ts";

/** An edit that changes a copy of the certificate in place. */
const inPlace =
  (change: (draft: Certificate, random: Random, tensors: readonly string[]) => void): Edit =>
  ({ graph, certificate }, random) => {
    const draft = structuredClone(certificate);
    change(draft, random, ["x", ...graph.nodes.flatMap((node) => node.outputs)]);
    return { graph, certificate: draft };
  };

const further = ({ nodes }: Certificate): CertificateNode[] =>
  nodes.filter(({ args, id, op }) => op !== "variable" && args.every((a) => a < id));
const anyNode = (draft: Certificate, random: Random): CertificateNode => chosen(further(draft), random);
const anyBlock = (draft: Certificate, random: Random): CertificateBlock => chosen(draft.blocks, random);
const factor = (random: Random): number => chosen([0, 0.5, 0.9, 1.1, 2, 10, 1 + anySize(random)], random);

/** Servants come and go: one node, mostly one that is no part of the formula, or all that are made of one. */
const servants = inPlace((draft, random) => {
  const helpers = draft.nodes.filter(({ id }) => id > draft.output);
  const first =
    helpers.length > 0 && random.uniform() < 0.7 ? chosen(helpers, random) : anyNode(draft, random);
  const all = new Set([first.id]);
  if (random.uniform() < 0.3)
    for (const { id, args } of draft.nodes) if (args.some((a) => all.has(a))) all.add(id);
  const isCalled = random.uniform() < 0.7;
  for (const id of all) {
    const node = draft.nodes[id]!;
    if (isCalled) node.servant = random.integer(0, draft.nodes.length - 1);
    else delete node.servant;
  }
});

const args = inPlace((draft, random) => {
  const node = anyNode(draft, random);
  if (node.args.length > 0)
    node.args[random.integer(0, node.args.length - 1)] = random.integer(0, draft.nodes.length - 1);
});

const op = inPlace((draft, random) => {
  const node = anyNode(draft, random);
  const [pairs, singles] = [["product", "max", "min"] as const, ["square", "abs"] as const];
  node.op = chosen<CertificateNode["op"]>(
    node.args.length === 2 ? pairs : [...singles, "sin", "cos", "exp", "power"],
    random,
  );
  if (node.op === "square" && node.args.length === 2) node.args = [node.args[0]!];
});

const coefficients = inPlace((draft, random) => {
  const affine = draft.nodes.filter((node) => node.op === "affine");
  if (affine.length === 0) return;
  const node = chosen(affine, random);
  const pairs = [node.constant!, ...node.coefficients!];
  const pair = chosen(pairs, random);
  const by = anySize(random);
  const side = random.integer(0, 2);
  if (side !== 0) pair[0] += by;
  if (side !== 1) pair[1] += by;
  if (random.uniform() < 0.2) pair.reverse();
});

const ranges = inPlace((draft, random) => {
  const node = chosen(draft.nodes, random);
  const width = node.range[1] - node.range[0];
  const cut = chosen([0.3, 0.1, -0.1, -1, anySize(random)], random) * width;
  const side = random.integer(0, 2);
  node.range = [node.range[0] + (side === 1 ? 0 : cut), node.range[1] - (side === 0 ? 0 : cut)];
});

/** Claims of errors, of one node or block or of all of them. */
const errors = inPlace((draft, random) => {
  const by = factor(random);
  const [nodes, blocks] =
    random.uniform() < 0.5
      ? [draft.nodes, draft.blocks]
      : [[anyNode(draft, random)], [anyBlock(draft, random)]];
  const kind = random.integer(0, 4);
  for (const node of nodes) {
    if (kind === 0 || kind === 4) node.error *= by;
    if (kind === 1 || kind === 4) node.runError *= by;
  }
  for (const block of blocks) {
    if (kind === 2 || kind === 4) block.localError = block.localError.map((e) => e * by);
    if (kind === 3 || kind === 4) block.rounding = block.rounding.map((e) => e * by);
  }
});

const places = inPlace((draft, random, tensors) => {
  const node = chosen(draft.nodes, random);
  const block = draft.blocks.find((b) => b.nodes.includes(node.id));
  const tensor = chosen(tensors, random);
  node.tensor = tensor;
  if (block && random.uniform() < 0.7) block.output = tensor;
  if (random.uniform() < 0.2) node.column = random.integer(0, 2);
  for (const b of draft.blocks) if (!b.inputs.includes(tensor)) b.inputs.push(tensor);
});

/** Names between the tensors of a block. */
const names = inPlace((draft, random, tensors) => {
  const block = anyBlock(draft, random) as CertificateBlock & Record<string, unknown>;
  const name = chosen(tensors, random);
  const keys = ["argument", "left", "right", "scaled"].filter((key) => typeof block[key] === "string");
  const chain = block["chain"] as { folds: string[]; square: string } | undefined;
  const folds = chain?.folds ?? (block["folds"] as string[] | undefined);
  const kind = random.integer(0, 3);
  if (kind === 0 && keys.length > 0) Object.assign(block, { [chosen(keys, random)]: name });
  else if (kind === 1 && chain) chain.square = name;
  else if (folds && folds.length > 0) {
    const at = random.integer(0, folds.length - 1);
    if (random.uniform() < 0.4) folds.splice(at, 1);
    else folds.splice(at, random.integer(0, 1), name);
    if (chain && random.uniform() < 0.5 && chain.folds[0]) Object.assign(block, { scaled: chain.folds[0] });
  }
  if (block.kind === "spline") block.pieces = random.integer(1, 9);
});

/** Blocks and nodes: moved, dropped, doubled, of another kind. */
const structure = inPlace((draft, random) => {
  const at = random.integer(0, draft.blocks.length - 1);
  const block = draft.blocks[at]!;
  const kind = random.integer(0, 5);
  if (kind === 0) draft.blocks.splice(at, 1);
  if (kind === 1) draft.blocks.splice(random.integer(0, draft.blocks.length), 0, structuredClone(block));
  if (kind === 2) draft.blocks.splice(random.integer(0, at), 0, ...draft.blocks.splice(at, 1));
  if (kind === 3 && block.kind === "affine")
    draft.blocks[at] = {
      ...block,
      kind: "polynomial",
      argument: block.nodes.map((id) => draft.nodes[id]!.args[0] ?? 0),
    };
  if (kind === 4 && block.kind === "polynomial")
    block.argument = block.argument.map(() => random.integer(0, draft.nodes.length - 1));
  if (kind === 5) {
    // A node of the same meaning, which a block of its own computes at the same place.
    const id = draft.nodes.length;
    const node = structuredClone(draft.nodes[block.nodes[0]!]!);
    draft.nodes.push({ ...node, id });
    draft.blocks.push({ ...structuredClone(block), nodes: [id, ...block.nodes.slice(1)] });
    if (random.uniform() < 0.5)
      for (const other of draft.nodes)
        if (other.id > node.id && other.id < id && other.servant !== undefined)
          other.args = other.args.map((a) => (a === node.id ? id : a));
  }
});

/** Two further nodes change their numbers, with all that speaks of them. */
const permuted = inPlace((draft, random) => {
  const [a, b] = [anyNode(draft, random).id, anyNode(draft, random).id];
  const turn = (id: number): number => (id === a ? b : id === b ? a : id);
  [draft.nodes[a], draft.nodes[b]] = [draft.nodes[b]!, draft.nodes[a]!];
  draft.nodes.forEach((node, id) => {
    [node.id, node.args] = [id, node.args.map(turn)];
  });
  for (const block of draft.blocks) {
    block.nodes = block.nodes.map(turn);
    if (block.kind === "polynomial") block.argument = block.argument.map(turn);
  }
});

const box = inPlace((draft, random) => {
  const side = chosen(draft.box, random);
  const width = side.upper - side.lower;
  const by = chosen([0.1, -0.1, 0.5, 0.001, anySize(random)], random) * width;
  if (random.uniform() < 0.5) side.upper += by;
  else side.lower -= by;
});

const formula = inPlace((draft, random) => {
  const number = /\d+(\.\d+)?/g;
  const swaps: readonly (readonly [RegExp, string])[] = [
    [/\+/, "-"],
    [/-/, "+"],
    [/max/, "min"],
    [/min/, "max"],
    [/sin/, "cos"],
    [/cos/, "sin"],
    [/exp/, "cosh"],
    [/sqrt/, "exp"],
    [/\bx\b/, "(x + 0.001)"],
    [number, String(random.integer(1, 5))],
  ];
  draft.formula = draft.formula.replace(...(chosen(swaps, random) as [RegExp, string]));
  const exponent = Number(/\^(\d+)/.exec(draft.formula)?.[1] ?? 2);
  for (const node of draft.nodes) if (node.exponent !== undefined) node.exponent = exponent;
});

const claims = inPlace((draft, random) => {
  const kind = random.integer(0, 4);
  if (kind === 0) draft.eps *= factor(random) + 1e-9;
  if (kind === 1) draft.certifiedError *= factor(random);
  if (kind === 2) draft.realError *= factor(random);
  if (kind === 3) draft.dtype = draft.dtype === "f32" ? "f64" : "f32";
  if (kind === 4) draft.output = random.integer(0, draft.nodes.length - 1);
});

export const certificateEdits: Readonly<Record<string, Edit>> = {
  ...{
    servants,
    args,
    op,
    coefficients,
    ranges,
    errors,
    places,
    names,
    structure,
    permuted,
    box,
    formula,
    claims,
  },
};
