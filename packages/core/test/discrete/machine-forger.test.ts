// A forger of machines: rules, values and weights are edited, and the network is written anew, so that its SHA-256 agrees. What is
// accepted must be true on every tape.
import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/check/certificate.ts";
import { checkMachine } from "../../src/check/check-machine.ts";
import type { IntegerRows } from "../../src/check/integer-rows.ts";
import type { MachineCertificate } from "../../src/check/machine-certificate.ts";
import { machineNetworkOf } from "../../src/check/machine-layers.ts";
import { machineContradiction } from "../../src/check/machine-runtime.ts";
import { certifiedMachine } from "../../src/discrete/machine/certified.ts";
import { exampleMachines } from "../../src/discrete/machine/examples.ts";
import { type Machine, readMachine } from "../../src/discrete/machine/machine.ts";
import { machineLoop, machineNetwork } from "../../src/discrete/machine/network.ts";
import { run } from "../../src/engine/run.ts";
import { float64, graph as writeGraph } from "../../src/graph/builder.ts";
import { type Graph, subgraphs } from "../../src/graph/graph.ts";
import { loop as turning } from "../../src/graph/looping.ts";
import { readModel } from "../../src/graph/onnx/read.ts";
import { writeModel } from "../../src/graph/onnx/write.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import type { Layer } from "../../src/networks/layers/layered.ts";
import { layersOf, network, sparseLayer } from "../../src/networks/layers/layers.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

const hunt = Number(process.env["LEMMATA_HUNT"] ?? 0);
const seed = process.env["LEMMATA_SEED"] ?? (hunt > 0 ? String(Date.now()) : "machines");
const count = hunt > 0 ? hunt : 300;

/** A layer by its entries. */
interface Rows {
  readonly width: number;
  readonly entries: [row: number, column: number, weight: number][];
  readonly bias: number[];
}

const rowsOf = ({ weights: { columns, starts, columnOf, values }, bias }: Layer): Rows => ({
  width: columns,
  entries: [...bias.keys()].flatMap((r) =>
    Array.from({ length: starts[r + 1]! - starts[r]! }, (_, k): [number, number, number] => [
      r,
      columnOf[starts[r]! + k]!,
      values[starts[r]! + k]!,
    ]),
  ),
  bias: [...bias],
});

function forward(layers: readonly Rows[], x: readonly number[]): readonly number[] {
  return layers.reduce<readonly number[]>((before, { entries, bias }, l) => {
    const z = [...bias];
    for (const [r, c, w] of entries) z[r]! += w * before[c]!;
    return l === layers.length - 1 ? z : z.map((v) => Math.max(0, v));
  }, x);
}

/** What the certificate says of a tape. */
function said({ states, symbols, start, rules, tape }: MachineCertificate, given: number[], steps: number) {
  const cells = [...given];
  let [state, head] = [start, tape.head];
  for (let t = 0; t < steps && cells[head] !== undefined; t++) {
    const rule = rules.find(([q, s]) => q === state && s === cells[head]);
    if (!rule) break;
    cells[head] = rule[2];
    head += rule[3];
    state = rule[4];
  }
  return [
    ...cells.flatMap((s) => symbols.map((_, k) => (k === s ? 1 : 0))),
    ...states.map((_, q) => (q === state && cells[head] !== undefined ? 1 : 0)),
    ...cells.map((_, c) => (c === head ? 1 : 0)),
  ];
}

const tapesOf = ({ symbols, tape }: MachineCertificate): number[][] =>
  Array.from({ length: symbols.length ** tape.cells }, (_, k) =>
    Array.from({ length: tape.cells }, (_, c) => Math.floor(k / symbols.length ** c) % symbols.length),
  );
const oneHot = (cells: readonly number[], symbols: number): number[] =>
  cells.flatMap((s) => Array.from({ length: symbols }, (_, k) => (k === s ? 1 : 0)));

/** A tape on which the layers are not what the certificate says. */
const wrongTape = ({ certificate, layers }: Forgery, steps: number): number[] | undefined =>
  tapesOf(certificate).find((tape) => {
    const y = forward(layers, oneHot(tape, certificate.symbols.length));
    return said(certificate, tape, steps).some((bit, c) => bit !== y[c]);
  });

