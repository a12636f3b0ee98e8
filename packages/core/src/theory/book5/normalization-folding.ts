import { run } from "../../engine/run.ts";
import { canonize } from "../../explain/canonize.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import type { Value } from "../../graph/value.ts";
import type { Random } from "../../numbers/random.ts";
import { type Rule, relevance } from "../../passes/relevance.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { deviation } from "./dense-relu.ts";
import { type Folded, figure } from "./normalization-folding-figure.ts";

export default lemma({
  id: "C5-14",
  covers: ["C5-14"],
  kind: "algorithm",
  title: "Batch normalization folded into its neighbours; pooling layers",
  source: "Book, section 5.4.1",
  statement: String.raw`\text{before: } W' = \tfrac{g}{s} W, \; b' = \tfrac{g}{s} (b - m) + \beta; \qquad \text{behind: } W'_{kj} = W_{kj} \tfrac{g_j}{s_j}, \; b'_k = b_k + \sum_j W_{kj} \left( \beta_j - \tfrac{g_j m_j}{s_j} \right)`,
  parameters: {
    channels: integer({ min: 1, max: 5, default: 3, label: "channels" }),
    side: integer({ min: 5, max: 9, default: 6, label: "side of the image" }),
    kernel: integer({ min: 1, max: 3, default: 2, label: "side of the kernel" }),
    place: choice(["before the ReLU", "behind the ReLU"], { label: "normalization" }),
  },
  claims: {
    "normalizations left": equals("0"),
    "the folded network against the network, deviation": equals("0"),
    "convolutions, ReLUs and dense layers left": equals("4"),
    "folded into a padded convolution, deviation inside": equals("0"),
    "normalizations left before a padded convolution": equals("1"),
    "folded into a padded convolution, deviation": equals("0").printed({
      where: "section 5.4.1, end",
      printed:
        "Batch-normalization layers are typically treated by fusing them with the fully connected or convolution layer to which they connect",
      corrected:
        "exact behind a layer, and before one without padding; before a convolution that pads with zeros the bias is another one at the border",
    }),
    "max-pooling: the winner takes all, deviation": equals("0"),
    "average pooling against the layer with weights 1 / size, deviation": equals("0"),
  },
  mutants: {
    "the normalization stays a node": { "convolutions, ReLUs and dense layers left": () => 5 },
    "a padded convolution takes it as well": { "normalizations left before a padded convolution": () => 0 },
  },
  async run({ channels, side, kernel, place }, { random }) {
    const size = { channels, side, kernel, place };
    const net = network(random.split("plain"), size, 0);
    const { graph: folded } = canonize(net);
    const x = drawn(random, 1, 1, side, side);
    const [plain, fused] = [await scores(net, x), await scores(folded, x)];
    const padded = network(random.split("padded"), { ...size, place: "behind the ReLU" }, 1);
    const forced = await forcedIntoPadded(random, size);
    return {
      graph: folded,
      figure: figure(forced.unpadded, forced.padded, forced.isInside),
      claims: {
        "normalizations left": checked(normalizations(folded), 0),
        "the folded network against the network, deviation": checked(deviation(fused, plain), 0, {
          tolerance: 1e-12,
        }),
        "convolutions, ReLUs and dense layers left": checked(
          folded.nodes.filter(({ op }) => op !== "Flatten").length,
          4,
        ),
        "normalizations left before a padded convolution": checked(normalizations(canonize(padded).graph), 1),
        "folded into a padded convolution, deviation inside": checked(forced.inside, 0, { tolerance: 1e-12 }),
        "folded into a padded convolution, deviation": checked(forced.all, 0, { tolerance: 1e-12 }),
        ...(await poolings(random, side)),
      },
    };
  },
});

interface Size {
  readonly channels: number;
  readonly side: number;
  readonly kernel: number;
  readonly place: "before the ReLU" | "behind the ReLU";
}

const drawn = (random: Random, ...dims: number[]): Tensor =>
  tensor(random.normal(dims.reduce((n, d) => n * d, 1)), { type: "float64", dims });
const positive = (random: Random, n: number): Tensor =>
  tensor(
    random.uniform(n).map((v) => v + 0.5),
    { type: "float64" },
  );
const normalized = (x: Value, random: Random, n: number): Value =>
  x.op("BatchNormalization", [positive(random, n), drawn(random, n), drawn(random, n), positive(random, n)]);

