// A certificate is checked against the formula, the box and the ONNX file alone: nodes are made anew from the formula,
// ranges confirmed by interval arithmetic, and each node's value in the network compared with the node, one after the
// other, on the strength of what is confirmed about those before it.

import { CompileError } from "../formula/error.ts";
import { readModel } from "../graph/onnx/read.ts";
import type { Interval } from "../numbers/interval/index.ts";
import { rules } from "./blocks.ts";
import { type Certificate, certificateSchema, sha256 } from "./certificate.ts";
import { circuitOf, type Network } from "./circuit.ts";
import { Column, type Errors, outward, type Scene, scalarOf } from "./column.ts";
import { checkDefined } from "./definedness.ts";
import { Refutation } from "./error.ts";
import { pruned, readFormula } from "./formula-nodes.ts";
import { around, spanOf } from "./linear.ts";
import { checkNodes, holds } from "./nodes.ts";
import { checkRanges, describeNode } from "./ranges.ts";
import { overflowing, precisions } from "./rounding.ts";

/**
 * `error` bounds |computed - formula| on the box in a run, `realError` the same without its rounding: numbers that were
 * found here, not the claimed ones, which are not less; or the node, block or value at which the proof fails, and why.
 */
export type CheckResult =
  | { readonly ok: true; readonly error: number; readonly realError: number }
  | { readonly ok: false; readonly node: string; readonly reason: string };

type Sides = readonly Interval[];
const bits = new DataView(new ArrayBuffer(4));

/** The greatest f32 that is not above x. */
function float32Below(x: number): number {
  const nearest = Math.fround(x);
  if (nearest <= x) return nearest;
  bits.setFloat32(0, nearest);
  bits.setInt32(0, nearest > 0 ? bits.getInt32(0) - 1 : nearest === 0 ? -0x7fffffff : bits.getInt32(0) + 1);
  return bits.getFloat32(0);
}

/** The box, rounded outward to f32 where the points are numbers of f32. */
function sidesOf({ box, dtype }: Certificate): Sides {
  const names = new Set(box.map((side) => side.name));
  if (names.size < box.length) throw new Refutation("the box", "a variable is there twice");
  // A name that no formula can have would be a text to mislead who reads the verdict.
  const strange = [...names].find((name) => !/^\p{L}[\p{L}\p{N}_]*$/u.test(name));
  if (strange !== undefined) throw new Refutation("the box", `${JSON.stringify(strange)} is no name`);
  return box.map(({ name, lower, upper }) => {
    if (!(lower <= upper)) throw new Refutation("the box", `${name} ranges from ${lower} to ${upper}`);
    return dtype === "f64" ? { lower, upper } : { lower: float32Below(lower), upper: -float32Below(-upper) };
  });
}

function checkVariables({ nodes, network }: Certificate, sides: Sides): void {
  sides.forEach((side, k) => {
    const node = nodes[k]!;
    if (!holds(node.range, side))
      throw new Refutation(
        describeNode(node),
        `the box has it from ${side.lower} to ${side.upper}, the certificate from ${node.range[0]} to ${node.range[1]}`,
      );
    if (node.tensor !== network.input || node.column !== k)
      throw new Refutation(describeNode(node), `it is not column ${k} of the input`);
  });
}

/** Block by block, each on what is confirmed before it. */
function checkBlocks({ blocks, nodes }: Certificate, scene: Scene, known: Map<number, Errors>): void {
  for (const block of blocks) {
    const lists = [
      block.localError,
      block.rounding,
      ...(block.kind === "polynomial" ? [block.argument] : []),
    ];
    if (lists.some((list) => list.length !== block.nodes.length))
      throw new Refutation(`block "${block.output}"`, "it does not have one error for each node");
    const found = block.nodes.map((_, index) => {
      const column = new Column(scene, block, index);
      return confirming(column.where, () => column.confirm(rules[block.kind](column, block as never, index)));
    });
    block.nodes.forEach((id, index) => {
      if (known.has(id)) throw new Refutation(describeNode(nodes[id]!), "it is computed twice");
      known.set(id, found[index]!);
    });
  }
  const missing = nodes.find(({ id }) => !known.has(id));
  if (missing) throw new Refutation(describeNode(missing), "no block computes it");
}

