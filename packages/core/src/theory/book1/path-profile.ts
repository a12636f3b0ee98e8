import { tensor } from "../../graph/tensor.ts";
import {
  isConnectedBelow,
  midpointExcess,
  type PathProfile,
  pathProfile,
} from "../../landscape/path/profile.ts";
import { trainedCurve } from "../../landscape/path/trained-curve.ts";
import { type PathKind, weightPath } from "../../landscape/path/weight-path.ts";
import { weightObjective } from "../../landscape/point/weight-objective.ts";
import type { Random } from "../../numbers/random.ts";
import type { TrainingData } from "../../train/advance.ts";
import { type DenseLayer, denseNetwork } from "../../train/dense-network.ts";
import type { LossName } from "../../train/loss.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C1b-18",
  covers: ["C1b-18"],
  kind: "measure",
  title: "The risk along a path, and how high it climbs",
  source: "Book, chapter 1, sect. 1.5.1, paths and level sets",
  statement: String.raw`\max_t r(\gamma(t)) - \max\{r(\gamma(0)), r(\gamma(1))\}, \qquad r\bigl(\theta^{(1)}, \tfrac{a + b}2\bigr) \le \tfrac12 \bigl(r(\theta^{(1)}, a) + r(\theta^{(1)}, b)\bigr)`,
  parameters: {
    n: integer({ min: 2, max: 12, default: 6, label: "neurons" }),
    slope: real({ min: 0.5, max: 3, default: 2, label: "slope s of both neurons of the two equal networks" }),
    bend: real({ min: 0.25, max: 2, default: 1, label: "height h of the bend" }),
  },
  claims: {
    "midpoint excess along outgoing weights, square loss": atMost("0"),
    "midpoint excess along outgoing weights, logistic loss": atMost("0"),
    "barrier of the line between two equal networks": equals(String.raw`\tfrac12 s^4`),
    "barrier of the polygon with a bend where the risk is (1 + h)²": equals(String.raw`(1 + h)^2 - 1`),
    "barrier of the Bézier curve with that bend": equals(String.raw`(1 + h/2)^2 - 1`),
    "stretches below half of the barrier, and below all of it": equals("2 and 1"),
    "risk of a local minimum from which a path that never rises leads to the global one": equals("0").printed(
      {
        where: "sect. 1.5.1, paths and level sets",
        printed:
          "Should there exist a path of non-increasing empirical risk from every point to the global minimum, then we can be certain that no non-global minimum exists, since no such path could escape such a minimum.",
        corrected:
          "then no non-global minimum is strict: along a plateau, as of a unit that is 0 on all examples, such a path does escape",
      },
    ),
  },
  mutants: {
    "measured from 0, not from the higher end": {
      "barrier of the polygon with a bend where the risk is (1 + h)²": ({ bend }) => (1 + bend) ** 2,
    },
    "the curve goes through its bend": {
      "barrier of the Bézier curve with that bend": ({ bend }) => (1 + bend) ** 2 - 1,
    },
    "squares summed, not averaged": {
      "barrier of the line between two equal networks": ({ slope }) => slope ** 4,
    },
  },
  async run({ n, slope, bend }, { random, budget, progress }) {
    const task = drawTask(random);
    const steps = 8;
    const excess = async (loss: LossName, data: TrainingData): Promise<number> =>
      midpointExcess((await outgoingLine(n, data, loss, random.split(loss), steps)).points);
    const [square, logistic] = [await excess("square", task.real), await excess("logistic", task.classes)];
    await progress(0.4);
    const equal = await twoEqual(slope, steps);
    const half = equal.barrier / 2;
    const stretches = [half, equal.barrier].map((level) => (isConnectedBelow(level, equal.points) ? 1 : 2));
    const bent = (kind: PathKind): Promise<PathProfile> => {
      // On x = 1 with the target 0 the risk of the weight w is w^2: from 1 towards 1 + h, of which the curve makes half, and back.
      const path = weightPath(
        kind,
        [1, 1 + bend, 1].map((w) => Float64Array.of(w)),
      );
      return pathProfile(async (t) => path(t)[0]! ** 2, steps);
    };
    await progress(0.7);
    // Sums of at most 20 squares of numbers below 100 or so, each with some roundings.
    const rounding = 2 ** -50 * 1e4;
    return {
      ...(budget !== "cheap" && { figure: await figure(random) }),
      claims: {
        "midpoint excess along outgoing weights, square loss": checked(square, 0),
        "midpoint excess along outgoing weights, logistic loss": checked(logistic, 0, {
          tolerance: rounding,
        }),
        "barrier of the line between two equal networks": checked(equal.barrier, slope ** 4 / 2, {
          tolerance: rounding,
        }),
        "barrier of the polygon with a bend where the risk is (1 + h)²": checked(
          (await bent("polygon")).barrier,
          (1 + bend) ** 2 - 1,
          { tolerance: 2 ** -48 },
        ),
        "barrier of the Bézier curve with that bend": checked(
          (await bent("bezier")).barrier,
          (1 + bend / 2) ** 2 - 1,
          { tolerance: 2 ** -48 },
        ),
        "stretches below half of the barrier, and below all of it": checked(
          10 * stretches[0]! + stretches[1]!,
          21,
        ),
        "risk of a local minimum from which a path that never rises leads to the global one": sampled(
          await plateau(random),
          0,
        ),
      },
    };
  },
});