/** Convolution, normalization and ReLU in either order, a second convolution, and two scores. */
function network(random: Random, { channels: n, side, kernel, place }: Size, pad: number): Graph {
  return graph({ x: float64(1, 1, side, side) }, ({ x }) => {
    const first = x!.op("Conv", [drawn(random, n, 1, kernel, kernel), drawn(random, n)]);
    const middle =
      place === "before the ReLU" ? normalized(first, random, n).relu() : normalized(first.relu(), random, n);
    const second = middle.op("Conv", [drawn(random, 2, n, 2, 2), drawn(random, 2)], {
      pads: [pad, pad, pad, pad],
    });
    const flat = second.op("Flatten");
    return { y: flat.affine(drawn(random, 2, flat.type.shape![1] as number), drawn(random, 2)) };
  });
}

const scores = async (net: Graph, x: Tensor): Promise<number[]> =>
  Array.from(numbers((await run(net, { x })).y!));
const normalizations = ({ nodes }: Graph): number =>
  nodes.filter(({ op }) => op === "BatchNormalization").length;

/** What the fold without padding would do to a convolution of 3 by 3 with a border of zeros: inside, and everywhere. */
async function forcedIntoPadded(random: Random, { channels: n, side }: Size) {
  const parts = [0, 0].map(() => drawn(random, n));
  const [mean, shift] = parts as [Tensor, Tensor];
  const [scale, variance] = [positive(random, n), positive(random, n)];
  const [K, bias] = [drawn(random, 1, n, 3, 3), drawn(random, 1)];
  const net = (pad: number): Graph =>
    graph({ x: float64(1, n, side, side) }, ({ x }) => ({
      y: x!
        .op("BatchNormalization", [scale, shift, mean, variance])
        .op("Conv", [K, bias], { pads: [pad, pad, pad, pad] }),
    }));
  const { graph: unpadded } = canonize(net(0));
  const padding = net(1).nodes.find(({ op }) => op === "Conv")!.attributes;
  const forced: Graph = {
    ...unpadded,
    nodes: unpadded.nodes.map((node) => ({ ...node, attributes: padding })),
    outputs: net(1).outputs,
  };
  const x = drawn(random, 1, n, side, side);
  const both = async (plain: Graph, fused: Graph): Promise<Folded> => ({
    wanted: await scores(plain, x),
    found: await scores(fused, x),
  });
  const padded = await both(net(1), forced);
  const { wanted, found } = padded;
  const isInside = (k: number): boolean =>
    [k % side, Math.floor(k / side)].every((place) => place > 0 && place < side - 1);
  const inside = (values: readonly number[]): number[] => values.filter((_, k) => isInside(k));
  return {
    all: deviation(found, wanted),
    inside: deviation(inside(found), inside(wanted)),
    ...{ unpadded: await both(net(0), unpadded), padded, isInside },
  };
}

async function poolings(random: Random, side: number) {
  const x = drawn(random, 1, 1, side, side);
  const size = { kernel_shape: [2, 2] };
  const average = tensor(new Float64Array(4).fill(1 / 4), { type: "float64", dims: [1, 1, 2, 2] });
  const explained = async (body: (x: Value) => Value, rule: Rule) => {
    const net = graph({ x: float64(1, 1, side, side) }, ({ x: given }) => ({ y: body(given!) }));
    const { graph: backward } = relevance(net, {
      assign: () => ({ product: "all", ruleOf: () => rule }),
      target: { kind: "all" },
    });
    const { relevance_x, score } = await run(backward, { x });
    return { R: Array.from(numbers(relevance_x!)), score: Array.from(numbers(score!)) };
  };
  const zero = { kind: "zero" } as const;
  const largest = await explained((v) => v.op("MaxPool", [], size), { kind: "pass" });
  const [pool, layer] = [
    await explained((v) => v.op("AveragePool", [], size), zero),
    await explained((v) => v.op("Conv", [average]), zero),
  ];
  return {
    "max-pooling: the winner takes all, deviation": checked(
      deviation(largest.R, winners(Array.from(numbers(x)), largest.score, side)),
      0,
      { tolerance: 1e-12 },
    ),
    "average pooling against the layer with weights 1 / size, deviation": checked(
      deviation(pool.R, layer.R),
      0,
      { tolerance: 1e-9 },
    ),
  };
}

/** Each maximum over 2 by 2 pixels goes to the pixel that has it. */
function winners(x: readonly number[], score: readonly number[], side: number): number[] {
  const R = x.map(() => 0);
  score.forEach((value, k) => {
    const corner = Math.floor(k / (side - 1)) * side + (k % (side - 1));
    const winner = [corner, corner + 1, corner + side, corner + side + 1].find((p) => x[p] === value)!;
    R[winner] = R[winner]! + value;
  });
  return R;
}
