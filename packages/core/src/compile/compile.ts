// A formula in, a network out, with a certificate: the whole way.

import { type Certificate, sha256 } from "../check/certificate.ts";
import { CompileError } from "../formula/error.ts";
import { elaborated, type GraphReport, pruned, reportOf } from "../formula/function-graph.ts";
import type { FunctionGraph } from "../formula/nodes.ts";
import { checkDefined, expressionOf, rangesOf } from "../formula/range.ts";
import type { Graph } from "../graph/graph.ts";
import { writeModel } from "../graph/onnx/index.ts";
import type { Interval } from "../numbers/interval/index.ts";
import { type Sizes, sizes } from "../passes/sizes.ts";
import { type Emitted, emit } from "./emit.ts";
import type { ExpandedGraph, Polynomial } from "./expanded-graph.ts";
import type { MadeNode } from "./made-nodes.ts";
import { arithmetics, type Dtype } from "./precision.ts";
import { withinBudget } from "./within-budget.ts";

/** A variable of the formula and its interval. */
export interface BoxSide {
  readonly name: string;
  readonly lower: number;
  readonly upper: number;
}

export interface CompileOptions {
  readonly formula: string;
  readonly box: readonly BoxSide[];
  readonly eps: number;
  readonly dtype?: Dtype;
}

/** One node's share of the error, and what it bought. */
export interface BudgetEntry {
  readonly node: string;
  readonly id: number;
  readonly localError: number;
  readonly lipschitz: number;
  readonly units: number;
  readonly method: string;
}

export interface Compiled {
  readonly graph: Graph;
  /** The ONNX file. */
  readonly bytes: Uint8Array;
  readonly certificate: Certificate;
  readonly sizes: Sizes;
  readonly functionGraph: FunctionGraph;
  readonly report: GraphReport;
  readonly program: ExpandedGraph;
  readonly realized: readonly MadeNode[];
  readonly budget: readonly BudgetEntry[];
}

/** In f32 the inputs are numbers of f32: the box is rounded outward to them. */
function sides(box: readonly BoxSide[], dtype: Dtype): readonly Interval[] {
  return box.map(({ lower, upper }) => {
    if (dtype === "f64") return { lower, upper };
    const [low, high] = [Math.fround(lower), Math.fround(upper)];
    return {
      lower: low <= lower ? low : Math.fround(lower - Math.abs(lower) * 2 ** -23 - 2 ** -149),
      upper: high >= upper ? high : Math.fround(upper + Math.abs(upper) * 2 ** -23 + 2 ** -149),
    };
  });
}

function checkBox(box: readonly BoxSide[], eps: number): void {
  if (!(eps > 0) || !Number.isFinite(eps)) throw new CompileError(`eps is a positive number, not ${eps}`);
  for (const { name, lower, upper } of box) {
    if (!Number.isFinite(lower) || !Number.isFinite(upper) || lower > upper)
      throw new CompileError(`the box needs finite numbers in order for ${name}, not ${lower}..${upper}`);
  }
  const names = box.map((side) => side.name);
  const twice = names.find((name, k) => names.indexOf(name) < k);
  if (twice !== undefined) throw new CompileError(`the box has ${twice} twice`);
}

/**
 * Compiles a formula to a ReLU network that is within eps of it at every point of the box.
 * @example (await compile({ formula: "x^2", box: [{ name: "x", lower: -1, upper: 1 }], eps: 1e-8 })).sizes.hiddenUnits // 13
 */
