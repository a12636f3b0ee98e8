// Sums of decision trees: each tree gives one of the leaves that inputs of a box can reach.
import type { Node } from "../../graph/graph.ts";
import type { AttributesOf } from "../../graph/operators/index.ts";
import { numbers, type Tensor } from "../../graph/tensor.ts";
import { add, div, type Interval, max, min, point } from "../../numbers/interval/index.ts";
import { type IntervalTensor, Unreadable } from "./tensor.ts";

type Attributes = AttributesOf<"TreeEnsembleRegressor">;

export interface TreeNode {
  readonly mode: string;
  readonly feature: number;
  readonly value: number;
  readonly yes: number;
  readonly no: number;
}

export interface Ensemble {
  /** By tree and number of the node. */
  readonly nodes: ReadonlyMap<string, TreeNode>;
  /** The root of each tree: its first node. */
  readonly roots: readonly (readonly [tree: number, node: number])[];
  /** What a leaf adds to each target. */
  readonly leaves: ReadonlyMap<string, readonly (readonly [target: number, weight: Interval])[]>;
}

export const treeKey = (tree: number, node: number): string => `${tree}/${node}`;
const read = new WeakMap<Node, Ensemble>();

export const listed = (
  plain: readonly number[] | undefined,
  tensor: Tensor | undefined,
): readonly number[] => (tensor ? [...numbers(tensor)] : (plain ?? []));

export function ensembleOf(a: Attributes, node: Node): Ensemble {
  const known = read.get(node);
  if (known) return known;
  const values = listed(a.nodes_values, a.nodes_values_as_tensor);
  const weights = listed(a.target_weights, a.target_weights_as_tensor);
  const nodes = new Map<string, TreeNode>();
  const roots = new Map<number, number>();
  (a.nodes_modes ?? []).forEach((mode, k) => {
    const [tree, node] = [a.nodes_treeids?.[k] ?? 0, a.nodes_nodeids?.[k] ?? 0];
    if (!roots.has(tree)) roots.set(tree, node);
    nodes.set(treeKey(tree, node), {
      mode,
      feature: a.nodes_featureids?.[k] ?? 0,
      value: values[k] ?? Number.NaN,
      yes: a.nodes_truenodeids?.[k] ?? 0,
      no: a.nodes_falsenodeids?.[k] ?? 0,
    });
  });
  const leaves = new Map<string, (readonly [number, Interval])[]>();
  (a.target_nodeids ?? []).forEach((node, k) => {
    const at = treeKey(a.target_treeids?.[k] ?? 0, node);
    leaves.set(at, [...(leaves.get(at) ?? []), [a.target_ids?.[k] ?? 0, point(weights[k] ?? Number.NaN)]]);
  });
  const result = { nodes, roots: [...roots], leaves };
  read.set(node, result);
  return result;
}

/** The parts of an interval where a test holds and where it does not; undefined: nowhere. */
const tests: Readonly<Record<string, (x: Interval, t: number) => readonly [boolean, boolean]>> = {
  BRANCH_LEQ: (x, t) => [x.lower <= t, x.upper > t],
  BRANCH_LT: (x, t) => [x.lower < t, x.upper >= t],
  BRANCH_GTE: (x, t) => [x.upper >= t, x.lower < t],
  BRANCH_GT: (x, t) => [x.upper > t, x.lower <= t],
  BRANCH_EQ: (x, t) => [x.lower <= t && t <= x.upper, x.lower !== t || x.upper !== t],
  BRANCH_NEQ: (x, t) => [x.lower !== t || x.upper !== t, x.lower <= t && t <= x.upper],
};

/** Of an interval, what is left on one side of a test; ends stay where the test is strict. */
function side(x: Interval, { mode, value }: TreeNode, holds: boolean): Interval {
  const below = (mode === "BRANCH_LEQ" || mode === "BRANCH_LT") === holds;
  if (mode === "BRANCH_EQ" || mode === "BRANCH_NEQ") return x;
  return below
    ? { lower: x.lower, upper: Math.min(x.upper, value) }
    : { lower: Math.max(x.lower, value), upper: x.upper };
}

