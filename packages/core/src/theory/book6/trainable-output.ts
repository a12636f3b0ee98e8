import { type BeliefNetwork, unitsOf } from "../../discrete/stochastic/belief-network.ts";
import { couplingBound } from "../../discrete/stochastic/certified-kernel.ts";
import { exactKernel } from "../../discrete/stochastic/exact-kernel.ts";
import { fitShallow } from "../../discrete/stochastic/fit.ts";
import { freeOutputNetwork } from "../../discrete/stochastic/generative.ts";
import { bitsOf, totalVariation } from "../../discrete/stochastic/kernel.ts";
import { randomKernel } from "../../discrete/stochastic/random-kernel.ts";
import { shallowNetwork } from "../../discrete/stochastic/shallow.ts";
import {
  evenDistance,
  leastDistance,
  type MixedCase,
  nearestMixedCase,
  parities,
  twoUnitNetwork,
} from "../../discrete/stochastic/two-units.ts";
import type { StochasticUnit } from "../../discrete/stochastic/unit.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

/**
 * For an output bit that sees two hidden bits, theta(11) - theta(10) - theta(01) + theta(00) = 0: the greatest of that, over
 * signs that the two odd points of both outputs would need.
 */
const crossing = (W: readonly [number, number], b: number): number =>
  b + W[0] + W[1] - (b + W[0]) - (b + W[1]) + b;

/** The distance of a network from the parities, unit by unit and state by state. */
function byStates({ layers: [hidden, outputs] }: BeliefNetwork): number {
  const fires = ({ bias, reads }: StochasticUnit, bits: readonly number[]): number =>
    1 / (1 + Math.exp(-reads.reduce((z, [c, w]) => z + w * bits[c]!, bias)));
  const chance = (
    units: readonly StochasticUnit[],
    before: readonly number[],
    after: readonly number[],
  ): number =>
    units.reduce((p, unit, k) => p * (after[k] ? fires(unit, before) : 1 - fires(unit, before)), 1);
  const distances = parities.rows.map((row, x) =>
    row.reduce((sum, target, y) => {
      let p = 0;
      for (let h = 0; h < 2 ** hidden!.length; h++) {
        const bits = bitsOf(h, hidden!.length);
        p += chance(hidden!, [x], bits) * chance(outputs!, bits, bitsOf(y, 2));
      }
      return sum + Math.abs(p - target) / 2;
    }, 0),
  );
  return Math.max(...distances);
}

/** A random instance of the third case, or one near the nearest: chances in the order that the case has. */
function mixedCase(random: Random): MixedCase {
  const between = (low: number, high: number): number => low + (high - low) * random.uniform();
  const [u01, u10, v00, v11] = [between(0, 0.5), between(0.5, 1), between(0, 0.5), between(0.5, 1)];
  const drawn: MixedCase = {
    ...{ a: random.uniform(), b: random.uniform() },
    u: [between(0, u01), u01, u10, between(u10, 1)],
    v: [v00, between(v11, 1), between(0, v00), v11],
  };
  const t = random.uniform() ** 4; // mixtures keep the order
  const mix = (x: number, y: number): number => x + t * (y - x);
  const four = (x: MixedCase["u"], y: MixedCase["u"]): MixedCase["u"] =>
    [0, 1, 2, 3].map((h) => mix(x[h]!, y[h]!)) as unknown as MixedCase["u"];
  const near = nearestMixedCase;
  return {
    ...{ a: mix(near.a, drawn.a), b: mix(near.b, drawn.b) },
    ...{ u: four(near.u, drawn.u), v: four(near.v, drawn.v) },
  };
}

/** The free output layer for the parities, without the unit that says that the second input is there: its even rows stay even. */
function nameless(eps: number): BeliefNetwork {
  const { inputs, layers } = freeOutputNetwork(parities, eps);
  const [hidden, outputs] = layers as [readonly StochasticUnit[], readonly StochasticUnit[]];
  const named = hidden.length - 1;
  return {
    inputs,
    layers: [
      hidden.slice(0, named),
      outputs.map(({ bias, reads }) => ({ bias, reads: reads.filter(([c]) => c < named) })),
    ],
  };
}

