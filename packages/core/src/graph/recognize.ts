// Operators that exporters write out in smaller ones, found again: LayerNormalization and Gelu.
import { type Attribute, type Graph, isSparse, type Node } from "./graph.ts";
import { inferTypes } from "./infer.ts";
import { prune } from "./prune.ts";
import { type DataType, isFloat, numbers, type Tensor, tensor } from "./tensor.ts";

/** erf(rate x) of a Gelu that was written out, where rate is a rounded 1 / sqrt(2). */
export const geluRate = "rate";
/** How far a constant may be from what a Gelu has: a few roundings to half precision's neighbours would be too much. */
const closeness = 1e-6;

class Finder {
  readonly graph: Graph;
  readonly #types: ReturnType<typeof inferTypes>;
  readonly #makers: ReadonlyMap<string, Node>;
  readonly #readers = new Map<string, Node[]>();
  readonly #shown: ReadonlySet<string>;

  constructor(graph: Graph) {
    this.graph = graph;
    this.#types = inferTypes(graph, {});
    this.#makers = new Map(graph.nodes.flatMap((node) => node.outputs.map((name) => [name, node] as const)));
    this.#shown = new Set(graph.outputs.map(({ name }) => name));
    for (const node of graph.nodes)
      for (const name of new Set(node.inputs)) {
        const readers = this.#readers.get(name) ?? [];
        readers.push(node);
        this.#readers.set(name, readers);
      }
  }

  /** The node that makes a value, if it is this operator. */
  made(name: string | undefined, op: string): Node | undefined {
    const node = name === undefined ? undefined : this.#makers.get(name);
    return node?.op === op && node.domain === "" ? node : undefined;
  }

  /** The one node that reads a value, if it is this operator. */
  onlyReader(name: string, op: string): Node | undefined {
    const readers = this.#readers.get(name) ?? [];
    return readers.length === 1 && !this.#shown.has(name) && readers[0]!.op === op ? readers[0] : undefined;
  }

  constant(name: string | undefined): Tensor | undefined {
    const weight = name === undefined ? undefined : this.graph.initializers.get(name);
    if (weight && !isSparse(weight)) return weight;
    const made = this.made(name, "Constant")?.attributes.get("value");
    return made?.type === "tensor" ? made.value : undefined;
  }

  /** A constant that is one number. */
  number(name: string | undefined): number | undefined {
    const found = this.constant(name);
    return found?.data.length === 1 ? Number(numbers(found)[0]) : undefined;
  }

  /** Both operands, the constant one second. */
  withNumber(node: Node | undefined): { readonly x: string; readonly number: number } | undefined {
    const [a, b] = node?.inputs ?? [];
    const [first, second] = [this.number(a), this.number(b)];
    if (second !== undefined) return { x: a!, number: second };
    return first !== undefined ? { x: b!, number: first } : undefined;
  }

  shape(name: string): readonly unknown[] | undefined {
    return this.#types.get(name)?.shape;
  }

  type(name: string): DataType | undefined {
    return this.#types.get(name)?.type;
  }

  /** Is it a mean along the last axis, which is kept? */
  lastMean(node: Node | undefined): string | undefined {
    if (!node) return undefined;
    const [x, axesName] = node.inputs;
    const given = node.attributes.get("axes");
    const axes =
      given?.type === "ints"
        ? given.value.map(Number)
        : [...(this.constant(axesName) ? numbers(this.constant(axesName)!) : [])].map(Number);
    const rank = this.shape(x!)?.length;
    const isKept = Number(node.attributes.get("keepdims")?.value ?? 1) === 1;
    const isLast = axes.length === 1 && (axes[0] === -1 || axes[0] === (rank ?? Number.NaN) - 1);
    return isKept && isLast ? x : undefined;
  }
}

interface Found {
  readonly node: Node;
  readonly weight?: readonly [string, Tensor];
}

