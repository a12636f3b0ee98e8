// Operators that jump, where they are piecewise constant: quantizers, and sums of decision trees.
import { stridesOf } from "../../graph/elements/positions.ts";
import { GraphError } from "../../graph/error.ts";
import { describe, type Node } from "../../graph/graph.ts";
import { integerRange } from "../../graph/integer-range.ts";
import type { AttributesOf } from "../../graph/operators/index.ts";
import { fractionBits } from "../../numbers/exact/rational.ts";
import { type Ensemble, ensembleOf, listed, treeKey } from "../interval/trees.ts";
import type { Rules } from "../pass.ts";
import { numbersOf, type RuleContext } from "./affine-rules.ts";
import { constantForms, type Forms, isConstant, RowWriter, rowCount } from "./forms.ts";
import { chosenAt, type Decision, type Jumps, type Staircase, staircases } from "./jumps.ts";

/** For each element, the place of its scale: one for all, one a place of an axis, or one a block of it. */
function scalePlaces(x: Forms, own: readonly number[], axis: number, block: number): ArrayLike<number> {
  const count = rowCount(x);
  if (own.length === 0 || (own.length === 1 && own[0] === 1)) return new Int32Array(count);
  const along = axis < 0 ? axis + x.dims.length : axis;
  if (own.length === 1) {
    const step = stridesOf(x.dims)[along]!;
    return Int32Array.from({ length: count }, (_, k) => Math.floor(k / step) % x.dims[along]!);
  }
  const [steps, ownSteps] = [stridesOf(x.dims), stridesOf(own)];
  const size = block > 0 ? block : Math.ceil(x.dims[along]! / own[along]!);
  return Int32Array.from({ length: count }, (_, k) =>
    x.dims.reduce((at, d, n) => {
      const place = Math.floor(k / steps[n]!) % d;
      return at + ownSteps[n]! * (n === along ? Math.floor(place / size) : place);
    }, 0),
  );
}

function quantized(
  { program, type }: RuleContext,
  [x, scale, zero]: readonly (Forms | undefined)[],
  { axis, block_size }: AttributesOf<"QuantizeLinear">,
  node: Node,
): Forms {
  const to = type(node.outputs[0]!);
  const range = integerRange(to);
  if (!range || Math.abs(range[0]) > 2 ** 31)
    throw new GraphError(`${describe(node)}: steps of ${to} are not followed`);
  const scales = numbersOf(scale, node, "its scale");
  const zeros = zero ? numbersOf(zero, node, "its zero point") : new Float64Array(scales.length);
  const places = scalePlaces(x!, scale!.dims, axis, block_size);
  const zeroPlaces = zero ? scalePlaces(x!, zero.dims, axis, block_size) : places;
  const stairs = Array.from(
    { length: rowCount(x!) },
    (_, k): Staircase => ({
      scale: scales[places[k]!]!,
      zero: zeros[zeroPlaces[k]!]!,
      least: range[0],
      greatest: range[1],
    }),
  );
  return jumped(
    program,
    x!,
    stairs.map(() => 1),
    x!.dims,
    staircases(stairs, describe(node)),
    node,
  );
}

/** The units of a stage that jumps, or numbers where its rows are such. */
function jumped(
  program: RuleContext["program"],
  rows: Forms,
  sizes: readonly number[],
  dims: readonly number[],
  jumps: Jumps,
  node: Node,
): Forms {
  if (!isConstant(rows)) return program.jump(rows, sizes, dims, jumps, describe(node));
  let first = 0;
  const values = sizes.map((size, unit) => {
    const start = first;
    first += size;
    return jumps.value(
      unit,
      chosenAt(jumps.roots[unit]!, (row) => rows.constants[start + row]!),
    );
  });
  return constantForms(dims, Float64Array.from(values));
}

/** Which side of the threshold a test holds on, and whether it holds at the threshold. */
const tests: Readonly<Record<string, readonly [holds: "below" | "above", tie: "below" | "above"]>> = {
  BRANCH_LEQ: ["below", "below"],
  BRANCH_LT: ["below", "above"],
  BRANCH_GTE: ["above", "above"],
  BRANCH_GT: ["above", "below"],
};

const mostNodes = 1e6;

/** One tree: its decisions, and the leaves by the number in which they end. */
function treeOf({ nodes }: Ensemble, tree: number, root: number, node: Node) {
  const leaves: string[] = [];
  let met = 0;
  const refuse = (reason: string): never => {
    throw new GraphError(`${describe(node)}: ${reason}`);
  };
  const read = (id: number): Decision | number => {
    if (++met > mostNodes) refuse("a tree of it is endless");
    const at = nodes.get(treeKey(tree, id)) ?? refuse(`tree ${tree} lacks its node ${id}`);
    if (at.mode === "LEAF") return leaves.push(treeKey(tree, id)) - 1;
    const test = tests[at.mode] ?? refuse(`regions of trees with ${at.mode} are not followed`);
    if (!Number.isFinite(at.value)) refuse(`a threshold of it is ${at.value}`);
    const [yes, no] = [read(at.yes), read(at.no)];
    const [below, above] = test[0] === "below" ? [yes, no] : [no, yes];
    return { row: at.feature, threshold: at.value, tie: test[1], below, above };
  };
  return { root: read(root), leaves };
}

