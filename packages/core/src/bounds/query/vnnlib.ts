// VNN-LIB, the language of verification queries: version 1.0 (X_i, Y_i of one network) and 2.0 (named networks).
import { DataError } from "../../data/error.ts";
import type { DeclaredNetwork, Formula, Query, Variable } from "./query.ts";
import {
  type Expression,
  failAt,
  isList,
  type List,
  parseExpressions,
  shown,
  type Word,
} from "./s-expression.ts";
import { readFormula, refuseInfix, type Scope } from "./vnnlib-formula.ts";

const mostElements = 2 ** 24;
const [mostFactors, mostProducts] = [16, 4096];

class Declarations implements Scope {
  readonly networks: DeclaredNetwork[] = [];
  readonly variables: Variable[] = [];
  /** The first variable of each declared tensor, and its shape. */
  readonly #tensors = new Map<string, { readonly first: number; readonly shape: readonly number[] }>();
  readonly #products = new Map<string, number>();

  /** The number of a variable, from how the query writes it: `X_0`, `X_f[3]`, `X_f[0,1]`. */
  lookUp(word: Word): number | undefined {
    const [, name = "", index] = /^([^[]*)(?:\[([^\]]*)\])?$/.exec(word.text) ?? [];
    const tensor = this.#tensors.get(name);
    if (!tensor) return undefined;
    const { first, shape } = tensor;
    const count = shape.reduce((n, d) => n * d, 1);
    if (index === undefined) {
      if (count !== 1) failAt(word, `${shown(name)} has ${count} elements: write ${shown(name)}[0]`);
      return first;
    }
    const at = index
      .split(/[,\s]+/)
      .filter(Boolean)
      .map(Number);
    const isFlat = at.length === 1 && shape.length !== 1;
    const inside = isFlat ? at[0]! < count : at.length === shape.length && at.every((i, k) => i < shape[k]!);
    if (!inside || !at.every((i) => Number.isSafeInteger(i) && i >= 0))
      failAt(word, `${shown(word.text)} is outside the shape [${shape.join(", ")}]`);
    return first + (isFlat ? at[0]! : at.reduce((flat, i, k) => flat * shape[k]! + i, 0));
  }

