import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../graph/tensor.ts";
import { layersOf } from "../../networks/layers/layers.ts";
import { decomposePaths, openGates } from "../../networks/path-decomposition.ts";
import type { Random } from "../../numbers/random.ts";
import { advance, initialState, trainedModel } from "../../train/advance.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { empiricalRisk } from "../../train/empirical-risk.ts";
import { frozenGates } from "../../train/frozen-gates.ts";
import { training } from "../../train/training.ts";
import { trainTwoPhases } from "../../train/two-phase.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C2-15",
  covers: ["C2-15", "C2-22"],
  kind: "algorithm",
  title: "Two-phase training: gates from a part of the data, path weights from all",
  source: "Book, chapter 2, section 2.5.3 and appendices A3 and A4",
  statement: String.raw`\tilde z_k^{[L]}(X, w) = [\bar X \circ \bar\sigma(X, w_\sigma)]^\top \bar w_k, \qquad \frac{\partial}{\partial w} [\bar X \circ \bar\sigma(X, w)] = 0 \text{ almost everywhere}`,
  parameters: {
    inputs: integer({ min: 1, max: 4, default: 3, label: "inputs" }),
    width: integer({ min: 2, max: 5, default: 4, label: "units of a hidden layer" }),
    layers: integer({ min: 2, max: 4, default: 3, label: "layers L" }),
    m: integer({ min: 4, max: 20, default: 12, label: "examples m" }),
    alpha: real({ min: 0.25, max: 1, default: 0.5, label: "share α of the first phase" }),
    steps: integer({ min: 1, max: 20, default: 10, label: "steps of a phase" }),
  },
  claims: {
    "outputs at the switch less those of the first phase": equals("0"),
    "output after both phases": equals(String.raw`\sum_j \bar w_j \, \bar\sigma_j(x, w_\sigma) \, \bar x_j`),
    "weights of the gates, after less before the second phase": equals("0"),
    "second difference in the weights of one layer": equals("0"),
    "derivative of the loss by the weights of the gates": equals("0"),
    "gradient with the gates held less the plain one": equals("0"),
    "plain less frozen after a step, where no gate turns": equals("0"),
    "size of z_σ as A4 defines it": equals("n_{l-1}, l = 1").printed({
      where: "appendix A4, the line after the first display",
      printed: String.raw`$W_\sigma^{[l]} := W^{[l]}, \quad z_\sigma^{[l-1]} := \sigma(W_\sigma^{[l]}z_\sigma^{[l-1]}(X, w))$`,
      corrected: String.raw`$z_\sigma^{[l]} := \sigma(W_\sigma^{[l]} z_\sigma^{[l-1]}(X, w))$: what the $l$th matrix makes belongs to layer $l$, and has $n_l$ entries`,
    }),
  },
  mutants: {
    "the second phase a step longer": ({ steps }) => ({ steps: steps + 1 }),
    "a layer lost": ({ layers }) => ({ layers: layers - 1 }),
    "every unit open": { "output after both phases": (_, { theory }) => theory * 1.5 },
  },
  async run({ inputs, width, layers, m, alpha, steps }, { random, budget, progress }) {
    const net = drawnNetwork([inputs, ...Array.from({ length: layers - 1 }, () => width), 1], random);
    const data = drawnData(m, inputs, random);
    const options = { loss: "square", optimizer: "gd", rate: 0.02, steps, threads: 1 } as const;
    const { first, second, weights } = await trainTwoPhases(net, data, { ...options, alpha });
    await progress(0.3);
    const points = Array.from({ length: m }, (_, i) => [...rowOf(data.x, i)]);
    const [before, after] = [await valuesAt(first.model, data.x), await valuesAt(second.model, data.x)];
    const switched = await valuesAt(frozenGates(first.model), data.x);
    const x = points[0]!;
    const gated = decomposePaths(first.model, x).gated;
    const paths = decomposePaths(weights, x).paths;
    const terms = paths.map((p, j) => p.weight * gated[j]!);
    const size = terms.reduce((s, v) => s + Math.abs(v), 0);
    const slopes = await gradients(first.model, data);
    const stepped = await afterStep(first.model, data.x, slopes.plain, points);
    await progress(0.6);
    return {
      graph: second.model,
      ...(budget === "cheap" ? {} : { figure: await churnFigure(random, progress) }),
      claims: {
        "outputs at the switch less those of the first phase": checked(farthest(switched, before), 0),
        "output after both phases": checked(
          after[0]!,
          terms.reduce((s, v) => s + v, 0),
          { tolerance: 1e-13 * size }, // products of up to 4 weights, sums over up to 500 paths, in two orders
        ),
        "weights of the gates, after less before the second phase": checked(
          gatesMoved(first.model, second.model),
          0,
        ),
        "second difference in the weights of one layer": checked(
          await secondDifference(weights, first.model, data.x, random),
          0,
          // Three values, each with the rounding of a few hundred products of weights that are of order 1.
          { tolerance: 1e-10 },
        ),
        "derivative of the loss by the weights of the gates": checked(slopes.byGates, 0),
        "gradient with the gates held less the plain one": checked(slopes.apart, 0, {
          tolerance: 1e-13 * slopes.size,
        }),
        "plain less frozen after a step, where no gate turns": checked(stepped, 0),
        "size of z_σ as A4 defines it": checked(width, inputs),
      },
    };
  },
});

