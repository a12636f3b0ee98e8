// The layers of a circuit's network: units, and each node that is needed there as an affine form of them.
import { type Circuit, firstGate, isNegated, nodeOf } from "./circuit.ts";
import { type Schedule, schedule } from "./schedule.ts";
import { gateForm, type UnitKind } from "./units.ts";

/** constant + sum coefficient unit[column]: a node's bit in terms of a layer's units. */
export interface NodeForm {
  readonly node: number;
  readonly constant: number;
  readonly terms: readonly (readonly [column: number, coefficient: number])[];
}

/** activation(bias + sum coefficient node): a unit in terms of the nodes' bits. */
export interface PlannedUnit {
  readonly bias: number;
  readonly reads: readonly (readonly [node: number, coefficient: number])[];
}

export interface PlannedLayer {
  readonly units: readonly PlannedUnit[];
  readonly forms: readonly NodeForm[];
}

export interface Plan {
  readonly kind: UnitKind;
  readonly layers: readonly PlannedLayer[];
}

/** Units of one layer; one that is there already is shared. */
class Units {
  readonly list: PlannedUnit[] = [];
  readonly #known = new Map<string, number>();

  column(unit: PlannedUnit): number {
    const key = `${unit.bias}|${unit.reads.join()}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.list.length);
    return this.list.push(unit) - 1;
  }
}

/** The plan with fewer units, of gates as early and as late as can be. */
export function planned(circuit: Circuit, kind: UnitKind): Plan {
  const [early, late] = (["early", "late"] as const).map((when) =>
    planFor(circuit, schedule(circuit, when), kind),
  ) as [Plan, Plan];
  return unitCount(late) < unitCount(early) ? late : early;
}

/** Hidden units of a plan. */
export const unitCount = ({ layers }: Plan): number =>
  layers.reduce((sum, { units }) => sum + units.length, 0);

function planFor(circuit: Circuit, { layer, last, depth }: Schedule, kind: UnitKind): Plan {
  const first = firstGate(circuit);
  const byLayer: number[][] = Array.from({ length: depth + 1 }, () => []);
  const carried: number[][] = Array.from({ length: depth + 1 }, () => []);
  for (let node = 1; node < layer.length; node++) {
    if (node >= first) byLayer[layer[node]!]!.push(node);
    for (let l = layer[node]! + 1; l <= last[node]!; l++) carried[l]!.push(node);
  }
  const layers = Array.from({ length: depth }, (_, l): PlannedLayer => {
    const units = new Units();
    const forms = [
      ...byLayer[l + 1]!.map((node): NodeForm => gateUnits(circuit, node, first, units, kind)),
      // A bit goes on by relu(bit), or by a step at 1/2.
      ...carried[l + 1]!.map((node): NodeForm => {
        const column = units.column({ bias: kind === "relu" ? 0 : -0.5, reads: [[node, 1]] });
        return { node, constant: 0, terms: [[column, 1]] };
      }),
    ];
    return { units: units.list, forms };
  });
  return { kind, layers };
}

function gateUnits(circuit: Circuit, node: number, first: number, units: Units, kind: UnitKind): NodeForm {
  const gate = circuit.gates[node - first]!;
  const { constant, units: made } = gateForm(gate, kind);
  const terms = new Map<number, number>();
  for (const [{ literals, sign, bias }, coefficient] of made) {
    const reads = new Map<number, number>();
    let total = bias;
    for (const [argument, bit] of literals) {
      const literal = gate.args[argument]!;
      // A literal is the bit, or 1 - bit.
      const isPlain = (bit === 1) !== isNegated(literal);
      if (!isPlain) total += sign;
      reads.set(nodeOf(literal), (reads.get(nodeOf(literal)) ?? 0) + (isPlain ? sign : -sign));
    }
    const column = units.column({
      bias: total,
      reads: [...reads].filter(([, c]) => c !== 0).sort((a, b) => a[0] - b[0]),
    });
    terms.set(column, (terms.get(column) ?? 0) + coefficient);
  }
  return { node, constant, terms: [...terms] };
}
