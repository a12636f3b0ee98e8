import type { Figure } from "../../figure/figure.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import { deformationCertificate, warped } from "../../scattering/deformation.ts";
import { propagate } from "../../scattering/propagate.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { distance, drawnSignal, mean, norm } from "./signals.ts";

const rounding = 1e-10;

export default lemma({
  id: "C8-17",
  covers: ["C8-03", "C8-17", "C8-18"],
  kind: "bound",
  title: "Deformations: a certificate from commutators, and empirical constants of stability",
  source: "Book, chapter 8, Theorem 8.9, Corollary 8.11, (8.4), (8.5)",
  statement: String.raw`\|S_J x_\tau - S_J x\| \le \Bigl(\sum_{n \le m} \|U[\Lambda^n_J] x\|\Bigr) \bigl(\|[\mathcal W_J, L_\tau]\| + \|L_\tau A_J - A_J\|\bigr)`,
  parameters: {
    n: integer({ min: 12, max: 24, default: 24, label: "samples" }),
    J: integer({ min: 1, max: 2, default: 2, label: "scale J" }),
    g: real({ min: 0.05, max: 0.9, default: 0.4, label: "slope of the deformation" }),
    shift: integer({ min: 0, max: 4, default: 0, label: "shift on top" }),
  },
  claims: {
    "|S x_τ - S x|": atMost(
      String.raw`\text{depth norm} \times (\text{commutator} + \text{averages})`,
    ).looseBy(2),
    "commutator with a shift": equals("0"),
    "|L A - A| of a shift": equals(String.raw`\max_\omega |\hat\phi_J| |e^{-iv\omega} - 1|`),
    "|S x - S y| / |x - y|, empirical": atMost("1"),
    "[W, L] applied to a signal": atMost(String.raw`\|[\mathcal W_J, L_\tau]\| \, \|x\|`).looseBy(1.001),
    "|f(x_τ) - f(x)|, f the mean, x constant": equals(String.raw`\|\tau\|`).printed({
      where: "(8.1)",
      printed: String.raw`|f(\mathbf{x}_\tau) - f(\mathbf{x})| \approx \|\tau\|, \quad (8.1)`,
      corrected: String.raw`$\lesssim \|\tau\|$: it may change less, or not at all`,
    }),
  },
  mutants: {
    "no deformation is seen": { "|S x_τ - S x|": () => 0 },
    "half as stable to noise": { "|S x - S y| / |x - y|, empirical": () => 0.5 },
    "a shift that is not seen": { "|L A - A| of a shift": ({ shift }) => (shift === 0 ? Number.NaN : 0) },
  },
  async run({ n, J, g, shift }, { random, budget }) {
    const bank = battleLemarieBank({ length: n, scale: J });
    const f = (2 * Math.PI) / n;
    const tau = Float64Array.from({ length: n }, (_, u) => shift + (g / f) * Math.sin(f * u));
    const x = drawnSignal(random, n);
    const certificate = await deformationCertificate(x, tau, bank);
    const moved = await deformationCertificate(x, new Float64Array(n).fill(shift), bank, { order: 0 });
    const features = (z: Float64Array): Float64Array =>
      Float64Array.from(propagate(z, bank).flatMap(({ averaged }) => [...averaged]));
    const y = random.integer(0, 1) === 0 ? x.map((v) => v + 1) : random.normal(n);
    const constant = new Float64Array(n).fill(1);
    const factor = bank.lowPass.re.reduce(
      (most, h, k) => Math.max(most, Math.abs(h * 2 * Math.sin((Math.PI * k * shift) / n))),
      0,
    );
    const worst = worstOf((z) => commuted(z, tau, bank), n, random.normal(n));
    return {
      ...(budget !== "cheap" && { figure: await figure(x, J) }),
      table: {
        title: "The deformation",
        columns: ["K(τ)", "|τ'|", "commutator", "commutator / |τ'|", "change / (|x| K)"],
        rows: [
          [
            certificate.size,
            certificate.gradient,
            certificate.commutator,
            certificate.commutator / certificate.gradient,
            certificate.measured / (norm(x) * certificate.size),
          ],
        ],
      },
      claims: {
        "commutator with a shift": checked(moved.commutator, 0, { tolerance: rounding }),
        "|L A - A| of a shift": checked(moved.averages, factor, { tolerance: rounding }),
        "|S x - S y| / |x - y|, empirical": checked(distance(features(x), features(y)) / distance(x, y), 1, {
          tolerance: rounding,
        }),
        // By less than half a sample nothing moves to another one.
        ...(certificate.commutator > 0 && {
          "|S x_τ - S x|": checked(certificate.measured, certificate.bound, {
            tolerance: rounding * (1 + norm(x)),
          }),
          "[W, L] applied to a signal": checked(worst, certificate.commutator, { tolerance: rounding }),
        }),
        "|f(x_τ) - f(x)|, f the mean, x constant": checked(
          Math.abs(mean(warped(constant, tau)) - mean(constant)),
          certificate.gradient,
        ),
      },
    };
  },
});

