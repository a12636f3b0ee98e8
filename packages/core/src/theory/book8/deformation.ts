import type { Figure } from "../../figure/figure.ts";
import { deformationSize, warped } from "../../scattering/deformation.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { distance, norm } from "./signals.ts";

export default lemma({
  id: "C8-01",
  covers: ["C8-01", "C8-02"],
  kind: "measure",
  title: "Deformations: their sizes, and what they do to inner products",
  source: "Book, chapter 8, sections 8.2.1 and 8.2.3, Theorem 8.9",
  statement: String.raw`x_\tau(u) = x(u - \tau(u)): \quad \langle x_\tau, y_\tau \rangle = \int x(v) y(v) \, |1 - \tau'(\varphi^{-1}(v))|^{-1} dv, \; \varphi(u) = u - \tau(u)`,
  parameters: {
    n: integer({ min: 16, max: 128, default: 64, label: "samples" }),
    J: integer({ min: 1, max: 5, default: 3, label: "scale J" }),
    v: integer({ min: 1, max: 7, default: 3, label: "shift" }),
    g: real({ min: 0.02, max: 0.8, default: 0.3, label: "slope of the deformation" }),
    periods: integer({ min: 1, max: 3, default: 1, label: "its periods" }),
  },
  claims: {
    "size K(τ) of a shift": equals("2^{-J} |v|"),
    "sup |τ'| of a sinusoid of slope g": equals(String.raw`g, \text{ up to its differences}`),
    "sup |τ''| of a sinusoid of slope g": equals(String.raw`2 \pi f g, \text{ up to its differences}`),
    "<x_τ, y_τ>": equals(String.raw`\int x y \, |1 - \tau' \circ \varphi^{-1}|^{-1}`),
    "|x_τ|² / |x|² of a dilation τ = su": equals("1 / (1 - s)"),
    "|x_τ| / |x|": atMost(String.raw`(1 - \|\tau'\|_\infty)^{-1/2}`),
    "the nearest-sample warp of |x|, against the modulus of the warp": equals("0"),
    "<x_τ, y_τ> by the printed measure": equals(String.raw`\int x y \, |1 - \tau'|`).printed({
      where: "sect. 8.2.3",
      printed: String.raw`\int_{\mathbb{R}^d} \mathbf{x}_\tau(u) \mathbf{y}_\tau(u) d\mu(u) = \int_{\mathbb{R}^d} \mathbf{x}(u) \mathbf{y}(u) |I - \nabla \tau(u)| d\mu(u)`,
      corrected: String.raw`$|I - \nabla \tau(\varphi^{-1}(u))|^{-1}$ in place of $|I - \nabla \tau(u)|$`,
    }),
    "x(φ⁻¹(u)) - x(u - τ(u)), greatest": equals("0").printed({
      where: "sect. 8.2.3",
      printed: String.raw`\mathbf{x}_\tau(u) := \mathbf{x}(\varphi^{-1}(u)), \quad u \in \mathcal{X}.`,
      corrected: String.raw`$x_\tau(u) = x(\varphi(u))$, $\varphi(u) = u - \tau(u)$, as everywhere else`,
    }),
    "least value of τ, which is said to lie in [0, 1]": equals(String.raw`\ge 0`).printed({
      where: "sect. 8.2.1",
      printed: String.raw`given a smooth vector field  $\tau: \Omega \rightarrow \Omega$`,
      corrected: String.raw`$\tau: \Omega \to \mathbb R^d$: a displacement may be negative`,
    }),
  },
  mutants: {
    "the Jacobian not inverted": {
      "|x_τ|² / |x|² of a dilation τ = su": ({ g }) => 1 - g,
    },
    "a shift that does not shrink with J": { "size K(τ) of a shift": ({ v }) => v },
    "the slope of twice the periods": ({ periods }) => ({ periods: periods + 1 }),
  },
  run({ n, J, v, g, periods }, { random, budget }) {
    const shift = deformationSize(new Float64Array(n).fill(v), J);
    const f = (2 * Math.PI * periods) / n;
    const sinusoid = Float64Array.from({ length: n }, (_, u) => (g / f) * Math.sin(f * u));
    const { gradient, hessian } = deformationSize(sinusoid, J);
    // Continuous, on [0, 1] and periodic: tau(u) = g / (2 pi f) sin(2 pi f u).
    const omega = 2 * Math.PI * periods;
    const tau = (u: number): number => (g / omega) * Math.sin(omega * u);
    const slope = (u: number): number => g * Math.cos(omega * u);
    const phi = (u: number): number => u - tau(u);
    const [a, b] = [polynomial(random.normal(6)), polynomial(random.normal(6))];
    const inner = integral((u) => a(phi(u)) * b(phi(u)));
    const moved = integral((w) => (a(w) * b(w)) / (1 - slope(inverse(phi, w))));
    const printed = integral((w) => a(w) * b(w) * Math.abs(1 - slope(w)));
    const bump = (u: number): number => Math.exp(-u * u * 40);
    const squares = (of: (u: number) => number): number => integral((t) => of(20 * t - 10) ** 2) * 20;
    const places = Array.from({ length: 50 }, (_, k) => k / 50);
    const narrow = (u: number): number => Math.exp(-(((u - Math.round(u)) * 60) ** 2));
    const x = random.normal(n);
    const modulus = (z: Float64Array): Float64Array => z.map(Math.abs);
    return {
      ...(budget !== "cheap" && { figure: figure(g, periods) }),
      claims: {
        "size K(τ) of a shift": checked(shift.size, 2 ** -J * v),
        // Central differences of a sinusoid are its derivatives times sin(f) / f and (2 sin(f / 2) / f)^2, up to where the
        // samples lie.
        "sup |τ'| of a sinusoid of slope g": checked(gradient, (g * Math.sin(f)) / f, {
          tolerance: g * (f / 2) ** 2,
        }),
        "sup |τ''| of a sinusoid of slope g": checked(hessian, (g * (2 * Math.sin(f / 2)) ** 2) / f, {
          tolerance: g * f * (f / 2) ** 2 + 1e-12,
        }),
        "<x_τ, y_τ>": sampled(inner, moved, { tolerance: 1e-8 }),
        "|x_τ|² / |x|² of a dilation τ = su": sampled(
          squares((u) => bump((1 - g) * u)) / squares(bump),
          1 / (1 - g),
          { tolerance: 1e-8 },
        ),
        // Where the slope is greatest, u = 0, a narrow bump is widened most.
        "|x_τ| / |x|": sampled(
          Math.sqrt(integral((u) => narrow(phi(u)) ** 2) / integral((u) => narrow(u) ** 2)),
          (1 - g) ** -0.5,
          { tolerance: 1e-8 },
        ),
        "the nearest-sample warp of |x|, against the modulus of the warp": checked(
          distance(modulus(warped(x, sinusoid)), warped(modulus(x), sinusoid)) / norm(x),
          0,
        ),
        "<x_τ, y_τ> by the printed measure": sampled(inner, printed, { tolerance: 1e-8 }),
        "x(φ⁻¹(u)) - x(u - τ(u)), greatest": sampled(
          Math.max(...places.map((u) => Math.abs(a(inverse(phi, u)) - a(phi(u))))),
          0,
          { tolerance: 1e-8 },
        ),
        "least value of τ, which is said to lie in [0, 1]": sampled(Math.min(0, ...places.map(tau)), 0, {
          tolerance: 1e-12,
        }),
      },
    };
  },
});

