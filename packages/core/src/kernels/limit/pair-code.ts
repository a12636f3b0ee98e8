// Formulas of Gaussian pairs as WebAssembly, two pairs an instruction. What depends on a row alone is found once a row, a root
// or quotient that depends on a column alone once for all rows; the rest runs over all pairs without a branch.
import type { PairArithmetic, PairFormula } from "../../functions/pair-formula.ts";
import {
  add,
  advance,
  type Code,
  constant,
  divided,
  f64,
  get,
  greater,
  i32,
  keep,
  lesser,
  loadTwice,
  minus,
  multiplied,
  number,
  pair,
  plus,
  set,
  shiftLeft,
  squareRoot,
  twice,
  v128,
  type WasmFunction,
  whileBelow,
} from "../../linear-algebra/wasm-code.ts";

/** Pairs, rows and columns that there is room for at once. */
export const mostPairs = 2048;
const bytes = 8 * mostPairs;
/**
 * Where things are, in bytes: room for the covariance and the tangent kernel of pairs whose arrays are elsewhere; the
 * variances of rows; those of columns, and behind them those of each pair's other side, and what was found of the columns.
 */
export const place = {
  k: 0,
  tangent: bytes,
  rows: 2 * bytes,
  columns: 3 * bytes,
  others: 4 * bytes,
} as const;
const [ofOthers, ofFound] = [bytes, 2 * bytes];

/** By what a value is settled. */
type Scope = "constant" | "row" | "column" | "pair";

interface Expression {
  readonly scope: Scope;
  readonly operands: readonly Expression[];
  /** What is done with the operands; of a leaf, how it is had. */
  readonly code: Code;
  /** Whether it takes as long as ten sums. */
  readonly isCostly: boolean;
}

const leaf = (scope: Scope, code: Code): Expression => ({ scope, operands: [], code, isCostly: false });

function applied(code: Code, operands: readonly Expression[]): Expression {
  const scopes = new Set(operands.map(({ scope }) => scope).filter((scope) => scope !== "constant"));
  const [only = "constant"] = scopes;
  const isCostly = code === squareRoot || code === divided || operands.some((x) => x.isCostly);
  return { scope: scopes.size > 1 ? "pair" : only, operands, code, isCostly };
}

/** Sums, products ... as expressions; each number is one expression, however often it is written. */
function expressions(): PairArithmetic<Expression> {
  const numbers = new Map<number, Expression>();
  const of =
    (code: Code) =>
    (...operands: Expression[]): Expression =>
      applied(code, operands);
  return {
    number(x) {
      const found = numbers.get(x) ?? leaf("constant", [...number.of(x), ...twice]);
      numbers.set(x, found);
      return found;
    },
    ...{ plus: of(plus), minus: of(minus), times: of(multiplied), over: of(divided) },
    ...{ root: of(squareRoot), greater: of(greater), lesser: of(lesser) },
  };
}

/** What the results are made of: values that are found before the loop over pairs, and how often each other one is used. */
interface Plan {
  readonly constants: readonly Expression[];
  readonly rows: readonly Expression[];
  /** In the order of their places. */
  readonly columns: readonly Expression[];
  readonly uses: ReadonlyMap<Expression, number>;
}

function planOf(results: readonly Expression[]): Plan {
  const uses = new Map<Expression, number>();
  const [constants, rows, columns]: Expression[][] = [[], [], []];
  const visit = (x: Expression): void => {
    const count = uses.get(x) ?? 0;
    uses.set(x, count + 1);
    if (count > 0) return;
    if (x.scope === "constant") constants!.push(x);
    else if (x.scope === "row") rows!.push(x);
    else if (x.scope === "column" && x.isCostly) columns!.push(x);
    else x.operands.forEach(visit);
  };
  results.forEach(visit);
  return { constants: constants!, rows: rows!, columns: columns!, uses };
}

/** The code of a value, operand by operand. */
const wholly = ({ operands, code }: Expression): Code => [...operands.flatMap(wholly), ...code];

/** Locals of `pairs`: its parameters, the addresses of the column and the row, where columns and rows end. */
const [rowCount, length, gap, covarianceAt, beforeAt, valueAt, intoAt, layer] = [0, 1, 2, 3, 4, 5, 6, 7];
const [columnAt, rowAt, columnEnd, rowEnd, variance] = [12, 13, 14, 15, 16];
const ofPairs = [covarianceAt, beforeAt, valueAt, intoAt];
/** Locals of `columns`: its parameter, and the variance. */
const [end, ofColumn] = [0, 2];

const loadColumn = (offset: number): Code => [...get(columnAt), ...pair.load(offset)];