export default lemma({
  id: "C6-11",
  covers: ["C6-11"],
  kind: "bound",
  title: "With a trainable output layer, two hidden units do not give both parities",
  source: "Book, chapter 6, Theorem 6.4",
  statement: String.raw`d = 1, \; s = 2: \quad \sqrt 3 - \tfrac32 \le \inf_{m = 2} \max_x \| P(\cdot | x) - P^*(\cdot | x) \|_{TV} \le \tfrac14, \qquad m = 2^{d-1}(2^s - 1) \text{ or, with a free output layer, } 2^{d+s-1} - 1 \text{ suffice}`,
  parameters: {
    fit: integer({ min: 1, max: 50, default: 1, label: "starts of the fit" }),
    eps: real({ min: 1e-6, max: 0.01, default: 1e-4, label: "error ε of a unit" }),
    d: integer({ min: 1, max: 2, default: 2, label: "input bits d, free output layer" }),
    s: integer({ min: 1, max: 3, default: 2, label: "output bits s, free output layer" }),
    law: choice(["dirichlet", "deterministic"], { label: "rows of its table" }),
  },
  claims: {
    "three units, total variation": equals(String.raw`\text{a sum over the states of the three}`),
    "units that suffice, with a fixed output layer": equals(String.raw`2^{d-1}(2^s - 1) = 3`),
    "free output layer, hidden units": equals(String.raw`2^{d+s-1} - 1`),
    "free output layer, total variation": atMost(String.raw`1 - (1 - \epsilon)^{m + s}`),
    "free output layer, hidden units beyond those of a fixed one": equals(String.raw`2^{d-1} - 1`),
    "free output layer, distance of one block from both parities without the units that name the input":
      equals(String.raw`\tfrac12`),
    // A network is known within 1/4 of both, 1.077 times the bound; the draws come near that.
    "two units, least total variation found": atLeast(String.raw`\sqrt 3 - \tfrac32`).looseBy(1.05),
    "two units of large weights, total variation": equals(String.raw`\tfrac14 + O(\epsilon)`),
    "outputs ordered as in the proof, distance from even parity": atLeast(String.raw`\sqrt 3 - \tfrac32`),
    "the nearest of them, distance from even parity": equals(String.raw`\sqrt 3 - \tfrac32`),
    "a sum of pre-activations over the square of two hidden bits": equals("0"),
    "units that suffice, as printed: least total variation found": atMost("0.2").printed({
      where: "Theorem 6.4",
      printed: String.raw`A shallow sigmoid stochastic feedforward network with  $d$  inputs,  $m$  units in the hidden layer, and  $s$  outputs is a universal approximator of kernels in  $\Delta_{d,s}$  whenever  $m \geq 2^d(2^{s-1} - 1)$ .`,
      corrected: String.raw`$m \geq 2^{d-1}(2^s - 1)$, Theorem 6.2: with $d = 1$, $s = 2$ and $m = 2$ no network comes nearer than $\sqrt 3 - \frac32 > 0.23$ to even parity for one input and odd parity for the other`,
    }),
  },
  mutants: {
    "two units suffice": { "two units of large weights, total variation": () => 0 },
    "a quarter already for one input": {
      "outputs ordered as in the proof, distance from even parity": () => 0.25,
    },
    "as many as Theorem 6.4 has": {
      "free output layer, hidden units": ({ d, s }) => 2 ** d * (2 ** (s - 1) - 1),
    },
    "only the outputs err": {
      "free output layer, total variation": ({ s, eps }, { measured }) =>
        Math.min(measured, couplingBound(eps, s)) / 2,
    },
    "three units are exact": { "three units, total variation": ({ eps }) => eps / 4 },
  },
  run({ fit, eps, d, s, law }, { random, scale, budget }) {
    const drawn = random.split(fit);
    const options = { starts: scale(8), steps: 250, random: drawn };
    const three = shallowNetwork(parities, eps);
    const two = fitShallow(parities, 2, options);
    const kernel = randomKernel(drawn, d, s, law);
    const free = freeOutputNetwork(kernel, eps);
    const m = free.layers[0]!.length;
    const weight = (): number => Math.round(64 * drawn.normal());
    return {
      figure: budget === "cheap" ? undefined : figure((m) => fitShallow(parities, m, options)),
      claims: {
        "three units, total variation": checked(
          totalVariation(exactKernel(three), parities),
          byStates(three),
          {
            tolerance: 2 ** -44,
          },
        ),
        "units that suffice, with a fixed output layer": checked(three.layers[0]!.length, 3),
        "free output layer, hidden units": checked(m, 2 ** (d + s - 1) - 1),
        "free output layer, total variation": checked(
          totalVariation(exactKernel(free), kernel),
          couplingBound(eps, unitsOf(free)),
          { tolerance: 2 ** -44 },
        ),
        "free output layer, hidden units beyond those of a fixed one": checked(
          m - shallowNetwork(kernel, eps).layers[0]!.length,
          2 ** (d - 1) - 1,
        ),
        "free output layer, distance of one block from both parities without the units that name the input":
          checked(byStates(nameless(eps)), 1 / 2, { tolerance: 5 * eps }), // four units err, one sets both rows
        "two units, least total variation found": sampled(two, leastDistance),
        "two units of large weights, total variation": checked(
          totalVariation(exactKernel(twoUnitNetwork(eps)), parities),
          1 / 4,
          { tolerance: 4 * eps }, // four units err with eps at most
        ),
        "outputs ordered as in the proof, distance from even parity": sampled(
          Math.min(...Array.from({ length: scale(2000) }, () => evenDistance(mixedCase(drawn)))),
          leastDistance,
          { tolerance: 2 ** -50 },
        ),
        "the nearest of them, distance from even parity": checked(
          evenDistance(nearestMixedCase),
          leastDistance,
          {
            tolerance: 2 ** -50,
          },
        ),
        "a sum of pre-activations over the square of two hidden bits": checked(
          crossing([weight(), weight()], weight()),
          0,
        ),
        "units that suffice, as printed: least total variation found": sampled(two, 0.2),
      },
    };
  },
});

function figure(best: (m: number) => number): Figure {
  const sizes = [1, 2, 3, 4];
  return {
    title: "Even and odd parity of two bits, by shallow networks with free weights",
    panels: [
      {
        title: "Least total variation found",
        x: { label: "hidden units m", names: sizes.map((m) => `m = ${m}`) },
        y: { label: "total variation" },
        series: [
          { name: "found", mark: "dots", points: sizes.map((m) => [m - 1, best(m)] as const) },
          {
            name: "theory: at least √3 − 3/2 with two units",
            mark: "line",
            role: "theory",
            points: [
              [0, leastDistance],
              [1, leastDistance],
            ],
          },
          {
            name: "theory: printed, 0 from m = 2 on",
            mark: "line",
            role: "theory",
            points: [
              [1, 0],
              [3, 0],
            ],
          },
        ],
      },
    ],
  };
}
