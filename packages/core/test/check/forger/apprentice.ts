// Small networks with certificates, made in every way that the checker knows, without any care for accuracy: what a forger
// starts from. Claims are 0; persuade.ts raises them as far as the checker asks.

import type { Certificate, CertificateBlock, CertificateNode } from "../../../src/check/certificate.ts";
import { formulaNodes } from "../../../src/check/formula-nodes.ts";
import { enclosureOf } from "../../../src/check/functions.ts";
import type { BoxSide } from "../../../src/compile/compile.ts";
import { float64, graph } from "../../../src/graph/builder.ts";
import type { Graph } from "../../../src/graph/graph.ts";
import type { Value } from "../../../src/graph/value.ts";
import type { Interval } from "../../../src/numbers/interval/index.ts";
import * as I from "../../../src/numbers/interval/index.ts";

export interface Forgery {
  readonly graph: Graph;
  readonly certificate: Certificate;
}

/** How functions of one variable are computed. */
export type Craft = "spline" | "servants" | "folded" | "pieces";

type Draft = Omit<CertificateNode, "error" | "runError" | "range"> & { range: [number, number] };
type Pair = [number, number];
const pair = ({ lower, upper }: Interval): Pair => [lower, upper];
const exactly = (c: number): Pair => [c, c];
const levels = 3;

/** |s|, as compiled networks have it. */
const folded = (s: Value): Value => {
  const open = s.relu();
  return open.add(open).sub(s);
};

class Apprentice {
  readonly nodes: Draft[] = [];
  readonly blocks: CertificateBlock[] = [];
  readonly values = new Map<number, Value>();
  readonly #craft: Craft;
  readonly #x: Value;

  constructor(craft: Craft, x: Value) {
    [this.#craft, this.#x] = [craft, x];
  }

  #range(id: number): Interval {
    const [lower, upper] = this.nodes[id]!.range;
    return { lower, upper };
  }

