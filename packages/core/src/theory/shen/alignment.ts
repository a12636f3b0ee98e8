import { run } from "../../engine/run.ts";
import { alignByWeights, distanceOf, paired, permutableClasses } from "../../equivalence/alignment/align.ts";
import { type Barrier, lossBarrier } from "../../equivalence/alignment/barrier.ts";
import { applySymmetry, parametersOf, transformParameters } from "../../equivalence/apply.ts";
import { identitySymmetry, randomSymmetry } from "../../equivalence/element.ts";
import { symmetryGroup } from "../../equivalence/group.ts";
import type { Figure, Panel } from "../../figure/figure.ts";
import { type Graph, isSparse } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import type { Examples } from "../../train/data/dataset.ts";
import { twoMoons } from "../../train/data/plane.ts";
import { objective } from "../../train/loss.ts";
import { initialNetwork } from "../../train/network.ts";
import { train } from "../../train/train.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma, type RunContext } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

export default lemma({
  id: "S-07b",
  covers: ["S-07"],
  kind: "algorithm",
  title: "Two networks, their units in the same order",
  source: "Shen, permutation symmetry of deep networks (Ainsworth et al. 2022 for its inverse)",
  statement: String.raw`\min_{P_1, \dots, P_L} \sum_l \bigl\| W_A^{(l)} - P_l W_B^{(l)} P_{l-1}^\top \bigr\|_F^2, \qquad \text{layer by layer a linear assignment: } \max_{P_l} \bigl\langle P_l, \; W_A^{(l)} P_{l-1} W_B^{(l)\top} + W_A^{(l+1)\top} P_{l+1} W_B^{(l+1)} \bigr\rangle`,
  parameters: {
    width: integer({ min: 2, max: 40, default: 32, label: "units of a hidden layer" }),
    layers: integer({ min: 1, max: 3, default: 2, label: "hidden layers" }),
    activation: choice(["relu", "tanh"], { label: "activation" }),
  },
  claims: {
    "distance to a permuted copy, aligned": equals("0"),
    "distance to a permuted copy with every parameter moved by η, aligned":
      equals(String.raw`\eta \sqrt{\mathcal S}`),
    "barrier to a permuted copy, aligned": equals("0"),
    "distance of two small networks, aligned": atMost("their distance before"),
    "the same, from below": atLeast("the least over all orders of all layers"),
    "change of outputs by the alignment": equals("0"),
  },
  mutants: {
    "biases left out": {
      "distance to a permuted copy with every parameter moved by η, aligned": ({ width, layers }) =>
        move * Math.sqrt(sizeOf(width, layers) - layers * width),
    },
    "a square root left out": {
      "distance to a permuted copy with every parameter moved by η, aligned": ({ width, layers }) =>
        move * sizeOf(width, layers),
      "the same, from below": (_, { theory }) => theory ** 2,
    },
  },
  async run({ width, layers, activation }, context) {
    const { random, budget } = context;
    const specOf = (units: number) => `2-${`${units}-${activation}-`.repeat(layers)}2`;
    const drawn = (units: number): Graph =>
      initialNetwork(specOf(units), {
        seed: random.integer(0, 1e9),
        type: "float64",
        initialization: "pytorch",
      });
    const data = inFloat64(twoMoons(60, { noise: 0.1, seed: random.integer(0, 1e9) }));
    const a = drawn(width);
    const { permutations } = randomSymmetry(symmetryGroup(a), random);
    const copy = applySymmetry(a, { ...identitySymmetry, permutations });
    const back = await alignByWeights(a, copy, { random });
    const near = await alignByWeights(a, moved(copy, random), { random });
    await context.progress(0.4);
    const [small, other] = [drawn(2 + (width % 2)), drawn(2 + (width % 2))];
    const aligned = await alignByWeights(small, other, { random });
    const [plain, again] = [await outputs(a, data), await outputs(back.graph, data)];
    await context.progress(0.7);
    return {
      graph: near.graph,
      ...(budget === "cheap" ? {} : { figure: await figure(specOf(width), data, context) }),
      claims: {
        "distance to a permuted copy, aligned": checked(back.distance.after, 0),
        "distance to a permuted copy with every parameter moved by η, aligned": checked(
          near.distance.after,
          move * Math.sqrt(sizeOf(width, layers)),
          { tolerance: 1e-11 * move * sizeOf(width, layers) }, // (w + η) - w is rounded, relative to η = 2^-14
        ),
        "barrier to a permuted copy, aligned": checked(
          (await lossBarrier(a, back.graph, (net) => lossOn(net, data), 2)).height,
          0,
          { tolerance: 1e-14 * width * layers }, // (1 - t) w + t w is rounded
        ),
        "distance of two small networks, aligned": checked(aligned.distance.after, aligned.distance.before),
        "the same, from below": checked(aligned.distance.after, leastDistance(small, other), {
          tolerance: 1e-14, // sums in another order
        }),
        "change of outputs by the alignment": sampled(
          plain.reduce((most, v, k) => Math.max(most, Math.abs(v - again[k]!)), 0),
          0,
          { tolerance: 1e-15 * width * layers }, // sums in another order
        ),
      },
    };
  },
});

/** η: its powers are exact, rows are much farther apart. */
const move = 2 ** -14;

/** Parameters of 2-width-...-width-2 that a permutation can move: all but the biases of the outputs. */
const sizeOf = (width: number, layers: number): number =>
  width * 3 + (layers - 1) * width * (width + 1) + 2 * width;

/** Every weight and bias by plus or minus η. */
function moved(net: Graph, random: Random): Graph {
  const initializers = new Map(
    [...net.initializers].map(([name, weight]) => {
      if (isSparse(weight) || weight.type !== "float64") return [name, weight];
      const values = Float64Array.from(
        numbers(weight),
        (v) => Number(v) + (random.uniform() < 0.5 ? -move : move),
      );
      return [name, tensor(values, { dims: weight.dims })];
    }),
  );
  return { ...net, initializers };
}

/** Over all orders of the units of each hidden layer, one by one. */
function leastDistance(a: Graph, b: Graph): number {
  const [group, fixed] = [symmetryGroup(b), parametersOf(symmetryGroup(a))];
  const values = [...paired(symmetryGroup(a), group)];
  let least = Number.POSITIVE_INFINITY;
  const orders = permutableClasses(group).map((k) => [k, allOrders(group.classes[k]!.size)] as const);
  const visit = (chosen: ReadonlyMap<number, Int32Array>, rest: typeof orders): void => {
    const [next, ...others] = rest;
    if (next) for (const order of next[1]) visit(new Map(chosen).set(next[0], order), others);
    else {
      const element = { ...identitySymmetry, permutations: chosen };
      least = Math.min(
        least,
        distanceOf(fixed, transformParameters(symmetryGroup(a), new Map(values), element)),
      );
    }
  };
  visit(new Map(), orders);
  return least;
}

function allOrders(n: number): readonly Int32Array[] {
  if (n === 0) return [new Int32Array(0)];
  return allOrders(n - 1).flatMap((order) =>
    Array.from({ length: n }, (_, at) => Int32Array.of(...order.slice(0, at), n - 1, ...order.slice(at))),
  );
}

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

async function figure(spec: string, data: Examples, { random, scale }: RunContext): Promise<Figure> {
  const steps = scale(100) + 20;
  const [a, b] = [await trained(spec, data, steps, random), await trained(spec, data, steps, random)];
  const aligned = (await alignByWeights(a, b, { random })).graph;
  const way = (to: Graph): Promise<Barrier> => lossBarrier(a, to, (net) => lossOn(net, data), 20);
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
