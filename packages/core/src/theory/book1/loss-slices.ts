import { tensor } from "../../graph/tensor.ts";
import { filterDirection } from "../../landscape/point/filter-directions.ts";
import { gridMinima, slice } from "../../landscape/point/slice.ts";
import { type WeightObjective, weightObjective } from "../../landscape/point/weight-objective.ts";
import type { Random } from "../../numbers/random.ts";
import { createRandom } from "../../numbers/random.ts";
import { type DenseLayer, denseNetwork, preActivations } from "../../train/dense-network.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C1a-29",
  covers: ["C1a-29"],
  kind: "experiment",
  title: "Two-dimensional slices of the loss of a ReLU network",
  source: "Book, chapter 1, Figure 1.5; Li et al. 2018",
  statement: String.raw`(a, b) \mapsto \widehat{\mathcal R}_s(\theta^* + a \delta + b \eta), \quad \|\delta_j\| = \|\eta_j\| = \|\theta^*_j\| \text{ for each neuron } j`,
  parameters: {
    width: integer({ min: 2, max: 6, default: 4, label: "units of a hidden layer" }),
    c: real({ min: 0.2, max: 5, default: 3, label: "factor of the first layer; the second has 1/c" }),
    zoom: integer({ min: 0, max: 3, default: 1, label: "zoom: a side of 2 · 4^-k" }),
  },
  claims: {
    "value in the middle": equals("the loss"),
    "greatest |‖δ_j‖ / ‖θ_j‖ - 1| over neurons": equals("0"),
    "greatest change of the slice when a layer is scaled by c, the next by 1/c": equals("0"),
    "<δ, H δ> less the second difference of the slice": equals("0"),
  },
  mutants: {
    "directions of length 1": {
      "greatest |‖δ_j‖ / ‖θ_j‖ - 1| over neurons": () => 1,
    },
    "the slice does not know the scale": {
      "greatest change of the slice when a layer is scaled by c, the next by 1/c": ({ c }) => Math.abs(c - 1),
    },
  },
  async run({ width, c, zoom }, { random, scale, budget, progress }) {
    const layers = drawLayers(width, random);
    const data = examples(layers, random);
    const own = weightObjective(denseNetwork(layers, "relu"), data, { loss: "square" });
    const rescaled = layers.map(({ W }, l) => ({
      W: W.map((row) => row.map((w) => (l === 0 ? c * w : l === 1 ? w / c : w))),
    }));
    const other = weightObjective(denseNetwork(rescaled, "relu"), data, { loss: "square" });
    const points = 2 * Math.max(1, Math.round(scale(20) / 4)) + 1;
    const radius = 4 ** -zoom;
    const [mine, theirs] = [await sliced(own, points, radius), await sliced(other, points, radius)];
    await progress(0.5);
    const middle = (points - 1) / 2;
    const size = Math.max(...mine.values.flat());
    const change = Math.max(...mine.values.flat().map((v, k) => Math.abs(v - theirs.values.flat()[k]!)));
    const direction = directionOf(own, "first");
    const form = (await own.curvature(own.start, direction)).reduce(
      (sum, h, k) => sum + h * direction[k]!,
      0,
    );
    return {
      graph: own.graph,
      table: {
        title: "minima of the grid, zoom by zoom",
        columns: ["radius", "minima", "greatest loss"],
        rows: await zooms(own, budget === "cheap" ? 1 : 4, points),
      },
      ...(budget !== "cheap" && {
        figure: {
          title: "A slice of the loss around random weights",
          panels: [
            {
              title: `Radius ${radius}`,
              x: { label: "first direction" },
              y: { label: "second direction" },
              series: [{ name: "the network", mark: "dots" as const, points: [[0, 0] as const] }],
              field: { x: [-radius, radius] as const, y: [-radius, radius] as const, values: mine.values },
            },
          ],
        },
      }),
      claims: {
        "value in the middle": checked(mine.values[middle]![middle]!, await own.value(own.start)),
        "greatest |‖δ_j‖ / ‖θ_j‖ - 1| over neurons": checked(lengths(direction, own.start, layers), 0, {
          tolerance: 1e-12,
        }),
        "greatest change of the slice when a layer is scaled by c, the next by 1/c": checked(change, 0, {
          // Products of four layers, rounded with other weights.
          tolerance: 1e-11 * (1 + size),
        }),
        "<δ, H δ> less the second difference of the slice": checked(
          form - (await secondDifference(own, direction)),
          0,
          // Differences of a polynomial, since no unit switches within a step.
          { tolerance: 1e-4 * (1 + Math.abs(form)) },
        ),
      },
    };
  },
});

