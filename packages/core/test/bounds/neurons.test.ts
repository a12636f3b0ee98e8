// Bounds with held units, attacked: exact minima on two-dimensional regions, samples, reckless multipliers; and verdicts of
// the search by units on queries whose truth is known, with planted errors that these must catch.
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Target } from "../../src/bounds/linear/back-substitution.ts";
import { BoxBounder } from "../../src/bounds/linear/box-bounds.ts";
import { Evaluation } from "../../src/bounds/linear/evaluate.ts";
import { rowValues } from "../../src/bounds/linear/network.ts";
import { formRounding } from "../../src/bounds/linear/rounding.ts";
import { networkOf } from "../../src/bounds/linear.ts";
import { covers } from "../../src/bounds/split/cover.ts";
import type { Held } from "../../src/bounds/split/held.ts";
import { type Bounded, type Dual, NeuronBounder } from "../../src/bounds/split/neuron-bounds.ts";
import { finished, type Steps } from "../../src/engine/steps.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";
import { boxSlice, outputsAt, planeRegions } from "../../src/passes/regions/index.ts";
import { judged, type Tried } from "./query/judge.ts";

const hunt = Number(process.env["LEMMATA_HUNT"] ?? 0);
const seed = process.env["LEMMATA_SEED"] ?? (hunt > 0 ? String(Date.now()) : "neurons");

const matrix = (random: Random, rows: number, columns: number): number[][] =>
  Array.from({ length: rows }, () => Array.from({ length: columns }, () => random.normal()));

/** Two layers of bends (convex, concave, or both sides sloped), two outputs. */
function drawn(random: Random): Graph {
  const widths = [2, 6, 5] as const;
  const bends = ["Relu", "LeakyRelu", "Abs", "concave"] as const;
  return graph({ x: float64(1, 2) }, ({ x }) => {
    let h = x;
    for (const l of [0, 1] as const) {
      const bend = bends[random.integer(0, bends.length - 1)]!;
      h = h.matmul(matrix(random, widths[l], widths[l + 1]!)).add(matrix(random, 1, widths[l + 1]!));
      if (bend === "LeakyRelu") h = h.op("LeakyRelu", [], { alpha: 0.25 });
      else h = bend === "concave" ? h.relu().neg() : h.op(bend);
    }
    return { y: h.matmul(matrix(random, 5, 2)) };
  });
}

const box = { lower: Float64Array.of(-1, -1), upper: Float64Array.of(1, 1) };

/** Everything that a trial needs. */
function trialOf(random: Random) {
  const net = drawn(random);
  const network = networkOf(net);
  const bounder = new BoxBounder(network);
  const known = bounder.bound(box);
  const neurons = new NeuronBounder(bounder, known);
  const target = (): Target => ({
    slots: [network.firstOutput, network.firstOutput + 1],
    weights: [random.normal(), random.normal()],
    constant: random.normal(),
  });
  const bends = random.permutation(neurons.bends.length);
  const count = random.integer(0, bends.length);
  const held: Held[] = Array.from({ length: count }, (_, k) => ({
    bend: bends[k]!,
    side: random.uniform() < 0.5 ? 1 : -1,
  }));
  const evaluation = new Evaluation(network);
  const rows = new Float64Array(network.rows);
  /** The point's targets and whether every unit is on the side where it is held. */
  const at = (x: Float64Array, targets: readonly Target[], within = 0) => {
    evaluation.at(x);
    for (const layer of network.layers)
      rowValues(layer, evaluation.slots, rows.subarray(layer.firstRow, layer.firstRow + layer.rows));
    const isInside = held.every(({ bend, side }) => side * rows[neurons.bends[bend]!.row]! >= -within);
    for (const [bend, { row }] of neurons.bends.entries()) {
      const [lower, upper] = neurons.rangeOf(bend);
      if (!(rows[row]! >= lower - rounding && rows[row]! <= upper + rounding))
        expect.fail(`row ${row} is ${rows[row]}, its bounds are ${lower} .. ${upper}`);
    }
    return { isInside, values: targets.map((t) => evaluation.value(t)), rows };
  };
  return { net, bounder, neurons, target, held, at };
}

const rounding = 1e-11;

