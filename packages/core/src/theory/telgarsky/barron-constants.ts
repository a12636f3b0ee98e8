import { sphereArea } from "../../approximate/barron/radius-laws.ts";
import { euclideanLength, type SpectralFunction } from "../../approximate/barron/spectral-function.ts";
import { numericMoment, radialMoment } from "../../approximate/barron/spectral-quadrature.ts";
import { barronTarget } from "../../approximate/barron/targets.ts";
import type { Figure } from "../../figure/figure.ts";
import { integralBetween } from "../../networks/spline/quadrature.ts";
import type { Random } from "../../numbers/random.ts";
import { atLeast, atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const delta = 0.25;
const names = ["gaussian", "poisson", "matern", "odd", "packet"] as const;

export default lemma({
  id: "T-09",
  covers: ["T-09"],
  kind: "measure",
  title: "Barron constants in closed form",
  source: "Telgarsky, section 2.3, after Theorem 2.12",
  statement: String.raw`C_g = \int \|\widetilde{\nabla g}\| = 2 \pi \int \|w\| |\tilde g(w)| \, dw: \quad e^{-\|x\|^2 / 2 s^2} \mapsto \frac{\sqrt 2}{s} \frac{\Gamma((d+1)/2)}{\Gamma(d/2)}, \quad (1 + \|x\|^2 / s^2)^{-(d+1)/2} \mapsto \frac{d}{s}, \quad x_1 e^{-\|x\|^2 / 2 s^2} \mapsto \frac{d \, \Gamma(d/2)}{\sqrt \pi \, \Gamma((d+1)/2)}`,
  parameters: {
    g: choice(names, { label: "function" }),
    d: integer({ min: 1, max: 10, default: 3, label: "variables d" }),
    s: real({ min: 0.2, max: 3, default: 0.5, label: "width s" }),
  },
  claims: {
    "constant, by quadrature": equals("C_g"),
    "mean |w| of drawn frequencies": equals(
      String.raw`C_g / \int |\tilde g| \pm \sqrt{\mathrm{Var} / n \delta} \quad (\text{Chebyshev})`,
    ).probable(),
    "Gaussian of height 1": atMost(String.raw`\sqrt d / s`),
    "Gaussian of height 1, from below": atLeast(String.raw`\sqrt{2 d / \pi} / s`),
    "normalised Gaussian, first moment": atMost(
      String.raw`\frac{\sqrt d}{\sqrt{2 \pi} (2 \pi s^2)^{(d+1)/2}}`,
    ),
    "normalised Gaussian, its width at least 1/√2π": atMost(String.raw`\sqrt{2 \pi d}`),
    "integral of the normalised Gaussian": equals(String.raw`\tilde g(0) = 1`),
    "integral of the Gaussian, as printed": equals(String.raw`\tilde g(0) = 1`).printed({
      where: "section 2.3, Gaussians",
      printed: String.raw`g(x) = (2\pi\sigma^2)^{d/2} \exp\left(-\frac{\|x\|^2}{2\sigma^2}\right) \implies \tilde{g}(w) = \exp(-2\pi^2\sigma^2\|w\|^2)`,
      corrected: String.raw`the prefactor is $(2\pi\sigma^2)^{-d/2}$ ($\tilde g(0)$ is the integral of $g$; $\sigma$ is the width $s$)`,
    }),
  },
  mutants: {
    "√d for the quotient of Gammas": {
      "constant, by quadrature": ({ g, d, s }) => (g === "gaussian" ? Math.sqrt(d) / s : Number.NaN),
    },
    "the frequency in turns, not in radians": {
      "constant, by quadrature": (_, { theory }) => theory / (2 * Math.PI),
      "mean |w| of drawn frequencies": (_, { theory }) => theory / (2 * Math.PI),
    },
    "(2πs²)^(-d/2) for the power (d+1)/2": {
      "normalised Gaussian, first moment": ({ s }, { theory }) => theory * Math.sqrt(2 * Math.PI) * s,
    },
  },
  run({ g: name, d, s }, { random, scale, budget }) {
    const g = barronTarget(name, d, s);
    const n = scale(5000);
    const height = (2 * Math.PI * s * s) ** (-d / 2);
    const unit = barronTarget("gaussian", d, s).moment(1);
    const volume = gaussianVolume(d, s);
    const quadrature = numericConstant(g, name);
    return {
      ...(budget === "cheap" ? {} : { figure: figure(s) }),
      claims: {
        // The quadrature's own error; |w_1| has a kink on the sphere, where the rule for directions is of second order.
        ...(quadrature
          ? {
              "constant, by quadrature": checked(quadrature, g.moment(1), {
                tolerance: tolerance(name, d) * quadrature,
              }),
            }
          : {}),
        "mean |w| of drawn frequencies": meanFrequency(g, n, random),
        "Gaussian of height 1": checked(unit, Math.sqrt(d) / s),
        "Gaussian of height 1, from below": checked(unit, Math.sqrt((2 * d) / Math.PI) / s, {
          tolerance: 1e-14 / s, // an equality in one variable
        }),
        "normalised Gaussian, first moment": checked(
          (height * unit) / (2 * Math.PI),
          Math.sqrt(d / (2 * Math.PI)) * (2 * Math.PI * s * s) ** (-(d + 1) / 2),
        ),
        "normalised Gaussian, its width at least 1/√2π": wideGaussian(d, s),
        "integral of the normalised Gaussian": checked(height * volume, 1, { tolerance: 1e-12 }), // of the quadrature
        "integral of the Gaussian, as printed": checked(volume / height, 1, { tolerance: 1e-12 }),
      },
    };
  },
});

const isRadial = (name: (typeof names)[number]): boolean => name !== "odd" && name !== "packet";

const tolerance = (name: (typeof names)[number], d: number): number =>
  name === "odd" && d > 1 ? 1e-3 : 1e-6;

function numericConstant(g: SpectralFunction, name: (typeof names)[number]): number | undefined {
  if (isRadial(name)) return radialMoment(g, 1);
  const { dimension: d } = g;
  return d < 3 ? numericMoment(g, 1, { panels: 16, directions: 128 }) : undefined;
}

/** int exp(-|x|^2 / 2 s^2) dx, by quadrature along the radius. */
const gaussianVolume = (d: number, s: number): number =>
  sphereArea(d) * integralBetween((r) => r ** (d - 1) * Math.exp((-r * r) / (2 * s * s)), [0, 14 * s], 40);

function meanFrequency(g: SpectralFunction, n: number, random: Random) {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += euclideanLength(g.draw(0, random).omega);
  const [mean, square] = [g.moment(1) / g.moment(0), g.moment(2) / g.moment(0)];
  return sampled(sum / n, mean, { delta, tolerance: Math.sqrt((square - mean ** 2) / (n * delta)) });
}

/** A narrower s is made as wide as the bound asks for, where it is nearest. */
function wideGaussian(d: number, s: number) {
  const width = Math.max(s, 1 / Math.sqrt(2 * Math.PI));
  const height = (2 * Math.PI * width * width) ** (-d / 2);
  return checked(height * barronTarget("gaussian", d, width).moment(1), Math.sqrt(2 * Math.PI * d));
}

function figure(s: number): Figure {
  const dimensions = Array.from({ length: 20 }, (_, k) => k + 1);
  const height = (d: number): number => (2 * Math.PI * s * s) ** (-d / 2);
  const unit = (d: number): number => barronTarget("gaussian", d, s).moment(1);
  const width = Number(s.toPrecision(3));
  return {
    title: `Barron constants by the number of variables, s = ${width}`,
    panels: [
      {
        title: "C of functions of width s",
        x: { label: "variables d" },
        y: { label: "C" },
        series: names.map((name) => ({
          name: barronTarget(name, 2, s).formula,
          mark: "line" as const,
          points: dimensions.map((d) => [d, barronTarget(name, d, s).moment(1)] as const),
        })),
      },
      {
        title: "Gaussians of integral 1 and of height 1",
        x: { label: "variables d" },
        y: { label: "C", scale: "log" },
        series: [
          {
            name: "integral 1: exact",
            mark: "dots",
            points: dimensions.map((d) => [d, height(d) * unit(d)]),
          },
          {
            name: "integral 1, theory: √d/s (2πs²)^(-d/2)",
            mark: "line",
            role: "theory",
            points: dimensions.map((d) => [d, (height(d) * Math.sqrt(d)) / s]),
          },
          { name: "height 1: exact", mark: "dots", points: dimensions.map((d) => [d, unit(d)]) },
          {
            name: "height 1, theory: √d/s",
            mark: "line",
            role: "theory",
            points: dimensions.map((d) => [d, Math.sqrt(d) / s]),
          },
        ],
      },
    ],
  };
}