export async function compile({ formula, box, eps, dtype = "f64" }: CompileOptions): Promise<Compiled> {
  checkBox(box, eps);
  const arithmetic = arithmetics[dtype];
  const whole = elaborated(
    formula,
    box.map((side) => side.name),
  );
  const graph = pruned(whole);
  checkDefined(whole, sides(box, dtype));
  const ranges = rangesOf(graph, sides(box, dtype));
  const { program, L, realized } = withinBudget(graph, ranges, eps, arithmetic);
  const emitted = emit(program, realized, arithmetic);
  const network: Graph = {
    ...emitted.graph,
    metadata: new Map([
      ["formula", formula],
      ["variables", box.map((side) => side.name).join(" ")],
    ]),
  };
  const bytes = writeModel(network);
  const certificate = await certificateOf({ formula, box, eps, dtype }, bytes, program, realized, emitted);
  return {
    graph: network,
    bytes,
    certificate,
    sizes: sizes(network),
    functionGraph: graph,
    report: reportOf(graph),
    program,
    realized,
    budget: budgetEntries(program, realized, L),
  };
}

async function certificateOf(
  { formula, box, eps, dtype }: Required<CompileOptions>,
  bytes: Uint8Array,
  program: ExpandedGraph,
  realized: readonly MadeNode[],
  { places, blocks }: Emitted,
): Promise<Certificate> {
  const output = realized[program.output]!;
  return {
    version: 1,
    formula,
    box: box.map(({ name, lower, upper }) => ({ name, lower, upper })),
    eps,
    certifiedError: output.runError,
    realError: output.error,
    dtype,
    network: { sha256: await sha256(bytes), input: "x", output: "y" },
    output: program.output,
    nodes: program.nodes.map((_, id) => certificateNodeOf(program, realized, places[id]!, id)),
    blocks: blocks.map((block) =>
      block.kind === "polynomial"
        ? { ...block, argument: block.nodes.map((id) => program.nodes[id]!.args[0]!) }
        : block,
    ),
  };
}

const pair = ({ lower, upper }: Interval): [number, number] => [lower, upper];

function certificateNodeOf(
  { nodes, ranges, serves }: ExpandedGraph,
  realized: readonly MadeNode[],
  place: { readonly tensor: string; readonly column: number },
  id: number,
): Certificate["nodes"][number] {
  const node = nodes[id]!;
  const servant = serves.get(id);
  return {
    id,
    op: node.op,
    args: [...node.args],
    ...(node.op === "variable" ? { name: node.name } : {}),
    ...(node.op === "affine"
      ? { coefficients: node.coefficients.map(pair), constant: pair(node.constant) }
      : {}),
    ...("exponent" in node && node.exponent !== undefined ? { exponent: node.exponent } : {}),
    ...(servant === undefined ? {} : { servant }),
    range: pair(ranges[id]!),
    error: realized[id]!.error,
    runError: realized[id]!.runError,
    ...place,
  };
}

function budgetEntries(
  program: ExpandedGraph,
  realized: readonly MadeNode[],
  L: readonly number[],
): readonly BudgetEntry[] {
  return program.order.flatMap((id) => {
    const { plan } = realized[id]!;
    if (plan.kind === "variable" || plan.kind === "affine") return [];
    return [
      {
        node: expressionOf(program, id),
        id,
        localError: plan.localError,
        lipschitz: L[id]!,
        units: plan.units,
        method: methodOf(plan, program.polynomials.get(id)),
      },
    ];
  });
}

/** A plan in a few words. */
export function methodOf(plan: MadeNode["plan"], polynomial?: Polynomial): string {
  switch (plan.kind) {
    case "square":
      return `square by ${plan.levels} folds`;
    case "product":
      return `product by two squares of ${plan.levels} folds`;
    case "spline": {
      const folds = plan.shifts.length === 0 ? "" : `${plan.shifts.length} folds and a `;
      return `${folds}spline of ${plan.spline.knots.length + 1} pieces`;
    }
    case "exact":
      return "exactly piecewise linear";
    case "polynomial":
      return polynomial && polynomial.pieces > 1
        ? `${polynomial.pieces} local polynomials of degree ${polynomial.degree}`
        : `polynomial of degree ${polynomial?.degree}`;
    default:
      return plan.kind;
  }
}
