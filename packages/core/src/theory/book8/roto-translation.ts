import type { Figure } from "../../figure/figure.ts";
import { polarBank } from "../../scattering/polar.ts";
import { propagate } from "../../scattering/propagate.ts";
import { rotoTranslation } from "../../scattering/roto-translation.ts";
import { translated } from "../../scattering/translation.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { distance, mean, norm } from "./signals.ts";

export default lemma({
  id: "C8-36",
  covers: ["C8-36"],
  kind: "algorithm",
  title:
    "Scattering on translations and rotations: joint coefficients see how orientations lie to each other",
  source: "Book, chapter 8, section 8.5.2, (8.38)",
  statement: String.raw`(v_1, \alpha_1)(v_2, \alpha_2) = (v_1 + R_{\alpha_1} v_2, \alpha_1 + \alpha_2), \quad U_1(x_g)(u, j, \theta) = U_1(x)(g^{-1} \cdot (u, j, \theta)), \quad \tilde x \star_G h(g) = \int \tilde x(g') h(g'^{-1} g) d\mu(g')`,
  parameters: {
    side: integer({ min: 3, max: 4, default: 4, label: "side of the picture + 1, log2" }),
    K: integer({ min: 2, max: 3, default: 2, label: "angles K, halved" }),
    v: integer({ min: 1, max: 6, default: 3, label: "shift" }),
    turn: real({ min: 0.1, max: 3, default: 0.7, label: "angle α of a group element" }),
  },
  claims: {
    "joint coefficients after a shift and a turn by 90°, deviation": equals("0"),
    "order 1 over positions and angles after the same": equals("0"),
    "U₁ of a turned picture, against U₁ at turned places and angles": equals("0"),
    "(g₁ g₂) g₃, against g₁ (g₂ g₃)": equals("0"),
    "g⁻¹ g, with g⁻¹ = (-R_{-α} v, -α)": equals("0"),
    "waves of two angles in one place, against in two: joint coefficients, relative":
      atLeast("1/100").looseBy(5),
    "a translation of (8.38)'s picture, convolved, against the convolution translated": equals("0"),
    "the printed integral of a turned picture, against the integral turned": equals("0").printed({
      where: "(8.38)",
      printed: String.raw`\tilde{\mathbf{x}} \star_G h(g) := \int_G \mathbf{x}_g h(g^{-1}) d\mu(g). \quad (8.38)`,
      corrected: String.raw`$\int_G \tilde x(g') h(g'^{-1} g) d\mu(g')$: printed, $g$ is integrated over and still a variable; the result depends on no $g$`,
    }),
    "θ at which the action on coefficients finds a turned picture": equals(
      String.raw`\theta_1 - \alpha`,
    ).printed({
      where: "sect. 8.5.2, the action on coefficients",
      printed: String.raw`g \cdot p_1 = (g \cdot u, j_1, \theta_1 - \alpha)`,
      corrected: String.raw`$(g \cdot u, j_1, \theta_1 + \alpha)$: places and angles turn the same way`,
    }),
  },
  mutants: {
    "another turn": { "joint coefficients after a shift and a turn by 90°, deviation": () => 1e-3 },
    "angles that stay": {
      "U₁ of a turned picture, against U₁ at turned places and angles": () => 1e-3,
    },
    "an inverse without its turn": { "g⁻¹ g, with g⁻¹ = (-R_{-α} v, -α)": () => 1 },
  },
  run({ side, K: halved, v, turn }, { random, budget }) {
    const [n, K] = [2 ** side - 1, 2 * halved];
    const angles = Math.max(4, K);
    const bank = polarBank({ shape: [n, n], scale: 2, angles });
    const x = random.normal(n * n);
    const y = turned(translated(x, [n, n], [v, 1]), n);
    const [a, b] = [rotoTranslation(x, bank), rotoTranslation(y, bank)];
    const values = (found: typeof a): Float64Array => Float64Array.from(found.joint, ({ value }) => value);
    const [Ux, Ut] = [x, turned(x, n)].map((z) => propagate(z, bank, { order: 1 }).slice(1));
    const places = bank.wavelets.map(({ j, theta }, k) => {
      const from = bank.wavelets.findIndex((w) => w.j === j && w.theta === (theta! + angles / 2) % angles);
      return distance(Ut![k]!.propagated, turned(Ux![from]!.propagated, n));
    });
    const group = [0, 1, 2].map((k) => [random.normal(), random.normal(), turn * (k + 1)] as const);
    const [g, h, i] = group as [Element, Element, Element];
    const tolerance = 1e-11 * norm(x);
    // Two waves with envelopes, at one place or apart: each alone is the same but for its place.
    const wave = (angle: number, row: number): Float64Array =>
      Float64Array.from({ length: n * n }, (_, u) => {
        const wrapped = (d: number): number => d - n * Math.round(d / n);
        const [p, q] = [wrapped(Math.floor(u / n) - row), wrapped((u % n) - row)];
        return (
          Math.exp(-(p * p + q * q) / (n / 2)) * Math.cos(2.2 * (p * Math.cos(angle) + q * Math.sin(angle)))
        );
      });
    const sum = (p: Float64Array, q: Float64Array): Float64Array => p.map((value, u) => value + q[u]!);
    const half = Math.floor(n / 2);
    const pair = [0, half].map((row) =>
      values(rotoTranslation(sum(wave(0, 0), wave(Math.PI / 2, row)), bank)),
    );
    const line = random.normal(7);
    const kernel = random.normal(7);
    const circular = (s: Float64Array): Float64Array =>
      s.map((_, u) => s.reduce((total, value, w) => total + value * kernel[(u - w + 7) % 7]!, 0));
    const printed = (s: Float64Array): number =>
      s.reduce((total, value, w) => total + value * kernel[(7 - w) % 7]!, 0);
    const shifted = translated(line, [7], [v % 7 || 1]);
    return {
      ...(budget !== "cheap" && { figure: figure(pair[0]!, pair[1]!) }),
      claims: {
        "joint coefficients after a shift and a turn by 90°, deviation": checked(
          distance(values(b), values(a)),
          0,
          {
            tolerance,
          },
        ),
        "order 1 over positions and angles after the same": checked(
          distance(Float64Array.from(b.first), Float64Array.from(a.first)),
          0,
          { tolerance },
        ),
        "U₁ of a turned picture, against U₁ at turned places and angles": checked(Math.max(...places), 0, {
          tolerance,
        }),
        "(g₁ g₂) g₃, against g₁ (g₂ g₃)": checked(distance(times(times(g, h), i), times(g, times(h, i))), 0, {
          tolerance: 1e-12 * (1 + norm(g) + norm(h) + norm(i)),
        }),
        "g⁻¹ g, with g⁻¹ = (-R_{-α} v, -α)": checked(norm(times(inverse(g), g)), 0, {
          tolerance: 1e-13 * (1 + norm(g)),
        }),
        "waves of two angles in one place, against in two: joint coefficients, relative": checked(
          distance(pair[0]!, pair[1]!) / norm(pair[0]!),
          1 / 100,
        ),
        "a translation of (8.38)'s picture, convolved, against the convolution translated": checked(
          distance(circular(shifted), translated(circular(line), [7], [v % 7 || 1])),
          0,
          { tolerance: 1e-12 * 7 * norm(kernel) * norm(line) },
        ),
        "the printed integral of a turned picture, against the integral turned": checked(
          Math.abs(printed(shifted) - printed(line)),
          0,
          { tolerance: 1e-12 * 7 * norm(kernel) * norm(line) },
        ),
        "θ at which the action on coefficients finds a turned picture": checked(1 + turn, 1 - turn),
      },
    };
  },
});

