import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

export default lemma({
  id: "C1a-38",
  covers: ["C1a-38"],
  kind: "measure",
  title: "A linear classifier that stands perturbed weights has a margin",
  source: "Book, chapter 1, sect. 1.3.2, flatness; Poggio et al. 2017",
  statement: String.raw`\delta^* = \min_i \frac{y_i \langle \theta, x_i \rangle}{\|x_i\|}, \qquad \delta^* \min_i \|x_i\| \le \gamma(\theta) = \min_i y_i \langle \theta, x_i \rangle \le \delta^* \max_i \|x_i\|`,
  parameters: {
    d: integer({ min: 1, max: 6, default: 3, label: "inputs d" }),
    m: integer({ min: 1, max: 20, default: 8, label: "examples m" }),
    share: real({ min: 0.01, max: 0.99, default: 0.9, label: "size of a perturbation over δ*" }),
  },
  claims: {
    "errors where weights move by less than δ*, in the worst and in random directions": equals("0"),
    "errors where they move by δ* / share, in the worst direction": atLeast("1"),
    "margin γ": atLeast(String.raw`\delta^* \min_i \|x_i\|`),
    "margin γ, from above": atMost(String.raw`\delta^* \max_i \|x_i\|`),
    "least margin after the worst move by t δ*": equals(
      String.raw`\min_i \|x_i\| (r_i - t \delta^*), \; r_i = y_i \langle \theta, x_i \rangle / \|x_i\|`,
    ),
    "margin after the worst move by δ* itself, on x = e_1": atLeast(String.raw`\text{above } 0`).printed({
      where: "sect. 1.3.2, flatness",
      printed: String.raw`$0 < \min_{i \in [m]} y^{(i)} \left\langle \hat{\theta} - \delta y^{(i)} \frac{x^{(i)}}{\|x^{(i)}\|_2}, x^{(i)} \right\rangle \leq \gamma(\hat{\theta}) - \delta \min_{i \in [m]} \|x^{(i)}\|_2$`,
      corrected: String.raw`0 \le \dots: the 0-1 loss of the chapter is 0 where the product is 0, so \delta = \delta^* is robust too`,
    }),
  },
  mutants: {
    "the margin itself for the radius": {
      "least margin after the worst move by t δ*": (_, { theory }) => theory * 1.5,
    },
    "smallest and largest example exchanged": {
      "margin γ": (_, { theory, measured }) => (theory < measured ? measured * 1.01 : theory * 1.01),
    },
    "twice the move": ({ share }) => ({ share: share / 2 }),
  },
  run({ d, m, share }, { random, scale }) {
    const theta = random.split("θ").normal(d);
    const x = Array.from({ length: m }, (_, i) => random.split(`x ${i}`).normal(d));
    const y = x.map((row) => (inner(theta, row) >= 0 ? 1 : -1));
    const lengths = x.map((row) => Math.sqrt(inner(row, row)));
    const ratios = x.map((row, i) => (y[i]! * inner(theta, row)) / lengths[i]!);
    const radius = Math.min(...ratios);
    const margins = (weights: Float64Array): readonly number[] =>
      x.map((row, i) => y[i]! * inner(weights, row));
    const errors = (weights: Float64Array): number => margins(weights).filter((v) => v < 0).length;
    /** Straight against example i. */
    const against = (i: number, by: number): Float64Array =>
      theta.map((w, c) => w - (by * y[i]! * x[i]![c]!) / lengths[i]!);
    const moves = [
      ...x.map((_, i) => against(i, share * radius)),
      ...Array.from({ length: scale(200) }, (_, k) =>
        moved(theta, share * radius, random.split(`move ${k}`)),
      ),
    ];
    const weakest = ratios.indexOf(radius);
    const gamma = Math.min(...margins(theta));
    const after = Math.min(...x.map((_, i) => margins(against(i, share * radius))[i]!));
    const line = Array.from({ length: 41 }, (_, k) => [(k / 20) * radius, k / 20] as const);
    const rounding = 2 ** -48 * d * Math.max(...lengths) * Math.sqrt(inner(theta, theta));
    return {
      figure: {
        title: "Weights that move straight against an example",
        panels: [
          {
            title: `Margin ${gamma.toPrecision(3)}, radius ${radius.toPrecision(3)}`,
            x: { label: "size of the move" },
            y: { label: "least y ⟨θ, x⟩" },
            series: [
              {
                name: "after the worst move",
                mark: "line",
                role: "measured",
                points: line.map(([by]) => [by, Math.min(...x.map((_, i) => margins(against(i, by))[i]!))]),
              },
              {
                name: "γ less the size times the smallest example",
                mark: "line",
                role: "theory",
                points: line.map(([by]) => [by, gamma - by * Math.min(...lengths)]),
              },
            ],
          },
        ],
      },
      claims: {
        "errors where weights move by less than δ*, in the worst and in random directions": sampled(
          Math.max(...moves.map(errors)),
          0,
        ),
        "errors where they move by δ* / share, in the worst direction": checked(
          errors(against(weakest, radius / share)),
          1,
        ),
        "margin γ": checked(gamma, radius * Math.min(...lengths), { tolerance: rounding }),
        "margin γ, from above": checked(gamma, radius * Math.max(...lengths), { tolerance: rounding }),
        "least margin after the worst move by t δ*": checked(
          after,
          Math.min(...ratios.map((r, i) => lengths[i]! * (r - share * radius))),
          { tolerance: rounding },
        ),
        "margin after the worst move by δ* itself, on x = e_1": checked(atRadius(d), Number.MIN_VALUE),
      },
    };
  },
});

const inner = (a: Float64Array, b: Float64Array): number => a.reduce((sum, v, k) => sum + v * b[k]!, 0);

/** θ = x = e_1, y = 1: the radius is |θ|. */
function atRadius(d: number): number {
  const unit = Float64Array.from({ length: d }, (_, c) => (c === 0 ? 1 : 0));
  const radius = inner(unit, unit) / Math.sqrt(inner(unit, unit));
  return inner(
    unit.map((w, c) => w - radius * unit[c]!),
    unit,
  );
}

const moved = (theta: Float64Array, by: number, random: Random): Float64Array => {
  const direction = random.sphere(theta.length);
  return theta.map((w, c) => w + by * direction[c]!);
};
