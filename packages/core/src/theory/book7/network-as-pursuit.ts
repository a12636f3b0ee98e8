import { run as execute } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { numbers, view } from "../../graph/tensor.ts";
import { singularDecomposition } from "../../linear-algebra/svd.ts";
import type { Random } from "../../numbers/random.ts";
import { coherenceOf, forwardStability } from "../../sparse/layers/guarantees.ts";
import {
  type LayerReading,
  networkPursuit,
  networkReading,
  orthonormalityDefect,
  pursuitCodes,
} from "../../sparse/layers/network-reading.ts";
import { type Dictionary, synthesize } from "../../sparse/pursuit/dictionary.ts";
import { type DenseLayer, denseNetwork } from "../../train/dense-network.ts";
import { train } from "../../train/train.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { codeWithin, normalDictionary, pairOfBases } from "./draws.ts";

export default lemma({
  id: "C7-23",
  covers: ["C7-23"],
  kind: "measure",
  title: "What sparse coding can promise of a given network: its weights as atoms, its biases as thresholds",
  source: "Book, chapter 7, (7.13), Theorems 7.1 and 7.2, section 7.4.1; Welch 1974",
  statement: String.raw`\operatorname{ReLU}(w_j x + b_j) = |w_j| \operatorname{ReLU}(d_j x - t_j), \quad d_j = w_j / |w_j|, \; t_j = -b_j / |w_j|; \qquad \mu(D) \ge \sqrt{\tfrac{n - m}{m (n - 1)}}`,
  parameters: {
    atoms: choice(["normal", "bases", "simplex", "one pair"], { label: "atoms of the first layer" }),
    m: integer({ min: 3, max: 9, default: 8, label: "numbers of a signal (bases: 4 or 16)" }),
    more: integer({ min: 1, max: 6, default: 4, label: "atoms beyond them" }),
    bias: real({ min: -0.5, max: 0.5, default: -0.2, label: "mean of the biases" }),
    s: integer({ min: 1, max: 3, default: 2, label: "nonzeros of a planted code" }),
    draw: integer({ min: 0, max: 1e6, default: 1, label: "which random numbers" }),
  },
  claims: {
    "outputs of the network, less those of its unit atoms and thresholds": equals("0"),
    "thresholds below 0": equals("positive biases"),
    coherence: atLeast(String.raw`\sqrt{(n - m) / (m (n - 1))}`),
    "coherence of atoms of length 1, against |D^T D - I|_F": atMost(String.raw`|D^T D - I|_F / \sqrt 2`),
    "|D^T D - I|_F², by singular values": equals(String.raw`\sum_i (s_i^2 - 1)^2 + n - m`),
    "planted codes within Theorem 7.2: activations beside the support": equals("0"),
    "planted codes within Theorem 7.2: share of them that the report calls stable": equals("1"),
    "orthonormal rows: coherence": equals("0"),
    "a Parseval frame of atoms that stand twice: coherence": atMost("that of normal atoms").printed({
      where: "section 7.4.1",
      printed:
        "enforcing filters to behave like Parseval frames – tightly related to a small mutual coherence – provides improved stability",
      corrected:
        "of no more filters than numbers; the rows $I / \\sqrt 2$, twice, are a Parseval frame of coherence 1",
    }),
  },
  mutants: {
    "lengths that stay behind": {
      "outputs of the network, less those of its unit atoms and thresholds": () => 0.1,
    },
    "a bound a hundredth greater": { coherence: (_, { theory }) => 1.01 * theory },
    "the missing dimensions left out": {
      "|D^T D - I|_F², by singular values": ({ more }, { theory }) => theory - more,
    },
    "one activation too many": {
      "planted codes within Theorem 7.2: activations beside the support": () => 1,
    },
  },
  async run({ atoms: kind, m: wanted, more, bias, s, draw }, { random, budget }) {
    const draws = random.split(`draw ${draw}`);
    const first = firstAtoms(kind, wanted, more, draws);
    const { size: m, count: n } = first;
    const network = drawnNetwork(first, bias, draws);
    const pursuit = networkPursuit(network);
    const points = Array.from({ length: 12 }, (_, k) => draws.split(`x${k}`).normal(m));
    const outputs = await outputsOf(network, points);
    const read = points.map((x) => {
      const code = pursuitCodes(pursuit, x).at(-1)!;
      return pursuit.readout.W.map((row, i) =>
        row.reduce((sum, w, j) => sum + w * code[j]!, pursuit.readout.b![i]!),
      );
    });
    const away = Math.max(
      ...outputs.map((row, k) => Math.max(...row.map((v, i) => Math.abs(v - read[k]![i]!)))),
    );
    const { dictionary, thresholds } = pursuit.layers[0]!;
    const [report] = networkReading(pursuit, points);
    const { values } = await singularDecomposition({ rows: n, columns: m, entries: dictionary.atoms });
    const defect = orthonormalityDefect(dictionary);
    const planted = plantedReading(s, draws.split("planted"));
    const rotated = (await singularDecomposition({ rows: m, columns: m, entries: draws.normal(m * m) })).left;
    const twice: Dictionary = {
      ...{ size: m, count: 2 * m },
      atoms: Float64Array.from(
        { length: 2 * m * m },
        (_, k) => Number((k % (m * m)) % (m + 1) === 0) / Math.SQRT2,
      ),
    };
    return {
      graph: denseNetwork(network, "relu"),
      ...(budget !== "cheap" && (await trainedReport(draws))),
      claims: {
        "outputs of the network, less those of its unit atoms and thresholds": checked(away, 0, {
          tolerance: 1e-12 * (1 + Math.max(...outputs.flat().map(Math.abs))),
        }),
        "thresholds below 0": checked(
          thresholds.filter((t) => t < 0).length,
          network[0]!.b!.filter((b) => b > 0).length,
        ),
        coherence: checked(report!.coherence, Math.sqrt((n - m) / (m * (n - 1))), { tolerance: 1e-12 }),
        "coherence of atoms of length 1, against |D^T D - I|_F": checked(
          report!.coherence,
          defect / Math.SQRT2,
          { tolerance: 1e-12 },
        ),
        "|D^T D - I|_F², by singular values": checked(
          defect ** 2,
          values.reduce((sum, v) => sum + (v * v - 1) ** 2, n - m),
          { tolerance: 1e-11 * n * n },
        ),
        "planted codes within Theorem 7.2: activations beside the support": checked(planted.wrong, 0),
        "planted codes within Theorem 7.2: share of them that the report calls stable": checked(
          planted.stable,
          1,
        ),
        "orthonormal rows: coherence": checked(
          coherenceOf({ size: m, count: m, atoms: rotated.entries }),
          0,
          {
            tolerance: 1e-12,
          },
        ),
        "a Parseval frame of atoms that stand twice: coherence": checked(
          coherenceOf(twice),
          coherenceOf(normalDictionary(m, 2 * m, draws.split("normal"))),
        ),
      },
    };
  },
});

