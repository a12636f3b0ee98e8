import type { Figure } from "../../figure/figure.ts";
import type { Matrix } from "../../linear-algebra/index.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import { gibbsLaw, gibbsModel, metropolis } from "../../scattering/gibbs.ts";
import { propagate } from "../../scattering/propagate.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { distance, mean, norm } from "./signals.ts";

export default lemma({
  id: "C8-48",
  covers: ["C8-48"],
  kind: "algorithm",
  title: "The macrocanonical model: greatest entropy with the mean coefficients of a law",
  source: "Book, chapter 8, section 8.6.2, (8.51)",
  statement: String.raw`p_\theta(x) = \frac{e^{\langle \theta, S(x) \rangle}}{Z_\theta}, \; \mathbb E_{p_\theta} S = y: \qquad H(p_\theta) - H(q) = \operatorname{KL}(q \| p_\theta) \ge 0 \text{ for all } q \text{ with } \mathbb E_q S = y`,
  parameters: {
    n: integer({ min: 4, max: 7, default: 6, label: "samples, +1 or -1" }),
    J: integer({ min: 1, max: 2, default: 2, label: "scale J" }),
    spread: real({ min: 0.2, max: 2, default: 1, label: "spread of the drawn law" }),
    steps: integer({ min: 1, max: 12, default: 6, label: "steps of the chain" }),
  },
  claims: {
    "|E S - y|": equals("0"),
    "H(q) of the drawn law with the same means": atMost(String.raw`H(p_\theta)`),
    "H(p) - H(q)": equals(String.raw`\operatorname{KL}(q \| p_\theta)`),
    "slope of log Z along a direction": equals(String.raw`\langle \mathbb E S, d \rangle`),
    "p of a signal over p of its shift": equals("1"),
    "mean of <d, S> over chains that start in p, less its expectation, in its deviations": equals("0"),
  },
  mutants: {
    "the wrong sign of θ": { "slope of log Z along a direction": (_, { theory }) => -theory },
    "entropy in bits": { "H(p) - H(q)": (_, { theory }) => theory / Math.LN2 },
    "entropy of half of the states": {
      "H(q) of the drawn law with the same means": (_, { theory }) => theory - Math.LN2,
    },
  },
  async run({ n, J, spread, steps }, { random, budget }) {
    const states = statesOf(n, J);
    const { rows, columns, entries } = states;
    const drawn = Float64Array.from({ length: rows }, () => Math.exp(spread * random.normal()));
    const total = drawn.reduce((a, b) => a + b, 0);
    const q = drawn.map((v) => v / total);
    const wanted = new Float64Array(columns);
    q.forEach((v, i) => {
      for (let k = 0; k < columns; k++) wanted[k]! += v * entries[i * columns + k]!;
    });
    const model = await gibbsModel(states, wanted);
    const { theta, probabilities: p } = model;
    const divergence = q.reduce((sum, v, i) => sum + v * Math.log(v / p[i]!), 0);
    const d = random.normal(columns);
    const h = 1e-5;
    const [up, down] = [h, -h].map(
      (t) =>
        gibbsLaw(
          states,
          theta.map((v, k) => v + t * d[k]!),
        ).logPartition,
    );
    const along = (i: number): number => d.reduce((sum, v, k) => sum + v * entries[i * columns + k]!, 0);
    const state = random.integer(0, rows - 1);
    const shifted = ((state << 1) | (state >> (n - 1))) & (rows - 1);
    // Each chain starts in a state drawn from p: if p is kept, so is where it ends, and the ends are independent.
    const chains = 400;
    const propose = (from: number, stream: typeof random): number => from ^ (1 << stream.integer(0, n - 1));
    const ends = Float64Array.from({ length: chains }, () =>
      along(metropolis(states, theta, drawnFrom(p, random.uniform()), { steps, random, propose })),
    );
    const expected = d.reduce((sum, v, k) => sum + v * model.moments[k]!, 0);
    const variance = p.reduce((sum, v, i) => sum + v * (along(i) - expected) ** 2, 0);
    const size = norm(wanted) * norm(d);
    return {
      ...(budget !== "cheap" && { figure: await figure() }),
      claims: {
        "|E S - y|": checked(distance(model.moments, wanted), 0, { tolerance: 1e-9 * (1 + norm(wanted)) }),
        "H(q) of the drawn law with the same means": checked(entropy(q), entropy(p), {
          tolerance: 1e-12 * n,
        }),
        // log p is linear in S: <theta, E_q S - y> is what rounding of the moments leaves of it.
        "H(p) - H(q)": checked(entropy(p) - entropy(q), divergence, {
          tolerance: 1e-9 * (1 + norm(theta) * (1 + norm(wanted))),
        }),
        // Differences err by h^2 times a third moment of <d, S>, which is below |d|^3 (2 n)^3, and rounding over h.
        "slope of log Z along a direction": checked((up! - down!) / 2 / h, expected, {
          tolerance: 1e-10 * (1 + size) * (1 + norm(theta)) * 10 + h ** 2 * (norm(d) * Math.sqrt(n)) ** 3,
        }),
        "p of a signal over p of its shift": checked(p[state]! / p[shifted]!, 1, {
          tolerance: 1e-11 * (1 + norm(theta) * Math.sqrt(n)),
        }),
        "mean of <d, S> over chains that start in p, less its expectation, in its deviations": sampled(
          (mean(ends) - expected) / Math.sqrt(variance / chains),
          0,
          { tolerance: 6 },
        ),
      },
    };
  },
});

