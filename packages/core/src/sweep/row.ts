// What a job found, as one row of numbers and words.

export type Scalar = number | string | boolean | null;
export type Row = Readonly<Record<string, Scalar>>;

/** Lists of this length or less are cells, as JSON; longer ones are data, not results. */
const longestList = 64;

/** Names that were made before: every job of a sweep has the same. */
const names = new Map<string, string>();
const mostNames = 10_000;

/** A name that SQL reads without quotes: `sup error` is `sup_error`. */
export function columnName(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = sqlName(text);
  if (names.size < mostNames) names.set(text, name);
  return name;
}

const sqlName = (text: string): string => {
  const name = text
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1_$2")
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();
  return /^\p{N}/u.test(name) || name === "" ? `_${name}` : name;
};

const isScalar = (value: unknown): value is Scalar =>
  value === null || ["number", "string", "boolean"].includes(typeof value);

const isCell = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= longestList && value.every(isScalar);

/** A list of things with names, or with ids: each of them is a part under its name. */
function named(list: readonly unknown[]): readonly (readonly [string, unknown])[] | undefined {
  const parts = list.map((item) => {
    const { name, id = name, ...rest } = (item ?? {}) as Record<string, unknown>;
    return typeof id === "string" ? ([id, rest] as const) : undefined;
  });
  return parts.length > 0 && parts.every((part) => part !== undefined) ? parts : undefined;
}

function partsOf(value: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value)) return named(value) ?? [];
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/**
 * A result as one row: parts of parts have names like `train_loss`; long lists are left out.
 * @example rowOf({ testLoss: 0.5, model: { units: 3 } }) // { test_loss: 0.5, model_units: 3 }
 */
export function rowOf(result: unknown): Row {
  const row: Record<string, Scalar> = {};
  const visit = (value: unknown, path: readonly string[]): void => {
    const name = columnName(path.join("_"));
    if (isScalar(value)) set(row, name, value);
    else if (isCell(value)) set(row, name, JSON.stringify(value));
    else for (const [part, inner] of partsOf(value)) visit(inner, [...path, columnName(part)]);
  };
  for (const [part, inner] of partsOf(result)) visit(inner, [part]);
  return row;
}

/** JSON has no NaN and no infinities: they are words. */
const writable = (value: Scalar): Scalar =>
  typeof value === "number" && !Number.isFinite(value) ? String(value) : value;

/** Two parts may have the same name once they are joined: none is lost. */
function set(row: Record<string, Scalar>, name: string, value: Scalar): void {
  let free = name;
  for (let k = 2; Object.hasOwn(row, free); k++) free = `${name}_${k}`;
  row[free] = writable(value);
}

/**
 * What is known of a job and what it found, in one row. SQL does not tell N from n: of two such names the later is changed.
 * @example joinRows({ n: 3 }, { N: 4, m: 5 }) // { n: 3, result_N: 4, m: 5 }
 */
export function joinRows(known: Row, found: Row): Row {
  const [before, after] = [Object.keys(known), Object.keys(found)];
  const names = joinedNames(before, after);
  const row: Record<string, Scalar> = {};
  for (const [k, name] of before.entries()) row[names[k]!] = writable(known[name]!);
  for (const [k, name] of after.entries()) row[names[before.length + k]!] = writable(found[name]!);
  return row;
}

/** The last answer: the rows of a sweep mostly have the same names. */
let last:
  | readonly [before: readonly string[], after: readonly string[], names: readonly string[]]
  | undefined;
const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, k) => name === b[k]);

function joinedNames(before: readonly string[], after: readonly string[]): readonly string[] {
  if (last && same(last[0], before) && same(last[1], after)) return last[2];
  const taken = new Set<string>();
  const free = (name: string, other: (name: string) => string): string => {
    let chosen = name;
    while (taken.has(chosen.toLowerCase())) chosen = other(chosen);
    taken.add(chosen.toLowerCase());
    return chosen;
  };
  const names = [
    ...before.map((name) => free(name, (n) => `${n}_2`)),
    ...after.map((name) => free(name, (n) => `result_${n}`)),
  ];
  last = [before, after, names];
  return names;
}