/** A trigonometric polynomial on [0, 1]. */
const polynomial =
  (coefficients: Float64Array) =>
  (u: number): number =>
    coefficients.reduce(
      (sum, c, k) => sum + c * (k % 2 === 0 ? Math.cos : Math.sin)(2 * Math.PI * Math.floor((k + 1) / 2) * u),
      0,
    );

/** Over [0, 1], by the trapezoidal rule: exact to rounding for what is smooth and periodic. */
function integral(of: (u: number) => number): number {
  const steps = 2000;
  let sum = 0;
  for (let k = 0; k < steps; k++) sum += of(k / steps);
  return sum / steps;
}

/** The u with phi(u) = w, phi increasing and within 1 of the identity, by bisection. */
function inverse(phi: (u: number) => number, w: number): number {
  let [low, high] = [w - 1, w + 1];
  for (let k = 0; k < 52; k++) {
    const middle = (low + high) / 2;
    if (phi(middle) < w) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function figure(g: number, periods: number): Figure {
  const omega = 2 * Math.PI * periods;
  const phi = (u: number): number => u - (g / omega) * Math.sin(omega * u);
  const places = Array.from({ length: 301 }, (_, k) => k / 300);
  const wave = (u: number): number => Math.cos(2 * Math.PI * 8 * u);
  const line = (name: string, of: (u: number) => number) => ({
    ...{ name, mark: "line" as const },
    points: places.map((u) => [u, of(u)] as const),
  });
  return {
    title: "A deformation by a sinusoid, and the measure under which inner products stay",
    panels: [
      {
        title: "A wave and its deformation",
        x: { label: "u" },
        y: { label: "x" },
        series: [line("x", wave), line("x_τ", (u) => wave(phi(u)))],
      },
      {
        title: "Density",
        x: { label: "u" },
        y: { label: "density" },
        series: [
          line("1 / |1 - τ'| at φ⁻¹(u)", (u) => 1 / (1 - g * Math.cos(omega * inverse(phi, u)))),
          { ...line("|1 - τ'|, as printed", (u) => 1 - g * Math.cos(omega * u)), role: "theory" },
        ],
      },
    ],
  };
}
