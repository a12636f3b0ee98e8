import type { Figure } from "../../figure/figure.ts";
import type { Layer } from "../../networks/layers/layered.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { trajectory } from "../../networks/trajectory.ts";
import type { Random } from "../../numbers/random.ts";
import { mean } from "../../numbers/sum.ts";
import { pieceLimit } from "../../passes/piece-bounds.ts";
import { linearPieces } from "../../passes/pieces.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

/** How often Hoeffding's inequality may fail. */
const delta = 1e-3;

export default lemma({
  id: "C1a-57",
  covers: ["C1a-57"],
  kind: "experiment",
  title: "How many regions a random network has",
  source: "Book, chapter 1, section 1.3.2, footnote 21 (Hanin and Rolnick 2019)",
  statement: String.raw`\mathbb{E} \, \#\text{regions on } [-c, c] \le 1 + C_g C_b \, N \cdot 2c, \quad C_g = \sqrt2 \ge \mathbb{E} |z'|, \; C_b = \frac{1}{\sigma_b \sqrt{2\pi}}, \qquad \text{one hidden layer: } 1 + N \tfrac2\pi \arctan \frac{\sqrt2 \, c}{\sigma_b}`,
  parameters: {
    width: integer({ min: 1, max: 20, default: 20, label: "units a layer" }),
    depth: integer({ min: 1, max: 6, default: 3, label: "hidden layers" }),
    c: real({ min: 0.02, max: 4, default: 2, label: "half of the segment" }),
    bias: real({ min: 0.1, max: 3, default: 1, label: "deviation of biases" }),
  },
  claims: {
    "mean of one hidden layer with as many units": equals(
      String.raw`1 + N \tfrac2\pi \arctan(\sqrt2 c / \sigma_b) \pm \sqrt{N \ln(2/\delta) / 2R} \quad (R \text{ networks, Hoeffding})`,
    ).probable(),
    "mean of the deep networks": atMost(
      String.raw`1 + 2c N \sqrt2 / (\sigma_b \sqrt{2\pi}), \text{ and 5 standard errors}`,
    ).probable(),
    "most regions of a deep network": atMost(String.raw`\prod_\ell (n_\ell + 1)`),
    "mean square of a unit's slope, all signs of three layers": equals("2"),
    "linear pieces of one network, by its exact pieces": atMost("regions"),
  },
  mutants: {
    "weights of variance 1/fan-in": {
      "mean of one hidden layer with as many units": ({ width, depth, c, bias }) =>
        1 + width * depth * (2 / Math.PI) * Math.atan(c / bias),
    },
    "the last layer not counted": {
      "mean of one hidden layer with as many units": ({ depth }, { theory }) =>
        depth === 1 ? Number.NaN : 1 + ((theory - 1) * (depth - 1)) / depth,
    },
    "half of the squares lost twice": { "mean square of a unit's slope, all signs of three layers": () => 1 },
  },
  async run({ width, depth, c, bias }, { random, scale, budget, progress }) {
    const units = width * depth;
    const draws = Math.max(20, scale(200));
    const regionsOf = (layers: readonly Layer[]): number => regions(layers, c);
    const [shallow, deep]: [number[], number[]] = [[], []];
    for (let r = 0; r < draws; r++) {
      shallow.push(regionsOf(draw([units], bias, random.split(`shallow ${r}`))));
      deep.push(regionsOf(draw(Array<number>(depth).fill(width), bias, random.split(`deep ${r}`))));
      if (r % 8 === 0) await progress(r / draws);
    }
    const error = Math.sqrt(mean(deep.map((v) => (v - mean(deep)) ** 2)) / (draws - 1));
    const net = draw(Array<number>(depth).fill(width), bias, random.split("net"));
    const last = layer([[...random.split("out").normal(width)]]);
    const graph = network([...net, last]);
    return {
      graph,
      ...(budget !== "cheap" && { figure: figure(c, bias, random.split("figure")) }),
      claims: {
        "mean of one hidden layer with as many units": sampled(
          mean(shallow),
          expectedShallow(units, c, bias),
          {
            delta,
            tolerance: Math.sqrt((units * Math.log(2 / delta)) / (2 * draws)),
          },
        ),
        "mean of the deep networks": sampled(
          mean(deep),
          1 + (2 * c * units * Math.SQRT2) / (bias * Math.sqrt(2 * Math.PI)) + 5 * error,
          { delta },
        ),
        "most regions of a deep network": sampled(Math.max(...deep), pieceLimit(units, depth)),
        "mean square of a unit's slope, all signs of three layers": checked(allSigns(), 2, {
          tolerance: 2 ** -48,
        }),
        "linear pieces of one network, by its exact pieces": checked(
          linearPieces(graph, -c, c).knots.length - 1,
          regionsOf(net),
        ),
      },
    };
  },
});

