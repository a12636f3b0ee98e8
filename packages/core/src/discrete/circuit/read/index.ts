// Files of circuits, by the ending of their names.
import { DiscreteError } from "../../error.ts";
import type { Circuit } from "../circuit.ts";
import { tableCircuit } from "../from-table.ts";
import { readAiger } from "./aiger.ts";
import { readBlif } from "./blif.ts";
import { readDimacs } from "./dimacs.ts";
import { readFormulas } from "./formula.ts";
import { readTables } from "./table.ts";

const readers: Readonly<Record<string, (text: string) => Circuit>> = {
  ".aag": readAiger,
  ".blif": readBlif,
  ".cnf": readDimacs,
  ".tt": (text) => tableCircuit(readTables(text)),
  ".txt": readFormulas,
};

/**
 * The circuit of a file: AIGER (.aag), BLIF (.blif), DIMACS (.cnf), tables of values (.tt) or formulas (.txt).
 * @example readCircuit("half.txt", "s = a ^ b; c = a & b").inputs // ["a", "b"]
 */
export function readCircuit(fileName: string, text: string): Circuit {
  const ending = Object.keys(readers).find((end) => fileName.toLowerCase().endsWith(end));
  if (!ending)
    throw new DiscreteError(`the name of a circuit's file ends in ${Object.keys(readers).join(", ")}`);
  return readers[ending]!(text);
}
