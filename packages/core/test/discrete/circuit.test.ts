import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adder, lessThan, multiplier } from "../../src/discrete/circuit/arithmetic.ts";
import { CircuitBuilder } from "../../src/discrete/circuit/builder.ts";
import { type Circuit, gateValue, nodeOf } from "../../src/discrete/circuit/circuit.ts";
import { disjointCover } from "../../src/discrete/circuit/cover.ts";
import { equality } from "../../src/discrete/circuit/equality.ts";
import { outputWords, truthTables } from "../../src/discrete/circuit/evaluate.ts";
import { tableCircuit } from "../../src/discrete/circuit/from-table.ts";
import { circuitNetwork } from "../../src/discrete/circuit/network.ts";
import { readCircuit } from "../../src/discrete/circuit/read/index.ts";
import { run } from "../../src/engine/run.ts";
import { readModel } from "../../src/graph/onnx/read.ts";
import { writeModel } from "../../src/graph/onnx/write.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { complexity, layersOf } from "../../src/networks/layers/layers.ts";
import { createRandom } from "../../src/numbers/random.ts";

/** Node by node, one input at a time. */
function slowly(circuit: Circuit, bits: readonly number[]): number[] {
  const nodes = [0, ...bits];
  const value = (a: number): number => nodes[nodeOf(a)]! ^ (a & 1);
  for (const gate of circuit.gates) nodes.push(gateValue(gate, value));
  return circuit.outputs.map(({ literal }) => value(literal));
}

/** Random gates of all kinds over what is there already. */
function randomCircuit(number: number, inputs: number, gates: number): Circuit {
  const random = createRandom(number);
  const b = new CircuitBuilder(Array.from({ length: inputs }, (_, k) => `x${k}`));
  const literals = [0, 1, ...b.inputs.map((_, k) => b.input(k))];
  const pick = (): number => literals[random.integer(0, literals.length - 1)]! ^ random.integer(0, 1);
  for (let g = 0; g < gates; g++) {
    const args = Array.from({ length: random.integer(1, 5) }, pick);
    const makers = [
      () => b.and(args),
      () => b.or(args),
      () => b.xor(args),
      () => b.threshold(random.integer(0, args.length + 1), args),
      () => b.majority(args),
      () => b.choose(args[0]!, pick(), pick()),
    ];
    literals.push(makers[random.integer(0, makers.length - 1)]!());
  }
  return b.finish(literals.slice(-3).map((literal, k) => ({ name: `y${k}`, literal })));
}

const bitsOf = (x: number, n: number): number[] => Array.from({ length: n }, (_, i) => (x >> i) & 1);

