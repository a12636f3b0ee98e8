import type { Figure } from "../../figure/figure.ts";
import { certifiedMinimum } from "../../landscape/certificate/certified-minimum.ts";
import { convexLoss } from "../../landscape/certificate/convex-loss.ts";
import { slid } from "../../landscape/certificate/slide.ts";
import { outputsOf, penaltyOf, type TwoLayer } from "../../landscape/certificate/two-layer.ts";
import type { Random } from "../../numbers/random.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atLeast, atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

const inputs = [
  [1, 0],
  [0, 1],
  [-1, 1],
  [1, -2],
  [2, 1],
].map((row) => Float64Array.from(row));
const targets = Float64Array.of(1, -1, 0.5, 0.25, 2);
/** 1/2 |y - z|^2 + lambda theta over all sectors of the plane, by a convex program. */
const optimal = { "0.1": 0.4038652397, "0.5": 1.223685282, "1": 1.6341676296 } as const;

export default lemma({
  id: "C4-20",
  covers: ["C4-20", "C4-21"],
  kind: "bound",
  title: "A two-layer ReLU network with weight decay that is certified to be globally optimal",
  source: "Book, chapter 4, Theorems 4.9 and 4.10; Haeffele and Vidal 2017",
  statement: String.raw`\mathcal L(Y, \Phi_r(W)) + \lambda \Theta_r(W) \ge \max_{t \Omega^\circ(G) \le \lambda} -\mathcal L^*(-t G), \quad G = -\nabla_Z \mathcal L; \qquad \text{equality} \iff \langle G, Z \rangle = \lambda \Theta_r(W), \; \Omega^\circ(G) \le \lambda`,
  parameters: {
    lambda: choice(["0.1", "0.5", "1"], { label: "λ of ½|y - z|² + λΘ" }),
    r: integer({ min: 1, max: 9, default: 6, label: "neurons of the network to start from" }),
  },
  claims: {
    "objective at the end of the path": equals("that of the convex program"),
    "gap at the end, relative": equals("0"),
    "lower bound at the end": atMost("the convex program's value"),
    "greatest rise along the path, relative": atMost("0"),
    "⟨G, Z⟩ over λΘ at the end": equals("1"),
    "pull of the best neuron over λ at the end": atMost("1"),
    "neurons that are left": atMost(String.raw`|\phi| = 5`),
    "change of the outputs in a slide of 9 neurons": equals("0"),
    "rise of the penalty in that slide": atMost("0"),
    "neurons that the slide removes": atLeast(String.raw`9 - |\phi| = 4`),
  },
  mutants: {
    "the network without its penalty": {
      "objective at the end of the path": ({ lambda }, { theory }) => theory - 0.01 * Number(lambda),
    },
    "λ twice as large": ({ lambda }) => ({ lambda: lambda === "0.1" ? "0.5" : "0.1" }),
    "every neuron is needed": { "neurons that the slide removes": () => 9 },
  },
  run({ lambda, r }, { random, budget }) {
    const decay = (2 * Number(lambda)) / 5; // ours is the mean square, 2/m of the half square
    const loss = convexLoss("square", { values: [targets] });
    const value = (2 / 5) * optimal[lambda];
    const start = drawn(r, random.split("start"));
    const { net, certificate, path } = certifiedMinimum(start, inputs, loss, 1, {
      decay,
      gapTolerance: 1e-7,
    });
    const rises = path.slice(1).map(({ objective }, k) => objective / path[k]!.objective - 1);
    return {
      graph: denseNetwork(
        [
          { W: net.neurons.map(({ incoming }) => [...incoming]) },
          { W: [net.neurons.map(({ outgoing }) => outgoing[0]!)] },
        ],
        "relu",
      ),
      ...(budget !== "cheap" && { figure: pathFigure(path, value) }),
      table: {
        title: "the way down",
        columns: ["step", "objective above the minimum", "neurons"],
        rows: path.map(({ step, objective, width }) => [step, objective - value, width]),
      },
      claims: {
        // The path ends when the gap is within 1e-7 of the objective; the program's value is known as far as `known`.
        "objective at the end of the path": checked(certificate.objective, value, {
          tolerance: 1e-7 * certificate.objective + known,
        }),
        // The path also ends when a round lowers the objective F by less than 1e-13 of it. Then scaling could lower it by no more,
        // (λΘ - ⟨G, Z⟩)² m / (4 |Z|²), nor a neuron, (pull - λ)² m / (4 Σ |x_i|²): the gap is the first difference and the
        // second times Θ, at most F / λ.
        "gap at the end, relative": checked(certificate.gap / certificate.objective, 0, {
          tolerance:
            1e-7 +
            2 *
              Math.sqrt(1e-13 / 5 / certificate.objective) *
              (Math.sqrt(squareOf(outputsOf(net, inputs, 1)[0]!)) +
                (Math.sqrt(inputs.reduce((sum, row) => sum + squareOf(row), 0)) * certificate.objective) /
                  decay),
        }),
        "lower bound at the end": checked(certificate.lowerBound, value, { tolerance: known }),
        // A slide may rise by 1e-14, and two objectives of some 100 roundings each are compared.
        "greatest rise along the path, relative": checked(Math.max(...rises), 0, {
          tolerance: 1e-14 + 200 * 2 ** -53,
        }),
        // Scaling all neurons lowers the objective by (λΘ - ⟨G, Z⟩)² m / (4 |Z|²), which is at most the gap.
        "⟨G, Z⟩ over λΘ at the end": checked(certificate.scaling + 1, 1, {
          tolerance:
            (2 * Math.sqrt((certificate.gap * squareOf(outputsOf(net, inputs, 1)[0]!)) / 5)) /
            (decay * penaltyOf(net)),
        }),
        // A neuron of the best size lowers it by (pull - λ)² m / (4 Σ |x_i|²) or more; the pull is known within 1e-9.
        "pull of the best neuron over λ at the end": checked(certificate.polar.upper / decay, 1, {
          tolerance:
            (2 * Math.sqrt((certificate.gap * inputs.reduce((sum, row) => sum + squareOf(row), 0)) / 5)) /
              decay +
            2e-9,
        }),
        "neurons that are left": checked(net.neurons.length, 5),
        ...slideClaims(random.split("slide")),
      },
    };
  },
});