/** Functions that have no value, or numbers that are not finite, refute a node. */
function confirming<T>(where: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof RangeError ? new Refutation(where, error.message) : error;
  }
}

/** What has weight 0 takes no part, since it is finite: by induction along the network, from the confirmed nodes. */
function checkLeftOut({ nodes, circuit, precision, known }: Scene, leftOut: Network["leftOut"]): void {
  const confirmed = new Map(
    nodes.map((node) => {
      const computed = around(spanOf(...node.range), known.get(node.id)!.runError);
      return [scalarOf(circuit, node), outward(computed)];
    }),
  );
  const found = overflowing(leftOut, confirmed, precision, "the network");
  if (!found) return;
  const [name] = [...circuit].find(([, { scalars }]) => scalars.includes(found))!;
  throw new Refutation(`value "${name}"`, "it may overflow, and 0 times infinity is no number");
}

/** The errors of the output; what is claimed must not be less. */
function checkEnd(certificate: Certificate, scene: Scene): Errors {
  const { network, nodes, output, certifiedError, realError, eps } = certificate;
  const end = nodes[output]!;
  const y = scene.circuit.get(network.output);
  if (y?.shape.length !== 1 || y.scalars.length !== 1 || y.scalars[0] !== scalarOf(scene.circuit, end))
    throw new Refutation(describeNode(end), `the output "${network.output}" is not this node`);
  const found = scene.known.get(output)!;
  const pairs = [
    [found.runError, certifiedError, "certifiedError"],
    [found.error, realError, "realError"],
    [certifiedError, eps, "eps"],
  ] as const;
  for (const [least, claimed, name] of pairs)
    if (!(least <= claimed))
      throw new Refutation(describeNode(end), `its error is up to ${least}, ${name} says ${claimed}`);
  return found;
}

async function check(bytes: Uint8Array, certificate: Certificate): Promise<Errors> {
  const { network, box, nodes, dtype, formula } = certificate;
  const sides = sidesOf(certificate);
  const read = readFormula(
    formula,
    box.map((side) => side.name),
  );
  const made = pruned(read);
  checkNodes(certificate, made);
  checkVariables(certificate, sides);
  confirming("the formula", () => {
    checkDefined(read, sides);
    checkRanges(nodes, made.nodes.length, sides);
  });
  const precision = precisions[dtype];
  const graph = readModel(bytes);
  const outputs = graph.outputs.map((value) => value.name);
  if (outputs.length !== 1 || outputs[0] !== network.output)
    throw new Refutation(`output "${network.output}"`, "it is not the network's only output");
  const { circuit, leftOut } = circuitOf(graph, network.input, box.length, precision.type);
  const known = new Map<number, Errors>(sides.map((_, id) => [id, { error: 0, runError: 0 }]));
  const scene: Scene = { nodes, circuit, precision, known };
  checkBlocks(certificate, scene, known);
  confirming("the network", () => checkLeftOut(scene, leftOut));
  const found = checkEnd(certificate, scene);
  if ((await sha256(bytes)) !== network.sha256)
    throw new Refutation("the network", "the file is not the one with the certificate's SHA-256");
  return found;
}

/**
 * Proves again what a certificate says of a network, or names where that fails; bytes that are no ONNX file are an error.
 * @example (await checkCertificate(bytes, (await compile({ formula: "x", box: [{ name: "x", lower: 0, upper: 1 }], eps: 1 })).certificate)).ok // false
 */
export async function checkCertificate(bytes: Uint8Array, certificate: Certificate): Promise<CheckResult> {
  try {
    const { data, error } = certificateSchema.safeParse(certificate);
    if (!data) throw new Refutation("the certificate", error.issues[0]!.message);
    const { error: realError, runError } = await check(bytes, data);
    return { ok: true, error: runError, realError };
  } catch (error) {
    if (error instanceof Refutation) return { ok: false, node: error.where, reason: error.message };
    if (error instanceof CompileError) return { ok: false, node: "the formula", reason: error.message };
    throw error;
  }
}
