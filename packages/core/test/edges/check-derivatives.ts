// Gradients against central differences in f64, and Lipschitz bounds against slopes between points.
import { run } from "../../src/engine/run.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { isSparse, isTensorType } from "../../src/graph/graph.ts";
import {
  cast,
  dataTypes,
  elementCount,
  isFloat,
  numbers,
  type Tensor,
  tensor,
} from "../../src/graph/tensor.ts";
import { canonical } from "../../src/graph/upgrade.ts";
import { gradient } from "../../src/passes/gradient.ts";
import { lipschitzBound, localLipschitzBound, type NormOrder } from "../../src/passes/lipschitz.ts";
import { Finding, orRefusal, orRefusalLater, type Verdict } from "./finding.ts";
import type { Trial } from "./trial.ts";

type Point = Readonly<Record<string, Tensor>>;

/** The model with f32 numbers as f64; undefined where it has other floats, or bodies. */
function inDouble(original: Graph): Graph | undefined {
  const graph = canonical(original);
  const wide = (type: Tensor["type"]) => (type === "float32" ? "float64" : type);
  const isPlain = graph.nodes.every(
    ({ op, attributes }) =>
      !/^(Resize|Dropout)$/.test(op) && ![...attributes.values()].some((a) => a.type === "graph"),
  );
  // A cast to half precision passes slopes on, as the rounding that it is; differences see its steps.
  const isHalved = graph.nodes.some(
    ({ op, attributes }) =>
      op === "CastLike" || /16$/.test(dataTypes[Number(attributes.get("to")?.value ?? 0)] ?? ""),
  );
  if (!isPlain || isHalved || graph.inputs.some(({ type }) => /16$/.test(type.type))) return undefined;
  return {
    ...graph,
    inputs: graph.inputs.map((i) =>
      isTensorType(i.type) ? { ...i, type: { ...i.type, type: wide(i.type.type) } } : i,
    ),
    outputs: graph.outputs.map(({ name }) => ({ name, type: { type: "undefined" } })),
    initializers: new Map(
      [...graph.initializers].map(([name, t]) => [
        name,
        !isSparse(t) && t.type === "float32" ? cast(t, "float64") : t,
      ]),
    ),
    nodes: graph.nodes.map((node) => {
      const to = node.op === "Cast" ? dataTypes[Number(node.attributes.get("to")?.value ?? 0)] : undefined;
      if (to !== "float32") return node;
      return {
        ...node,
        attributes: new Map([["to", { type: "int", value: BigInt(dataTypes.indexOf("float64")) }]]),
      };
    }),
  };
}

const once = { threads: 1, optimization: "none" } as const;
const wide = (t: Tensor): Tensor => (t.type === "float32" ? cast(t, "float64") : t);
const shifted = (x: Point, d: Point, h: number): Point =>
  Object.fromEntries(
    Object.entries(x).map(([name, t]) => {
      if (t.type !== "float64") return [name, t];
      const step = numbers(d[name]!);
      return [
        name,
        tensor(
          Array.from(numbers(t), (v, k) => v + h * step[k]!),
          { type: "float64", dims: t.dims },
        ),
      ];
    }),
  );

/** sum over all float outputs of seed * output. */
const weighted = (results: Point, seeds: Point): number =>
  Object.entries(seeds).reduce((sum, [name, s]) => {
    const [y, w] = [Array.from(numbers(results[name]!)), numbers(s)];
    return sum + y.reduce((total, v, k) => total + v * w[k]!, 0);
  }, 0);

/** Does some value of the graph hold nothing, or what is no finite number, or is it where a root is steep without end? */
async function isSingular(graph: Graph, x: Point): Promise<boolean> {
  const names = graph.nodes.flatMap(({ outputs }) => outputs.filter((name) => name));
  const outputs = names.map((name) => ({ name, type: { type: "undefined" } as const }));
  const computed: Point = await run({ ...graph, outputs }, x, once).catch(() => ({}));
  const values: Point = { ...x, ...computed };
  const isRootOfZero = graph.nodes.some(
    ({ op, inputs }) =>
      (op === "Sqrt" || op === "Pow") && values[inputs[0]!] && numbers(values[inputs[0]!]!).includes(0),
  );
  return (
    isRootOfZero ||
    Object.values(values).some(
      (t) => t.data.length === 0 || (isFloat(t.type) && !numbers(t).every(Number.isFinite)),
    )
  );
}

/** Steps so fine that differences do not see them. */
const stairs = /^(Floor|Ceil|Round|Mod|Cast|CastLike|Div)$/;

