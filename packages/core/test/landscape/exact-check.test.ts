// The bounds of certificates against rational arithmetic, and a forger whose certificates are refused.
import { describe, expect, it } from "vitest";
import {
  certifiedMinimum,
  certifyTwoLayer,
  convexLoss,
  exactPolarSquare,
  type OptimalityCertificate,
  refusal,
  reluPolar,
  type TwoLayer,
} from "../../src/landscape/index.ts";
import { compare, mul, toNumber } from "../../src/numbers/exact/rational.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

const integers = (random: Random, count: number, size: number): Float64Array =>
  random.normal(count).map((v) => Math.round(size * v));

describe("the exact polar", () => {
  it("is that of instances done by hand", () => {
    const points = [
      [1, 0],
      [0, 1],
      [-1, 1],
      [1, -2],
      [2, 1],
    ];
    expect(exactPolarSquare(points, [1, -1, 2, 0.5, -0.25])).toBe(5);
    expect(exactPolarSquare([[2], [-3]], [1, 1])).toBe(9);
    expect(exactPolarSquare([[0, 0]], [1])).toBe(0);
    expect(() => exactPolarSquare([[1, 2, 3]], [1])).toThrow("one or two dimensions");
  });

  it("is what a fine grid sees", () => {
    const random = createRandom("grid");
    for (let trial = 0; trial < 8; trial++) {
      const x = Array.from({ length: 6 }, () => [...integers(random, 2, 3)]);
      const q = [...integers(random, 6, 4)];
      let seen = 0;
      for (let k = 0; k < 20_000; k++) {
        const v = [Math.cos((k * Math.PI) / 10_000), Math.sin((k * Math.PI) / 10_000)];
        const sum = x.reduce((s, [a, b], i) => s + q[i]! * Math.max(0, a! * v[0]! + b! * v[1]!), 0);
        seen = Math.max(seen, Math.abs(sum));
      }
      const exact = Math.sqrt(toNumber(exactPolarSquare(x, q)));
      expect(exact).toBeGreaterThanOrEqual(seen * (1 - 1e-12));
      // No place is farther than half a step from the grid, and the sum changes by no more than the sum of |q| |x|.
      const slope = x.reduce((sum, row, i) => sum + Math.abs(q[i]!) * Math.hypot(...row), 0);
      expect(exact).toBeLessThanOrEqual(seen + (slope * Math.PI) / 20_000);
    }
  });
});

describe("bounds on the polar, rounding included", () => {
  const trials = Number(process.env["LEMMATA_HUNT"] ?? 16);
  it.each(["plain", "cancelling", "many", "thin"] as const)("hold exactly: %s", (kind) => {
    const random = createRandom(`polar ${kind} ${process.env["LEMMATA_SEED"] ?? ""}`);
    for (let trial = 0; trial < trials; trial++) {
      const m = kind === "many" ? 24 : 3 + (trial % 8);
      const d = trial % 5 === 0 ? 1 : 2;
      const x = Array.from({ length: m }, (_, i) =>
        kind === "thin" && d === 2
          ? Float64Array.of(1, 1e-9 * random.normal(1)[0]! * (1 + i))
          : random.normal(d),
      );
      const q = random.normal(m);
      // Pairs that leave one part in 10^9 of themselves.
      if (kind === "cancelling")
        for (let i = 0; i + 1 < m; i += 2) {
          x[i + 1] = x[i]!.map((v) => v * (1 + 1e-9));
          q[i + 1] = -q[i]!;
        }
      const { lower, upper } = reluPolar(x, [q], { tolerance: 1e-15, cones: 120 });
      const exact = exactPolarSquare(
        x.map((row) => [...row]),
        [...q],
      );
      expect(compare(mul(upper, upper), exact)).toBeGreaterThanOrEqual(0);
      expect(compare(mul(lower, lower), exact)).toBeLessThanOrEqual(0);
    }
  });
});

interface Instance {
  readonly net: TwoLayer;
  readonly data: {
    readonly inputs: readonly Float64Array[];
    readonly targets: Float64Array;
    readonly decay: number;
  };
  readonly certificate: OptimalityCertificate;
}

