// What the page shows of a compilation: plain data.
import type { Compiled } from "@lemmata/core/compile";
import { methodOf, theoryUnits } from "@lemmata/core/compile";
import { expressionOf } from "@lemmata/core/formula";
import type { Graph } from "@lemmata/core/graph";
import type { Problem } from "./problem.ts";

/** A node of the function graph, how it is realized and what that costs. */
export interface NodeView {
  readonly id: number;
  readonly text: string;
  readonly op: string;
  readonly args: readonly number[];
  readonly range: readonly [number, number];
  /** What the node itself errs by, and what its value in the network errs by in all (proved). */
  readonly localError: number;
  readonly error: number;
  /** The part of eps that goes to it: sensitivity times local error, its servants' included. */
  readonly share: number;
  readonly units: number;
  readonly method: string;
}

export interface CompiledView {
  readonly problem: Problem;
  readonly graph: Graph;
  readonly bytes: Uint8Array;
  /** JSON, as `lemmata compile --certificate` writes it. */
  readonly certificate: string;
  readonly certifiedError: number;
  readonly realError: number;
  readonly units: number;
  readonly layers: number;
  readonly weights: number;
  readonly nonzeros: number;
  readonly nodes: readonly NodeView[];
  readonly output: number;
  readonly theory: { readonly deepUnits: number; readonly shallowUnits: number };
  readonly seconds: number;
}

/** A node's entry of the budget, added up with those of the nodes that serve it. */
function sharesOf({ budget, program }: Compiled, eps: number) {
  const shares = new Map<number, { units: number; share: number }>();
  for (const { id, units, localError, lipschitz } of budget) {
    const owner = program.serves.get(id) ?? id;
    const known = shares.get(owner) ?? { units: 0, share: 0 };
    const own = (localError * lipschitz) / eps;
    shares.set(owner, { units: known.units + units, share: known.share + (Number.isFinite(own) ? own : 0) });
  }
  return shares;
}

const methods: Readonly<Record<string, string>> = { variable: "an input", affine: "a weighted sum" };

function nodeViews(compiled: Compiled, eps: number): readonly NodeView[] {
  const { functionGraph, program, realized } = compiled;
  const shares = sharesOf(compiled, eps);
  return functionGraph.nodes.map((node, id) => {
    const { plan, runError } = realized[id]!;
    const { lower, upper } = program.ranges[id]!;
    const method = methodOf(plan, program.polynomials.get(id));
    const { units, share } = shares.get(id) ?? { units: 0, share: 0 };
    return {
      ...{ id, text: expressionOf(functionGraph, id), op: node.op, args: [...node.args] },
      range: [lower, upper],
      localError: plan.localError,
      ...{ error: runError, share, units, method: methods[method] ?? method },
    };
  });
}

/** The view of a compilation that took so many seconds. */
export function compiledView(compiled: Compiled, problem: Problem, seconds: number): CompiledView {
  const { certificate, sizes, functionGraph, graph, bytes } = compiled;
  const { deepUnits, shallowUnits } = theoryUnits(functionGraph, problem.eps);
  return {
    ...{ problem, graph, bytes, seconds },
    certificate: `${JSON.stringify(certificate)}\n`,
    certifiedError: certificate.certifiedError,
    realError: certificate.realError,
    units: sizes.hiddenUnits ?? 0,
    layers: sizes.depth,
    weights: sizes.parameters,
    nonzeros: sizes.nonzeros,
    nodes: nodeViews(compiled, problem.eps),
    output: functionGraph.output,
    theory: { deepUnits, shallowUnits },
  };
}
