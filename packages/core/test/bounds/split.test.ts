import { describe, expect, it } from "vitest";
import { linearBounds, networkOf } from "../../src/bounds/linear.ts";
import { simplest } from "../../src/bounds/split/bisect.ts";
import { contracted, greatestCombination, leastValue } from "../../src/bounds/split/half-spaces.ts";
import { decide, splitBounds } from "../../src/bounds/split.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { boxSlice, outputsAt, planeRegions } from "../../src/passes/regions/index.ts";
import { randomLayers, relu } from "../passes/regions-networks.ts";
import { randomNetwork } from "./linear-bounds-networks.ts";

const square = { lower: [-1, -1], upper: [1, 1] };

/** The true extrema of a piecewise-linear function of two variables: at corners of its regions. */
async function extrema(net: ReturnType<typeof relu>) {
  const { regions } = await planeRegions(net, boxSlice(square.lower, square.upper));
  const values = regions.flatMap((region) => region.corners.map(([u, v]) => outputsAt(region, u, v)[0]!));
  return { least: Math.min(...values), greatest: Math.max(...values) };
}

describe("splitBounds", () => {
  it("agrees with the exact regions of networks of two variables", async () => {
    for (let trial = 0; trial < 10; trial++) {
      const net = relu(randomLayers(`split/${trial}`, [2, 8, 8, 1]));
      const { least, greatest } = await extrema(net);
      const { lower, upper, attained, complete } = await splitBounds(net, square, { tolerance: 1e-6 });
      expect(complete).toBe(true);
      const rounding = 1e-11 * (1 + Math.abs(least) + Math.abs(greatest)); // of the corners
      const near = 1e-6 * (1 + Math.max(Math.abs(least), Math.abs(greatest))) + rounding;
      expect(lower[0]).toBeLessThanOrEqual(least + rounding);
      expect(lower[0]).toBeGreaterThan(least - near);
      expect(upper[0]).toBeGreaterThanOrEqual(greatest - rounding);
      expect(upper[0]).toBeLessThan(greatest + near);
      expect(attained.lower[0]).toBeGreaterThanOrEqual(least - rounding);
    }
  });

  it("curves and maxima: never looser than linear bounds, nearly attained", async () => {
    for (const names of [["Tanh"], ["Max"], ["Sigmoid", "Abs"]]) {
      const net = randomNetwork(names.join(), names);
      const box = { lower: new Float64Array(6).fill(0.1), upper: new Float64Array(6).fill(0.3) };
      const [split, linear] = [
        await splitBounds(net, box, { tolerance: 1e-3, seconds: 20 }),
        linearBounds(net, box),
      ];
      expect(split.complete).toBe(true);
      linear.lower.forEach((l, k) => {
        expect(split.lower[k]).toBeGreaterThanOrEqual(l);
        expect(split.attained.lower[k]! - split.lower[k]!).toBeLessThan(2e-3 * (1 + Math.abs(l)));
      });
    }
  });

  it("stops in time, with bounds that still hold", async () => {
    const net = relu(randomLayers("slow", [12, 40, 40, 1]));
    const box = { lower: new Float64Array(12).fill(-1), upper: new Float64Array(12).fill(1) };
    const { lower, upper, attained, complete } = await splitBounds(net, box, { seconds: 0.2 });
    expect(complete).toBe(false);
    expect(lower[0]).toBeLessThanOrEqual(attained.lower[0]!);
    expect(upper[0]).toBeGreaterThanOrEqual(attained.upper[0]!);
  });

  it("a box that takes longer than there is time: bounds of intervals, for the rows that are left", async () => {
    const net = relu(randomLayers("large", [12, 400, 400, 400, 1]));
    const box = { lower: new Float64Array(12).fill(-1), upper: new Float64Array(12).fill(1) };
    const { lower, upper, attained, complete } = await splitBounds(net, box, { seconds: 0 });
    expect(complete).toBe(false);
    expect(Number.isFinite(upper[0]! - lower[0]!)).toBe(true);
    expect(lower[0]).toBeLessThanOrEqual(attained.lower[0]!);
    expect(upper[0]).toBeGreaterThanOrEqual(attained.upper[0]!);
  });

  it("says what is wrong with a box", async () => {
    const net = relu(randomLayers(1, [2, 3, 1]));
    await expect(splitBounds(net, { lower: [0], upper: [1] })).rejects.toThrow("2 inputs");
    await expect(splitBounds(net, { lower: [0, 2], upper: [1, 1] })).rejects.toThrow(
      "input 1 of the box: 2 .. 1",
    );
    expect(() => linearBounds(net, { lower: [0, Number.NEGATIVE_INFINITY], upper: [1, 1] })).toThrow(
      "input 1",
    );
  });
});

