// Functions whose transforms, and so whose Barron constants, are known in closed form.

import { dot } from "../../linear-algebra/dot.ts";
import type { Random } from "../../numbers/random.ts";
import { requireCount, requirePositive } from "./error.ts";
import {
  drawChi,
  drawGamma,
  gammaOfHalf,
  normalMoment,
  shiftedNormalMean,
  sphereArea,
} from "./radius-laws.ts";
import { euclideanLength, type MomentOrder, type SpectralFunction } from "./spectral-function.ts";

const axis = (d: number): Float64Array => Float64Array.from({ length: d }, (_, i) => (i === 0 ? 1 : 0));
const scaled = (e: Float64Array, r: number): Float64Array => e.map((x) => r * x);

interface Radial {
  readonly formula: string;
  readonly bandwidth: number;
  profile(r: number): number;
  density(r: number): number;
  moment(order: MomentOrder): number;
  /** A length from r^order times the law of |omega|. */
  radius(order: MomentOrder, random: Random): number;
}

/** f(x) = profile(|x|) with f^ >= 0 radial of mass f(0) = 1: directions are uniform and phases 0. */
function radial(d: number, width: number, { profile, density, radius, ...rest }: Radial): SpectralFunction {
  requireCount("the dimension", d);
  requirePositive("the width", width);
  return {
    ...rest,
    dimension: d,
    value: (x) => profile(euclideanLength(x)),
    slope: new Float64Array(d),
    tight: true,
    draw: (order, random) => ({ omega: scaled(random.sphere(d), radius(order, random)), phase: 0 }),
    transform: (omega) => [density(euclideanLength(omega)), 0],
  };
}

/** exp(-|x|^2 / 2 s^2): omega is normal with variance 1 / s^2; C = sqrt(2) Gamma((d+1)/2) / Gamma(d/2) / s. */
const gaussian = (d: number, s: number): SpectralFunction =>
  radial(d, s, {
    formula: "exp(-|x|²/2s²)",
    bandwidth: Math.sqrt(d) / s,
    profile: (r) => Math.exp((-r * r) / (2 * s * s)),
    density: (r) => (s / Math.sqrt(2 * Math.PI)) ** d * Math.exp((-s * s * r * r) / 2),
    moment: (order) => normalMoment(d, order) / s ** order,
    radius: (order, random) => drawChi(d + order, random) / s,
  });

/** (1 + |x|^2 / s^2)^{-(d+1)/2}: f^ is e^{-s |omega|} up to a factor; C = d / s. */
const poisson = (d: number, s: number): SpectralFunction =>
  radial(d, s, {
    formula: "(1 + |x|²/s²)^(-(d+1)/2)",
    bandwidth: d / s,
    profile: (r) => (1 + (r / s) ** 2) ** (-(d + 1) / 2),
    density: (r) => (s ** d / (sphereArea(d) * gammaOfHalf(2 * d))) * Math.exp(-s * r),
    moment: (order) => [1, d / s, (d * (d + 1)) / s ** 2][order]!,
    radius: (order, random) => drawGamma(d + order, random) / s,
  });

/** (1 + a |x|) e^{-a |x|}, a = sqrt(3) / s: omega is Student with 3 degrees of freedom; once differentiable at 0. */
const matern = (d: number, s: number): SpectralFunction =>
  radial(d, s, {
    formula: "(1 + √3|x|/s) exp(-√3|x|/s)",
    bandwidth: Math.sqrt(d) / s,
    profile: (r) => (1 + (Math.sqrt(3) * r) / s) * Math.exp((-Math.sqrt(3) * r) / s),
    density: (r) =>
      (gammaOfHalf(3 + d) / gammaOfHalf(3)) *
      (s / Math.sqrt(3 * Math.PI)) ** d *
      (1 + (s * r) ** 2 / 3) ** (-(3 + d) / 2),
    // E sqrt(3 / chi2_3) = sqrt(6 / pi) and E 3 / chi2_3 = 3.
    moment: (order) => (normalMoment(d, order) / s ** order) * [1, Math.sqrt(6 / Math.PI), 3][order]!,
    radius: (order, random) => ((drawChi(d + order, random) / s) * Math.sqrt(3)) / drawChi(3 - order, random),
  });