  #value(id: number): Value {
    return this.values.get(id)!;
  }

  /** A node that is no part of the formula. */
  #further(
    op: CertificateNode["op"],
    args: readonly number[],
    range: Interval,
    more: Partial<Draft> = {},
  ): number {
    const id = this.nodes.length;
    this.nodes.push({ id, op, args: [...args], ...more, range: pair(range), tensor: "", column: 0 });
    return id;
  }

  #made(id: number, output: Value, from: readonly Value[], block: object): void {
    const inputs = [...new Set(from.map((value) => value.name))];
    this.nodes[id]!.tensor = output.name;
    this.values.set(id, output);
    this.blocks.push({
      ...{ nodes: [id], inputs, output: output.name, localError: [0], rounding: [0] },
      ...block,
    } as CertificateBlock);
  }

  #joined(ids: readonly number[]): Value {
    const [first, ...rest] = ids.map((id) => this.#value(id)) as [Value, ...Value[]];
    return rest.length === 0 ? first : first.concat(rest, 1);
  }

  affine(id: number): void {
    const { args, coefficients, constant } = this.nodes[id]!;
    const middle = ([a, b]: Pair): number => a / 2 + b / 2;
    const from = args.length > 0 ? this.#joined(args) : this.#x.gather([0], 1);
    const weights = args.length > 0 ? coefficients!.map(middle) : [0];
    this.#made(
      id,
      from.affine([weights], [middle(constant!)]),
      args.map((a) => this.#value(a)),
      { kind: "affine" },
    );
  }

  /** s_0 = t, s_j = |s_{j-1}| - 2^-j, and about t^2. */
  #chain(t: Value): { folds: Value[]; square: Value } {
    const folds = [t];
    let square: Value | undefined;
    let constant = 4 ** -levels / 2;
    for (let j = 1; j <= levels; j++) {
      const s = folded(folds.at(-1)!).sub(2 ** -j);
      folds.push(s);
      const term = s.mul(2 ** (1 - j));
      square = square ? square.add(term) : term;
      constant += 4 ** -j;
    }
    return { folds, square: square!.add(constant) };
  }

  square(id: number): void {
    const [a] = this.nodes[id]!.args as [number];
    const [u, { lower, upper }] = [this.#value(a), this.#range(a)];
    const [c, r] = [(lower + upper) / 2, Math.max(upper - lower, 1e-3) / 2 + 0.25];
    const t = u.mul(1 / r).add(-c / r);
    const { folds, square } = this.#chain(t);
    const output = square
      .mul(r * r)
      .add(u.mul(2 * c + 2 ** -30))
      .add(-c * c);
    const chain = { folds: folds.map((s) => s.name), square: square.name };
    this.#made(id, output, [u], { kind: "square", argument: u.name, scaled: t.name, chain });
  }

  product(id: number): void {
    const [a, b] = this.nodes[id]!.args as [number, number];
    const [u, v] = [this.#value(a), this.#value(b)];
    const [p, q] = [a, b].map((k) => I.magnitude(this.#range(k)) + 0.25) as [number, number];
    const [left, right] = [u.mul(0.5 / p), v.mul(0.5 / q)];
    const scaled = left.add(right).concat([left.sub(right)], 1);
    const { folds, square } = this.#chain(scaled);
    const output = square
      .slice(1, 0, 1)
      .sub(square.slice(1, 1, 2))
      .mul(p * q);
    const chain = { folds: folds.map((s) => s.name), square: square.name };
    this.#made(id, output, [u, v], {
      ...{ kind: "product", left: u.name, right: v.name, scaled: scaled.name, chain },
    });
  }

  exact(id: number): void {
    const { op, args } = this.nodes[id]!;
    const [u, v] = args.map((a) => this.#value(a)) as [Value, Value];
    if (op === "abs") this.#made(id, folded(u), [u], { kind: "exact", left: u.name });
    else {
      const bend = u.sub(v).relu();
      const output = op === "max" ? v.add(bend) : u.sub(bend);
      this.#made(id, output, [u, v], { kind: "exact", left: u.name, right: v.name });
    }
  }

  /** x^3 and x^4 by squares and products; other functions as the craft says. */
  univariate(id: number): void {
    const { op, exponent, args } = this.nodes[id]!;
    if (op === "power" && (exponent === 3 || exponent === 4)) this.#power(id, args[0]!, exponent);
    else if (this.#craft === "spline") this.#spline(id);
    else this.#polynomial(id);
  }

  #power(id: number, u: number, exponent: 3 | 4): void {
    const square = this.#further("square", [u], I.squared(this.#range(u)));
    this.square(square);
    const last =
      exponent === 4
        ? this.#further("square", [square], I.squared(this.#range(square)))
        : this.#further("product", [u, square], I.mul(this.#range(u), this.#range(square)));
    if (exponent === 4) this.square(last);
    else this.product(last);
    this.#made(id, this.#value(last).affine([[1]], [0]), [this.#value(last)], {
      ...{ kind: "polynomial", argument: [u] },
    });
  }

  /** f at a place, about. */
  #at(id: number, x: number): number {
    const { op, exponent } = this.nodes[id]!;
    const { lower, upper } = enclosureOf({ op: op as "exp", exponent }, I.point(x));
    return lower / 2 + upper / 2;
  }

  #spline(id: number): void {
    const [a] = this.nodes[id]!.args as [number];
    const [u, { lower, upper }] = [this.#value(a), this.#range(a)];
    const knots = [0.25, 0.5, 0.75].map((s) => lower + s * (upper - lower));
    const places = [lower, ...knots, upper];
    const slopes = places
      .slice(1)
      .map((x, k) => (this.#at(id, x) - this.#at(id, places[k]!)) / (x - places[k]!));
    const changes = slopes.slice(1).map((s, k) => s - slopes[k]!);
    const bends = u
      .sub(knots)
      .relu()
      .affine([changes], [this.#at(id, lower) - slopes[0]! * lower]);
    const output = u.mul(slopes[0]!).add(bends);
    this.#made(id, output, [u], { kind: "spline", argument: u.name, folds: [], pieces: knots.length + 1 });
  }

  /** Servants of f: z = u, or |u - c| at a crest; with t = (z - c) / r the powers 1, t, t^2, t^3, on one or two pieces. */
  #polynomial(id: number): void {
    const [u] = this.nodes[id]!.args as [number];
    const isFolded = this.#craft === "folded" && ["cos", "cosh"].includes(this.nodes[id]!.op);
    const z = isFolded ? this.#fold(id, u) : u;
    const on = this.#range(z);
    const pieces = this.#craft === "pieces" ? this.#pieces(id, z) : [{ z, on }];
    const terms: [number, number][] = [];
    let constant = pieces.length > 1 ? -this.#at(id, pieces[0]!.on.upper) : 0;
    for (const piece of pieces) {
      const { powers, weights } = this.#cubic(id, piece.z, piece.on);
      constant += weights[0]!;
      powers.forEach((k, j) => void terms.push([k, weights[j + 1]!]));
    }
    const ids = terms.map(([k]) => k);
    const output = this.#joined(ids).affine([terms.map(([, w]) => w)], [constant]);
    this.#made(
      id,
      output,
      ids.map((k) => this.#value(k)),
      { kind: "polynomial", argument: [u] },
    );
  }

  #fold(id: number, u: number): number {
    const shifted = this.#further("affine", [u], this.#range(u), {
      ...{ servant: id, coefficients: [exactly(1)], constant: exactly(0) },
    });
    this.affine(shifted);
    const z = this.#further("abs", [shifted], I.abs(this.#range(shifted)), { servant: id });
    this.exact(z);
    return z;
  }

  #pieces(id: number, z: number): { z: number; on: Interval }[] {
    const { lower, upper } = this.#range(z);
    const middle = lower + (upper - lower) / 2;
    const knot = this.#further("affine", [], I.point(middle), {
      ...{ servant: id, coefficients: [], constant: exactly(middle) },
    });
    this.affine(knot);
    return (["min", "max"] as const).map((op) => {
      const on = op === "min" ? { lower, upper: middle } : { lower: middle, upper };
      const clamped = this.#further(op, [z, knot], on, { servant: id });
      this.exact(clamped);
      return { z: clamped, on };
    });
  }

  /** The cubic through four points of f, by t, t^2 and t t^2. */
  #cubic(id: number, z: number, { lower, upper }: Interval): { powers: number[]; weights: number[] } {
    const [c, r] = [(lower + upper) / 2, (upper - lower) / 2];
    const unit: Interval = { lower: -1.001, upper: 1.001 };
    const t = this.#further("affine", [z], unit, {
      ...{ servant: id, coefficients: [exactly(1 / r)], constant: exactly(-c / r) },
    });
    this.affine(t);
    const square = this.#further("square", [t], I.squared(unit), { servant: id });
    this.square(square);
    const cube = this.#further("product", [t, square], I.mul(unit, I.squared(unit)), { servant: id });
    this.product(cube);
    const [f, g, h, k] = [-1, -0.5, 0.5, 1].map((s) => this.#at(id, c + s * r)) as [
      number,
      number,
      number,
      number,
    ];
    // even part a + b t^2 and odd part c t + d t^3, from the values at 1 and 1/2
    const [even, evenHalf, odd, oddHalf] = [(f + k) / 2, (g + h) / 2, (k - f) / 2, (h - g) / 2];
    const b = ((even - evenHalf) * 4) / 3;
    const d = ((odd - 2 * oddHalf) * 4) / 3;
    return { powers: [t, square, cube], weights: [even - b, odd - d, b, d] };
  }
}

