// What the page compiles: a formula on a box, up to eps. As a link has it, and as the command line has it.

export interface Side {
  readonly name: string;
  readonly lower: number;
  readonly upper: number;
}
export type Precision = "f32" | "f64";

export interface Problem {
  readonly formula: string;
  readonly box: readonly Side[];
  readonly eps: number;
  readonly dtype: Precision;
}

/** What is wrong with a problem, and at which part of it. */
export interface Trouble {
  readonly where: "formula" | "box" | "eps";
  readonly message: string;
  /** The character of the formula, counted from 1. */
  readonly at?: number;
  /** The variable of the box. */
  readonly name?: string;
}

/** More variables than these share one interval. */
export const mostSides = 8;

const usual = { lower: -1, upper: 1 } as const;

/** Sides for these variables: known ones stay, a new one gets the interval that all had, or -1..1. */
export function boxFor(names: readonly string[], known: readonly Side[]): readonly Side[] {
  const byName = new Map(known.map((side) => [side.name, side]));
  const rest = byName.get("") ?? usual;
  const common = names.length > mostSides ? (byName.get(names[0]!) ?? rest) : undefined;
  return names.map((name) => {
    const { lower, upper } = common ?? byName.get(name) ?? rest;
    return { name, lower, upper };
  });
}

/** What is wrong with the numbers of a box, or nothing. */
export function boxTrouble(box: readonly Side[]): Trouble | undefined {
  for (const { name, lower, upper } of box) {
    const where = "box" as const;
    if (!Number.isFinite(lower) || !Number.isFinite(upper))
      return { where, name, message: `${name} needs two numbers` };
    if (lower > upper)
      return { where, name, message: `${name} would go from ${lower} to ${upper}: the first is greater` };
  }
  return undefined;
}

const interval = ({ lower, upper }: Side): string => (lower === upper ? String(lower) : `${lower}..${upper}`);

/** `x=-1..1, y=0..6`, or `-1..1` where all variables share it. */
export function boxText(box: readonly Side[]): string {
  const [first] = box;
  if (first && box.length > mostSides) return interval(first);
  return box.map((side) => `${side.name && `${side.name}=`}${interval(side)}`).join(", ");
}

/** The sides of such a text; what cannot be read is left out. A side without a name is for all others. */
export function parseBox(text: string): readonly Side[] {
  return text.split(",").flatMap((entry) => {
    const [, name = "", range = ""] = /^\s*(?:([^=]*?)\s*=)?\s*([^=]*?)\s*$/.exec(entry) ?? [];
    const [from = "", to = from] = range.split("..");
    const [lower, upper] = [Number(from), Number(to)];
    const isRead = from !== "" && to !== "" && Number.isFinite(lower) && Number.isFinite(upper);
    return isRead ? [{ name, lower, upper }] : [];
  });
}

/** The line that compiles the same with the command line. No formula that can be read has a quote or a dollar. */
export function commandLine({ formula, box, eps, dtype }: Problem): string {
  const on = box.length === 0 ? "0..1" : boxText(box);
  const type = dtype === "f64" ? "" : ` --dtype ${dtype}`;
  return `lemmata compile "${formula}" --on "${on}" --eps ${eps}${type} --out net.onnx --certificate net.json`;
}

export type Query = Readonly<Record<string, string>>;

/** A problem as parameters of a link. */
export const problemQuery = ({ formula, box, eps, dtype }: Problem): Query => ({
  f: formula,
  ...(box.length > 0 && { on: boxText(box) }),
  eps: String(eps),
  ...(dtype !== "f64" && { dtype }),
});

/** The problem that a link has; what it does not say is as in the first example. */
export function problemOf(query: Query, usual: Problem): Problem {
  const { f: formula = usual.formula, on, eps: text = "", dtype } = query;
  const eps = Number(text);
  return {
    formula,
    box: on === undefined ? (formula === usual.formula ? usual.box : []) : parseBox(on),
    eps: eps > 0 && Number.isFinite(eps) ? eps : usual.eps,
    dtype: dtype === "f32" ? "f32" : "f64",
  };
}
