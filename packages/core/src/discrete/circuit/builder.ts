// Writes a circuit gate by gate: what is constant is folded, what is there already is not made again, and what no
// output needs is left out at the end.
import {
  type Circuit,
  type Cube,
  falseLiteral,
  type Gate,
  isNegated,
  type Literal,
  negated,
  nodeOf,
  type Output,
  trueLiteral,
} from "./circuit.ts";

export class CircuitBuilder {
  readonly inputs: string[];
  readonly #gates: Gate[] = [];
  readonly #known = new Map<string, Literal>();

  constructor(inputs: readonly string[]) {
    this.inputs = [...inputs];
  }

  /** The literal of input k. */
  input(k: number): Literal {
    return 2 * (k + 1);
  }

  and(args: readonly Literal[]): Literal {
    const distinct = [...new Set(args)].filter((a) => a !== trueLiteral);
    if (distinct.some((a) => a === falseLiteral || distinct.includes(negated(a)))) return falseLiteral;
    if (distinct.length === 0) return trueLiteral;
    if (distinct.length === 1) return distinct[0]!;
    return this.#gate({ kind: "count", args: sorted(distinct), on: [...distinct.map(() => 0), 1] });
  }

  or(args: readonly Literal[]): Literal {
    return negated(this.and(args.map(negated)));
  }

  xor(args: readonly Literal[]): Literal {
    const odd = new Set<number>();
    let flipped = 0;
    for (const a of args) {
      if (isNegated(a)) flipped ^= 1;
      if (nodeOf(a) !== 0 && !odd.delete(nodeOf(a))) odd.add(nodeOf(a));
    }
    const plain = sorted([...odd].map((node) => 2 * node));
    if (plain.length === 0) return falseLiteral ^ flipped;
    if (plain.length === 1) return plain[0]! ^ flipped;
    const on = Array.from({ length: plain.length + 1 }, (_, c) => c & 1);
    return this.#gate({ kind: "count", args: plain, on }) ^ flipped;
  }

  /** 1 where at least `least` of the literals are true. */
  threshold(least: number, args: readonly Literal[]): Literal {
    const open = args.filter((a) => nodeOf(a) !== 0);
    const still = least - args.filter((a) => a === trueLiteral).length;
    if (still <= 0) return trueLiteral;
    if (still > open.length) return falseLiteral;
    if (still === 1) return this.or(open);
    if (still === open.length) return this.and(open);
    const on = Array.from({ length: open.length + 1 }, (_, c) => (c >= still ? 1 : 0));
    return this.#gate({ kind: "count", args: sorted(open), on });
  }

  majority(args: readonly Literal[]): Literal {
    return this.threshold(Math.floor(args.length / 2) + 1, args);
  }

  /** `then` where the condition holds, `other` elsewhere. */
  choose(condition: Literal, then: Literal, other: Literal): Literal {
    if (condition === trueLiteral || then === other) return then;
    if (condition === falseLiteral) return other;
    if (isNegated(condition)) return this.choose(negated(condition), other, then);
    if (nodeOf(then) === 0) return then ? this.or([condition, other]) : this.and([negated(condition), other]);
    if (nodeOf(other) === 0) return other ? this.or([negated(condition), then]) : this.and([condition, then]);
    if (then === negated(other)) return this.xor([condition, other]);
    if (nodeOf(then) === nodeOf(condition)) return this.choose(condition, then === condition ? 1 : 0, other);
    if (nodeOf(other) === nodeOf(condition)) return this.choose(condition, then, other === condition ? 0 : 1);
    const cubes = [
      { mask: 0b011, value: 0b011 },
      { mask: 0b101, value: 0b100 },
    ];
    return this.#gate({ kind: "cubes", args: [condition, then, other], cubes });
  }

  /** A sum of products of which no two are 1 together, of distinct arguments that are no constants. */
  disjointCubes(args: readonly Literal[], cubes: readonly Cube[]): Literal {
    if (cubes.length === 0) return falseLiteral;
    if (cubes.some(({ mask }) => mask === 0)) return trueLiteral;
    if (cubes.length > 1) return this.#gate({ kind: "cubes", args, cubes });
    const [{ mask, value }] = cubes as [Cube];
    return this.and(args.flatMap((a, k) => ((mask >> k) & 1 ? [(value >> k) & 1 ? a : negated(a)] : [])));
  }

  #gate(gate: Gate): Literal {
    const tail =
      gate.kind === "count" ? gate.on.join("") : gate.cubes.map((c) => `${c.mask}:${c.value}`).join();
    const key = `${gate.kind}|${gate.args.join()}|${tail}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const literal = 2 * (this.inputs.length + this.#gates.push(gate));
    this.#known.set(key, literal);
    return literal;
  }

  /** The circuit of these outputs. */
  finish(outputs: readonly Output[]): Circuit {
    const first = this.inputs.length + 1;
    const needed = new Uint8Array(first + this.#gates.length);
    for (const { literal } of outputs) needed[nodeOf(literal)] = 1;
    for (let k = this.#gates.length - 1; k >= 0; k--)
      if (needed[first + k]) for (const a of this.#gates[k]!.args) needed[nodeOf(a)] = 1;
    const renamed = new Map<number, number>();
    const gates: Gate[] = [];
    const moved = (a: Literal): Literal => 2 * (renamed.get(nodeOf(a)) ?? nodeOf(a)) + (a & 1);
    this.#gates.forEach((gate, k) => {
      if (!needed[first + k]) return;
      gates.push({ ...gate, args: gate.args.map(moved) });
      renamed.set(first + k, first + gates.length - 1);
    });
    return {
      inputs: this.inputs,
      gates,
      outputs: outputs.map(({ name, literal }) => ({ name, literal: moved(literal) })),
    };
  }
}

const sorted = (literals: readonly Literal[]): readonly Literal[] => literals.toSorted((a, b) => a - b);
