import type { Attribution } from "../../explain/methods/attribution.ts";
import { taylor } from "../../explain/methods/taylor.ts";
import { modelAt, row } from "../../explain/model-at.ts";
import type { ScoreModel } from "../../explain/score-model.ts";
import { float64, graph } from "../../graph/builder.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { atMost, checked, equals, fitted, type Measurement } from "../claim.ts";
import { type LemmaTable, lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { dot, drawLayers, drawnNetwork, dyadic, preActivations, sum } from "./drawn.ts";
import { figure } from "./taylor-decomposition-figure.ts";

export default lemma({
  id: "C5-02",
  covers: ["C5-02"],
  kind: "algorithm",
  title: "Taylor decomposition at a reference point",
  source: "Book, chapter 5, (5.5)-(5.7)",
  statement: String.raw`f(x) = f(\tilde x) + \sum_i \underbrace{(x_i - \tilde x_i) \, \partial_i f(\tilde x)}_{R_i} + \varepsilon, \qquad \varepsilon = O(\|x - \tilde x\|^2)`,
  parameters: {
    d: integer({ min: 1, max: 6, default: 4, label: "inputs" }),
    width: integer({ min: 1, max: 8, default: 6, label: "hidden units" }),
    sixteenths: integer({ min: 1, max: 48, default: 4, label: "reference δx, δ in sixteenths" }),
    angle: real({ min: 0, max: 1.57, default: 0.8, label: "x · y: angle of the way from the reference" }),
    r: real({ min: 0.1, max: 4, default: 1, label: "x · y: distance of the reference" }),
  },
  claims: {
    "affine: remainder at any reference": equals("0"),
    "affine: sum of relevance at the nearest root": equals("f(x)"),
    "affine: distance of the nearest root": equals(String.raw`|f(x)| / \|w\|`),
    "affine: score at the root on a segment": equals("0"),
    "ReLU without biases: sum of relevance at δx": equals(String.raw`(1 - \delta) f(x)`),
    "ReLU without biases: zeroth order at δx": equals(String.raw`\delta f(x)`),
    "ReLU without biases: units that switch between x and δx": equals("0").printed(),
    "ReLU without biases: distance of δx": equals(String.raw`|1 - \delta| \, \|x\|`),
    "ReLU without biases: remainder at 0 itself": equals("f(x)"),
    "x · y: remainder": equals(String.raw`(x - \tilde x)(y - \tilde y)`),
    "x · y: size of the remainder": atMost(String.raw`\tfrac12 \|(x, y) - (\tilde x, \tilde y)\|^2`),
    "x · y at 0: sum of relevance": equals("0"),
    "x · y at the root (0, y): relevance of x": equals("x y"),
    "x · y at the root (x, 0): relevance of x": equals("0"),
    "exp: exponent of the remainder in the distance": equals("2").rate(),
  },
  mutants: {
    "zeroth and first order exchanged": {
      "ReLU without biases: sum of relevance at δx": ({ sixteenths }, { theory }) =>
        (theory * sixteenths) / (16 - sixteenths),
    },
    "a first-order remainder": { "exp: exponent of the remainder in the distance": () => 1 },
    "the root by half a Newton step": {
      "affine: distance of the nearest root": (_, { theory }) => theory / 2,
    },
  },
  async run({ d, width, sixteenths, angle, r }, { random, progress }) {
    const affine = await ofAffine(dyadic(random, d), dyadic(random, d), random.integer(-8, 8) / 4, [
      ...dyadic(random, d),
    ]);
    await progress(0.3);
    const relu = await ofRelu(
      drawLayers(random, [d, width, width, 1], false),
      dyadic(random, d),
      sixteenths / 16,
    );
    await progress(0.6);
    const { claims: product, table } = await ofProduct(angle, r);
    const rate = await ofExponential(random.sphere(d));
    return {
      figure: figure(),
      table,
      claims: { ...affine, ...relu, ...product, "exp: exponent of the remainder in the distance": rate },
    };
  },
});

type Claims = Record<string, Measurement>;

/** Rounding of a few operations on numbers of this size. */
const rounding = (size: number): { readonly tolerance: number } => ({ tolerance: 2 ** -44 * (1 + size) });

async function ofAffine(
  w: Float64Array,
  x: Float64Array,
  b: number,
  reference: readonly number[],
): Promise<Claims> {
  const model = await modelAt(network([layer([[...w]], [b])]), row(x));
  const f = dot(w, x) + b;
  const square = dot(w, w);
  const mirrored = x.map((v, i) => v - (2 * f * w[i]!) / square);
  const anywhere = await taylor(model, { root: Float64Array.from(reference), baseline: x });
  const nearest = await taylor(model, { root: "nearest", baseline: x });
  const segment = await taylor(model, { root: "segment", baseline: mirrored });
  return {
    "affine: remainder at any reference": checked(anywhere.details["remainder"]!, 0),
    "affine: sum of relevance at the nearest root": checked(sum(nearest.relevance), f, rounding(Math.abs(f))),
    "affine: distance of the nearest root": checked(
      nearest.details["distance"]!,
      Math.abs(f) / Math.sqrt(square),
      rounding(Math.abs(f)),
    ),
    // Fifty halvings of the segment.
    "affine: score at the root on a segment": checked(
      segment.details["zeroth"]!,
      0,
      rounding(4 * Math.abs(f) + 64),
    ),
  };
}

async function ofRelu(
  layers: ReturnType<typeof drawLayers>,
  x: Float64Array,
  delta: number,
): Promise<Claims> {
  const model = await modelAt(drawnNetwork(layers), row(x));
  const [f, near] = [
    preActivations(layers, x),
    preActivations(
      layers,
      x.map((v) => delta * v),
    ),
  ];
  const score = f.at(-1)![0]!;
  const switches = f
    .slice(0, -1)
    .flatMap((z, l) => z.filter((v, k) => Math.sign(v) !== Math.sign(near[l]![k]!))).length;
  const reference = x.map((v) => delta * v);
  const { relevance, details } = await taylor(model, { root: reference, baseline: x });
  const atZero = await taylor(model, { root: "origin", baseline: x });
  return {
    "ReLU without biases: sum of relevance at δx": checked(sum(relevance), (1 - delta) * score),
    "ReLU without biases: zeroth order at δx": checked(details["zeroth"]!, delta * score),
    "ReLU without biases: units that switch between x and δx": checked(switches, 0),
    "ReLU without biases: distance of δx": checked(
      details["distance"]!,
      Math.abs(1 - delta) * Math.sqrt(dot(x, x)),
      rounding(Math.sqrt(dot(x, x))),
    ),
    "ReLU without biases: remainder at 0 itself": checked(atZero.details["remainder"]!, score),
  };
}

const product = graph({ x: float64("N", 2) }, ({ x }) => ({
  y: x!.slice(1, 0, 1).mul(x!.slice(1, 1, 2)),
}));

async function ofProduct(angle: number, r: number): Promise<{ claims: Claims; table: LemmaTable }> {
  const [x, y] = [1.5, 2];
  const way = [r * Math.cos(angle), r * Math.sin(angle)] as const;
  const model = await modelAt(product, row([x, y]));
  const at = (...point: number[]) =>
    taylor(model, { root: Float64Array.from(point), baseline: new Float64Array(2) });
  const references = [
    [0, 0],
    [0, y],
    [x, 0],
    [x / 2, y / 2],
    [x - way[0], y - way[1]],
  ] as const;
  const found: Attribution[] = [];
  for (const reference of references) found.push(await at(...reference));
  const [origin, first, second, , drawn] = found;
  const { tolerance } = rounding(r * r + 8);
  return {
    claims: {
      "x · y: remainder": checked(drawn!.details["remainder"]!, way[0] * way[1], { tolerance }),
      "x · y: size of the remainder": checked(Math.abs(drawn!.details["remainder"]!), (r * r) / 2, {
        tolerance,
      }),
      "x · y at 0: sum of relevance": checked(sum(origin!.relevance), 0),
      "x · y at the root (0, y): relevance of x": checked(first!.relevance[0]!, x * y),
      "x · y at the root (x, 0): relevance of x": checked(second!.relevance[0]!, 0),
    },
    table: {
      title: `x · y at (${x}, ${y}): what each reference says`,
      columns: ["reference", "zeroth order", "relevance of x", "relevance of y", "remainder"],
      rows: references.map((reference, k) => [
        `(${reference.map((v) => Number(v.toFixed(3))).join(", ")})`,
        found[k]!.details["zeroth"]!,
        found[k]!.relevance[0]!,
        found[k]!.relevance[1]!,
        found[k]!.details["remainder"]!,
      ]),
    },
  };
}

/** exp(<w, x>) at 0, from references on the way along w: the next term is a third of the distance. */
async function ofExponential(w: Float64Array): Promise<Measurement | undefined> {
  const model: ScoreModel = await modelAt(
    graph({ x: float64("N", w.length) }, ({ x }) => ({ y: x!.affine([[...w]]).exp() })),
    row(new Float64Array(w.length)),
  );
  const points: [number, number][] = [];
  for (let k = 4; k <= 10; k++) {
    const { details } = await taylor(model, { root: w.map((v) => -v * 2 ** -k), baseline: w });
    points.push([details["distance"]!, Math.abs(details["remainder"]!)]);
  }
  return fitted(points, 2, 2 ** -4);
}
