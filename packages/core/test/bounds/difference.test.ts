import { describe, expect, it } from "vitest";
import {
  alignLayers,
  differenceNetwork,
  greatestDifference,
  matchUnits,
  Probe,
  unpaired,
} from "../../src/bounds/difference/index.ts";
import {
  hingeAround,
  hingeLines,
  hingeRange,
  hingeValues,
  slopeLines,
  slopeRange,
} from "../../src/bounds/difference/unit-lines.ts";
import { networkOf } from "../../src/bounds/linear.ts";
import type { Lines } from "../../src/functions/lines.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

interface Affine {
  readonly w: readonly (readonly number[])[];
  readonly b: readonly number[];
}
const f64 = { type: "float64" } as const;

const activations: Readonly<Record<string, (v: Value) => Value>> = {
  relu: (v) => v.relu(),
  leaky: (v) => v.op("LeakyRelu", [], { alpha: 0.25 }),
  falling: (v) => v.op("LeakyRelu", [], { alpha: 1.5 }),
  abs: (v) => v.abs(),
  tanh: (v) => v.tanh(),
  sigmoid: (v) => v.sigmoid(),
  softplus: (v) => v.op("Softplus"),
  gelu: (v) => v.op("Gelu"),
  clip: (v) => v.op("Clip", [tensor(-0.3, f64), tensor(0.4, f64)]),
  product: (v) => v.mul(v.tanh()),
  maximum: (v) => v.op("Max", [v.neg(), v.mul(0.5).add(0.1)]),
  softmax: (v) => v.op("Softmax", [], { axis: 1 }),
};

const network = (inputs: number, layers: readonly Affine[], f: (v: Value) => Value): Graph =>
  graph({ x: float64(1, inputs) }, ({ x }) => ({
    y: layers.reduce((v, { w, b }, l) => {
      const z = v.affine(tensor(w, f64), tensor(b, f64));
      return l + 1 < layers.length ? f(z) : z;
    }, x),
  }));

/** A network and a copy with some weights changed and, sometimes, units in another order. */
function randomPair(random: Random, f: (v: Value) => Value) {
  const inputs = random.integer(1, 3);
  const widths = [inputs, ...Array.from({ length: random.integer(1, 3) }, () => random.integer(2, 5)), 2];
  const first: Affine[] = widths.slice(1).map((rows, l) => ({
    w: Array.from({ length: rows }, () => [...random.normal(widths[l]!)]),
    b: [...random.normal(rows)],
  }));
  const size = 10 ** (-4 * random.uniform());
  const change = (v: number) => (random.uniform() < 0.5 ? v : v + size * random.normal());
  let second = first.map(({ w, b }) => ({ w: w.map((row) => row.map(change)), b: b.map(change) }));
  if (random.uniform() < 0.5) {
    const order = random.permutation(first[0]!.b.length);
    const pick = <T>(values: readonly T[]): T[] => Array.from(order, (k) => values[k]!);
    second = second.map(({ w, b }, l) =>
      l === 0 ? { w: pick(w), b: pick(b) } : l === 1 ? { w: w.map(pick), b } : { w, b },
    );
  }
  const centre = random.normal(inputs);
  const width = 10 ** (1 - 2 * random.uniform());
  return {
    first: networkOf(network(inputs, first, f)),
    second: networkOf(network(inputs, second, f)),
    box: { lower: centre.map((c) => c - width), upper: centre.map((c) => c + width) },
  };
}