describe("circuits", () => {
  it("are evaluated 32 inputs at a time as one by one", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 0, max: 40 }),
        (s, n, gates) => {
          const circuit = randomCircuit(s, n, gates);
          const tables = truthTables(circuit);
          for (let x = 0; x < 2 ** n; x++)
            expect(tables.map((t) => t[x])).toEqual(slowly(circuit, bitsOf(x, n)));
        },
      ),
      { numRuns: 100 },
    );
  });

  it("are networks, of ReLUs and of thresholds, on every input and on ONNX Runtime", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 0, max: 30 }),
        fc.constantFrom("relu", "threshold"),
        async (s, n, gates, kind) => {
          const circuit = randomCircuit(s, n, gates);
          const { graph } = circuitNetwork(circuit, { kind: kind as "relu" });
          expect(equality(graph, circuit)).toEqual({ inputs: 2 ** n, exhaustive: true });
          const x = Array.from({ length: 2 ** n }, (_, k) => bitsOf(k, n));
          const y = numbers((await run(graph, { x: tensor(x) })).y!);
          expect([...y]).toEqual(x.flatMap((bits) => slowly(circuit, bits)));
        },
      ),
      { numRuns: 40 },
    );
  });

  it("equality finds one wrong weight, by the file as well", () => {
    const circuit = adder(3);
    const { graph } = circuitNetwork(circuit);
    const read = readModel(writeModel(graph));
    expect(equality(read, circuit).difference).toBeUndefined();
    layersOf(read).layers[1]!.weights.values[0]! += 1;
    expect(equality(read, circuit).difference).toBeDefined();
  });

  it.each([1, 2, 5])("add, multiply and compare %i bits", (bits) => {
    const most = 2 ** bits;
    const number = (values: readonly number[]): number => values.reduce((sum, v, k) => sum + v * 2 ** k, 0);
    const [sums, products, less] = [adder(bits), multiplier(bits), lessThan(bits)].map(truthTables) as [
      Uint8Array[],
      Uint8Array[],
      Uint8Array[],
    ];
    for (let a = 0; a < most; a++)
      for (let b = 0; b < most; b++) {
        const at = a + most * b;
        expect(number(sums.map((t) => t[at]!))).toBe(a + b);
        expect(number(products.map((t) => t[at]!))).toBe(a * b);
        expect(less[0]![at]).toBe(a < b ? 1 : 0);
      }
  });

  it("take one unit for and, or and a carried bit, two for xor, three for a full adder", () => {
    const widths = (text: string) =>
      complexity(circuitNetwork(readCircuit("a.txt", text)).graph).architecture;
    expect(widths("a & b & c & d")).toEqual([4, 1, 1]);
    expect(widths("a | !b | c")).toEqual([3, 1, 1]);
    expect(widths("a ^ b")).toEqual([2, 2, 1]);
    expect(widths("s = a ^ b ^ c; d = maj(a, b, c)")).toEqual([3, 3, 2]);
    expect(widths("threshold(2, a, b, c, d)")).toEqual([4, 2, 1]);
    expect(widths("(a ^ b) & c")).toEqual([3, 3, 1, 1]);
    expect(widths("if(a, b, c)")).toEqual([3, 2, 1]);
    expect(widths("!a")).toEqual([1, 1]);
  });

  it("of tables are what the tables say, as products and as diagrams", () => {
    fc.assert(
      fc.property(
        fc
          .integer({ min: 1, max: 6 })
          .chain((n) => fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 2 ** n, maxLength: 2 ** n })),
        (bits) => {
          for (const form of ["products", "diagram"] as const)
            expect([...truthTables(tableCircuit([{ name: "y", bits }], form))[0]!]).toEqual(bits);
          const cubes = disjointCover(bits);
          bits.forEach((bit, word) => {
            expect(cubes.filter(({ mask, value }) => (word & mask) === value)).toHaveLength(bit);
          });
        },
      ),
      { numRuns: 100 },
    );
  });
});

const tablesOf = (name: string, text: string): string[] => {
  const circuit = readCircuit(name, text);
  return truthTables(circuit).map((t, k) => `${circuit.outputs[k]!.name}:${t.join("")}`);
};