describe("decide", () => {
  const target = (first: number, sign: number, constant: number) => [
    { slots: [first], weights: [sign], constant },
  ];

  it("finds what is there and refutes what is not, to within 1e-4 of the exact minimum", async () => {
    for (let trial = 0; trial < 10; trial++) {
      const net = relu(randomLayers(`decide/${trial}`, [2, 8, 8, 1]));
      const { least } = await extrema(net);
      const network = networkOf(net);
      const box = { lower: Float64Array.from(square.lower), upper: Float64Array.from(square.upper) };
      const ask = (constant: number) =>
        decide(network, box, [
          target(network.firstOutput, 1, constant),
          target(network.firstOutput, 1, constant + 1),
        ]);
      expect((await ask(-(least - 1e-4))).verdict).toBe("none");
      const { verdict, point } = await ask(-(least + 1e-4));
      expect(verdict).toBe("found");
      expect([...point!].every((x) => x >= -1 && x <= 1)).toBe(true);
    }
  });

  it("is undecided where every point is refused, and stops when told to", async () => {
    const net = graph({ x: float64(1, 1) }, ({ x }) => ({ y: x.relu() }));
    const network = networkOf(net);
    const box = { lower: Float64Array.of(-1), upper: Float64Array.of(0) };
    const zero = [target(network.firstOutput, 1, 0)];
    const stopped = AbortSignal.abort();
    const options = { confirm: () => false };
    expect((await decide(network, box, zero, options)).verdict).toBe("undecided");
    await expect(decide(network, box, zero, { ...options, signal: stopped })).rejects.toThrow(/abort/i);
  });
});

describe("targets that touch 0", () => {
  const touching = async (net: ReturnType<typeof relu>, constant: number, strict: boolean) => {
    const network = networkOf(net);
    const box = { lower: Float64Array.from(square.lower), upper: Float64Array.from(square.upper) };
    const zero = [{ slots: [network.firstOutput], weights: [1], constant, strict }];
    return decide(network, box, [zero], { confirm: () => false });
  };
  const along = graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.matmul([[1], [-1]]).abs() }));
  const bent = graph({ x: float64(1, 2) }, ({ x }) => ({
    y: x
      .matmul([[1], [-1]])
      .tanh()
      .pow(2),
  }));

  it("exact arithmetic refutes what should be below 0 and is not", async () => {
    expect((await touching(along, 0, true)).verdict).toBe("none");
    expect((await touching(along, 0, false)).verdict).toBe("undecided");
    // By less than the bounds' own rounding: -2^-60 is too little to see.
    expect((await touching(along, 2 ** -60, false)).verdict).toBe("none");
    expect((await touching(along, -(2 ** -60), true)).verdict).toBe("undecided");
  });

  it("the search ends where a curve touches 0 along a line", async () => {
    const { verdict, givenUp, refused } = await touching(bent, 0, true);
    expect(verdict).toBe("undecided");
    expect([givenUp > 0, refused > 0]).toEqual([true, true]);
  });

  it("weights that the lowering had to round are not taken as exact", async () => {
    const net = graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.div(3).sum([1]).abs() }));
    expect(networkOf(net).isExact).toBe(false);
    expect((await touching(net, 0, true)).verdict).toBe("undecided");
  });

  it("a flat part that is refused again and again does not hide a point elsewhere", async () => {
    // 0 on most of the square, below 0 near one corner: only what is below 0 is confirmed.
    const net = graph({ x: float64(1, 2) }, ({ x }) => ({
      y: x
        .matmul([[1], [1]])
        .sub(1.9375)
        .relu()
        .neg(),
    }));
    const network = networkOf(net);
    const box = { lower: Float64Array.from(square.lower), upper: Float64Array.from(square.upper) };
    const target = { slots: [network.firstOutput], weights: [1], constant: 0, strict: true };
    const confirm = (x: Float64Array) => x[0]! + x[1]! > 1.9375;
    expect((await decide(network, box, [[target]], { confirm })).verdict).toBe("found");
  });

  it("the simplest number between two", () => {
    expect([simplest(-1, 2), simplest(0.7, 0.8), simplest(-5.3, -4.9), simplest(3, 3)]).toEqual([
      0, 0.75, -5, 3,
    ]);
    expect(simplest(0.1, 0.1)).toBe(0.1);
  });
});

