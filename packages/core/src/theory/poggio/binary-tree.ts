import { cellIndicator } from "../../approximate/sobolev/table-network.ts";
import { checkCertificate } from "../../check/check.ts";
import {
  binaryTree,
  leafBox,
  type TreeNode,
  type TreeNodeName,
  treeNodes,
} from "../../compile/binary-tree.ts";
import { type Compiled, compile } from "../../compile/compile.ts";
import { sampledError } from "../../compile/sample.ts";
import { tableErrors, waveTree } from "../../networks/table-tree.ts";
import type { Random } from "../../numbers/random.ts";
import { sizes } from "../../passes/sizes.ts";
import { atMost, checked, equals, fitted, proved, sampled } from "../claim.ts";
import { type Budget, lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { type TreeSizes, treeFigure, treeUnitBound } from "./binary-tree-figure.ts";

const allLeaves = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 512, 1024];
/** A trial has little time, and formulas that name an argument twice grow like n^2. */
const mostLeaves: Readonly<Record<Budget, number>> = { cheap: 0, live: 256, thorough: 1024 };
/** Where the rate is fitted: for so small an error, one level of a product more or less is a small part of its units. */
const [leavesOfFit, errorOfFit] = [[2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16], 1e-7];
const mostOfWavesOfFit = 10;
const mostOfWaves = 64;

export default lemma({
  id: "P-08",
  covers: ["P-08"],
  kind: "construction",
  title: "A network that follows a binary tree",
  source: "Poggio, section 6.8.1, Lemma 2",
  statement: String.raw`f = g(g(\dots), g(\dots)) \text{ on } n = 2^D \text{ leaves}, \; \|g - \tilde g\|_\infty \le \delta, \; g \text{ Lipschitz with } L: \qquad \|f - \tilde f\|_\infty \le \delta \, (1 + L + \dots + L^{D-1}), \quad \text{units} = O\bigl((n - 1) \log \tfrac{n}{\varepsilon}\bigr)`,
  parameters: {
    node: choice(["product", "squares", "wave"], { label: "function at the nodes" }),
    levels: integer({ min: 1, max: 5, default: 5, label: "levels D, n = 2^D" }),
    eps: real({ min: 1e-4, max: 0.1, default: 0.01, label: "error ε" }),
    L: integer({ min: 1, max: 4, default: 2, label: "Lipschitz constant of the tables" }),
  },
  claims: {
    "certified error": atMost(String.raw`\varepsilon`),
    "certified error, proved again by the checker": atMost("certified error"),
    "error on ONNX Runtime": atMost("certified error"),
    units: atMost(String.raw`2 (n-1) \lceil \log_4 (2 (n-1) (1+\varepsilon)^2 / \varepsilon) \rceil`),
    "units over log n/ε, ε = 1e-7, exponent in n - 1": equals("1").rate(),
    "L2 error of tables, k = L/ε": atMost(String.raw`\varepsilon`).printed({
      where: "section 6.8.1, Lemma 2 and the remark on k after it",
      printed: String.raw`Compositional functions [...] can be approximated by a deep network of ReLU units within accuracy $\epsilon$ in the $L_2$ norm [...] the number of partitions in each of two variables that are input to each node in the graph is $k = \frac{L}{\epsilon}$`,
      corrected: String.raw`errors grow from level to level: $k = (L + L^2 + \dots + L^D)/(2 \epsilon)$ partitions, with values from the middle of the cells, give accuracy $\epsilon$ in the sup norm, and at $0$ no better for even $L$`,
    }),
    "sup error of tables, k = (L + ... + L^D)/(2ε)": atMost(String.raw`\varepsilon`),
    "units of tables, k = L/ε, exponent in L": equals("2").rate(),
    "units of tables, as printed, exponent in L": equals("1").rate().printed({
      where: "section 6.8.1, before Lemma 2, in it and after it",
      printed: String.raw`the total number of units in the network is $(n - 1)O(k^2)$ [...] with a number of units in the order of $O((n-1)L\epsilon^{-2})$ [...] $k = \frac{L}{\epsilon}$`,
      corrected: String.raw`$k = L/\epsilon$ gives $(n-1)\, O(k^2) = O((n-1) L^2 \epsilon^{-2})$ units`,
    }),
  },
  mutants: {
    "an error of ε for every product, not ε/(n - 1)": {
      units: ({ levels, eps }) =>
        2 * (2 ** levels - 1) * Math.ceil(Math.log((2 * (1 + eps) ** 2) / eps) / Math.log(4)),
    },
    "errors add up and do not grow: L D for L + ... + L^D": {
      "sup error of tables, k = (L + ... + L^D)/(2ε)": ({ levels, eps, L }) =>
        (eps * L * levels) / powers(L, levels),
    },
    "n log n nodes": { "units over log n/ε, ε = 1e-7, exponent in n - 1": () => 1.25 },
  },
  async run({ node: name, levels, eps, L }, { random, scale, progress, budget }) {
    const [node, n] = [treeNodes[name], 2 ** levels];
    const found: TreeSizes[] = [];
    let own: Compiled | undefined;
    const most = Math.min(mostLeaves[budget], name === "wave" ? mostOfWaves : Number.POSITIVE_INFINITY);
    for (const leaves of allLeaves.filter((k) => k === n || k <= most)) {
      const compiled = await compiledTree(node, leaves, eps);
      if (leaves === n) own = compiled;
      found.push({ leaves, units: compiled.sizes.hiddenUnits!, weights: compiled.sizes.nonzeros });
      await progress((0.8 * leaves) / Math.max(most, n));
    }
    const growth = await growthOf(name);
    const { bytes, certificate, graph } = own!;
    const isChecked = budget !== "cheap" || levels <= 3; // takes longer than the compiler itself
    const verdict = isChecked ? await checkCertificate(bytes, certificate) : undefined;
    const units = own!.sizes.hiddenUnits!;
    const seen = await sampledError(graph, certificate.formula, certificate.box, units, {
      points: scale(4000),
      seed: random.integer(0, 1e9),
    });
    return {
      graph,
      ...(budget === "cheap" ? {} : { figure: treeFigure(name, eps, found) }),
      claims: {
        "certified error": proved(certificate.certifiedError, eps),
        ...(verdict && {
          "certified error, proved again by the checker": proved(
            verdict.ok ? verdict.error : Number.POSITIVE_INFINITY,
            certificate.certifiedError,
          ),
        }),
        "error on ONNX Runtime": sampled(seen, certificate.certifiedError),
        ...(name === "wave" ? {} : { units: checked(units, treeUnitBound(n, eps)) }),
        "units over log n/ε, ε = 1e-7, exponent in n - 1": fitted(growth, 1),
        ...tableClaims({ levels, eps, L }, scale(10_000), random),
      },
    };
  },
});