function randomMachine(random: Random): Machine {
  const [states, symbols] = [random.integer(1, 3), random.integer(2, 3)];
  const rules = Array.from({ length: states * symbols }, (_, k) => [
    `q${Math.floor(k / symbols)}`,
    `${k % symbols}`,
    `${random.integer(0, symbols - 1)}`,
    "LRN"[random.integer(0, 2)]!,
    `q${random.integer(0, states - 1)}`,
  ]).filter((_, k) => k === 0 || random.uniform() < 0.85);
  return readMachine(JSON.stringify({ start: "q0", blank: "0", rules }));
}

interface Forgery {
  readonly certificate: MachineCertificate;
  readonly layers: Rows[];
}
const one = <T>(list: readonly T[], random: Random): T => list[random.integer(0, list.length - 1)]!;
const nudge = (random: Random): number => [-2, -1, 1, 2][random.integer(0, 3)]!;

/** The units of a value of layer l leave the network, or come a second time; all else reads as before. */
function withUnits({ certificate, layers }: Forgery, l: number, k: number, twice: boolean): void {
  const { values } = certificate.layers[l]!;
  const [value] = values.slice(k, k + 1);
  const first = values.slice(0, k).reduce((sum, [, , , n]) => sum + n, 0);
  const count = value![3];
  const isIts = (column: number): boolean => column >= first && column < first + count;
  const [own, next] = [layers[l]!, layers[l + 1]!];
  if (twice) {
    const shift = own.bias.length - first;
    own.bias.push(...own.bias.slice(first, first + count));
    own.entries.push(
      ...own.entries.flatMap(([r, c, w]) =>
        isIts(r) ? [[r + shift, c, w] as [number, number, number]] : [],
      ),
    );
    next.entries.push(
      ...next.entries.flatMap(([r, c, w]) =>
        isIts(c) ? [[r, c + shift, w] as [number, number, number]] : [],
      ),
    );
    values.push([...value!]);
  } else {
    const moved = (column: number): number => (column >= first + count ? column - count : column);
    own.bias.splice(first, count);
    own.entries.splice(
      0,
      own.entries.length,
      ...own.entries.flatMap(([r, c, w]) => (isIts(r) ? [] : [[moved(r), c, w] as [number, number, number]])),
    );
    next.entries.splice(
      0,
      next.entries.length,
      ...next.entries.flatMap(([r, c, w]) =>
        isIts(c) ? [] : [[r, moved(c), w] as [number, number, number]],
      ),
    );
    values.splice(k, 1);
  }
  (next as { width: number }).width = own.bias.length;
}