describe("bounds with held units", () => {
  const trials = hunt || 60;

  it(`${trials} networks (seed ${seed}): no sample of the held part is below, whatever slopes and multipliers`, () => {
    let inside = 0;
    for (let trial = 0; trial < trials; trial++) {
      const random = createRandom(seed).split(trial);
      const { bounder, neurons, target, held, at } = trialOf(random);
      const targets = Array.from({ length: random.integer(1, 3) }, target);
      if (trial % 2 === 0)
        for (const bend of random.permutation(neurons.bends.length)) finished(neurons.tightening(bend, 4));
      else
        for (const bend of random.permutation(neurons.bends.length)) {
          neurons.release();
          const slopes = Float32Array.from(neurons.bends, () => 2 * random.normal());
          for (const sign of [1, -1] as const) neurons.boundRow(bend, sign, slopes);
        }
      const start = neurons.start(targets);
      const reckless: Dual = {
        slopes: Float32Array.from(start.slopes, () => 3 * random.normal()),
        multipliers: Float32Array.from(held, () => 10 * random.uniform() ** 4),
        shares: Float64Array.from(targets, () => random.uniform()),
      };
      const found = [start, reckless].flatMap((dual) =>
        [0, 3, 20].map((steps) => neurons.bounded(targets, box, held, dual, steps)),
      );
      // The forms themselves, which have to be below the targets at every point, not only at their least.
      const forms = [start, reckless].map((dual) => {
        neurons.bounded(targets, box, held, dual, 0);
        const { coefficients, constants } = bounder.substitution;
        return { dual, slopes: coefficients.slice(0, 2), constant: constants[0]! };
      });
      for (let n = 0; n < 200; n++) {
        const x = Float64Array.of(2 * random.uniform() - 1, 2 * random.uniform() - 1);
        const { isInside, values } = at(x, targets);
        if (!isInside) continue;
        inside++;
        for (const { dual, slopes, constant } of forms) {
          const mean = values.reduce((s, v, t) => s + (targets.length === 1 ? v : dual.shares[t]! * v), 0);
          const form = constant + slopes[0]! * x[0]! + slopes[1]! * x[1]!;
          if (!(mean >= form - rounding * (1 + Math.abs(form) + 10 * held.length)))
            expect.fail(`${mean} is below its form, ${form}`);
        }
        for (const { least, dual } of found) {
          const sum = targets.length === 1 ? 1 : dual.shares.reduce((s, share) => s + share, 0);
          // Below 0 somewhere for all targets would refute a bound above 0; and a mean of them is no less than the bound.
          const mean = values.reduce((s, v, t) => s + (targets.length === 1 ? v : dual.shares[t]! * v), 0);
          if (!(mean >= least - rounding * (1 + Math.abs(least) + sum)))
            expect.fail(`${mean} is below its bound, ${least}`);
        }
      }
    }
    expect(inside).toBeGreaterThan(trials);
  });

  it(`${trials} networks: better bounds of rows hold for all points of the held part where all targets are <= 0`, () => {
    let [inside, emptied, better] = [0, 0, 0];
    for (let trial = 0; trial < trials; trial++) {
      const random = createRandom(`${seed}/within`).split(trial);
      const { neurons, target, held, at } = trialOf(random);
      const targets = Array.from({ length: random.integer(1, 2) }, target);
      const points = Array.from({ length: 600 }, () =>
        Float64Array.of(2 * random.uniform() - 1, 2 * random.uniform() - 1),
      );
      // Near the median of its values at samples half of the points satisfy a target, whatever it was.
      const shifted = targets.map((t) => {
        const values = points.map((x) => at(x, [t]).values[0]!).sort((p, q) => p - q);
        return { ...t, constant: t.constant - values[values.length >> 1]! };
      });
      const own = neurons.copy();
      const start = neurons.start(shifted);
      let isEmpty = false;
      for (const bend of random.permutation(neurons.bends.length)) {
        if (held.some((h) => h.bend === bend)) continue;
        const before = own.rangeOf(bend);
        for (const sign of [1, -1] as const) {
          const dual: Dual = {
            slopes: start.slopes.map((slope) => (trial % 2 === 0 ? slope : 2 * random.normal())),
            multipliers: Float32Array.from(held, () => random.uniform() ** 4),
            shares: Float64Array.from(shifted, () => random.uniform()),
          };
          const pull = [0, 0.1, 1, 8][random.integer(0, 3)]!;
          isEmpty ||= !own.boundRowWithin(bend, sign, shifted, box, held, dual, pull);
        }
        const after = own.rangeOf(bend);
        if (after[1] - after[0] < 0.99 * (before[1] - before[0])) better++;
      }
      if (isEmpty) emptied++;
      for (const x of points) {
        const { isInside, values, rows } = at(x, shifted);
        if (!isInside || values.some((v) => v > 0)) continue;
        inside++;
        if (isEmpty) expect.fail(`trial ${trial}: a point was said not to be there`);
        for (const [bend, { row }] of own.bends.entries()) {
          const [lower, upper] = own.rangeOf(bend);
          if (!(rows[row]! >= lower - rounding && rows[row]! <= upper + rounding))
            expect.fail(`trial ${trial}: row ${row} is ${rows[row]}, its bounds are ${lower} .. ${upper}`);
        }
      }
    }
    expect(inside).toBeGreaterThan(10 * trials);
    expect(emptied).toBeGreaterThan(0);
    expect(better).toBeGreaterThan(trials);
  });

  it(`${trials} networks: bounds of rows by parts hold everywhere, and parts that leave something out are refused`, () => {
    let better = 0;
    for (let trial = 0; trial < trials; trial++) {
      const random = createRandom(`${seed}/parts`).split(trial);
      const { neurons, at } = trialOf(random);
      const start = neurons.start([]);
      const paths = pathsOf(random, neurons.bends.length, 3);
      for (const bend of random.permutation(neurons.bends.length)) {
        const before = neurons.rangeOf(bend);
        for (const sign of [1, -1] as const) {
          const parts = paths.map((held) => ({
            held,
            slopes: start.slopes.map((slope, k) =>
              held.some((h) => h.bend === k)
                ? random.uniform() ** 4
                : trial % 2 === 0
                  ? slope
                  : random.normal(),
            ),
          }));
          const lacking = parts.toSpliced(random.integer(0, parts.length - 1), 1);
          expect(neurons.boundRowByParts(bend, sign, lacking)).toBe(false);
          const [first] = parts;
          expect(neurons.boundRowByParts(bend, sign, [...parts, first!])).toBe(parts.length === 0);
          expect(neurons.boundRowByParts(bend, sign, parts)).toBe(true);
        }
        const after = neurons.rangeOf(bend);
        if (after[1] - after[0] < 0.99 * (before[1] - before[0])) better++;
      }
      // `at` looks at every row.
      for (let n = 0; n < 300; n++)
        at(Float64Array.of(2 * random.uniform() - 1, 2 * random.uniform() - 1), []);
    }
    // Parts at random rarely gain; those of a search are chosen.
    expect(better).toBeGreaterThan(trials / 6);
  });

  it("a cover is a tree whose units have both sides", () => {
    const [up, down] = [
      (bend: number): Held => ({ bend, side: 1 }),
      (bend: number): Held => ({ bend, side: -1 }),
    ];
    expect(covers([[]])).toBe(true);
    expect(covers([[up(0)], [down(0)]])).toBe(true);
    expect(covers([[up(0)], [down(0), up(1)], [down(0), down(1)]])).toBe(true);
    for (const paths of [
      [],
      [[up(0)]],
      [[], []],
      [[up(0)], [up(0)]],
      [[up(0)], [down(1)]],
      [[up(0)], [down(0)], [down(0)]],
      [[up(0)], [down(0), up(1)]],
      [[up(0)], []],
    ])
      expect(covers(paths)).toBe(false);
  });

  it("what multipliers add is counted as rounding", () => {
    const network = networkOf(drawn(createRandom(`${seed}/rounding`)));
    const bounder = new BoxBounder(network);
    const known = bounder.bound(box);
    const { substitution, lines } = bounder;
    const target = { slots: [network.firstOutput], weights: [1], constant: 0 };
    const roundingWith = (factor: number): number => {
      substitution.take(0, target, known.sizes);
      const held = network.layers.map((_, l) => (l === 0 ? [{ row: 0, factor }] : []));
      substitution.substituteHeld(lines, known.sizes, held);
      substitution.lowerBound(0, box.lower, box.upper);
      return substitution.roundings[0]!;
    };
    // Once where the row is added, and once more in the form of the inputs that it becomes.
    const own = 2 ** 30 * known.sizes.rows[network.layers[0]!.firstRow]!;
    for (const factor of [2 ** 30, -(2 ** 30)])
      expect(roundingWith(factor)).toBeGreaterThan(1.9 * formRounding(2 * network.rows, network.slots) * own);
    substitution.take(0, target, known.sizes);
    finished(substitution.substituting(network.layers.length, 1, lines, known.sizes));
    substitution.lowerBound(0, box.lower, box.upper);
    expect(substitution.roundings[0]).toBeLessThan(roundingWith(0));
  });

  it("against exact minima by enumeration of regions: never above, and near where all units are held", async () => {
    let near = 0;
    for (let trial = 0; trial < 12; trial++) {
      const random = createRandom(`${seed}/exact`).split(trial);
      const { net, neurons, target, at } = trialOf(random);
      const objective = target();
      const { regions } = await planeRegions(net, boxSlice([-1, -1], [1, 1]));
      for (const region of regions.slice(0, 6)) {
        const corners = region.corners.map(([u, v]) => Float64Array.of(u, v));
        const centre = Float64Array.of(
          corners.reduce((s, c) => s + c[0]!, 0) / corners.length,
          corners.reduce((s, c) => s + c[1]!, 0) / corners.length,
        );
        // The region's own pattern, all of it held: the function is affine there, so a corner is least.
        const pattern = patternAt(net, neurons, centre);
        const exact = Math.min(
          ...region.corners.map(([u, v]) => {
            const y = outputsAt(region, u, v);
            return objective.constant + objective.weights[0]! * y[0]! + objective.weights[1]! * y[1]!;
          }),
        );
        expect(at(centre, [objective]).values[0]).toBeGreaterThanOrEqual(exact - 1e-9);
        const start = neurons.start([objective]);
        const plain = neurons.bounded([objective], box, pattern, start, 0);
        const found = neurons.bounded([objective], box, pattern, start, 400);
        expect(found.least).toBeLessThanOrEqual(exact + 1e-9 * (1 + Math.abs(exact)));
        if (exact <= 0) expect(found.least).toBeLessThanOrEqual(0);
        expect(found.least).toBeGreaterThanOrEqual(plain.least);
        if (found.least > 0 || exact - found.least < 0.05 * (exact - plain.least) + 1e-9) near++;
      }
    }
    expect(near).toBeGreaterThan(36);
  });
});

