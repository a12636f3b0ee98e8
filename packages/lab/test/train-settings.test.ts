import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchFor, commandOf, isPiecewiseLinear, specOf, stepsPerEpoch } from "../src/train/run-plan.ts";
import {
  activationChoices,
  dataNames,
  fromQuery,
  lossNames,
  mostLayers,
  needsNewRun,
  optimizerNames,
  presets,
  ranges,
  type Settings,
  scheduleNames,
  speeds,
  toQuery,
  widthRange,
  withData,
  wrongNumber,
} from "../src/train/settings.ts";

const between = ({ least, most, whole = false }: { least: number; most: number; whole?: boolean }) =>
  whole
    ? fc.integer({ min: least, max: most })
    : fc.double({ min: least, max: most, noNaN: true }).map((v) => (Object.is(v, -0) ? 0 : v));

const anySettings: fc.Arbitrary<Settings> = fc.record({
  data: fc.constantFrom(...dataNames),
  count: between(ranges.count),
  noise: between(ranges.noise),
  seed: between(ranges.seed),
  hidden: fc.array(between(widthRange), { maxLength: mostLayers }),
  activation: fc.constantFrom(...activationChoices),
  loss: fc.constantFrom(...lossNames),
  optimizer: fc.constantFrom(...optimizerNames),
  rate: between(ranges.rate),
  schedule: fc.constantFrom(...scheduleNames),
  batch: between(ranges.batch),
  epochs: between(ranges.epochs),
  weightDecay: between(ranges.weightDecay),
  l1: between(ranges.l1),
  proximalL1: between(ranges.proximalL1),
  speed: fc.constantFrom(...speeds),
});

describe("settings in an address", () => {
  it("come back as they were", () => {
    fc.assert(
      fc.property(anySettings, (settings) => {
        const search = new URLSearchParams(toQuery(settings)).toString();
        expect(fromQuery(Object.fromEntries(new URLSearchParams(search)))).toEqual(settings);
      }),
    );
  });

  it("are those of the data set where the address is silent or wrong", () => {
    expect(fromQuery({})).toEqual(presets["two-moons"]);
    expect(fromQuery({ data: "digits" })).toEqual(presets.digits);
    const wrong = {
      data: "spirals",
      n: "-3",
      rate: "fast",
      net: "16--8",
      act: "softmax",
      seed: "1.5",
      batch: "",
    };
    expect(fromQuery(wrong)).toEqual(presets.spirals);
    expect(fromQuery({ net: "1-2-3-4-5-6-7" }).hidden).toEqual(presets["two-moons"].hidden);
    expect(fromQuery({ net: "none" }).hidden).toEqual([]);
    expect(fromQuery({ n: "constructor", opt: "toString" })).toEqual(presets["two-moons"]);
  });

  it("say what a number should be", () => {
    expect(wrongNumber(16, widthRange)).toBeUndefined();
    for (const bad of [0, 2.5, 257, Number.NaN, Number.POSITIVE_INFINITY])
      expect(wrongNumber(bad, widthRange)).toBe("a whole number from 1 to 256");
  });
});

describe("what settings mean", () => {
  const moons = presets["two-moons"];

  it("is a network with as many outputs as the loss needs", () => {
    expect(specOf(moons)).toBe("2-16-relu-16-relu-2");
    expect(specOf({ ...moons, loss: "hinge", hidden: [] })).toBe("2-1");
    expect(specOf({ ...presets.digits, loss: "hinge" })).toBe("784-64-relu-10");
  });

  it("is a batch that is all of the examples when they are few", () => {
    expect(batchFor({ ...moons, batch: 320 }, 320)).toBe("full");
    expect(batchFor({ ...moons, optimizer: "gd" }, 320)).toBe("full");
    expect(stepsPerEpoch({ ...moons, batch: 32 }, 321)).toBe(11);
  });

  it("is a command with every setting that counts", () => {
    expect(commandOf(moons)).toBe(
      'lemmata train "2-16-relu-16-relu-2" --data two-moons --count 400 --noise 0.1 --loss cross-entropy ' +
        "--optimizer adam --rate 0.01 --schedule constant --batch 32 --epochs 300 --seed 1 --out two-moons.onnx",
    );
    expect(commandOf({ ...moons, optimizer: "adamw" })).toContain("--weight-decay 0 ");
    expect(commandOf({ ...moons, proximalL1: 0.01, l1: 0.5 })).toContain("--l1 0.5 --proximal-l1 0.01");
    expect(commandOf(presets.digits)).toContain("--data mnist --loss");
  });

  it("needs a new run unless only the pace or the rate changes", () => {
    expect(needsNewRun(moons, { ...moons, rate: 1, schedule: "cosine", speed: "full", epochs: 7 })).toBe(
      false,
    );
    expect(needsNewRun(moons, { ...moons, hidden: [16, 17] })).toBe(true);
    expect(needsNewRun(moons, { ...moons, seed: 2 })).toBe(true);
    expect(needsNewRun(moons, withData(moons, "digits"))).toBe(true);
  });

  it("keeps the network between sets of the plane", () => {
    const other = withData({ ...moons, hidden: [5] }, "spirals");
    expect(other).toMatchObject({ data: "spirals", hidden: [5], noise: presets.spirals.noise });
    expect(withData({ ...moons, seed: 9 }, "digits")).toEqual({ ...presets.digits, seed: 9 });
  });

  it("knows which networks have linear regions", () => {
    const linear = activationChoices.filter((activation) => isPiecewiseLinear({ activation, hidden: [4] }));
    expect(linear).toEqual(["relu", "leakyrelu(0.1)", "abs", "linear"]);
    expect(isPiecewiseLinear({ activation: "tanh", hidden: [] })).toBe(true);
  });
});
