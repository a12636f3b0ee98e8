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
    "objective at the end of the path from a plateau": equals("the least of all widths, by hand"),
    "greatest rise along that path, relative": atMost("0"),
    "points above the minimum with nothing lower around": equals("0").printed({
      where: "sect. 4.1, before Figure 4.2",
      printed: "a monotonically decreasing path to a global minimizer exists from every point",
      corrected:
        "a nonincreasing path, as Theorem 4.10 has it: on a plateau there is nothing lower until its edge",
    }),
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
        ...plateauClaims(Number(lambda) / 2, random.split("plateau")),
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

/**
 * Inputs 1 and -1, both targets 1, three neurons that all see the first alone: three are more than |φ| = 2, so that Theorem 4.10
 * speaks of them. With u v their share of 1 - λ and |u| = |v| they are a plateau: near it the second output is 0 and the rest is
 * ½(1 - s)² + λ|s| or more, which is least at s = 1 - λ.
 */
function plateauClaims(lambda: number, random: Random) {
  const line = [Float64Array.of(1), Float64Array.of(-1)];
  const loss = convexLoss("square", { values: [Float64Array.of(1, 1)] });
  const objective = (net: TwoLayer): number => {
    const [z] = outputsOf(net, line, 1);
    return z!.reduce((sum, v) => sum + (v - 1) ** 2, 0) / 2 + lambda * penaltyOf(net);
  };
  const parts = Array.from({ length: 3 }, (_, k) => 0.2 + random.split(k).uniform());
  const sizes = parts.map((p) => Math.sqrt(((1 - lambda) * p) / parts.reduce((sum, q) => sum + q, 0)));
  const at = (incoming: readonly number[], outgoing: readonly number[]): TwoLayer => ({
    neurons: incoming.map((v, k) => ({
      incoming: Float64Array.of(v),
      outgoing: Float64Array.of(outgoing[k]!),
    })),
    hasBias: false,
  });
  const plateau = at(sizes, sizes);
  const here = objective(plateau);
  const least = 2 * lambda - lambda * lambda; // each side for itself: ½λ² + λ(1 - λ)
  const reach = 0.9 * Math.min(...sizes);
  const around = Array.from({ length: 300 }, (_, k) => {
    const step = random.split(`step ${k}`).normal(6);
    const length = (reach * (k + 1)) / 300 / Math.sqrt(squareOf(step));
    const moved = (from: number) => sizes.map((w, i) => w + length * step[from + i]!);
    return objective(at(moved(0), moved(3)));
  });
  const isLocallyLeast = Math.min(...around) >= here - 1e-14;
  const { certificate, path } = certifiedMinimum(plateau, line, loss, 1, {
    decay: lambda,
    gapTolerance: 1e-9,
  });
  const rises = path.slice(1).map((p, k) => p.objective / path[k]!.objective - 1);
  return {
    "objective at the end of the path from a plateau": checked(certificate.objective, least, {
      tolerance: 1e-9 * least + 1e-13,
    }),
    "greatest rise along that path, relative": checked(Math.max(...rises), 0, {
      tolerance: 1e-14 + 200 * 2 ** -53,
    }),
    "points above the minimum with nothing lower around": checked(isLocallyLeast && here > least ? 1 : 0, 0),
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