/** The loop over the columns of a row. */
function pairsFunction(value: Expression, tangent: Expression, plan: Plan): WasmFunction {
  const locals = new Map<Expression, number>();
  const local = (x: Expression): number => {
    const found = locals.get(x) ?? variance + 1 + locals.size;
    locals.set(x, found);
    return found;
  };
  const early = new Set([...plan.constants, ...plan.rows]);
  const code = (x: Expression): Code => {
    if (early.has(x) || locals.has(x)) return get(local(x));
    const slot = plan.columns.indexOf(x);
    const found = slot >= 0 ? loadColumn(ofFound + bytes * slot) : [...x.operands.flatMap(code), ...x.code];
    return plan.uses.get(x)! > 1 ? [...found, ...keep(local(x))] : found;
  };
  const first = (values: readonly Expression[]): Code =>
    values.flatMap((x) => [...wholly(x), ...set(local(x))]);
  const [before, ofRow] = [first(plan.constants), first(plan.rows)];
  // The tangent kernel first: where there is none, both go to one place.
  const ofPair: Code = [
    ...[...get(intoAt), ...code(tangent), ...pair.store(0)],
    ...[...get(valueAt), ...code(value), ...pair.store(0)],
    ...[columnAt, ...ofPairs].flatMap((at) => advance(at, constant(16))),
  ];
  return {
    name: "pairs",
    parameters: [...new Array<number>(7).fill(i32), ...new Array<number>(5).fill(f64)],
    locals: [
      [4, i32],
      [1 + locals.size, v128],
    ],
    code: [
      ...[...before, ...constant(place.rows), ...set(rowAt)],
      ...[...get(rowAt), ...get(rowCount), ...constant(3), ...shiftLeft, ...add, ...set(rowEnd)],
      ...[...constant(place.columns), ...get(length), ...add, ...set(columnEnd)],
      ...whileBelow(rowAt, rowEnd, [
        ...[...get(rowAt), ...loadTwice(0), ...set(variance), ...ofRow],
        ...[...constant(place.columns), ...set(columnAt)],
        ...whileBelow(columnAt, columnEnd, ofPair),
        ...ofPairs.flatMap((at) => advance(at, get(gap))),
        ...advance(rowAt, constant(8)),
      ]),
    ],
  };
}

/** What is found of the columns; where the variance of a column was loaded in the loop over pairs, it is a local here. */
function columnsFunction({ columns }: Plan, b: Expression): WasmFunction {
  const column = 1;
  const code = (x: Expression): Code => (x === b ? get(ofColumn) : [...x.operands.flatMap(code), ...x.code]);
  return {
    name: "columns",
    parameters: [i32],
    locals: [
      [1, i32],
      [1, v128],
    ],
    code: [
      ...[...constant(place.columns), ...set(column)],
      ...whileBelow(column, end, [
        ...[...get(column), ...pair.load(0), ...set(ofColumn)],
        ...columns.flatMap((x, n) => [...get(column), ...code(x), ...pair.store(ofFound + bytes * n)]),
        ...advance(column, constant(16)),
      ]),
    ],
  };
}

export interface PairFunctions {
  /** Finds what depends on columns alone; `end` is the address behind the last variance. */
  columns(end: number): void;
  /**
   * All pairs of so many rows, each `length` bytes long and `gap` bytes from the next, at the addresses of the covariance, the
   * tangent kernel before, and of both behind a layer: see `LayerBehind`. Of an odd number of columns the last is written
   * with a number behind it.
   */
  pairs(
    rows: number,
    length: number,
    gap: number,
    k: number,
    before: number,
    value: number,
    into: number,
    ...layer: readonly [w: number, shift: number, own: number, before: number, tangentShift: number]
  ): void;
}

/**
 * The functions of a formula, and the bytes of memory that they use. With `own` the variance of u is another one for each pair
 * of the only row.
 */
export function pairFunctions(
  formula: PairFormula,
  own: boolean,
): { readonly functions: readonly WasmFunction[]; readonly memory: number } {
  const of = expressions();
  const load = (at: number): Expression => leaf("pair", [...get(at), ...pair.load(0)]);
  const a = own ? leaf("pair", loadColumn(ofOthers)) : leaf("row", get(variance));
  const b = leaf("column", loadColumn(0));
  const { value, slope } = formula(of, load(covarianceAt), a, b);
  const given = [0, 1, 2, 3, 4].map((n) => leaf("constant", [...get(layer + n), ...twice]));
  const [w, shift, ownPart, before, tangentShift] = given as [
    Expression,
    Expression,
    Expression,
    Expression,
    Expression,
  ];
  const { plus, times } = of;
  const tangent = times(slope, load(beforeAt));
  const results = [
    plus(times(w, value), shift),
    plus(plus(times(ownPart, value), times(before, tangent)), tangentShift),
  ] as const;
  const plan = planOf(results);
  return {
    functions: [columnsFunction(plan, b), pairsFunction(...results, plan)],
    memory: place.columns + ofFound + bytes * plan.columns.length,
  };
}