const compiledTree = (node: TreeNode, leaves: number, eps: number): Promise<Compiled> =>
  compile({ formula: binaryTree(node, leaves), box: leafBox(leaves, node.on), eps });

const known = new Map<TreeNodeName, readonly (readonly [number, number])[]>();
/** (n - 1, units / log(n/ε)); nothing in it is drawn, so it is found once. */
async function growthOf(name: TreeNodeName): Promise<readonly (readonly [number, number])[]> {
  const found = known.get(name);
  if (found) return found;
  const growth: [number, number][] = [];
  for (const leaves of leavesOfFit.filter((k) => name !== "wave" || k <= mostOfWavesOfFit)) {
    const { sizes } = await compiledTree(treeNodes[name], leaves, errorOfFit);
    growth.push([leaves - 1, sizes.hiddenUnits! / Math.log(leaves / errorOfFit)]);
  }
  known.set(name, growth);
  return growth;
}

/** L + L^2 + ... + L^D. */
const powers = (L: number, levels: number): number =>
  Array.from({ length: levels }, (_, j) => L ** (j + 1)).reduce((a, b) => a + b);

/** Lemma 2's own construction: tables of k x k cells at every node. */
function tableClaims(
  { levels, eps, L }: { readonly levels: number; readonly eps: number; readonly L: number },
  points: number,
  random: Random,
) {
  const n = 2 ** levels;
  const enough = Math.ceil(powers(L, levels) / (2 * eps));
  const sup = tableErrors(L, n, enough, Math.ceil(points / 10), random.split("corrected")).sup;
  const atOrigin = waveTree(L, new Array<number>(n).fill(0), enough); // where the tree itself is 0
  const unitsOfCell = sizes(cellIndicator([0.2, 0.2], [0.4, 0.4], 0.01)).hiddenUnits!;
  const units = [1, 2, 4, 8, 16, 32].map(
    (constant) => [constant, unitsOfCell * (n - 1) * Math.ceil(constant / eps) ** 2] as const,
  );
  return {
    "L2 error of tables, k = L/ε": sampled(
      tableErrors(L, n, Math.ceil(L / eps), points, random.split("printed")).l2,
      eps,
    ),
    "sup error of tables, k = (L + ... + L^D)/(2ε)": sampled(
      Math.max(sup, atOrigin),
      eps,
      { tolerance: 1e-12 }, // rounding of the tree's values
    ),
    "units of tables, k = L/ε, exponent in L": fitted(units, 2, eps), // k is rounded up
    "units of tables, as printed, exponent in L": fitted(units, 1, eps),
  };
}