describe("bounds on the difference of two networks", () => {
  for (const [name, f] of Object.entries(activations))
    it(`${name}: no point shows more than the bound, before and after splitting`, async () => {
      for (let seed = 0; seed < 12; seed++) {
        const random = createRandom(`${name} ${seed}`);
        const { first, second, box } = randomPair(random, f);
        const { pairing, layers } = matchUnits(first, second, random);
        const difference = differenceNetwork(first, second, pairing, layers);
        const independent = differenceNetwork(first, second, unpaired(second), alignLayers(first, second));
        const once = await greatestDifference(difference, box, new Probe(first, second), { seconds: 0 });
        const split = await greatestDifference(difference, box, new Probe(first, second), { seconds: 0.03 });
        const product = await greatestDifference(independent, box, new Probe(first, second), { seconds: 0 });
        const probe = new Probe(first, second);
        probe.search(box, random, { points: 300 });
        const seen = probe.greatest - 1e-12 * (1 + probe.scale);
        for (const { upper } of [once, split, product]) expect(upper).toBeGreaterThanOrEqual(seen);
      }
    });

  it("one changed weight: far below what relaxing both copies independently gives", async () => {
    const random = createRandom(5);
    const layers: Affine[] = [4, 20, 20, 20, 1].slice(1).map((rows, l) => ({
      w: Array.from({ length: rows }, () => [...random.normal(l === 0 ? 4 : 20)]),
      b: [...random.normal(rows)],
    }));
    const changed = layers.map(({ w, b }, l) => ({
      w,
      b: l === 1 ? b.map((v, k) => (k === 3 ? v + 1e-3 : v)) : b,
    }));
    const [first, second] = [layers, changed].map((L) => networkOf(network(4, L, (v) => v.relu()))) as [
      ReturnType<typeof networkOf>,
      ReturnType<typeof networkOf>,
    ];
    const box = { lower: new Float64Array(4).fill(-1), upper: new Float64Array(4).fill(1) };
    const { pairing, layers: partners } = matchUnits(first, second, random);
    const close = await greatestDifference(
      differenceNetwork(first, second, pairing, partners),
      box,
      new Probe(first, second),
      { seconds: 0 },
    );
    const apart = await greatestDifference(
      differenceNetwork(first, second, unpaired(second), partners),
      box,
      new Probe(first, second),
      { seconds: 0 },
    );
    expect(close.upper * 100).toBeLessThan(apart.upper);
  });

  it("one unit more than the other network: that unit's own values", async () => {
    const unit = { w: [[1]], b: [0] };
    const layers = [unit, { w: [[1]], b: [0] }];
    const more = [
      { w: [[1], [1]], b: [0, 0.25] },
      { w: [[1, 0.5]], b: [0] },
    ];
    const [first, second] = [layers, more].map((L) => networkOf(network(1, L, (v) => v.relu()))) as [
      ReturnType<typeof networkOf>,
      ReturnType<typeof networkOf>,
    ];
    const box = { lower: new Float64Array([-1]), upper: new Float64Array([1]) };
    const { pairing, layers: partners } = matchUnits(first, second, createRandom(1));
    const difference = differenceNetwork(first, second, pairing, partners);
    expect(difference.units).toMatchObject({ paired: difference.units.all - 1 });
    const { upper } = await greatestDifference(difference, box, new Probe(first, second), { seconds: 0.1 });
    expect(upper).toBeGreaterThanOrEqual(0.5 * 1.25);
    expect(upper).toBeLessThan(0.5 * 1.25 + 1e-6);
  });

  it("a permuted, scaled copy differs in nothing, by exact arithmetic", () => {
    const random = createRandom(2);
    const { first } = randomPair(random, (v) => v.relu());
    const { pairing, layers } = matchUnits(first, first, random);
    const same = differenceNetwork(first, first, pairing, layers);
    expect(same.zero.every(Boolean)).toBe(true);
    expect(same.units.equal).toBe(same.units.all);
  });
});

