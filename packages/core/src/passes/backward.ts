// A backward pass walks a graph from its outputs: each rule says what a node hands on to its inputs.
import { GraphError } from "../graph/error.ts";
import { describe, type Graph, type Node, outerReferences, subgraphs } from "../graph/graph.ts";
import { type AttributesOf, type OperatorName, operatorSpec } from "../graph/operators/index.ts";
import { readAttributes } from "../graph/operators/spec.ts";
import type { GraphWriter, Value } from "../graph/value.ts";

/** As many values as the operator has at most; those that it needs are there, the optional ones may be missing. */
export type Operands = readonly [Value, Value, Value, ...Value[]];

/** A node seen from behind: the values around it, and what comes back to its outputs. */
export interface Step {
  readonly node: Node;
  readonly builder: GraphWriter;
  /** The inputs. Use `given(k)` for an optional one. */
  readonly x: Operands;
  /** The outputs. */
  readonly y: Operands;
  /** What came back to the first output. */
  readonly g: Value;
  /** What came back to output k, if anything did. */
  readonly back: readonly (Value | undefined)[];
  given(k: number): Value | undefined;
  /** What the graphs inside the node read from around it, by name. Their shares follow those of the inputs. */
  readonly captured: ReadonlyMap<string, Value>;
  /** Is this value on a way to a wanted one? */
  wants(name: string): boolean;
  /** The pass itself, for the graphs inside the node. */
  readonly pass: BackwardPass;
  /** Stops with an error that names the node. */
  fail(reason: string): never;
}

/** What each input gets, written only when it is asked for; undefined: nothing, ever. */
export type Shares = readonly (undefined | (() => Value))[];
export type BackwardRule<K extends OperatorName> = (step: Step, attributes: AttributesOf<K>) => Shares;
export type BackwardRules = { readonly [K in OperatorName]?: BackwardRule<K> };

export interface BackwardPass {
  readonly name: string;
  readonly rules: BackwardRules;
  /**
   * Walks `graph`, whose values are already in a builder (`Builder.trace`), from the seeds at its outputs; gives what
   * reaches each value on the ways from there to the wanted ones.
   */
  (
    graph: Graph,
    values: ReadonlyMap<string, Value>,
    seeds: ReadonlyMap<string, Value>,
    wanted: ReadonlySet<string>,
  ): ReadonlyMap<string, Value>;
}

export interface BackwardOptions {
  /** What a value gets from all its readers, from what it gets from each. */
  readonly gather: (shares: readonly Value[]) => Value;
  /** What an output has got to which nothing came back, though the rule asks. */
  readonly nothing: (output: Value) => Value;
  /** Why operators have no rule, where there is a reason. */
  readonly reasons?: Partial<Readonly<Record<OperatorName, string>>>;
}

/** A pass from outputs to inputs, graph to graph: rules write the nodes of the way back into the same builder. */
export function backwardPass(
  name: string,
  rules: BackwardRules,
  { gather, nothing, reasons = {} }: BackwardOptions,
): BackwardPass {
  const walk = (...[graph, values, seeds, wanted]: Parameters<BackwardPass>) => {
    const active = dependents(graph, wanted);
    const around: Around = { values, nothing, pass, wants: (key) => active.has(key) };
    const shares = new Map<string, Value[]>([...seeds].map(([key, seed]) => [key, [seed]]));
    const total = (key: string): Value | undefined => {
      const parts = shares.get(key);
      if (!parts) return undefined;
      const sum = parts.length === 1 ? parts[0]! : gather(parts);
      shares.set(key, [sum]);
      return sum;
    };
    for (const node of graph.nodes.toReversed()) {
      if (!node.outputs.some((key) => shares.has(key)) || !reads(node).some((key) => active.has(key)))
        continue;
      const back = node.outputs.map(total);
      const found = applyBackwardRule({ name, rules, reasons }, stepOf(node, back, around));
      [...node.inputs, ...captures(node)].forEach((key, k) => {
        const share = active.has(key) && found[k];
        if (!share) return;
        if (values.get(key)?.type.type === "undefined") throw unreadable(name, graph, values, key);
        const part = share();
        checkShape(part, values.get(key), node, name);
        shares.set(key, [...(shares.get(key) ?? []), part]);
      });
    }
    return new Map([...shares.keys()].map((key) => [key, total(key)!]));
  };
  const pass = Object.defineProperties(walk, {
    name: { value: name },
    rules: { value: rules },
  }) as unknown as BackwardPass;
  return pass;
}

