// Writes the network: nodes of one kind that are ready at the same time are one block of vectors, so that the number of
// ONNX operators grows with the depth of the function graph, not with its size. Nothing is carried along: a value that
// is needed later is read later.

import type { CertificateBlock } from "../check/certificate.ts";
import { graph } from "../graph/builder.ts";
import type { Graph } from "../graph/graph.ts";
import type { Types, Value, Values } from "../graph/value.ts";
import { earliestStages } from "../numbers/dataflow.ts";
import { blockOf } from "./emit/blocks.ts";
import { Columns } from "./emit/columns.ts";
import type { Group } from "./emit/group.ts";
import { type ExpandedGraph, sourcesOf } from "./expanded-graph.ts";
import type { MadeNode } from "./made-nodes.ts";
import type { Plan } from "./plan.ts";
import type { Arithmetic } from "./precision.ts";

export interface Emitted {
  readonly graph: Graph;
  readonly blocks: readonly CertificateBlock[];
  /** Tensor and column of each node. */
  readonly places: readonly { readonly tensor: string; readonly column: number }[];
}

/** What must agree for two nodes to share a block. */
function keyOf(plan: Plan, op: string): string {
  switch (plan.kind) {
    case "square":
    case "product":
      return `${plan.kind} ${plan.levels}`;
    case "spline":
      return `spline ${plan.shifts.length} ${plan.spline.knots.length}`;
    case "exact":
      return `exact ${op}`;
    default:
      return plan.kind;
  }
}

/** Groups in an order in which they can be computed. */
function groupsOf(program: ExpandedGraph, realized: readonly MadeNode[]): readonly Group[] {
  const isMade = (id: number): boolean => realized[id]!.plan.kind !== "variable";
  const depth = earliestStages(
    program.order,
    (id) => sourcesOf(program, id),
    (id) => (isMade(id) ? 1 : 0),
  );
  const groups = new Map<string, number[]>();
  for (const id of program.order.filter(isMade)) {
    const key = `${depth[id]} ${keyOf(realized[id]!.plan, program.nodes[id]!.op)}`;
    const members = groups.get(key) ?? [];
    groups.set(key, members);
    members.push(id);
  }
  return [...groups.values()]
    .sort((a, b) => depth[a[0]!]! - depth[b[0]!]!)
    .map((ids) => ({
      ids,
      plans: ids.map((id) => realized[id]!.plan),
      sources: ids.map((id) => sourcesOf(program, id)),
    }));
}

/** The network of a realized program, from an input x [N, d] to an output y [N, 1]. */
export function emit(program: ExpandedGraph, realized: readonly MadeNode[], { type }: Arithmetic): Emitted {
  const variables = program.order.filter((id) => program.nodes[id]!.op === "variable").sort((a, b) => a - b);
  const blocks: CertificateBlock[] = [];
  const columns = new Columns();
  const body = ({ x }: Values<"x">): Values => {
    columns.place(x, variables);
    for (const group of groupsOf(program, realized)) {
      const { output, block } = blockOf(group, columns, x, program.nodes[group.ids[0]!]!.op);
      columns.place(output, group.ids);
      blocks.push(block);
    }
    const whole: Value = columns.select([program.output]);
    return { y: whole.op("Identity") };
  };
  const inputs = { x: { type, shape: ["N", variables.length] } } as const satisfies Types;
  const written = graph(inputs, body, { name: "compiled" });
  return {
    graph: written,
    blocks,
    places: program.nodes.map((_, id) => ({
      tensor: columns.of(id).tensor.name,
      column: columns.of(id).column,
    })),
  };
}
