import type { Figure } from "../../figure/figure.ts";
import { gridFourier } from "../../scattering/fourier.ts";
import { polarBank } from "../../scattering/polar.ts";
import { propagate } from "../../scattering/propagate.ts";
import { rotoTranslation } from "../../scattering/roto-translation.ts";
import { translated } from "../../scattering/translation.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { distance, mean, norm } from "./signals.ts";

/** Odd, so that quarter turns about the origin are exact; angles, so many that two packets share no wavelet. */
const [n, K, J] = [15, 16, 2] as const;

export default lemma({
  id: "C8-35",
  covers: ["C8-35"],
  kind: "construction",
  title:
    "Invariants of two groups, one after the other: invariant to both, and blind to how they go together",
  source: "Book, chapter 8, section 8.5.1, Figure 8.11",
  statement: String.raw`\Phi_1(x_{g_1}) = \Phi_1(x), \; \Phi_1(x_{g_2}) = \Phi_1(x)_{g_2}, \; \Phi_2(y_{g_2}) = \Phi_2(y) \;\Rightarrow\; \Phi_2 \Phi_1(x_{g_1 g_2}) = \Phi_2 \Phi_1(x); \qquad x = \sum_\theta x_\theta, \; x' = \sum_\theta T_{v_\theta} x_\theta: \; \Phi_1(x) = \Phi_1(x')`,
  parameters: {
    v: integer({ min: 1, max: 14, default: 7, label: "shift of a packet along columns" }),
    w: integer({ min: 0, max: 14, default: 5, label: "and along rows" }),
    turns: integer({ min: 1, max: 3, default: 1, label: "quarter turns" }),
    amplitude: real({ min: 0.5, max: 2, default: 1, label: "amplitude of the second packet" }),
  },
  claims: {
    "Φ₁ of a shifted picture, against Φ₁": equals("0"),
    "Φ₁ of a turned picture, against Φ₁ with its angles turned": equals("0"),
    "Φ₂ of features with their angles turned, against Φ₂": equals("0"),
    "Φ₂Φ₁ of a picture that is shifted and turned, against Φ₂Φ₁": equals("0"),
    "Φ₁ of the packets moved apart, against Φ₁ of them together": equals("0"),
    "joint features of the same pair, relative distance": atLeast("1/100").looseBy(2),
  },
  mutants: {
    "features that keep the place": { "Φ₁ of a shifted picture, against Φ₁": () => 0.01 },
    "angles that stay": { "Φ₁ of a turned picture, against Φ₁ with its angles turned": () => 0.01 },
    "joint features a hundred times as far apart": {
      "joint features of the same pair, relative distance": (_, { theory }) => 100 * theory,
    },
  },
  run({ v, w, turns, amplitude }, { random, budget }) {
    const bank = polarBank({ shape: [n, n], scale: J, angles: K });
    // Averages over positions, one a scale and angle.
    const first = (x: Float64Array): Float64Array =>
      Float64Array.from(
        propagate(x, bank, { order: 1 })
          .slice(1)
          .map(({ propagated }) => mean(propagated)),
      );
    const places = bank.wavelets.map(({ j, theta }) => ({ j, theta: theta! }));
    const turnedAngles = (features: Float64Array, steps: number): Float64Array =>
      features.map((_, k) => {
        const { j, theta } = places[k]!;
        const from = (((theta - steps) % K) + K) % K;
        return features[places.findIndex((place) => place.j === j && place.theta === from)]!;
      });
    // Of the angles of each scale the modulus of their Fourier transform, which a cyclic shift leaves as it is.
    const second = (features: Float64Array): Float64Array =>
      Float64Array.from(
        Array.from({ length: J }, (_, j) => {
          const around = Float64Array.from(
            { length: K },
            (__, theta) => features[places.findIndex((place) => place.j === j && place.theta === theta)]!,
          );
          const { re, im } = gridFourier([K], around);
          return Array.from(re, (a, k) => Math.hypot(a, im[k]!));
        }).flat(),
      );
    const x = random.normal(n * n);
    const turned = Array.from({ length: turns }).reduce<Float64Array>((z) => quarterTurn(z), x);
    const moved = translated(turned, [n, n], [v, w]);
    const [Fx, Ft] = [first(x), first(turned)];
    const [one, two] = [packet(0), packet(1).map((z) => amplitude * z)];
    const sum = (a: Float64Array, b: Float64Array): Float64Array => a.map((z, u) => z + b[u]!);
    const together = sum(one, two);
    const apart = sum(one, translated(two, [n, n], [w, v]));
    const joint = (z: Float64Array): Float64Array =>
      Float64Array.from(rotoTranslation(z, jointBank).joint, ({ value }) => value);
    const [Jt, Ja] = [joint(together), joint(apart)];
    // A move along the waves by whole periods brings a packet nearly back.
    const isMoved = nearestShift(together, apart) > 0.1 * norm(together);
    const tolerance = 1e-12 * norm(x);
    return {
      ...(budget !== "cheap" && { figure: figure(Jt, Ja) }),
      claims: {
        "Φ₁ of a shifted picture, against Φ₁": checked(
          distance(first(translated(x, [n, n], [v, w])), Fx),
          0,
          { tolerance },
        ),
        "Φ₁ of a turned picture, against Φ₁ with its angles turned": checked(
          distance(Ft, turnedAngles(Fx, (turns * K) / 2)),
          0,
          { tolerance },
        ),
        "Φ₂ of features with their angles turned, against Φ₂": checked(
          distance(second(turnedAngles(Fx, v)), second(Fx)),
          0,
          { tolerance: K * tolerance },
        ),
        "Φ₂Φ₁ of a picture that is shifted and turned, against Φ₂Φ₁": checked(
          distance(second(first(moved)), second(Fx)),
          0,
          { tolerance: K * tolerance },
        ),
        "Φ₁ of the packets moved apart, against Φ₁ of them together": checked(
          distance(first(apart), first(together)),
          0,
          { tolerance: 1e-12 * norm(together) },
        ),
        ...(isMoved && {
          "joint features of the same pair, relative distance": checked(distance(Ja, Jt) / norm(Jt), 1 / 100),
        }),
      },
    };
  },
});