/** <seed, J d> by the gradient and by differences at two steps, where these agree. */
export async function checkGradient(trial: Trial): Promise<Verdict> {
  const { model, random } = trial;
  const graph = orRefusal(() => inDouble(model.graph));
  if (!graph) return "refused";
  const floats = [...model.feeds].filter(([, t]) => t.type === "float32" || t.type === "float64");
  if (floats.length === 0) return "refused";
  const derivative = orRefusal(() => gradient(graph));
  const isDouble = derivative?.inputs.every(({ type }) => !/^b?float(16|32)$/.test(type.type));
  if (!derivative || !isDouble) return "refused";
  const near = (t: Tensor): Tensor =>
    isFloat(t.type)
      ? tensor(
          Array.from(numbers(t), (v) => v + (random.uniform() - 0.5) / 7),
          { type: "float64", dims: t.dims },
        )
      : t;
  const x: Point = Object.fromEntries([...model.feeds].map(([name, t]) => [name, near(wide(t))]));
  const results = await run(graph, x, once).catch(() => undefined);
  if (!results) return "refused";
  const draw = (t: Tensor): Tensor =>
    tensor(random.normal(elementCount(t.dims)), { type: "float64", dims: t.dims });
  const seeds: Point = Object.fromEntries(
    Object.entries(results)
      .filter(([name]) => derivative.inputs.some((i) => i.name === `seed_${name}`))
      .map(([name, t]) => [name, draw(t)]),
  );
  if (Object.values(results).some((t) => isFloat(t.type) && !numbers(t).every(Number.isFinite)))
    return "refused";
  const d: Point = Object.fromEntries(floats.map(([name, t]) => [name, draw(t)]));
  const difference = async (h: number): Promise<number> => {
    const [a, b] = [await run(graph, shifted(x, d, h), once), await run(graph, shifted(x, d, -h), once)];
    return (weighted(a, seeds) - weighted(b, seeds)) / (2 * h);
  };
  const [coarse, fine, finest] = [
    await difference(2 ** -12),
    await difference(2 ** -14),
    await difference(2 ** -17),
  ];
  // A sum so large that its rounding hides what differences could show.
  const isDrowned = Math.abs(weighted(results, seeds)) * 2 ** -50 > 1e-6;
  if (isDrowned && fine === 0) return "refused";
  const scale = 1 + Math.abs(fine);
  const isSmooth = [coarse, finest].every((v) => Math.abs(v - fine) <= 1e-4 * scale);
  if (!isSmooth) return "refused";
  const given = {
    ...x,
    ...Object.fromEntries(Object.entries(seeds).map(([name, s]) => [`seed_${name}`, s])),
  };
  const found = await run(derivative, given, once).catch(async (error: Error) => {
    if (await isSingular(graph, x)) return undefined;
    throw new Finding(`the runtime refuses the gradient: ${error.message.slice(0, 160)}`);
  });
  if (!found) return "refused";
  const slope = floats.reduce((sum, [name]) => {
    const [g, step] = [Array.from(numbers(found[`grad_${name}`]!)), numbers(d[name]!)];
    return sum + g.reduce((total, v, k) => total + v * step[k]!, 0);
  }, 0);
  if (Number.isNaN(slope) && (await isSingular(graph, x))) return "refused";
  if (Math.abs(fine) > 1e3 && graph.nodes.some(({ op }) => stairs.test(op))) return "refused";
  if (!(Math.abs(slope - fine) <= 1e-3 * scale))
    throw new Finding(`the slope is ${fine} (or ${coarse}, ${finest}), by the gradient ${slope}`);
  return "agrees";
}

const mostDerivatives = 400;

const norm = (values: readonly number[], order: NormOrder): number =>
  order === 1
    ? values.reduce((s, v) => s + Math.abs(v), 0)
    : order === 2
      ? Math.hypot(...values)
      : values.reduce((m, v) => Math.max(m, Math.abs(v)), 0);

const flat = (p: Point): number[] => Object.values(p).flatMap((t) => [...numbers(t)]);

/** No two points of the box are further apart in the outputs than the bound allows. */
export async function checkLipschitz(trial: Trial, n: number): Promise<Verdict> {
  const { model, random, points } = trial;
  const graph = orRefusal(() => inDouble(model.graph));
  if (!graph || [...model.feeds.values()].some((t) => !isFloat(t.type))) return "refused";
  const sizeOf = (tensors: ReadonlyMap<string, Tensor>): number =>
    [...tensors.values()].reduce((sum, t) => sum + t.data.length, 0);
  // A matrix of derivatives takes one pass for each output.
  if (sizeOf(model.feeds) * sizeOf(trial.outputs[0]!) > mostDerivatives) return "refused";
  const order = ([1, 2, Number.POSITIVE_INFINITY] as const)[n % 3]!;
  const box = Object.fromEntries([...trial.box].map(([name, { lower, upper }]) => [name, { lower, upper }]));
  const everywhere = orRefusal(() => lipschitzBound(model.graph, order));
  const local = orRefusal(() => localLipschitzBound(model.graph, box, order));
  if (everywhere === undefined && local === undefined) return "refused";
  const base = points.map((p): Point => Object.fromEntries([...p].map(([name, t]) => [name, wide(t)])));
  const d = Object.fromEntries(
    Object.entries(base[0]!).map(([name, t]) => [
      name,
      tensor(random.normal(elementCount(t.dims)), { type: "float64", dims: t.dims }),
    ]),
  );
  const pairs: readonly (readonly [Point, Point, number])[] = [
    ...(base[1] ? [[base[0]!, base[1], Math.min(everywhere ?? Infinity, local ?? Infinity)] as const] : []),
    ...(everywhere === undefined
      ? []
      : [2 ** -10, 1, 8].map((h) => [base[0]!, shifted(base[0]!, d, h), everywhere] as const)),
  ];
  for (const [a, b, bound] of pairs) {
    const ran = await orRefusalLater(
      async () => [await run(graph, a, once), await run(graph, b, once)] as const,
    );
    if (!ran) continue;
    const [p, q, s, t] = [flat(a), flat(b), flat(ran[0]), flat(ran[1])];
    const apart = norm(
      p.map((v, k) => v - q[k]!),
      order,
    );
    const rise = norm(
      s.map((v, k) => v - t[k]!),
      order,
    );
    // Results in f64, off by some thousand roundings of their size.
    const noise = 1e-11 * (1 + norm(s, order) + norm(t, order));
    if (Number.isFinite(rise) && rise - noise > bound * apart * (1 + 1e-9))
      throw new Finding(`points ${apart} apart rise by ${rise}: more than ${bound} (norm ${order})`);
  }
  return "agrees";
}