/** Ten decimals of ½|y - z|² + λΘ, and the gap of 7e-12 with which the program ended, as 2/5 of it. */
const known = (2 / 5) * (5e-11 + 7e-12);

const squareOf = (v: Float64Array): number => v.reduce((sum, x) => sum + x * x, 0);

const drawn = (count: number, random: Random): TwoLayer => ({
  neurons: Array.from({ length: count }, () => ({
    incoming: random.normal(2).map((w) => w / 2),
    outgoing: random.normal(1).map((w) => w / 2),
  })),
  hasBias: false,
});

function slideClaims(random: Random) {
  const wide = drawn(9, random);
  const { net, removed, penalties } = slid(wide, inputs);
  const [before, after] = [outputsOf(wide, inputs, 1)[0]!, outputsOf(net, inputs, 1)[0]!];
  const change = Math.max(...before.map((v, i) => Math.abs(v - after[i]!)));
  const rises = penalties.slice(1).map((p, k) => p - penalties[k]!);
  return {
    "change of the outputs in a slide of 9 neurons": checked(change, 0, { tolerance: 1e-9 }),
    "rise of the penalty in that slide": checked(Math.max(...rises), 0, {
      tolerance: 1e-12 * penaltyOf(wide),
    }),
    "neurons that the slide removes": checked(removed, 4),
  };
}

function pathFigure(
  path: readonly { readonly step: string; readonly objective: number }[],
  value: number,
): Figure {
  return {
    title: "To the global minimum without going up",
    panels: [
      {
        title: "Objective after descent, slide, new neuron, ...",
        x: { label: "step" },
        y: { label: "objective above the minimum", scale: "log" },
        series: [
          {
            name: "objective less that of the convex program",
            mark: "step",
            // Ten digits of the program's value are known.
            points: path.map(({ objective }, k) => [k, Math.max(1e-10, objective - value)] as const),
          },
        ],
      },
    ],
  };
}
