// A forger of circuits: the certificate is edited, and the network is made anew from what it says, so that all weights agree
// and nothing but the gates' own proofs stands in between. What is accepted must be true on every input.
import { expect, it } from "vitest";
import { sha256 } from "../../src/check/certificate.ts";
import { checkCircuit } from "../../src/check/check-circuit.ts";
import type { CircuitCertificate } from "../../src/check/circuit-certificate.ts";
import { CircuitBuilder } from "../../src/discrete/circuit/builder.ts";
import { certifiedCircuit } from "../../src/discrete/circuit/certified.ts";
import { circuitNetwork } from "../../src/discrete/circuit/network.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { writeModel } from "../../src/graph/onnx/write.ts";
import { network, sparseLayer } from "../../src/networks/layers/layers.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

const hunt = Number(process.env["LEMMATA_HUNT"] ?? 0);
const seed = process.env["LEMMATA_SEED"] ?? (hunt > 0 ? String(Date.now()) : "circuits");
const count = hunt > 0 ? hunt : 150;

type Row = { total: number; entries: Map<number, number> };

/** The rows of all layers as the certificate has them. */
function rowsOf({ inputs, layers, outputs }: CircuitCertificate): Row[][] {
  let forms = new Map<number, { constant: number; terms: (readonly number[])[] }>(
    inputs.map((_, k) => [k + 1, { constant: 0, terms: [[k, 1]] }]),
  );
  const row = (bias: number, reads: readonly (readonly number[])[]): Row => {
    const entries = new Map<number, number>();
    let total = bias;
    for (const [node, c] of reads) {
      const form = forms.get(node!) ?? { constant: 0, terms: [] };
      total += c! * form.constant;
      for (const [column, w] of form.terms) entries.set(column!, (entries.get(column!) ?? 0) + c! * w!);
    }
    return { total, entries };
  };
  const hidden = layers.map((layer) => {
    const rows = layer.units.map(({ bias, reads }) => row(bias, reads));
    forms = new Map(layer.forms.map(({ node, ...form }) => [node, form]));
    return rows;
  });
  return [...hidden, outputs.map(({ literal }) => row(literal & 1, [[literal >> 1, literal & 1 ? -1 : 1]]))];
}

type Kind = "relu" | "threshold";

function graphOf(rows: readonly Row[][], inputs: number, kind: Kind): Graph {
  let width = inputs;
  const layers = rows.map((layer) => {
    const entries = layer.flatMap(({ entries: e }, r) => [...e].map(([c, w]) => [r, c, w] as const));
    const made = sparseLayer(
      layer.length,
      width,
      entries,
      layer.map(({ total }) => total),
    );
    width = layer.length;
    return made;
  });
  return network(layers, { name: "circuit", activation: kind });
}

/** What the rows compute, and what the gates say. */
function isTrue(rows: readonly Row[][], { inputs, gates, outputs, units }: CircuitCertificate): boolean {
  for (let x = 0; x < 2 ** inputs.length; x++) {
    const bits = inputs.map((_, k) => (x >> k) & 1);
    const nodes = [0, ...bits];
    const value = (literal: number): number => nodes[literal >> 1]! ^ (literal & 1);
    for (const gate of gates) {
      if (gate.kind === "count") nodes.push(gate.on[gate.args.reduce((n, a) => n + value(a), 0)]!);
      else
        nodes.push(
          gate.cubes.some(([mask, want]) =>
            gate.args.every((a, k) => !((mask >> k) & 1) || value(a) === ((want >> k) & 1)),
          )
            ? 1
            : 0,
        );
    }
    let values = bits;
    rows.forEach((layer, l) => {
      values = layer.map(({ total, entries }) => {
        let z = total;
        for (const [c, w] of entries) z += w * (values[c] ?? 0);
        if (l === rows.length - 1) return z;
        return units === "threshold" ? (z >= 0 ? 1 : 0) : Math.max(0, z);
      });
    });
    if (outputs.some(({ literal }, k) => values[k] !== value(literal))) return false;
  }
  return true;
}

function randomCertified(random: Random, kind: Kind) {
  const b = new CircuitBuilder(Array.from({ length: random.integer(1, 5) }, (_, k) => `x${k}`));
  const literals = b.inputs.map((_, k) => b.input(k));
  const pick = (): number => literals[random.integer(0, literals.length - 1)]! ^ random.integer(0, 1);
  for (let g = random.integer(1, 6); g > 0; g--) {
    const args = Array.from({ length: random.integer(2, 4) }, pick);
    const makers = [
      () => b.and(args),
      () => b.xor(args),
      () => b.majority(args),
      () => b.choose(args[0]!, args[1]!, pick()),
    ];
    literals.push(makers[random.integer(0, makers.length - 1)]!());
  }
  const circuit = b.finish(literals.slice(-2).map((literal, k) => ({ name: `y${k}`, literal })));
  return certifiedCircuit(circuit, circuitNetwork(circuit, { kind }));
}