  /** Products of the same variables are one, whatever their order. */
  product(a: number, b: number, at: List): number {
    const factors = [a, b]
      .flatMap((index) => this.variables[index]!.factors ?? [index])
      .sort((p, q) => p - q);
    if (factors.length > mostFactors) failAt(at, `a product of more than ${mostFactors} variables`);
    const key = factors.join(" ");
    const known = this.#products.get(key);
    if (known !== undefined) return known;
    if (this.#products.size >= mostProducts) failAt(at, `more than ${mostProducts} products of variables`);
    const name = `(* ${factors.map((index) => this.variables[index]!.name).join(" ")})`;
    const index = this.variables.length;
    this.variables.push({ name, network: "", side: "product", position: this.#products.size, factors });
    this.#products.set(key, index);
    return index;
  }

  isNamed(name: string): boolean {
    return this.#tensors.has(name);
  }

  declare(
    word: Word,
    network: string,
    side: Variable["side"],
    shape: readonly number[],
    from: number,
  ): number {
    const count = shape.reduce((n, d) => n * d, 1);
    if (this.#tensors.has(word.text)) failAt(word, `${shown(word.text)} is declared twice`);
    if (!(this.variables.length + count <= mostElements)) failAt(word, `more than ${mostElements} variables`);
    this.#tensors.set(word.text, { first: this.variables.length, shape });
    for (let k = 0; k < count; k++) {
      const index: number[] = [];
      shape.reduceRight((rest, d) => {
        index.unshift(rest % d);
        return Math.floor(rest / d);
      }, k);
      const name = network === "" ? word.text : `${word.text}[${index.join(",")}]`;
      this.variables.push({ name, network, side, position: from + k });
    }
    return count;
  }

  /** (declare-const X_0 Real): all such variables belong to one network without a name. */
  declareConst(list: List): void {
    const [, name, sort] = list.items;
    if (
      list.items.length !== 3 ||
      !name ||
      isList(name) ||
      !sort ||
      isList(sort) ||
      !/^real$/i.test(sort.text)
    )
      failAt(list, "expected (declare-const X_0 Real)");
    const [, side, position] = /^([XY])_(\d+)$/.exec(name.text) ?? [];
    if (!side) failAt(name, `${shown(name.text)}: variables are named X_0, X_1, ... and Y_0, Y_1, ...`);
    this.declare(name, "", side === "X" ? "input" : "output", [], Number(position));
  }

  /** (declare-network f (isomorphic-to g) (declare-input X real [5]) (declare-output Y real [5])) */
  declareNetwork(list: List): void {
    const [, name, ...parts] = list.items;
    if (!name || isList(name)) failAt(list, "expected (declare-network NAME ...)");
    if (this.networks.some((n) => n.name === name.text))
      failAt(name, `network ${shown(name.text)} is declared twice`);
    let equalTo: string | undefined;
    const declared: Record<Tensors["side"], Tensors[]> = { input: [], hidden: [], output: [] };
    for (const part of parts) {
      const [head, other] = isList(part) ? part.items : [];
      if (!isList(part) || !head || isList(head)) failAt(part, "expected a declaration in parentheses");
      const side = /^declare-(input|hidden|output)$/.exec(head.text)?.[1] as Tensors["side"] | undefined;
      if (side) declared[side].push(readTensor(part, side));
      else if (/^(isomorphic|equal)-to$/.test(head.text)) {
        if (!other || isList(other) || !this.networks.some((n) => n.name === other.text))
          failAt(part, `${head.text} needs the name of a network that is declared before`);
        if (head.text === "equal-to") equalTo = other.text;
      } else failAt(head, `${shown(head.text)} is not supported in declare-network`);
    }
    const { input, hidden, output } = declared;
    // Values inside of a network are outputs of it, after its own.
    const counted = (list: readonly Tensors[], side: Variable["side"], from: number): number =>
      list.reduce((at, { word, shape }) => at + this.declare(word, name.text, side, shape, at), from);
    const inputs = counted(input, "input", 0);
    const own = counted(output, "output", 0);
    const inputNames = namesOf(input, list);
    const outputNames = namesOf(output, list);
    this.networks.push({
      name: name.text,
      inputs,
      outputs: counted(hidden, "output", own),
      ...(equalTo !== undefined && { equalTo }),
      ...(hidden.length > 0 && { hidden: hidden.map(({ node }) => node!) }),
      ...(inputNames && { inputNames }),
      ...(outputNames && { outputNames }),
    });
  }
}

/** A tensor as a network declares it. */
interface Tensors {
  readonly side: "input" | "hidden" | "output";
  readonly word: Word;
  readonly shape: readonly number[];
  /** Its name in the model. */
  readonly node: string | undefined;
}

/** Names of all tensors of a kind in the model, or of none. */
function namesOf(list: readonly Tensors[], at: List): readonly string[] | undefined {
  const names = list.flatMap(({ node }) => node ?? []);
  if (names.length === 0) return undefined;
  if (names.length < list.length)
    failAt(at, `some ${list[0]!.side}s have a name of the model and others have none: all or none`);
  return names;
}

function readTensor(list: List, side: Tensors["side"]): Tensors {
  const items = [...list.items];
  const last = items.at(-1);
  const node = last && !isList(last) ? /^"([^"]*)"$/.exec(last.text)?.[1] : undefined;
  if (node !== undefined) items.pop();
  const [, name, sort, ...rest] = items;
  const form = `expected (declare-${side} NAME real [5]${side === "hidden" ? ' "NAME IN THE MODEL"' : ""})`;
  if (!name || isList(name) || !sort || isList(sort) || rest.length > 1) failAt(list, form);
  if (side === "hidden" && node === undefined) failAt(list, form);
  // A scalar's shape is [], or is left out; float32[5] may be written together.
  const [, type, joined] = /^([^[]*)(\[.*\])?$/.exec(sort.text) ?? [];
  const [given] = rest;
  if (given && (isList(given) || joined)) failAt(list, form);
  if (!/^(real|float\d+|f\d+)$/i.test(type ?? ""))
    failAt(sort, `elements of type ${shown(sort.text)} are not supported`);
  const text = joined ?? (given && !isList(given) ? given.text : "[]");
  const dims = text
    .slice(1, -1)
    .split(/[,\s]+/)
    .filter(Boolean)
    .map(Number);
  if (!/^\[.*\]$/.test(text) || !dims.every((d) => Number.isSafeInteger(d) && d > 0))
    failAt(list, `${shown(name.text)}: a shape is written [1, 5]`);
  return { side, word: name, shape: dims, node };
}

/** Version 1.0 has no declare-network: positions are in the names, and none may be left out. */
function unnamedNetwork(variables: readonly Variable[]): DeclaredNetwork {
  const count = (side: Variable["side"], letter: string): number => {
    const positions = variables.filter((v) => v.network === "" && v.side === side).map((v) => v.position);
    const known = new Set(positions);
    const missing = positions.findIndex((_, k) => !known.has(k));
    if (missing >= 0) throw new DataError(`${letter}_${missing} is not declared, but a later one is`);
    return positions.length;
  };
  return { name: "", inputs: count("input", "X"), outputs: count("output", "Y") };
}

/**
 * The query that a VNN-LIB text (1.0 or 2.0) states; errors name the line.
 * @example parseVnnlib("(declare-const X_0 Real) (declare-const Y_0 Real) (assert (<= X_0 Y_0))").variables.length // 2
 */
export function parseVnnlib(text: string): Query {
  const declarations = new Declarations();
  const assertions: Formula[] = [];
  for (const list of parseExpressions(text)) readStatement(list, declarations, assertions);
  const { variables, networks } = declarations;
  if (variables.length === 0) throw new DataError("the query declares no inputs and outputs");
  const unnamed = variables.some((v) => v.network === "" && v.side !== "product");
  if (unnamed && networks.length > 0)
    throw new DataError("the query mixes declare-const (version 1.0) with declare-network (2.0)");
  return { networks: unnamed ? [unnamedNetwork(variables)] : networks, variables, assertions };
}

function readStatement(list: List, declarations: Declarations, assertions: Formula[]): void {
  const [head, body] = list.items as readonly (Expression | undefined)[];
  if (!head || isList(head)) failAt(list, "expected a statement such as (assert ...)");
  switch (head.text) {
    case "vnnlib-version": {
      const version = body && !isList(body) ? body.text : "";
      if (!/^<[12]\.\d+>$/.test(version))
        failAt(head, `version ${shown(version)} is not supported (1.0 and 2.0 are)`);
      return;
    }
    case "set-logic":
    case "check-sat":
      return;
    case "declare-const":
      declarations.declareConst(list);
      return;
    case "declare-network":
      declarations.declareNetwork(list);
      return;
    case "assert":
      refuseInfix(list.items.slice(1));
      if (!body || list.items.length !== 2) failAt(list, "assert takes one formula");
      assertions.push(readFormula(body, declarations));
      return;
    default:
      failAt(head, `"${shown(head.text)}" is not a statement of VNN-LIB`);
  }
}
