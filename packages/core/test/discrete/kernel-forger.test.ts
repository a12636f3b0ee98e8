// A forger of stochastic networks: networks and claims at random, and attacks on how they are read. What the checker accepts
// must be true by a sum over all states, written without any of its code; what is far from true must not be left unknown.
import { expect, it } from "vitest";
import { sha256 } from "../../src/check/certificate.ts";
import { checkKernel } from "../../src/check/check-kernel.ts";
import { CopyingLaw } from "../../src/check/copying-law.ts";
import { kernelContradiction } from "../../src/check/kernel-runtime.ts";
import { LawBound } from "../../src/check/stochastic-law.ts";
import { stochasticLayers } from "../../src/check/stochastic-layers.ts";
import { type BeliefNetwork, samplingGraph } from "../../src/discrete/stochastic/belief-network.ts";
import { certifiedKernel, compileKernel } from "../../src/discrete/stochastic/certified-kernel.ts";
import { deepNetwork } from "../../src/discrete/stochastic/deep.ts";
import { randomKernel } from "../../src/discrete/stochastic/random-kernel.ts";
import { copyUnit, type StochasticUnit, sharingUnit } from "../../src/discrete/stochastic/unit.ts";
import { float64, graph as writeGraph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { writeModel } from "../../src/graph/onnx/write.ts";
import { tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

const hunt = Number(process.env["LEMMATA_HUNT"] ?? 0);
const seed = process.env["LEMMATA_SEED"] ?? (hunt > 0 ? String(Date.now()) : "kernels");
const count = hunt > 0 ? hunt : 200;

const sigma = (z: number): number => 1 / (1 + Math.exp(-z));
const bitsOf = (value: number, n: number): number[] =>
  Array.from({ length: n }, (_, k) => Math.floor(value / 2 ** (n - 1 - k)) % 2);

/** P(y | x) by all states of all layers. */
function truth({ inputs, layers }: BeliefNetwork): number[][] {
  return Array.from({ length: 2 ** inputs }, (_, x) => {
    let law: number[] = Array.from({ length: 2 ** inputs }, (_, state) => (state === x ? 1 : 0));
    let before = inputs;
    for (const units of layers) {
      const next = new Array<number>(2 ** units.length).fill(0);
      law.forEach((p, state) => {
        if (p === 0) return;
        const bits = bitsOf(state, before);
        const on = units.map(({ bias, reads }) => sigma(reads.reduce((z, [c, w]) => z + w * bits[c]!, bias)));
        next.forEach((_, after) => {
          next[after]! += bitsOf(after, units.length).reduce(
            (q, bit, k) => q * (bit ? on[k]! : 1 - on[k]!),
            p,
          );
        });
      });
      [law, before] = [next, units.length];
    }
    return law;
  });
}

/** Weights of the sizes that constructions have, and of any other. */
function randomNetwork(random: Random): BeliefNetwork {
  const inputs = random.integer(0, 2);
  const widths = [
    ...Array.from({ length: random.integer(0, 2) }, () => random.integer(1, 4)),
    random.integer(1, 2),
  ];
  const gamma = random.uniform() * 30;
  const weight = (): number =>
    [0, random.normal(), gamma, -gamma, 2 * gamma, -2 * gamma, 40 * random.normal()][random.integer(0, 6)]!;
  return {
    inputs,
    layers: widths.map((width, l) =>
      Array.from({ length: width }, () => ({
        bias: weight(),
        reads: Array.from(
          { length: l === 0 ? inputs : widths[l - 1]! },
          (_, c) => [c, weight()] as const,
        ).filter(() => random.uniform() < 0.9),
      })),
    ),
  };
}

const certificateOf = async (
  bytes: Uint8Array,
  table: readonly (readonly number[])[],
  certifiedError: number,
  layers: number,
) => ({
  ...{ version: 1, kind: "kernel", table, certifiedError },
  network: {
    ...{ sha256: await sha256(bytes), input: "x", output: "y" },
    uniforms: Array.from({ length: layers }, (_, l) => `u${l + 1}`),
  },
});

/** A table near what the network does, or anywhere, with rows that sum to 1. */
function tableFor(law: number[][], random: Random): number[][] {
  const far = random.uniform() < 0.5 ? 10 ** -random.integer(1, 6) : 1;
  const any = law.map((row) => [
    ...randomKernel(random, 0, Math.log2(row.length), random.uniform() < 0.7 ? "dirichlet" : "deterministic")
      .rows[0]!,
  ]);
  return law.map((row, x) => {
    const mixed = row.map((p, y) => (1 - far) * p + far * any[x]![y]!);
    const total = mixed.reduce((a, b) => a + b, 0);
    return mixed.map((p) => p / total);
  });
}

it(`${count} claims with seed ${seed}: none that is false is accepted, none that is plain is left open`, async () => {
  const random = createRandom(seed);
  let accepted = 0;
  for (let k = 0; k < count; k++) {
    const network = randomNetwork(random);
    const law = truth(network);
    const table = tableFor(law, random);
    const error = Math.max(
      ...law.map((row, x) => row.reduce((sum, p, y) => sum + Math.abs(p - table[x]![y]!), 0) / 2),
    );
    const factor = [0, 0.5, 0.999, 1 - 1e-6, 1, 1 + 1e-6, 1.001, 2][random.integer(0, 7)]!;
    const claimed = Math.min(1, error * factor);
    const bytes = writeModel(samplingGraph(network));
    const certificate = await certificateOf(bytes, table, claimed, network.layers.length);
    const found = await checkKernel(bytes, certificate);
    if (found.ok) {
      accepted++;
      expect([k, claimed >= error - 4e-9, found.error >= error - 4e-9]).toEqual([k, true, true]);
    } else if (claimed >= error + 1e-6) expect([k, found]).toEqual([k, "to be verified"]);
    else if (claimed <= error - 1e-6) expect([k, found.undecided]).toEqual([k, false]);
  }
  expect(accepted).toBeGreaterThan(count / 5);
});

/** One hidden unit of chance 1/2, an output that copies it; each attack makes something else of it. */
interface Made {
  readonly u1: Value;
  readonly u2: Value;
  readonly x: Value;
}
const W = (values: number[][]) => tensor(values);
const layer = (h: Value, u: Value, w: number[][], b: number[]): Value =>
  u.op("Less", [h.affine(W(w), tensor(b)).sigmoid()]).cast("float64");
const built = (make: (values: Made) => Value, width: number | string = 2, batch = "N"): Graph =>
  writeGraph({ x: float64("N", 1), u1: float64(batch, width), u2: float64("N", 1) }, (values) => ({
    y: make(values as unknown as Made),
  }));
const two = [[0], [0]];
/** The exclusive or of two fair bits would need a unit more: y is on with chance 1/2 whatever they are. */
const plain = ({ x, u1, u2 }: Made): Value => layer(layer(x, u1, two, [0, 0]), u2, [[60, 60]], [-90]);

it.each<[string, Graph, number]>([
  // One number for both units makes them equal: both are on with chance 1/2, not 1/4.
  ["one uniform number for two units", built(plain, 1), 0.25],
  ["a width that nothing says", built(plain, "M"), 0.25],
  ["another batch for the uniform numbers", built(plain, 2, "M"), 0.25],
  [
    "the same uniform numbers twice",
    built(({ x, u2 }) => layer(layer(x, u2, [[0]], [0]), u2, [[60]], [-30])),
    0.5,
  ],
  [
    "chances compared the other way round",
    built(({ x, u1, u2 }) => {
      const h = x
        .affine(W(two), tensor([0, 0]))
        .sigmoid()
        .op("Less", [u1])
        .cast("float64");
      return layer(h, u2, [[60, 60]], [-90]);
    }),
    0.25,
  ],
  [
    "an output that reads the input again",
    built(({ x, u1, u2 }) => {
      const h = layer(x, u1, two, [0, 0]);
      const z = h.affine(W([[60, 60]]), tensor([-90])).add(x.affine(W([[200]]), tensor([0])));
      return u2.op("Less", [z.sigmoid()]).cast("float64");
    }),
    0.25,
  ],
  [
    "weights that cancel beyond doubles",
    built(({ x, u1, u2 }) => layer(layer(x, u1, two, [0, 0]), u2, [[1e17 + 64, -1e17]], [0])),
    0.25,
  ],
  [
    "bits that are no doubles on the way",
    built(({ x, u1, u2 }) => {
      const h = u1
        .op("Less", [x.affine(W(two), tensor([0, 0])).sigmoid()])
        .cast("float32")
        .cast("float64");
      return layer(h, u2, [[60, 60]], [-90]);
    }),
    0.25,
  ],
  [
    "two biases",
    built(({ x, u1, u2 }) => {
      const z = layer(x, u1, two, [0, 0])
        .affine(W([[60, 60]]), tensor([-90]))
        .add(tensor([1e-3]));
      return u2.op("Less", [z.sigmoid()]).cast("float64");
    }),
    0.25,
  ],
])("%s is not verified", async (_, graph, on) => {
  const bytes = writeModel(graph);
  const table = [0, 1].map(() => [1 - on, on]);
  const found = await checkKernel(bytes, await certificateOf(bytes, table, 1e-3, 2));
  expect(found.ok).toBe(false);
});

it("the plain network of the attacks is verified, and no run contradicts it", async () => {
  const bytes = writeModel(built(plain));
  const certificate = await certificateOf(
    bytes,
    [
      [0.75, 0.25],
      [0.75, 0.25],
    ],
    1e-3,
    2,
  );
  expect(await checkKernel(bytes, certificate)).toMatchObject({ ok: true });
  expect(await kernelContradiction(bytes, certificate as never)).toBeUndefined();
});

it.each<[string, BeliefNetwork, number[][]]>([
  // The sum is 8; in doubles 8 + 1e17 - 1e17 is 0.
  [
    "a hidden unit",
    {
      inputs: 2,
      layers: [
        [
          {
            bias: 8,
            reads: [
              [0, 1e17],
              [1, -1e17],
            ],
          },
        ],
        [{ bias: -30, reads: [[0, 60]] }],
      ],
    },
    [
      [1 - sigma(8), sigma(8)],
      [1, 0],
      [0, 1],
      [0.5, 0.5],
    ],
  ],
  [
    "an output",
    {
      inputs: 2,
      layers: [
        [
          { bias: -30, reads: [[0, 60]] },
          { bias: -30, reads: [[1, 60]] },
        ],
        [
          {
            bias: 8,
            reads: [
              [0, 1e17],
              [1, -1e17],
            ],
          },
        ],
      ],
    },
    [
      [1 - sigma(8), sigma(8)],
      [1, 0],
      [0, 1],
      [0.5, 0.5],
    ],
  ],
])("%s whose sum doubles get wrong is not verified", async (_, network, table) => {
  const bytes = writeModel(samplingGraph(network));
  expect((await checkKernel(bytes, await certificateOf(bytes, table, 1e-3, 2))).ok).toBe(false);
});

it("chances that are bounded from below are below the network's, however much is taken for settled", () => {
  const random = createRandom("bounds");
  for (let k = 0; k < 60; k++) {
    const network = randomNetwork(random);
    const names = { input: "x", output: "y", uniforms: network.layers.map((_, l) => `u${l + 1}`) };
    const layers = stochasticLayers(samplingGraph(network), names, network.inputs);
    const law = truth(network);
    for (const settled of [1e-12, 1e-4, 0.05, 0.4]) {
      const bound = new LawBound(layers, settled, 0, 1e9);
      law.forEach((row, x) => {
        const found = bound.law(bitsOf(x, network.inputs));
        expect(row.every((p, y) => found[y]! <= p + 1e-12)).toBe(true);
        const open = 1 - found.reduce((sum, p) => sum + p, 0);
        if (settled === 1e-12) expect(open).toBeLessThan(1e-9);
      });
    }
  }
});

it("copies of copies are right with (1 - eps)^layers, each unit counted once", () => {
  const [eps, depth] = [0.01, 6];
  const network: BeliefNetwork = {
    inputs: 1,
    layers: Array.from({ length: depth }, () => [copyUnit(0, eps)]),
  };
  const names = { input: "x", output: "y", uniforms: network.layers.map((_, l) => `u${l + 1}`) };
  const layers = stochasticLayers(samplingGraph(network), names, 1);
  const bound = new LawBound(layers, eps * (1 + 1e-9), 0, 1e9);
  expect(bound.law([1])[1]).toBeCloseTo((1 - eps) ** depth, 12);
  expect(bound.law([0])[0]).toBeCloseTo((1 - eps) ** depth, 12);
});

/** Layers of one width, of units that mostly copy, share mass in a state or in two, or do anything. */
function copyingNetwork(random: Random): BeliefNetwork {
  const [width, inputs] = [random.integer(1, 4), random.integer(0, 2)];
  const columns = Array.from({ length: width }, (_, c) => c);
  const eps = 10 ** -random.integer(1, 6);
  const unit = (flips: number): StochasticUnit => {
    const any = random.uniform();
    const state = columns.map(() => random.integer(0, 1));
    const place = (flips + 1) % width;
    if (any < 0.4) return copyUnit(flips, eps);
    if (any < 0.85) {
      const partner = width > 1 && random.uniform() < 0.5 ? { place, stay: random.uniform() } : undefined;
      const stay = random.uniform() < 0.2 ? random.integer(0, 1) : random.uniform();
      return sharingUnit({ columns, state, flips, stay, ...(partner && { partner }) }, eps);
    }
    const reads = columns.map((c) => [c, 6 * random.normal()] as const);
    return { bias: 6 * random.normal(), reads: random.uniform() < 0.5 ? reads : reads.slice(1) };
  };
  const free = (from: number, count: number) =>
    Array.from({ length: count }, () => ({
      bias: 4 * random.normal(),
      reads: Array.from({ length: from }, (_, c) => [c, 4 * random.normal()] as const),
    }));
  return {
    inputs,
    layers: [
      free(inputs, width),
      ...Array.from({ length: random.integer(1, 2) }, () => columns.map(unit)),
      free(width, random.integer(1, 2)),
    ],
  };
}

it("states side by side: what is bounded from below is below the network's, and nothing is lost that is not charged", () => {
  const random = createRandom(`${seed} side by side`);
  for (let k = 0; k < Math.max(60, count / 10); k++) {
    const network = copyingNetwork(random);
    const names = { input: "x", output: "y", uniforms: network.layers.map((_, l) => `u${l + 1}`) };
    const layers = stochasticLayers(samplingGraph(network), names, network.inputs);
    const law = truth(network);
    const inputs = law.map((_, x) => bitsOf(x, network.inputs));
    const units = layers.reduce((sum, { bias }) => sum + bias.length, 0);
    for (const settled of [1e-12, 1e-4, 0.02, 0.3]) {
      const found = new CopyingLaw(layers, new LawBound(layers, settled, 0, 1e9), settled).laws(inputs);
      law.forEach((row, x) => {
        expect([k, settled, row.every((p, y) => found[x]![y]! <= p + 1e-12)]).toEqual([k, settled, true]);
        const open = 1 - found[x]!.reduce((sum, p) => sum + p, 0);
        expect(open).toBeLessThanOrEqual(1 - (1 - settled) ** units + 1e-9);
      });
    }
  }
});

it("states side by side are those of the deep construction: what is found is the law but for the units' own errors", () => {
  const random = createRandom("deep side by side");
  for (const [d, s, j] of [
    [2, 2, 0],
    [2, 2, 1],
    [3, 1, 0],
    [1, 3, 0],
    [2, 4, 1],
  ] as const) {
    const kernel = randomKernel(random, d, s, "dirichlet");
    const eps = 1e-9;
    const network = deepNetwork(kernel, j, eps);
    const names = { input: "x", output: "y", uniforms: network.layers.map((_, l) => `u${l + 1}`) };
    const layers = stochasticLayers(samplingGraph(network), names, d);
    const settled = eps * (1 + 1e-6);
    const bound = new LawBound(layers, settled, 0, 1e9);
    const found = new CopyingLaw(layers, bound, settled).laws(kernel.rows.map((_, x) => bitsOf(x, d)));
    kernel.rows.forEach((row, x) => {
      row.forEach((p, y) => {
        expect(Math.abs(found[x]![y]! - p)).toBeLessThan(1e-6);
      });
    });
  }
});

it("a deep network of many layers is verified, and one that is damaged by a little more than is claimed is not", async () => {
  const kernel = randomKernel(createRandom("many layers"), 5, 4, "dirichlet");
  const compiled = compileKernel(kernel, 1e-3, 0);
  const { bytes, certificate } = await certifiedKernel(kernel, compiled);
  expect(compiled.network.layers.length).toBeGreaterThan(64);
  expect((await checkKernel(bytes, certificate)).ok).toBe(true);
  // Another table, by twice the claimed error in one row.
  const table = certificate.table.map((row) => [...row]);
  const [most, other] = [
    table[7]!.indexOf(Math.max(...table[7]!)),
    table[7]!.indexOf(Math.min(...table[7]!)),
  ];
  table[7]![most]! -= 2e-3;
  table[7]![other]! += 2e-3;
  const moved = await checkKernel(bytes, { ...certificate, table });
  expect([moved.ok, !moved.ok && moved.undecided]).toEqual([false, false]);
  // A unit somewhere in the middle that fires a little more often.
  const layers = compiled.network.layers.map((units) => [...units]);
  const layer = layers[40]!;
  const at = layer.findIndex(({ reads }) => reads.length > 1);
  layer[at] = { ...layer[at]!, bias: layer[at]!.bias + 0.5 };
  const damaged = writeModel(samplingGraph({ ...compiled.network, layers }));
  const network = { ...certificate.network, sha256: await sha256(damaged) };
  expect((await checkKernel(damaged, { ...certificate, network })).ok).toBe(false);
});