const edits: Record<string, (f: Forgery, random: Random) => void> = {
  "a rule": ({ certificate }, r) => {
    const k = r.integer(0, 4);
    const rule = one(certificate.rules, r);
    rule[k] = k === 3 ? r.integer(-1, 1) : r.integer(0, 2);
  },
  "a rule lost": ({ certificate: c }, r) => {
    if (c.rules.length > 1) c.rules.splice(r.integer(0, c.rules.length - 1), 1);
  },
  start: ({ certificate }, r) => {
    certificate.start = r.integer(0, certificate.states.length - 1);
  },
  head: ({ certificate: { tape } }, r) => {
    tape.head = r.integer(0, tape.cells - 1);
  },
  "a value": ({ certificate }, r) => {
    const value = one(one(certificate.layers, r).values, r);
    value[r.integer(0, 2)]! += nudge(r);
  },
  "a unit for its neighbour": ({ certificate }, r) => {
    const { values } = one(certificate.layers, r);
    const k = r.integer(0, values.length - 2);
    values[k]![3] += 1;
    values[k + 1]![3] -= 1;
  },
  "two values exchanged": ({ certificate }, r) => {
    const { values } = one(certificate.layers, r);
    const [a, b] = [one(values, r), one(values, r)];
    for (const k of [0, 1, 2]) [a[k], b[k]] = [b[k]!, a[k]!];
  },
  "a value twice": ({ certificate }, r) => {
    const { values } = one(certificate.layers, r);
    values.push([...one(values, r)]);
  },
  "a value of nothing": ({ certificate: { layers, tape, states, symbols } }, r) => {
    const value = [tape.cells, states.length, symbols.length].map((n) => r.integer(0, n - 1));
    one(layers, r).values.push([value[0]!, value[1]!, value[2]!, 0]);
  },
  weight: ({ layers }, r) => {
    one(one(layers, r).entries, r)[2] += nudge(r);
  },
  "a half": ({ layers }, r) => {
    one(one(layers, r).entries, r)[2] /= 2;
  },
  sign: ({ layers }, r) => {
    const entry = one(one(layers, r).entries, r);
    entry[2] = -entry[2];
  },
  column: ({ layers }, r) => {
    const { entries, width } = one(layers, r);
    one(entries, r)[1] = r.integer(0, width - 1);
  },
  bias: ({ layers }, r) => {
    const { bias } = one(layers, r);
    bias[r.integer(0, bias.length - 1)]! += nudge(r);
  },
  "a lower bias": ({ layers }, r) => {
    // Harmless where a unit is off already.
    const { bias } = one(layers, r);
    const k = r.integer(0, bias.length - 1);
    if (bias[k]! < 0) bias[k]! -= 1;
  },
  "an entry lost": ({ layers }, r) => {
    const { entries } = one(layers, r);
    entries.splice(r.integer(0, entries.length - 1), 1);
  },
  "a value with its units, lost or twice": (forgery, r) => {
    const l = r.integer(0, forgery.certificate.layers.length - 1);
    const { values } = forgery.certificate.layers[l]!;
    // A row that nothing is read by would be no layer.
    if (values.length > 1) withUnits(forgery, l, r.integer(0, values.length - 1), r.uniform() < 0.5);
  },
  "two units exchanged": ({ layers }, r) => {
    const { entries, bias } = one(layers, r);
    const [a, b] = [r.integer(0, bias.length - 1), r.integer(0, bias.length - 1)];
    for (const entry of entries) entry[0] = entry[0] === a ? b : entry[0] === b ? a : entry[0];
    [bias[a], bias[b]] = [bias[b]!, bias[a]!];
  },
};

it(`${count} machines with seed ${seed}: none that is false is accepted`, async () => {
  const random = createRandom(seed);
  const names = Object.keys(edits);
  let [accepted, edited] = [0, 0];
  for (let k = 0; k < count; k++) {
    const steps = random.integer(1, 3);
    const cells = random.integer(2, 5);
    const machine = randomMachine(random);
    const made = machineNetwork(machine, steps, { cells, head: random.integer(0, cells - 1) });
    // Sometimes the network is of this machine and the certificate of another.
    const stated = random.uniform() < 0.1 ? randomMachine(random) : machine;
    const { certificate } = await certifiedMachine(stated, made);
    const forged: Forgery = {
      certificate: structuredClone(certificate),
      layers: layersOf(made.graph).layers.map(rowsOf),
    };
    const chosen = Array.from({ length: random.integer(0, 2) }, () => one(names, random));
    for (const name of chosen) edits[name]!(forged, random);
    const graph = network(
      forged.layers.map(({ entries, bias, width }) => sparseLayer(bias.length, width, entries, bias)),
      { name: "machine" },
    );
    const bytes = writeModel(graph);
    const tensors = graph.nodes.filter(({ op }) => op === "Relu").map(({ outputs }) => outputs[0]!);
    forged.certificate.layers.forEach((layer, l) => {
      layer.tensor = tensors[l] ?? "";
    });
    forged.certificate.network.sha256 = await sha256(bytes);
    if (!(await checkMachine(bytes, forged.certificate)).ok) continue;
    accepted++;
    if (JSON.stringify(forged.certificate.rules) !== JSON.stringify(certificate.rules)) edited++;
    const wrong = wrongTape(forged, steps);
    expect([k, chosen, wrong]).toEqual([k, chosen, undefined]);
  }
  expect(accepted).toBeGreaterThan(count / 10);
  expect(edited > 0 || count < 1000).toBe(true);
});

