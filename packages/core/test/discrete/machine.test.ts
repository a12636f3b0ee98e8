import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exampleMachines } from "../../src/discrete/machine/examples.ts";
import {
  type Configuration,
  type Machine,
  readMachine,
  simulate,
} from "../../src/discrete/machine/machine.ts";
import { machineLoop, machineNetwork, oneHotTape, tapeFor } from "../../src/discrete/machine/network.ts";
import { unitsPerCell } from "../../src/discrete/machine/step.ts";
import { run } from "../../src/engine/run.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";

const example = (name: string): Machine => readMachine(exampleMachines[name]!);
const blankTape = (m: Machine, cells: number): number[] => new Array<number>(cells).fill(m.blank);

/** What the network's output is for a configuration. */
const outputFor = (m: Machine, { tape, state, head }: Configuration): number[] => [
  ...oneHotTape(tape, m.symbols.length),
  ...m.states.map((_, q) => (q === state ? 1 : 0)),
  ...tape.map((_, cell) => (cell === head ? 1 : 0)),
];

/** Random rules, some missing. */
function randomMachine(seed: number): Machine {
  const random = createRandom(seed);
  const [states, symbols] = [random.integer(1, 4), random.integer(2, 3)];
  const rules = Array.from({ length: states * symbols }, (_, k) =>
    k > 0 && random.uniform() < 0.15
      ? []
      : [
          [
            `q${Math.floor(k / symbols)}`,
            `${k % symbols}`,
            `${random.integer(0, symbols - 1)}`,
            "LRN"[random.integer(0, 2)]!,
            `q${random.integer(0, states - 1)}`,
          ],
        ],
  ).flat();
  return readMachine(JSON.stringify({ start: "q0", blank: "0", rules }));
}

describe("a direct simulator", () => {
  it.each([
    ["busy-beaver-2", 6, 4],
    ["busy-beaver-3", 21, 5],
    ["busy-beaver-4", 107, 13],
  ])("%s halts after %i steps with %i ones", (name, steps, ones) => {
    const m = example(name);
    const end = simulate(m, blankTape(m, 41), 20, 1000);
    expect([end.halted, end.steps, end.tape.filter((s) => m.symbols[s] === "1").length]).toEqual([
      true,
      steps,
      ones,
    ]);
  });

  it("adds one in binary", () => {
    const m = example("increment");
    for (let n = 0; n < 16; n++) {
      const digits = n.toString(2).padStart(4, "0");
      const tape = [..."_".repeat(2), ...digits, ..."__"].map((s) => m.symbols.indexOf(s));
      const end = simulate(m, tape, 2, 100);
      expect(
        Number.parseInt(
          end.tape
            .map((s) => m.symbols[s])
            .join("")
            .replaceAll("_", ""),
          2,
        ),
      ).toBe(n + 1);
    }
  });
});

describe("a machine as a network", () => {
  it("makes every step of random machines on random tapes, unrolled and as a loop", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 7 }), async (seed, steps) => {
        const m = randomMachine(seed);
        const random = createRandom(seed + 1);
        const tape = tapeFor(steps);
        const tapes = Array.from({ length: 8 }, () =>
          Array.from({ length: tape.cells }, () => random.integer(0, m.symbols.length - 1)),
        );
        const expected = tapes.flatMap((t) => outputFor(m, simulate(m, t, tape.head, steps)));
        const x = tensor(tapes.map((t) => [...oneHotTape(t, m.symbols.length)]));
        const { graph, fanIn, units, tableau } = machineNetwork(m, steps);
        expect([...numbers((await run(graph, { x })).y!)]).toEqual(expected);
        expect(fanIn).toBeLessThanOrEqual(3);
        expect(units).toBeLessThanOrEqual(tableau * unitsPerCell(m));
        const looped = await run(machineLoop(m, tape).graph, { x, steps: tensor(steps, { type: "int64" }) });
        expect([...numbers(looped["y"]!)]).toEqual(expected);
      }),
      { numRuns: 10 },
    );
  });

  it("halts with the busy beaver of four states after 107 steps, not after 106", async () => {
    const m = example("busy-beaver-4");
    const tape = { cells: 21, head: 10 };
    const { graph } = machineLoop(m, tape);
    const x = tensor([[...oneHotTape(blankTape(m, tape.cells), 2)]]);
    for (const steps of [106, 107, 200]) {
      const y = numbers((await run(graph, { x, steps: tensor(steps, { type: "int64" }) }))["y"]!);
      expect(y[2 * tape.cells + m.states.indexOf("H")]).toBe(steps >= 107 ? 1 : 0);
      expect([...y]).toEqual(outputFor(m, simulate(m, blankTape(m, tape.cells), tape.head, steps)));
    }
  });
});

describe("tables of machines", () => {
  it.each([
    ["{", /^this is no JSON: line 1, column \d+$/],
    ['{"start":"A",\n "blank":"0","rules":[["A","0"', /^this is no JSON: line 2, column \d+$/],
    ['{"start":"A",\n "blank":0', /^this is no JSON: line 2, column \d+$/],
    ["?", /^this is no JSON/],
    ['{"start":"A","blank":"0","rules":[]}', /^rules: /],
    ['{"start":"A","blank":"0","rules":[["A","0","1","X","B"]]}', /^rules\.0\.3: /],
    [
      '{"start":"A","blank":"0","rules":[["A","0","1","R","B"],["A","0","0","L","A"]]}',
      /^rules\.1: the machine is not deterministic: rules\.0 is for state A and symbol 0 too$/,
    ],
  ])("%s is refused with its place", (json, line) => {
    expect(() => readMachine(json)).toThrow(line);
  });

  it("a head that leaves its tape is said", () => {
    const m = example("busy-beaver-4");
    expect(() => simulate(m, blankTape(m, 5), 2, 107)).toThrow(
      /^the head leaves the tape of 5 cells in step \d+$/,
    );
  });
});
