import type { Figure } from "../../figure/figure.ts";
import { certifiedMinimum } from "../../landscape/certificate/certified-minimum.ts";
import { convexLoss } from "../../landscape/certificate/convex-loss.ts";
import { outputsOf, penaltyOf, type TwoLayer } from "../../landscape/certificate/two-layer.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const inputs = [
  [1, 0],
  [0, 1],
  [-1, 1],
  [1, -2],
  [2, 1],
].map((row) => Float64Array.from(row));
const loss = convexLoss("square", { values: [Float64Array.of(1, -1, 0.5, 0.25, 2)] });
const lambda = 0.1;
const decay = (2 * lambda) / 5;
/** 1/2 |y - z|^2 + lambda theta, by a convex program. */
const optimal = 0.4038652397;
/** Ours is the mean square: 2/m of the half square. */
const halves = 5 / 2;
const within = 1e-3;
/** Of 20 starts, how many end within 10^-3 of the minimum, as the catalogue counted; up to three neurons none does. */
const counted = { 1: 0, 2: 0, 3: 0, 4: 4, 6: 13, 12: 20 } as Readonly<Record<number, number>>;
const starts = 20;
/** Counts of two draws of 20 differ by more with this probability at most: most for a share of 1/2, 2 P(Bin(40, 1/2) < 12). */
const [apart, delta] = [8, 0.0065];

export default lemma({
  id: "C4-22",
  covers: ["C4-22"],
  kind: "experiment",
  title: "Width against spurious minima: what gradient descent finds, and what sliding repairs",
  source: "Book, chapter 4, Theorem 4.10",
  statement: String.raw`r > |\phi| : \text{ a path to a global minimizer that never goes up exists from every start; plain descent need not follow it}`,
  parameters: {
    r: integer({ min: 1, max: 12, default: 6, label: "neurons" }),
    start: integer({ min: 0, max: 999, default: 0, label: "start" }),
  },
  claims: {
    "end of gradient descent": atLeast("the certified minimum"),
    "three neurons or fewer: ends within 10⁻³ of the minimum": equals("0"),
    "of 20 starts, how many more or fewer end there than of 20 others": atMost("8").probable().looseBy(1.3),
    "distance from the minimum where descent is stuck": atLeast("0.036"),
    "distance from the minimum after repair": equals("0"),
    "greatest rise on the way of the repair, relative": atMost("0"),
    "repaired: globally optimal by certificate": equals("1"),
  },
  mutants: {
    "three neurons are enough": {
      "three neurons or fewer: ends within 10⁻³ of the minimum": () => 1,
    },
    "twenty starts have the same count each time": {
      "of 20 starts, how many more or fewer end there than of 20 others": () => 0,
    },
    "the nearest spurious minimum is ten times as high": {
      "distance from the minimum where descent is stuck": () => 0.36,
    },
    "a repair that keeps the end of descent": {
      "distance from the minimum after repair": () => 0.01,
    },
  },
  async run({ r, start }, { random, budget, scale, progress }) {
    const end = plainDescent(drawn(r, random.split(`start ${start}`)));
    const value = halves * objective(end);
    const { certificate, path } = repaired(end);
    const rises = path.slice(1).map((step, k) => step.objective / path[k]!.objective - 1);
    const ends = r > 3 && r in counted ? endsOf(r, starts, random.split("many")) : [];
    const there = ends.filter((net) => above(net) < within).length;
    const stuck = [end, ...ends].map(above).filter((height) => height >= within);
    const shares: Shares[] = [];
    const widths = budget === "cheap" ? [] : [1, 2, 3, 4, 6, 9, 12];
    for (const width of widths) {
      const nets = endsOf(width, Math.min(starts, scale(10)), random.split(`width ${width}`));
      const [found, mended] = [nets.filter((net) => above(net) < within), nets.filter(isMended)];
      shares.push({ width, found: found.length / nets.length, mended: mended.length / nets.length });
      await progress(shares.length / widths.length);
    }
    return {
      ...(shares.length > 0 && {
        figure: sharesFigure(shares),
        table: {
          title: "share of starts that end within 10⁻³ of the minimum",
          columns: ["neurons", "gradient descent", "with slides and polar neurons"],
          rows: shares.map(({ width, found, mended }) => [width, found, mended]),
        },
      }),
      claims: {
        "end of gradient descent": checked(value, optimal, { tolerance: 1e-9 }),
        ...(r <= 3 && {
          "three neurons or fewer: ends within 10⁻³ of the minimum": checked(
            value - optimal < within ? 1 : 0,
            0,
          ),
        }),
        ...(ends.length > 0 && {
          "of 20 starts, how many more or fewer end there than of 20 others": sampled(
            Math.abs(there - counted[r]!),
            apart,
            { delta },
          ),
        }),
        ...(stuck.length > 0 && {
          "distance from the minimum where descent is stuck": sampled(Math.min(...stuck), 0.036),
        }),
        "distance from the minimum after repair": checked(halves * certificate.objective - optimal, 0, {
          // The certificate's own tolerance.
          tolerance: 2e-6,
        }),
        // A slide may rise by 1e-14, and two objectives of some 100 roundings each are compared.
        "greatest rise on the way of the repair, relative": checked(Math.max(...rises), 0, {
          tolerance: 1e-14 + 200 * 2 ** -53,
        }),
        "repaired: globally optimal by certificate": checked(
          certificate.verdict === "globally optimal" ? 1 : 0,
          1,
        ),
      },
    };
  },
});

