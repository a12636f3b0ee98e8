// A circuit for a table of values: one gate of disjoint products, or a decision diagram in which equal parts are made once.
import { variablesOf } from "../boolean/walsh.ts";
import { DiscreteError } from "../error.ts";
import { CircuitBuilder } from "./builder.ts";
import type { Circuit, Literal } from "./circuit.ts";
import { disjointCover } from "./cover.ts";

export type TableForm = "products" | "diagram";

/** Products are listed in full only for so many arguments. */
export const mostProductArguments = 10;

export interface Table {
  readonly name: string;
  /** 2^n bits; bit i of a place is input i. */
  readonly bits: ArrayLike<number>;
}

/**
 * The circuit of these tables on inputs x1 ... xn.
 * @example tableCircuit([{ name: "y", bits: [0, 1, 1, 0] }]).gates.length // 1
 */
export function tableCircuit(tables: readonly Table[], form: TableForm = "diagram"): Circuit {
  if (tables.length === 0) throw new DiscreteError("there is no table");
  const n = variablesOf(tables[0]!.bits);
  const builder = new CircuitBuilder(Array.from({ length: n }, (_, k) => `x${k + 1}`));
  const args = builder.inputs.map((_, k) => builder.input(k));
  if (form === "products" && n > mostProductArguments)
    throw new DiscreteError(`products of ${n} inputs are too many: at most ${mostProductArguments}`);
  const outputs = tables.map(({ name, bits }) => {
    if (bits.length !== 2 ** n)
      throw new DiscreteError(`table ${name} has ${bits.length} values, the first one ${2 ** n}`);
    const literal = form === "products" ? asProducts(builder, args, bits) : asDiagram(builder, args, bits);
    return { name, literal };
  });
  return builder.finish(outputs);
}

/** The fewer of the products for 1 and for 0. */
function asProducts(builder: CircuitBuilder, args: readonly Literal[], bits: ArrayLike<number>): Literal {
  const ones = disjointCover(bits);
  const zeros = disjointCover(Uint8Array.from(bits, (b) => 1 - b));
  return ones.length <= zeros.length
    ? builder.disjointCubes(args, ones)
    : builder.disjointCubes(args, zeros) ^ 1;
}

/** Level by level from the first input: a part of the table is a literal, and equal pairs are one choice. */
function asDiagram(builder: CircuitBuilder, args: readonly Literal[], bits: ArrayLike<number>): Literal {
  let parts: Literal[] = Array.from(bits, (b) => (b ? 1 : 0));
  for (const arg of args) {
    const made = new Map<number, Literal>();
    const next = new Array<Literal>(parts.length / 2);
    for (let k = 0; k < next.length; k++) {
      const [low, high] = [parts[2 * k]!, parts[2 * k + 1]!];
      const key = low * 2 ** 26 + high;
      let literal = made.get(key);
      if (literal === undefined) {
        literal = builder.choose(arg, high, low);
        made.set(key, literal);
      }
      next[k] = literal;
    }
    parts = next;
  }
  return parts[0]!;
}