function drawnNetwork(widths: readonly number[], random: Random): Graph {
  const layers = widths.slice(1).map((rows, l) => ({
    W: Array.from({ length: rows }, () =>
      [...random.normal(widths[l]!)].map((v) => v / Math.sqrt(widths[l]!)),
    ),
    b: [...random.normal(rows)].map((v) => 0.3 * v),
  }));
  return denseNetwork(layers, "relu");
}

function drawnData(m: number, inputs: number, random: Random) {
  const x = random.normal(m * inputs);
  const target = Float64Array.from(
    { length: m },
    (_, i) => Math.sin(3 * x[i * inputs]!) + 0.2 * random.normal(),
  );
  return { x: tensor(x, { dims: [m, inputs] }), target: tensor(target, { dims: [m, 1] }) };
}

const rowOf = ({ data, dims }: Tensor, i: number): Float64Array =>
  (data as Float64Array).subarray(i * dims[1]!, (i + 1) * dims[1]!);

async function valuesAt(model: Graph, x: Tensor): Promise<readonly number[]> {
  const found = await run(model, { [model.inputs[0]!.name]: x }, { threads: 1 });
  return Array.from(numbers(found[model.outputs[0]!.name]!));
}

const farthest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, v, i) => Math.max(most, Math.abs(v - b[i]!)), 0);

const weightOf = (model: Graph, name: string): Float64Array =>
  (model.initializers.get(name) as Tensor).data as Float64Array;
const weightNames = (model: Graph): readonly string[] =>
  [...model.initializers.keys()].filter((name) => /^[Wb]\d/.test(name));

/** The copy that opens the gates has no last layer. */
const gatesMoved = (first: Graph, second: Graph): number =>
  Math.max(
    ...weightNames(first)
      .filter((n) => second.initializers.has(`gates.${n}`))
      .map((n) => farthest(weightOf(first, n), weightOf(second, `gates.${n}`))),
  );

/** |f(W + D) - 2 f(W) + f(W - D)| for W the weights of a layer drawn at random, gates frozen. */
async function secondDifference(model: Graph, gates: Graph, x: Tensor, random: Random): Promise<number> {
  const matrices = weightNames(model).filter((n) => n.startsWith("W"));
  const name = matrices[random.integer(0, matrices.length - 1)]!;
  const weight = model.initializers.get(name) as Tensor;
  const step = random.normal(weightOf(model, name).length);
  const moved = async (by: number) => {
    const values = weightOf(model, name).map((v, k) => v + by * step[k]!);
    const initializers = new Map(model.initializers).set(name, tensor(values, { dims: weight.dims }));
    return valuesAt(frozenGates({ ...model, initializers }, { gates }), x);
  };
  const [up, here, down] = [await moved(1), await moved(0), await moved(-1)];
  return Math.max(...up.map((v, i) => Math.abs(v - 2 * here[i]! + down[i]!)));
}

