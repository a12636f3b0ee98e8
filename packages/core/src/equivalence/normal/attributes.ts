// Attributes in one way of writing: no defaults, no sizes that the weights say, axes counted from the front.
import type { Attribute, Node } from "../../graph/graph.ts";
import { operatorSpec } from "../../graph/operators/index.ts";

const text = (value: unknown): string => String(value);
/** Operators whose `axis` counts the axes of their first input. */
const alongAxis = new Set(
  "Concat Gather GatherElements Softmax LogSoftmax Split LayerNormalization ArgMax ArgMin".split(" "),
);

/** Are all these numbers the given one? */
const isAll = (a: Attribute, value: bigint): boolean =>
  a.type === "ints" && a.value.every((v) => v === value);

function isDefault({ op, domain }: Node, name: string, attribute: Attribute): boolean {
  if (name === "kernel_shape" && (op === "Conv" || op === "ConvTranspose")) return true; // the kernel's own
  if ((name === "strides" || name === "dilations") && isAll(attribute, 1n)) return true;
  if (name === "pads" && isAll(attribute, 0n)) return true;
  const spec = operatorSpec(op, domain)?.attributes[name];
  if (!spec || spec.fallback === undefined) return false;
  const stored = spec.type === "float" ? Math.fround(spec.fallback as number) : spec.fallback;
  return text(attribute.value) === text(stored);
}

/** The attributes that say something; `rank` is that of the first input. */
export function normalAttributes(node: Node, rank: number | undefined): ReadonlyMap<string, Attribute> {
  const plain = [...node.attributes].map(([name, a]): [string, Attribute] => {
    const isCounted = name === "axis" && a.type === "int" && a.value < 0n && alongAxis.has(node.op);
    return isCounted && rank !== undefined
      ? [name, { type: "int", value: a.value + BigInt(rank) }]
      : [name, a];
  });
  // A default axis of -1 is the last one as well.
  const last = operatorSpec(node.op, node.domain)?.attributes["axis"]?.fallback;
  const isLast = alongAxis.has(node.op) && last === -1 && rank !== undefined;
  return new Map(
    plain.filter(([name, a]) => {
      if (isLast && name === "axis") return a.type === "int" && Number(a.value) !== rank - 1;
      return !isDefault(node, name, a);
    }),
  );
}
