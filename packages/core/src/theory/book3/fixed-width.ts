import {
  type AffineFunction,
  maxMinString,
  registerMachine,
  staircaseString,
} from "../../discrete/representation/fixed-width.ts";
import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import type { Random } from "../../numbers/random.ts";
import { sizes } from "../../passes/sizes.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { greatestError, grid, valuesAt } from "../line.ts";
import { integer, real } from "../parameter.ts";

/** Sixteenths: sums of few products of them are exact. */
const sixteenth = (random: Random): number => random.integer(-32, 32) / 16;
const randomAffine = (random: Random, d: number): AffineFunction => ({
  weights: Array.from({ length: d }, () => sixteenth(random)),
  bias: sixteenth(random),
});
const affineValue = ({ weights, bias }: AffineFunction, x: readonly number[]): number =>
  weights.reduce((sum, w, k) => sum + w * x[k]!, bias);

async function difference(
  graph: Graph,
  points: readonly (readonly number[])[],
  f: (x: readonly number[]) => number,
): Promise<number> {
  const y = numbers((await run(graph, { x: tensor(points.map((p) => [...p])) })).y!);
  return points.reduce((most, p, k) => Math.max(most, Math.abs(y[k]! - f(p))), 0);
}

const tent = (x: number): number => 1 - Math.abs(2 * x - 1);

/** The distance of a network of width 1 from the tent, at the three points that decide. */
async function narrowDistance(random: Random, layers: number): Promise<number> {
  const small = (): number => random.normal() / 8;
  const chain = Array.from({ length: layers }, () => layer([[small()]], [Math.abs(small())]));
  const narrow = network([...chain, layer([[small()]], [1 / 2 + small() / 8])]);
  return greatestError(narrow, [0, 1 / 2, 1], tent);
}