const drawn = (width: number, random: Random): TwoLayer => ({
  neurons: Array.from({ length: width }, () => ({
    incoming: random.normal(2).map((w) => w / 2),
    outgoing: random.normal(1).map((w) => w / 2),
  })),
  hasBias: false,
});

const endsOf = (width: number, count: number, random: Random): readonly TwoLayer[] =>
  Array.from({ length: count }, (_, k) => plainDescent(drawn(width, random.split(`${k}`))));

const repaired = (end: TwoLayer) => certifiedMinimum(end, inputs, loss, 1, { decay, gapTolerance: 1e-6 });

const above = (net: TwoLayer): number => halves * objective(net) - optimal;
const isMended = (end: TwoLayer): boolean => above(repaired(end).net) < within;

const objective = (net: TwoLayer): number => loss.value(outputsOf(net, inputs, 1)) + decay * penaltyOf(net);

/** The half square's gradient, 4000 steps of 0.02 and 1000 of 0.002. */
function plainDescent({ neurons: start, ...rest }: TwoLayer): TwoLayer {
  const neurons = start.map((n) => ({ incoming: n.incoming.slice(), outgoing: n.outgoing.slice() }));
  for (let step = 0; step < 5000; step++) {
    const rate = step < 4000 ? 0.02 : 0.002;
    const pull = loss.pull(outputsOf({ ...rest, neurons }, inputs, 1))[0]!;
    for (const { incoming, outgoing } of neurons) {
      const u = outgoing[0]!;
      let [da, db, du] = [lambda * incoming[0]!, lambda * incoming[1]!, lambda * u];
      inputs.forEach((row, i) => {
        const z = incoming[0]! * row[0]! + incoming[1]! * row[1]!;
        if (z <= 0) return;
        const g = halves * pull[i]!;
        du -= g * z;
        da -= g * u * row[0]!;
        db -= g * u * row[1]!;
      });
      incoming[0]! -= rate * da;
      incoming[1]! -= rate * db;
      outgoing[0] = u - rate * du;
    }
  }
  return { ...rest, neurons };
}

interface Shares {
  readonly width: number;
  readonly found: number;
  readonly mended: number;
}

const sharesFigure = (shares: readonly Shares[]): Figure => ({
  title: "Width against spurious minima of a ReLU network with weight decay",
  panels: [
    {
      title: "Five examples: |φ| = 5",
      x: { label: "neurons" },
      y: { label: "share of starts that end at the minimum" },
      series: [
        {
          name: "gradient descent",
          mark: "line",
          points: shares.map(({ width, found }) => [width, found] as const),
        },
        {
          name: "with slides and polar neurons",
          mark: "line",
          points: shares.map(({ width, mended }) => [width, mended] as const),
        },
        {
          name: "20 starts of the catalogue",
          mark: "dots",
          role: "theory",
          points: Object.entries(counted).map(([width, count]) => [Number(width), count / starts] as const),
        },
      ],
    },
  ],
});
