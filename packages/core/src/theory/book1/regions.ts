import { run } from "../../engine/run.ts";
import type { Figure, Panel } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import {
  arrangementRegions,
  montufarLowerBound,
  serraLowerBound,
  serraUpperBound,
} from "../../passes/region-bounds.ts";
import {
  boxSlice,
  outputsAt,
  planeRegions,
  type Region,
  type Slice,
  segmentPieces,
} from "../../passes/regions/index.ts";
import { atLeast, atMost, checked, equals, proved, sampled } from "../claim.ts";
import { lemma, type RunContext } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { foldingNetwork, fourFoldNetwork, normalNetwork } from "./folding.ts";

export default lemma({
  id: "C1a-56",
  covers: ["C1a-56", "C3-36", "C3-37"],
  kind: "measure",
  title: "Linear regions in the plane",
  source: "Book, chapter 1, sect. 1.3.3, and chapter 3; Montúfar et al. 2014; Serra et al. 2018",
  statement: String.raw`\Bigl(\prod_{\ell<L} \lfloor n_\ell/d \rfloor^d\Bigr) \sum_{j \le d} \binom{n_L}{j} \;\le\; \max_{W} \#\text{regions} \;\le\; \sum_{(j_1, \dots, j_L)} \prod_\ell \binom{n_\ell}{j_\ell}, \quad j_\ell \le \min(d, n_1 - j_1, \dots, n_{\ell-1} - j_{\ell-1}, n_\ell)`,
  parameters: {
    n: integer({ min: 2, max: 8, default: 8, label: "width" }),
    depth: integer({ min: 1, max: 3, default: 3, label: "hidden layers" }),
    network: integer({ min: 1, max: 1_000_000, default: 1, label: "seed of the random network" }),
  },
  claims: {
    "random network, regions": atMost("Serra et al.'s upper bound"),
    "random network, maps against ONNX Runtime": equals("0, to rounding"),
    "random network, area of the regions": equals("that of the box"),
    "generic shallow network, regions": equals(String.raw`1 + n + \binom{n}{2}`),
    "folding network, regions": equals(
      String.raw`\lfloor n/2 \rfloor^{2(L-1)} \bigl(1 + n + \binom{n}{2}\bigr)`,
    ),
    "folding network, against the upper bound": atMost("Serra et al.'s upper bound"),
    "lower bound with one fold more": atLeast("Montúfar et al.'s lower bound"),
    "four folds by three units, pieces": equals(String.raw`4^L = \prod (n_\ell + 1)`),
    "random network, regions, by chapter 3": atMost(
      String.raw`(n/d)^{(L-1)d} n^d, \; d = 2, \; L = \text{depth} + 1 \text{ with the output}`,
    ).printed({
      where: "chapter 3, before footnote 19",
      printed: String.raw`A ReLU neural network with input dimension $d$, width $n \geq d$, and $L$ layers is capable of computing functions with number of linear regions less than $(n/d)^{(L-1)d} n^d$`,
      corrected: String.raw`with $L$ hidden layers there are weights with at least $\lfloor n/d \rfloor^{(L-1)d} \sum_{j \le d} \binom{n}{j}$ linear regions; for $n = d$ the printed number is $n^d$ at any depth`,
    }),
  },
  mutants: {
    "the lines' crossings forgotten": { "generic shallow network, regions": ({ n }) => 1 + n },
    "one coordinate folded": {
      "folding network, regions": ({ n, depth }) =>
        Math.floor(n / 2) ** (depth - 1) * (1 + n + (n * (n - 1)) / 2),
    },
    "three folds by three units": { "four folds by three units, pieces": ({ depth }) => 3 ** depth },
  },
  async run({ n, depth, network }, context) {
    const random = context.random.split(network);
    const widths = new Array<number>(depth).fill(n);
    const upper = Number(serraUpperBound(widths, 2));
    const net = normalNetwork(random, [2, ...widths, 1]);
    const box = square(-3, 3);
    const found = await planeRegions(net, box);
    await context.progress(0.3);
    const shallow = await count(
      normalNetwork(random.split("shallow"), [2, n, 1]),
      square(-(2 ** 30), 2 ** 30),
    );
    const folds = Math.floor(n / 2);
    const folded = await count(foldingNetwork(n, depth), square(0, folds));
    await context.progress(0.7);
    const pieces = segmentPieces(await planeRegions(fourFoldNetwork(depth), boxSlice([0], [1]))).length;
    const serraLower = serraLowerBound(widths, 2);
    return {
      graph: foldingNetwork(n, depth),
      figure: context.budget === "cheap" ? undefined : await figure(depth, context),
      claims: {
        "random network, regions": proved(found.count, upper),
        // Sums of at most 8 products of numbers of size about 10, three times over, in two orders.
        "random network, maps against ONNX Runtime": sampled(await mapError(net, found.regions), 0, {
          tolerance: 1e-11,
        }),
        // Areas are sums of products of corners, each rounded: 1e-11 is a thousand roundings of 36.
        "random network, area of the regions": checked(found.area, 36, { tolerance: 1e-11 }),
        "generic shallow network, regions": proved(shallow, Number(arrangementRegions(n, 2))),
        "folding network, regions": proved(folded, Number(montufarLowerBound(widths, 2)!)),
        "folding network, against the upper bound": proved(folded, upper),
        ...(serraLower === undefined
          ? {}
          : {
              "lower bound with one fold more": checked(
                Number(serraLower),
                Number(montufarLowerBound(widths, 2)!),
              ),
            }),
        "four folds by three units, pieces": proved(pieces, 4 ** depth),
        "random network, regions, by chapter 3": proved(found.count, (n / 2) ** (2 * depth) * n ** 2),
      },
    };
  },
});

