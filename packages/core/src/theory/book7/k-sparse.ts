import { run as execute } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, type Tensor, view } from "../../graph/tensor.ts";
import { singularDecomposition } from "../../linear-algebra/svd.ts";
import type { Random } from "../../numbers/random.ts";
import { gradient } from "../../passes/gradient.ts";
import { type Dictionary, synthesize } from "../../sparse/pursuit/dictionary.ts";
import { subsets } from "../../sparse/restricted-isometry.ts";
import { type KSparseOptions, kSparseAutoencoder, kSparseEncoder } from "../../sparse/unrolled/k-sparse.ts";
import { train } from "../../train/train.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { codeWithin, normalDictionary, pairOfBases } from "./draws.ts";

export default lemma({
  id: "C7-25",
  covers: ["C7-25"],
  kind: "algorithm",
  title:
    "Autoencoders that keep the k greatest entries: when these are the right ones, and what training gains",
  source: "Book, chapter 7, section 7.2; Makhzani and Frey 2013, Theorem 3.1",
  statement: String.raw`\hat x = D z, \; z = \text{the } k \text{ greatest entries of } D^T x: \qquad k \mu \le \frac{z_{\min}}{2 z_{\max}} \;\Rightarrow\; \operatorname{supp} z = \operatorname{supp} z^* \text{ for } x = D z^*, \; z^* \ge 0`,
  parameters: {
    k: integer({ min: 1, max: 7, default: 4, label: "entries that are kept" }),
    room: real({
      min: 0,
      max: 1,
      default: 0.5,
      label: "least entry: 0 the least that is allowed, 1 the greatest",
    }),
    log: integer({ min: 1, max: 3, default: 3, label: "pair of bases of 4^log numbers" }),
    by: choice(["size", "value"], { label: "which entries are the greatest" }),
    draw: integer({ min: 0, max: 1e6, default: 1, label: "which random numbers" }),
  },
  claims: {
    "code of a signal, entries that are not 0": equals("k"),
    "support of a planted code, wrong entries": equals("0"),
    "equal entries of unit vectors: k from which a Hadamard column is kept, too": equals(String.raw`1 / \mu`),
    "orthonormal atoms: squared error, less that of the best of all supports": equals("0"),
    "slopes of the weights, less differences of the loss": equals("0"),
    "after training: squared error on other signals, of that before": atMost("1").probable().looseBy(1.01),
  },
  mutants: {
    "one entry more": { "code of a signal, entries that are not 0": (_, { theory }) => theory + 1 },
    "a support that lacks an entry": { "support of a planted code, wrong entries": () => 1 },
    "half of 1 / μ": {
      "equal entries of unit vectors: k from which a Hadamard column is kept, too": ({ log }) => 2 ** log / 2,
    },
    "slopes of one of both uses of tied weights": {
      "slopes of the weights, less differences of the loss": () => 0.05,
    },
  },
  async run({ k, room, log, by, draw }, { random, budget }) {
    const draws = random.split(`draw ${draw}`);
    const options = { k: Math.min(k, 5), by } as const;
    const small = normalDictionary(6, 10, draws.split("atoms"));
    const points = Array.from({ length: 4 }, (_, i) => draws.split(`x${i}`).normal(6));
    const codes = await codesBy(kSparseEncoder(small, options), points);
    const planted = await plantedSupport(k, room, 4 ** log, draws);
    const rotation = (
      await singularDecomposition({ rows: 5, columns: 5, entries: draws.split("q").normal(25) })
    ).left;
    const basis = { size: 5, count: 5, atoms: rotation.entries };
    const trained = await training(draws, budget === "cheap" ? 60 : 400);
    return {
      graph: trained.after,
      ...(budget !== "cheap" && { figure: await errorFigure(draws) }),
      claims: {
        "code of a signal, entries that are not 0": checked(
          Math.max(...codes.map((z) => z.filter((v) => v !== 0).length)),
          options.k,
        ),
        ...(planted !== undefined && { "support of a planted code, wrong entries": checked(planted, 0) }),
        "equal entries of unit vectors: k from which a Hadamard column is kept, too": checked(
          await firstFailure(4 ** log),
          2 ** log,
        ),
        "orthonormal atoms: squared error, less that of the best of all supports": checked(
          await orthonormalAway(basis, options.k, draws.split("signal").normal(5)),
          0,
          { tolerance: 1e-12 },
        ),
        "slopes of the weights, less differences of the loss": checked(
          await slopesAway(kSparseAutoencoder(small, options), points),
          0,
          // Differences over 1e-5 of a loss of size 10.
          { tolerance: 1e-7 },
        ),
        "after training: squared error on other signals, of that before": sampled(trained.gain, 1, {
          delta: 0.01,
        }),
      },
    };
  },
});

