// The steps of a compilation as text, for a person who wants to know why the network is as it is.

import { isUnivariate } from "../formula/nodes.ts";
import { expressionOf } from "../formula/range.ts";
import { univariateFunction } from "../functions/univariate.ts";
import type { Compiled } from "./compile.ts";
import { sourcesOf } from "./expanded-graph.ts";
import { splineCost } from "./plan/spline.ts";

const short = (x: number): string => String(Number(x.toPrecision(4)));
const longestList = 40;

/** So many of the lines as a person reads, and how many there are more. */
const cut = (lines: readonly string[]): readonly string[] =>
  lines.length > longestList
    ? [...lines.slice(0, longestList), `  ... and ${lines.length - longestList} more`]
    : lines;

/** Titles and lines, in the order of the steps. */
export function explain({
  certificate,
  functionGraph,
  program,
  realized,
  budget,
  report,
  sizes,
  graph,
}: Compiled): readonly string[] {
  const served = new Set(program.serves.keys());
  const own = functionGraph.nodes
    .map((_, id) => id)
    .filter((id) => functionGraph.nodes[id]!.op !== "variable");
  const nodeLines = own.map((id) => {
    const range = program.ranges[id]!;
    const sources = program.nodes[id]!.args.map((a) => `#${a}`).join(" ");
    return `  #${id}  ${expressionOf(functionGraph, id)}  in [${short(range.lower)}, ${short(range.upper)}]  from ${sources || "nothing"}`;
  });
  /** What a function by polynomials would take as a spline. */
  const rivalOf = ({ id, localError }: Compiled["budget"][number]): string => {
    const node = functionGraph.nodes[id];
    if (!node || !isUnivariate(node) || !program.polynomials.has(id)) return "";
    const f = univariateFunction(node.op, node.exponent);
    const units = splineCost(f, program.ranges[node.args[0]]!) / Math.sqrt(Math.max(localError, 1e-300));
    return `  (cheaper than a spline: about ${short(Math.ceil(units))} units)`;
  };
  const budgetLines = budget.map(
    (b) =>
      `  #${b.id}  ${b.node}: ${b.method}, ${b.units} units, local error ${b.localError.toExponential(2)} x sensitivity ${short(b.lipschitz)}${served.has(b.id) ? `  (serves #${program.serves.get(b.id)})` : rivalOf(b)}`,
  );
  const errorLines = program.order
    .filter((id) => program.nodes[id]!.op !== "variable")
    .map((id) => {
      const sources = sourcesOf(program, id).map((s) => `#${s}`);
      return `  #${id}: ${realized[id]!.error.toExponential(3)} as a real function, ${realized[id]!.runError.toExponential(3)} in a run  (from ${sources.slice(0, 6).join(" ")}${sources.length > 6 ? " ..." : ""})`;
    });
  return [
    `0. Parsed: ${expressionOf(functionGraph, functionGraph.output)}`,
    "1. Function graph: each node has few variables, equal subexpressions are one node",
    ...cut(nodeLines),
    `  ${report.nodes} nodes of at most ${report.maxArity} variables, depth ${report.depth} (checked); ranges are proved`,
    "2. Budget: local errors that need the fewest units while sum sensitivity x local error <= eps (local errors proved, sensitivities estimated)",
    ...cut(budgetLines),
    "3. Errors carried forward through the nodes as they are realized (proved)",
    ...cut(errorLines),
    `4. Network: ${certificate.blocks.length} blocks, ${graph.nodes.length} ONNX operators, ${sizes.hiddenUnits} units in ${sizes.depth} layers (checked)`,
    ...cut(
      certificate.blocks.map(
        (b) => `  ${b.output}: ${b.kind} of ${b.nodes.length} node${b.nodes.length === 1 ? "" : "s"}`,
      ),
    ),
  ];
}
