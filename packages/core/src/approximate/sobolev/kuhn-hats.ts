// Hats without products: on Kuhn's triangulation of the grid, phi_m = relu(1 - max(0, u) + min(0, u)), u = W(x) - m.
// W maps the box to [0, cells]^d and is constant near the nodes, so that the hats have the supports of products of bumps.
import { combine, type Form, form, shifted, substitute, variable } from "../../networks/circuit/form.ts";
import type { GridAxis } from "./axis.ts";
import { type Carried, positiveValue, pushWith } from "./gate-stage.ts";
import { type AxisForms, ofOneAxis } from "./grid-units.ts";
import type { LayerWriter, Locality, UnitRow } from "./layer-writer.ts";
import { nodeTuples } from "./taylor-data.ts";

/** sum_m m psi_m: a staircase with ramps. */
export const staircaseForm = ({ bumps }: AxisForms): Form =>
  combine(bumps.map((bump, m) => [m, bump] as const));

/** Of the hats, those with |u_k| <= 1 for all k may be positive when rounded; all together are 1. */
const localityOf = (dimension: number): Locality => ({ count: 3 ** dimension, total: 1 });

/** All hats, in the order of `nodeTuples`, as forms of a new layer of local units. */
export function kuhnHats(
  writer: LayerWriter,
  axes: readonly GridAxis[],
  forms: readonly AxisForms[],
  carried: readonly Carried[],
): readonly Form[] {
  if (axes.length === 1) return forms[0]!.bumps;
  const stairs = forms.map((f, k) => positiveValue(staircaseForm(f), axes[k]!.cells, ofOneAxis));
  pushWith(writer, [...stairs, ...carried]);
  const rows =
    axes.length === 2 ? planeRows(writer, axes, stairs, carried) : treeRows(writer, axes, stairs, carried);
  return pushWith(writer, carried, rows, localityOf(axes.length));
}

const hatRow = (of: Form): UnitRow => ({ of, most: 1, local: true });

/** In the plane max(0, u) - min(0, u) = (|u_1| + |u_2| + |u_1 - u_2|) / 2 = relu(u_1) + relu(u_2) + relu(u_1 - u_2) - u_1. */
function planeRows(
  writer: LayerWriter,
  [first, second]: readonly GridAxis[],
  [a, b]: readonly Carried[],
  carried: readonly Carried[],
): UnitRow[] {
  const most = first!.cells + second!.cells;
  const above = (of: Form, from: number, to: number): UnitRow[] =>
    Array.from({ length: to - from + 1 }, (_, k) => ({ of: shifted(of, -(from + k)), most }));
  const gap = combine([
    [1, a!.form],
    [-1, b!.form],
  ]);
  const rows = [
    ...above(a!.form, 0, first!.cells),
    ...above(b!.form, 0, second!.cells),
    ...above(gap, -second!.cells, first!.cells),
  ];
  const units = pushWith(writer, carried, rows);
  const [ofSecond, ofGap] = [first!.cells + 1, first!.cells + second!.cells + 2 + second!.cells];
  return [...nodeTuples([first!, second!])].map(([m, n]) =>
    hatRow(
      combine([
        [1, units[0]!], // relu(W_1 - 0) = W_1
        [-1, units[m!]!],
        [-1, units[ofSecond + n!]!],
        [-1, units[ofGap + m! - n!]!],
        [1, form([], 1 - m!)],
      ]),
    ),
  );
}

/** Greatest and least of the u_k of some axes (and of 0), for each tuple of their nodes. */
interface Group {
  /** Axes; none for the number 0. */
  readonly axes: readonly number[];
  readonly of: ReadonlyMap<string, { readonly max: Form; readonly min: Form }>;
}

/** max(g, h) = g + relu(h - g) and min(g, h) = g - relu(g - h), pair by pair up a tree. */
function treeRows(
  writer: LayerWriter,
  axes: readonly GridAxis[],
  stairs: readonly Carried[],
  carried: readonly Carried[],
): UnitRow[] {
  const most = 2 * Math.max(...axes.map((a) => a.cells));
  const zero = form();
  let groups: Group[] = [
    { axes: [], of: new Map([["", { max: zero, min: zero }]]) },
    ...stairs.map(({ form: of }, k): Group => {
      const values = Array.from({ length: axes[k]!.cells + 1 }, (_, m) => shifted(of, -m));
      return { axes: [k], of: new Map(values.map((u, m) => [`${m}`, { max: u, min: u }])) };
    }),
  ];
  while (groups.length > 1) groups = joinPairs(writer, groups, most, carried);
  const all = groups[0]!;
  return [...nodeTuples(axes)].map((tuple) => {
    const { max, min } = all.of.get(all.axes.map((k) => tuple[k]!).join(" "))!;
    return hatRow(
      combine([
        [1, form([], 1)],
        [-1, max],
        [1, min],
      ]),
    );
  });
}

function joinPairs(
  writer: LayerWriter,
  groups: readonly Group[],
  most: number,
  carried: readonly Carried[],
): Group[] {
  const rows: UnitRow[] = [];
  const places = new Map<string, number>();
  /** relu(of), each form once. */
  const unit = (of: Form): number => {
    const key = `${of.constant} ${[...of.terms].sort((a, b) => a[0] - b[0]).join(" ")}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, rows.length);
    return rows.push({ of, most }) - 1;
  };
  const passed = (of: Form): Form => substitute(of, (k) => variable(unit(variable(k))));
  const difference = (a: Form, b: Form): Form =>
    combine([
      [1, a],
      [-1, b],
    ]);
  const joined: Group[] = [];
  for (let k = 0; k < groups.length; k += 2) {
    const [g, h] = [groups[k]!, groups[k + 1]];
    const of = new Map<string, { readonly max: Form; readonly min: Form }>();
    for (const [i, a] of g.of)
      for (const [j, b] of h?.of ?? [["", undefined] as const]) {
        if (!b) {
          of.set(i, { max: passed(a.max), min: passed(a.min) });
          continue;
        }
        // For single numbers both need relu(b - a) alone: min(a, b) = b - relu(b - a).
        const single = a.max === a.min && b.max === b.min;
        const above = variable(unit(difference(b.max, a.max)));
        of.set([i, j].filter((part) => part !== "").join(" "), {
          max: combine([
            [1, passed(a.max)],
            [1, above],
          ]),
          min: single
            ? difference(passed(b.min), above)
            : difference(passed(a.min), variable(unit(difference(a.min, b.min)))),
        });
      }
    joined.push({ axes: [...g.axes, ...(h?.axes ?? [])], of });
  }
  const units = pushWith(writer, carried, rows);
  const inUnits = (f: Form): Form => substitute(f, (k) => units[k]!);
  return joined.map((group) => ({
    axes: group.axes,
    of: new Map([...group.of].map(([key, { max, min }]) => [key, { max: inUnits(max), min: inUnits(min) }])),
  }));
}