type Edit = (c: CircuitCertificate, random: Random) => void;
const one = <T>(list: readonly T[], random: Random): T | undefined =>
  list.length > 0 ? list[random.integer(0, list.length - 1)] : undefined;
const nudge = (random: Random): number => [-2, -1, 1, 2][random.integer(0, 3)]!;
const edits: Record<string, Edit> = {
  bias: (c, r) => {
    const unit = one(one(c.layers, r)?.units ?? [], r);
    if (unit) unit.bias += nudge(r) / (r.uniform() < 0.3 ? 2 : 1);
  },
  read: (c, r) => {
    const read = one(one(one(c.layers, r)?.units ?? [], r)?.reads ?? [], r);
    if (read) read[r.integer(0, 1)]! += nudge(r);
  },
  constant: (c, r) => {
    const form = one(one(c.layers, r)?.forms ?? [], r);
    if (form) form.constant += nudge(r);
  },
  term: (c, r) => {
    const term = one(one(one(c.layers, r)?.forms ?? [], r)?.terms ?? [], r);
    if (term) term[r.integer(0, 1)]! += nudge(r);
  },
  node: (c, r) => {
    const form = one(one(c.layers, r)?.forms ?? [], r);
    if (form) form.node += nudge(r);
  },
  on: (c, r) => {
    const gate = one(c.gates, r);
    if (gate?.kind !== "count") return;
    const k = r.integer(0, gate.on.length - 1);
    gate.on[k] = gate.on[k] === 1 ? 0 : 1;
  },
  cube: (c, r) => {
    const gate = one(c.gates, r);
    if (gate?.kind === "cubes") one(gate.cubes, r)![r.integer(0, 1)]! ^= 1 << r.integer(0, 2);
  },
  literal: (c, r) => {
    const gate = one(c.gates, r);
    if (gate && gate.args.length > 0) gate.args[r.integer(0, gate.args.length - 1)]! ^= r.integer(1, 3);
  },
  output: (c, r) => {
    one(c.outputs, r)!.literal ^= r.integer(1, 3);
  },
  "a unit twice": (c, r) => {
    const units = one(c.layers, r)?.units ?? [];
    const unit = one(units, r);
    if (unit) units.push(structuredClone(unit));
  },
  "a form twice": (c, r) => {
    const forms = one(c.layers, r)?.forms ?? [];
    const form = one(forms, r);
    if (form) forms.push(structuredClone(form));
  },
  "a form lost": (c, r) => {
    const forms = one(c.layers, r)?.forms ?? [];
    forms.splice(r.integer(0, Math.max(0, forms.length - 1)), 1);
  },
  "two gates exchanged": (c, r) => {
    const [a, b] = [0, 1].map(() => r.integer(0, Math.max(0, c.gates.length - 1))) as [number, number];
    if (c.gates.length > 1) [c.gates[a], c.gates[b]] = [c.gates[b]!, c.gates[a]!];
  },
};

it(`${count} circuits with seed ${seed}: none that is false is accepted`, async () => {
  const random = createRandom(seed);
  const names = Object.keys(edits);
  let [accepted, changed] = [0, 0];
  for (let k = 0; k < count; k++) {
    const kind = random.uniform() < 0.5 ? "relu" : "threshold";
    const { certificate } = await randomCertified(random, kind);
    const forged = structuredClone(certificate);
    const made = Array.from(
      { length: random.integer(1, 3) },
      () => names[random.integer(0, names.length - 1)]!,
    );
    for (const name of made) edits[name]!(forged, random);
    const rows = rowsOf(forged);
    let graph: Graph;
    try {
      graph = graphOf(rows, forged.inputs.length, kind);
    } catch {
      continue; // it reads what is not there
    }
    const bytes = writeModel(graph);
    const tensors = graph.nodes
      .filter(({ op }) => op === (kind === "relu" ? "Relu" : "Add"))
      .map(({ outputs }) => outputs[0]!);
    forged.layers.forEach((layer, l) => {
      layer.tensor = tensors[l]!;
    });
    forged.network.sha256 = await sha256(bytes);
    if (!(await checkCircuit(bytes, forged)).ok) continue;
    accepted++;
    if (JSON.stringify(forged.layers) !== JSON.stringify(certificate.layers)) changed++;
    expect([k, made, isTrue(rows, forged)]).toEqual([k, made, true]);
  }
  // Harmless edits are accepted: otherwise nothing was tried.
  expect([accepted > count / 50, changed > 0 || count < 1000]).toEqual([true, true]);
});
