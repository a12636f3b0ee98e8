import {
  binaryTree,
  joinTree,
  leafBox,
  type TreeNode,
  treeNodes,
  unlikeNodes,
} from "../../compile/binary-tree.ts";
import { type Compiled, compile } from "../../compile/compile.ts";
import { gridError } from "../../compile/grid-interpolation.ts";
import { treeOfGridsError } from "../../compile/tree-of-grids.ts";
import { run } from "../../engine/run.ts";
import { evaluateFormula } from "../../formula/evaluate.ts";
import { parseFormula } from "../../formula/formula.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { createRandom, type Random } from "../../numbers/random.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, fitted, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { compositionalFigure } from "./compositional-figure.ts";

const nodesOf = {
  unlike: unlikeNodes,
  wave: [treeNodes.wave],
  product: [treeNodes.product],
  squares: [treeNodes.squares],
} as const satisfies Record<string, readonly TreeNode[]>;
type NodeName = keyof typeof nodesOf;
/** sup |d_1 g| + |d_2 g| on the interval of the nodes, made longer by e at both ends. */
const steepness: Readonly<Record<NodeName, (e: number) => number>> = {
  product: (e) => 2 * (1 + e),
  squares: (e) => 2 * (1 + e),
  unlike: (e) => 2 * (1 + e),
  wave: (e) => (2 * (1 + e) + 2) / 3,
};