/** A certified minimum, or a random network, of neurons with one or two incoming weights. */
function instance(label: string, minimum: boolean, bias: boolean, decay: number): Instance {
  const random = createRandom(label);
  const m = 4 + (label.length % 5);
  const inputs = Array.from({ length: m }, () => random.normal(bias ? 1 : 2));
  const targets = random.normal(m);
  const loss = convexLoss("square", { values: [targets] });
  const start: TwoLayer = {
    neurons: Array.from({ length: 4 }, () => ({
      incoming: random.normal(2).map((w) => w / 2),
      outgoing: random.normal(1).map((w) => w / 2),
    })),
    hasBias: bias,
    ...(bias ? { offset: random.normal(1) } : {}),
  };
  const options = { decay, gapTolerance: 1e-6, tolerance: 1e-12, cones: 400 };
  const net = minimum ? certifiedMinimum(start, inputs, loss, 1, { ...options, rounds: 12 }).net : start;
  return {
    net,
    data: { inputs, targets, decay },
    certificate: certifyTwoLayer(net, inputs, loss, 1, options),
  };
}

const cases = [
  ["a", true, false, 0.1],
  ["bc", false, false, 0.3],
  ["def", true, true, 0.1],
  ["ghij", false, true, 1e-6],
  ["klmno", false, false, 1e-9],
  ["pq", false, true, 10],
] as const;

describe("certificates in rational arithmetic", () => {
  it.each(cases)("of instance %s hold (minimum %s, bias %s, decay %f)", (...given) => {
    const { net, data, certificate } = instance(...given);
    expect(refusal(net, data, certificate)).toBeUndefined();
  });

  it("lose hardly anything to the allowance for rounding", () => {
    const { certificate } = instance("a", true, false, 0.1);
    expect(certificate.verdict).toBe("globally optimal");
    expect(certificate.gap).toBeLessThan(1e-6 * certificate.objective);
  });

  const forgeries: Readonly<Record<string, (c: OptimalityCertificate) => OptimalityCertificate>> = {
    "a higher lower bound": (c) => ({ ...c, lowerBound: c.lowerBound + 1e-6, gap: c.gap - 1e-6 }),
    "a lower bound that is the objective": (c) => ({
      ...c,
      lowerBound: c.objective,
      gap: 0,
      verdict: "globally optimal",
    }),
    "a lower objective": (c) => ({
      ...c,
      objective: c.objective * (1 - 1e-9),
      gap: c.gap - 1e-9 * c.objective,
    }),
    "a smaller gap": (c) => ({ ...c, gap: c.gap / 2 + 1e-6 }),
    "a polar that is too small": (c) => ({
      ...c,
      polar: { ...c.polar, upper: c.polar.upper * (1 - 1e-3), lower: c.polar.lower * (1 - 1e-2) },
    }),
    "a polar that is too great": (c) => ({ ...c, polar: { ...c.polar, lower: c.polar.upper * (1 + 1e-3) } }),
    "a verdict that does not follow": (c) => ({ ...c, verdict: "globally optimal" }),
    "no number": (c) => ({ ...c, polar: { ...c.polar, upper: Number.NaN } }),
  };
  it.each(Object.entries(forgeries))("refuse %s", (_, forge) => {
    for (const [label, minimum, bias, decay] of [cases[1], cases[5]]) {
      const { net, data, certificate } = instance(label, minimum, bias, decay);
      const forged = forge(certificate);
      if (JSON.stringify(forged) === JSON.stringify(certificate)) continue;
      expect(refusal(net, data, forged)).toMatch(/./);
    }
  });

  it("refuse a certificate of another network, and a neuron that does not help as said", () => {
    const [{ net, data, certificate }, other] = [instance(...cases[1]), instance("bc", true, false, 0.3)];
    expect(refusal(other.net, data, certificate)).toMatch(/objective/);
    const { neuron } = certificate;
    expect(neuron).toBeDefined();
    const turned = { ...neuron!, incoming: neuron!.incoming.map((w) => -w) };
    expect(refusal(net, data, { ...certificate, neuron: turned })).toMatch(/neuron/);
  });
});