const rowsOf = (list: readonly Float64Array[]): Tensor =>
  view("float64", [list.length, list[0]!.length], Float64Array.from(list.flatMap((p) => [...p])));

const madeBy = (network: Graph, points: readonly Float64Array[]) => outputOf("y", network, points);
const codesBy = (network: Graph, points: readonly Float64Array[]) => outputOf("z", network, points);

async function outputOf(
  name: string,
  network: Graph,
  points: readonly Float64Array[],
): Promise<readonly Float64Array[]> {
  const all = Float64Array.from(numbers((await execute(network, { x: rowsOf(points) }))[name]!));
  const width = all.length / points.length;
  return points.map((_, i) => all.slice(i * width, (i + 1) * width));
}

const squaredDistance = (a: Float64Array, b: Float64Array): number =>
  a.reduce((sum, v, i) => sum + (v - b[i]!) ** 2, 0);

/** A positive code within the condition, or undefined where k is too great for any; the network's support from its slope. */
async function plantedSupport(
  k: number,
  room: number,
  n: number,
  random: Random,
): Promise<number | undefined> {
  const allowed = (2 * k) / Math.sqrt(n);
  if (allowed > 1) return undefined;
  const dictionary = pairOfBases(n);
  const least = allowed + room * (1 - allowed);
  const code = codeWithin(2 * n, k, [least, 1], random.split("planted")).map(Math.abs);
  return wrongSupport(dictionary, code, k);
}

/** Entries of which a code and what the encoder keeps disagree. */
async function wrongSupport(dictionary: Dictionary, code: Float64Array, k: number): Promise<number> {
  const [found] = await codesBy(kSparseEncoder(dictionary, { k }), [synthesize(dictionary, code)]);
  return found!.filter((v, j) => (v !== 0) !== (code[j] !== 0)).length;
}

/** The least number of equal entries, all on unit vectors along one Hadamard column, that the encoder does not find. */
async function firstFailure(n: number): Promise<number> {
  const dictionary = pairOfBases(n);
  for (let k = 1; k <= n; k++) {
    // Column 0 of the Hadamard matrix is constant: its product with k unit vectors is k / sqrt n.
    const code = Float64Array.from({ length: 2 * n }, (_, j) => Number(j < k));
    if ((await wrongSupport(dictionary, code, k)) > 0) return k;
  }
  return n + 1;
}

/** Squared error of the autoencoder by sizes, less the least of all choices of k atoms. */
async function orthonormalAway(basis: Dictionary, k: number, x: Float64Array): Promise<number> {
  const [y] = await madeBy(kSparseAutoencoder(basis, { k, by: "size" }), [x]);
  const best = Math.min(
    ...[...subsets(basis.count, k)].map((set) => {
      const rest = x.slice();
      for (const j of set) {
        const atom = basis.atoms.subarray(j * basis.size, (j + 1) * basis.size);
        const share = atom.reduce((sum, v, i) => sum + v * rest[i]!, 0);
        for (let i = 0; i < rest.length; i++) rest[i]! -= share * atom[i]!;
      }
      return rest.reduce((sum, v) => sum + v * v, 0);
    }),
  );
  return Math.abs(squaredDistance(x, y!) - best);
}