/** Every weight of the graph and of the loop's body. */
function weightsOf(graph: Graph): Tensor[] {
  const inner = graph.nodes.flatMap((node) =>
    [...node.attributes.values()].flatMap((a) => (a.type === "graph" ? [a.value] : [])),
  );
  return [graph, ...inner].flatMap(({ initializers }) =>
    [...initializers.values()].flatMap((t) => ("indices" in t ? [] : [t])),
  );
}

describe("a loop", () => {
  const loops = Math.max(40, Math.ceil(count / 10));
  it(`${loops} damaged with seed ${seed}: none that is false is accepted`, async () => {
    const random = createRandom(`${seed} loops`);
    let accepted = 0;
    for (let k = 0; k < loops; k++) {
      const machine = randomMachine(random);
      const made = machineLoop(machine, { cells: 3, head: random.integer(0, 2) });
      const { certificate, bytes: intact } = await certifiedMachine(machine, made);
      const graph = readModel(intact);
      const forged: Forgery = { certificate: structuredClone(certificate), layers: [] };
      if (random.uniform() < 0.5) {
        const name = one(
          ["a rule", "a rule lost", "start", "head", "a value", "two values exchanged"],
          random,
        );
        edits[name]!(forged, random);
      } else if (random.uniform() < 0.9) {
        const { data } = one(weightsOf(graph), random) as { data: Float64Array };
        const at = random.integer(0, data.length - 1);
        if (typeof data[at] === "number") data[at] = data[at]! + nudge(random);
      }
      const bytes = writeModel(graph);
      forged.certificate.network.sha256 = await sha256(bytes);
      if (!(await checkMachine(bytes, forged.certificate)).ok) continue;
      accepted++;
      expect(await machineContradiction(bytes, forged.certificate)).toBeUndefined();
      const tapes = tapesOf(forged.certificate);
      const x = tensor(tapes.map((tape) => oneHot(tape, machine.symbols.length)));
      for (const steps of [0, 1, 2, 5]) {
        const { y } = await run(graph, { x, steps: tensor(steps, { type: "int64" }) });
        expect([...numbers(y!)]).toEqual(tapes.flatMap((tape) => said(forged.certificate, tape, steps)));
      }
    }
    expect(accepted).toBeGreaterThan(loops / 20);
  });
});

describe("a damage in one place", () => {
  const verdict = async (change: (f: Forgery) => void): Promise<boolean> => {
    const machine = readMachine(exampleMachines["busy-beaver-2"]!);
    const made = machineNetwork(machine, 2, { cells: 9, head: 4 });
    const { certificate } = await certifiedMachine(machine, made);
    const forged = { certificate, layers: layersOf(made.graph).layers.map(rowsOf) };
    change(forged);
    const graph = network(
      forged.layers.map(({ entries, bias, width }) => sparseLayer(bias.length, width, entries, bias)),
      { name: "machine" },
    );
    const bytes = writeModel(graph);
    const tensors = graph.nodes.filter(({ op }) => op === "Relu").map(({ outputs }) => outputs[0]!);
    forged.certificate.layers.forEach((layer, l) => {
      layer.tensor = tensors[l]!;
    });
    forged.certificate.network.sha256 = await sha256(bytes);
    return (await checkMachine(bytes, forged.certificate)).ok;
  };
  const made = machineNetwork(readMachine(exampleMachines["busy-beaver-2"]!), 2, { cells: 9, head: 4 });

  it("the bias of any one unit, of cells that look like others too", async () => {
    expect(await verdict(() => undefined)).toBe(true);
    for (const [l, { bias }] of layersOf(made.graph).layers.slice(0, 2).entries())
      for (const r of bias.keys())
        expect([
          l,
          r,
          await verdict(({ layers }) => {
            layers[l]!.bias[r]! += 1;
          }),
        ]).toEqual([l, r, false]);
  });

  it("any one value that no unit makes any more, or that two make: accepted only where it cannot be", async () => {
    let refused = 0;
    for (const [l, values] of made.values.entries())
      for (const k of values.keys())
        for (const twice of [false, true]) {
          let forged: Forgery | undefined;
          const isAccepted = await verdict((f) => {
            withUnits(f, l, k, twice);
            forged = f;
          });
          if (isAccepted) expect([l, k, twice, wrongTape(forged!, 2)]).toEqual([l, k, twice, undefined]);
          else refused++;
        }
    expect(refused).toBeGreaterThan(made.values.flat().length);
  });

  it("weights that cancel, but are too large for sums to be exact", async () => {
    const add = (w: number) =>
      verdict(({ layers: [first] }) => {
        // One of the two symbols of cell 0 is there: nothing changes but the size.
        first!.entries.push([0, 0, w], [0, 1, w]);
        first!.bias[0]! -= w;
      });
    expect([await add(2 ** 20), await add(2 ** 51)]).toEqual([true, false]);
  });

  it("any one weight of the output", async () => {
    for (const k of layersOf(made.graph).layers[2]!.weights.values.keys())
      expect([
        k,
        await verdict(({ layers }) => {
          layers[2]!.entries[k]![2] += 1;
        }),
      ]).toEqual([k, false]);
  });
});

