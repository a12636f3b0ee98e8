import { treeNodes } from "../../compile/binary-tree.ts";
import { type Compiled, compile } from "../../compile/compile.ts";
import { evaluateFormula } from "../../compile/evaluate.ts";
import { parseFormula } from "../../compile/formula.ts";
import type { Random } from "../../engine/random.ts";
import { run } from "../../engine/run.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { compositionalFigure } from "./compositional-figure.ts";

type NodeName = keyof typeof treeNodes;
/** sup |d_1 g| + |d_2 g| on the interval of the node, made longer by e at both ends. */
const steepness: Readonly<Record<NodeName, (e: number) => number>> = {
  product: (e) => 2 * (1 + e),
  squares: (e) => 2 * (1 + e),
  wave: (e) => (2 * (1 + e) + 2) / 3,
};

export default lemma({
  id: "C3-28",
  covers: ["C3-28"],
  kind: "construction",
  title: "Networks of nodes, composed along a tree",
  source: "Book, chapter 3, Figure 3.6 (Poggio et al. 2017, Theorems 1, 2 and 4)",
  statement: String.raw`|\partial_1 g| + |\partial_2 g| \le \Lambda, \; \|g - \tilde g\|_\infty \le \delta: \qquad E_h \le \delta + \Lambda E_{h-1}, \quad E_k \le \delta \, \frac{\Lambda^k - 1}{\Lambda - 1}, \qquad M = (d-1)\, M_{\text{node}}, \; d = 2^k`,
  parameters: {
    node: choice(["wave", "product", "squares"], { label: "function at the nodes" }),
    k: integer({ min: 1, max: 5, default: 3, label: "levels k, d = 2^k" }),
    eps: real({ min: 1e-4, max: 0.1, default: 0.01, label: "error ε" }),
  },
  claims: {
    "certified error of the node": atMost(String.raw`\delta = \varepsilon (\Lambda - 1) / (\Lambda^k - 1)`),
    "sup error of the tree": atMost(String.raw`\delta (\Lambda^k - 1) / (\Lambda - 1)`),
    "sup error of the tree, a node that errs by δ upwards": atMost(
      String.raw`\delta (\Lambda^k - 1) / (\Lambda - 1)`,
    ),
    units: equals(String.raw`(d-1)\, N_{\text{node}}`),
    "nonzero weights": equals(String.raw`(d-1)\, M_{\text{node}}`),
    "hidden layers": equals(String.raw`\log_2(d)\, L_{\text{node}}`),
  },
  async run({ node: name, k, eps }, { random, scale, progress, budget }) {
    const d = 2 ** k;
    const node = await nodeNetwork(name, k, eps);
    await progress(0.3);
    const tree = composedTree(node.graph, d);
    const [own, whole] = [sizes(node.graph), sizes(tree)];
    const points = leaves(random, d, treeNodes[name].on, scale(4000));
    const exact = treeValues(name, points, d, 0);
    const computed = await valuesOf(tree, points, d);
    const { delta } = recursion(name, k, eps);
    // The arithmetic of the tree in doubles is part of the measurement: about 2^-50 at every node.
    const tolerance = (d - 1) * 2 ** -50;
    return {
      graph: tree,
      ...(budget === "cheap" ? {} : { figure: await compositionalFigure(name, eps, nodeNetwork, 5) }),
      claims: {
        "certified error of the node": proved(node.certificate.certifiedError, delta),
        "sup error of the tree": sampled(greatest(exact, computed), eps, { tolerance }),
        "sup error of the tree, a node that errs by δ upwards": sampled(
          greatest(exact, treeValues(name, points, d, delta)),
          eps,
          { tolerance },
        ),
        units: checked(whole.hiddenUnits!, (d - 1) * own.hiddenUnits!),
        "nonzero weights": checked(whole.nonzeros, (d - 1) * own.nonzeros),
        "hidden layers": checked(whole.depth, k * own.depth),
      },
    };
  },
});

/** Values of the tree leave the node's interval by at most eps, so Lambda is taken on the longer one. */
function recursion(name: NodeName, k: number, eps: number) {
  const L = steepness[name](eps);
  return { delta: (eps * (L - 1)) / (L ** k - 1) };
}

/** The node alone, within delta, where computed arguments may be. */
function nodeNetwork(name: NodeName, k: number, eps: number): Promise<Compiled> {
  const { formula, on } = treeNodes[name];
  const side = { lower: on[0] - eps, upper: on[1] + eps };
  const box = ["a", "b"].map((variable) => ({ name: variable, ...side }));
  return compile({ formula: formula("a", "b"), box, eps: recursion(name, k, eps).delta });
}

/** A copy of the node's network for every node of the tree. */
function composedTree(node: Graph, d: number): Graph {
  return graph({ x: float64("N", d) }, ({ x }) => {
    let level = Array.from({ length: d }, (_, j) => x.slice(1, j, j + 1));
    while (level.length > 1) {
      level = Array.from(
        { length: level.length / 2 },
        (_, j) => x.builder.inline(node, { x: level[2 * j]!.concat([level[2 * j + 1]!], 1) })["y"]!,
      );
    }
    return { y: level[0]! };
  });
}

/** Points of the cube, by rows; every eighth is a corner. */
function leaves(
  random: Random,
  d: number,
  [lower, upper]: readonly [number, number],
  count: number,
): Float64Array {
  return random.uniform(count * d).map((u, i) => {
    const isCorner = Math.floor(i / d) % 8 === 0;
    return lower + (upper - lower) * (isCorner ? Math.round(u) : u);
  });
}

/** The tree itself; every node errs by `error`. */
function treeValues(name: NodeName, points: Float64Array, d: number, error: number): Float64Array {
  const node = parseFormula(treeNodes[name].formula("a", "b"));
  let level = points;
  for (let width = d; width > 1; width /= 2) {
    const half = (offset: number) =>
      Float64Array.from({ length: level.length / 2 }, (_, i) => level[2 * i + offset]!);
    const columns = new Map([
      ["a", half(0)],
      ["b", half(1)],
    ]);
    level = evaluateFormula(node, columns).map((v) => v + error);
  }
  return level;
}

async function valuesOf(tree: Graph, points: Float64Array, d: number): Promise<Float64Array> {
  const { y } = await run(tree, { x: tensor(points, { dims: [points.length / d, d] }) });
  return Float64Array.from(numbers(y!));
}

const greatest = (a: Float64Array, b: Float64Array): number =>
  a.reduce((most, v, i) => Math.max(most, Math.abs(v - b[i]!)), 0);
