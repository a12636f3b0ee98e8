// The normal form of networks of any depth: split, doubled, idle and rescaled units, and pairs that differ a little.
import { describe, expect, it } from "vitest";
import { networkOf } from "../../src/bounds/linear.ts";
import { exactly, upTo } from "../../src/equivalence/compare/combination.ts";
import { deepDeviation } from "../../src/equivalence/compare/deep-form.ts";
import { compareNetworks } from "../../src/equivalence/index.ts";
import { float32, float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { tensor } from "../../src/graph/tensor.ts";
import type { Value } from "../../src/graph/value.ts";
import { createRandom, type Random } from "../../src/numbers/random.ts";

const f64 = { type: "float64" } as const;
type Matrix = readonly (readonly number[])[];
interface Plain {
  readonly weights: readonly Matrix[];
  readonly biases: readonly (readonly number[])[];
}

const graphOf = ({ weights, biases }: Plain, act = "Relu"): Graph =>
  graph({ x: float64(1, weights[0]![0]!.length) }, ({ x }) => ({
    y: weights.reduce((h, w, l) => {
      const next = h.affine(
        tensor(
          w.map((row) => [...row]),
          f64,
        ),
        tensor([...biases[l]!], f64),
      );
      return l + 1 < weights.length ? next.op(act as "Relu") : next;
    }, x),
  }));

const eighths = (random: Random) => (): number => Math.round(8 * random.normal()) / 8;
function drawn(random: Random, widths: readonly number[]): Plain {
  const number = eighths(random);
  const layers = widths.slice(1).map((rows, l) => [rows, widths[l]!] as const);
  return {
    weights: layers.map(([rows, columns]) =>
      Array.from({ length: rows }, () => Array.from({ length: columns }, number)),
    ),
    biases: layers.map(([rows]) => Array.from({ length: rows }, number)),
  };
}

/** Another network that is the same function: a unit is doubled, or split into both sides of its bend, or one is idle. */
function rewritten({ weights, biases }: Plain, random: Random): Plain {
  const [w, b] = [weights.map((m) => m.map((row) => [...row])), biases.map((row) => [...row])];
  const layer = random.integer(0, w.length - 2);
  const unit = random.integer(0, w[layer]!.length - 1);
  const how = random.integer(0, 2);
  const row = w[layer]![unit]!;
  if (how === 0) {
    // relu(4 h) and relu(h): 5/8 and 1/8 and 3/8 of the weight.
    w[layer]!.push(row.map((v) => 4 * v));
    b[layer]!.push(4 * b[layer]![unit]!);
    for (const out of w[layer + 1]!) {
      out.push(out[unit]! / 16);
      out[unit] = (3 * out[unit]!) / 4;
    }
  } else if (how === 1) {
    // One side more and the other less: relu(h) = relu(-h) + h, and h of two units of the layer before, which it reads.
    w[layer]!.push(
      row.map((v) => -v),
      row.map((v) => 2 * v),
      row.map((v) => -2 * v),
    );
    b[layer]!.push(-b[layer]![unit]!, 2 * b[layer]![unit]!, -2 * b[layer]![unit]!);
    for (const out of w[layer + 1]!) {
      const v = out[unit]!;
      out[unit] = 0;
      // v relu(h) = v relu(-h) + v/2 (relu(2 h) - relu(-2 h))
      out.push(v, v / 2, -v / 2);
    }
  } else {
    w[layer]!.push(row.map(() => 0));
    b[layer]!.push(-1);
    for (const out of w[layer + 1]!) out.push(random.integer(1, 5));
  }
  const order = random.permutation(w[layer]!.length);
  w[layer] = Array.from(order, (k) => w[layer]![k]!);
  b[layer] = Array.from(order, (k) => b[layer]![k]!);
  w[layer + 1] = w[layer + 1]!.map((out) => Array.from(order, (k) => out[k]!));
  return { weights: w, biases: b };
}

const deviation = (a: Graph, b: Graph, arithmetic = exactly): number =>
  deepDeviation(networkOf(a), networkOf(b), { arithmetic });

describe("networks with three hidden layers", () => {
  const random = createRandom("deep forms");
  const pairs = Array.from({ length: 12 }, () => {
    const plain = drawn(random, [3, 5, 4, 4, 2]);
    let other = plain;
    for (let k = 0; k < 4; k++) other = rewritten(other, random);
    return [plain, other] as const;
  });

  it("units split, doubled, idle, and in another order: the same, exactly", () => {
    for (const [a, b] of pairs) expect(deviation(graphOf(a), graphOf(b))).toBe(0);
  });

  it("a weight off by a millionth: not the same, not even up to rounding", () => {
    for (const [a, b] of pairs) {
      const layer = random.integer(0, 3);
      const row = random.integer(0, b.weights[layer]!.length - 1);
      const at = random.integer(0, b.weights[layer]![row]!.length - 1);
      const changed = b.weights.map((w, l) =>
        w.map((r, i) =>
          r.map((v, j) => (l === layer && i === row && j === at ? v + 1e-5 * (1 + Math.abs(v)) : v)),
        ),
      );
      const [p, q] = [graphOf(a), graphOf({ ...b, weights: changed })];
      // What differs may be read by nobody: then there is no difference to see.
      const seen = differs(a, { ...b, weights: changed }, random);
      if (!seen) continue;
      expect(deviation(p, q)).toBe(Number.POSITIVE_INFINITY);
      expect(deviation(p, q, upTo(2 ** -20))).toBe(Number.POSITIVE_INFINITY);
    }
  });

  it("weights rounded to single precision: the same up to rounding, not exactly", () => {
    for (const [a, b] of pairs.slice(0, 4)) {
      const thirds = a.weights.map((w) => w.map((r) => r.map((v) => v / 3)));
      const rounded = b.weights.map((w) => w.map((r) => r.map((v) => Math.fround(v / 3))));
      const [p, q] = [graphOf({ ...a, weights: thirds }), graphOf({ ...b, weights: rounded })];
      expect(deviation(p, q)).toBe(Number.POSITIVE_INFINITY);
      expect(deviation(p, q, upTo(2 ** -20))).toBeLessThan(1e-6);
    }
  });
});

function valueAt({ weights, biases }: Plain, x: readonly number[]): readonly number[] {
  return weights.reduce((h, w, l) => {
    const next = w.map((row, i) => row.reduce((s, v, j) => s + v * h[j]!, biases[l]![i]!));
    return l + 1 < weights.length ? next.map((v) => Math.max(0, v)) : next;
  }, x);
}
const differs = (a: Plain, b: Plain, random: Random): boolean =>
  Array.from({ length: 400 }, () => [...random.normal(3)].map((v) => 2 * v)).some((x) => {
    const [u, v] = [valueAt(a, x), valueAt(b, x)];
    return u.some((y, k) => Math.abs(y - v[k]!) > 1e-9 * (1 + Math.abs(y)));
  });

describe("compare", () => {
  it("an affine function carried through two layers by both sides of bends: proved", async () => {
    const carried = graph({ x: float64(1, 2) }, ({ x }) => {
      const sides = tensor(
        [
          [1, 0],
          [0, 1],
          [-1, 0],
          [0, -1],
        ],
        f64,
      );
      const back = tensor(
        [
          [1, 0, -1, 0],
          [0, 1, 0, -1],
        ],
        f64,
      );
      const shift = tensor([-0.25, 0.5, 0.25, -0.5], f64);
      const once = (v: Value): Value =>
        v
          .affine(sides, shift)
          .relu()
          .affine(back, tensor([0.25, -0.5], f64));
      return { y: once(once(x)).affine(tensor([[0.1, 0.7]], f64)) };
    });
    const plain = graph({ x: float64(1, 2) }, ({ x }) => ({ y: x.affine(tensor([[0.1, 0.7]], f64)) }));
    expect(await compareNetworks(carried, plain)).toMatchObject({
      verdict: "equivalent",
      strength: "proved",
    });
    const off = graph({ x: float64(1, 2) }, ({ x }) => ({
      y: x.affine(tensor([[0.1, 0.7]], f64), tensor([1e-3], f64)),
    }));
    expect((await compareNetworks(carried, off)).verdict).toBe("different");
  });

  it.each(["Gelu", "Softplus", "Tanh", "Sigmoid"] as const)("%s on the other side of 0", (op) => {
    const at = (sign: number): Graph =>
      graph({ x: float64(1, 2) }, ({ x }) => {
        const h = x.affine(
          tensor(
            [
              [0.5, -1],
              [2, 1],
            ],
            f64,
          ),
          tensor([0.25, 0], f64),
        );
        const turned = h.mul([sign, 1]).op(op);
        // f(-h) = f(h) - h, - f(h) or 1 - f(h)
        const [a, b] = op === "Tanh" ? [-1, 0] : op === "Sigmoid" ? [-1, 1] : [1, 0];
        const first = sign > 0 ? turned : turned.mul([a, 1]).add([b, 0]);
        const line = op === "Gelu" || op === "Softplus";
        const whole = sign < 0 && line ? first.add(h.mul([1, 0])) : first;
        return { y: whole.relu().sum([1], 1) };
      });
    const found = deviation(at(1), at(-1));
    // A Gelu's reflection is not known to the table: nothing may be claimed then.
    expect(found).toBe(op === "Gelu" ? Number.POSITIVE_INFINITY : 0);
  });
});

describe("written out or not", () => {
  const random = createRandom("written out");
  const matrix = (rows: number, columns: number) =>
    tensor(
      Array.from({ length: rows }, () => [...random.normal(columns)].map((v) => v / 2)),
      { type: "float32" },
    );
  const [first, second, scale, shift] = [matrix(6, 4), matrix(3, 6), matrix(1, 6), matrix(1, 6)];
  const vector = (m: typeof scale, change = 0) =>
    tensor(
      [...(m.data as Float32Array)].map((v, k) => v + (k === 2 ? change : 0)),
      { type: "float32", dims: [6] },
    );
  const head = (x: Value): Value => x.affine(first);
  const fused = graph({ x: float32(2, 4) }, ({ x }) => ({
    y: head(x)
      .op("LayerNormalization", [vector(scale), vector(shift)])
      .op("Gelu")
      .affine(second),
  }));
  const apart = (change = 0, epsilon = 1e-5): Graph =>
    graph({ x: float32(2, 4) }, ({ x }) => {
      const h = head(x);
      const centred = h.sub(h.mean([-1], 1));
      const normal = centred
        .div(centred.pow(2).mean([-1], 1).add(epsilon).sqrt())
        .mul(vector(scale, change))
        .add(vector(shift));
      const erf = normal.div(Math.fround(Math.SQRT2)).op("Erf").add(1);
      return { y: normal.mul(erf).mul(0.5).affine(second) };
    });

  it("LayerNormalization and Gelu are found again, and bounded", async () => {
    const { verdict, strength, maxDifference } = await compareNetworks(fused, apart(), { seconds: 60 });
    expect([verdict, strength]).toEqual(["equivalent", "checked"]);
    expect(maxDifference.upper).toBeLessThan(100);
    expect(maxDifference.lower).toBeLessThan(1e-6);
  });

  it.each([
    ["a scale that is off by a thousandth", apart(1e-3)],
    ["another epsilon", apart(0, 1e-3)],
  ])("%s: different", async (_, other) => {
    expect((await compareNetworks(fused, other, { seconds: 60 })).verdict).toBe("different");
  });
});
