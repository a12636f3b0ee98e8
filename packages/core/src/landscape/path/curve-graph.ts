// A network whose weights lie on a path, as a graph that training can read: the bends are its weights, and the place on the path
// comes with the examples, as one number more in each.
import { Builder } from "../../graph/builder.ts";
import { finish } from "../../graph/finish.ts";
import { type Graph, isSparse, requiredInputs, type TensorType } from "../../graph/graph.ts";
import { cast, elementCount, encode, numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import type { Value, Values } from "../../graph/value.ts";
import type { Random } from "../../numbers/random.ts";
import type { TrainingData } from "../../train/advance.ts";
import { weightsAsInputs } from "../../train/weights.ts";
import { LandscapeError } from "../error.ts";
import type { PathKind } from "./weight-path.ts";

type Float = "float32" | "float64";

export interface CurveGraph {
  readonly graph: Graph;
  /** Names of the weights of each bend, in the order of the network's. */
  readonly bends: readonly (readonly string[])[];
}

const typeOf = (graph: Graph, name: string): Float => graph.initializers.get(name)!.type as Float;

/** What point k of `count` weighs at t. */
const shares: Readonly<Record<PathKind, (t: Value, k: number, count: number) => Value>> = {
  polygon: (t, k, count) => {
    const distance = t
      .mul(count - 1)
      .sub(k)
      .abs();
    return distance.mul(-1).add(1).relu();
  },
  bezier: (t, k, count) => {
    const rest = t.mul(-1).add(1);
    let product = t.mul(0).add(binomial(count - 1, k));
    for (let i = 0; i < count - 1; i++) product = product.mul(i < k ? t : rest);
    return product;
  },
};

const binomial = (n: number, k: number): number => (k === 0 ? 1 : (binomial(n - 1, k - 1) * n) / k);

/** The network on the path from `graph` to the weights `end`, with bends that start on the straight line. */
export function curveGraph(
  graph: Graph,
  names: readonly string[],
  end: Readonly<Record<string, Tensor>>,
  kind: PathKind,
  bends: number,
): CurveGraph {
  const input = requiredInputs(graph)[0]!;
  const { shape } = input.type as TensorType;
  const inner = shape?.slice(1);
  if (!inner?.every((d) => typeof d === "number"))
    throw new LandscapeError(`input "${input.name}" needs sizes that are numbers, but for the first`);
  const size = elementCount(inner as number[]);
  const type = typeOf(graph, names[0]!);
  const open = weightsAsInputs(graph, new Map(names.map((name) => [name, `path/${name}`])));
  const builder = new Builder();
  const written: string[][] = Array.from({ length: bends }, () => []);
  const body = ({ x }: Values): Values => {
    const part = (from: number, to: number): Value =>
      builder.apply("Slice", [x, integers(from), integers(to), integers(1)])[0]!;
    // All examples of a batch are computed at the place that comes with the first of them.
    const place = part(size, size + 1)
      .op("Gather", [tensor(0, { type: "int64" })], { axis: 0 })
      .reshape([]);
    const count = bends + 2;
    const share = Array.from({ length: count }, (_, k) => shares[kind](place, k, count));
    const weights = names.map((name) => {
      const start = graph.initializers.get(name)!;
      if (isSparse(start)) throw new LandscapeError(`weight "${name}" is sparse: no path goes through it`);
      const points = Array.from({ length: count }, (_, k) => {
        if (k === 0) return builder.weight(start, "from");
        if (k === count - 1) return builder.weight(end[name]!, "to");
        const bend = builder.weight(between(start, end[name]!, k / (count - 1)), `bend${k}/${name}`);
        written[k - 1]!.push(bend.name);
        return bend;
      });
      const sum = points.map((p, k) => p.mul(share[k]!)).reduce((a, b) => a.add(b));
      return [`path/${name}`, sum] as const;
    });
    const examples = part(0, size).reshape([-1, ...(inner as number[])]);
    return {
      y: Object.values(builder.inline(open, { [input.name]: examples, ...Object.fromEntries(weights) }))[0]!,
    };
  };
  const curve = finish(builder, { x: { type, shape: ["N", size + 1] } }, body, {
    name: "curve",
    nested: false,
  });
  return { graph: { ...curve, opsets: open.opsets, functions: open.functions }, bends: written };
}

const integers = (value: number): Tensor => tensor([value], { type: "int64" });

const between = (a: Tensor, b: Tensor, t: number): Tensor => {
  const other = numbers(b);
  const values = Float64Array.from(numbers(a), (v, i) => (1 - t) * v + t * other[i]!);
  return { ...a, data: encode(values, a.type as Float) };
};

/** No fewer examples than this, so that there are as many places on the path. */
const leastPlaces = 1024;

/** Examples with a place in (0, 1) each, all of them again where they are few. */
export function placedExamples({ x, target }: TrainingData, type: Float, random: Random): TrainingData {
  const given = x.dims[0]!;
  const rows = given * Math.ceil(leastPlaces / given);
  const width = elementCount(x.dims.slice(1));
  const values = numbers(x);
  const places = random.permutation(rows);
  const wide = new Float64Array(rows * (width + 1));
  for (let i = 0; i < rows; i++) {
    for (let c = 0; c < width; c++) wide[i * (width + 1) + c] = values[(i % given) * width + c]!;
    wide[i * (width + 1) + width] = (places[i]! + 0.5) / rows;
  }
  const each = elementCount(target.dims.slice(1));
  const wanted = numbers(target);
  const again = Float64Array.from({ length: rows * each }, (_, k) => wanted[k % (given * each)]!);
  const dims = [rows, ...target.dims.slice(1)];
  return {
    x: tensor(wide, { type, dims: [rows, width + 1] }),
    target:
      target.type === "int64" ? tensor(again, { type: "int64", dims }) : cast(tensor(again, { dims }), type),
  };
}