/** S of each of the 2^n signals: the mean, and the means of |x * psi| and of order 2. */
function statesOf(n: number, J: number): Matrix {
  const bank = battleLemarieBank({ length: n, scale: J });
  const rows = Array.from({ length: 2 ** n }, (_, bits) => {
    const x = Float64Array.from({ length: n }, (__, u) => ((bits >> u) & 1 ? 1 : -1));
    return propagate(x, bank).map(({ propagated }) => mean(propagated));
  });
  return { rows: rows.length, columns: rows[0]!.length, entries: Float64Array.from(rows.flat()) };
}

const entropy = (p: Float64Array): number => p.reduce((sum, v) => sum - (v > 0 ? v * Math.log(v) : 0), 0);

function drawnFrom(p: Float64Array, uniform: number): number {
  let sum = 0;
  const found = p.findIndex((v) => {
    sum += v;
    return uniform < sum;
  });
  return found < 0 ? p.length - 1 : found;
}

/** With more samples the model with means of S is more and more one on the signals with S near them. */
async function figure(): Promise<Figure> {
  const sizes = [4, 5, 6, 7, 8, 9, 10];
  const points: (readonly [number, number])[] = [];
  const thetas: (readonly [number, number])[] = [];
  for (const n of sizes) {
    const states = statesOf(n, 1);
    const { columns, entries } = states;
    // The statistics of Gibbs's law of a chain of spins that like to agree.
    const energies = Float64Array.from({ length: states.rows }, (_, bits) => {
      let sum = 0;
      for (let u = 0; u < n; u++) sum += ((bits >> u) & 1) === ((bits >> ((u + 1) % n)) & 1) ? 0.5 : -0.5;
      return Math.exp(sum);
    });
    const total = energies.reduce((a, b) => a + b, 0);
    const wanted = Float64Array.from({ length: columns }, (_, k) =>
      energies.reduce((sum, v, i) => sum + (v / total) * entries[i * columns + k]!, 0),
    );
    const { probabilities, theta } = await gibbsModel(states, wanted);
    const spread = probabilities.reduce((sum, v, i) => {
      const off = wanted.reduce((square, w, k) => square + (entries[i * columns + k]! - w) ** 2, 0);
      return sum + v * off;
    }, 0);
    points.push([n, Math.sqrt(spread)]);
    thetas.push([n, norm(theta) / n]);
  }
  return {
    title: "Macrocanonical models of spins that like to agree",
    panels: [
      {
        title: "How far S is from its mean",
        x: { label: "samples n" },
        y: { label: "deviation of S" },
        series: [{ name: "deviation", mark: "line", points }],
      },
      {
        title: "The multipliers, a sample",
        x: { label: "samples n" },
        y: { label: "|θ| / n" },
        series: [{ name: "|θ| / n", mark: "line", points: thetas }],
      },
    ],
  };
}
