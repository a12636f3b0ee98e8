import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import {
  compose,
  concatenate,
  deepen,
  identity,
  linearCombination,
  parallel,
  power,
  scaleInput,
  scaleOutput,
  share,
} from "../../networks/calculus/calculus.ts";
import { complexity, layersOf } from "../../networks/layers/layers.ts";
import { nonzeros } from "../../networks/layers/matrix.ts";
import { dyadicPoints, randomNetwork } from "../../networks/layers/random.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const L = (graph: Graph): number => complexity(graph).layers;
const M = (graph: Graph): number => complexity(graph).weights;
const lastM = (graph: Graph): number => complexity(graph).weightsByLayer.at(-1)!;
const firstW = (graph: Graph): number => nonzeros(layersOf(graph).layers[0]!.weights.values);
const bias = (graph: Graph): Float64Array => layersOf(graph).layers.at(-1)!.bias;
const lastBias = (graph: Graph): number => nonzeros(bias(graph));
const coefficients = [2, -0.5] as const;
const combinedBias = (f: Graph, g: Graph): Float64Array =>
  bias(f).map((b, k) => coefficients[0] * b + coefficients[1] * bias(g)[k]!);

export default lemma({
  id: "C3-03",
  covers: ["C3-03"],
  kind: "construction",
  title: "The calculus of networks",
  source: "Book, Section 3.1 (Petersen and Voigtlaender 2018, Section 2)",
  statement: String.raw`\Phi^1 \odot \Phi^2: \; L = L_1 + L_2, \quad M = M(\Phi^1) + \|W^{[1]}(\Phi^1)\|_0 + M(\Phi^2) + M_{L_2}(\Phi^2) \le 2 M(\Phi^1) + 2 M(\Phi^2)`,
  parameters: {
    d: integer({ min: 1, max: 4, default: 2, label: "dimension" }),
    n: integer({ min: 1, max: 8, default: 4, label: "width" }),
    L1: integer({ min: 1, max: 4, default: 2, label: "affine maps of the outer network" }),
    L2: integer({ min: 1, max: 4, default: 3, label: "affine maps of the inner network" }),
  },
  claims: {
    "composition, layers": equals("L_1 + L_2 - 1"),
    "composition, change of the function": equals("0"),
    "sparse concatenation, layers": equals("L_1 + L_2"),
    "sparse concatenation, weights": equals(
      String.raw`M(\Phi^1) + \|W^{[1]}(\Phi^1)\|_0 + M(\Phi^2) + M_{L_2}(\Phi^2)`,
    ),
    "sparse concatenation, at most": atMost(String.raw`2 M(\Phi^1) + 2 M(\Phi^2)`),
    "sparse concatenation, change of the function": equals("0"),
    "associativity, change of the function": equals("0"),
    "identity, weights": equals("2 d L"),
    "identity, change of the function": equals("0"),
    "identity for nonnegative values, weights": equals("d L"),
    "depth padding, weights": equals("M + M_L + 2 d (L' - L)"),
    "depth padding at the input, weights": equals(String.raw`M + \|W^{[1]}\|_0 + 2 d (L' - L)`),
    "depth padding, change of the function": equals("0"),
    "parallel, weights": equals(String.raw`\sum_i M(\Phi^i)`),
    "parallel, change of the function": equals("0"),
    "shared input, weights": equals(String.raw`\sum_i M(\Phi^i)`),
    "linear combination, weights": equals(
      String.raw`\sum_i (M(\Phi^i) - \|b^{[L]}(\Phi^i)\|_0) + \|\textstyle\sum_i c_i b^{[L]}(\Phi^i)\|_0`,
    ),
    "linear combination, change of the function": equals("0"),
    "third iterate, layers": equals("3 (L_1 - 1) + 1"),
    "changes of variables, change of the function": equals("0"),
    "merges that rounded": equals("0"),
  },
  mutants: {
    "the joint map counted twice": { "composition, layers": ({ L1, L2 }) => L1 + L2 },
    "the inner network's last layer not doubled": {
      "sparse concatenation, weights": ({ d, n, L2 }, { theory }) => theory - d * (L2 === 1 ? d : n),
    },
    "one unit for each coordinate, whatever its sign": { "identity, weights": ({ d, L1 }) => d * (L1 + 1) },
  },
  async run({ d, n, L1, L2 }, { random, scale, progress }) {
    const draw = (label: string, layers: number): Graph =>
      randomNetwork(random.split(label), [d, ...Array<number>(layers - 1).fill(n), d], { denominator: 2 });
    const [f, g, h] = [draw("f", L1), draw("g", L2), draw("h", 2)];
    const depth = Math.max(L1, L2) + 1;
    const [composed, sparse] = [compose(f, g), concatenate(f, g)];
    const [deepF, deepG] = [deepen(f, depth), deepen(g, depth)];
    const [side, both] = [parallel(deepF, deepG), share(deepF, deepG)];
    const combined = linearCombination(coefficients, [deepF, deepG]);
    const associated = [compose(compose(f, g), h), compose(f, compose(g, h))] as const;
    const scaled = scaleOutput(scaleInput(f, 0.5, 0.25), -2, 1);
    const one = identity(d, L1 + 1);
    const merged = [composed, combined, scaled, ...associated];
    await progress(0.5);
    const points = dyadicPoints(random.split("points"), scale(100), d);
    const change = await changes(points, d, {
      composition: [at(composed), (x) => at(f)(at(g)(x))],
      sparse: [at(sparse), (x) => at(f)(at(g)(x))],
      associativity: [at(associated[0]), at(associated[1])],
      identity: [at(one), (x) => x],
      padding: [at(deepF), at(f)],
      parallel: [(x) => at(side)(x.concat([x], 1)), (x) => at(f)(x).concat([at(g)(x)], 1)],
      combination: [at(combined), (x) => at(f)(x).mul(coefficients[0]).add(at(g)(x).mul(coefficients[1]))],
      variables: [at(scaled), (x) => at(f)(x.mul(0.5).add(0.25)).mul(-2).add(1)],
    });
    return {
      graph: sparse,
      figure: figure(f, g, [composed, sparse]),
      claims: {
        "composition, layers": checked(L(composed), L1 + L2 - 1),
        "composition, change of the function": sampled(change.composition, 0),
        "sparse concatenation, layers": checked(L(sparse), L1 + L2),
        "sparse concatenation, weights": checked(M(sparse), M(f) + firstW(f) + M(g) + lastM(g)),
        "sparse concatenation, at most": checked(M(sparse), 2 * M(f) + 2 * M(g)),
        "sparse concatenation, change of the function": sampled(change.sparse, 0),
        "associativity, change of the function": sampled(change.associativity, 0),
        "identity, weights": checked(M(one), 2 * d * (L1 + 1)),
        "identity, change of the function": sampled(change.identity, 0),
        "identity for nonnegative values, weights": checked(
          M(identity(d, L1, { nonnegative: true })),
          d * L1,
        ),
        "depth padding, weights": checked(M(deepF), M(f) + lastM(f) + 2 * d * (depth - L1)),
        "depth padding at the input, weights": checked(
          M(deepen(f, depth, { side: "input" })),
          M(f) + firstW(f) + 2 * d * (depth - L1),
        ),
        "depth padding, change of the function": sampled(change.padding, 0),
        "parallel, weights": checked(M(side), M(deepF) + M(deepG)),
        "parallel, change of the function": sampled(change.parallel, 0),
        "shared input, weights": checked(M(both), M(deepF) + M(deepG)),
        "linear combination, weights": checked(
          M(combined),
          M(deepF) - lastBias(deepF) + M(deepG) - lastBias(deepG) + nonzeros(combinedBias(deepF, deepG)),
        ),
        "linear combination, change of the function": sampled(change.combination, 0),
        "third iterate, layers": checked(L(power(f, 3)), 3 * (L1 - 1) + 1),
        "changes of variables, change of the function": sampled(change.variables, 0),
        "merges that rounded": checked(merged.filter((m) => !layersOf(m).exact).length, 0),
      },
    };
  },
});