export default lemma({
  id: "C3-28",
  covers: ["C3-28"],
  kind: "construction",
  title: "Networks of nodes, composed along a tree",
  source: "Book, chapter 3, Figure 3.6 (Poggio et al. 2017, Theorems 1, 2 and 4)",
  statement: String.raw`|\partial_1 g| + |\partial_2 g| \le \Lambda, \; \|g - \tilde g\|_\infty \le \delta: \qquad E_h \le \delta + \Lambda E_{h-1}, \quad E_k \le \delta \, \frac{\Lambda^k - 1}{\Lambda - 1}, \qquad M = \sum_{\text{nodes}} M_{\text{node}} \lesssim (d-1)\, \varepsilon^{-2/n}, \; d = 2^k`,
  parameters: {
    node: choice(["unlike", "wave", "product", "squares"], { label: "functions at the nodes" }),
    k: integer({ min: 1, max: 4, default: 3, label: "levels k, d = 2^k" }),
    eps: real({ min: 1e-4, max: 0.1, default: 0.01, label: "error ε" }),
  },
  claims: {
    "certified error of the nodes": atMost(String.raw`\delta = \varepsilon (\Lambda - 1) / (\Lambda^k - 1)`),
    "sup error of the nodes": atMost(String.raw`\delta`),
    "sup error of the tree": atMost(String.raw`\delta (\Lambda^k - 1) / (\Lambda - 1), \; k \ge 2`).looseBy(
      1.1,
    ),
    "sup error of the tree, nodes that err by δ upwards": atMost(
      String.raw`\delta (\Lambda^k - 1) / (\Lambda - 1)`,
    ),
    units: equals(String.raw`\textstyle\sum_{\text{nodes}} N_{\text{node}}, \; d - 1 \text{ nodes}`),
    "nonzero weights": equals(String.raw`\textstyle\sum_{\text{nodes}} M_{\text{node}}`),
    "hidden layers": equals(String.raw`\log_2(d)\, L_{\text{node}}, \text{ unlike nodes: the longest path}`),
    "a grid at every node: exponent of the cells in 1/ε":
      equals(String.raw`2/n, \; n = 2, \; d \le 8`).rate(),
    "the shallow rival, one grid: exponent of the cells in 1/ε":
      equals(String.raw`d/n, \; n = 2, \; d \le 4`).rate(),
  },
  mutants: {
    "Λ = max |∂ᵢg|, one argument alone": {
      "sup error of the tree, nodes that err by δ upwards": ({ node, k, eps }) =>
        recursion(node, k, eps).delta * geometric(steepness[node](eps) / 2, k),
    },
    "a node for every variable": { units: ({ k }, { theory }) => (theory * 2 ** k) / (2 ** k - 1) },
    "all variables at every node": {
      "a grid at every node: exponent of the cells in 1/ε": ({ k }) => 2 ** k / 2,
    },
  },
  async run({ node: name, k, eps }, { random, scale, progress, budget }) {
    const d = 2 ** k;
    const nodes = await nodeNetworks(name, k, eps);
    await progress(0.3);
    const tree = composedTree(
      nodes.map((n) => n.graph),
      d,
    );
    const [own, whole] = [nodes.map((n) => sizes(n.graph)), sizes(tree)];
    const points = leaves(random, d, nodesOf[name][0]!.on, Math.ceil(scale(40_000) / d));
    const exact = treeValues(name, points, d, 0);
    const computed = await valuesOf(tree, points, d);
    const { delta } = recursion(name, k, eps);
    // The arithmetic of the tree in doubles is part of the measurement: about 2^-50 at every node.
    const tolerance = (d - 1) * 2 ** -50;
    const overNodes = (size: (n: Sizes) => number): number =>
      joinTree<number>(new Array(d).fill(0), own.length, (a, b, kind) => a + b + size(own[kind]!));
    return {
      graph: tree,
      ...(budget === "cheap"
        ? {}
        : { figure: await compositionalFigure(name, eps, treeSizes, rates(name, 4)) }),
      claims: {
        "certified error of the nodes": proved(
          Math.max(...nodes.map((n) => n.certificate.certifiedError)),
          delta,
        ),
        "sup error of the nodes": sampled(await greatestOfNodes(name, nodes, points), delta, { tolerance }),
        ...(k > 1 && { "sup error of the tree": sampled(greatest(exact, computed), eps, { tolerance }) }),
        "sup error of the tree, nodes that err by δ upwards": sampled(
          greatest(exact, treeValues(name, points, d, delta)),
          eps,
          { tolerance },
        ),
        units: checked(
          whole.hiddenUnits!,
          overNodes((n) => n.hiddenUnits!),
        ),
        "nonzero weights": checked(
          whole.nonzeros,
          overNodes((n) => n.nonzeros),
        ),
        "hidden layers": checked(
          whole.depth,
          joinTree<number>(
            new Array(d).fill(0),
            own.length,
            (a, b, kind) => Math.max(a, b) + own[kind]!.depth,
          ),
        ),
        ...rateClaims(name, d),
      },
    };
  },
});

type Sizes = ReturnType<typeof sizes>;
const geometric = (ratio: number, k: number): number =>
  Array.from({ length: k }, (_, h) => ratio ** h).reduce((a, b) => a + b);

/** Values of the tree leave the nodes' interval by at most eps, so Lambda is taken on the longer one. */
const recursion = (name: NodeName, k: number, eps: number) => ({
  delta: eps / geometric(steepness[name](eps), k),
});

/** Each kind of node alone, within delta, where computed arguments may be. */
function nodeNetworks(name: NodeName, k: number, eps: number): Promise<readonly Compiled[]> {
  return Promise.all(
    nodesOf[name].map(({ formula, on }) => {
      const side = { lower: on[0] - eps, upper: on[1] + eps };
      const box = ["a", "b"].map((variable) => ({ name: variable, ...side }));
      return compile({ formula: formula("a", "b"), box, eps: recursion(name, k, eps).delta });
    }),
  );
}

/** What each kind of node does to neighbours among the leaves. */
async function greatestOfNodes(
  name: NodeName,
  nodes: readonly Compiled[],
  leafValues: Float64Array,
): Promise<number> {
  const pairs = leafValues.subarray(0, 4096);
  const [a, b] = [0, 1].map((side) => pairs.filter((_, i) => i % 2 === side));
  const errors = nodes.map(async ({ graph: network }, kind) =>
    greatest(nodeValues(nodesOf[name][kind]!, a!, b!), await valuesOf(network, pairs, 2)),
  );
  return Math.max(...(await Promise.all(errors)));
}

