// Nodes that their neighbours can say: BatchNormalization after an affine operator, Identity, Dropout, a Cast to one's type.
import { describe, type Graph, isSparse, type Node, outerReferences, subgraphs } from "../../graph/graph.ts";
import { inferTypes } from "../../graph/infer.ts";
import { prune } from "../../graph/prune.ts";
import { encode, type FloatType, numbers, type Tensor } from "../../graph/tensor.ts";
import { canonical } from "../../graph/upgrade.ts";
import { foldConstants } from "./fold-constants.ts";
import { joinNodes } from "./join-nodes.ts";
import type { RemovedUnit } from "./removal.ts";

export interface FoldedGraph {
  readonly graph: Graph;
  readonly removed: readonly RemovedUnit[];
  /** No weight was rounded. */
  readonly exact: boolean;
}

/** Whether a node hands on what it reads; a Dropout in training does not, which is seen later. */
function passers(graph: Graph): (node: Node) => boolean {
  const types = graph.nodes.some(({ op }) => op === "Cast") ? inferTypes(graph) : undefined;
  const typeOf = (name: string | undefined): string | undefined => {
    const type = name === undefined ? undefined : types?.get(name)?.type;
    return type === "undefined" ? undefined : type;
  };
  return ({ op, domain, inputs, outputs }) => {
    if (domain !== "") return false;
    if (op === "Cast") return typeOf(inputs[0]) !== undefined && typeOf(inputs[0]) === typeOf(outputs[0]);
    return op === "Identity" || op === "Dropout";
  };
}

/** y = a x + s, channel by channel: a = scale / sqrt(var + eps), s = B - a mean. */
interface ChannelMap {
  readonly a: Float64Array;
  readonly s: Float64Array;
}

class Folding {
  nodes: readonly Node[];
  readonly initializers: Map<string, Tensor>;
  readonly removed: RemovedUnit[] = [];
  exact = true;
  /** Outputs of the graph, and what bodies of control flow read: these keep their names. */
  readonly #outputs: ReadonlySet<string>;

  constructor({ nodes, initializers, outputs }: Graph) {
    this.nodes = nodes;
    this.initializers = new Map(
      [...initializers].flatMap(([n, t]) => (isSparse(t) ? [] : [[n, t] as const])),
    );
    const inner = nodes.flatMap((node) => subgraphs(node).flatMap((body) => [...outerReferences(body)]));
    this.#outputs = new Set([...outputs.map(({ name }) => name), ...inner]);
  }