function firstAtoms(kind: string, m: number, more: number, random: Random): Dictionary {
  if (kind === "normal") return normalDictionary(m, m + more, random.split("atoms"));
  if (kind === "bases") return pairOfBases(m < 6 ? 4 : 16);
  return kind === "simplex" ? simplex(m) : onePair(m, random.split("angle").uniform());
}

/** Unit vectors, the last of which leans to the first one. */
function onePair(m: number, cosine: number): Dictionary {
  const atoms = Float64Array.from({ length: m * m }, (_, k) => Number(k % (m + 1) === 0));
  atoms[(m - 1) * m] = cosine;
  atoms[m * m - 1] = Math.sqrt(1 - cosine ** 2);
  return { size: m, count: m, atoms };
}

/** m + 1 unit vectors of m numbers with equal inner products -1 / m: the least coherence that there is. */
function simplex(m: number): Dictionary {
  const atoms = new Float64Array((m + 1) * m);
  for (let i = 0; i < m; i++) {
    // Coordinate i tells vector i from those behind it, which have one value in common.
    const left = Math.sqrt(((m + 1) * (m - i)) / (m * (m + 1 - i)));
    atoms[i * m + i] = left;
    for (let j = i + 1; j <= m; j++) atoms[j * m + i] = -left / (m - i);
  }
  return { size: m, count: m + 1, atoms };
}

/** Atoms of several lengths, a layer of normal weights, and a readout. */
function drawnNetwork(
  { size, count, atoms }: Dictionary,
  bias: number,
  random: Random,
): readonly DenseLayer[] {
  const [lengths, inner] = [random.split("lengths").uniform(count), random.split("inner")];
  const biases = (many: number, name: string): number[] =>
    Array.from(random.split(name).normal(many), (v) => bias + 0.3 * v);
  const W = Array.from({ length: count }, (_, j) =>
    Array.from(atoms.subarray(j * size, (j + 1) * size), (v) => (0.5 + lengths[j]!) * v),
  );
  const rows = (many: number, width: number): number[][] =>
    Array.from({ length: many }, () => Array.from(inner.normal(width)));
  return [
    { W, b: biases(count, "b1") },
    { W: rows(5, count), b: biases(5, "b2") },
    { W: rows(2, 5), b: biases(2, "b3") },
  ];
}

async function outputsOf(
  network: readonly DenseLayer[],
  points: readonly Float64Array[],
): Promise<number[][]> {
  const m = points[0]!.length;
  const x = Float64Array.from(points.flatMap((point) => [...point]));
  const graph = denseNetwork(network, "relu");
  const y = numbers((await execute(graph, { x: view("float64", [points.length, m], x) }))["y"]!);
  const width = network.at(-1)!.W.length;
  return points.map((_, k) => Array.from(y.subarray(k * width, (k + 1) * width), Number));
}

