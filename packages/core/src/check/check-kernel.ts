// The certificate of a stochastic network is checked against the ONNX file alone: its layers are read, and from each input
// the states of all units are followed, layer by layer and unit by unit. Branches that are too unlikely to matter are given
// up, and their chances counted as error.
import type { Graph, Node } from "../graph/graph.ts";
import { isTensorType } from "../graph/graph.ts";
import { readModel } from "../graph/onnx/read.ts";
import { sha256 } from "./certificate.ts";
import { Refutation } from "./error.ts";
import { type KernelCertificate, kernelCertificateSchema } from "./kernel-certificate.ts";
import { Operands, refuse } from "./operands.ts";

/** `error` is what was found here, in doubles; `undecided` says that the network is too large, not that it is wrong. */
export type KernelCheck =
  | { readonly ok: true; readonly error: number; readonly units: number }
  | { readonly ok: false; readonly node: string; readonly reason: string; readonly undecided: boolean };

class TooLarge extends Error {}

interface Unit {
  readonly bias: number;
  readonly reads: readonly (readonly [column: number, weight: number])[];
}

/** Units that may be asked for their chance, over all inputs: some seconds. */
const mostWork = 3e7;
/** Rows of the table, and of the sums of chances, are this near to 1. */
const rounding = 1e-9;
const double = 11;

/** One layer: u < sigmoid(h W^T + b), as a number. */
function layerOf(
  nodes: readonly Node[],
  before: string,
  uniform: string,
  columns: number,
  operands: Operands,
): readonly Unit[] {
  const [affine, sigmoid, less, cast] = nodes as readonly [Node, Node, Node, Node];
  const chain = [affine, sigmoid, less, cast];
  const names = ["Gemm", "Sigmoid", "Less", "Cast"];
  chain.forEach((node, k) => {
    if (node.op !== names[k] || node.domain !== "" || node.outputs.length !== 1)
      throw refuse(node, `a ${names[k]} is expected there`);
  });
  const isLinked =
    affine.inputs[0] === before &&
    sigmoid.inputs[0] === affine.outputs[0] &&
    less.inputs[0] === uniform &&
    less.inputs[1] === sigmoid.outputs[0] &&
    cast.inputs[0] === less.outputs[0];
  if (!isLinked) throw refuse(affine, `it is no layer from "${before}" with "${uniform}"`);
  const plain = ["alpha", "beta"].every((name) => operands.attribute(affine, name, 1) === 1);
  if (
    !plain ||
    operands.attribute(affine, "transA", 0) !== 0 ||
    operands.attribute(affine, "transB", 0) !== 1
  )
    throw refuse(affine, "it is not h W^T + b");
  if (operands.attribute(cast, "to", 0) !== double) throw refuse(cast, "it does not make doubles");
  const [W, b] = [operands.weights(affine, 1), operands.weights(affine, 2)];
  const [rows, width] = W.dims as [number, number];
  if (W.dims.length !== 2 || width !== columns || b.dims.length !== 1 || b.dims[0] !== rows)
    throw refuse(affine, `its weights do not fit ${columns} columns`);
  return Array.from({ length: rows }, (_, r) => ({
    bias: b.data[r]!,
    reads: Array.from({ length: width }, (_, c) => [c, W.data[r * width + c]!] as const).filter(
      ([, w]) => w !== 0,
    ),
  }));
}

function layersOf(graph: Graph, { network, table }: KernelCertificate): readonly (readonly Unit[])[] {
  const operands = new Operands(graph, "float64");
  const inputs = Math.log2(table.length);
  const names = [network.input, ...network.uniforms];
  const isPlain = names.every((name, k) => {
    const found = graph.inputs[k];
    const type = found && isTensorType(found.type) ? found.type : undefined;
    return (
      found?.name === name &&
      type?.type === "float64" &&
      type.shape?.length === 2 &&
      !graph.initializers.has(name)
    );
  });
  if (!isPlain || graph.inputs.length !== names.length)
    throw new Refutation("the network", "its inputs are not those of the certificate");
  if (graph.outputs.length !== 1 || graph.outputs[0]!.name !== network.output)
    throw new Refutation(`output "${network.output}"`, "it is not the network's only output");
  if (new Set(names).size < names.length) throw new Refutation("the network", "an input is used twice");
  if (graph.functions.length > 0 || graph.nodes.length !== 4 * network.uniforms.length)
    throw graph.nodes.some(({ op }) => op === "Gather")
      ? new TooLarge("its matrices are stored entry by entry")
      : new Refutation("the network", "it does not have four operators a layer");
  let [before, columns] = [network.input, inputs];
  return network.uniforms.map((uniform, l) => {
    const nodes = graph.nodes.slice(4 * l, 4 * l + 4);
    const units = layerOf(nodes, before, uniform, columns, operands);
    [before, columns] = [nodes[3]!.outputs[0]!, units.length];
    if (l === network.uniforms.length - 1 && before !== network.output)
      throw new Refutation(`output "${network.output}"`, "it is not the last layer");
    return units;
  });
}