/** x_1 exp(-|x|^2 / 2 s^2), an odd function: phases -pi/2 and pi/2; C = d E|u_1| for u on the sphere, free of s. */
function odd(d: number, s: number): SpectralFunction {
  const profile = gaussian(d, s);
  const meanCoordinate = gammaOfHalf(d) / (Math.sqrt(Math.PI) * gammaOfHalf(d + 1));
  return {
    ...profile,
    formula: "x₁ exp(-|x|²/2s²)",
    value: (x) => x[0]! * profile.value(x),
    slope: axis(d),
    bandwidth: Math.sqrt(d + 1) / s,
    moment: (order) => meanCoordinate * normalMoment(d, order + 1) * s ** (1 - order),
    draw(order, random) {
      const e = random.normal(d);
      e[0] = drawChi(2, random) * (random.uniform() < 0.5 ? -1 : 1); // density of e_1 / |e|: |u_1|
      const r = drawChi(d + 1 + order, random) / s / euclideanLength(e);
      return { omega: scaled(e, r), phase: (-Math.PI / 2) * Math.sign(e[0]) };
    },
    transform: (omega) => [0, -s * s * omega[0]! * profile.transform!(omega)[0]],
  };
}

/** exp(-|x|^2 / 2 s^2) cos(nu x_1): f^ = (N(omega - nu e_1) + N(omega + nu e_1)) / 2 >= 0; C = E |nu e_1 + Z / s|. */
function packet(d: number, s: number, nu: number): SpectralFunction {
  const envelope = gaussian(d, s);
  const shifted = (omega: ArrayLike<number>, by: number): number =>
    envelope.transform!(Array.from(omega, (w, i) => (i === 0 ? w + by : w)))[0];
  return {
    ...envelope,
    formula: "exp(-|x|²/2s²) cos(νx₁)",
    value: (x) => envelope.value(x) * Math.cos(nu * x[0]!),
    bandwidth: Math.abs(nu) + envelope.bandwidth,
    moment: (order) => [1, shiftedNormalMean(d, nu * s) / s, nu ** 2 + d / s ** 2][order]!,
    draw(order, random) {
      // Rejection: |nu + eta|^p <= 2^{p-1} (|nu|^p + |eta|^p), and the right side is a mixture that is easy to draw.
      const far = Math.abs(nu) ** order;
      const share = far / (far + envelope.moment(order));
      for (;;) {
        const { omega } = envelope.draw(random.uniform() < share ? 0 : order, random);
        const bound = 2 ** Math.max(0, order - 1) * (far + euclideanLength(omega) ** order);
        omega[0]! += nu;
        if (random.uniform() * bound <= euclideanLength(omega) ** order) return { omega, phase: 0 };
      }
    },
    transform: (omega) => [(shifted(omega, nu) + shifted(omega, -nu)) / 2, 0],
  };
}

/** f(<u, x>) for f of one variable: all frequencies are on the line of u, and the constant is |u| times f's. */
function ridge(f: SpectralFunction, u: ArrayLike<number>): SpectralFunction {
  const direction = Float64Array.from(u);
  const steepness = euclideanLength(direction);
  return {
    dimension: direction.length,
    formula: `${f.formula.replaceAll("|x|", "⟨u,x⟩").replaceAll("x₁", "⟨u,x⟩")}`,
    value: (x) => f.value([dot(direction, x)]),
    slope: scaled(direction, f.slope[0]!),
    moment: (order) => steepness ** order * f.moment(order),
    draw(order, random) {
      const { omega, phase } = f.draw(order, random);
      return { omega: scaled(direction, omega[0]!), phase };
    },
    tight: f.tight,
    bandwidth: steepness * f.bandwidth,
  };
}

/** Functions of d variables with known transforms, by name. */
export const barronFamilies = { gaussian, poisson, matern, odd, packet, ridge } as const;
