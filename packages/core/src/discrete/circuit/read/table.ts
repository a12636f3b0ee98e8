// Truth tables as text: a line of 0 and 1 for each output, perhaps with its name before a colon.
import { DiscreteError } from "../../error.ts";
import type { Table } from "../from-table.ts";

const mostInputs = 24;

/**
 * The tables of a file; character k of a line is the value where input i is bit i of k.
 * @example readTables("y: 0110").map((t) => t.bits.length) // [4]
 */
export function readTables(text: string): readonly Table[] {
  const tables = text
    .split(/\r\n|\n|\r/)
    .flatMap((raw, k): readonly (Table & { readonly line: number })[] => {
      const line = raw.replace(/#.*$/, "").trim();
      if (line === "") return [];
      const [, name = `y${k + 1}`, digits] = /^(?:([^:\s]+)\s*:)?\s*(.*)$/.exec(line)!;
      const bits = digits!.replace(/[\s_]/g, "");
      const wrong = bits.search(/[^01]/);
      if (wrong >= 0) throw new DiscreteError(`line ${k + 1}: "${bits[wrong]}" is neither 0 nor 1`);
      const n = Math.log2(bits.length);
      if (!Number.isInteger(n) || n > mostInputs)
        throw new DiscreteError(
          `line ${k + 1}: ${bits.length} values: a table of n inputs has 2^n, n from 0 to ${mostInputs}`,
        );
      return [{ name, bits: Uint8Array.from(bits, Number), line: k + 1 }];
    });
  const [first] = tables;
  if (!first) throw new DiscreteError("line 1: there is no table");
  for (const { bits, line } of tables)
    if (bits.length !== first.bits.length)
      throw new DiscreteError(
        `line ${line}: ${bits.length} values, the first table has ${first.bits.length}`,
      );
  return tables;
}
