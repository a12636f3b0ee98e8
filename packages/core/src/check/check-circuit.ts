// The certificate of a circuit's network is checked against the ONNX file alone, from layer to layer: each unit is the
// weighted sum of nodes that it is said to be, with the stored weights, and each gate is what its units make of its
// arguments. So every node has its bit on every input, by induction, however many inputs there are.
import { readModel } from "../graph/onnx/read.ts";
import * as X from "../numbers/exact/rational.ts";
import { sha256 } from "./certificate.ts";
import { type Circuit, circuitOf, type Scalar } from "./circuit.ts";
import { type CircuitCertificate, circuitCertificateSchema } from "./circuit-certificate.ts";
import { Refutation } from "./error.ts";
import { activations, type CertifiedForm, type CertifiedUnit, checkCarried, checkGate } from "./gate.ts";
import { type Affine, affineIn } from "./linear.ts";

/** Whether every output is the circuit's on every input of bits; or the node, unit or value at which the proof fails. */
export type CircuitCheck =
  | { readonly ok: true; readonly gates: number; readonly units: number }
  | { readonly ok: false; readonly node: string; readonly reason: string };

/** Multiples of 1/2 up to here, and sums of them in any order, are exact in a run. */
const mostExact = 2 ** 52;

/** The nodes that are known at a layer, in terms of its values, and how large these can be. */
interface Stage {
  readonly scalars: readonly Scalar[];
  readonly basis: ReadonlySet<Scalar>;
  readonly place: ReadonlyMap<Scalar, number>;
  readonly largest: readonly number[];
  readonly forms: ReadonlyMap<number, Omit<CertifiedForm, "node">>;
}

const placed = (scalars: readonly Scalar[]): Pick<Stage, "scalars" | "basis" | "place"> => ({
  scalars,
  basis: new Set(scalars),
  place: new Map(scalars.map((s, k) => [s, k])),
});

function checkGates({ inputs, gates, outputs }: CircuitCertificate): void {
  const nodes = inputs.length + 1 + gates.length;
  gates.forEach((gate, k) => {
    const node = inputs.length + 1 + k;
    if (gate.args.some((literal) => literal >> 1 >= node))
      throw new Refutation(`node ${node}`, "it reads a node that is not before it");
    if (gate.kind === "count" && gate.on.length !== gate.args.length + 1)
      throw new Refutation(`node ${node}`, "it does not say its bit for every count");
    if (gate.kind === "cubes" && gate.args.length > 30)
      throw new Refutation(`node ${node}`, "it has too many arguments");
  });
  const beyond = outputs.find(({ literal }) => literal >> 1 >= nodes);
  if (beyond) throw new Refutation(`output "${beyond.name}"`, "there is no such node");
}

/** bias + sum coefficient node, in terms of the values of a stage. */
function inValues(stage: Stage, { bias, reads }: CertifiedUnit, where: string): Map<Scalar | "bias", number> {
  const sum = new Map<Scalar | "bias", number>([["bias", bias]]);
  const add = (key: Scalar | "bias", value: number): void => {
    const total = (sum.get(key) ?? 0) + value;
    if (!Number.isSafeInteger(2 * total)) throw new Refutation(where, "its weights are too large");
    sum.set(key, total);
  };
  for (const [node, coefficient] of reads) {
    const form = node === 0 ? { constant: 0, terms: [] } : stage.forms.get(node);
    if (!form) throw new Refutation(where, `it reads node ${node}, which is not known there`);
    add("bias", coefficient * form.constant);
    for (const [column, weight] of form.terms) {
      const scalar = stage.scalars[column];
      if (!scalar) throw new Refutation(where, `node ${node} has no value ${column}`);
      add(scalar, coefficient * weight);
    }
  }
  return sum;
}

/** The stored weights say what the certificate says, and no sum of them is so large that a run would round it. */
function checkSum(stage: Stage, value: Scalar, unit: CertifiedUnit, where: string): void {
  const stored: Affine = affineIn(value, stage.basis, where);
  const said = inValues(stage, unit, where);
  const isSame = X.compare(stored.bias, said.get("bias")!) === 0;
  const keys = new Set([...stored.of.keys(), ...said.keys()]);
  keys.delete("bias");
  for (const key of keys)
    if (!isSame || X.compare(stored.of.get(key as Scalar) ?? 0, said.get(key) ?? 0) !== 0)
      throw new Refutation(where, "the network has other weights there");
  if (!isSame) throw new Refutation(where, "the network has another bias there");
  const most = [...said].reduce(
    (sum, [key, w]) => sum + Math.abs(w) * (key === "bias" ? 1 : stage.largest[stage.place.get(key)!]!),
    0,
  );
  if (!(most <= mostExact)) throw new Refutation(where, "its sums are too large to be exact");
}