const nodeValues = ({ formula }: TreeNode, a: Float64Array, b: Float64Array): Float64Array =>
  evaluateFormula(
    parseFormula(formula("a", "b")),
    new Map([
      ["a", a],
      ["b", b],
    ]),
  );

/** A copy of its kind's network for every node of the tree. */
function composedTree(nodes: readonly Graph[], d: number): Graph {
  return graph({ x: float64("N", d) }, ({ x }) => {
    const columns = Array.from({ length: d }, (_, j) => x.slice(1, j, j + 1));
    const join = (a: typeof x, b: typeof x, kind: number) =>
      x.builder.inline(nodes[kind]!, { x: a.concat([b], 1) })["y"]!;
    return { y: joinTree(columns, nodes.length, join) };
  });
}

async function treeSizes(name: NodeName, k: number, eps: number): Promise<Sizes> {
  const nodes = await nodeNetworks(name, k, eps);
  return sizes(
    composedTree(
      nodes.map((n) => n.graph),
      2 ** k,
    ),
  );
}

/** Cells a variable: of grids at the nodes, and of one grid, so many that the next order of the error is small. */
const [cellsAtNodes, cellsOfOne] = [
  [8, 10, 12, 14, 17, 20, 24, 28, 34, 40, 48, 57],
  { 2: [8, 12, 16, 24, 32, 48, 64, 96], 4: [6, 7, 8, 9, 10, 11] } as Readonly<
    Record<number, readonly number[]>
  >,
];
type Points = readonly (readonly [number, number])[];
const known = new Map<string, { readonly deep: Points; readonly one: Points }>();

/** (1/error, cells) of interpolation at every node, and in all variables at once; found once for each tree. */
function rates(name: NodeName, d: number): { readonly deep: Points; readonly one: Points } {
  const [nodes, key] = [nodesOf[name], `${name} ${d}`];
  const names = leafBox(d, nodes[0]!.on).map((side) => side.name);
  const found = known.get(key) ?? {
    deep: cellsAtNodes.map(
      (cells) =>
        [
          1 / treeOfGridsError(nodes, d, cells, { points: 1000, random: createRandom(key) }),
          (d - 1) * cells ** 2,
        ] as const,
    ),
    one: (cellsOfOne[d] ?? []).map(
      (cells) => [1 / gridError(binaryTree(nodes, d), names, nodes[0]!.on, cells), cells ** d] as const,
    ),
  };
  known.set(key, found);
  return found;
}

/** Products are bilinear: a grid has them exactly. */
function rateClaims(name: NodeName, d: number) {
  if (name === "product" || d > 8) return {};
  const { deep, one } = rates(name, d);
  return {
    "a grid at every node: exponent of the cells in 1/ε": fitted(deep, 1),
    ...(one.length > 0 && {
      "the shallow rival, one grid: exponent of the cells in 1/ε": fitted(one, d / 2),
    }),
  };
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
  const kinds = nodesOf[name];
  const columns = Array.from({ length: d }, (_, j) =>
    Float64Array.from({ length: points.length / d }, (__, i) => points[i * d + j]!),
  );
  const join = (a: Float64Array, b: Float64Array, kind: number) =>
    nodeValues(kinds[kind]!, a, b).map((v) => v + error);
  return joinTree(columns, kinds.length, join);
}

async function valuesOf(tree: Graph, points: Float64Array, d: number): Promise<Float64Array> {
  const { y } = await run(tree, { x: tensor(points, { dims: [points.length / d, d] }) });
  return Float64Array.from(numbers(y!));
}

const greatest = (a: Float64Array, b: Float64Array): number =>
  a.reduce((most, v, i) => Math.max(most, Math.abs(v - b[i]!)), 0);
