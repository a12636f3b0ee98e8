// One gate of a circuit and the units that make it: equal for every value of the gate's arguments.
import type { CertifiedGate, CircuitCertificate } from "./circuit-certificate.ts";
import { Refutation } from "./error.ts";

type Layer = CircuitCertificate["layers"][number];
export type CertifiedUnit = Layer["units"][number];
export type CertifiedForm = Layer["forms"][number];

/** With more distinct arguments a gate must be a function of their count alone. */
const mostArguments = 12;

/** What a gate is where node n has the bit `bits(n)`. */
export function gateBit(gate: CertifiedGate, bits: (node: number) => number): number {
  const values = gate.args.map((literal) => bits(literal >> 1) ^ (literal & 1));
  if (gate.kind === "count") return gate.on[values.reduce((sum, v) => sum + v, 0)]!;
  const word = values.reduce((sum, v, k) => sum + v * 2 ** k, 0);
  return gate.cubes.some(([mask, value]) => (word & mask) === value) ? 1 : 0;
}

/** What a unit makes of its sum: a ReLU, or a step that is 1 from 0 on. */
export type Activation = (sum: number) => number;
export const activations: Readonly<Record<"relu" | "threshold", Activation>> = {
  relu: (x) => (x > 0 ? x : 0),
  threshold: (x) => (x >= 0 ? 1 : 0),
};

/** What a form is where its units' nodes have these bits. */
const formValue = (
  { constant, terms }: CertifiedForm,
  units: readonly CertifiedUnit[],
  activation: Activation,
  bits: (node: number) => number,
): number =>
  terms.reduce((sum, [column, coefficient]) => {
    const { bias, reads } = units[column]!;
    return sum + coefficient * activation(reads.reduce((s, [node, c]) => s + c * bits(node), bias));
  }, constant);

/** The form is the node's own bit, carried on. */
export function checkCarried(
  form: CertifiedForm,
  units: readonly CertifiedUnit[],
  activation: Activation,
  where: string,
): void {
  const readsOthers = form.terms.some(([column]) => units[column]!.reads.some(([n]) => n !== form.node));
  const isBit = [0, 1].every((b) => formValue(form, units, activation, () => b) === b);
  if (readsOthers || !isBit) throw new Refutation(where, "the units do not carry its bit");
}

/** The form is the gate, whatever its arguments are. */
export function checkGate(
  gate: CertifiedGate,
  form: CertifiedForm,
  units: readonly CertifiedUnit[],
  activation: Activation,
  where: string,
): void {
  const nodes = [...new Set(gate.args.map((literal) => literal >> 1))];
  const known = new Set(nodes);
  for (const [column] of form.terms)
    if (units[column]!.reads.some(([node]) => !known.has(node)))
      throw new Refutation(where, "one of its units reads a node that is no argument of the gate");
  if (nodes.length > mostArguments) {
    checkByCount(gate, form, units, activation, where);
    return;
  }
  const place = new Map(nodes.map((node, k) => [node, k]));
  for (let word = 0; word < 2 ** nodes.length; word++) {
    const bits = (node: number): number => (word >> place.get(node)!) & 1;
    if (formValue(form, units, activation, bits) !== gateBit(gate, bits))
      throw new Refutation(
        where,
        `its units make another bit where its arguments are ${nodes.map(bits).join("")}`,
      );
  }
}

/** All units see the count of true literals and nothing else: then so many counts are all that there is to look at. */
function checkByCount(
  gate: CertifiedGate,
  { constant, terms }: CertifiedForm,
  units: readonly CertifiedUnit[],
  activation: Activation,
  where: string,
): void {
  if (gate.kind !== "count")
    throw new Refutation(where, `products of over ${mostArguments} arguments are too many`);
  const weight = new Map<number, number>();
  for (const literal of gate.args)
    weight.set(literal >> 1, (weight.get(literal >> 1) ?? 0) + (literal & 1 ? -1 : 1));
  const negated = gate.args.filter((literal) => literal & 1).length;
  const inCount = terms.map(([column, coefficient]) => {
    const { bias, reads } = units[column]!;
    const sums = new Map<number, number>();
    for (const [node, c] of reads) sums.set(node, (sums.get(node) ?? 0) + c);
    const [first] = [...weight].filter(([, w]) => w !== 0);
    const slope = first ? (sums.get(first[0]) ?? 0) / first[1] : 0;
    if ([...weight].some(([node, w]) => (sums.get(node) ?? 0) !== slope * w))
      throw new Refutation(where, "one of its units does not see the count of its arguments alone");
    return { slope, offset: bias - slope * negated, coefficient };
  });
  gate.on.forEach((on, c) => {
    const value = inCount.reduce(
      (sum, u) => sum + u.coefficient * activation(u.slope * c + u.offset),
      constant,
    );
    if (value !== on) throw new Refutation(where, `its units make another bit where ${c} arguments are true`);
  });
}