const mostVisits = 5e7;
const deepest = 2000;

/** What leaves that can be reached give to each target, least and greatest. */
function leafRanges(
  { nodes, leaves }: Ensemble,
  [tree, root]: readonly [number, number],
  row: Interval[],
  targets: number,
): readonly Interval[] {
  const lower = new Float64Array(targets).fill(Number.POSITIVE_INFINITY);
  const upper = new Float64Array(targets).fill(Number.NEGATIVE_INFINITY);
  let visits = 0;
  const visit = (id: number, depth = 0): void => {
    if (++visits > mostVisits || depth > deepest) throw new Unreadable("a tree of it is endless");
    const node = nodes.get(treeKey(tree, id));
    if (!node) throw new Unreadable(`tree ${tree} lacks its node ${id}`);
    if (node.mode === "LEAF") {
      const given = Array.from({ length: targets }, () => point(0));
      for (const [target, weight] of leaves.get(treeKey(tree, id)) ?? []) {
        if (!given[target] || Number.isNaN(weight.lower))
          throw new Unreadable("a leaf of it holds no number");
        given[target] =
          given[target].lower === 0 && given[target].upper === 0 ? weight : add(given[target], weight);
      }
      given.forEach((v, k) => {
        lower[k] = Math.min(lower[k]!, v.lower);
        upper[k] = Math.max(upper[k]!, v.upper);
      });
      return;
    }
    const x = row[node.feature];
    const test = tests[node.mode];
    if (!test) throw new Unreadable(`its mode ${node.mode} is not known`);
    if (!x) throw new Unreadable(`it asks for feature ${node.feature} of ${row.length}`);
    if (Number.isNaN(node.value)) throw new Unreadable("a threshold of it is no number");
    const [yes, no] = test(x, node.value);
    for (const [open, next, holds] of [
      [yes, node.yes, true],
      [no, node.no, false],
    ] as const) {
      if (!open) continue;
      row[node.feature] = side(x, node, holds);
      visit(next, depth + 1);
    }
    row[node.feature] = x;
  };
  visit(root);
  return Array.from(lower, (l, k) => ({ lower: l, upper: upper[k]! }));
}

/** For each row of features and each target, bounds on what the trees give together. */
export function leafSums(x: IntervalTensor, attributes: Attributes, node: Node): IntervalTensor {
  const ensemble = ensembleOf(attributes, node);
  const targets = attributes.n_targets;
  const width = x.dims.at(-1) ?? 1;
  const rows = x.dims.length < 2 ? 1 : x.dims[0]!;
  const base = listed(attributes.base_values, attributes.base_values_as_tensor);
  const join = { SUM: add, AVERAGE: add, MIN: min, MAX: max }[attributes.aggregate_function];
  if (!join || x.dims.length > 2) throw new Unreadable("its form is not known");
  const [lower, upper] = [new Float64Array(rows * targets), new Float64Array(rows * targets)];
  for (let r = 0; r < rows; r++) {
    const row = Array.from(
      { length: width },
      (_, k): Interval => ({
        lower: x.lower[r * width + k]!,
        upper: x.upper[r * width + k]!,
      }),
    );
    let sums: readonly Interval[] | undefined;
    for (const root of ensemble.roots) {
      const ranges = leafRanges(ensemble, root, row, targets);
      sums = sums ? sums.map((s, k) => join(s, ranges[k]!)) : ranges;
    }
    for (let k = 0; k < targets; k++) {
      const sum = sums?.[k] ?? point(0);
      const mean = attributes.aggregate_function === "AVERAGE" ? div(sum, point(ensemble.roots.length)) : sum;
      const whole = base.length > 0 ? add(mean, point(base[k] ?? base[0]!)) : mean;
      lower[r * targets + k] = whole.lower;
      upper[r * targets + k] = whole.upper;
    }
  }
  return { type: "float32", dims: [rows, targets], lower, upper };
}
