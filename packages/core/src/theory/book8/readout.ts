import type { Figure } from "../../figure/figure.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import { propagate } from "../../scattering/propagate.ts";
import { certifiedRadius, scores } from "../../scattering/readout.ts";
import { atLeast, atMost, checked } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { distance, norm } from "./signals.ts";

export default lemma({
  id: "C8-04",
  covers: ["C8-04"],
  kind: "bound",
  title: "A linear readout of scattering has a certified radius around every input",
  source: "Book, chapter 8, section 8.2.2, after (8.4)",
  statement: String.raw`|\hat f(x) - \hat f(x')| \le \|\theta\| \, \|x - x'\|, \qquad r = \min_{c \ne y} \frac{\langle \theta_y - \theta_c, \Phi x \rangle + b_y - b_c}{\|\theta_y - \theta_c\|}`,
  parameters: {
    n: integer({ min: 8, max: 24, default: 16, label: "samples" }),
    classes: integer({ min: 2, max: 4, default: 3, label: "classes" }),
    kind: choice(["of the mean", "drawn"], { label: "readout" }),
    part: real({ min: 0.1, max: 0.999, default: 0.99, label: "part of the radius that is moved" }),
  },
  claims: {
    "|f(x) - f(x')|": atMost(String.raw`\|\theta\| \, \|x - x'\|`),
    "least lead of the predicted class inside of the radius": atLeast("0"),
    "lead lost on the way, over the lead": atMost(String.raw`|x - x'| / r`),
  },
  mutants: {
    "half the norm of the readout": { "|f(x) - f(x')|": (_, { theory }) => theory / 2 },
    "twice the radius": { "lead lost on the way, over the lead": (_, { theory }) => theory / 2 },
  },
  run({ n, classes, kind, part }, { random, budget }) {
    const bank = battleLemarieBank({ length: n, scale: 2 });
    const features = (z: Float64Array): Float64Array =>
      Float64Array.from(propagate(z, bank).flatMap(({ averaged }) => [...averaged]));
    const x = random.normal(n);
    const size = features(x).length;
    const readout = {
      weights: Array.from({ length: classes }, (_, c) =>
        kind === "drawn"
          ? random.normal(size)
          : Float64Array.from({ length: size }, (__, k) => (k < n ? c - 1 : 0)),
      ),
      biases: random.normal(classes),
    };
    const { predicted, rival, radius } = certifiedRadius(readout, features(x));
    const theta = readout.weights[predicted]!.map((v, k) => v - readout.weights[rival]![k]!);
    const lead = (z: Float64Array): number => {
      const all = scores(readout, features(z));
      return all[predicted]! - all[rival]!;
    };
    const direction = descent(lead, x);
    const step = part * radius;
    const other = x.map((v, k) => v + (step * direction[k]!) / norm(direction));
    const all = scores(readout, features(other));
    const leads = Array.from(all, (v) => all[predicted]! - v).filter((_, c) => c !== predicted);
    const tolerance = 1e-10 * (1 + norm(theta)) * (1 + norm(x));
    return {
      ...(budget !== "cheap" && { figure: figure(lead, x, direction, radius) }),
      claims: {
        "|f(x) - f(x')|": checked(Math.abs(lead(other) - lead(x)), norm(theta) * distance(x, other), {
          tolerance,
        }),
        "least lead of the predicted class inside of the radius": checked(Math.min(...leads), 0, {
          tolerance,
        }),
        "lead lost on the way, over the lead": checked(1 - lead(other) / lead(x), step / radius, {
          tolerance: 1e-8,
        }),
      },
    };
  },
});

/** Minus the gradient, by central differences. */
function descent(of: (x: Float64Array) => number, x: Float64Array): Float64Array {
  const h = 1e-5;
  return x.map((_, k) => {
    const at = (sign: number): number => of(x.map((v, i) => (i === k ? v + sign * h : v)));
    return (at(-1) - at(1)) / (2 * h);
  });
}

function figure(
  lead: (x: Float64Array) => number,
  x: Float64Array,
  direction: Float64Array,
  radius: number,
): Figure {
  const steps = Array.from({ length: 41 }, (_, k) => (2 * radius * k) / 40);
  const start = lead(x);
  return {
    title: "The lead of a class along the direction in which it falls fastest",
    panels: [
      {
        title: "It cannot fall below the line",
        x: { label: "|x - x'|" },
        y: { label: "lead" },
        series: [
          {
            ...{ name: "lead", mark: "line" },
            points: steps.map(
              (t) => [t, lead(x.map((v, k) => v + (t * direction[k]!) / norm(direction)))] as const,
            ),
          },
          {
            ...{ name: "certificate", mark: "line", role: "theory" },
            points: steps.map((t) => [t, start * (1 - t / radius)] as const),
          },
        ],
      },
    ],
  };
}