/** What comes back has the shape of what it comes back to: anything else would be a wrong rule, and is refused. */
function checkShape(share: Value, like: Value | undefined, node: Node, pass: string): void {
  const [from, to] = [share.type.shape, like?.type.shape];
  const differs =
    from &&
    to &&
    (from.length !== to.length || from.some((d, k) => isNumber(d) && isNumber(to[k]) && d !== to[k]));
  if (differs)
    throw new GraphError(
      `the ${pass} pass has no rule for this use of ${describe(node)}: [${from}] comes back to [${to}]`,
    );
}
const isNumber = (d: unknown): d is number => typeof d === "number";

/** A value whose type nobody knows comes from an operator that nobody reads: an error that names that node. */
export function unreadable(
  pass: string,
  graph: Graph,
  values: ReadonlyMap<string, Value>,
  key: string,
): GraphError {
  const node = graph.nodes.find(({ outputs }) => outputs.includes(key));
  if (!node) return new GraphError(`the type of "${key}" is not known`);
  const before = node.inputs.find((name) => values.get(name)?.type.type === "undefined");
  if (before !== undefined) return unreadable(pass, graph, values, before);
  return new GraphError(
    `the ${pass} pass cannot read ${describe(node)}: the type of what it gives is not known`,
  );
}

/** What the branches and bodies of a node read from around it. */
const captures = (node: Node): readonly string[] => [
  ...new Set(subgraphs(node).flatMap((inner) => [...outerReferences(inner)])),
];

/** What a node reads, by its inputs or inside of its branches and bodies. */
export const reads = (node: Node): readonly string[] => [...node.inputs, ...captures(node)];

/** What they give does not depend on the numbers that they read, only on how many there are. */
const measuring = new Set(["Shape", "Size"]);

/** The values that depend on the numbers in any of these, and these. */
export function dependents(graph: Graph, roots: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set(roots);
  for (const node of graph.nodes)
    if (!measuring.has(node.op) && reads(node).some((key) => found.has(key)))
      for (const key of node.outputs) found.add(key);
  found.delete("");
  return found;
}

/** What is the same for all steps of one walk. */
interface Around extends Pick<Step, "wants" | "pass">, Pick<BackwardOptions, "nothing"> {
  readonly values: ReadonlyMap<string, Value>;
}

function stepOf(node: Node, back: Step["back"], { values, nothing, ...around }: Around): Step {
  const x = node.inputs.map((key) => values.get(key)) as unknown as Operands;
  const y = node.outputs.map((key) => values.get(key)) as unknown as Operands;
  return {
    ...around,
    node,
    builder: y.find((value) => value)!.builder,
    x,
    y,
    back,
    get g() {
      return back[0] ?? nothing(y[0]);
    },
    given: (k) => x[k],
    get captured() {
      return new Map(captures(node).map((key) => [key, values.get(key)!]));
    },
    fail: (reason) => {
      throw new GraphError(`${describe(node)}: ${reason}`);
    },
  };
}

interface Table extends Pick<BackwardPass, "name" | "rules">, Required<Pick<BackwardOptions, "reasons">> {}

function applyBackwardRule({ name, rules, reasons }: Table, step: Step): Shares {
  const { node } = step;
  const spec = operatorSpec(node.op, node.domain);
  const rule = spec && (rules[node.op as OperatorName] as BackwardRule<OperatorName> | undefined);
  if (!rule) {
    const reason = spec && reasons[node.op as OperatorName];
    throw new GraphError(`the ${name} pass cannot read ${describe(node)}${reason ? `: ${reason}` : ""}`);
  }
  return rule(step, readAttributes(node, spec.attributes) as never);
}
