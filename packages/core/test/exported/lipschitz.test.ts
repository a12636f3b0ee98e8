// Lipschitz bounds tried on models as exporters write them: pairs of points, far and near, along the gradient too.
import { describe, expect, it } from "vitest";
import { loadModel } from "../../src/graph/onnx/index.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";
import { lipschitzBound, localLipschitzBound, type NormOrder } from "../../src/passes/lipschitz.ts";
import { hunt, models, seed } from "./models.ts";
import { Network } from "./network.ts";
import { around, corner, cube, type FlatBox, inside, type Slope } from "./points.ts";
import { orRefused } from "./refusal.ts";

/** Pairs for each bound. */
const pairs = hunt ?? 40;
/** The derivatives on a box take a pass for each output, so that in the short run large networks have none. */
const mostEntries = hunt === undefined ? 2_000 : 30_000;
const mostInputs = hunt === undefined ? 1_000 : 10_000;
const orders: readonly NormOrder[] = [1, 2, Number.POSITIVE_INFINITY];

function norm(x: Float64Array, order: NormOrder): number {
  if (order === 1) return x.reduce((sum, v) => sum + Math.abs(v), 0);
  if (order === 2) return Math.hypot(...x);
  return x.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
}

const minus = (a: Float64Array, b: Float64Array): Float64Array => a.map((v, k) => v - b[k]!);

/** The direction of norm 1 in which a linear function with this gradient grows fastest. */
function steepest(g: Float64Array, order: NormOrder): Float64Array {
  if (order === Number.POSITIVE_INFINITY) return g.map(Math.sign);
  if (order === 2) return g.map((v) => v / (norm(g, 2) || 1));
  const most = norm(g, Number.POSITIVE_INFINITY);
  const place = g.findIndex((v) => Math.abs(v) === most);
  return g.map((v, k) => (k === place ? Math.sign(v) : 0));
}

/** Both points of a pair are f32 numbers within the box. */
const inBox = ({ lower, upper }: FlatBox, x: Float64Array): Float64Array =>
  x.map((v, k) => Math.min(upper[k]!, Math.max(lower[k]!, Math.fround(v))));

async function* pairsOf(box: FlatBox, order: NormOrder, outputs: number, random: Random, slope?: Slope) {
  const width = box.upper[0]! - box.lower[0]!;
  for (let k = 0; k < pairs; k++) {
    const x = (k % 2 ? corner : inside)(box, random);
    if (k % 4 === 0) {
      yield [x, inside(box, random)] as const;
      continue;
    }
    const weights = random.normal(outputs).map((w) => (k % 3 ? w : Math.sign(w)));
    const direction = slope ? await slope(x, weights) : random.normal(x.length);
    const along = steepest(direction, order);
    const step = width * 2 ** -random.integer(1, 12) * (random.integer(0, 1) * 2 - 1);
    yield [
      x,
      inBox(
        box,
        x.map((v, i) => v + step * along[i]!),
      ),
    ] as const;
  }
}

const widths = ({ lower, upper }: FlatBox): Float64Array => upper.map((u, k) => u - lower[k]!);

/** No quotient of differences, in f64, above a bound by more than rounding can do. */
async function tryConstant(net: Network, constant: number, order: NormOrder, box: FlatBox, what: string) {
  const random = createRandom(`${seed}/${what}/${order}`);
  const outputs = (await net.runExact(inside(box, random))).length;
  const slope = orRefused(() => net.slope());
  for await (const [x, y] of pairsOf(box, order, outputs, random, slope)) {
    const [f, g] = [await net.runExact(x), await net.runExact(y)];
    const [moved, by] = [norm(minus(f, g), order), norm(minus(x, y), order)];
    if (moved <= constant * by) continue;
    const rounding = norm(widths(net.float64At(x)), order) + norm(widths(net.float64At(y)), order);
    expect(moved - rounding, `${what}, norm ${order} (LEMMATA_SEED=${seed})`).toBeLessThanOrEqual(
      constant * by * (1 + 1e-12),
    );
  }
}

describe.each(models)("%s", (name, path) => {
  it("no quotient of differences is above a Lipschitz bound", async () => {
    const graph = await loadModel(path);
    const net = orRefused(() => new Network(graph));
    if (!net || !(await net.isFunction()) || net.inputs > mostInputs) return;
    const boxes = [cube(net.inputs, -1, 1), around(createRandom(`${seed}/${name}`), net.inputs, 0.01)];
    for (const order of orders) {
      const everywhere = orRefused(() => lipschitzBound(graph, order));
      if (everywhere !== undefined)
        await tryConstant(net, everywhere, order, boxes[0]!, `${name} everywhere`);
    }
    const outputs = (await net.runExact(boxes[0]!.lower)).length;
    for (const box of outputs * net.inputs > mostEntries ? [] : boxes)
      for (const order of orders) {
        const local = orRefused(() => localLipschitzBound(graph, net.box(box), order));
        if (local !== undefined) await tryConstant(net, local, order, box, `${name} on a box`);
      }
    await net.release();
  });
});
