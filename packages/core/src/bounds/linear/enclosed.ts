// Operators that have no relaxation: bounds of their outputs by the interval pass, from the bounds of their inputs.

import { GraphError } from "../../graph/error.ts";
import { describe, type Graph, type Node, outerReferences, subgraphs } from "../../graph/graph.ts";
import type { inferTypes } from "../../graph/infer.ts";
import { canonicalOpset } from "../../graph/upgrade.ts";
import { arePoints, emptyIntervals } from "../../numbers/interval/index.ts";
import {
  constantForms,
  type Forms,
  isConstant,
  RowWriter,
  rowCount,
  select,
} from "../../passes/affine/forms.ts";
import { type IntervalTensor, intervalPass } from "../../passes/interval.ts";
import type { Enclosure } from "./activation.ts";
import type { Context } from "./context.ts";

type Types = ReturnType<typeof inferTypes>;

/** A value that a node reads, and where its numbers begin among the rows. */
interface Given {
  readonly name: string;
  readonly type: IntervalTensor["type"];
  readonly forms: Forms;
  readonly first: number;
}

/** All that a node reads: its inputs, and what its bodies take from around. */
const readBy = (node: Node): readonly string[] => [
  ...new Set([...node.inputs.filter((n) => n), ...subgraphs(node).flatMap((g) => [...outerReferences(g)])]),
];

const graphOf = (node: Node, names: readonly string[]): Graph => ({
  name: node.name,
  inputs: names.map((name) => ({ name, type: { type: "undefined" } as const })),
  outputs: node.outputs.flatMap((name) => (name ? [{ name, type: { type: "undefined" } as const }] : [])),
  nodes: [node],
  initializers: new Map(),
  valueTypes: new Map(),
  opsets: new Map([["", canonicalOpset]]),
  irVersion: 9,
  metadata: new Map(),
  functions: [],
});

function givenTo(node: Node, values: ReadonlyMap<string, Forms>, types: Types): readonly Given[] {
  let first = 0;
  return readBy(node).map((name) => {
    const [forms, type] = [values.get(name), types.get(name)?.type];
    if (!forms || !type || type === "string" || type === "undefined")
      throw new GraphError(`${describe(node)}: the numbers of its input "${name}" are not known`);
    const given = { name, type, forms, first } as Given;
    if (!isConstant(forms)) first += rowCount(forms);
    return given;
  });
}

/** The wanted outputs of a node, from bounds of the rows that it reads. */
function enclosureOf(
  node: Node,
  given: readonly Given[],
  wanted: readonly string[],
  count: number,
): Enclosure {
  const graph = graphOf(
    node,
    given.map(({ name }) => name),
  );
  return (rowLower, rowUpper) => {
    const inputs = new Map(
      given.map(({ name, type, forms, first }) => {
        const { dims, constants } = forms;
        const end = first + rowCount(forms);
        const ends = isConstant(forms)
          ? { lower: constants, upper: constants }
          : { lower: rowLower.slice(first, end), upper: rowUpper.slice(first, end) };
        return [name, { type, dims, ...ends }] as const;
      }),
    );
    const values = intervalPass(graph, inputs);
    const result = emptyIntervals(count);
    let at = 0;
    for (const name of wanted) {
      const y = values.get(name);
      if (!y) throw new GraphError(`${describe(node)}: its output "${name}" has no bounds`);
      result.lower.set(y.lower, at);
      result.upper.set(y.upper, at);
      at += y.lower.length;
    }
    return result;
  };
}

/** Every element that is given, one row each. */
function rowsOf(given: readonly Given[]): Forms {
  const rows = new RowWriter();
  for (const { forms } of given)
    if (!isConstant(forms))
      for (let k = 0; k < rowCount(forms); k++) {
        rows.add(forms, k, 1);
        rows.endRow();
      }
  const all = rows.forms([]);
  return { ...all, dims: [rowCount(all)] };
}

/** The outputs of a node that somebody reads, known by bounds only; constants where they are single numbers. */
export function enclosedOutputs(
  { program, dims }: Context,
  node: Node,
  values: ReadonlyMap<string, Forms>,
  types: Types,
  isRead: (name: string) => boolean,
): readonly (Forms | undefined)[] {
  if (!(node.op in intervalPass.rules) || node.domain !== "")
    throw new GraphError(`the linear bounds pass cannot read ${describe(node)}`);
  const given = givenTo(node, values, types);
  const shapes = node.outputs.map((name, k) => (name && isRead(name) ? dims(node, k) : undefined));
  const sizes = shapes.map((shape) => shape?.reduce((n, d) => n * d, 1) ?? 0);
  const count = sizes.reduce((n, size) => n + size, 0);
  const wanted = node.outputs.filter((_, k) => shapes[k]);
  const enclosure = enclosureOf(node, given, wanted, count);
  const rows = rowsOf(given);
  const fixed = rowCount(rows) === 0 ? enclosure(rows.constants, rows.constants) : undefined;
  const all =
    fixed && arePoints(fixed)
      ? constantForms([count], fixed.lower)
      : program.enclosed(rows, [count], enclosure, describe(node));
  let first = 0;
  return shapes.map((shape, k) => {
    const from = first;
    first += sizes[k]!;
    return (
      shape &&
      select(
        all,
        Array.from({ length: sizes[k]! }, (_, i) => from + i),
        shape,
      )
    );
  });
}
