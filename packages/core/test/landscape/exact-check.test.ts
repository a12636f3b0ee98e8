// The bounds of certificates against rational arithmetic, and a forger whose certificates are refused.
import { describe, expect, it } from "vitest";
import { coneBound, restBound } from "../../src/landscape/certificate/cone-bound.ts";
import { halves, orthants, polarSizes } from "../../src/landscape/certificate/polar-cone.ts";
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
import { add, compare, type Exact, max, mul, toNumber } from "../../src/numbers/exact/rational.ts";
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

/** Numbers that are hard on rounding: whole, twice, almost twice, 0, and of sizes near both ends of the doubles. */
const kinds = ["whole", "twice", "almost twice", "zeros", "mixed"] as const;
const sizes = [1, 1e-8, 1e8, 1e-100, 1e100, 1e-155, 1e150, 1e-165, 1e-300, 5e-324];

function hard(random: Random, kind: (typeof kinds)[number], m: number, d: number) {
  const some = <T>(all: readonly T[]): T => all[Math.floor(random.uniform() * all.length)]!;
  const size = some(sizes);
  const number = (): number => {
    const v = kind === "whole" ? Math.round(3 * random.normal(1)[0]!) : random.normal(1)[0]!;
    return v * (kind === "mixed" ? some(sizes) : size);
  };
  const drawn = Array.from({ length: m }, () => Float64Array.from({ length: d }, number));
  if (kind === "twice") return drawn.map((_, i) => drawn[i - (i % 2)]!.slice());
  if (kind === "almost twice") return drawn.map((_, i) => drawn[0]!.map((v) => v * (1 + (i % 3) * 2 ** -52)));
  return kind === "zeros" ? drawn.map((row, i) => (i % 2 === 0 ? row.map(() => 0) : row)) : drawn;
}

describe("on data that are hard on rounding", () => {
  const trials = Number(process.env["LEMMATA_HUNT"] ?? 20);
  const named = (kind: string) => createRandom(`hard ${kind} ${process.env["LEMMATA_SEED"] ?? ""}`);

  it.each(kinds)("certificates hold exactly, or there is none: %s", (kind) => {
    const random = named(kind);
    let [made, optimal] = [0, 0];
    for (let trial = 0; trial < trials; trial++) {
      const [m, bias] = [2 + (trial % 5), trial % 3 === 0];
      const d = bias || trial % 2 === 0 ? 1 : 2;
      const inputs = hard(random, kind, m, d);
      const targets = hard(random, kind, m, 1).map((row) => row[0]!);
      // Every third time a decay above every pull, so that no weight at all is best.
      const greatest = (rows: readonly (readonly number[] | Float64Array)[]): number =>
        Math.max(1e-150, ...rows.flatMap((row) => [...row].map(Math.abs)));
      const isEmpty = trial % 3 === 1;
      const decay = isEmpty
        ? 8 * greatest(inputs) * greatest([targets])
        : [1, 1e-3, 1e-9, 1e5, 1e-170][trial % 5]!;
      const weight = isEmpty ? 0 : [1, 1e-8, 1e-160, 1][trial % 4]!;
      const draw = (size: number) => random.normal(size).map((w) => w * weight);
      const neurons = Array.from({ length: trial % 4 }, () => ({
        incoming: draw(bias ? 2 : d),
        outgoing: draw(1),
      }));
      const net: TwoLayer = { neurons, hasBias: bias, ...(trial % 7 === 0 ? { offset: draw(1) } : {}) };
      const loss = convexLoss("square", { values: [Float64Array.from(targets)] });
      let certificate: OptimalityCertificate;
      try {
        certificate = certifyTwoLayer(net, inputs, loss, 1, { decay, cones: 100 });
      } catch (error) {
        expect(String(error)).toMatch(/too great/);
        continue;
      }
      made++;
      if (certificate.verdict === "globally optimal") optimal++;
      expect(
        refusal(net, { inputs, targets: Float64Array.from(targets), decay }, certificate),
      ).toBeUndefined();
    }
    expect(made).toBeGreaterThan(trials / 4);
    expect(optimal).toBeGreaterThan(0);
  });

  it.each(kinds)("no neuron is above the polar's bound, in three and four dimensions: %s", (kind) => {
    const random = named(`polar ${kind}`);
    for (let trial = 0; trial < trials / 2; trial++) {
      const d = 3 + (trial % 2);
      const [x, q] = [hard(random, kind, 6, d), hard(random, kind, 6, 1).map((row) => row[0]!)];
      const { upper, neuron } = reluPolar(x, [Float64Array.from(q)], { cones: trial % 3 === 0 ? 1 : 60 });
      for (const v of [neuron, ...x, ...x.map((row) => row.map((c) => -c)), random.sphere(d)])
        expectBelow(upper, x, [q], v);
    }
  });

  it.each(kinds)("no neuron of several outputs is above the polar's bound: %s", (kind) => {
    const random = named(`several ${kind}`);
    for (let trial = 0; trial < trials / 2; trial++) {
      const [d, outputs] = [1 + (trial % 4), 2 + (trial % 3)];
      const x = hard(random, kind, 7, d);
      const rows = hard(random, kind, 7, outputs);
      // Pulls of cross-entropy: each example's sum to nearly 0.
      const q = Array.from({ length: outputs }, (_, k) =>
        Float64Array.from(rows, (row) => (trial % 2 === 0 ? row[k]! : row[k]! - row[(k + 1) % outputs]!)),
      );
      const { upper, lower, neuron } = reluPolar(x, q, { cones: [1, 60, 400][trial % 3]!, tolerance: 1e-13 });
      expect(lower).toBeLessThanOrEqual(upper);
      for (const v of [neuron, ...x, ...x.map((row) => row.map((c) => -c)), random.sphere(d)])
        expectBelow(upper, x, q, v);
    }
  });
});

