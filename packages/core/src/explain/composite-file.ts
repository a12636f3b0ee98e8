// Composites that users write: a JSON file with the place and the rule of each line.
import { parseRule } from "../passes/relevance.ts";
import type { Composite, CompositeLine, Place } from "./composite.ts";
import { ExplainError } from "./error.ts";

const places = new Set([
  "first",
  "first-convolution",
  "last",
  "lower",
  "convolution",
  "dense",
  "layer",
  "sum",
  "activation",
]);
const products = new Set(["all", "prop", "half"]);

/**
 * { "name": ..., "product": "all", "rules": [{ "at": "first", "rule": "flat" }, { "node": "conv2", "rule": "gamma=0.1" }] }
 * @example readComposite('{ "rules": [{ "at": "layer", "rule": "epsilon=0.1" }] }').lines.length // 1
 */
export function readComposite(text: string): Composite {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new ExplainError(`a composite is JSON, and this is none: ${(error as Error).message}`);
  }
  const record = objectOf(json, "a composite");
  onlyKeys(record, ["name", "product", "rules"], "a composite");
  const { name = "own", product = "all", rules } = record;
  if (typeof name !== "string") throw new ExplainError("the name of a composite is a text");
  if (typeof product !== "string" || !products.has(product))
    throw new ExplainError('"product" is all, prop or half');
  if (!Array.isArray(rules) || rules.length === 0)
    throw new ExplainError('a composite has "rules": a list of { "at": PLACE, "rule": RULE }');
  return { name, product: product as Composite["product"], lines: rules.map(lineOf) };
}

function lineOf(given: unknown, k: number): CompositeLine {
  const record = objectOf(given, `rule ${k + 1}`);
  onlyKeys(record, ["at", "node", "operator", "rule"], `rule ${k + 1}`);
  const { at, node, operator, rule } = record;
  if ([at, node, operator].filter((place) => place !== undefined).length > 1)
    throw new ExplainError(`rule ${k + 1} is at more than one place: "at", "node" or "operator"`);
  if (typeof rule !== "string")
    throw new ExplainError(`rule ${k + 1} has no "rule", a text such as "gamma=0.25"`);
  return { at: placeOf({ at, node, operator }, k), rule: parseRule(rule) };
}

function placeOf(given: { at: unknown; node: unknown; operator: unknown }, k: number): Place {
  if (typeof given.node === "string") return { node: given.node };
  if (typeof given.operator === "string") return { operator: given.operator };
  if (typeof given.at === "string" && places.has(given.at)) return given.at as Place & string;
  throw new ExplainError(
    `rule ${k + 1} says not where: "at" one of ${[...places].join(", ")}, or "node" or "operator" with a name`,
  );
}

/** A word that nobody reads would be a rule that nobody applies. */
function onlyKeys(record: Readonly<Record<string, unknown>>, keys: readonly string[], what: string): void {
  const other = Object.keys(record).find((key) => !keys.includes(key));
  if (other !== undefined) throw new ExplainError(`${what} has no "${other}": there are ${keys.join(", ")}`);
}

function objectOf(given: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof given === "object" && given !== null && !Array.isArray(given))
    return given as Record<string, unknown>;
  throw new ExplainError(`${what} is an object in braces`);
}
