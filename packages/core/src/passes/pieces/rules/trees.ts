// Sums of decision trees along a segment: each leaf where the tests on the way to it hold.
import type { Node } from "../../../graph/graph.ts";
import type { AttributesOf } from "../../../graph/operators/index.ts";
import { div } from "../../../numbers/exact/rational.ts";
import { type Ensemble, ensembleOf, listed, treeKey } from "../../interval/trees.ts";
import type { Rules } from "../../pass.ts";
import { chosenBySign, maximum, minimum } from "../choice.ts";
import { joined, scaled, weightedSum } from "../linear.ts";
import { constantPieces, type Pieces, scalar } from "../tensor.ts";
import { Unreadable } from "../unreadable.ts";

/** Of x - threshold: on which signs a test holds. */
const tests: Readonly<Record<string, readonly [negative: boolean, zero: boolean, positive: boolean]>> = {
  BRANCH_LEQ: [true, true, false],
  BRANCH_LT: [true, false, false],
  BRANCH_GTE: [false, true, true],
  BRANCH_GT: [false, false, true],
  BRANCH_EQ: [false, true, false],
  BRANCH_NEQ: [true, false, true],
};

type Attributes = AttributesOf<"TreeEnsembleRegressor">;

const deepest = 2000;

/** What the leaves of one tree give to one target. */
function treeValue(
  { nodes, leaves }: Ensemble,
  tree: number,
  root: number,
  target: number,
  feature: (k: number) => Pieces,
): Pieces {
  const walk = (id: number, depth: number): Pieces => {
    const at = nodes.get(treeKey(tree, id));
    if (!at || depth > deepest) throw new Unreadable(`tree ${tree} has no end at its node ${id}`);
    if (at.mode === "LEAF") {
      const given = leaves.get(treeKey(tree, id)) ?? [];
      return scalar(given.reduce((sum, [k, { lower }]) => (k === target ? sum + lower : sum), 0));
    }
    const test = tests[at.mode];
    if (!test) throw new Unreadable(`its mode ${at.mode} is not known`);
    const [yes, no] = [walk(at.yes, depth + 1), walk(at.no, depth + 1)];
    const [negative, zero, positive] = test.map((holds) => (holds ? yes : no)) as [Pieces, Pieces, Pieces];
    return chosenBySign(scaled(feature(at.feature), 1, -at.value), { negative, zero, positive }, true);
  };
  return walk(root, 0);
}

function treeSums(x: Pieces, attributes: Attributes, node: Node): Pieces {
  const ensemble = ensembleOf(attributes, node);
  const targets = attributes.n_targets;
  const [width, rows] = [x.dims.at(-1) ?? 1, x.dims.length < 2 ? 1 : x.dims[0]!];
  const base = listed(attributes.base_values, attributes.base_values_as_tensor);
  const how = attributes.aggregate_function;
  const results = Array.from({ length: rows * targets }, (_, place): Pieces => {
    const [row, target] = [Math.floor(place / targets), place % targets];
    const feature = (k: number): Pieces => {
      if (k >= width) throw new Unreadable(`it asks for feature ${k} of ${width}`);
      return { ...x, dims: [], elements: [x.elements[row * width + k]!] };
    };
    const trees = ensemble.roots.map(([tree, root]) => treeValue(ensemble, tree, root, target, feature));
    if (trees.length === 0) return scalar(base[target] ?? base[0] ?? 0);
    if (how === "MAX" || how === "MIN")
      return scaled((how === "MAX" ? maximum : minimum)(trees), 1, base[target] ?? base[0] ?? 0);
    const factor = how === "AVERAGE" ? div(1, trees.length) : 1;
    const sum = weightedSum(
      trees,
      trees.map(() => factor),
      [],
    );
    return scaled(sum, 1, base[target] ?? base[0] ?? 0);
  });
  if (results.length === 0)
    return constantPieces({ type: "float32", dims: [rows, targets], data: new Float32Array(0) });
  return { ...joined(results).all, type: "float32", dims: [rows, targets] };
}

export const trees: Rules<Pieces> = {
  TreeEnsembleRegressor: ([x], attributes, node) => treeSums(x!, attributes, node),
};