/** A network for a formula, in f64, and its certificate with claims of 0 and no hash. */
export function apprenticed(formula: string, box: readonly BoxSide[], craft: Craft): Forgery {
  const { nodes, output } = formulaNodes(
    formula,
    box.map((side) => side.name),
  );
  let made: Apprentice | undefined;
  const net = graph({ x: float64("N", box.length) }, ({ x }) => {
    made = new Apprentice(craft, x);
    nodes.forEach(({ args, coefficients, constant, ...node }, id) => {
      const ranges = args.map((a) => made!.nodes[a]!.range).map(([lower, upper]) => ({ lower, upper }));
      made!.nodes.push({
        ...{ id, ...node, args: [...args], tensor: "", column: 0 },
        ...(coefficients ? { coefficients: coefficients.map(pair), constant: pair(constant!) } : {}),
        range: pair(rangeOf({ args, coefficients, constant, ...node }, ranges, box[id])),
      });
    });
    nodes.forEach(({ op }, id) => {
      if (op === "variable") {
        made!.nodes[id] = { ...made!.nodes[id]!, tensor: x.name, column: id };
        made!.values.set(id, box.length === 1 ? x : x.gather([id], 1));
      } else if (op === "affine" || op === "square" || op === "product") made![op](id);
      else if (op === "abs" || op === "max" || op === "min") made!.exact(id);
      else made!.univariate(id);
    });
    return { y: made.values.get(output)!.add([0]) };
  });
  const { nodes: drafts, blocks } = made!;
  // The last Add of 0 is taken out again: the output is the node itself.
  const last = net.nodes.at(-1)!;
  const identity = { ...last, op: "Identity", inputs: [last.inputs[0]!] };
  const inputNames = (block: CertificateBlock): CertificateBlock => ({
    ...block,
    inputs: [...new Set([...block.inputs, "x"])],
  });
  return {
    graph: { ...net, nodes: [...net.nodes.slice(0, -1), identity] },
    certificate: {
      ...{
        version: 1,
        formula,
        box: [...box],
        eps: 1,
        certifiedError: 0,
        realError: 0,
        dtype: "f64",
        output,
      },
      network: { sha256: "0".repeat(64), input: "x", output: last.outputs[0]! },
      nodes: drafts.map((node) => ({ ...node, error: 0, runError: 0 })) as Certificate["nodes"],
      blocks: blocks.map(inputNames),
    },
  };
}

type Made = ReturnType<typeof formulaNodes>["nodes"][number];

function rangeOf(node: Made, args: readonly Interval[], side: BoxSide | undefined): Interval {
  const [a, b] = args as [Interval, Interval];
  switch (node.op) {
    case "variable":
      return { lower: side!.lower, upper: side!.upper };
    case "affine":
      return args.reduce((s, x, k) => I.add(s, I.mul(node.coefficients![k]!, x)), node.constant!);
    case "square":
      return I.squared(a);
    case "product":
      return I.mul(a, b);
    case "abs":
      return I.abs(a);
    case "max":
      return I.max(a, b);
    case "min":
      return I.min(a, b);
    default:
      return enclosureOf({ op: node.op, exponent: node.exponent }, a);
  }
}