/** Of sum |y - x|^2 by the tied weights: greatest difference between slopes and differences. */
async function slopesAway(network: Graph, points: readonly Float64Array[]): Promise<number> {
  const x = rowsOf(points);
  const loss = graph({ x: float64("N", points[0]!.length) }, ({ x: batch }) => {
    const rest = batch.builder.inline(network, { x: batch })["y"]!.sub(batch);
    return { loss: rest.mul(rest).sum([0, 1]) };
  });
  const name = [...loss.initializers.keys()].find((key) => key.includes("atoms"))!;
  const atoms = loss.initializers.get(name) as Tensor;
  const slope = gradient(loss, { wrt: [name], of: ["loss"], unitSeeds: true });
  const found = numbers((await execute(slope, { x }))[`grad_${name}`]!);
  const at = async (entry: number, by: number): Promise<number> => {
    const data = (atoms.data as Float64Array).slice();
    data[entry]! += by;
    const changed = {
      ...loss,
      initializers: new Map([...loss.initializers, [name, view("float64", atoms.dims, data)]]),
    };
    return Number(numbers((await execute(changed as Graph, { x }))["loss"]!)[0]);
  };
  const h = 1e-5;
  let away = 0;
  for (const entry of [0, 17]) {
    const difference = ((await at(entry, h)) - (await at(entry, -h))) / (2 * h);
    away = Math.max(away, Math.abs(Number(found[entry]) - difference) / (1 + Math.abs(difference)));
  }
  return away;
}

const [signalSize, atomCount, kept] = [12, 20, 2];

/** Signals of two atoms each, of a dictionary that the autoencoder does not know. */
function drawnSignals(random: Random, many: number): readonly Float64Array[] {
  const source = normalDictionary(signalSize, atomCount, random.split("source"));
  return Array.from({ length: many }, (_, i) =>
    synthesize(source, codeWithin(atomCount, kept, [0.7, 1], random.split(`signal ${i}`)).map(Math.abs)),
  );
}

async function training(random: Random, steps: number, { k, by = "value" }: KSparseOptions = { k: kept }) {
  const signals = drawnSignals(random, 300);
  const before = kSparseAutoencoder(normalDictionary(signalSize, atomCount, random.split("first")), {
    k,
    by,
  });
  const batch = rowsOf(signals.slice(0, 200));
  const { model } = await train(
    before,
    { x: batch, target: batch },
    { loss: "square", optimizer: "adam", rate: 1e-2, batch: "full", steps },
  );
  const rest = signals.slice(200);
  const error = async (network: Graph): Promise<number> =>
    (await madeBy(network, rest)).reduce((sum, y, i) => sum + squaredDistance(y, rest[i]!), 0) /
    rest.reduce((sum, y) => sum + y.reduce((s, v) => s + v * v, 0), 0);
  const [early, late] = [await error(before), await error(model)];
  return { after: model, early, late, gain: late / early };
}

/** The share of other signals' energy that k-sparse codes miss, beside what the best subspace of k dimensions misses. */
async function errorFigure(random: Random): Promise<Figure> {
  const signals = drawnSignals(random, 300);
  const { values } = await singularDecomposition({
    ...{ rows: 300, columns: signalSize },
    entries: Float64Array.from(signals.flatMap((x) => [...x])),
  });
  const energy = values.reduce((sum, v) => sum + v * v, 0);
  const ks = [1, 2, 3, 4, 5, 6];
  const runs: Awaited<ReturnType<typeof training>>[] = [];
  for (const k of ks) runs.push(await training(random, 800, { k }));
  return {
    title: `Signals of ${kept} of ${atomCount} atoms: what codes of k entries miss`,
    panels: [
      {
        ...{ title: "Other signals than those of training", x: { label: "k" } },
        y: { label: "squared error, of |x|²", domain: [0, 1] },
        series: [
          {
            name: "k-sparse, before",
            mark: "line",
            points: ks.map((k, i) => [k, Math.min(1, runs[i]!.early)] as const),
          },
          { name: "k-sparse, trained", mark: "line", points: ks.map((k, i) => [k, runs[i]!.late] as const) },
          {
            ...{ name: "best subspace of k dimensions", mark: "line", role: "theory" },
            points: ks.map((k) => [k, values.slice(k).reduce((sum, v) => sum + v * v, 0) / energy] as const),
          },
        ],
      },
    ],
  };
}
