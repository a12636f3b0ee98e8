// BLIF: .inputs, .outputs and .names with a cover each; memory and hierarchy are refused by line.
import { DiscreteError } from "../../error.ts";
import type { CircuitBuilder } from "../builder.ts";
import type { Circuit, Literal } from "../circuit.ts";
import { disjointCover } from "../cover.ts";
import { assemble, type Definition } from "../definitions.ts";
import { mostProductArguments } from "../from-table.ts";
import { type Line, linesOf } from "./lines.ts";

interface Cover {
  readonly at: number;
  readonly signals: readonly string[];
  readonly rows: { readonly pattern: string; readonly value: string }[];
}

/**
 * The circuit of a BLIF file with one model and no latches.
 * @example readBlif(".inputs a b\n.outputs y\n.names a b y\n11 1\n.end").gates.length // 1
 */
export function readBlif(text: string): Circuit {
  const inputs: string[] = [];
  const outputs: { readonly name: string; readonly of: string; readonly place: string }[] = [];
  const covers: Cover[] = [];
  let models = 0;
  for (const line of linesOf(text, /#.*$/)) {
    const { number, words } = line;
    const [head, ...rest] = words as [string, ...string[]];
    if (!head.startsWith(".")) addRow(covers.at(-1), line);
    else if (head === ".inputs") inputs.push(...rest);
    else if (head === ".outputs")
      outputs.push(...rest.map((name) => ({ name, of: name, place: `line ${number}` })));
    else if (head === ".names" && rest.length > 0) covers.push({ at: number, signals: rest, rows: [] });
    else if (head === ".model" && models++ > 0)
      throw new DiscreteError(`line ${number}: a second model: only one can be compiled`);
    else if (head === ".end") break;
    else if (head !== ".model")
      throw new DiscreteError(
        `line ${number}: ${head} is not supported: a circuit here has .inputs, .outputs and .names`,
      );
  }
  return assemble({ inputs, definitions: covers.map(definitionOf), outputs });
}

function addRow(cover: Cover | undefined, { number, words }: Line): void {
  const fanIn = (cover?.signals.length ?? 0) - 1;
  const [pattern, value] = fanIn === 0 ? ["", words[0]] : [words[0]!, words[1]];
  const fits = words.length === (fanIn === 0 ? 1 : 2) && pattern.length === fanIn;
  if (!cover || !fits || /[^01-]/.test(pattern) || (value !== "0" && value !== "1"))
    throw new DiscreteError(
      `line ${number}: a row of a cover has ${Math.max(fanIn, 0)} of 0, 1, - and then 0 or 1`,
    );
  if (cover.rows.length > 0 && cover.rows[0]!.value !== value)
    throw new DiscreteError(`line ${number}: the rows of a cover say all 1 or all 0`);
  cover.rows.push({ pattern, value });
}

function definitionOf({ at, signals, rows }: Cover): Definition {
  const reads = signals.slice(0, -1);
  return {
    name: signals.at(-1)!,
    place: `line ${at}`,
    reads,
    make: (builder, read) => {
      const sum = sumOfProducts(
        builder,
        reads.map(read),
        rows.map(({ pattern }) => pattern),
      );
      return rows[0]?.value === "0" ? sum ^ 1 : sum;
    },
  };
}

/** One gate where the arguments are few and distinct; else a disjunction of conjunctions. */
function sumOfProducts(
  builder: CircuitBuilder,
  args: readonly Literal[],
  patterns: readonly string[],
): Literal {
  const isPlain = new Set(args.map((a) => a >> 1)).size === args.length && args.every((a) => a > 1);
  const parity =
    isPlain && args.length >= 2 && args.length <= mostProductArguments && parityOf(args.length, patterns);
  if (parity) return builder.xor(args) ^ (parity === "even" ? 1 : 0);
  if (!isPlain || args.length > mostProductArguments || patterns.length < 2)
    return builder.or(patterns.map((p) => builder.and(literalsOf(p, args))));
  const table = tableOf(args.length, patterns);
  const [ones, zeros] = [disjointCover(table), disjointCover(table.map((b) => 1 - b))];
  return ones.length <= zeros.length
    ? builder.disjointCubes(args, ones)
    : builder.disjointCubes(args, zeros) ^ 1;
}

const literalsOf = (pattern: string, args: readonly Literal[]): Literal[] =>
  [...pattern].flatMap((c, k) => (c === "-" ? [] : [args[k]! ^ (c === "0" ? 1 : 0)]));

function tableOf(count: number, patterns: readonly string[]): Uint8Array {
  const cubes = patterns.map((p) => ({
    mask: [...p].reduce((sum, c, k) => (c === "-" ? sum : sum | (1 << k)), 0),
    value: [...p].reduce((sum, c, k) => (c === "1" ? sum | (1 << k) : sum), 0),
  }));
  return Uint8Array.from({ length: 2 ** count }, (_, word) =>
    cubes.some(({ mask, value }) => (word & mask) === value) ? 1 : 0,
  );
}

/** A parity has half of all points as rows, none with a "-": worth a gate of its own. */
function parityOf(count: number, patterns: readonly string[]): "odd" | "even" | undefined {
  if (patterns.length !== 2 ** (count - 1) || new Set(patterns).size !== patterns.length) return undefined;
  const ones = patterns.map((p) => (p.includes("-") ? -1 : p.split("1").length - 1));
  if (ones.every((c) => c > 0 && c % 2 === 1)) return "odd";
  return ones.every((c) => c >= 0 && c % 2 === 0) ? "even" : undefined;
}