describe("lines around the change of a unit", () => {
  const lines: Lines = { lowSlope: 0, lowShift: 0, highSlope: 0, highShift: 0 };
  const random = createRandom(9);
  const interval = (size: number) => {
    const [p, q] = [size * random.normal(), size * random.normal()];
    return { lower: Math.min(p, q), upper: Math.max(p, q) };
  };
  const within = (d: number, change: number) => {
    const room = 1e-12 * (1 + Math.abs(change) + Math.abs(d));
    expect(lines.lowSlope * d + lines.lowShift).toBeLessThanOrEqual(change + room);
    expect(lines.highSlope * d + lines.highShift).toBeGreaterThanOrEqual(change - room);
  };

  it("hinges", () => {
    for (let k = 0; k < 800; k++) {
      const [below, above] = [random.normal(), random.normal()];
      const [row, d] = [interval(1), interval(10 ** (1 - 3 * random.uniform()))];
      hingeLines({ below, above }, row, d.lower, d.upper, lines);
      const range = hingeRange({ below, above }, row, d.lower, d.upper);
      const f = (z: number) => z * (z > 0 ? above : below);
      for (let n = 0; n < 12; n++) {
        const z = row.lower + random.uniform() * (row.upper - row.lower);
        const change =
          n < 2 ? (n === 0 ? d.lower : d.upper) : d.lower + random.uniform() * (d.upper - d.lower);
        const moved = f(z + change) - f(z);
        within(change, moved);
        expect(moved).toBeLessThanOrEqual(range.upper + 1e-12);
        expect(moved).toBeGreaterThanOrEqual(range.lower - 1e-12);
      }
    }
  });

  it("hinges whose input has one sign, or any: no line between can be left out at either end", () => {
    for (let k = 0; k < 400; k++) {
      const [below, above] = [random.normal(), random.normal()];
      const one = interval(1);
      const d = interval(10 ** (1 - 3 * random.uniform()));
      // All of one sign, or reaching so far beyond every change that both ends can be on either side.
      const shift = k % 3 === 0 ? -Math.max(0, one.upper) : -Math.min(0, one.lower);
      const row =
        k % 3 === 2 ? { lower: -99, upper: 99 } : { lower: one.lower + shift, upper: one.upper + shift };
      hingeLines({ below, above }, row, d.lower, d.upper, lines);
      const f = (z: number) => z * (z > 0 ? above : below);
      for (const end of [d.lower, d.upper]) {
        // The change is linear in z between the ends of the row and the bends at 0 and -d.
        const places = [row.lower, row.upper, 0, -end].filter((z) => z >= row.lower && z <= row.upper);
        const changes = places.map((z) => f(z + end) - f(z));
        const [low, high] = [lines.lowSlope * end + lines.lowShift, lines.highSlope * end + lines.highShift];
        const convex = above >= below;
        // The chord of the greatest change is exact at both ends; the least one is a line through 0, or a chord.
        if (convex || k % 3 === 2) expect(high).toBeCloseTo(Math.max(...changes), 9);
        if (!convex || k % 3 === 2) expect(low).toBeCloseTo(Math.min(...changes), 9);
      }
    }
  });

  it("a hinge itself: its chord, and the slope that is better in the middle", () => {
    for (let k = 0; k < 400; k++) {
      const [below, above] = [random.normal(), random.normal()];
      const z = interval(1);
      const f = (v: number) => v * (v > 0 ? above : below);
      hingeAround({ below, above }, z, lines);
      const values = hingeValues({ below, above }, z);
      const ends = [z.lower, z.upper, ...(z.lower < 0 && z.upper > 0 ? [0] : [])].map(f);
      expect(values.lower).toBeCloseTo(Math.min(...ends), 12);
      expect(values.upper).toBeCloseTo(Math.max(...ends), 12);
      // Products are rounded: what they come out as is inside, not at the end.
      const [least, greatest] = [Math.min(...ends), Math.max(...ends)];
      expect(values.lower < least || least === 0).toBe(true);
      expect(values.upper > greatest || greatest === 0).toBe(true);
      for (let n = 0; n <= 8; n++) {
        const v = z.lower + (n / 8) * (z.upper - z.lower);
        within(v, f(v));
      }
      const middle = (z.lower + z.upper) / 2;
      const chord = (f(z.lower) + f(z.upper)) / 2;
      const [low, high] = [
        lines.lowSlope * middle + lines.lowShift,
        lines.highSlope * middle + lines.highShift,
      ];
      const best = f(middle); // of the two slopes the one of the middle's own side
      expect(low).toBeCloseTo(Math.min(chord, best), 9);
      expect(high).toBeCloseTo(Math.max(chord, best), 9);
    }
  });

  it("all values of a slope times a change, and hardly more", () => {
    for (const size of [1, 1e-9, 1e9]) {
      const { lower, upper } = slopeRange({ lower: -0.5 * size, upper: 2 * size }, -1, 3);
      expect(lower).toBeLessThanOrEqual(-2 * size);
      expect(upper).toBeGreaterThanOrEqual(6 * size);
      expect(lower / size).toBeCloseTo(-2, 12);
      expect(upper / size).toBeCloseTo(6, 12);
    }
  });

  it("any slope of an interval", () => {
    for (let k = 0; k < 500; k++) {
      const [slopes, d] = [interval(2), interval(1)];
      slopeLines(slopes, d.lower, d.upper, lines);
      for (let n = 0; n < 8; n++) {
        const change = d.lower + random.uniform() * (d.upper - d.lower);
        within(change, change * (slopes.lower + random.uniform() * (slopes.upper - slopes.lower)));
      }
    }
  });
});
