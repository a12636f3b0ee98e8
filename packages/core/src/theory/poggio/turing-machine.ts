import { exampleMachines } from "../../discrete/machine/examples.ts";
import { type Machine, readMachine, simulate } from "../../discrete/machine/machine.ts";
import { machineNetwork, oneHotTape, tapeFor } from "../../discrete/machine/network.ts";
import { unitsPerCell } from "../../discrete/machine/step.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

/** Log10 of the entries of a table of all inputs of d symbols. */
const tableSize = (symbols: number, d: number): number => d * Math.log10(symbols);

export default lemma({
  id: "P-17",
  covers: ["P-17", "P-18"],
  kind: "construction",
  title: "A Turing machine with a time bound is a compositionally sparse network",
  source: "Poggio, Theorem 1 and section 6.1",
  statement: String.raw`c_{t+1,j} = \delta(c_{t,j-1}, c_{t,j}, c_{t,j+1}): \quad T S \text{ functions of three cells}, \; T \text{ hidden layers}, \; \text{units} \le T S \cdot u(Q, \Gamma)`,
  parameters: {
    machine: choice(["busy-beaver-4", "busy-beaver-3", "busy-beaver-2", "parity", "increment"], {
      label: "machine",
    }),
    T: integer({ min: 1, max: 12, default: 8, label: "steps T" }),
  },
  claims: {
    "tapes on which the network is not the machine": equals("0"),
    "hidden layers": equals("T"),
    "cells that a unit reads": atMost("3"),
    "functions of the tableau": equals(String.raw`T S = T (2T + 1)`),
    units: atMost(String.raw`T S \, |\Gamma| (2 + |Q_R| + |Q_L| + |Q|)`).looseBy(2),
    "units against those of all triples of cell values": atMost(
      String.raw`T S A^3, \; A = |\Gamma| (|Q| + 1)`,
    ).looseBy(20),
    "busy beaver of four states, steps until it halts": equals("107"),
    "digits of the size of a table of 1000 bits": equals(String.raw`\lfloor 1000 \log_{10} 2 \rfloor + 1`),
  },
  mutants: {
    "a step lost": ({ T }) => ({ T: T - 1 }),
    "a tape of T cells": { "functions of the tableau": ({ T }) => T * T },
    "two cells suffice": { "cells that a unit reads": () => 2 },
  },
  async run({ machine: name, T }, { random, scale, budget }) {
    const machine = readMachine(exampleMachines[name]!);
    const { graph, tape, units, fanIn, tableau } = machineNetwork(machine, T);
    const tapes = Array.from({ length: scale(64) }, () =>
      Array.from({ length: tape.cells }, () => random.integer(0, machine.symbols.length - 1)),
    );
    const symbols = machine.symbols.length;
    const y = numbers((await run(graph, { x: tensor(tapes.map((t) => [...oneHotTape(t, symbols)])) })).y!);
    const width = symbols * tape.cells + machine.states.length + tape.cells;
    const wrong = tapes.filter((cells, k) => {
      const end = simulate(machine, cells, tape.head, T);
      const row = y.slice(k * width, (k + 1) * width);
      return (
        oneHotTape(end.tape, symbols).some((v, c) => row[c] !== v) ||
        machine.states.some((_, q) => row[symbols * tape.cells + q] !== (q === end.state ? 1 : 0)) ||
        end.tape.some((_, c) => row[width - tape.cells + c] !== (c === end.head ? 1 : 0))
      );
    });
    const beaver = readMachine(exampleMachines["busy-beaver-4"]!);
    const A = symbols * (machine.states.length + 1);
    return {
      graph,
      figure: budget === "cheap" ? undefined : figure(beaver, machine, T),
      claims: {
        "tapes on which the network is not the machine": sampled(wrong.length, 0),
        "hidden layers": checked(sizes(graph).depth, T),
        "cells that a unit reads": checked(fanIn, 3),
        "functions of the tableau": checked(tableau, T * (2 * T + 1)),
        units: checked(units, T * tapeFor(T).cells * unitsPerCell(machine)),
        "units against those of all triples of cell values": checked(units, tableau * A ** 3),
        "busy beaver of four states, steps until it halts": checked(
          simulate(beaver, new Array<number>(41).fill(beaver.blank), 20, 1000).steps,
          107,
        ),
        "digits of the size of a table of 1000 bits": checked(
          String(2n ** 1000n).length,
          Math.floor(tableSize(2, 1000)) + 1,
        ),
      },
    };
  },
});

/** Cells with a one, step by step, and units against the table. */
function figure(beaver: Machine, machine: Machine, T: number): Figure {
  const [cells, head] = [21, 10];
  const blank = new Array<number>(cells).fill(beaver.blank);
  const path = Array.from({ length: 108 }, (_, t) => simulate(beaver, blank, head, t));
  const steps = Array.from({ length: T }, (_, t) => t + 1);
  return {
    title: "Tableaux of Turing machines",
    panels: [
      {
        title: "The busy beaver of four states",
        x: { label: "step" },
        y: { label: "cell" },
        series: [
          {
            name: "symbol 1",
            mark: "dots",
            points: path.flatMap(({ tape }, t) =>
              tape.flatMap((s, c) => (s === 1 ? [[t, c - head] as const] : [])),
            ),
          },
          { name: "head", mark: "line", points: path.map(({ head: at }, t) => [t, at - head] as const) },
        ],
      },
      {
        title: "Units against steps",
        x: { label: "steps T" },
        y: { label: "hidden units", scale: "log" },
        series: [
          {
            name: "network",
            mark: "dots",
            points: steps.map((t) => [t, machineNetwork(machine, t).units] as const),
          },
          {
            name: "theory: T S |Γ| (2 + |Q_R| + |Q_L| + |Q|)",
            mark: "line",
            role: "theory",
            points: steps.map((t) => [t, t * (2 * t + 1) * unitsPerCell(machine)] as const),
          },
        ],
      },
    ],
  };
}
