import type { Random } from "../../engine/random.ts";
import { run } from "../../engine/run.ts";
import type { Figure, Panel } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { alignByWeights } from "../../symmetry/alignment/align.ts";
import { type Barrier, lossBarrier } from "../../symmetry/alignment/barrier.ts";
import { applySymmetry } from "../../symmetry/apply.ts";
import { identitySymmetry, randomSymmetry } from "../../symmetry/element.ts";
import { symmetryGroup } from "../../symmetry/group.ts";
import { type Examples, takeExamples } from "../../train/data/dataset.ts";
import { twoMoons } from "../../train/data/plane.ts";
import { objective } from "../../train/loss.ts";
import { initialNetwork } from "../../train/network.ts";
import { train } from "../../train/train.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

export default lemma({
  id: "S-07b",
  covers: ["S-07"],
  kind: "algorithm",
  title: "Two networks, their units in the same order",
  source: "Shen, permutation symmetry of deep networks (Ainsworth et al. 2022 for its inverse)",
  statement: String.raw`\min_{P_1, \dots, P_L} \sum_l \bigl\| W_A^{(l)} - P_l W_B^{(l)} P_{l-1}^\top \bigr\|_F^2, \qquad \text{layer by layer a linear assignment: } \max_{P_l} \bigl\langle P_l, \; W_A^{(l)} P_{l-1} W_B^{(l)\top} + W_A^{(l+1)\top} P_{l+1} W_B^{(l+1)} \bigr\rangle`,
  parameters: {
    width: integer({ min: 2, max: 64, default: 32, label: "units of a hidden layer" }),
    layers: integer({ min: 1, max: 3, default: 2, label: "hidden layers" }),
    activation: choice(["relu", "tanh"], { label: "activation" }),
  },
  claims: {
    "distance to a permuted copy, aligned": equals("0"),
    "barrier to a permuted copy, aligned": equals("0"),
    "distance of two networks, aligned": atMost("their distance before"),
    "change of outputs by the alignment": atMost(String.raw`\text{rounding: } 10^{-9}`),
  },
  async run({ width, layers, activation }, context) {
    const { random, budget, scale } = context;
    const spec = `2-${`${width}-${activation}-`.repeat(layers)}2`;
    const data = inFloat64(twoMoons(scale(200) + 40, { noise: 0.1, seed: random.integer(0, 1e9) }));
    const steps = scale(100) + 20;
    const [a, b] = [await trained(spec, data, steps, random), await trained(spec, data, steps, random)];
    await context.progress(0.4);
    const { permutations } = randomSymmetry(symmetryGroup(a), random);
    const copy = applySymmetry(a, { ...identitySymmetry, permutations });
    const back = await alignByWeights(a, copy, { random });
    const aligned = await alignByWeights(a, b, { random });
    const before = await outputs(b, data);
    const after = await outputs(aligned.graph, data);
    await context.progress(0.7);
    return {
      graph: aligned.graph,
      ...(budget === "cheap" ? {} : { figure: await figure(spec, a, b, aligned.graph, data) }),
      claims: {
        "distance to a permuted copy, aligned": checked(back.distance.after, 0),
        "barrier to a permuted copy, aligned": checked(
          (await lossBarrier(a, back.graph, (net) => lossOn(net, data), 4)).height,
          0,
          { tolerance: 1e-9 }, // (1 - t) w + t w is rounded
        ),
        "distance of two networks, aligned": checked(aligned.distance.after, aligned.distance.before),
        "change of outputs by the alignment": sampled(
          before.reduce((most, v, k) => Math.max(most, Math.abs(v - after[k]!)), 0),
          1e-9,
        ),
      },
    };
  },
});

const inFloat64 = ({ x, y }: Examples): Examples => ({
  x: tensor(Float64Array.from(numbers(x)), { dims: x.dims }),
  y,
});

async function trained(spec: string, data: Examples, steps: number, random: Random): Promise<Graph> {
  const seed = random.integer(0, 1e9);
  const start = initialNetwork(spec, { seed, type: "float64", initialization: "pytorch" });
  const { model } = await train(
    start,
    { x: data.x, target: data.y },
    { loss: "cross-entropy", optimizer: "adam", rate: 0.01, steps, batch: "full", seed },
  );
  return model;
}

async function lossOn(net: Graph, { x, y }: Examples): Promise<number> {
  const { loss } = await run(objective(net, "cross-entropy"), { x, target: y });
  return Number(numbers(loss!)[0]);
}

async function outputs(net: Graph, { x }: Examples): Promise<Float64Array> {
  return Float64Array.from(numbers((await run(net, { x }))["y"]!));
}

async function figure(spec: string, a: Graph, b: Graph, aligned: Graph, data: Examples): Promise<Figure> {
  const small = takeExamples(
    data,
    Array.from({ length: Math.min(200, data.x.dims[0]!) }, (_, k) => k),
  );
  const way = (to: Graph): Promise<Barrier> => lossBarrier(a, to, (net) => lossOn(net, small), 20);
  const [direct, straight] = [await way(b), await way(aligned)];
  const panel: Panel = {
    title: `Barrier ${direct.height.toPrecision(2)} before, ${straight.height.toPrecision(2)} after`,
    x: { label: "way from one network to the other" },
    y: { label: "cross-entropy" },
    series: [
      { name: "as trained", mark: "line", points: direct.points },
      { name: "units in the same order", mark: "line", points: straight.points },
    ],
  };
  return { title: `Loss between two networks ${spec}`, panels: [panel] };
}