const square = (from: number, to: number): Slice => boxSlice([from, from], [to, to]);
const count = async (net: Graph, slice: Slice): Promise<number> =>
  (await planeRegions(net, slice, { keep: false })).count;

/** The greatest difference between the regions' maps and the network on ONNX Runtime, at the regions' middles. */
async function mapError(net: Graph, regions: readonly Region[]): Promise<number> {
  const middles = regions.map(({ corners }) =>
    [0, 1].map((k) => corners.reduce((sum, corner) => sum + corner[k]!, 0) / corners.length),
  );
  const { y } = await run(net, { x: tensor(middles.flat(), { dims: [middles.length, 2] }) });
  const values = numbers(y!);
  return regions.reduce((worst, region, k) => {
    const [u, v] = middles[k]!;
    return Math.max(worst, Math.abs(outputsAt(region, u!, v!)[0]! - values[k]!));
  }, 0);
}

async function figure(depth: number, { random, progress }: RunContext): Promise<Figure> {
  const widths = [2, 3, 4, 5, 6, 7, 8];
  const layers = (n: number) => new Array<number>(depth).fill(n);
  const measured = async (make: (n: number) => [Graph, Slice]) => {
    const points: [number, number][] = [];
    for (const n of widths) {
      points.push([n, await count(...make(n))]);
      await progress(0.7 + 0.3 * (n / 8));
    }
    return points;
  };
  const curve = (f: (n: number) => bigint | undefined) =>
    widths.flatMap((n) => {
      const value = f(n);
      return value === undefined ? [] : [[n, Number(value)] as const];
    });
  const draw = (n: number): Random => random.split(`figure ${n}`);
  const panel: Panel = {
    title: `Regions of ${depth} hidden layer${depth === 1 ? "" : "s"} of n units, two inputs`,
    x: { label: "width n" },
    y: { label: "regions", scale: "log" },
    series: [
      {
        name: "folding network, counted",
        mark: "dots",
        points: await measured((n) => [foldingNetwork(n, depth), square(0, Math.floor(n / 2))]),
      },
      {
        name: "random network on [-3, 3]², counted",
        mark: "dots",
        points: await measured((n) => [normalNetwork(draw(n), [2, ...layers(n), 1]), square(-3, 3)]),
      },
      {
        name: "at most (Serra et al.)",
        mark: "line",
        role: "theory",
        points: curve((n) => serraUpperBound(layers(n), 2)),
      },
      {
        name: "reached by some weights (Montúfar et al.)",
        mark: "line",
        role: "theory",
        points: curve((n) => montufarLowerBound(layers(n), 2)),
      },
      {
        name: "one layer with as many units",
        mark: "line",
        role: "theory",
        points: curve((n) => arrangementRegions(n * depth, 2)),
      },
    ],
  };
  return { title: "Linear regions in the plane", panels: [panel] };
}