/** Rows as a dense matrix and its bias. */
const denseOf = ({ bias, starts, columns, weights }: IntegerRows, width: number) => {
  const rows = Array.from(bias, () => new Array<number>(width).fill(0));
  for (let r = 0; r < bias.length; r++)
    for (let k = starts[r]!; k < starts[r + 1]!; k++) rows[r]![columns[k]!]! += weights[k]!;
  return { rows, bias: [...bias] };
};
type Dense = ReturnType<typeof denseOf>;

it("a value that does not go round: accepted only where it cannot be", async () => {
  const machine = readMachine(exampleMachines["busy-beaver-2"]!);
  const { bytes, certificate } = await certifiedMachine(machine, machineLoop(machine, { cells: 3, head: 1 }));
  const { hidden, output, loop: around } = machineNetworkOf(readModel(bytes), certificate.network, 6);
  const count = around!.next.bias.length;
  const units = hidden[0]!.rows;
  let refused = 0;
  for (let lost = 0; lost < count; lost++) {
    const row = ({ rows, bias }: Dense): Dense => ({
      rows: rows.toSpliced(lost, 1),
      bias: bias.toSpliced(lost, 1),
    });
    const column = ({ rows, bias }: Dense): Dense => ({ rows: rows.map((r) => r.toSpliced(lost, 1)), bias });
    const affine = (x: Value, { rows, bias }: Dense): Value => x.affine(tensor(rows), tensor(bias));
    const graph = writeGraph(
      { x: float64("N", 6), steps: { type: "int64" as const, shape: [] } },
      ({ x, steps }) => {
        const { states } = turning(
          steps,
          { tape: affine(x, row(denseOf(around!.initial, 6))) },
          (_, { tape }, go) => ({
            go,
            states: {
              tape: affine(
                affine(tape!, column(denseOf(units, count))).relu(),
                row(denseOf(around!.next, units.bias.length)),
              ),
            },
            traces: {},
          }),
        );
        return { y: affine(states["tape"]!, column(denseOf(output, count))) };
      },
    );
    const made = writeModel(graph);
    const body = subgraphs(graph.nodes.find(({ op }) => op === "Loop")!)[0]!;
    const [first, second] = certificate.layers;
    const forged: MachineCertificate = {
      ...certificate,
      network: { ...certificate.network, sha256: await sha256(made) },
      layers: [
        {
          tensor: graph.nodes.find(({ op }) => op === "Loop")!.outputs[0]!,
          values: first!.values.toSpliced(lost, 1),
        },
        { tensor: body.nodes.find(({ op }) => op === "Relu")!.outputs[0]!, values: second!.values },
      ],
    };
    if (!(await checkMachine(made, forged)).ok) refused++;
    else {
      const tapes = tapesOf(forged);
      const x = tensor(tapes.map((tape) => oneHot(tape, 2)));
      for (const steps of [0, 1, 2, 7]) {
        const { y } = await run(graph, { x, steps: tensor(steps, { type: "int64" }) });
        expect([lost, ...numbers(y!)]).toEqual([lost, ...tapes.flatMap((tape) => said(forged, tape, steps))]);
      }
    }
  }
  expect(refused).toBeGreaterThan(count / 2);
});

