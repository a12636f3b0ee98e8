import { run as execute } from "../../engine/run.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, view } from "../../graph/tensor.ts";
import { synthesize } from "../../sparse/pursuit/dictionary.ts";
import { lassoCode } from "../../sparse/pursuit/lasso-code.ts";
import { multilayerPursuit } from "../../sparse/pursuit/multilayer.ts";
import { unrolledClassifier } from "../../sparse/unrolled/classifier.ts";
import { listaGraph, trainedLista } from "../../sparse/unrolled/lista.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { normalDictionary } from "./draws.ts";

export default lemma({
  id: "C7-22",
  covers: ["C7-21", "C7-22", "C1b-48"],
  kind: "experiment",
  title: "Iterations that learn: as many layers as steps, and better codes from as few",
  source: "Book, chapter 7, (7.30), (7.31), section 7.6.1; Gregor and LeCun 2010",
  statement: String.raw`x \leftarrow \mathcal T_\theta(W y + S x), \quad W = D^T / L, \; S = I - D^T D / L, \; \theta = \lambda / L \text{ at first}`,
  parameters: {
    n: integer({ min: 6, max: 10, default: 8, label: "numbers of a signal" }),
    layers: integer({ min: 2, max: 5, default: 3, label: "layers" }),
    lambda: real({ min: 0.05, max: 0.2, default: 0.1, label: "λ" }),
    draw: integer({ min: 0, max: 1e6, default: 1, label: "which random signals" }),
  },
  claims: {
    "before training, less proximal steps": equals("0"),
    "after training: squared error on other signals, of that before": atMost("1").probable().looseBy(1.01),
    "parameters of tied iterations 1 and 6": equals("those of one"),
    "parameters of free iterations, of tied ones": equals("the same").printed({
      where: "Figure 7.4",
      printed: "All networks have the same number of parameters",
      corrected: "all but the one with free weights, which has those of every iteration",
    }),
    "parameters of LISTA, of a dictionary's": equals("2").printed({
      where: "section 7.6.1",
      printed: "As a result, the number of parameters is doubled",
      corrected:
        "$W$ has $n_0 n_1$ numbers and $S$ has $n_1^2$: $1 + n_1 / n_0$ times those of a dictionary, twice only for as many atoms as numbers",
    }),
  },
  mutants: {
    "a step of another length": { "before training, less proximal steps": () => 1e-2 },
    "training that does harm": {
      "after training: squared error on other signals, of that before": () => 0.01,
    },
    "weights of every iteration": {
      "parameters of tied iterations 1 and 6": (_, { theory }) => Number(theory) * 6,
    },
  },
  async run({ n, layers, lambda, draw }, { random, scale }) {
    const draws = random.split(`draw ${draw}`);
    const atoms = 2 * n;
    const dictionary = normalDictionary(n, atoms, draws.split("D"));
    const signals = Array.from({ length: 240 }, (_, k) => {
      const stream = draws.split(k);
      const x = new Float64Array(atoms);
      for (let j = 0; j < 2; j++) x[stream.integer(0, atoms - 1)] = 1 + stream.uniform();
      return synthesize(dictionary, x);
    });
    const codes = signals.map((y) => lassoCode(dictionary, y, lambda, { gap: 1e-10 }).x);
    const before = listaGraph(dictionary, lambda, { iterations: layers });
    const found = await codesBy(before, signals.slice(0, 20));
    const steps = signals
      .slice(0, 20)
      .map((y) => multilayerPursuit([dictionary], y, [lambda], { iterations: layers }).codes[0]!);
    const after = await trainedLista(before, signals.slice(0, 200), codes.slice(0, 200), {
      steps: scale(400),
    });
    const rest = [signals.slice(200), codes.slice(200)] as const;
    const [early, late] = [
      squares(await codesBy(before, rest[0]), rest[1]),
      squares(await codesBy(after, rest[0]), rest[1]),
    ];
    const network = (unfoldings: number, variant: "ml-ista" | "free") =>
      unrolledClassifier({
        ...{ input: [1, 12, 12], classes: 3, unfoldings, variant },
        layers: [
          { filters: 2, size: 4, stride: 2 },
          { filters: 3, size: 5, stride: 1 },
        ],
      });
    const [one, six, free] = [network(1, "ml-ista"), network(6, "ml-ista"), network(6, "free")];
    const count = [...before.initializers].reduce(
      (sum, [name, { dims }]) => sum + (/encoder|inner/.test(name) ? dims.reduce((a, b) => a * b, 1) : 0),
      0,
    );
    return {
      graph: after,
      claims: {
        "before training, less proximal steps": checked(Math.sqrt(squares(found, steps)), 0, {
          tolerance: 1e-12,
        }),
        "after training: squared error on other signals, of that before": sampled(late / early, 1, {
          delta: 0.01,
        }),
        "parameters of tied iterations 1 and 6": checked(six.parameters, one.parameters),
        "parameters of free iterations, of tied ones": checked(free.parameters, six.parameters),
        "parameters of LISTA, of a dictionary's": checked(count / (n * atoms), 2),
      },
    };
  },
});

async function codesBy(network: Graph, signals: readonly Float64Array[]): Promise<Float64Array[]> {
  const n = signals[0]!.length;
  const all = new Float64Array(n * signals.length);
  signals.forEach((y, k) => {
    all.set(y, k * n);
  });
  const found = await execute(network, { y: view("float64", [signals.length, n], all) });
  const x = Float64Array.from(numbers(found["x"]!));
  const width = x.length / signals.length;
  return signals.map((_, k) => x.slice(k * width, (k + 1) * width));
}

const squares = (a: readonly Float64Array[], b: readonly Float64Array[]): number =>
  a.reduce((sum, x, k) => sum + x.reduce((s, v, j) => s + (v - b[k]![j]!) ** 2, 0), 0);