describe("files of circuits", () => {
  it("formulas", () => {
    expect(tablesOf("a.txt", "a & !b | (b ^ 1) & a")).toEqual(["y:0100"]);
    expect(tablesOf("a.txt", "inputs b a\nt = and(a,\n b) # comment\ny = !t; z = maj(a, b, 0)\n")).toEqual([
      "y:1110",
      "z:0001",
    ]);
    expect(tablesOf("a.txt", "y = !a\nz = a")).toEqual(["y:10", "z:01"]);
    expect(tablesOf("a.txt", "y = not a and b or c xor not (a | c)")).toEqual(
      tablesOf("a.txt", "y = (!a & b) | (c ^ !(a | c))"),
    );
    expect(tablesOf("a.txt", "y = threshold(2, a, b, c) xor not(a) and not not b")).toEqual(["y:00110101"]);
  });

  it("BLIF, with covers of ones and of zeros, constants and joined lines", () => {
    const text = `.model m
.inputs a b \\
 c
.outputs y z one
.names a b c y  # parity
001 1
010 1
100 1
111 1
.names a t z
1- 0
-1 0
.names b c t
11 1
.names one
1
.end`;
    expect(tablesOf("m.blif", text)).toEqual(["y:01101001", "z:10101000", "one:11111111"]);
    expect(readCircuit("m.blif", text).gates).toHaveLength(3);
  });

  it("AIGER, gates in any order, negated and constant outputs, names", () => {
    const text = "aag 4 2 0 3 2\n2\n4\n8\n7\n1\n8 7 3\n6 2 4\ni0 a\no0 y\nc\nremark\n";
    expect(tablesOf("m.aag", text)).toEqual(["y:1010", "y2:1110", "y3:1111"]);
    expect(readCircuit("m.aag", text).inputs).toEqual(["a", "x2"]);
  });

  it("DIMACS", () => {
    expect(tablesOf("m.cnf", "c remark\np cnf 2 2\n1 2 0 -1\n-2 0\n")).toEqual(["satisfied:0110"]);
    expect(tablesOf("m.cnf", "p cnf 1 1\n0\n")).toEqual(["satisfied:00"]);
  });

  it("tables", () => {
    expect(tablesOf("m.tt", "# xor\ny: 01 10\n0001\n")).toEqual(["y:0110", "y3:0001"]);
  });

  it.each([
    ["m.txt", "a = b & x\nb = a | y", /^line 1: the circuit is cyclic: a reads b reads a$/],
    ["m.txt", "a & ", /^line 1, column 5: a signal, 0, 1, ! or a bracket is expected, not the end$/],
    ["m.txt", "y = and(a, b", /^line 1.*"\)" is expected, not the end$/],
    ["m.txt", "a b", /^line 1, column 3: /],
    ["m.txt", "a and", /^line 1, column 6: /],
    ["m.txt", "a not b", /^line 1, column 3: /],
    ["m.txt", "nand(a, b)", /^line 1, column 1: one of and, or,.* is expected, not "nand"$/],
    ["m.txt", "not(a, b)", /^line 1, column 1: not takes 1 arguments, not 2$/],
    ["m.txt", "y = a\ny = b", /^line 2: y is defined already, in line 1$/],
    ["m.txt", "", /^line 1: there is no formula$/],
    ["m.txt", `${"(".repeat(1000)}a`, /nested too deep$/],
    ["m.txt", "inputs a\ny = a & b", /^line 2: nothing defines b$/],
    ["m.blif", ".inputs a\n.outputs y\n.latch a y 0", /^line 3: \.latch is not supported/],
    ["m.blif", ".inputs a b\n.outputs y\n.names a b y\n1 1", /^line 4: a row of a cover has 2 of/],
    [
      "m.blif",
      ".inputs a\n.outputs y\n.names a z y\n11 1\n.names y z\n1 1",
      /^line 3: the circuit is cyclic: y reads z reads y$/,
    ],
    ["m.blif", ".inputs a\n.outputs y", /^line 2: nothing defines y$/],
    ["m.blif", ".inputs a\n.outputs y\n.names a y\n1 1\n0 0", /^line 5: the rows of a cover/],
    ["m.aag", "aig 1 1 0 1 0", /^line 1: an AIGER file in ASCII begins/],
    ["m.aag", "aag 3 1 1 1 0\n2\n4 2\n4\n", /^line 1: 1 latches/],
    ["m.aag", "aag 3 2 0 1 1\n2\n4\n6\n6 2\n", /^line 5: three literals are expected/],
    ["m.aag", "aag 3 1 0 1 2\n2\n4\n4 6 2\n6 4 2\n", /^line 4: the circuit is cyclic/],
    ["m.aag", "aag 9 9 0 9 9\n2\n", /^line 3: the file ends before/],
    ["m.cnf", "p cnf 2 1\n1 3 0\n", /^line 2: "3" is no literal of 2 variables$/],
    ["m.cnf", "p cnf 2 1\n1 2\n", /^line 2: the last clause does not end in 0$/],
    ["m.cnf", "p cnf 2 2\n1 2 0\n", /^line 1: 2 clauses are announced, 1 are there$/],
    ["m.tt", "0120", /^line 1: "2" is neither 0 nor 1$/],
    ["m.tt", "011", /^line 1: 3 values/],
    ["m.tt", "01\n0110", /^line 2: 4 values, the first table has 2$/],
    ["m.v", "", /^the name of a circuit's file ends in/],
  ])("%s: %j is refused with its place", (name, text, line) => {
    expect(() => readCircuit(name, text)).toThrow(line);
  });

  it("long chains need no stack", () => {
    const lines = Array.from({ length: 20_000 }, (_, k) => `s${k + 1} = !s${k}`).toReversed();
    const circuit = readCircuit("m.txt", lines.join("\n"));
    expect(outputWords(circuit, [1])).toEqual([1]);
  });
});