describe("a checker of machines", () => {
  const beaver = (): Machine => readMachine(exampleMachines["busy-beaver-3"]!);
  const refuted = async (
    change: (c: MachineCertificate) => void,
    of: "network" | "loop" = "network",
  ): Promise<string> => {
    const tape = { cells: 7, head: 3 };
    const made = of === "loop" ? machineLoop(beaver(), tape) : machineNetwork(beaver(), 3, tape);
    const { bytes, certificate } = await certifiedMachine(beaver(), made);
    const changed = structuredClone(certificate);
    change(changed);
    const result = await checkMachine(bytes, changed);
    return result.ok ? "verified" : `${result.node}: ${result.reason}`;
  };

  it("says where a proof fails", async () => {
    expect(await refuted(() => undefined)).toBe("verified");
    expect(await refuted(() => undefined, "loop")).toBe("verified");
    expect(await refuted((c) => c.rules.push([...c.rules[0]!]))).toBe(
      "rule 6: another rule is for this state and symbol",
    );
    expect(
      await refuted((c) => {
        c.steps = 2;
      }),
    ).toBe("the certificate: it does not have a layer for each step");
    expect(
      await refuted((c) => {
        c.layers.pop();
        c.steps = 2;
      }),
    ).toBe("the network: it has 3 hidden layers, not 2");
    expect(
      await refuted((c) => {
        c.tape.head = 7;
      }),
    ).toMatch(/^the certificate: its first state or/);
    expect(
      await refuted((c) => {
        c.states.push("Z");
      }),
    ).toMatch(/^output "y": it does not have 26 columns/);
    expect(
      await refuted((c) => {
        c.symbols.push("2");
      }),
    ).toMatch(/inputs are not those/);
    expect(
      await refuted((c) => {
        c.network.sha256 = "0".repeat(64);
      }),
    ).toMatch(/SHA-256/);
    expect(
      await refuted((c) => {
        c.layers[0]!.values[0]![3] += 1;
      }),
    ).toMatch(/columns, its values/);
    expect(
      await refuted((c) => {
        c.network.steps = "steps";
        delete c.steps;
      }),
    ).toMatch(/does not have a layer for each step/);
    expect(
      await refuted((c) => {
        c.rules[0]![2] = 0;
      }, "loop"),
    ).toMatch(/^cell \d of "relu"/);
    expect(
      await refuted((c) => {
        c.layers[0]!.values.pop();
      }, "loop"),
    ).toMatch(/columns, its values/);
  });

  it("wants a loop that nothing stops and one state that goes round", async () => {
    const { bytes, certificate } = await certifiedMachine(
      beaver(),
      machineLoop(beaver(), { cells: 3, head: 1 }),
    );
    const changed = async (change: (outer: Graph, body: Graph) => void): Promise<string> => {
      const graph = structuredClone(readModel(bytes));
      const attribute = graph.nodes.find(({ op }) => op === "Loop")!.attributes.get("body")!;
      change(graph, (attribute as { value: Graph }).value);
      const made = writeModel(graph);
      const result = await checkMachine(made, {
        ...certificate,
        network: { ...certificate.network, sha256: await sha256(made) },
      });
      return result.ok ? "verified" : result.reason;
    };
    type Open<T> = { -readonly [K in keyof T]: T[K] };
    expect(await changed(() => undefined)).toBe("verified");
    // It would stop before the first turn.
    expect(
      await changed((graph) => ((graph.initializers.get("true") as Tensor).data as Uint8Array).fill(0)),
    ).toMatch(/not the one loop/);
    expect(
      await changed((_, body) => {
        (body as Open<Graph>).outputs = [{ ...body.outputs[0]!, name: "turn" }, body.outputs[1]!];
      }),
    ).toMatch(/may stop it/);
    expect(
      await changed((_, body) => {
        (body as Open<Graph>).outputs = [body.outputs[0]!, { ...body.outputs[1]!, name: "tape" }];
      }),
    ).not.toBe("verified");
  });
});