const widthsOf = (width: number): readonly number[] => [2, width, width, width, 1];

const drawLayers = (width: number, random: Random): readonly DenseLayer[] =>
  widthsOf(width)
    .slice(1)
    .map((rows, l) => ({
      W: Array.from({ length: rows }, (_, i) =>
        [...random.split(`W${l} ${i}`).normal(widthsOf(width)[l]!)].map((w) => w * Math.SQRT2 ** 0.5),
      ),
    }));

/** Half the length of second differences. */
const step = 1e-4;

/** Examples on which no unit switches within a step along the first direction. */
function examples(layers: readonly DenseLayer[], random: Random) {
  const empty = { x: tensor([[0, 0]]), target: tensor([[0]]) };
  const direction = directionOf(
    weightObjective(denseNetwork(layers, "relu"), empty, { loss: "square" }),
    "first",
  );
  const [before, here, after] = [-step, 0, step].map((t) => moved(layers, direction, t));
  const x: number[][] = [];
  for (let i = 0; x.length < 20; i++) {
    const point = [...random.split(`x ${i}`).normal(2)];
    const pattern = signs(here!, point);
    if (signs(before!, point) === pattern && signs(after!, point) === pattern) x.push(point);
  }
  return { x: tensor(x), target: tensor(x.map(([a, b]) => [Math.sin(2 * a!) + b!])) };
}

/** The layers with weights theta + t direction. */
function moved(layers: readonly DenseLayer[], direction: Float64Array, t: number): readonly DenseLayer[] {
  let at = 0;
  return layers.map(({ W }) => ({ W: W.map((row) => row.map((w) => w + t * direction[at++]!)) }));
}

const signs = (layers: readonly DenseLayer[], x: readonly number[]): string =>
  preActivations(layers, "relu", x)
    .slice(0, -1)
    .map((z) => z.map((v) => Number(v > 0)).join(""))
    .join();

const directionOf = ({ graph, names, start }: WeightObjective, label: string): Float64Array =>
  filterDirection(graph, names, createRandom("slice").split(label), start);

const sliced = (objective: WeightObjective, points: number, radius: number) =>
  slice(
    objective.value,
    objective.start,
    [directionOf(objective, "first"), directionOf(objective, "second")],
    { points, radius },
  );

/** Over all rows of all layers. */
function lengths(direction: Float64Array, theta: Float64Array, layers: readonly DenseLayer[]): number {
  let [at, worst] = [0, 0];
  for (const { W } of layers)
    for (const row of W) {
      const part = (v: Float64Array) => Math.hypot(...v.subarray(at, at + row.length));
      worst = Math.max(worst, Math.abs(part(direction) / part(theta) - 1));
      at += row.length;
    }
  return worst;
}

async function secondDifference({ value, start }: WeightObjective, direction: Float64Array): Promise<number> {
  const h = step;
  const at = (t: number) => value(start.map((w, k) => w + t * direction[k]!));
  return ((await at(h)) - 2 * (await at(0)) + (await at(-h))) / h ** 2;
}

async function zooms(objective: WeightObjective, count: number, points: number) {
  const rows: (readonly number[])[] = [];
  for (let k = 0; k < count; k++) {
    const { values } = await sliced(objective, points, 4 ** -k);
    rows.push([4 ** -k, gridMinima(values), Math.max(...values.flat())]);
  }
  return rows;
}
