// A linear program by the simplex method on a table: the solver of small problems in a lemma, where nothing larger is at hand.
import type { LinearSolution } from "../../inverse/layerwise.ts";

/** Entries below this count as 0. */
const negligible = 1e-10;
/** Pivots, before it is given up: the rule of the greatest slope might go in circles. */
const mostTurns = 5000;

interface Program {
  readonly names: readonly string[];
  readonly isFree: readonly boolean[];
  /** a x <= b. */
  readonly rows: readonly { readonly a: readonly number[]; readonly b: number }[];
}

/** Problems of one kind: the least eps >= 0 with rows that all have "- 1 eps <=" or "+ 1 eps >=". */
function readProgram(text: string): Program {
  const [head, tail] = text.split("\nBounds\n") as [string, string];
  const bounds = tail.split("\n").map((line) => line.trim());
  const names = bounds.flatMap((line) => {
    const name = /^(?:0 <= )?(s\d+)(?: free)?$/.exec(line)?.[1];
    return name ? [name] : [];
  });
  const isFree = names.map((name) => bounds.includes(`${name} free`));
  const rows = head
    .split("Subject To\n")[1]!
    .split("\n")
    .map((line) => {
      const [left, sign, right] = line.replace(/^ *c\d+: /, "").split(/ (<=|>=) /) as [
        string,
        string,
        string,
      ];
      const factor = sign === "<=" ? 1 : -1;
      const a = new Array<number>(names.length + 1).fill(0);
      for (const [, plus, size, name] of left.matchAll(/([+-]) (\S+) (\w+)/g))
        a[name === "eps" ? names.length : names.indexOf(name!)]! +=
          factor * (plus === "-" ? -1 : 1) * Number(size);
      return { a, b: factor * Number(right) };
    });
  return { names, isFree, rows };
}

/** min eps: with eps as large as the worst row asks, 0 is feasible; from there by the greatest slope. */
export function plainLinearProgram(text: string): LinearSolution {
  const { names, isFree, rows } = readProgram(text);
  // Free variables as differences of two; eps is the last column before the right side.
  const split = names.flatMap((_, j) =>
    isFree[j] ? [[j, 1] as const, [j, -1] as const] : [[j, 1] as const],
  );
  const eps = split.length;
  const width = eps + rows.length + 2;
  const table = rows.map(({ a, b }, i) => {
    const row = new Float64Array(width);
    for (const [k, [j, sign]] of split.entries()) row[k] = sign * a[j]!;
    row[eps] = a[names.length]!;
    row[eps + 1 + i] = 1;
    row[width - 1] = b;
    return row;
  });
  const cost = new Float64Array(width);
  cost[eps] = 1;
  const basis = rows.map((_, i) => eps + 1 + i);
  const pivot = (r: number, c: number): void => {
    const row = table[r]!;
    const factor = 1 / row[c]!;
    for (let k = 0; k < width; k++) row[k]! *= factor;
    for (const other of [...table, cost]) {
      const share = other === row ? 0 : other[c]!;
      if (share !== 0) for (let k = 0; k < width; k++) other[k]! -= share * row[k]!;
    }
    basis[r] = c;
  };
  const worst = table.reduce((w, row, i) => (row[width - 1]! < table[w]![width - 1]! ? i : w), 0);
  if (table[worst]![width - 1]! < 0) pivot(worst, eps);
  for (let turn = 0; ; turn++) {
    if (turn === mostTurns) return { Status: "Iteration limit", ObjectiveValue: Number.NaN, Columns: {} };
    const c = cost.subarray(0, width - 1).reduce((w, v, k) => (v < cost[w]! ? k : w), 0);
    if (cost[c]! >= -negligible) break;
    let [best, at] = [Number.POSITIVE_INFINITY, -1];
    for (const [i, row] of table.entries()) {
      if (row[c]! <= negligible) continue;
      const ratio = Math.max(0, row[width - 1]!) / row[c]!;
      // Of rows that allow the same, the one with the greatest pivot rounds least.
      const isTie = ratio <= best + negligible && at >= 0 && row[c]! > table[at]![c]!;
      if (ratio < best - negligible || isTie) [best, at] = [ratio, i];
    }
    if (at < 0) return { Status: "Unbounded", ObjectiveValue: Number.NEGATIVE_INFINITY, Columns: {} };
    pivot(at, c);
  }
  const values = new Float64Array(names.length);
  for (const [i, row] of table.entries()) {
    const from = split[basis[i]!];
    if (from) values[from[0]]! += from[1] * row[width - 1]!;
  }
  const columns = Object.fromEntries(names.map((name, j) => [name, { Primal: values[j]! }]));
  return { Status: "Optimal", ObjectiveValue: -cost[width - 1]!, Columns: columns };
}