describe("decide on a network whose first box takes long", () => {
  const network = networkOf(relu(randomLayers("large", [12, 400, 400, 400, 1])));
  const box = { lower: new Float64Array(12).fill(-1), upper: new Float64Array(12).fill(1) };
  const alternatives = [[{ slots: [network.firstOutput], weights: [1], constant: 0 }]];

  it("gives up inside of it when the time is over", async () => {
    expect(await decide(network, box, alternatives, { seconds: 0 })).toMatchObject({
      verdict: "timed-out",
      boxes: 0,
    });
  });

  it("can be interrupted inside of it", async () => {
    const signal = AbortSignal.abort();
    await expect(decide(network, box, alternatives, { signal })).rejects.toThrow(/abort/i);
  });
});

describe("half-spaces", () => {
  const random = createRandom("half-spaces");
  const box = { lower: Float64Array.of(-1, 0, 2), upper: Float64Array.of(1, 0.5, 3) };
  const draw = () => {
    const form = { slopes: random.normal(3), constant: random.normal() };
    return { ...form, least: leastValue(form, box), rounding: 0 };
  };
  const point = () => box.lower.map((l, i) => l + random.uniform() * (box.upper[i]! - l));
  const value = ({ slopes, constant }: ReturnType<typeof draw>, x: Float64Array) =>
    slopes.reduce((sum, a, i) => sum + a * x[i]!, constant);

  it("contraction keeps every point where the form is <= 0, and drops others", () => {
    let dropped = 0;
    for (let trial = 0; trial < 300; trial++) {
      const form = draw();
      const part = contracted(form, box);
      for (let k = 0; k < 50; k++) {
        const x = point();
        const inside = part !== undefined && x.every((v, i) => v >= part.lower[i]! && v <= part.upper[i]!);
        if (value(form, x) <= 0) expect(inside).toBe(true);
        else if (!inside) dropped++;
      }
    }
    expect(dropped).toBeGreaterThan(1000);
  });

  it("a combination above 0 leaves no common point; it refutes more than single forms do", () => {
    let gained = 0;
    for (let trial = 0; trial < 300; trial++) {
      const forms = [draw(), draw(), draw()];
      const best = greatestCombination(forms, box);
      if (!(best.least > 0)) continue;
      if (forms.every(({ least }) => least <= 0)) gained++;
      for (let k = 0; k < 100; k++) {
        const x = point();
        expect(Math.max(...forms.map((form) => value(form, x)))).toBeGreaterThan(0);
      }
    }
    expect(gained).toBeGreaterThan(5);
  });
});
