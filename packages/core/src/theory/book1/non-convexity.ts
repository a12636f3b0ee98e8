import { run } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { real } from "../parameter.ts";

type Theta = readonly [number, number, number, number, number, number];
const theta: Theta = [1, -1, 1, 1, 1, 0];
const permuted: Theta = [-1, 1, 1, 1, 0, 1];
const data = [
  [-1, 0],
  [1, 1],
] as const;

export default lemma({
  id: "C1a-28",
  covers: ["C1a-28"],
  kind: "experiment",
  title: "Two equal networks, and none between them",
  source: "Book, chapter 1, Example 1.22",
  statement: String.raw`\Phi(\cdot, \theta) = \Phi(\cdot, \bar\theta), \quad \widehat{\mathcal{R}}_s(\theta) = \widehat{\mathcal{R}}_s(\bar\theta) = 0, \quad \widehat{\mathcal{R}}_s\left(\tfrac{\theta + \bar\theta}{2}\right) = \tfrac12`,
  parameters: { t: real({ min: 0, max: 1, default: 0.5, label: "place on the segment" }) },
  claims: {
    "risk at θ": equals("0"),
    "risk at the permuted θ": equals("0"),
    "difference of the two networks": equals("0"),
    "risk in the middle": equals("1/2"),
    "value of the middle network, in size": equals("0"),
    "risk on the segment, at t": equals("8 t^2 (1 - t)^2"),
  },
  mutants: {
    "squares summed, not averaged": { "risk on the segment, at t": ({ t }) => 16 * t ** 2 * (1 - t) ** 2 },
    "the biases left where they are": { "risk on the segment, at t": ({ t }) => 2 * t ** 2 },
  },
  async run({ t }, { budget }) {
    const at = (s: number): Theta => theta.map((v, k) => (1 - s) * v + s * permuted[k]!) as unknown as Theta;
    const nets = [0, 1, 0.5, t].map((s) => realization(at(s)));
    const risks = await Promise.all(nets.map(risk));
    const grid = Array.from({ length: 65 }, (_, k) => k / 8 - 4);
    const [first, second, middle] = await Promise.all(nets.slice(0, 3).map((net) => valuesOn(net, grid)));
    const gap = first!.reduce((most, v, k) => Math.max(most, Math.abs(v - second![k]!)), 0);
    return {
      graph: nets[3]!,
      ...(budget !== "cheap" && { figure: await segmentFigure(at) }),
      claims: {
        "risk at θ": checked(risks[0]!, 0),
        "risk at the permuted θ": checked(risks[1]!, 0),
        "difference of the two networks": checked(gap, 0),
        "risk in the middle": checked(risks[2]!, 0.5),
        "value of the middle network, in size": checked(Math.max(...middle!.map(Math.abs)), 0),
        // At -1 both units are off, at 1 the value is (1 - 2t)^2; some ten roundings of numbers of size 1.
        "risk on the segment, at t": checked(risks[3]!, 8 * t ** 2 * (1 - t) ** 2, { tolerance: 2 ** -48 }),
      },
    };
  },
});

/** theta_1 relu(theta_3 x + theta_5) + theta_2 relu(theta_4 x + theta_6). */
const realization = ([a, b, c, d, e, f]: Theta): Graph =>
  network([layer([[c], [d]], [e, f]), layer([[a, b]])]);

async function valuesOn(net: Graph, xs: readonly number[]): Promise<readonly number[]> {
  const { y } = await run(net, { x: tensor(xs, { dims: [xs.length, 1] }) }, { threads: 1 });
  return Array.from(numbers(y!));
}

async function risk(net: Graph): Promise<number> {
  const values = await valuesOn(
    net,
    data.map(([x]) => x),
  );
  return values.reduce((sum, v, k) => sum + (v - data[k]![1]) ** 2, 0) / data.length;
}

async function segmentFigure(at: (s: number) => Theta) {
  const places = Array.from({ length: 41 }, (_, k) => k / 40);
  const risks = await Promise.all(places.map((s) => risk(realization(at(s)))));
  return {
    title: "From one network to the same network with its units swapped",
    panels: [
      {
        title: "Empirical risk on the segment",
        x: { label: "t" },
        y: { label: "risk" },
        series: [
          { name: "risk", mark: "line" as const, points: places.map((s, k) => [s, risks[k]!] as const) },
        ],
      },
    ],
  };
}