type Bank = Parameters<typeof propagate>[1];

/** |W L x - L W x| without matrices: real and imaginary parts by two linear maps, |.|^2 by polarisation of the modulus. */
function commuted(x: Float64Array, tau: Float64Array, bank: Bank): number {
  // x is real, the wavelets are complex: their parts are those of W (x) by its values at x, as linear maps.
  const parts = (z: Float64Array): readonly Float64Array[] => linearParts(z, bank);
  const [after, before] = [parts(warped(x, tau)), parts(x).map((part) => warped(part, tau))];
  return norm(after.map((part, k) => distance(part, before[k]!)));
}

/** x * phi, Re x * psi and Im x * psi, by sums over the kernels. */
function linearParts(x: Float64Array, bank: Bank): readonly Float64Array[] {
  const n = x.length;
  return [bank.lowPass, ...bank.wavelets].flatMap(({ re }) => {
    const [even, odd] = [new Float64Array(n), new Float64Array(n)];
    for (let u = 0; u < n; u++)
      for (let k = 0; k < n; k++) {
        even[u]! += (re[k]! * Math.cos((2 * Math.PI * k * u) / n)) / n;
        odd[u]! += (re[k]! * Math.sin((2 * Math.PI * k * u) / n)) / n;
      }
    return [even, odd].map((kernel) =>
      x.map((_, u) => {
        let sum = 0;
        for (let v = 0; v < n; v++) sum += x[v]! * kernel[(u - v + n) % n]!;
        return sum;
      }),
    );
  });
}

/** The greatest of |A x| over a few directions, |x| = 1: unit vectors, and one that was drawn. */
function worstOf(size: (x: Float64Array) => number, n: number, drawn: Float64Array): number {
  const scaled = drawn.map((v) => v / norm(drawn));
  const units = [0, Math.floor(n / 4), Math.floor(n / 2)].map((at) =>
    Float64Array.from({ length: n }, (_, u) => (u === at ? 1 : 0)),
  );
  return Math.max(...[scaled, ...units].map(size));
}

async function figure(x: Float64Array, J: number): Promise<Figure> {
  const n = x.length;
  const bank = battleLemarieBank({ length: n, scale: J });
  const slopes = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
  const f = (2 * Math.PI) / n;
  const certificates: Awaited<ReturnType<typeof deformationCertificate>>[] = [];
  for (const g of slopes) {
    const tau = Float64Array.from({ length: n }, (_, u) => (g / f) * Math.sin(f * u));
    certificates.push(await deformationCertificate(x, tau, bank));
  }
  return {
    title: "Deformations by a sinusoid of growing slope",
    panels: [
      {
        title: "Change of the coefficients",
        x: { label: "|τ'|" },
        y: { label: "change / |x|" },
        series: [
          {
            ...{ name: "|S x_τ - S x|", mark: "dots" },
            points: certificates.map(({ measured }, k) => [slopes[k]!, measured / norm(x)] as const),
          },
          {
            ...{ name: "certificate", mark: "line", role: "theory" },
            points: certificates.map(({ bound }, k) => [slopes[k]!, bound / norm(x)] as const),
          },
          {
            ...{ name: "|[W, L]|", mark: "line" },
            points: certificates.map(({ commutator }, k) => [slopes[k]!, commutator] as const),
          },
        ],
      },
    ],
  };
}
