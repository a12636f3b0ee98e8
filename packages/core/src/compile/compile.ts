// A formula in, a network out, with a certificate: the whole way.
import type { Interval } from "../engine/interval.ts";
import type { Graph } from "../graph/graph.ts";
import { writeModel } from "../graph/onnx/index.ts";
import { type Sizes, sizes } from "../passes/sizes.ts";
import { budgetOf, sensitivities, sharesOf } from "./budget.ts";
import { type Certificate, sha256 } from "./certificate.ts";
import { type Emitted, emit } from "./emit.ts";
import { CompileError } from "./error.ts";
import { type FunctionGraph, functionGraph, type GraphReport, reportOf } from "./function-graph.ts";
import { chooseMethods } from "./methods.ts";
import { type Arithmetic, arithmetics, type Precision } from "./precision.ts";
import { type Program, programOf } from "./program.ts";
import { expressionOf, rangesOf } from "./range.ts";
import { type Realized, realize } from "./realize.ts";

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
  readonly dtype?: Precision;
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
  readonly program: Program;
  readonly realized: readonly Realized[];
  readonly budget: readonly BudgetEntry[];
}

/** In f32 the inputs are numbers of f32: the box is rounded outward to them. */
function sides(box: readonly BoxSide[], dtype: Precision): readonly Interval[] {
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

/** Inner errors that have no bound at this scale of the budget come from rounding. */
const leastScale = 2 ** -12;

/**
 * The largest scale of the budget for which the certified error is at most eps, nearly. Rounding does not shrink with
 * the budget: where a smaller one brings nothing more, eps cannot be met.
 */
function fitted(
  program: Program,
  L: readonly number[],
  eps: number,
  arithmetic: Arithmetic,
): readonly Realized[] {
  const truncated = [...program.polynomials].reduce((sum, [id, p]) => sum + L[id]! * p.truncation, 0);
  const deltas = budgetOf(sharesOf(program, eps), Math.max(eps - truncated, eps / 8));
  const attempt = (scale: number): readonly Realized[] =>
    realize(program, new Map([...deltas].map(([id, delta]) => [id, delta * scale])), arithmetic);
  // An inner value without bound could be infinite in a run, whatever comes after it.
  const errorOf = (found: readonly Realized[]): number =>
    found.every((r) => Number.isFinite(r.runError))
      ? found[program.output]!.runError
      : Number.POSITIVE_INFINITY;
  let scale = 1;
  let best = attempt(scale);
  while (errorOf(best) > eps) {
    scale /= 2;
    const next = attempt(scale);
    const isBetter = errorOf(next) < errorOf(best) && errorOf(next) <= 0.95 * errorOf(best);
    // Without any bound yet, a smaller budget may still keep the arguments where their functions are approximated.
    const least = errorOf(next) < Number.POSITIVE_INFINITY ? 1 / 8 : leastScale;
    if (errorOf(next) > eps && !isBetter && scale < least)
      throw new CompileError(hindrance(program, best, L, eps));
    if (errorOf(next) <= eps || isBetter) best = next;
  }
  let [low, high] = [scale, scale === 1 ? 4 : 2 * scale];
  for (let step = 0; step < 6; step++) {
    const middle = Math.sqrt(low * high);
    const found = attempt(middle);
    if (errorOf(found) <= eps) [low, best] = [middle, found];
    else high = middle;
  }
  return best;
}

/** Which node keeps the error above eps, and what of the error is rounding if that is the larger part. */
function hindrance(program: Program, found: readonly Realized[], L: readonly number[], eps: number): string {
  const refused = `eps ${eps} cannot be met: `;
  const unbounded = program.order.find((id) => !Number.isFinite(found[id]!.runError));
  if (unbounded !== undefined)
    return `${refused}no bound is known for the error of a run at the node ${expressionOf(program, unbounded)}`;
  const cost = (id: number): number => L[id]! * (found[id]!.plan.localError + found[id]!.plan.rounding);
  const worst = program.order.reduce((most, id) => (cost(id) > cost(most) ? id : most), program.output);
  const { localError, rounding } = found[worst]!.plan;
  const isRounding = rounding > localError;
  const total = found[program.output]!.runError;
  const share = Math.min(total, L[worst]! * (isRounding ? rounding : localError)).toExponential(1);
  const part = isRounding ? `rounding may cost ${share} at` : `${share} may come from`;
  return `${refused}the error stays at ${total.toExponential(1)}; ${part} the node ${expressionOf(program, worst)}`;
}

/**
 * Compiles a formula to a ReLU network that is within eps of it at every point of the box.
 * @example (await compile({ formula: "x^2", box: [{ name: "x", lower: -1, upper: 1 }], eps: 1e-8 })).sizes.hiddenUnits // 13
 */
export async function compile({ formula, box, eps, dtype = "f64" }: CompileOptions): Promise<Compiled> {
  checkBox(box, eps);
  const arithmetic = arithmetics[dtype];
  const graph = functionGraph(
    formula,
    box.map((side) => side.name),
  );
  const ranges = rangesOf(graph, sides(box, dtype));
  const plain = programOf(graph, ranges, { monomials: new Set(), expansions: new Map() });
  const deltas = budgetOf(sharesOf(plain, eps), eps);
  const program = programOf(graph, ranges, chooseMethods(plain, deltas, arithmetic));
  const L = sensitivities(program, eps);
  const realized = fitted(program, L, eps, arithmetic);
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
  program: Program,
  realized: readonly Realized[],
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
  { nodes, ranges, serves }: Program,
  realized: readonly Realized[],
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
  program: Program,
  realized: readonly Realized[],
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
        method: methodOf(plan),
      },
    ];
  });
}

/** A plan in a few words. */
export function methodOf(plan: Realized["plan"]): string {
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
      return `polynomial of ${plan.weights.length} powers`;
    default:
      return plan.kind;
  }
}