/** What a unit is the activation of: z of relu(z), or of 1 - relu(-sign z), which is 1 from 0 on. */
function sumOf(scalar: Scalar, kind: "relu" | "threshold", where: string): Scalar {
  if (kind === "relu") {
    if (scalar.kind !== "relu") throw new Refutation(where, "it is no ReLU");
    return scalar.of;
  }
  const plain = (s: Scalar, weight: number, bias: number): Scalar => {
    if (s.kind !== "sum" || s.bias !== bias || s.terms.length !== 1 || s.weights[0] !== weight)
      throw new Refutation(where, "it is no step");
    return s.terms[0]!;
  };
  const relu = plain(plain(scalar, 1, 1), -1, 0);
  const sign = relu.kind === "relu" ? plain(relu.of, -1, 0) : relu;
  if (sign.kind !== "sign") throw new Refutation(where, "it is no step");
  return sign.of;
}

function nextStage(
  { gates, inputs, units: kind = "relu" }: CircuitCertificate,
  { tensor, units, forms }: CircuitCertificate["layers"][number],
  circuit: Circuit,
  before: Stage,
): Stage {
  const columns = circuit.get(tensor);
  if (columns?.shape.length !== 1 || columns.scalars.length !== units.length)
    throw new Refutation(`value "${tensor}"`, `it does not have ${units.length} columns`);
  units.forEach((unit, k) => {
    const where = `unit ${k} of "${tensor}"`;
    const scalar = columns.scalars[k]!;
    checkSum(before, sumOf(scalar, kind, where), unit, where);
  });
  const activation = activations[kind];
  const known = new Map<number, CertifiedForm>();
  for (const form of forms) {
    const where = `node ${form.node} at "${tensor}"`;
    const gate = gates[form.node - inputs.length - 1];
    if (known.has(form.node)) throw new Refutation(where, "it is there twice");
    if (form.terms.some(([column]) => column >= units.length))
      throw new Refutation(where, "it has a unit that is not there");
    if (before.forms.has(form.node)) checkCarried(form, units, activation, where);
    else if (gate) checkGate(gate, form, units, activation, where);
    else throw new Refutation(where, "nothing makes it");
    known.set(form.node, form);
  }
  const largest = units.map(({ bias, reads }) =>
    kind === "threshold" ? 1 : reads.reduce((sum, [, c]) => sum + Math.max(c, 0), Math.max(bias, 0)),
  );
  return { ...placed(columns.scalars), largest, forms: known };
}

async function check(bytes: Uint8Array, certificate: CircuitCertificate): Promise<number> {
  const { inputs, outputs, network, layers } = certificate;
  checkGates(certificate);
  const graph = readModel(bytes);
  const names = graph.outputs.map((value) => value.name);
  if (names.length !== 1 || names[0] !== network.output)
    throw new Refutation(`output "${network.output}"`, "it is not the network's only output");
  const { circuit, leftOut } = circuitOf(
    graph,
    network.input,
    inputs.length,
    "float64",
    certificate.units === "threshold",
  );
  const first: Stage = {
    ...placed(circuit.get(network.input)!.scalars),
    largest: inputs.map(() => 1),
    forms: new Map(inputs.map((_, k) => [k + 1, { constant: 0, terms: [[k, 1]] }])),
  };
  const confirmed = new Set(first.scalars);
  let stage = first;
  for (const layer of layers) {
    stage = nextStage(certificate, layer, circuit, stage);
    for (const scalar of stage.scalars) confirmed.add(scalar);
  }
  const y = circuit.get(network.output);
  if (y?.shape.length !== 1 || y.scalars.length !== outputs.length)
    throw new Refutation(`output "${network.output}"`, `it does not have ${outputs.length} columns`);
  outputs.forEach(({ name, literal }, k) => {
    const sign = literal & 1 ? -1 : 1;
    checkSum(stage, y.scalars[k]!, { bias: literal & 1, reads: [[literal >> 1, sign]] }, `output "${name}"`);
  });
  // What has weight 0 takes no part if it is finite: the values that were confirmed are.
  for (const scalar of leftOut)
    if (!confirmed.has(scalar) && !(scalar.kind === "sum" && scalar.terms.length === 0))
      throw new Refutation("the network", "a value that takes no part may be infinite");
  if ((await sha256(bytes)) !== network.sha256)
    throw new Refutation("the network", "the file is not the one with the certificate's SHA-256");
  return layers.reduce((sum, { units }) => sum + units.length, 0);
}

/**
 * Proves again that a network computes its circuit on every input of zeros and ones, or names where that fails.
 * @example (await checkCircuit(bytes, {})).ok // false
 */
export async function checkCircuit(bytes: Uint8Array, certificate: unknown): Promise<CircuitCheck> {
  try {
    const { data, error } = circuitCertificateSchema.safeParse(certificate);
    if (!data) throw new Refutation("the certificate", error.issues[0]!.message);
    return { ok: true, gates: data.gates.length, units: await check(bytes, data) };
  } catch (error) {
    if (error instanceof Refutation) return { ok: false, node: error.where, reason: error.message };
    throw error;
  }
}