/** The sums of trees: a unit for each tree and each target, which reads the features. */
function treeSums(
  context: RuleContext,
  x: Forms,
  attributes: AttributesOf<"TreeEnsembleRegressor">,
  node: Node,
): Forms {
  const { program } = context;
  const ensemble = ensembleOf(attributes, node);
  const trees = ensemble.roots.map(([tree, root]) => treeOf(ensemble, tree, root, node));
  const targets = attributes.n_targets;
  const [width, batch] = [x.dims.at(-1) ?? 1, x.dims.length < 2 ? 1 : x.dims[0]!];
  const weights = trees.map(({ leaves }) =>
    leaves.map((leaf) => {
      const given = new Float64Array(targets);
      for (const [target, { lower }] of ensemble.leaves.get(leaf) ?? []) given[target]! += lower;
      return given;
    }),
  );
  const rows = new RowWriter();
  const units: { readonly root: Decision | number; readonly values: Float64Array }[] = [];
  for (let r = 0; r < batch; r++)
    trees.forEach(({ root }, t) => {
      for (let target = 0; target < targets; target++) {
        for (let k = 0; k < width; k++) {
          rows.add(x, r * width + k, 1);
          rows.endRow();
        }
        units.push({ root, values: Float64Array.from(weights[t]!, (w) => w[target]!) });
      }
    });
  const features = units.map(() => width);
  const dims = [batch, trees.length, targets];
  const leaves = jumped(program, rows.forms([units.length * width]), features, dims, treeJumps(units), node);
  return aggregated(context, leaves, attributes, node);
}

const countDecisions = (at: Decision | number): number =>
  typeof at === "number" ? 0 : 1 + countDecisions(at.below) + countDecisions(at.above);

function treeJumps(
  units: readonly { readonly root: Decision | number; readonly values: Float64Array }[],
): Jumps {
  let [thresholdBits, valueBits] = [0, 0];
  const look = (at: Decision | number): void => {
    if (typeof at === "number") return;
    thresholdBits = Math.max(thresholdBits, fractionBits(at.threshold));
    look(at.below);
    look(at.above);
  };
  for (const root of new Set(units.map((u) => u.root))) look(root);
  for (const { values } of units) for (const v of values) valueBits = Math.max(valueBits, fractionBits(v));
  return {
    roots: units.map((u) => u.root),
    value: (unit, choice) => units[unit]!.values[choice]!,
    choices: units.reduce((n, u) => Math.max(n, u.values.length), 0),
    thresholds: units.map((u) => countDecisions(u.root)),
    thresholdBits,
    valueBits,
  };
}

/** What the trees give together, and the base values. */
function aggregated(
  context: RuleContext,
  leaves: Forms,
  attributes: AttributesOf<"TreeEnsembleRegressor">,
  node: Node,
): Forms {
  const { program } = context;
  const [batch, trees, targets] = leaves.dims as [number, number, number];
  const base = listed(attributes.base_values, attributes.base_values_as_tensor);
  const how = attributes.aggregate_function;
  const groups = Array.from({ length: batch * targets }, (_, k) =>
    Array.from(
      { length: trees },
      (_unused, t) => (Math.floor(k / targets) * trees + t) * targets + (k % targets),
    ),
  );
  const dims = [batch, targets];
  const joined =
    how === "MAX" || how === "MIN"
      ? program.extreme(leaves, groups, dims, how === "MAX" ? 1 : -1, describe(node))
      : program.combine([leaves], dims, describe(node), (rows, [terms]) => {
          for (const group of groups) {
            for (const place of group) rows.add(terms!, place, how === "AVERAGE" ? 1 / trees : 1);
            rows.endRow();
          }
        });
  if (base.length === 0) return joined;
  return program.combine([joined], dims, describe(node), (rows, [terms]) => {
    for (let k = 0; k < batch * targets; k++) {
      rows.add(terms!, k, 1);
      rows.shift(base[k % targets] ?? base[0]!);
      rows.endRow();
    }
  });
}

/** Each jumping operator's rule. */
export const jumpRules = (context: RuleContext): Rules<Forms> => ({
  QuantizeLinear: (inputs, attributes, node) => quantized(context, inputs, attributes, node),
  TreeEnsembleRegressor: ([x], attributes, node) => treeSums(context, x!, attributes, node),
});