/** The gradient of the loss, of the network itself and with its gates frozen: by its weights, and by those of the gates. */
async function gradients(model: Graph, data: ReturnType<typeof drawnData>) {
  const [plain, frozen] = [
    empiricalRisk(model, "square", data),
    empiricalRisk(frozenGates(model), "square", data),
  ];
  const [here, there] = [await plain.at(plain.start), await frozen.at(frozen.start)];
  const block = (name: string): Float64Array => frozen.block(there.gradient, name);
  const gates = frozen.names.filter((name) => name.startsWith("gates."));
  return {
    plain: Object.fromEntries(plain.names.map((n) => [n, plain.block(here.gradient, n).slice()])),
    apart: Math.max(...plain.names.map((n) => farthest(plain.block(here.gradient, n), block(n)))),
    byGates: Math.max(...gates.map((n) => Math.max(...block(n).map(Math.abs)))),
    size: Math.max(...here.gradient.map(Math.abs)),
  };
}

/** A step of descent: how far the network and its frozen copy are apart at points where the step turns no gate. */
async function afterStep(
  model: Graph,
  x: Tensor,
  slopes: Readonly<Record<string, Float64Array>>,
  points: readonly (readonly number[])[],
): Promise<number> {
  const initializers = new Map(model.initializers);
  for (const [name, slope] of Object.entries(slopes)) {
    const { dims } = initializers.get(name) as Tensor;
    initializers.set(
      name,
      tensor(
        weightOf(model, name).map((v, k) => v - 1e-3 * slope[k]!),
        { dims },
      ),
    );
  }
  const next = { ...model, initializers };
  const [plain, frozen] = [await valuesAt(next, x), await valuesAt(frozenGates(next, { gates: model }), x)];
  const gatesOf = (of: Graph, at: readonly number[]): string => openGates(layersOf(of), at).flat().join();
  return Math.max(
    0,
    ...points.map((at, i) =>
      gatesOf(model, at) === gatesOf(next, at) ? Math.abs(plain[i]! - frozen[i]!) : 0,
    ),
  );
}

/** Plain training: the share of gates, over units and points, that one step turns. */
async function churnFigure(random: Random, progress: (fraction: number) => Promise<void>): Promise<Figure> {
  const data = drawnData(60, 3, random);
  const points = Array.from({ length: 60 }, (_, i) => [...rowOf(data.x, i)]);
  const of = training(drawnNetwork([3, 16, 16, 1], random), { loss: "square", optimizer: "gd" });
  const gatesOf = (model: Graph): readonly boolean[] =>
    points.flatMap((x) => openGates(layersOf(model), x).flat());
  let state = initialState(of);
  let gates = gatesOf(trainedModel(of, state));
  const start = gates;
  const churn: (readonly [number, number])[] = [];
  const moved: (readonly [number, number])[] = [];
  const share = (a: readonly boolean[], b: readonly boolean[]): number =>
    a.filter((open, k) => open !== b[k]).length / a.length;
  for (let step = 10; step <= 600; step += 10) {
    state = (await advance(of, state, data, { rates: Array.from({ length: 10 }, () => 0.02), threads: 1 }))
      .state;
    const now = gatesOf(trainedModel(of, state));
    churn.push([step, share(gates, now) / 10]);
    moved.push([step, share(start, now)]);
    gates = now;
    await progress(0.6 + (0.4 * step) / 600);
  }
  return {
    title: "Descent moves path weights; gates turn only where a pre-activation crosses 0",
    panels: [
      {
        title: "Gates that one step turns (3-16-16-1, 60 points)",
        x: { label: "step" },
        y: { label: "share of all gates" },
        series: [{ name: "mean of 10 steps", mark: "line", points: churn }],
      },
      {
        title: "Gates that differ from those at the start",
        x: { label: "step" },
        y: { label: "share of all gates" },
        series: [{ name: "since the start", mark: "line", points: moved }],
      },
    ],
  };
}