/** The leaves of a tree of parts of so many levels at most, each unit at most once on a path. */
function pathsOf(random: Random, bends: number, levels: number): readonly (readonly Held[])[] {
  const grow = (held: readonly Held[]): readonly (readonly Held[])[] => {
    const free = Array.from({ length: bends }, (_, k) => k).filter((k) => held.every((h) => h.bend !== k));
    if (free.length === 0 || held.length >= levels || (held.length > 0 && random.uniform() < 0.3))
      return [held];
    const bend = free[random.integer(0, free.length - 1)]!;
    return ([1, -1] as const).flatMap((side) => grow([...held, { bend, side }]));
  };
  return grow([]);
}

/** Which side of its bend each unit is on at a point. */
function patternAt(net: Graph, neurons: NeuronBounder, x: Float64Array): Held[] {
  const network = networkOf(net);
  const evaluation = new Evaluation(network);
  evaluation.at(x);
  return neurons.bends.map(({ layer: l, unit }, bend) => {
    const layer = network.layers[l]!;
    const rows = new Float64Array(layer.rows);
    rowValues(layer, evaluation.slots, rows);
    return { bend, side: rows[unit]! >= 0 ? 1 : -1 };
  });
}

const byNeurons = "../../src/bounds/split/by-neurons.ts";