/** For joint features fewer angles are enough, and quicker. */
const jointBank = polarBank({ shape: [n, n], scale: J, angles: 4 });

/** A quarter turn about the origin: x'(row, column) = x(-column, row). */
const quarterTurn = (x: Float64Array): Float64Array =>
  Float64Array.from(x, (_, u) => x[((n - (u % n)) % n) * n + Math.floor(u / n)]!);

/** Five waves along one of the axes under an envelope of one wave an axis: 9 frequencies, and nothing at another angle. */
const packet = (axis: 0 | 1): Float64Array =>
  Float64Array.from({ length: n * n }, (_, u) => {
    const [row, column] = [Math.floor(u / n), u % n].map((s) => (2 * Math.PI * s) / n) as [number, number];
    const along = axis === 0 ? row : column;
    return Math.cos(6 * along) * (1 + Math.cos(row)) * (1 + Math.cos(column));
  });

/** The least distance of two pictures over all shifts of one, by their correlations. */
function nearestShift(x: Float64Array, y: Float64Array): number {
  const [a, b] = [gridFourier([n, n], x), gridFourier([n, n], y)];
  // |T x - y|^2 = |x|^2 + |y|^2 - 2 <T x, y>: correlations are one transform of conj(a) b.
  const re = a.re.map((v, k) => v * b.re[k]! + a.im[k]! * b.im[k]!);
  const im = a.re.map((v, k) => v * b.im[k]! - a.im[k]! * b.re[k]!);
  const back = gridFourier([n, n], re, im).re;
  const most = back.reduce((best, v) => Math.max(best, v), Number.NEGATIVE_INFINITY) / (n * n);
  return Math.sqrt(Math.max(0, norm(x) ** 2 + norm(y) ** 2 - 2 * most));
}

function figure(together: Float64Array, apart: Float64Array): Figure {
  return {
    title: "Two packets of waves, at one place and apart",
    panels: [
      {
        title: "Joint features; averages of each angle are the same",
        x: { label: "coefficient" },
        y: { label: "value" },
        series: [
          { name: "at one place", mark: "line", points: Array.from(together, (v, k) => [k, v] as const) },
          { name: "apart", mark: "line", points: Array.from(apart, (v, k) => [k, v] as const) },
        ],
      },
    ],
  };
}