/** (x - mean) / sqrt(mean((x - mean)^2) + epsilon), with a scale and a shift behind it if there are any. */
function layerNormalization(find: Finder, division: Node): Found | undefined {
  const [centred, spread] = division.inputs;
  const sum = find.withNumber(find.made(find.made(spread, "Sqrt")?.inputs[0], "Add"));
  const squares = find.lastMean(sum && find.made(sum.x, "ReduceMean"));
  const power = find.withNumber(find.made(squares, "Pow"));
  const product = find.made(squares, "Mul");
  const isSquare =
    (power?.number === 2 && power.x === centred) ||
    (product?.inputs[0] === centred && product?.inputs[1] === centred);
  const [x, mean] = find.made(centred, "Sub")?.inputs ?? [];
  if (!sum || !isSquare || x === undefined || find.lastMean(find.made(mean, "ReduceMean")) !== x)
    return undefined;
  const [size, type] = [find.shape(x)?.at(-1), find.type(x)];
  if (typeof size !== "number" || type === undefined || !isFloat(type)) return undefined;
  /** A parameter with one number for each entry of the last axis. */
  const parameter = (node: Node | undefined, read: string): string | undefined => {
    const name = node?.inputs.find((other) => other !== read);
    const dims = find.constant(name)?.dims;
    return dims?.length === 1 && dims[0] === size ? name : undefined;
  };
  let last = division;
  const scaling = find.onlyReader(last.outputs[0]!, "Mul");
  const scale = parameter(scaling, last.outputs[0]!);
  if (scale !== undefined) last = scaling!;
  const shifting = scale === undefined ? undefined : find.onlyReader(last.outputs[0]!, "Add");
  const shift = parameter(shifting, last.outputs[0]!);
  if (shift !== undefined) last = shifting!;
  const ones = `${division.outputs[0]}/ones`;
  const attributes = new Map<string, Attribute>([
    ["axis", { type: "int", value: -1n }],
    ["epsilon", { type: "float", value: sum.number }],
  ]);
  return {
    node: {
      op: "LayerNormalization",
      domain: "",
      name: division.name,
      inputs: [x, scale ?? ones, ...(shift === undefined ? [] : [shift])],
      outputs: [last.outputs[0]!],
      attributes,
    },
    ...(scale === undefined && {
      weight: [ones, tensor(new Array<number>(size).fill(1), { type })] as const,
    }),
  };
}

/** x (1 + erf(x / sqrt(2))) / 2, in any order of its factors. */
function gelu(find: Finder, last: Node): Found | undefined {
  const factors: string[] = [];
  const expand = (name: string): void => {
    const node = name === last.outputs[0] ? last : find.made(name, "Mul");
    if (node && factors.length < 8 && (node === last || find.onlyReader(name, "Mul")))
      node.inputs.forEach(expand);
    else factors.push(name);
  };
  expand(last.outputs[0]!);
  const half = factors.findIndex((name) => find.number(name) === 0.5);
  if (factors.length !== 3 || half < 0) return undefined;
  const [a, b] = factors.filter((_, k) => k !== half) as [string, string];
  for (const [x, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const sum = find.withNumber(find.made(other, "Add"));
    const inner = sum?.number === 1 ? find.made(sum.x, "Erf")?.inputs[0] : undefined;
    const quotient = find.made(inner, "Div");
    const scaled = find.withNumber(find.made(inner, "Mul"));
    const rate =
      quotient?.inputs[0] === x
        ? 1 / (find.number(quotient.inputs[1]) ?? Number.NaN)
        : scaled?.x === x
          ? scaled.number
          : Number.NaN;
    if (!(Math.abs(rate * Math.SQRT2 - 1) <= closeness)) continue;
    const attributes = new Map<string, Attribute>([[geluRate, { type: "float", value: rate }]]);
    return {
      node: { op: "Gelu", domain: "", name: last.name, inputs: [x], outputs: last.outputs, attributes },
    };
  }
  return undefined;
}

/**
 * The graph with a LayerNormalization, and a Gelu, where they are written out. A Gelu's attribute "rate" says what stands in
 * place of 1 / sqrt(2), which no constant is exactly.
 */
export function recognized(graph: Graph): Graph {
  const find = new Finder(graph);
  const found = graph.nodes.flatMap((node) => {
    if (node.domain !== "") return [];
    const one =
      node.op === "Div" ? layerNormalization(find, node) : node.op === "Mul" ? gelu(find, node) : undefined;
    return one ?? [];
  });
  if (found.length === 0) return graph;
  const instead = new Map(found.map(({ node }) => [node.outputs[0]!, node]));
  const weights = found.flatMap(({ weight }) => (weight ? [weight] : []));
  return prune({
    ...graph,
    nodes: graph.nodes.map((node) => instead.get(node.outputs[0] ?? "") ?? node),
    initializers: new Map([...graph.initializers, ...weights]),
  } as Graph);
}
