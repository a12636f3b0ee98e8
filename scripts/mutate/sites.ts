// Where a file's mathematics can be damaged: operators swapped, constants changed, signs flipped.
import { parseAst } from "vite";

/** A damage: text put in at places of the file, so that `$m` decides at run time whether it is done. */
export interface Site {
  readonly line: number;
  /** What stands on it. */
  readonly code: string;
  /** What it does, as a person would say it: `+ becomes -`. */
  readonly says: string;
  readonly edits: (id: number) => readonly Edit[];
}

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const swapped: Readonly<Record<string, string>> = {
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "**": "*",
  "%": "+",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
};
/** Between numbers that are no counts, an end that is in or out is no change but at one point: the comparison is turned. */
const turned: Readonly<Record<string, string>> = { "<": ">=", "<=": ">", ">": "<=", ">=": "<" };
const otherFunction: Readonly<Record<string, string>> = {
  max: "min",
  min: "max",
  floor: "ceil",
  ceil: "floor",
  sqrt: "abs",
  exp: "expm1",
  log: "log1p",
  cos: "sin",
  sin: "cos",
};

const words: Readonly<Record<string, string>> = {
  "+": "plus",
  "-": "minus",
  "*": "times",
  "/": "over",
  "**": "power",
  "%": "modulo",
  "<": "below",
  "<=": "atMost",
  ">": "above",
  ">=": "atLeast",
  "===": "same",
  "!==": "other",
};
/** `$plus_minus`: what a file calls the function that adds, or subtracts when it is damaged. */
const operationName = (operator: string, becomes: string): string => `$${words[operator]}_${words[becomes]}`;

/** Types, messages and imports are no mathematics. */
const passedOver = new Set([
  "ImportDeclaration",
  "ThrowStatement",
  "TemplateLiteral",
  "ExportAllDeclaration",
]);
const expressions = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"]);
const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Partial<Node>).type === "string";

export function findSites(source: string): Site[] {
  const sites: Site[] = [];
  const lineStarts = [0, ...[...source.matchAll(/\n/g)].map((m) => m.index + 1)];
  const lines = source.split("\n");
  const lineOf = (place: number) => lineStarts.findLastIndex((start) => start <= place) + 1;
  const found = (node: Node, says: string, edits: Site["edits"]) =>
    sites.push({ line: lineOf(node.start), code: lines[lineOf(node.start) - 1]!, says, edits });
  const text = (node: Node): string => source.slice(node.start, node.end);
  /** `name(id, ` before the node and `)` after it. */
  const wrapped = (node: Node, name: string, id: number, rest = ""): Edit[] => [
    { start: node.start, end: node.start, text: `${name}(${id}, ` },
    { start: node.end, end: node.end, text: `${rest})` },
  ];

  /** Tolerances and how often something is repeated say how long to go on, not what is computed. */
  function isPatience({ value }: Node, parent: Node | undefined): boolean {
    if (typeof value !== "number") return false;
    const isLimit = parent?.type === "BinaryExpression" && /^<=?$/.test(parent["operator"] as string);
    return (value !== 0 && Math.abs(value) < 1e-6) || (value >= 16 && isLimit);
  }

  function binary(node: Node, parent: Node | undefined): void {
    const [left, right] = [node["left"] as Node, node["right"] as Node];
    const operator = node["operator"] as string;
    const counts = parent?.["test"] === node && parent.type === "ForStatement";
    const isCount = counts || /\.(length|size)\b|^[1-9]\d*$/m.test(`${text(left)}\n${text(right)}`);
    const becomes = (isCount ? undefined : turned[operator]) ?? swapped[operator];
    const isText = (side: Node) => side.type === "TemplateLiteral" || typeof side["value"] === "string";
    if (!becomes || isText(left) || isText(right) || isPatience(right, node)) return;
    const place = source.indexOf(operator, left.end);
    const isTypeTest =
      /^(===|!==)$/.test(operator) && /typeof|undefined|null/.test(source.slice(node.start, node.end));
    if (place < 0 || place >= right.start || isTypeTest) return;
    found(node, `${operator} becomes ${becomes}`, (id) => [
      ...wrapped(node, operationName(operator, becomes), id),
      { start: place, end: place + operator.length, text: "," },
    ]);
  }

  function visit(node: Node, parent: Node | undefined): void {
    if (passedOver.has(node.type) || (node.type.startsWith("TS") && !expressions.has(node.type))) return;
    const isKey = parent?.["key"] === node && parent?.["computed"] !== true;
    if (node.type === "BinaryExpression") binary(node, parent);
    else if (
      node.type === "Literal" &&
      typeof node["value"] === "number" &&
      !isKey &&
      !isPatience(node, parent)
    ) {
      const value = node["value"];
      const other = value === 0 ? 1 : Number.isInteger(value) ? value + 1 : value * 2;
      found(node, `${value} becomes ${other}`, (id) => wrapped(node, "$m.constant", id, `, ${other}`));
    } else if (node.type === "UnaryExpression" && node["operator"] === "-") {
      found(node, "a minus is lost", (id) => [
        { start: node.start, end: node.start + 1, text: `$m.minus(${id}, ` },
        { start: node.end, end: node.end, text: ")" },
      ]);
    } else if (node.type === "AssignmentExpression" && /^[+-]=$/.test(node["operator"] as string)) {
      found(node, `${node["operator"]} has the other sign`, (id) =>
        wrapped(node["right"] as Node, "$m.sign", id),
      );
    } else if (node.type === "CallExpression") {
      const callee = node["callee"] as Node;
      const name = /^Math\.(\w+)$/.exec(text(callee))?.[1] ?? "";
      const other = otherFunction[name];
      if (other)
        found(node, `${name} becomes ${other}`, (id) => wrapped(callee, "$m.choose", id, `, Math.${other}`));
    }
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, node);
    }
  }
  visit(parseAst(source, { lang: "ts" }) as unknown as Node, undefined);
  return sites;
}

/** The file with all its damages in it, each asleep until `$m` is told its number. */
export function instrument(source: string, sites: readonly (Site & { readonly id: number })[]): string {
  const edits = sites.flatMap((site) => site.edits(site.id));
  // At one place, what closes comes first and inner before outer; what opens comes in the order found, outer first.
  const closes = (e: Edit) => e.text.endsWith(")");
  const ordered = edits
    .map((edit, k) => ({ ...edit, rank: closes(edit) ? -k : k + 1 }))
    .toSorted((a, b) => a.start - b.start || a.rank - b.rank);
  let [text, at] = ["", 0];
  for (const { start, end, text: put } of ordered) {
    text += source.slice(at, start) + put;
    at = Math.max(at, end);
  }
  text += source.slice(at);
  // The functions of operators are the file's own: on their first line, so that lines keep their numbers.
  const used = new Set([...text.matchAll(/\$\w+_\w+(?=\()/g)].map(([name]) => name));
  const pairs = Object.entries(words).flatMap(([operator, word]) =>
    Object.entries(words).map(([becomes, other]) => ({ operator, becomes, name: `$${word}_${other}` })),
  );
  const own = pairs
    .filter(({ name }) => used.has(name))
    .map((p) => `const ${p.name} = $m.operation("${p.operator}", "${p.becomes}");`);
  return `${own.join(" ")} ${text}`;
}