interface Task {
  readonly real: TrainingData;
  readonly classes: TrainingData;
}

function drawTask(random: Random): Task {
  const x = Array.from({ length: 20 }, (_, i) => [...random.split(`x ${i}`).normal(2)]);
  return {
    real: { x: tensor(x), target: tensor(x.map(([a, b]) => [a! * b!])) },
    classes: {
      x: tensor(x),
      target: tensor(
        x.map(([a, b]) => (a! * b! > 0 ? 1 : 0)),
        { type: "int64" },
      ),
    },
  };
}

const rows = (n: number, d: number, random: Random): number[][] =>
  Array.from({ length: n }, (_, i) => [...random.split(`row ${i}`).normal(d)]);

/** Along a segment of outgoing weights of a random network, incoming ones fixed. */
async function outgoingLine(n: number, data: TrainingData, loss: LossName, random: Random, steps: number) {
  const first: DenseLayer = { W: rows(n, 2, random.split("in")), b: [...random.split("b").normal(n)] };
  const ends = ["from", "to"].map((label) => [...random.split(label).normal(n)]);
  const { start, value } = weightObjective(denseNetwork([first, { W: [ends[0]!] }], "tanh"), data, { loss });
  const end = start.slice();
  end.set(ends[1]!, start.length - n);
  const path = weightPath("polygon", [start, end]);
  return pathProfile((t) => value(path(t)), steps);
}

/** The networks of Example 1.22, their incoming weights s times as large and so are targets: 8 t^2 (1 - t)^2 s^4. */
async function twoEqual(slope: number, steps: number): Promise<PathProfile> {
  const net = (order: readonly number[]) => {
    const [outgoing, bias] = [
      [1, -1],
      [slope, 0],
    ];
    return denseNetwork(
      [
        { W: [[slope], [slope]], b: order.map((k) => bias[k]!) },
        { W: [order.map((k) => slope * outgoing[k]!)] },
      ],
      "relu",
    );
  };
  const data = { x: tensor([[-1], [1]]), target: tensor([[0], [slope ** 2]]) };
  const { start, value } = weightObjective(net([0, 1]), data, { loss: "square" });
  const end = weightObjective(net([1, 0]), data, { loss: "square" }).start;
  const path = weightPath("polygon", [start, end]);
  return pathProfile((t) => value(path(t)), steps);
}

/**
 * u relu(v x) on x = 1 with the target 1, at v = -1: all weights nearby have the same risk 1. u goes to 0, v to 1, u to 1, and
 * the risk never rises. Gives the risk there, or 0 if it is no minimum or the path rises.
 */
async function plateau(random: Random): Promise<number> {
  const data = { x: tensor([[1]]), target: tensor([[1]]) };
  const { value } = weightObjective(denseNetwork([{ W: [[-1]] }, { W: [[1]] }], "relu"), data, {
    loss: "square",
  });
  const here = Float64Array.of(-1, 0.5);
  const risk = await value(here);
  for (let k = 0; k < 20; k++) {
    const near = random.split(`near ${k}`).sphere(2);
    if ((await value(here.map((w, i) => w + 0.4 * near[i]!))) < risk) return 0;
  }
  const path = weightPath("polygon", [
    here,
    Float64Array.of(-1, 0),
    Float64Array.of(1, 0),
    Float64Array.of(1, 1),
  ]);
  const { isMonotone, points } = await pathProfile((t) => value(path(t)), 12);
  return isMonotone && points.at(-1)![1] === 0 ? risk : 0;
}

/** Two networks of six neurons that compute the same, and three ways between them. */
async function figure(random: Random) {
  const [W, b, u] = [
    rows(6, 2, random.split("W")),
    [...random.split("b").normal(6)],
    [...random.split("u").normal(6)],
  ];
  const net = (order: readonly number[]) =>
    denseNetwork(
      [{ W: order.map((k) => W[k]!), b: order.map((k) => b[k]!) }, { W: [order.map((k) => u[k]!)] }],
      "tanh",
    );
  const { real } = drawTask(random);
  const [a, other] = [
    [0, 1, 2, 3, 4, 5],
    [3, 4, 5, 0, 1, 2],
  ].map((order) => weightObjective(net(order), real, { loss: "square" }));
  const { start, graph, value } = a!;
  const series = async (name: string, kind: PathKind, points: readonly Float64Array[]) => {
    const path = weightPath(kind, points);
    const profile = await pathProfile((t) => value(path(t)), 40);
    return {
      name: `${name}, barrier ${profile.barrier.toPrecision(3)}`,
      mark: "line" as const,
      role: "measured" as const,
      points: profile.points,
    };
  };
  const trained = (kind: PathKind) =>
    trainedCurve(graph, other!.start, real, { loss: "square", kind, steps: 800, threads: 1 });
  return {
    title: "Between a network and a permuted copy of it",
    panels: [
      {
        title: "Risk along three paths",
        x: { label: "t" },
        y: { label: "risk" },
        series: [
          await series("line", "polygon", [start, other!.start]),
          await series("trained Bézier curve", "bezier", await trained("bezier")),
          await series("trained polygon", "polygon", await trained("polygon")),
        ],
      },
    ],
  };
}
