// AIGER in its ASCII form: "aag M I L O A", then inputs, latches, outputs and and-gates as literals.
import { DiscreteError } from "../../error.ts";
import { type Circuit, isNegated, type Literal, nodeOf } from "../circuit.ts";
import { assemble, type Definition } from "../definitions.ts";

/** Literals are halved as 32-bit numbers. */
const mostVariables = 2 ** 29;

const signal = (literal: Literal): string => `${literal - (literal & 1)}`;

/**
 * The circuit of an AIGER file (ASCII, without latches).
 * @example readAiger("aag 3 2 0 1 1\n2\n4\n6\n6 2 4\n").gates.length // 1
 */
export function readAiger(text: string): Circuit {
  const lines = text.split(/\r\n|\n|\r/);
  const header = /^aag (\d+) (\d+) (\d+) (\d+) (\d+)\s*$/.exec(lines[0] ?? "");
  if (!header)
    throw new DiscreteError('line 1: an AIGER file in ASCII begins "aag M I L O A", with five numbers');
  const [most, inputCount, latchCount, outputCount, andCount] = header.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
  ];
  if (latchCount > 0) throw new DiscreteError(`line 1: ${latchCount} latches: only circuits without memory`);
  if (!(most <= mostVariables))
    throw new DiscreteError(`line 1: ${header[1]} variables are too many: at most ${mostVariables}`);
  if (1 + inputCount + outputCount + andCount > lines.length)
    throw new DiscreteError(`line ${lines.length}: the file ends before the gates that line 1 announces`);
  const literalsAt = (number: number, count: number): Literal[] => {
    const words = lines[number - 1]!.trim().split(/\s+/);
    const literals = words.map((word) => (/^\d+$/.test(word) ? Number(word) : Number.NaN));
    if (literals.length !== count || literals.some((l) => !(l <= 2 * most + 1)))
      throw new DiscreteError(
        `line ${number}: ${count === 1 ? "a literal is" : "three literals are"} expected, from 0 to ${2 * most + 1}`,
      );
    return literals;
  };
  const outputsFrom = 2 + inputCount;
  const andsFrom = outputsFrom + outputCount;
  const names = symbols(lines.slice(andsFrom + andCount - 1));
  const inputs = Array.from({ length: inputCount }, (_, k) => {
    const [literal] = literalsAt(2 + k, 1) as [Literal];
    if (isNegated(literal) || nodeOf(literal) === 0)
      throw new DiscreteError(`line ${2 + k}: ${literal} is no input: it is even and not 0`);
    return literal;
  });
  const definitions = Array.from({ length: andCount }, (_, k): Definition => {
    const number = andsFrom + k;
    const [made, a, b] = literalsAt(number, 3) as [Literal, Literal, Literal];
    if (isNegated(made) || nodeOf(made) === 0)
      throw new DiscreteError(`line ${number}: a gate makes an even literal, not ${made}`);
    return {
      name: signal(made),
      place: `line ${number}`,
      reads: [a, b].map(signal),
      make: (builder, read) => builder.and([a, b].map((l) => read(signal(l)) ^ (l & 1))),
    };
  });
  const constant: Definition = { name: "0", place: "line 1", reads: [], make: () => 0 };
  const wanted = Array.from({ length: outputCount }, (_, k) => {
    const [literal] = literalsAt(outputsFrom + k, 1) as [Literal];
    return { literal, name: names.get(`o${k}`) ?? `y${k + 1}`, place: `line ${outputsFrom + k}` };
  });
  const circuit = assemble({
    inputs: inputs.map(signal),
    definitions: [constant, ...definitions],
    outputs: wanted.map(({ literal, name, place }) => ({ name, of: signal(literal), place })),
  });
  return {
    ...circuit,
    inputs: inputs.map((_, k) => names.get(`i${k}`) ?? `x${k + 1}`),
    outputs: circuit.outputs.map((o, k) => ({ ...o, literal: o.literal ^ (wanted[k]!.literal & 1) })),
  };
}

/** "i0 name", "o0 name", up to the comments. */
function symbols(lines: readonly string[]): ReadonlyMap<string, string> {
  const end = lines.findIndex((line) => line.trim() === "c");
  const found = (end < 0 ? lines : lines.slice(0, end)).flatMap((line) => {
    const match = /^([io]\d+) (.*\S)\s*$/.exec(line);
    return match ? [[match[1]!, match[2]!] as const] : [];
  });
  return new Map(found);
}
