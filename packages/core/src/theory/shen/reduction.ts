import { run } from "../../engine/run.ts";
import { redundantNetwork, simplify } from "../../equivalence/index.ts";
import type { Figure } from "../../figure/figure.ts";
import { activation } from "../../functions/activation.ts";
import { denseParameterCount } from "../../generalization/covering.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { layersOf } from "../../networks/layers/layers.ts";
import { affineImage } from "../../networks/layers/matrix.ts";
import type { Random } from "../../numbers/random.ts";
import { initialNetwork } from "../../train/network.ts";
import { atLeast, atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "S-23",
  covers: ["S-23"],
  kind: "algorithm",
  title: "Units that a network can do without",
  source: "Shen, remarks on the limits of the effective parameter space",
  statement: String.raw`f = g \text{ on } X, \text{ where } g \text{ lacks every unit with } \sup_X z \le 0 \text{ (dead)},\; \inf_X z \ge 0 \text{ (linear)},\; (w, b) = c\,(w', b'),\; c > 0 \text{ (a multiple)},\; w = 0 \text{ (a constant)},\; v = 0 \text{ (unread)}`,
  parameters: {
    inputs: integer({ min: 1, max: 4, default: 2, label: "inputs" }),
    width: integer({ min: 1, max: 8, default: 5, label: "units of a hidden layer that may matter" }),
    layers: integer({ min: 1, max: 3, default: 2, label: "hidden layers" }),
  },
  claims: {
    "units removed without any rounding": atLeast("those planted: five in each hidden layer"),
    "change of the function, certified": equals("0"),
    "difference of the runs, on points where neither rounds": equals("0"),
    "parameters left": atMost(String.raw`\text{those of } d_0 - d - \dots - d - 1`),
    "units that never fire on a sample": atLeast("units dead on the whole box"),
    "units approximated, change certified": atMost("the error allowed"),
    "units approximated, change seen": atMost("the change certified"),
  },
  mutants: {
    "six planted in each layer": { "units removed without any rounding": ({ layers }) => 6 * layers },
    "biases not counted": {
      "parameters left": ({ width, layers }, { theory }) => theory - layers * width - 1,
    },
    "half of the error allowed": {
      "units approximated, change certified": (_, { theory }) => theory / 2,
    },
  },
  async run({ inputs, width, layers }, context) {
    const { random, budget, scale } = context;
    const { graph, planted } = redundantNetwork(random, inputs, width, layers);
    const box = cube(inputs, 1);
    const exact = await simplify(graph, { box, exactOnly: true });
    await context.progress(0.3);
    const points = dyadicSample(random, inputs, scale(400) + 40);
    const [before, after] = [
      await outputs(graph, points, inputs),
      await outputs(exact.graph, points, inputs),
    ];
    const within = 0.25;
    const loose = await simplify(graph, { box, within });
    await context.progress(0.6);
    const count = exact.removed.length;
    return {
      graph: exact.graph,
      ...(budget === "cheap" ? {} : { figure: await figure(random) }),
      claims: {
        "units removed without any rounding": checked(count, planted),
        "change of the function, certified": proved(exact.change!, 0),
        "difference of the runs, on points where neither rounds": sampled(greatestGap(before, after), 0),
        "parameters left": checked(
          exact.after.parameters,
          denseParameterCount([inputs, ...Array.from({ length: layers }, () => width), 1]),
        ),
        "units that never fire on a sample": checked(
          silentOn(graph, points, inputs),
          exact.removed.filter(({ reason }) => reason === "dead").length,
        ),
        "units approximated, change certified": proved(loose.change!, within),
        "units approximated, change seen": sampled(loose.seen!, loose.change!),
      },
    };
  },
});

const cube = (inputs: number, radius: number) => ({
  lower: new Array<number>(inputs).fill(-radius),
  upper: new Array<number>(inputs).fill(radius),
});

/** Points of [-1, 1]^d with coordinates k / 8: no product or sum of the runs is rounded. */
const dyadicSample = (random: Random, inputs: number, count: number): Float64Array =>
  Float64Array.from({ length: count * inputs }, () => random.integer(-8, 8) / 8);

async function outputs(graph: Graph, points: Float64Array, inputs: number): Promise<Float64Array> {
  const x = tensor(points, { dims: [points.length / inputs, inputs] });
  return Float64Array.from(numbers((await run(graph, { x }))["y"]!));
}

const greatestGap = (a: Float64Array, b: Float64Array): number =>
  a.reduce((most, v, k) => Math.max(most, Math.abs(v - b[k]!)), 0);

/** Hidden units that are 0 on all points: what a data set says of them, which need not hold between its points. */
function silentOn(graph: Graph, points: Float64Array, inputs: number): number {
  const { layers, activation: name } = layersOf(graph);
  const sigma = activation(name);
  const fired = layers.slice(0, -1).map(({ bias }) => new Uint8Array(bias.length));
  for (let start = 0; start < points.length; start += inputs) {
    let x = points.slice(start, start + inputs);
    layers.slice(0, -1).forEach(({ weights, bias }, l) => {
      x = affineImage(weights, x, bias).value.map((z) => sigma.value(z));
      x.forEach((h, unit) => {
        if (h > 0) fired[l]![unit] = 1;
      });
    });
  }
  return fired.reduce((n, layer) => n + layer.filter((f) => f === 0).length, 0);
}

/** What is left of a random network on smaller and smaller boxes, and with more and more error allowed. */
async function figure(random: Random): Promise<Figure> {
  const [inputs, spec] = [3, "3-24-relu-24-relu-24-relu-1"];
  const net = initialNetwork(spec, {
    seed: random.integer(0, 1e9),
    type: "float64",
    initialization: "pytorch",
  });
  const left = async (radius: number, within: number): Promise<number> =>
    (await simplify(net, { box: cube(inputs, radius), within })).after.hiddenUnits!;
  const radii = [1, 0.7, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01];
  const errors = [0.001, 0.003, 0.005, 0.01, 0.015, 0.02];
  const byRadius: [number, number][] = [];
  for (const radius of radii) byRadius.push([radius, await left(radius, 0)]);
  const byError: [number, number][] = [];
  for (const error of errors) byError.push([error, await left(0.25, error)]);
  return {
    title: `Units left of ${spec}`,
    panels: [
      {
        title: "On smaller boxes",
        x: { label: "half the width of the box", scale: "log" },
        y: { label: "units left of 72" },
        series: [{ name: "up to rounding", mark: "line", points: byRadius }],
      },
      {
        title: "On a box of width 1/2",
        x: { label: "error allowed", scale: "log" },
        y: { label: "units left of 72" },
        series: [{ name: "certified", mark: "line", points: byError }],
      },
    ],
  };
}