/** Positive codes on a pair of bases of 256 numbers, and the ReLU layer whose bias is a threshold that Theorem 7.2 allows. */
function plantedReading(s: number, random: Random): { readonly wrong: number; readonly stable: number } {
  const dictionary = pairOfBases(256);
  const code = codeWithin(512, s, [0.9, 1], random).map(Math.abs);
  const [verdict] = forwardStability([dictionary], [code], 0, { coherences: [1 / 16] });
  const W = Array.from({ length: 512 }, (_, j) => [...dictionary.atoms.subarray(j * 256, (j + 1) * 256)]);
  const layer: DenseLayer = { W, b: new Array<number>(512).fill(-verdict!.threshold) };
  const signal = synthesize(dictionary, code);
  const [found] = pursuitCodes(networkPursuit([layer, { W: [new Array<number>(512).fill(1)] }]), signal);
  const sizes = found!.filter((v) => v !== 0);
  return {
    wrong: found!.filter((v, j) => (v !== 0) !== (code[j] !== 0)).length,
    stable: Number(sizes.length < (1 + Math.min(...code.filter((v) => v > 0)) * 16) / 2),
  };
}

/** A classifier of sums of planted atoms, before and after training: what it uses, and what the theorems allow. */
async function trainedReport(random: Random) {
  const [n, examples] = [16, 240];
  const source = pairOfBases(n);
  const draws = random.split("examples");
  const points = Array.from({ length: examples }, (_, k) => {
    const signal = synthesize(source, codeWithin(2 * n, 2, [0.8, 1], draws.split(k)));
    return signal.map((v) => v + 0.02 * draws.normal());
  });
  const x = view("float64", [examples, n], Float64Array.from(points.flatMap((point) => [...point])));
  // Which half of the signal has more energy.
  const energy = (point: Float64Array, from: number, to: number): number =>
    point.subarray(from, to).reduce((sum, v) => sum + v * v, 0);
  const labels = BigInt64Array.from(points, (point) =>
    BigInt(energy(point, 0, 8) > energy(point, 8, n) ? 1 : 0),
  );
  const weights = random.split("weights");
  const layer = (rows: number, width: number): DenseLayer => ({
    W: Array.from({ length: rows }, () => Array.from(weights.normal(width), (v) => v * Math.sqrt(2 / width))),
    b: new Array<number>(rows).fill(0),
  });
  const before = [layer(32, n), layer(32, 32), layer(2, 32)];
  const run = await train(
    denseNetwork(before, "relu"),
    { x, target: view("int64", [examples], labels) },
    { loss: "cross-entropy", optimizer: "adam", rate: 3e-3, steps: 400, batch: 60, l1: 1e-3 },
  );
  const stored = (name: string): number[] =>
    Array.from(numbers(run.model.initializers.get(name) as never), Number);
  const after = before.map(({ W }, l) => {
    const flat = stored(`W${l + 1}`);
    const width = W[0]!.length;
    return { W: W.map((_, i) => flat.slice(i * width, (i + 1) * width)), b: stored(`b${l + 1}`) };
  });
  const [early, late] = [before, after].map((net) => networkReading(networkPursuit(net), points)) as [
    readonly LayerReading[],
    readonly LayerReading[],
  ];
  const row = (when: string, list: readonly LayerReading[]): (string | number)[][] =>
    list.map((r, i) => [
      ...[`${when}, layer ${i + 1}`, r.coherence, r.leastCoherence, r.norm, r.defect],
      ...[r.negativeThresholds, r.meanNonzeros, r.uniqueBelow, r.unique, r.stable, r.misfit],
    ]);
  return {
    figure: readingFigure(early, late),
    table: {
      title: "A classifier of 240 signals, read as a pursuit",
      columns: [
        ...["layer", "coherence", "least possible", "norm", "|D^T D - I|", "thresholds below 0"],
        ...["nonzeros", "unique below", "share unique", "share stable", "misfit"],
      ],
      rows: [...row("before", early), ...row("after", late)],
    },
  };
}

function readingFigure(early: readonly LayerReading[], late: readonly LayerReading[]): Figure {
  const line = (name: string, list: readonly LayerReading[], of: (r: LayerReading) => number) => ({
    ...{ name, mark: "dots" as const, points: list.map((r, i) => [i, of(r)] as const) },
  });
  const x = {
    label: "layer",
    names: early.map((_, i) => `layer ${i + 1}`),
    domain: [-0.5, early.length - 0.5] as const,
  };
  return {
    title: "A trained classifier keeps far more units active than its coherence could certify",
    panels: [
      {
        ...{ title: "Nonzeros of a code", x, y: { label: "nonzeros", scale: "log", domain: [1, 32] } },
        series: [
          line("before training", early, (r) => r.meanNonzeros),
          line("after", late, (r) => r.meanNonzeros),
          { ...line("allowed by Theorem 7.1, after", late, (r) => r.uniqueBelow), role: "theory" },
        ],
      },
      {
        ...{ title: "Coherence", x, y: { label: "μ" } },
        series: [
          line("before training", early, (r) => r.coherence),
          line("after", late, (r) => r.coherence),
          { ...line("least possible", late, (r) => r.leastCoherence), role: "theory" },
        ],
      },
    ],
  };
}
