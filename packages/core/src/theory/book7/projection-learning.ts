import {
  atomNonzeros,
  learnedDictionaries,
  learningObjective,
} from "../../sparse/layers/dictionary-learning.ts";
import { holisticPursuit, projectionPursuit } from "../../sparse/layers/holistic-pursuit.ts";
import { drawnCode, effectiveDictionary, nonzeros } from "../../sparse/layers/model.ts";
import { type Dictionary, synthesize } from "../../sparse/pursuit/dictionary.ts";
import { keepLargest } from "../../sparse/pursuit/thresholds.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { normalDictionary, someOf } from "./draws.ts";

export default lemma({
  id: "C7-12",
  covers: ["C7-12", "C7-15"],
  kind: "algorithm",
  title: "Pursuits of all layers at once, and dictionaries that are learned",
  source: "Book, chapter 7, (7.17), (7.18) and section 7.5; Sulam et al. 2018, Aberdam, Sulam and Elad 2019",
  statement: String.raw`\min \tfrac1N \sum_k \bigl(\tfrac12 \|x_0^k - D_1 D_2 x_2^k\|^2 + \lambda \|x_2^k\|_1\bigr) + \iota \sum_l \|D_l\|_F^2, \; \|D_2\|_0 \le p, \qquad \|D_2 x\|_0 \le \|D_2\|_0 \|x\|_0`,
  parameters: {
    n: integer({ min: 6, max: 10, default: 8, label: "numbers of a signal" }),
    perAtom: integer({ min: 1, max: 4, default: 2, label: "nonzeros of an inner atom" }),
    lambda: real({ min: 0.02, max: 0.3, default: 0.1, label: "λ" }),
    draw: integer({ min: 0, max: 1e6, default: 1, label: "which random signals" }),
  },
  claims: {
    "learning: rises of the objective": equals("0"),
    "learning: the objective at the end, of that at the beginning": atMost("1").looseBy(1.02),
    "nonzeros of D_2 x": atMost(String.raw`\|D_2\|_0 \|x\|_0`),
    "nonzeros of learned inner atoms": atMost("p"),
    "planted and sparse D_2, no noise: what projection pursuit misses": equals("0"),
    "holistic pursuit without noise: zeros of the first code": equals("n_1 - s_1"),
    "x_1 - D_2 x_2 of both pursuits": equals("0"),
    "objective of the signals in another order, less before": equals("0").printed({
      where: "(7.18)",
      printed: "\\iota \\sum_{l=1}^L \\|\\mathbf{D}^{[l]}\\|_F^2 + \\lambda \\|\\mathbf{x}_i^{[L]}\\|_1",
      corrected:
        "$\\frac{\\lambda}{N} \\sum_i \\|x_i^{[L]}\\|_1$: outside of the sum over signals $i$ means none of them, or only the last",
    }),
    "of the corrected objective": equals("0"),
  },
  mutants: {
    "an inner atom with one nonzero more": {
      "nonzeros of learned inner atoms": ({ perAtom }) => perAtom - 1,
    },
    "steps too long": { "learning: rises of the objective": () => 3 },
    "a zero lost": {
      "holistic pursuit without noise: zeros of the first code": (_, { theory }) => Number(theory) + 1,
    },
  },
  async run({ n, perAtom, lambda, draw }, { random, scale }) {
    const draws = random.split(`draw ${draw}`);
    const [n1, n2] = [n + 4, n + 6];
    const dense = [
      normalDictionary(n, n1, draws.split("D1")),
      normalDictionary(n1, n2, draws.split("D2")),
    ] as const;
    const planted = [dense[0], fewPerAtom(dense[1], perAtom)] as const;
    const whole = effectiveDictionary(planted);
    const signals = Array.from({ length: 24 }, (_, k) => {
      const x = new Float64Array(n2);
      for (const j of someOf(n2, 2, draws.split(`places ${k}`))) x[j] = draws.normal();
      return synthesize(whole, x);
    });
    const start = [normalDictionary(n, n1, draws.split("E1")), normalDictionary(n1, n2, draws.split("E2"))];
    const options = { lambda, decay: 1e-3, perAtom: [perAtom], rounds: scale(10), steps: 3 };
    const learned = await learnedDictionaries(start, signals, options);
    const rises = learned.objectives.filter(
      (v, k) => k > 0 && v > learned.objectives[k - 1]! * (1 + 1e-7),
    ).length;
    // One atom of the last dictionary: matching finds it, and its inner code has no more than an atom's nonzeros.
    const single = new Float64Array(n2);
    single[draws.integer(0, n2 - 1)] = 1 + draws.uniform();
    const projected = projectionPursuit(planted, synthesize(whole, single), [perAtom, 1]);
    const pattern = {
      support: someOf(n2, 4, draws.split("support")),
      zeros: [someOf(n1, 3, draws.split("zeros"))],
    };
    const x2 = drawnCode(dense, pattern, draws.split("code"))!;
    const y = synthesize(effectiveDictionary(dense), x2);
    const holistic = await holisticPursuit(dense, y, [n1 - 3, 4], { iterations: 100 });
    // The code whose inner nonzeros are the greatest part of what they may be.
    const [made, allowed] = Array.from({ length: 20 }, (_, k) => {
      const x = keepLargest(draws.split(`x ${k}`).normal(n2), 1 + (k % 4));
      return [nonzeros(synthesize(planted[1], x)), atomNonzeros(planted[1]) * nonzeros(x)] as const;
    }).reduce((worst, pair) => (pair[0] / pair[1] > worst[0] / worst[1] ? pair : worst));
    const outside = (codes: readonly Float64Array[]): number =>
      lambda * codes.at(-1)!.reduce((sum, v) => sum + Math.abs(v), 0);
    const turned = [...learned.codes.slice(1), learned.codes[0]!];
    return {
      claims: {
        "learning: rises of the objective": checked(rises, 0),
        "learning: the objective at the end, of that at the beginning": checked(
          learned.objectives.at(-1)! / learned.objectives[0]!,
          1,
        ),
        "nonzeros of D_2 x": checked(made, allowed),
        "nonzeros of learned inner atoms": checked(atomNonzeros(learned.layers[1]!), perAtom),
        "planted and sparse D_2, no noise: what projection pursuit misses": checked(
          Math.hypot(...projected.residual),
          0,
          { tolerance: 1e-10 },
        ),
        "holistic pursuit without noise: zeros of the first code": checked(
          n1 - nonzeros(holistic.codes[0]!),
          3,
        ),
        "x_1 - D_2 x_2 of both pursuits": checked(
          Math.max(away(planted[1], projected.codes), away(dense[1], holistic.codes)),
          0,
          { tolerance: 1e-9 },
        ),
        ...(outside(turned) !== outside(learned.codes) && {
          "objective of the signals in another order, less before": checked(
            outside(turned) - outside(learned.codes),
            0,
          ),
        }),
        "of the corrected objective": checked(
          learningObjective(learned.layers, [...signals.slice(1), signals[0]!], turned, options) -
            learningObjective(learned.layers, signals, learned.codes, options),
          0,
          { tolerance: 1e-10 },
        ),
      },
      table: {
        title: "Learning",
        columns: ["round", "objective"],
        rows: learned.objectives.map((v, k) => [k, v]),
      },
    };
  },
});

const away = (second: Dictionary, [x1, x2]: readonly Float64Array[]): number => {
  const made = synthesize(second, x2!);
  return made.reduce((m, v, i) => Math.max(m, Math.abs(v - x1![i]!)), 0);
};

function fewPerAtom({ size, count, atoms }: Dictionary, most: number): Dictionary {
  const kept = new Float64Array(atoms.length);
  for (let j = 0; j < count; j++)
    kept.set(keepLargest(atoms.slice(j * size, (j + 1) * size), most), j * size);
  return { size, count, atoms: kept };
}