export default lemma({
  id: "C3-11",
  covers: ["C3-11"],
  kind: "construction",
  title: "Width d + 1 is enough, if depth is free",
  source: "Book, section 3.3 (Hanin and Sellke, Hanin, Lu et al.)",
  statement: String.raw`\max(y, \ell(x)) = \ell(x) + \varrho(y - \ell(x)): \qquad \sup_{[0,1]} |\Phi_N - f| \le 2 \, |f|_{\mathrm{Lip}} / N, \quad \text{width } d + 1 = 2, \; 2N \text{ hidden layers}`,
  parameters: {
    N: integer({ min: 1, max: 60, default: 20, label: "steps N" }),
    a: real({ min: 1, max: 20, default: 6, label: "frequency of f = sin(a x)" }),
    d: integer({ min: 1, max: 4, default: 2, label: "inputs d" }),
    units: integer({ min: 1, max: 12, default: 6, label: "units of the shallow network" }),
  },
  claims: {
    "string of f = sin(a x), sup error": atMost("2a / N"),
    "string of f = a x, sup error": equals("2a / N"),
    "string, greatest width": equals("d + 1 = 2"),
    "string, hidden layers": equals("2N"),
    "maxima and minima of affine functions, difference": equals("0"),
    "maxima and minima, greatest width": equals("d + 1"),
    "register machine and shallow network, difference": equals("0"),
    "register machine, greatest width": equals("d + 2"),
    "register machine, hidden layers": equals(String.raw`\text{units}`),
    "width 1, distance from the tent": atLeast(String.raw`\tfrac12`),
    "width that the tent needs, d = 1": atLeast("d").loose({
      where: "section 3.3, after (3.2)",
      printed: String.raw`The necessary width for ReLU neural networks to yield universal approximators is bounded from below by  $d$ .`,
      corrected: String.raw`by $d + 1$: width $d$ is not enough (Hanin and Sellke; the same chapter says so later), for $d = 1$ because such networks are monotone`,
    }),
  },
  mutants: {
    "half a step": { "string of f = a x, sup error": ({ N, a }) => a / N },
    "a unit too few": { "register machine, greatest width": ({ d }) => d + 1 },
    "a step lost": ({ N }) => ({ N: N - 1 }),
  },
  async run({ N, a, d, units }, { random, budget }) {
    const wave = (x: number): number => Math.sin(a * x);
    const string = staircaseString(wave, a, N);
    const at = grid(8 * N);
    const points = Array.from({ length: 64 }, () =>
      Array.from({ length: d }, () => random.integer(0, 64) / 64),
    );
    const start = randomAffine(random, d);
    const steps = Array.from({ length: units }, () => ({
      kind: random.uniform() < 0.5 ? ("max" as const) : ("min" as const),
      of: randomAffine(random, d),
    }));
    const general = maxMinString(start, steps);
    const shallow = Array.from({ length: units }, () => ({
      coefficient: sixteenth(random),
      of: randomAffine(random, d),
    }));
    const registers = registerMachine(1 / 2, shallow);
    const widest = (graph: Graph): number => Math.max(...sizes(graph).widths.map((w) => w!));
    // Where the tent is met within 1/4 by width 2, width 1 stays at 1/2.
    const wide = await greatestError(staircaseString(tent, 2, 16), grid(128), tent);
    // Slopes of 8 a over N cells, added and taken away again 2 N times.
    const rounding = 64 * N * a * 2 ** -52;
    return {
      graph: string,
      figure: budget === "cheap" ? undefined : await figure(N, a),
      claims: {
        "string of f = sin(a x), sup error": sampled(await greatestError(string, at, wave), (2 * a) / N),
        "string of f = a x, sup error": sampled(
          await greatestError(
            staircaseString((x) => a * x, a, N),
            at,
            (x) => a * x,
          ),
          (2 * a) / N,
          { tolerance: rounding },
        ),
        "string, greatest width": checked(widest(string), 2),
        "string, hidden layers": checked(sizes(string).depth, 2 * N),
        "maxima and minima of affine functions, difference": sampled(
          await difference(general, points, (x) =>
            steps.reduce((y, { kind, of }) => Math[kind](y, affineValue(of, x)), affineValue(start, x)),
          ),
          0,
        ),
        "maxima and minima, greatest width": checked(widest(general), d + 1),
        "register machine and shallow network, difference": sampled(
          await difference(registers, points, (x) =>
            shallow.reduce(
              (y, { coefficient, of }) => y + coefficient * Math.max(0, affineValue(of, x)),
              1 / 2,
            ),
          ),
          0,
        ),
        "register machine, greatest width": checked(widest(registers), d + 2),
        "register machine, hidden layers": checked(sizes(registers).depth, units),
        "width 1, distance from the tent": sampled(await narrowDistance(random, units), 1 / 2),
        "width that the tent needs, d = 1": sampled(wide < 1 / 2 ? 2 : 3, 1),
      },
    };
  },
});

async function figure(N: number, a: number): Promise<Figure> {
  const points = grid(800);
  const f = (x: number): number => Math.sin(a * x);
  const values = await valuesAt(staircaseString(f, a, N), points);
  const sizesShown = [5, 10, 20, 40, 80];
  const errors = await Promise.all(
    sizesShown.map((n) => greatestError(staircaseString(f, a, n), grid(8 * n), f)),
  );
  return {
    title: "Maxima and minima of lines, two units a layer",
    panels: [
      {
        title: `${2 * N} hidden layers of width 2`,
        x: { label: "x" },
        y: { label: "value" },
        series: [
          { name: "network", mark: "line", points: points.map((x, k) => [x, values[k]!] as const) },
          {
            name: "theory: sin(a x)",
            mark: "line",
            role: "theory",
            points: points.map((x) => [x, f(x)] as const),
          },
        ],
      },
      {
        title: "Error against depth",
        x: { label: "hidden layers", scale: "log" },
        y: { label: "sup error", scale: "log" },
        series: [
          { name: "measured", mark: "dots", points: sizesShown.map((n, k) => [2 * n, errors[k]!] as const) },
          {
            name: "theory: 2 a / N",
            mark: "line",
            role: "theory",
            points: sizesShown.map((n) => [2 * n, (2 * a) / n] as const),
          },
        ],
      },
    ],
  };
}
