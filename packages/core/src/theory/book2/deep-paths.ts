import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Layer } from "../../networks/layers/layered.ts";
import { layersOf, network } from "../../networks/layers/layers.ts";
import { randomNetwork } from "../../networks/layers/random.ts";
import { decomposePaths } from "../../networks/path-decomposition.ts";
import type { Random } from "../../numbers/random.ts";
import { pathNorms } from "../../passes/path-norm.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "C2-11",
  covers: ["C2-11", "C2-12"],
  kind: "algorithm",
  title: "A ReLU network, path by path",
  source: "Book, chapter 2, equation (2.1) and footnote 1",
  statement: String.raw`z_k^{[L]}(X, w) = [\bar X \circ \bar\sigma(X, w)]^\top \bar w_k, \qquad \bar w_{k,j} = \prod_{\text{edges of path } j} w_e; \qquad \|\bar w_k\|_2^2 = e_k^\top W_L^{\circ 2} \cdots W_1^{\circ 2} \mathbf 1`,
  parameters: {
    inputs: integer({ min: 1, max: 4, default: 3, label: "inputs n_0" }),
    width: integer({ min: 1, max: 6, default: 4, label: "units of a hidden layer" }),
    layers: integer({ min: 2, max: 4, default: 3, label: "layers L" }),
  },
  claims: {
    "output - sum over paths": equals("0"),
    "number of paths": atMost(String.raw`n_0 n_1 \cdots n_{L-1}`),
    "path 1-norm in one pass": equals(String.raw`\sum_j |\bar w_{1,j}|`),
    "path 2-norm in one pass": equals(String.raw`(\sum_j \bar w_{1,j}^2)^{1/2}`),
    "paths in one pass": equals(String.raw`|\{j : \bar w_{1,j} \ne 0\}|`),
    "path 1-norm, units scaled": equals("path 1-norm"),
    "squared path 2-norms of all outputs": atMost(String.raw`\prod_l \|W^{[l]}\|_F^2`),
    "slope between points": atMost(String.raw`\|\bar w_1\|_1`),
  },
  mutants: {
    "a layer not counted": {
      "number of paths": ({ inputs, width, layers }) => inputs * width ** (layers - 2),
    },
    "norms not squared": { "squared path 2-norms of all outputs": (_, { theory }) => Math.sqrt(theory) },
    "a layer lost": ({ layers }) => ({ layers: layers - 1 }),
  },
  async run({ inputs, width, layers }, { random, scale, budget }) {
    const hidden = Array.from({ length: layers - 1 }, () => width);
    // Short dyadic weights and inputs: all sums below are exact.
    const net = randomNetwork(random, [inputs, ...hidden, 2], { density: 1, denominator: 8 });
    const own = layersOf(net).layers.map(({ weights }) => ({
      weights,
      bias: new Float64Array(weights.rows),
    }));
    const linear = network(own);
    const x = Float64Array.from({ length: inputs }, () => random.integer(-16, 16) / 16);
    const { paths, gated } = decomposePaths(net, x);
    const withoutBiases = decomposePaths(linear, x).paths;
    const [norms, pure] = [await pathNorms(net), await pathNorms(linear)];
    const scaled = network(rescaled(layersOf(net).layers, random));
    const y = await firstOutput(net, x);
    return {
      graph: net,
      ...(budget === "cheap"
        ? {}
        : {
            figure: pathFigure(
              paths.map((p) => p.weight),
              gated,
            ),
          }),
      claims: {
        "output - sum over paths": checked(y - paths.reduce((s, p, j) => s + p.weight * gated[j]!, 0), 0),
        "number of paths": checked(withoutBiases.length, inputs * width ** (layers - 1)),
        "path 1-norm in one pass": checked(
          norms.norm1[0]!,
          paths.reduce((s, p) => s + Math.abs(p.weight), 0),
        ),
        "path 2-norm in one pass": checked(
          norms.norm2[0]!,
          Math.sqrt(paths.reduce((s, p) => s + p.weight ** 2, 0)),
        ),
        "paths in one pass": checked(norms.count[0]!, paths.length),
        "path 1-norm, units scaled": checked((await pathNorms(scaled)).norm1[0]!, norms.norm1[0]!),
        "squared path 2-norms of all outputs": checked(
          pure.norm2.reduce((s, v) => s + v ** 2, 0),
          own.reduce((product, { weights }) => product * weights.values.reduce((s, v) => s + v * v, 0), 1),
          { tolerance: 1e-12 * pure.norm2.reduce((s, v) => s + v ** 2, 0) }, // squares of rounded roots
        ),
        "slope between points": sampled(await steepest(net, inputs, scale(500), random), pure.norm1[0]!, {
          tolerance: 1e-9 * pure.norm1[0]!, // quotients of rounded numbers
        }),
      },
    };
  },
});

