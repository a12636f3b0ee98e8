// Turing machines with one tape: a table of rules, read from JSON, and run directly.
import { z } from "zod";
import { DiscreteError } from "../error.ts";

/** In this state, reading this symbol: write, move, go on in that state. */
export interface Rule {
  readonly state: number;
  readonly read: number;
  readonly write: number;
  /** -1, 0 or 1. */
  readonly move: number;
  readonly next: number;
}

export interface Machine {
  readonly states: readonly string[];
  readonly symbols: readonly string[];
  readonly start: number;
  readonly blank: number;
  /** By state times number of symbols plus symbol; where there is none, the machine has halted. */
  readonly rules: readonly (Rule | undefined)[];
}

const text = z.string().min(1);
const schema = z.strictObject({
  start: text,
  blank: text,
  rules: z.array(z.tuple([text, text, text, z.enum(["L", "R", "N"]), text])).min(1),
});

/** Where a reader of JSON stopped, as far as its message says. */
function placeOf(json: string, message: string): string {
  const at = / position (\d+)/.exec(message)?.[1];
  if (at === undefined && !/end of JSON/.test(message)) return "";
  const lines = (at === undefined ? json.trimEnd() : json.slice(0, Number(at))).split("\n");
  return `: line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
}

/**
 * A machine from JSON: {"start": "A", "blank": "0", "rules": [["A", "0", "1", "R", "B"], ...]}, each rule a state, the symbol
 * read, the symbol written, a move (L, R or N) and the next state. A state and symbol without a rule halt.
 * @example readMachine('{"start":"A","blank":"0","rules":[["A","0","1","R","H"]]}').states // ["A", "H"]
 */
export function readMachine(json: string): Machine {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch (error) {
    throw new DiscreteError(`this is no JSON${placeOf(json, String(error))}`);
  }
  const { data, error } = schema.safeParse(given);
  if (!data) {
    const { path, message } = error.issues[0]!;
    const what = message.replace(/^Invalid input: /, "");
    throw new DiscreteError(`${path.length > 0 ? path.join(".") : "a machine"}: ${what}`);
  }
  const states = [...new Set([data.start, ...data.rules.flatMap(([state, , , , next]) => [state, next])])];
  const symbols = [...new Set([data.blank, ...data.rules.flatMap(([, read, write]) => [read, write])])];
  const rules = new Array<Rule | undefined>(states.length * symbols.length).fill(undefined);
  const places = new Map<number, number>();
  data.rules.forEach(([state, read, write, move, next], k) => {
    const at = states.indexOf(state) * symbols.length + symbols.indexOf(read);
    const before = places.get(at);
    if (before !== undefined)
      throw new DiscreteError(
        `rules.${k}: the machine is not deterministic: rules.${before} is for state ${state} and symbol ${read} too`,
      );
    places.set(at, k);
    rules[at] = {
      state: states.indexOf(state),
      read: symbols.indexOf(read),
      write: symbols.indexOf(write),
      move: { L: -1, N: 0, R: 1 }[move],
      next: states.indexOf(next),
    };
  });
  return { states, symbols, start: 0, blank: 0, rules };
}

export interface Configuration {
  readonly tape: readonly number[];
  readonly state: number;
  readonly head: number;
  /** Steps that were made before it halted, or all. */
  readonly steps: number;
  readonly halted: boolean;
}

/**
 * At most so many steps from a tape of symbols with the head on one of its cells. Beyond the ends there is nothing: a step
 * that would leave the tape is an error.
 * @example simulate(readMachine('{"start":"A","blank":"0","rules":[["A","0","1","N","H"]]}'), [0], 0, 9).steps // 1
 */
export function simulate(
  machine: Machine,
  tape: readonly number[],
  head: number,
  steps: number,
): Configuration {
  const cells = [...tape];
  let [state, at] = [machine.start, head];
  for (let step = 0; step < steps; step++) {
    const rule = machine.rules[state * machine.symbols.length + cells[at]!];
    if (!rule) return { tape: cells, state, head: at, steps: step, halted: true };
    cells[at] = rule.write;
    at += rule.move;
    state = rule.next;
    if (!(at >= 0 && at < cells.length))
      throw new DiscreteError(`the head leaves the tape of ${cells.length} cells in step ${step + 1}`);
  }
  const halted = machine.rules[state * machine.symbols.length + cells[at]!] === undefined;
  return { tape: cells, state, head: at, steps, halted };
}