  #note(node: Node): void {
    this.removed.push({ layer: describe(node), reason: "folded" });
  }

  #values(name: string | undefined): Float64Array | undefined {
    const weight = name ? this.initializers.get(name) : undefined;
    return weight && Float64Array.from(numbers(weight));
  }

  /** A weight with other numbers; others may read the old one. */
  #renewed(name: string, values: Float64Array, dims?: readonly number[]): string {
    const { type, dims: old } = this.initializers.get(name)!;
    return this.#added(`${name}_folded`, values, dims ?? old, type as FloatType);
  }

  #added(stem: string, values: Float64Array, dims: readonly number[], type: FloatType): string {
    let name = stem;
    for (let k = 2; this.initializers.has(name); k++) name = `${stem}_${k}`;
    this.initializers.set(name, { type, dims, data: encode(values, type) });
    return name;
  }

  #channelMap(node: Node): ChannelMap | undefined {
    const [scale, B, mean, variance] = node.inputs.slice(1, 5).map((name) => this.#values(name));
    const training = node.attributes.get("training_mode");
    if (!scale || !B || !mean || !variance || (training?.type === "int" && training.value !== 0n))
      return undefined;
    const epsilon = node.attributes.get("epsilon");
    const eps = epsilon?.type === "float" ? epsilon.value : Math.fround(1e-5); // attributes are single precision
    const a = scale.map((v, k) => v / Math.sqrt(variance[k]! + eps));
    return { a, s: B.map((v, k) => v - a[k]! * mean[k]!) };
  }

  /** The one node that makes a value which only one node reads. */
  #soleProducer(value: string): Node | undefined {
    const readers = this.nodes.filter(({ inputs }) => inputs.includes(value));
    if (readers.length !== 1 || this.#outputs.has(value)) return undefined;
    return this.nodes.find(({ outputs }) => outputs.length === 1 && outputs[0] === value);
  }

  /** Conv or Gemm with the map in its weights; undefined if it is neither, or reads weights that are not constant. */
  #withMap(node: Node, map: ChannelMap): Node | undefined {
    const [x, w, b] = node.inputs;
    const W = this.#values(w);
    if (!x || !w || !W || (b && !this.#values(b))) return undefined;
    const { dims, type } = this.initializers.get(w)!;
    const attribute = (name: string, otherwise: number): number => {
      const found = node.attributes.get(name);
      return found && (found.type === "int" || found.type === "float") ? Number(found.value) : otherwise;
    };
    const n = map.a.length;
    const isGemm = node.op === "Gemm";
    if (isGemm ? attribute("alpha", 1) !== 1 || (b && attribute("beta", 1) !== 1) : node.op !== "Conv")
      return undefined;
    const rows = !isGemm || attribute("transB", 0) === 1;
    if (dims[rows ? 0 : 1] !== n) return undefined;
    const inner = W.length / n;
    const bias = b ? this.#values(b)! : new Float64Array(n);
    // One number, or one a channel: [n, 1] would be one a row.
    if (b && bias.length !== 1 && (bias.length !== n || this.initializers.get(b)!.dims.at(-1) !== n))
      return undefined;
    const weights = W.map((v, k) => v * map.a[rows ? Math.floor(k / inner) : k % n]!);
    const shift = map.s.map((s, k) => bias[bias.length === 1 ? 0 : k]! * map.a[k]! + s);
    const into = [
      x,
      this.#renewed(w, weights),
      b ? this.#renewed(b, shift, [n]) : this.#added(`${w}_bias`, shift, [n], type as FloatType),
    ];
    const attributes = new Map([...node.attributes].filter(([name]) => name !== "beta"));
    return { ...node, inputs: into, attributes };
  }

  /** Replaces what reads `from` by what reads `to`. */
  #reread(nodes: readonly Node[], from: string, to: string): readonly Node[] {
    return nodes.map((node) =>
      node.inputs.includes(from)
        ? { ...node, inputs: node.inputs.map((name) => (name === from ? to : name)) }
        : node,
    );
  }

  normalization(node: Node): void {
    const map = this.#channelMap(node);
    const before = this.#soleProducer(node.inputs[0]!);
    const folded = map && before && this.#withMap(before, map);
    if (!folded) return;
    const made = { ...folded, outputs: [node.outputs[0]!] };
    this.nodes = this.nodes.flatMap((n) => (n === node ? [] : n === before ? [made] : [n]));
    this.exact = false;
    this.#note(node);
  }

  passing(node: Node): void {
    const [from, to] = [node.outputs[0]!, node.inputs[0]!];
    const isTraining = node.op === "Dropout" && node.inputs[2] && this.#values(node.inputs[2])?.[0] !== 0;
    const maskRead = node.outputs[1] && this.nodes.some((n) => n.inputs.includes(node.outputs[1]!));
    if (isTraining || maskRead || (node.outputs[1] && this.#outputs.has(node.outputs[1]))) return;
    if (this.#outputs.has(from)) return;
    this.nodes = this.#reread(
      this.nodes.filter((n) => n !== node),
      from,
      to,
    );
    this.#note(node);
  }
}

/** The graph without the nodes that can be folded; the graph itself if there are none. */
export function foldNodes(source: Graph, exactOnly: boolean): FoldedGraph {
  const constants = foldConstants(source, exactOnly);
  const folded = foldNeighbours(constants.graph, exactOnly);
  const removed = [...constants.removed, ...folded.removed];
  if (removed.length === 0) return folded;
  return { graph: folded.graph, removed, exact: constants.exact && folded.exact };
}

/** The same, with products and sums made one, and what says nothing left out: for who does not ask nodes by their names. */
export function foldAndJoin(source: Graph, exactOnly: boolean): FoldedGraph {
  const folded = foldNodes(source, exactOnly);
  const joined = joinNodes(folded.graph);
  if (joined.removed.length === 0) return folded;
  return { ...folded, graph: joined.graph, removed: [...folded.removed, ...joined.removed] };
}

function foldNeighbours(source: Graph, exactOnly: boolean): FoldedGraph {
  const same = { graph: source, removed: [], exact: true };
  const whole = canonical(source);
  const passes = passers(whole);
  const normalizes = ({ op, domain }: Node): boolean => domain === "" && op === "BatchNormalization";
  if (!whole.nodes.some((node) => passes(node) || normalizes(node))) return same;
  const folding = new Folding(whole);
  for (const { outputs } of whole.nodes.filter(passes)) {
    // As it is now: what it reads may have been taken out.
    const node = folding.nodes.find((n) => n.outputs[0] === outputs[0]);
    if (node) folding.passing(node);
  }
  if (!exactOnly) for (const node of [...folding.nodes]) if (normalizes(node)) folding.normalization(node);
  if (folding.removed.length === 0) return same;
  const initializers = new Map<
    string,
    Graph["initializers"] extends ReadonlyMap<string, infer T> ? T : never
  >([...whole.initializers, ...folding.initializers]);
  const graph = prune({ ...whole, nodes: folding.nodes, initializers, valueTypes: new Map() });
  return { graph, removed: folding.removed, exact: folding.exact };
}