/** Each hidden unit times 2^k, its outgoing weights by 2^-k. */
function rescaled(layers: readonly Layer[], random: Random): readonly Layer[] {
  let before = new Float64Array(layers[0]!.weights.columns).fill(1);
  return layers.map(({ weights, bias }, l) => {
    const isLast = l === layers.length - 1;
    const factors = Float64Array.from({ length: weights.rows }, () =>
      isLast ? 1 : 2 ** random.integer(-3, 3),
    );
    const values = weights.values.slice();
    for (let row = 0; row < weights.rows; row++)
      for (let k = weights.starts[row]!; k < weights.starts[row + 1]!; k++)
        values[k]! *= factors[row]! / before[weights.columnOf[k]!]!;
    before = factors;
    return { weights: { ...weights, values }, bias: bias.map((b, row) => b * factors[row]!) };
  });
}

async function firstOutput(net: Graph, x: Float64Array): Promise<number> {
  const { y } = await run(net, { x: tensor(x, { dims: [1, x.length] }) });
  return Number(numbers(y!)[0]);
}

/** The greatest |f(x) - f(x')| / max_i |x_i - x'_i| that was seen. */
async function steepest(net: Graph, inputs: number, pairs: number, random: Random): Promise<number> {
  const points = random.normal(2 * pairs * inputs);
  // A pair goes along a diagonal, the steepest way where a unit is on.
  for (let k = 0; k < pairs; k++)
    for (let i = 0; i < inputs; i++)
      points[(2 * k + 1) * inputs + i] =
        points[2 * k * inputs + i]! + (random.integer(0, 1) === 0 ? -1 : 1) / 8;
  const { y } = await run(net, { x: tensor(points, { dims: [2 * pairs, inputs] }) });
  const values = numbers(y!);
  let most = 0;
  for (let k = 0; k < pairs; k++) {
    let distance = 0;
    for (let i = 0; i < inputs; i++)
      distance = Math.max(
        distance,
        Math.abs(points[2 * k * inputs + i]! - points[(2 * k + 1) * inputs + i]!),
      );
    most = Math.max(most, Math.abs(Number(values[4 * k]) - Number(values[4 * k + 2])) / distance);
  }
  return most;
}

/** Path weights in the order of their size; those that are open at x stand out. */
function pathFigure(weights: readonly number[], gated: Float64Array): Figure {
  const order = weights.map((_, j) => j).sort((a, b) => Math.abs(weights[b]!) - Math.abs(weights[a]!));
  const points = (isOpen: boolean): (readonly [number, number])[] =>
    order.flatMap((j, rank) =>
      (gated[j] !== 0) === isOpen ? [[rank + 1, Math.abs(weights[j]!)] as const] : [],
    );
  return {
    title: "The weights of all paths to an output",
    panels: [
      {
        title: "At one input, some gates are closed",
        x: { label: "path, by the size of its weight" },
        y: { label: "|weight|", scale: "log" },
        series: [
          { name: "open", mark: "dots", points: points(true) },
          { name: "closed, or from an input 0", mark: "dots", points: points(false) },
        ],
      },
    ],
  };
}