/** 1 + N P(|b / w| < c): the zero of w x + b is a Cauchy number. */
const expectedShallow = (units: number, c: number, bias: number): number =>
  1 + units * (2 / Math.PI) * Math.atan((Math.SQRT2 * c) / bias);

/** Layers on one input: weights of variance 2 / fan-in, normal biases. */
function draw(widths: readonly number[], bias: number, random: Random): readonly Layer[] {
  return widths.map((n, l) => {
    const fanIn = widths[l - 1] ?? 1;
    return layer(
      Array.from({ length: n }, () => Array.from(random.normal(fanIn), (w) => w * Math.sqrt(2 / fanIn))),
      Array.from(random.normal(n), (b) => bias * b),
    );
  });
}

/** Activation regions that the segment [-c, c] meets: it is split wherever a unit turns on or off. */
const regions = (layers: readonly Layer[], c: number): number =>
  trajectory(layers, [Float64Array.of(-c), Float64Array.of(c)]).at(-1)!.length - 1;

/**
 * The mean of z'(x)^2 over all signs of weights sqrt(2 / fan-in), of biases 1, in three layers of two units: a unit is on in
 * half of all cases whatever its slope is, and half of the squares of two with the factor 2 / 2 is what there was before.
 */
function allSigns(): number {
  let [sum, count] = [0, 0];
  const sign = (mask: number, bit: number): number => ((mask >> bit) & 1 ? 1 : -1);
  for (let mask = 0; mask < 2 ** 12; mask++) {
    const first = [0, 1].map((j) => ({
      z: Math.SQRT2 * sign(mask, j) * 0.7 + sign(mask, 2 + j),
      slope: Math.SQRT2 * sign(mask, j),
    }));
    const second = [0, 1].map((j) => {
      const on = first.map((u) => (u.z > 0 ? u : { z: 0, slope: 0 }));
      const weights = [sign(mask, 4 + 2 * j), sign(mask, 5 + 2 * j)];
      return {
        z: weights[0]! * on[0]!.z + weights[1]! * on[1]!.z + sign(mask, 8 + j),
        slope: weights[0]! * on[0]!.slope + weights[1]! * on[1]!.slope,
      };
    });
    const on = second.map((u) => (u.z > 0 ? u.slope : 0));
    sum += (sign(mask, 10) * on[0]! + sign(mask, 11) * on[1]!) ** 2;
    count += 1;
  }
  return sum / count;
}

/** 60 units in one to six layers: means of what there is, and what there could be. */
function figure(c: number, bias: number, random: Random): Figure {
  const depths = [1, 2, 3, 4, 5, 6];
  const bound = 1 + (2 * c * 60 * Math.SQRT2) / (bias * Math.sqrt(2 * Math.PI));
  const counts = depths.map((depth) =>
    Array.from({ length: 40 }, (_, r) =>
      regions(draw(Array<number>(depth).fill(60 / depth), bias, random.split(`${depth}/${r}`)), c),
    ),
  );
  return {
    title: "Regions of random networks with 60 units",
    panels: [
      {
        title: `On [${-c}, ${c}]`,
        x: { label: "hidden layers" },
        y: { label: "regions", scale: "log" },
        series: [
          {
            name: "at most, any weights",
            mark: "line",
            role: "theory",
            points: depths.map((depth) => [depth, pieceLimit(60, depth)] as const),
          },
          {
            name: "bound on the mean",
            mark: "line",
            role: "theory",
            points: depths.map((depth) => [depth, bound] as const),
          },
          {
            name: "mean of 40 networks",
            mark: "dots",
            points: depths.map((d, k) => [d, mean(counts[k]!)] as const),
          },
        ],
      },
    ],
  };
}
