// A circuit on 32 inputs at a time: bit t of a word is the value on input t.
import { DiscreteError } from "../error.ts";
import { type Circuit, type Gate, type Literal, nodeOf } from "./circuit.ts";

/**
 * The words of all nodes, for words of the inputs.
 * @example nodeWords(readFormulas("a & b"), [12, 10])[3] // 8
 */
export function nodeWords({ inputs, gates }: Circuit, words: ArrayLike<number>): Int32Array {
  const found = new Int32Array(1 + inputs.length + gates.length);
  for (let k = 0; k < inputs.length; k++) found[k + 1] = words[k]!;
  const word = (literal: Literal): number => found[nodeOf(literal)]! ^ -(literal & 1);
  gates.forEach((gate, k) => {
    found[1 + inputs.length + k] = gateWord(gate, word);
  });
  return found;
}

function gateWord(gate: Gate, word: (literal: Literal) => number): number {
  if (gate.kind === "cubes")
    return gate.cubes.reduce((sum, { mask, value }) => {
      let product = -1;
      gate.args.forEach((a, k) => {
        if ((mask >>> k) & 1) product &= (value >>> k) & 1 ? word(a) : ~word(a);
      });
      return sum | product;
    }, 0);
  // Counters of all 32 lanes, bit by bit.
  const planes: number[] = [];
  for (const a of gate.args) {
    let carry = word(a);
    for (let p = 0; carry !== 0; p++) {
      const before = planes[p] ?? 0;
      planes[p] = before ^ carry;
      carry &= before;
    }
  }
  return gate.on.reduce((sum, on, count) => {
    if (!on || count >>> planes.length !== 0) return sum;
    return sum | planes.reduce((match, plane, p) => match & ((count >>> p) & 1 ? plane : ~plane), -1);
  }, 0);
}

/**
 * The words of the outputs.
 * @example outputWords(readFormulas("s = a ^ b; c = a & b"), [12, 10]) // [6, 8]
 */
export function outputWords(circuit: Circuit, words: ArrayLike<number>): number[] {
  const nodes = nodeWords(circuit, words);
  return circuit.outputs.map(({ literal }) => nodes[nodeOf(literal)]! ^ -(literal & 1));
}

/** Bits 0 to 4 of 0 ... 31, as words. */
const lowBits = [0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000].map((w) => w | 0);

/** The words of the n inputs on the points first ... first + 31 (first a multiple of 32): input i is bit i of a point. */
export const pointWords = (n: number, first: number): number[] =>
  Array.from({ length: n }, (_, i) => (i < 5 ? lowBits[i]! : (first / 2 ** i) & 1 ? -1 : 0));

/**
 * The table of values of each output, 2^n bits each: bit i of a place is input i.
 * @example truthTables(readFormulas("a ^ b"))[0] // Uint8Array [0, 1, 1, 0]
 */
export function truthTables(circuit: Circuit): Uint8Array[] {
  const n = circuit.inputs.length;
  if (n > 24) throw new DiscreteError(`a table of ${n} inputs is too large: at most 24`);
  const tables = circuit.outputs.map(() => new Uint8Array(2 ** n));
  for (let first = 0; first < 2 ** n; first += 32)
    outputWords(circuit, pointWords(n, first)).forEach((word, k) => {
      for (let t = 0; t < 32 && first + t < 2 ** n; t++) tables[k]![first + t] = (word >>> t) & 1;
    });
  return tables;
}