describe("the bound on a cone", () => {
  it("of several outputs is above all that is in it, however small, and near it", () => {
    const random = createRandom("several");
    let worst = 0;
    for (let trial = 0; trial < 40; trial++) {
      const [d, outputs] = [2 + (trial % 3), 2 + (trial % 2)];
      const x = Array.from({ length: 12 }, () => random.normal(d));
      const q = Array.from({ length: outputs }, () => random.normal(12));
      const sizes = polarSizes(x, q);
      let cone = [...orthants(x)][trial % 2 ** d]!;
      for (let cut = 0; cut < 8 * d; cut++) {
        const bound = coneBound(x, q, cone, sizes, trial % 2 === 0 ? 0 : 1e9);
        const convex = restBound(x, q, cone, 2 ** -40);
        let most = 0;
        for (let k = 0; k < 12; k++) {
          // Rays, middles, and places between.
          const shares = cone.map(() => (k < d ? 0 : k === d ? 1 : random.uniform()));
          if (k < d) shares[k] = 1;
          const v = cone.reduce(
            (at, ray, j) => at.map((c, i) => c + (shares[j]! * ray.at[i]!) / ray.length),
            new Float64Array(d),
          );
          expectBelow(bound, x, q, v);
          expectBelow(convex, x, q, v);
          const active = x.map((row) =>
            Math.max(
              0,
              row.reduce((s, c, i) => s + c * v[i]!, 0),
            ),
          );
          const value = Math.hypot(...q.map((row) => row.reduce((s, w, i) => s + w * active[i]!, 0)));
          most = Math.max(most, value / Math.hypot(...v));
        }
        if (cut > 8 * d - 2 && trial % 2 === 0) worst = Math.max(worst, bound / most - 1);
        cone = halves(cone, x)[Math.floor(2 * random.uniform())]!;
      }
    }
    // Edges are cut about eight times: angles of 1 / 50, of which first orders would leave 10^-2.
    expect(worst).toBeLessThan(3e-3);
  });

  it("is above the values at its rays, where they are what rounding leaves of sums", () => {
    const random = createRandom("cone");
    for (let trial = 0; trial < 60; trial++) {
      const d = 2 + (trial % 2);
      const half = Array.from({ length: 4 }, () => random.normal(d));
      const x = half.flatMap((row) => [row, row.map((v) => v * (1 + 2 ** -50))]);
      const q = random.normal(4);
      const weights = Float64Array.from(half.flatMap((_, i) => [q[i]!, -q[i]!]));
      const sizes = polarSizes(x, [weights]);
      for (const cone of [...orthants(x)].flatMap((rays) => halves(rays, x))) {
        const bound = coneBound(x, [weights], cone, sizes);
        for (const { at } of cone) {
          const value = sum(x.map((row, i) => mul(weights[i]!, relu(inner([...row], [...at])))));
          expect(
            compare(mul(value, value), mul(mul(bound, bound), inner([...at], [...at]))),
          ).toBeLessThanOrEqual(0);
        }
      }
    }
  });
});

/** sum_k (sum_i q_ki relu(<v, x_i>))^2 <= upper^2 |v|^2, in rational arithmetic. */
function expectBelow(
  upper: number,
  x: readonly Float64Array[],
  q: readonly (readonly number[] | Float64Array)[],
  v: Float64Array,
): void {
  const active = x.map((row) => relu(inner([...row], [...v])));
  const values = q.map((row) => sum(active.map((z, i) => mul(row[i]!, z))));
  const [square, length] = [sum(values.map((value) => mul(value, value))), inner([...v], [...v])];
  if (length !== 0) expect(compare(square, mul(mul(upper, upper), length))).toBeLessThanOrEqual(0);
}

const sum = (terms: readonly Exact[]): Exact => terms.reduce(add, 0);
const inner = (a: readonly number[], b: readonly number[]): Exact => sum(a.map((v, k) => mul(v, b[k]!)));
const relu = (a: Exact): Exact => max(a, 0);

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
    "an objective that is no number": (c) => ({ ...c, objective: Number.NaN }),
    "a gap that is no number": (c) => ({ ...c, gap: Number.NaN }),
    "a bound that is infinite": (c) => ({ ...c, lowerBound: Number.POSITIVE_INFINITY }),
    "a dual point that is out of reach": (c) => ({ ...c, dual: { ...c.dual, t: c.dual.t * (1 + 1e-6) } }),
    "a dual point of other examples": (c) => ({
      ...c,
      dual: { ...c.dual, pull: c.dual.pull.map((row) => row.toReversed()) },
    }),
    "a network that is better than shown": (c) => ({
      ...c,
      improved: (c.improved ?? c.objective) * (1 - 1e-6),
    }),
    "a verdict without a better network": ({ neuron: _, scale: __, improved: ___, ...c }) => ({
      ...c,
      verdict: "not optimal",
    }),
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
    expect(refusal(net, data, { ...certificate, neuron: turned })).toMatch(/better network/);
  });
});
