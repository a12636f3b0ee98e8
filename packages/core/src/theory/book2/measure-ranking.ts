import { kendallTau } from "../../audit/rank-correlation.ts";
import {
  drawIndexed,
  halfSpaceLaw,
  type IndexedSample,
  indexedRisk,
  type KnownLaw,
  knownRisk,
} from "../../generalization/bounds/known-law.ts";
import { granulatedTau, type ModelSetting } from "../../generalization/granulated-tau.ts";
import type { Graph } from "../../graph/graph.ts";
import { tensor } from "../../graph/tensor.ts";
import { measureModel } from "../../measures/measure-model.ts";
import type { NamedMeasure } from "../../measures/measure-row.ts";
import type { Random } from "../../numbers/random.ts";
import { mean } from "../../numbers/sum.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atMost, checked, equals } from "../claim.ts";
import { type Budget, type LemmaTable, lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { measureRankingFigure } from "./measure-ranking-figure.ts";
import {
  type GridAxes,
  gridSettings,
  type Layers,
  outputOf,
  startLayers,
  trainLayers,
} from "./measure-ranking-networks.ts";
import {
  chanceLevel,
  denseRanks,
  groupedTau,
  type RankedRow,
  tauByInversions,
} from "./measure-ranking-table.ts";

const hyperparameters = ["width", "depth", "rate", "decay"] as const;
/** Chance exceeds the level of the figure, and of the claim, with this probability. */
const delta = 0.05;

const grids: Readonly<Record<Budget, GridAxes>> = {
  cheap: { width: [4, 16], depth: [1], rate: [1], decay: [0, 0.02], seed: [1] },
  live: { width: [4, 16], depth: [1, 2], rate: [0.3, 1], decay: [0, 0.02], seed: [1] },
  thorough: { width: [4, 12, 36], depth: [1, 2], rate: [0.3, 1], decay: [0, 0.02], seed: [1] },
};

/** A trained model: what was measured of it, and its risk less its empirical one. */
interface Model {
  readonly setting: ModelSetting;
  readonly layers: Layers;
  readonly gap: number;
  readonly measures: readonly NamedMeasure[];
}

export default lemma({
  id: "C2-23",
  covers: ["C2-23"],
  kind: "experiment",
  title: "Which measures order models as their generalization gaps do",
  source: "Book, chapter 2, Open Problem 3; Jiang et al. 2020",
  statement: String.raw`\tau = \frac{1}{|T|} \sum_{(f, f') \in T} \operatorname{sgn}(\mu(f) - \mu(f')) \operatorname{sgn}(g(f) - g(f')), \; g = \mathcal R - \mathcal R_S; \qquad \Psi = \frac1k \sum_{i=1}^k \tau \text{ of the pairs that differ in hyperparameter } i \text{ alone}`,
  parameters: {
    n: integer({ min: 10, max: 80, default: 40, label: "training examples" }),
    d: integer({ min: 2, max: 10, default: 6, label: "inputs" }),
    noise: real({ min: 0, max: 0.4, default: 0.15, label: "noise of the labels" }),
  },
  claims: {
    "τ, mean over the measures": equals(String.raw`\text{that by ties and inversions}`),
    "granulated τ, mean over the measures": equals(String.raw`\text{the mean over groups of models}`),
    "τ of the gap with itself": equals("1"),
    "change of a τ when the measure is replaced by its rank": equals("0"),
    "greatest |τ| of forty random measures of twelve models": atMost(
      String.raw`\text{the level that chance exceeds with probability } \delta`,
    ).probable(),
  },
  mutants: {
    "a discordant pair counted once": { "τ, mean over the measures": (_, { theory }) => (1 + theory) / 2 },
    "hyperparameters summed, not averaged": {
      "granulated τ, mean over the measures": (_, { theory }) => 2 * theory,
    },
    "the level of one measure": {
      "greatest |τ| of forty random measures of twelve models": () => 28 / 66, // 19 inversions of 66 pairs
    },
  },
  async run({ n, d, noise }, { random, scale, budget, progress }) {
    const law = halfSpaceLaw(1000, d, noise, random);
    const sample = drawIndexed(law, n, random);
    const settings = gridSettings(grids[budget]);
    const models: Model[] = [];
    for (const setting of settings) {
      models.push(await trainedModel(setting, law, sample, { budget, random }));
      await progress(models.length / (settings.length + 1));
    }
    const rows = rankedRows(models);
    // Groups are of one size where no model is missing, and then both means are one.
    const complete = rows.filter(({ at }) => at.length === models.length);
    const gaps = models.map(({ gap }) => gap);
    const gapsAt = (at: readonly number[]): readonly number[] => at.map((k) => gaps[k]!);
    const [first] = models;
    const blind = chanceLevel(randomRows(40, 12, random), [...random.normal(12)], {
      delta,
      deals: 99,
      random,
    });
    const own = kendallTau(gaps, gaps);
    return {
      graph: networkOf(first!.layers),
      ...(budget === "cheap"
        ? {}
        : {
            figure: measureRankingFigure(
              rows,
              chanceLevel(rows, gaps, { delta, deals: scale(200), random }),
              models.length,
            ),
            table: rankingTable(rows, models.length),
          }),
      claims: {
        "τ, mean over the measures": checked(
          mean(rows.map(({ tau }) => tau ?? 0)),
          mean(rows.map(({ values, at }) => tauByInversions(values, gapsAt(at)) ?? 0)),
          { tolerance: 1e-12 }, // quotients and roots of whole numbers
        ),
        "granulated τ, mean over the measures": checked(
          mean(complete.map(({ granulated }) => granulated.mean)),
          mean(complete.map(({ values }) => groupedTau(settings, values, gaps, hyperparameters))),
          { tolerance: 1e-12 },
        ),
        ...(own !== undefined && { "τ of the gap with itself": checked(own, 1, { tolerance: 1e-12 }) }),
        "change of a τ when the measure is replaced by its rank": checked(
          greatest(
            rows.map(({ tau, values, at }) => (tau ?? 0) - (kendallTau(denseRanks(values), gapsAt(at)) ?? 0)),
          ),
          0,
        ),
        "greatest |τ| of forty random measures of twelve models": checked(blind.dealt, blind.level, {
          delta,
        }),
      },
    };
  },
});

/** The table that the field prints: the measures that order the gaps best come first. */
const rankingTable = (rows: readonly RankedRow[], models: number): LemmaTable => ({
  title: `Rank correlation with the gap, ${models} networks`,
  columns: ["measure", "τ", "granulated", ...hyperparameters.map((name) => `by ${name}`), "networks"],
  rows: rows
    .filter(({ tau }) => tau !== undefined)
    .toSorted((a, b) => b.tau! - a.tau!)
    .map(({ name, tau, granulated: { axes, mean }, at }) => [
      name,
      ...[tau!, mean, ...hyperparameters.map((axis) => axes[axis] ?? "")].map((t) =>
        typeof t === "number" ? Number(t.toFixed(3)) : t,
      ),
      at.length,
    ]),
});

/** Measures that know nothing of the models. */
const randomRows = (measures: number, models: number, random: Random): readonly RankedRow[] =>
  Array.from({ length: measures }, (_, k) => ({
    name: `random ${k}`,
    values: [...random.normal(models)],
    at: Array.from({ length: models }, (__, j) => j),
    granulated: { axes: {}, mean: 0 },
  }));

const greatest = (differences: readonly number[]): number =>
  differences.reduce((most, v) => Math.max(most, Math.abs(v)), 0);

const networkOf = (layers: Layers): Graph =>
  denseNetwork(
    layers.map((W) => ({ W })),
    "relu",
  );

/** The risk over the whole law, a sum, less the share of errors on the sample. */
function gapOf(layers: Layers, law: KnownLaw, sample: IndexedSample): number {
  const says = law.points.map((x) => Number(outputOf(layers, x) > 0));
  return knownRisk(law, (j) => says[j]!) - indexedRisk(sample, (j) => says[j]!);
}

async function trainedModel(
  setting: ModelSetting,
  law: KnownLaw,
  sample: IndexedSample,
  { budget, random }: { readonly budget: Budget; readonly random: Random },
): Promise<Model> {
  const d = law.points[0]!.length;
  const start = startLayers(d, setting, random.split(setting.seed!));
  const { rate, decay } = setting as { readonly rate: number; readonly decay: number };
  const layers = trainLayers(start, law, sample, { rate, decay, steps: budget === "cheap" ? 60 : 300 });
  const x = tensor(
    Array.from(sample.inputs, (j) => law.points[j]!),
    { dims: [sample.inputs.length, d] },
  );
  const y = tensor(
    Array.from(sample.labels, (label) => (label > 0 ? 1 : 0)),
    { type: "int64", dims: [sample.labels.length] },
  );
  // Sharpness takes far longer than all else.
  const sharpnessExamples = budget === "thorough" ? 40 : 0;
  const { named } = await measureModel(networkOf(layers), {
    ...{ data: { x, y }, initial: networkOf(start), slopes: false, sharpnessExamples, seed: setting.seed! },
  });
  return { setting, layers, gap: gapOf(layers, law, sample), measures: named };
}

/** Every measure with its coefficients, on the models that have it; on fewer than three there is nothing to order. */
function rankedRows(models: readonly Model[]): readonly RankedRow[] {
  return models[0]!.measures.flatMap(({ id, name }): RankedRow[] => {
    const found = models.flatMap(({ measures, gap, setting }, at) => {
      const measure = measures.find((m) => m.id === id);
      const known = measure?.log ?? measure?.value;
      return known === undefined || Number.isNaN(known) ? [] : [{ at, measure: measure!, gap, setting }];
    });
    // A product of norms is ordered by its logarithm, for it may overflow; what is not always positive has none.
    const inLogs = found.every(({ measure }) => measure.log !== undefined);
    const values = found.map(({ measure }) => (inLogs ? measure.log! : measure.value!));
    const gaps = found.map((m) => m.gap);
    const settings = found.map((m) => m.setting);
    const granulated = granulatedTau(settings, values, gaps, hyperparameters);
    if (found.length < 3 || !granulated) return [];
    const tau = kendallTau(values, gaps);
    return [{ name, values, at: found.map((m) => m.at), ...(tau === undefined ? {} : { tau }), granulated }];
  });
}