const sigma = (z: number): number => 1 / (1 + Math.exp(-z));

interface Walk {
  work: number;
  /** Chances of branches that were given up. */
  lost: number;
}

/** The law of a layer's states from that of the layer before; states are texts of 0 and 1. */
function nextLaw(
  law: ReadonlyMap<string, number>,
  units: readonly Unit[],
  least: number,
  walk: Walk,
): Map<string, number> {
  const next = new Map<string, number>();
  for (const [state, chance] of law) {
    let branches: [string, number][] = [["", chance]];
    for (const { bias, reads } of units) {
      walk.work += 1 + reads.length / 8;
      if (walk.work > mostWork) throw new TooLarge("it has too many states");
      const on = sigma(reads.reduce((sum, [c, w]) => (state[c] === "1" ? sum + w : sum), bias));
      const grown: [string, number][] = [];
      for (const [bits, p] of branches)
        for (const [bit, q] of [
          ["0", p * (1 - on)],
          ["1", p * on],
        ] as const)
          if (q >= least) grown.push([bits + bit, q]);
          else walk.lost += q;
      branches = grown;
      walk.work += branches.length / 8;
    }
    for (const [bits, p] of branches) next.set(bits, (next.get(bits) ?? 0) + p);
  }
  return next;
}

function check(certificate: KernelCertificate, layers: readonly (readonly Unit[])[]): number {
  const { table, certifiedError } = certificate;
  const [inputs, outputs] = [Math.log2(table.length), layers.at(-1)!.length];
  // What is given up must not decide: a branch below this, and there are never more than some 10^5 of them.
  const least = Math.min(1e-9, certifiedError * 1e-7);
  const walk: Walk = { work: 0, lost: 0 };
  let worst = 0;
  table.forEach((row, x) => {
    walk.lost = 0;
    let law: ReadonlyMap<string, number> = new Map([[x.toString(2).padStart(inputs, "0").slice(-inputs), 1]]);
    for (const units of layers) law = nextLaw(law, units, least, walk);
    const found = row.map((_, y) => law.get(y.toString(2).padStart(outputs, "0")) ?? 0);
    // Of the mass that is known, what the row does not have; then all that was given up.
    const excess = row.reduce((sum, p, y) => sum + Math.max(0, found[y]! - p), 0);
    worst = Math.max(worst, excess + walk.lost + rounding);
  });
  return worst;
}

function checkTable({ table }: KernelCertificate): void {
  const [d, s] = [Math.log2(table.length), Math.log2(table[0]!.length)];
  if (!Number.isInteger(d) || !Number.isInteger(s) || d < 1)
    throw new Refutation("the table", "it does not have 2^d rows and 2^s columns");
  table.forEach((row, r) => {
    const total = row.reduce((sum, p) => sum + p, 0);
    if (row.length !== 2 ** s || !(Math.abs(total - 1) <= rounding))
      throw new Refutation(`row ${r + 1} of the table`, "it is no distribution");
  });
}

/**
 * Computes again how far a stochastic network is from its table, in total variation, or names where that fails.
 * @example (await checkKernel(bytes, {})).ok // false
 */
export async function checkKernel(bytes: Uint8Array, certificate: unknown): Promise<KernelCheck> {
  try {
    const { data, error } = kernelCertificateSchema.safeParse(certificate);
    if (!data) throw new Refutation("the certificate", error.issues[0]!.message);
    checkTable(data);
    const layers = layersOf(readModel(bytes), data);
    if (2 ** layers.at(-1)!.length !== data.table[0]!.length)
      throw new Refutation(`output "${data.network.output}"`, "the table has another number of columns");
    if ((await sha256(bytes)) !== data.network.sha256)
      throw new Refutation("the network", "the file is not the one with the certificate's SHA-256");
    const found = check(data, layers);
    if (!(found <= data.certifiedError + 2 * rounding))
      throw new Refutation(
        "the network",
        `its error is up to ${found}, certifiedError says ${data.certifiedError}`,
      );
    return { ok: true, error: found, units: layers.reduce((sum, units) => sum + units.length, 0) };
  } catch (error) {
    if (error instanceof TooLarge)
      return { ok: false, node: "the network", reason: error.message, undecided: true };
    if (error instanceof Refutation)
      return { ok: false, node: error.where, reason: error.message, undecided: false };
    throw error;
  }
}
