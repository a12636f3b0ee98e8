import type { Figure } from "../../figure/figure.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import { energy } from "../../scattering/energy.ts";
import { propagate, type Scattered } from "../../scattering/propagate.ts";
import { type SynthesisOptions, statistics, synthesize } from "../../scattering/synthesis.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { distance, mean, norm } from "./signals.ts";

export default lemma({
  id: "C8-23",
  covers: ["C8-23"],
  kind: "experiment",
  title: "Signals with the same first order and another second one: sparse ones have more of it",
  source: "Book, chapter 8, section 8.3.5, Figure 8.6",
  statement: String.raw`S_J[\Lambda^1] x_1 = S_J[\Lambda^1] x_2, \; x_1 \text{ sparse}: \quad \|x_1\|^2 - \|x_2\|^2 = \sum_{|p| = 2} \bigl(\|U[p] x_1\|^2 - \|U[p] x_2\|^2\bigr) > 0, \quad \frac{\operatorname{mean} S_J[\Lambda^2] x_1}{\operatorname{mean} S_J[\Lambda^2] x_2} > 1`,
  parameters: {
    k: integer({ min: 6, max: 7, default: 6, label: "samples, log2" }),
    jumps: integer({ min: 1, max: 2, default: 2, label: "jumps" }),
    kind: choice(["steps", "spikes"], { label: "the sparse signal" }),
  },
  claims: {
    "order 1 of the second signal, off by a share of": equals("0"),
    "|x₁|² - |x₂|²": equals(
      String.raw`\text{what goes on from orders 0 and 1, of } x_1 \text{ less of } x_2`,
    ),
    "|x₁|² / |x₂|²": atLeast("1"),
    "mean of order 2, x₁ over x₂": atLeast("1"),
  },
  mutants: {
    "a signal that is not matched": { "order 1 of the second signal, off by a share of": () => 0.05 },
    "the energy of order 1 left out": {
      "|x₁|² - |x₂|²": (_, { theory }) => 1.01 * theory + 0.01,
    },
    "ten times the order 2": { "mean of order 2, x₁ over x₂": () => 10 },
  },
  async run({ k, jumps, kind }, { random, budget }) {
    const n = 2 ** k;
    const { first, second, off } = await matched(n, jumps, kind, random);
    const bank = battleLemarieBank({ length: n, scale: k });
    const [one, two] = [first, second].map((x) => propagate(x, bank, { paths: "all" })) as [
      readonly Scattered[],
      readonly Scattered[],
    ];
    const left = (all: readonly Scattered[]): number =>
      all.reduce(
        (sum, { wavelets, averaged, propagated }) =>
          sum + (wavelets.length < 2 ? energy(averaged) : energy(propagated)),
        0,
      );
    const order2 = (all: readonly Scattered[]): number =>
      mean(all.flatMap(({ wavelets, propagated }) => (wavelets.length === 2 ? [mean(propagated)] : [])));
    return {
      ...(budget !== "cheap" && { figure: await figure() }),
      claims: {
        "order 1 of the second signal, off by a share of": checked(off, 0, { tolerance: 1 / 100 }),
        "|x₁|² - |x₂|²": checked(energy(first) - energy(second), left(one) - left(two), {
          tolerance: 1e-11 * (energy(first) + energy(second)),
        }),
        "|x₁|² / |x₂|²": checked(energy(first) / energy(second), 1),
        "mean of order 2, x₁ over x₂": checked(order2(one) / order2(two), 1),
      },
    };
  },
});

/** A sparse signal, and one made from noise that has its averages of orders 0 and 1. */
async function matched(
  n: number,
  jumps: number,
  kind: string,
  random: { normal(): number; normal(count: number): Float64Array; integer(a: number, b: number): number },
) {
  const places = Array.from({ length: jumps }, () => random.integer(0, n - 1));
  const heights = places.map(() => 1 + Math.abs(random.normal()));
  const first = Float64Array.from({ length: n }, (_, u) =>
    places.reduce(
      (sum, place, i) =>
        sum + heights[i]! * (kind === "spikes" ? (u === place ? 1 : 0) : (u - place + n) % n < n / 4 ? 1 : 0),
      0,
    ),
  );
  const options: SynthesisOptions = {
    ...{ shape: [n], scale: Math.log2(n), order: 1, bank: "spline", padding: "none", type: "float64" },
    ...{ oversampling: 30, iterations: 60 },
  };
  const wanted = await statistics(first, options);
  const noise = random.normal(n);
  const start = noise.map((v) => mean(first) + (0.5 * v * norm(first)) / norm(noise));
  const { x: second } = await synthesize(wanted, start, options);
  const found = await statistics(second, options);
  return { first, second, off: distance(found, wanted) / norm(wanted) };
}

async function figure(): Promise<Figure> {
  const n = 64;
  const { createRandom } = await import("../../numbers/random.ts");
  const { first, second } = await matched(n, 2, "steps", createRandom("figure"));
  const bank = battleLemarieBank({ length: n, scale: 6 });
  const of = (x: Float64Array, order: number): readonly (readonly [number, number])[] =>
    propagate(x, bank)
      .filter(({ wavelets }) => wavelets.length === order)
      .map(({ propagated }, p) => [p, mean(propagated)] as const);
  const both = (
    title: string,
    label: string,
    points: (x: Float64Array) => readonly (readonly [number, number])[],
  ) => ({
    title,
    x: { label },
    y: { label: "value" },
    series: [
      { name: "steps", mark: "line" as const, points: points(first) },
      { name: "from noise", mark: "line" as const, points: points(second) },
    ],
  });
  return {
    title: "Two signals with the same averages of order 1",
    panels: [
      both("Signals", "u", (x) => Array.from(x, (v, u) => [u, v] as const)),
      both("Order 1", "j", (x) => of(x, 1)),
      both("Order 2", "path", (x) => of(x, 2)),
    ],
  };
}