/** The library with the search by units wherever there are any, and what else is planted. */
async function triedWith(module: string | undefined, change: (own: never) => object, queries: number) {
  vi.resetModules();
  vi.doMock(byNeurons, () => ({ isSplitByNeurons: () => true }));
  if (module)
    vi.doMock(module, async (original) => {
      const own = (await original()) as object;
      return { ...own, ...change(own as never) };
    });
  const tried: Tried = {
    ...(await import("../../src/bounds/query/verify.ts")),
    ...(await import("../../src/bounds/query/vnnlib.ts")),
  };
  const found = await judged(tried, queries, Number(process.env["LEMMATA_SEED"] ?? 1), module ? 1 : Infinity);
  vi.doUnmock(byNeurons);
  if (module) vi.doUnmock(module);
  return found;
}

type Substitution = typeof import("../../src/bounds/linear/back-substitution.ts");
type Neurons = typeof import("../../src/bounds/split/neuron-bounds.ts");

const planted: readonly { name: string; module: string; change: (own: never) => object }[] = [
  {
    name: "multipliers have the wrong sign",
    module: "../../src/bounds/linear/back-substitution.ts",
    change: ({ BackSubstitution }: Substitution) => ({
      BackSubstitution: class extends BackSubstitution {
        override substituteHeld(
          ...[lines, sizes, held]: Parameters<InstanceType<typeof BackSubstitution>["substituteHeld"]>
        ) {
          super.substituteHeld(
            lines,
            sizes,
            held.map((own) => own.map(({ row, factor }) => ({ row, factor: -factor }))),
          );
        }
      },
    }),
  },
  {
    name: "the other side of a bend is forgotten",
    module: "../../src/bounds/split/neuron-bounds.ts",
    change: ({ NeuronBounder: Bounder }: Neurons) => ({
      NeuronBounder: class extends Bounder {
        override *bounding(
          ...[targets, at, held, from, steps]: Parameters<NeuronBounder["bounding"]>
        ): Steps<Bounded> {
          const found = yield* super.bounding(targets, at, held, from, steps);
          return held.at(-1)?.side === -1 ? { ...found, least: 1 } : found;
        }
      },
    }),
  },
  {
    name: "better bounds of rows are for targets that are a little greater",
    module: "../../src/bounds/split/neuron-bounds.ts",
    change: ({ NeuronBounder: Bounder }: Neurons) => ({
      NeuronBounder: class extends Bounder {
        override boundRowWithin(
          ...[bend, sign, targets, ...rest]: Parameters<NeuronBounder["boundRowWithin"]>
        ): boolean {
          const greater = targets.map((t) => ({ ...t, constant: t.constant + 1 }));
          return super.boundRowWithin(bend, sign, greater, ...rest);
        }
        override copy(): NeuronBounder {
          return Object.setPrototypeOf(super.copy(), Object.getPrototypeOf(this));
        }
      },
    }),
  },
  {
    name: "a part is said to be empty where its rows have bounds",
    module: "../../src/bounds/split/neuron-bounds.ts",
    change: ({ NeuronBounder: Bounder }: Neurons) => ({
      NeuronBounder: class extends Bounder {
        override copy(): NeuronBounder {
          return Object.assign(super.copy(), { boundRowWithin: () => false });
        }
      },
    }),
  },
  {
    name: "bounds with held units are a hair too great",
    module: "../../src/bounds/split/neuron-bounds.ts",
    change: ({ NeuronBounder: Bounder }: Neurons) => ({
      NeuronBounder: class extends Bounder {
        override *bounding(...given: Parameters<NeuronBounder["bounding"]>): Steps<Bounded> {
          const found = yield* super.bounding(...given);
          return { ...found, least: found.least + 1e-9 };
        }
      },
    }),
  },
];

describe("verdicts of the search by units", () => {
  afterEach(() => {
    vi.resetModules();
  });
  const queries = hunt || 100;

  it(`${queries} queries whose truth is known: no verdict is wrong`, async () => {
    const { verdicts, undecided, wrong } = await triedWith(undefined, () => ({}), queries);
    expect(wrong).toEqual([]);
    expect(undecided).toBe(0);
    for (const verdict of ["sat", "unsat"]) expect(verdicts[verdict]).toBeGreaterThan(queries / 8);
  }, 7_200_000);

  it.each(planted)(
    "caught: $name",
    async ({ module, change }) => {
      expect((await triedWith(module, change, 600)).wrong).toHaveLength(1);
    },
    240_000,
  );
});
