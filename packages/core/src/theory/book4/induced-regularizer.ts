import type { Figure } from "../../figure/figure.ts";
import { exactPolarSquare } from "../../landscape/certificate/exact-check.ts";
import { outputsOf, penaltyOf, type TwoLayer } from "../../landscape/certificate/two-layer.ts";
import { toNumber } from "../../numbers/exact/rational.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

type Vector = readonly number[];

export default lemma({
  id: "C4-18",
  covers: ["C4-18"],
  kind: "measure",
  title: "The norm that a penalty on neurons induces on outputs, on a line",
  source: "Book, chapter 4, (4.47) and Proposition 4.8",
  statement: String.raw`\Omega(Z) = \min_{\Phi_r(W) = Z} \Theta_r(W) = \max\{\langle Q, Z \rangle : \Omega^\circ(Q) \le 1\}, \quad \Omega(Z) = \min \sum_j |u_j| \|v_j\| \text{ for ReLU neurons}`,
  parameters: {
    m: integer({ min: 2, max: 6, default: 4, label: "examples on the line" }),
    factor: real({ min: 0.1, max: 5, default: 2.5, label: "factor a" }),
  },
  claims: {
    "realization over dual bound": equals("1"),
    "outputs of the network that realizes it, distance from Z": equals("0"),
    "Θ of that network": equals(String.raw`\Omega(Z)`),
    "Θ of another network with these outputs": atLeast(String.raw`\Omega(Z)`),
    "Ω(a Z)": equals(String.raw`a \, \Omega(Z)`),
    "Ω(Z + Z')": atMost(String.raw`\Omega(Z) + \Omega(Z')`),
    "Ω(-Z)": equals(String.raw`\Omega(Z)`),
    "Ω(Z) of an output that is not 0": atLeast("the greatest |z| over the greatest |x|"),
    "neurons that attain it": atMost("card(Z), the number of entries"),
  },
  mutants: {
    "the degree of one layer": { "Ω(a Z)": ({ factor }, { theory }) => theory * factor },
    "weights' squares without their half": {
      "Θ of that network": (_, { theory }) => 2 * theory,
    },
    "all networks with these outputs cost the same": {
      "Θ of another network with these outputs": (_, { theory }) => 1.5 * theory,
    },
  },
  run({ m, factor }, { random, budget }) {
    const x = Array.from(
      { length: m },
      (_, i) => (i % 2 === 0 ? 1 : -1) * (0.5 + random.split(`x ${i}`).uniform()),
    );
    const [z, other] = ["z", "other"].map((label) => realizable(x, random.split(label))) as [Vector, Vector];
    const { value, neurons } = induced(x, z);
    const dual = dualPoint(x, z);
    const bound = dual.reduce((sum, q, i) => sum + q * z[i]!, 0) / polar(x, dual);
    const [cheapest, another] = [1, 1 + random.split("scale").uniform()].map((by) => network(x, z, by));
    const inputs = x.map((v) => Float64Array.of(v));
    const off = outputsOf(cheapest!, inputs, 1)[0]!.map((v, i) => Math.abs(v - z[i]!));
    const rounding = 2 ** -44 * (1 + value);
    return {
      ...(budget !== "cheap" && { figure: figure(x, z, other) }),
      claims: {
        "realization over dual bound": checked(value / bound, 1, { tolerance: 2 ** -44 }),
        "outputs of the network that realizes it, distance from Z": checked(Math.max(...off), 0, {
          tolerance: rounding,
        }),
        "Θ of that network": checked(penaltyOf(cheapest!), value, { tolerance: rounding }),
        "Θ of another network with these outputs": checked(penaltyOf(another!), value, {
          tolerance: rounding,
        }),
        "Ω(a Z)": checked(
          induced(
            x,
            z.map((v) => factor * v),
          ).value,
          factor * value,
          {
            tolerance: factor * rounding,
          },
        ),
        "Ω(Z + Z')": checked(
          induced(
            x,
            z.map((v, i) => v + other[i]!),
          ).value,
          value + induced(x, other).value,
          { tolerance: 4 * rounding },
        ),
        "Ω(-Z)": checked(
          induced(
            x,
            z.map((v) => -v),
          ).value,
          value,
          { tolerance: rounding },
        ),
        "Ω(Z) of an output that is not 0": checked(
          value,
          Math.max(...z.map(Math.abs)) / Math.max(...x.map(Math.abs)),
          { tolerance: rounding },
        ),
        "neurons that attain it": checked(neurons, m),
      },
    };
  },
});

