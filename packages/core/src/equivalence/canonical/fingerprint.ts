// Fingerprints: a hash of a network's structure and of its weights in canonical form.
import type { Attribute, Graph, Node } from "../../graph/graph.ts";
import { isSparse } from "../../graph/graph.ts";
import { densify, isFloat, numbers, type Tensor } from "../../graph/tensor.ts";
import { readsOf, weightOrder } from "./weight-order.ts";

/** Rounding of a float32 weight moves a projection by about 1e-8 of its size: a step this wide is rarely crossed. */
const step = 1e-3;

/** 64 bits of a text, as 16 hexadecimal digits: two multiplicative hashes that are mixed at the end. */
export function hashText(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let k = 0; k < text.length; k++) {
    const code = text.charCodeAt(k);
    a = Math.imul(a ^ code, 0x9e3779b1);
    b = Math.imul(b ^ code, 0x5f356495);
  }
  const mix = (x: number, y: number) =>
    Math.imul(x ^ (x >>> 16), 0x85ebca6b) ^ Math.imul(y ^ (y >>> 13), 0xc2b2ae35);
  return [mix(a, b), mix(b, a)].map((h) => (h >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Multiples of these, modulo 1, fill the unit interval evenly. */
const [golden, plastic, plasticSquare] = [
  0.618_033_988_749_895, 0.754_877_666_246_693, 0.569_840_290_998_053,
] as const;

/** What a weight looks like from afar: its size and three projections, in steps. Nice values are not at borders. */
function coarse(values: ArrayLike<number>): string {
  let [a, b, c, squares] = [0, 0, 0, 0];
  for (let k = 0; k < values.length; k++) {
    const v = values[k]!;
    const [p, q, r] = [(k + 1) * golden, (k + 1) * plastic, (k + 1) * plasticSquare];
    squares += v * v;
    a += (p - Math.floor(p) - 0.5) * v;
    b += (q - Math.floor(q) - 0.5) * v;
    c += (r - Math.floor(r) - 0.5) * v;
  }
  if (squares === 0) return "0";
  const norm = Math.sqrt(squares);
  return [Math.log2(norm), a / norm, b / norm, c / norm].map((v) => Math.round(v / step + 0.31)).join(" ");
}

function exactly(values: ArrayLike<number>): string {
  const view = new Uint32Array(Float64Array.from(values, (v) => v + 0).buffer); // -0 becomes 0
  let [a, b] = [1, 2];
  for (const word of view) {
    a = Math.imul(a ^ word, 0x9e3779b1) ^ (a >>> 15);
    b = Math.imul(b ^ word, 0x5f356495) ^ (b >>> 13);
  }
  return `${a} ${b}`;
}

export interface Fingerprints {
  /** Of weights to about 1e-3: survives the rounding of scales. */
  readonly coarse: string;
  /** Of every bit: survives permutations, signs and powers of two. */
  readonly exact: string;
}

/** The weights of a graph, in the order of its structure. */
export const orderedWeights = (graph: Graph): readonly Tensor[] =>
  weightOrder(graph).map((name) => {
    const weight = graph.initializers.get(name)!;
    return isSparse(weight) ? densify(weight) : weight;
  });

type Summary = (values: ArrayLike<number>) => string;

const weightsText = (graph: Graph, of: Summary): string =>
  orderedWeights(graph)
    .map((dense) => {
      const { type, dims } = dense;
      const isNumeric = /^(b?float(16|32|64)|u?int(8|16|32|64)|bool)$/.test(type);
      const summary = !isNumeric ? [...dense.data].join() : (isFloat(type) ? of : exactly)(numbers(dense));
      return `${type}[${dims}]${summary}`;
    })
    .join("\n");

/** The fingerprints of a graph whose weights are in canonical form. Names and the order of nodes do not matter. */
export function fingerprints(graph: Graph): Fingerprints {
  const structure = structureOf(graph);
  return {
    coarse: hashText(structure + weightsText(graph, coarse)),
    exact: hashText(structure + weightsText(graph, exactly)),
  };
}

type Numbering = ReadonlyMap<string, string>;

/** The nodes that outputs need, inputs first, with values numbered as they are met; `outer` has those around a body. */
export function structureOf(graph: Graph, outer: Numbering = new Map()): string {
  const makers = new Map(
    graph.nodes.flatMap((n) => n.outputs.map((name, k) => [name, [n, k] as const] as const)),
  );
  const numbersOf = new Map<string, string>([...outer, ["", "-"]]);
  graph.inputs.forEach(({ name }, k) => {
    numbersOf.set(name, `in${k}`);
  });
  weightOrder(graph).forEach((name, k) => {
    numbersOf.set(name, `w${k}`);
  });
  const lines: string[] = [];
  const written = new Map<Node, number>();
  const waiting: Node[] = graph.outputs.toReversed().flatMap(({ name }) => makers.get(name)?.[0] ?? []);
  while (waiting.length > 0) {
    const node = waiting.at(-1)!;
    const missing = written.has(node)
      ? []
      : readsOf(node).flatMap((name) => {
          const maker = makers.get(name)?.[0];
          return maker && !written.has(maker) ? [maker] : [];
        });
    if (missing.length > 0) {
      waiting.push(...missing.toReversed());
      continue;
    }
    waiting.pop();
    if (written.has(node)) continue;
    written.set(node, written.size);
    node.outputs.forEach((name, k) => {
      if (name) numbersOf.set(name, `${written.get(node)}.${k}`);
    });
    const attributes = [...node.attributes].map(([key, a]) => `${key}=${attributeText(a, numbersOf)}`).sort();
    lines.push(`${node.domain}.${node.op}(${node.inputs.map((i) => numbersOf.get(i) ?? "?")})${attributes}`);
  }
  const functions = graph.functions.map((bytes) => `${bytes.length} ${exactly(bytes)}\n`);
  return `${functions.join("")}${lines.join("\n")}->${graph.outputs.map(({ name }) => numbersOf.get(name))}\n`;
}

/** A branch or body: its weights belong to the structure, to the last bit. */
function bodyText(body: Graph, around: Numbering): string {
  const outer = new Map([...around].map(([name, number]) => [name, `^${number}`]));
  return `{${structureOf(body, outer)}${weightsText(body, exactly)}}`;
}

function attributeText({ type, value }: Attribute, around: Numbering): string {
  if (type === "graph") return bodyText(value, around);
  if (type === "graphs") return value.map((body) => bodyText(body, around)).join();
  if (type === "tensor") return `${value.type}[${value.dims}]${[...value.data].join()}`;
  return typeof value === "object" && "length" in value
    ? [...(value as readonly unknown[])].join()
    : String(value);
}
