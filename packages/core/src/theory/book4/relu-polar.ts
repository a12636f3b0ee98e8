import type { Figure, Panel } from "../../figure/figure.ts";
import { reluPolar } from "../../landscape/certificate/relu-polar.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "C4-19",
  covers: ["C4-19"],
  kind: "algorithm",
  title: "The neuron that the data ask for most: the polar problem, bounded from both sides",
  source: "Book, chapter 4, (4.43) and Theorem 4.9, for ReLU subnetworks",
  statement: String.raw`\Omega^\circ(Q) = \max_{\|v\| = 1} \Bigl\| \sum_i Q_i \operatorname{ReLU}(\langle v, x_i \rangle) \Bigr\|_2`,
  parameters: {
    d: integer({ min: 1, max: 3, default: 2, label: "inputs" }),
    m: integer({ min: 2, max: 16, default: 8, label: "examples" }),
    outputs: integer({ min: 1, max: 2, default: 1, label: "outputs" }),
  },
  claims: {
    "upper bound over lower bound": atMost("1 + 10^{-2}"),
    "lower bound, by sectors (one output, up to two inputs)": equals("the maximum"),
    "upper bound": atLeast("the value at random neurons"),
    "the catalogue's instance": equals(String.raw`\sqrt 5`),
  },
  mutants: {
    "inactive examples count too": {
      "the catalogue's instance": () => Math.hypot(1 - 2 + 0.5 - 0.5, -1 + 2 - 1 - 0.25),
    },
    "an example lost": ({ m }) => ({ m: m - 1 }),
    "the two bounds agree exactly": { "upper bound over lower bound": () => 0.999 },
  },
  run({ d, m, outputs }, { random, scale, budget }) {
    const x = Array.from({ length: m }, (_, i) => random.split(`x ${i}`).normal(d));
    const q = Array.from({ length: outputs }, (_, k) => random.split(`q ${k}`).normal(m));
    const { lower, upper } = reluPolar(x, q, { tolerance: 1e-2, cones: 20_000 });
    const seen = Array.from({ length: scale(500) }, (_, k) =>
      valueAt(x, q, random.split(`v ${k}`).sphere(d)),
    );
    const known = reluPolar(
      [
        [1, 0],
        [0, 1],
        [-1, 1],
        [1, -2],
        [2, 1],
      ].map((row) => Float64Array.from(row)),
      [Float64Array.of(1, -1, 2, 0.5, -0.25)],
    );
    // The bounds' own allowance for rounding: they end within the tolerance and a few of it.
    const sizes = q.map((row) => row.reduce((sum, w, i) => sum + Math.abs(w) * Math.hypot(...x[i]!), 0));
    const slack = 5 * (d + m + 8) * 2 ** -52 * Math.hypot(...sizes);
    const exact = outputs === 1 && d <= 2 ? bySectors(x, q[0]!) : undefined;
    return {
      ...(budget !== "cheap" && { figure: figure(x, q) }),
      claims: {
        "upper bound over lower bound": checked(upper / lower, 1 + 1e-2 + slack / lower),
        ...(exact !== undefined && {
          "lower bound, by sectors (one output, up to two inputs)": checked(
            reluPolar(x, q, { tolerance: 1e-8 }).lower,
            exact,
            { tolerance: 1e-8 * exact + slack },
          ),
        }),
        "upper bound": checked(upper, Math.max(...seen)),
        "the catalogue's instance": checked(known.lower, Math.sqrt(5), {
          tolerance: 1e-9 * Math.sqrt(5) + 1e-12,
        }),
      },
    };
  },
});

function valueAt(x: readonly Float64Array[], q: readonly Float64Array[], v: Float64Array): number {
  const active = x.map((row) =>
    Math.max(
      0,
      row.reduce((sum, a, c) => sum + a * v[c]!, 0),
    ),
  );
  return Math.hypot(...q.map((row) => row.reduce((sum, w, i) => sum + w * active[i]!, 0)));
}

/** Both bounds by the number of cones; in the plane the value at every angle too. */
function figure(x: readonly Float64Array[], q: readonly Float64Array[]): Figure {
  const d = x[0]!.length;
  const counts = Array.from({ length: 10 }, (_, k) => 2 ** (d + k));
  const bounds = counts.map((cones) => reluPolar(x, q, { cones, tolerance: 1e-12 }));
  const best = bounds.at(-1)!;
  const closing: Panel = {
    title: `Around ${best.lower.toPrecision(5)}`,
    x: { label: "cones looked at, at most", scale: "log" },
    y: { label: "upper / lower - 1", scale: "log" },
    series: [
      {
        name: "gap",
        mark: "dots",
        points: bounds.map(
          ({ lower, upper }, k) => [counts[k]!, Math.max(1e-16, upper / lower - 1)] as const,
        ),
      },
    ],
  };
  const angles = Array.from({ length: 361 }, (_, k) => ((k - 180) * Math.PI) / 180);
  const values = angles.map((t) => [t, valueAt(x, q, Float64Array.of(Math.cos(t), Math.sin(t)))] as const);
  const round: Panel = {
    title: "What the data ask of a neuron",
    x: { label: "angle of v" },
    y: { label: "|Σ Q_i relu(⟨v, x_i⟩)|" },
    series: [
      { name: "value", mark: "line", points: values },
      {
        name: "neuron that was found",
        mark: "dots",
        role: "theory",
        points: [[Math.atan2(best.neuron[1] ?? 0, best.neuron[0]!), best.lower]],
      },
    ],
  };
  return {
    title: "The polar problem, bounded from both sides",
    panels: d === 2 ? [round, closing] : [closing],
  };
}

/** The plane cut at every kink: in a sector the sum is <c, v>, greatest at c / |c| or at an end. */
function bySectors(x: readonly Float64Array[], q: Float64Array): number {
  if (x[0]!.length === 1) return Math.max(...[1, -1].map((s) => valueAt(x, [q], Float64Array.of(s))));
  const kinks = x
    .flatMap(([a, b]) => [Math.atan2(b!, a!) + Math.PI / 2, Math.atan2(b!, a!) - Math.PI / 2])
    .map((t) => (t + 4 * Math.PI) % (2 * Math.PI))
    .sort((a, b) => a - b);
  let best = 0;
  kinks.forEach((from, k) => {
    const to = kinks[k + 1] ?? kinks[0]! + 2 * Math.PI;
    const middle = (from + to) / 2;
    const at = (t: number) => Float64Array.of(Math.cos(t), Math.sin(t));
    const active = x.map((row) => (row[0]! * Math.cos(middle) + row[1]! * Math.sin(middle) > 0 ? 1 : 0));
    const c = [0, 1].map((j) => x.reduce((sum, row, i) => sum + active[i]! * q[i]! * row[j]!, 0));
    for (const sign of [1, -1]) {
      const angle = (Math.atan2(sign * c[1]!, sign * c[0]!) + 4 * Math.PI) % (2 * Math.PI);
      const isInside = [angle, angle + 2 * Math.PI].some((t) => t >= from && t <= to);
      if (isInside) best = Math.max(best, Math.hypot(...c));
    }
    best = Math.max(best, valueAt(x, [q], at(from)));
  });
  return best;
}