/** From Z to Z': what a network costs beside what no network can undercut. Beside it, what other networks for Z cost. */
function figure(x: Vector, z: Vector, other: Vector): Figure {
  const steps = (low: number, high: number, count: number) =>
    Array.from({ length: count }, (_, k) => low + ((high - low) * k) / (count - 1));
  const along = (t: number): Vector => z.map((v, i) => (1 - t) * v + t * other[i]!);
  const dualBound = (at: Vector): number => {
    const q = dualPoint(x, at);
    return q.reduce((sum, v, i) => sum + v * at[i]!, 0) / polar(x, q);
  };
  const { value } = induced(x, z);
  const [dual, chord] = ["dual bound", "between the ends, straight"];
  return {
    title: "The norm that a penalty on neurons induces",
    panels: [
      {
        title: "From Z to Z'",
        x: { label: "share of Z'" },
        y: { label: "Θ" },
        series: [
          {
            name: dual,
            mark: "line",
            role: "theory",
            points: steps(0, 1, 101).map((t) => [t, dualBound(along(t))] as const),
          },
          {
            name: "network that realizes it",
            mark: "dots",
            like: dual,
            points: steps(0, 1, 11).map((t) => [t, penaltyOf(network(x, along(t), 1))] as const),
          },
          {
            name: chord,
            mark: "line",
            points: [
              [0, value],
              [1, induced(x, other).value],
            ],
          },
        ],
      },
      {
        title: "Networks with the outputs Z",
        x: { label: "incoming weights, over those of the cheapest", scale: "log" },
        y: { label: "Θ" },
        series: [
          {
            name: "network",
            mark: "dots",
            points: steps(-1, 1, 13).map((e) => [2 ** e, penaltyOf(network(x, z, 2 ** e))] as const),
          },
          {
            name: "Ω(Z)",
            mark: "line",
            role: "theory",
            points: [0.5, 2].map((by) => [by, value] as const),
          },
        ],
      },
    ],
  };
}

/** On the line the outputs of neurons are a relu(x) + b relu(-x): these alone are of finite cost. */
function realizable(x: Vector, random: Random): Vector {
  const [a, b] = random.normal(2);
  return x.map((v) => a! * Math.max(0, v) + b! * Math.max(0, -v));
}

/** One neuron for each side, with incoming and outgoing weights of one size, or of sizes apart by a factor. */
function network(x: Vector, z: Vector, by: number): TwoLayer {
  const neurons = [1, -1].map((side) => {
    const i = x.findIndex((v) => v * side > 0);
    const slope = z[i]! / Math.abs(x[i]!);
    const size = Math.sqrt(Math.abs(slope));
    return {
      incoming: Float64Array.of(side * size * by),
      outgoing: Float64Array.of((Math.sign(slope) * size) / by),
    };
  });
  return { neurons, hasBias: false };
}

/** The cheapest neurons: one for each side, u v = the slope there. */
function induced(x: Vector, z: Vector): { readonly value: number; readonly neurons: number } {
  const slopes = [1, -1].map((side) => {
    const i = x.findIndex((v) => v * side > 0);
    return Math.abs(z[i]! / x[i]!);
  });
  return { value: slopes[0]! + slopes[1]!, neurons: slopes.filter((s) => s > 0).length };
}

/** Q with a pull of 1 on the neurons of both sides, with the signs of their outputs. */
function dualPoint(x: Vector, z: Vector): Vector {
  return x.map((v) => {
    const same = x.filter((w) => w * v > 0);
    const sign = Math.sign(z[x.indexOf(same[0]!)]!);
    return (sign * Math.abs(v)) / same.reduce((sum, w) => sum + w * w, 0);
  });
}

/** Exactly, as a double. */
const polar = (x: Vector, q: Vector): number =>
  Math.sqrt(
    toNumber(
      exactPolarSquare(
        x.map((v) => [v]),
        q,
      ),
    ),
  );