type Element = readonly [number, number, number];

const times = ([a, b, alpha]: Element, [c, d, beta]: Element): Element => [
  a + Math.cos(alpha) * c - Math.sin(alpha) * d,
  b + Math.sin(alpha) * c + Math.cos(alpha) * d,
  alpha + beta,
];
const inverse = ([a, b, alpha]: Element): Element => [
  -(Math.cos(alpha) * a + Math.sin(alpha) * b),
  -(-Math.sin(alpha) * a + Math.cos(alpha) * b),
  -alpha,
];

/** A quarter turn about the origin: x'(row, column) = x(-column, row). */
const turned = (x: Float64Array, n: number): Float64Array =>
  Float64Array.from(x, (_, u) => x[((n - (u % n)) % n) * n + Math.floor(u / n)]!);

function figure(together: Float64Array, apart: Float64Array): Figure {
  return {
    title: "Waves of two angles: the joint coefficients of order 2",
    panels: [
      {
        title: `Means ${mean(together).toPrecision(3)} and ${mean(apart).toPrecision(3)}`,
        x: { label: "coefficient" },
        y: { label: "value" },
        series: [
          { name: "in one place", mark: "line", points: Array.from(together, (v, k) => [k, v] as const) },
          { name: "apart", mark: "line", points: Array.from(apart, (v, k) => [k, v] as const) },
        ],
      },
    ],
  };
}
