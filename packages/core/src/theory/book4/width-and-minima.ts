import type { Figure } from "../../figure/figure.ts";
import { certifiedMinimum } from "../../landscape/certificate/certified-minimum.ts";
import { convexLoss } from "../../landscape/certificate/convex-loss.ts";
import { outputsOf, penaltyOf, type TwoLayer } from "../../landscape/certificate/two-layer.ts";
import { atLeast, checked, equals } from "../claim.ts";
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
    "distance from the minimum after repair": equals("0"),
    "repaired: globally optimal by certificate": equals("1"),
  },
  mutants: {
    "three neurons are enough": {
      "three neurons or fewer: ends within 10⁻³ of the minimum": () => 1,
    },
    "a repair that keeps the end of descent": {
      "distance from the minimum after repair": () => 0.01,
    },
  },
  async run({ r, start }, { random, budget, scale, progress }) {
    const from = (width: number, label: string): TwoLayer => {
      const draw = random.split(label);
      return {
        neurons: Array.from({ length: width }, () => ({
          incoming: draw.normal(2).map((w) => w / 2),
          outgoing: draw.normal(1).map((w) => w / 2),
        })),
        hasBias: false,
      };
    };
    const end = plainDescent(from(r, `start ${start}`));
    const value = halves * objective(end);
    const { certificate } = certifiedMinimum(end, inputs, loss, 1, { decay, gapTolerance: 1e-6 });
    const runs = budget === "cheap" ? [] : [1, 2, 3, 4, 6, 9, 12];
    const shares: (readonly [number, number])[] = [];
    for (const width of runs) {
      const count = Math.min(20, scale(10));
      const ends = Array.from(
        { length: count },
        (_, k) => halves * objective(plainDescent(from(width, `run ${width} ${k}`))),
      );
      shares.push([width, ends.filter((v) => v - optimal < within).length / count]);
      await progress(shares.length / runs.length);
    }
    return {
      ...(shares.length > 0 && {
        figure: sharesFigure(shares),
        table: {
          title: "share of starts from which gradient descent ends within 10⁻³ of the minimum",
          columns: ["neurons", "share"],
          rows: shares,
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
        "distance from the minimum after repair": checked(halves * certificate.objective - optimal, 0, {
          // The certificate's own tolerance.
          tolerance: 2e-6,
        }),
        "repaired: globally optimal by certificate": checked(
          certificate.verdict === "globally optimal" ? 1 : 0,
          1,
        ),
      },
    };
  },
});

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

const sharesFigure = (shares: readonly (readonly [number, number])[]): Figure => ({
  title: "Width against spurious minima of a ReLU network with weight decay",
  panels: [
    {
      title: "Five examples: |φ| = 5",
      x: { label: "neurons" },
      y: { label: "share of starts that end at the minimum" },
      series: [
        { name: "gradient descent", mark: "line", points: shares },
        {
          name: "with slides and polar neurons",
          mark: "line",
          role: "theory",
          points: shares.map(([r]) => [r, 1] as const),
        },
      ],
    },
  ],
});