type RealMap = (x: Value) => Value;

/** A network as a function of values, to write what it should be next to what was built. */
const at =
  (network: Graph): RealMap =>
  (x) =>
    x.builder.inline(network, { x })["y"]!;

/** The greatest difference of each pair of functions at the points, all in one graph. */
async function changes<K extends string>(
  points: Float64Array,
  d: number,
  pairs: Readonly<Record<K, readonly [RealMap, RealMap]>>,
): Promise<Readonly<Record<K, number>>> {
  const named = Object.entries<readonly [RealMap, RealMap]>(pairs);
  const differences = graph({ x: float64("N", d) }, ({ x }) =>
    Object.fromEntries(named.map(([name, [built, meant]]) => [name, built(x).sub(meant(x))])),
  );
  const outputs = await run(differences, { x: tensor(points, { dims: [points.length / d, d] }) });
  const sizes = named.map(([name]) => {
    const difference = Array.from(numbers(outputs[name]!), Math.abs);
    return [name, difference.reduce((a, b) => Math.max(a, b))];
  });
  return Object.fromEntries(sizes) as Record<K, number>;
}

function figure(f: Graph, g: Graph, [composed, sparse]: readonly [Graph, Graph]): Figure {
  const byLayer = (graph: Graph) => complexity(graph).weightsByLayer.map((m, l) => [l + 1, m] as const);
  return {
    title: `Outer network ${M(f)} weights, inner network ${M(g)} weights`,
    panels: [
      {
        title: "Weights by layer",
        x: { label: "layer" },
        y: { label: "weights that are not zero" },
        series: [
          {
            name: `merged: ${M(composed)} in ${L(composed)} layers`,
            mark: "line",
            points: byLayer(composed),
          },
          { name: `sparse: ${M(sparse)} in ${L(sparse)} layers`, mark: "line", points: byLayer(sparse) },
        ],
      },
    ],
  };
}
