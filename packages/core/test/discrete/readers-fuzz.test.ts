// Files of circuits and machines, damaged at random: each is read, or refused in one line by the error that is meant for it.
import { expect, it } from "vitest";
import { truthTables } from "../../src/discrete/circuit/evaluate.ts";
import { readCircuit } from "../../src/discrete/circuit/read/index.ts";
import { DiscreteError } from "../../src/discrete/error.ts";
import { exampleMachines } from "../../src/discrete/machine/examples.ts";
import { readMachine, simulate } from "../../src/discrete/machine/machine.ts";
import { kernelOf } from "../../src/discrete/stochastic/kernel.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

const hunt = Number(process.env["LEMMATA_HUNT"] ?? 0);
const seed = process.env["LEMMATA_SEED"] ?? (hunt > 0 ? String(Date.now()) : "readers");
const count = hunt > 0 ? hunt : 300;

const texts: Readonly<Record<string, readonly string[]>> = {
  "a.aag": [
    "aag 3 2 0 1 1\n2\n4\n6\n6 2 4\ni0 a\no0 y\nc\nremark\n",
    "aag 5 2 0 2 3\n2\n4\n10\n7\n6 2 4\n8 3 5\n10 7 9\n",
  ],
  "a.blif": [
    ".model m\n.inputs a b c\n.outputs s t\n.names a b c s\n100 1\n010 1\n001 1\n111 1\n.names a b c t\n11- 1\n1-1 1\n-11 1\n.end\n",
    ".inputs a \\\n b\n.outputs y z\n.names a b y\n00 0\n.names z\n1\n.end",
  ],
  "a.cnf": ["c remark\np cnf 3 2\n1 -2 0\n2 3 -1 0\n", "p cnf 2 3\n1 0 -2 0\n1 2\n0\n%\n0\n"],
  "a.tt": ["y: 0110 1001\nz: 1111_0000\n", "01\n10 # not\n"],
  "a.txt": [
    "inputs a b c\ns = a ^ b ^ c\nd = maj(a, b, c) & !if(a, b, c)\n",
    "y = threshold(2, a, b | (c & d), 1, ~e) # remark\n",
    "and(a, or(b, xor(c, not(d)), maj(a, b)))",
  ],
};
const pieces = [
  "",
  " ",
  "\n",
  "0",
  "1",
  "-",
  "-1",
  "2",
  "7",
  "99999999999999999999",
  "(",
  ")",
  ",",
  "a",
  "=",
  "&",
  "!",
  ".names",
  ".latch",
  ".end",
  "\\",
  "\u0000",
  "é",
  "NaN",
  "1e9",
  "aag",
  "p cnf",
  ":",
  "threshold(",
  '"',
  "[",
  "{",
];

/** A piece is put in, cut out, or written twice; lines change places. */
function damaged(text: string, random: Random): string {
  let now = text;
  for (let edits = random.integer(1, 4); edits > 0; edits--) {
    const [at, length] = [random.integer(0, now.length), random.integer(0, 6)];
    const piece = pieces[random.integer(0, pieces.length - 1)]!;
    const lines = now.split("\n");
    const [i, k] = [random.integer(0, lines.length - 1), random.integer(0, lines.length - 1)];
    now = [
      () => now.slice(0, at) + piece + now.slice(at),
      () => now.slice(0, at) + now.slice(at + length),
      () => now.slice(0, at) + piece + now.slice(at + length),
      () => lines.with(i, lines[k]!).join("\n"),
      () => lines.toSpliced(i, 1).join("\n"),
      () => now.slice(0, at + length) + now.slice(at),
    ][random.integer(0, 5)]!();
  }
  return now;
}

/** What `read` makes, or one line that says what is wrong. */
function tried<T>(read: () => T, text: string): T | undefined {
  try {
    return read();
  } catch (error) {
    const line = error instanceof Error ? error.message : String(error);
    expect([text, error instanceof DiscreteError, line.includes("\n"), line.length < 400]).toEqual([
      text,
      true,
      false,
      true,
    ]);
    return undefined;
  }
}

it.each(Object.keys(texts))(
  `%s: ${count} damaged files with seed ${seed} are read or refused in a line`,
  (name) => {
    const random = createRandom(`${seed} ${name}`);
    let [read, refused] = [0, 0];
    for (let k = 0; k < count; k++) {
      const text = damaged(texts[name]![k % texts[name]!.length]!, random);
      const circuit = tried(() => readCircuit(name, text), text);
      if (!circuit) {
        refused++;
        continue;
      }
      read++;
      const isSound =
        new Set(circuit.inputs).size === circuit.inputs.length &&
        (circuit.inputs.length > 10 || truthTables(circuit).length === circuit.outputs.length);
      expect([text, isSound]).toEqual([text, true]);
    }
    expect([read > 0, refused > 0]).toEqual([true, true]);
  },
);

it(`${count} damaged machines are read or refused in a line`, () => {
  const random = createRandom(`${seed} machines`);
  const all = Object.values(exampleMachines);
  for (let k = 0; k < count; k++) {
    const text = damaged(all[k % all.length]!, random);
    const machine = tried(() => readMachine(text), text);
    if (!machine) continue;
    const end = tried(() => simulate(machine, new Array<number>(41).fill(machine.blank), 20, 20), text)!;
    expect(end.steps <= 20 && machine.states[end.state] !== undefined).toBe(true);
  }
});

it("tables of probabilities of any numbers are kernels or refused in a line", () => {
  const random = createRandom(`${seed} tables`);
  const numbers = [
    0,
    1,
    0.5,
    -0,
    -0.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e308,
    1e-320,
    2,
    0.25,
    1 + 1e-7,
  ];
  for (let k = 0; k < count; k++) {
    const [rows, columns] = [random.integer(0, 4), random.integer(0, 4)];
    const table = Array.from({ length: rows }, () =>
      Array.from(
        { length: random.uniform() < 0.9 ? columns : columns + 1 },
        () => numbers[random.integer(0, numbers.length - 1)]!,
      ),
    );
    const kernel = tried(() => kernelOf(table), JSON.stringify(table));
    for (const row of kernel?.rows ?? []) {
      expect(row.every((p) => p >= 0 && p <= 1)).toBe(true);
      expect(row.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
    }
  }
});
