import type { Figure } from "../../figure/figure.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import type { FilterBank } from "../../scattering/filter-bank.ts";
import { type Complex, gridFourier, inverseFourier } from "../../scattering/fourier.ts";
import { convolved, propagate } from "../../scattering/propagate.ts";
import { atMost, checked, equals, fitted } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { mean } from "./signals.ts";

const n = 128;
/** Of the carrier's band and of the next: one of fine, one of coarse scale. */
const [inner, outer] = [0, 2] as const;

export default lemma({
  id: "C8-31",
  covers: ["C8-31"],
  kind: "bound",
  title: "Scattering of an envelope that moves little is a normalised moment",
  source: "Book, chapter 8, section 8.4.1, after (8.30)",
  statement: String.raw`|u|^2 = E (1 + \epsilon): \quad \Bigl| |u \star \psi| - \frac{||u|^2 \star \psi|}{2 \sqrt E} \Bigr| \le \|\psi\|_1 \sqrt E \, \max_t \frac{\epsilon(t)^2}{2 (1 + \sqrt{1 + \epsilon(t)})^2}`,
  parameters: {
    depth: real({ min: 0.01, max: 0.9, default: 0.2, label: "depth of the modulation" }),
    carrier: integer({ min: 44, max: 56, default: 50, label: "carrier" }),
    turns: integer({ min: 4, max: 12, default: 8, label: "turns of the envelope" }),
    c: real({ min: 0.5, max: 4, default: 2, label: "amplitude c" }),
  },
  claims: {
    "||u|⋆ψ| less its approximation, greatest": atMost(
      String.raw`\|\psi\|_1 \sqrt E \max \epsilon^2 / 2 (1 + \sqrt{1 + \epsilon})^2`,
    ).looseBy(2),
    "exponent of that in the depth": equals("2").rate(),
    "U[p](cX) / U[p]X": equals("c"),
    "the approximation of cX over that of X": equals("c"),
    "|u| - √E (1 + ε/2), greatest": equals(
      String.raw`\sqrt E \max \epsilon^2 / 2 (1 + \sqrt{1 + \epsilon})^2`,
    ),
    "U[p + λ]X at a time, against the printed quotient": equals(
      String.raw`|U[p]X|^2 \star \psi / 2 \sqrt E`,
    ).printed({
      where: "sect. 8.4.1",
      printed: String.raw`U[p + \lambda]X = |U[p]X \star \psi_\lambda| \approx \frac{|U[p]X|^2 \star \psi_\lambda|}{2\mathbb{E}(|U[p]X|^2)^{1/2}},`,
      corrected: String.raw`$||U[p]X|^2 \star \psi_\lambda|$ above the line: without its first bar it is a complex number`,
    }),
  },
  mutants: {
    "a tenth of the remainder": {
      "||u|⋆ψ| less its approximation, greatest": (_, { theory }) => theory / 100,
    },
    "degree 2": { "the approximation of cX over that of X": ({ c }) => c * c * 1.001 },
    "half of the remainder": {
      "|u| - √E (1 + ε/2), greatest": (_, { theory }) => theory / 2,
    },
  },
  run({ depth, carrier, turns, c }, { budget }) {
    const bank = battleLemarieBank({ length: n, scale: 4 });
    const found = approximation(modulated(depth, carrier, turns), bank);
    const scaled = approximation(
      modulated(depth, carrier, turns).map((v) => c * v),
      bank,
    );
    const kernel = inverseFourier({ re: bank.wavelets[outer]!.re, im: new Float64Array(n) });
    const size = kernel.re.reduce((sum, v, u) => sum + Math.hypot(v, kernel.im[u]!), 0);
    const largest = found.exact.reduce((best, v, u) => (v > found.exact[best]! ? u : best), 0);
    const depths = [0.002, 0.004, 0.006, 0.01, 0.015, 0.02, 0.03, 0.04];
    const points = depths.map((d) => [d, approximation(modulated(d, carrier, turns), bank).off] as const);
    const rate = fitted(points, 2, 0.05);
    const tolerance = 1e-13 * (1 + found.root);
    return {
      ...(budget !== "cheap" && { figure: figure(bank, carrier, turns) }),
      claims: {
        "||u|⋆ψ| less its approximation, greatest": checked(found.off, size * found.remainder, { tolerance }),
        ...(rate && { "exponent of that in the depth": rate }),
        "U[p](cX) / U[p]X": checked(scaled.exact[largest]! / found.exact[largest]!, c, { tolerance: 1e-9 }),
        "the approximation of cX over that of X": checked(
          scaled.quotient.re[largest]! / found.quotient.re[largest]!,
          c,
          { tolerance: 1e-9 * Math.max(1, Math.abs(found.exact[largest]! / found.quotient.re[largest]!)) },
        ),
        "|u| - √E (1 + ε/2), greatest": checked(found.offRoot, found.remainder, { tolerance }),
        "U[p + λ]X at a time, against the printed quotient": checked(
          found.exact[largest]!,
          found.quotient.re[largest]!,
          { tolerance: found.off + Math.abs(found.quotient.im[largest]!) },
        ),
      },
    };
  },
});

/** A carrier whose amplitude goes up and down by this depth. */
const modulated = (depth: number, carrier: number, turns: number): Float64Array =>
  Float64Array.from({ length: n }, (_, t) => {
    const w = (2 * Math.PI * t) / n;
    return (1 + depth * Math.cos(turns * w)) * Math.cos(carrier * w);
  });

interface Approximation {
  /** ||u| * psi| */
  readonly exact: Float64Array;
  /** |u|^2 * psi / 2 sqrt E */
  readonly quotient: Complex;
  /** sqrt E */
  readonly root: number;
  readonly off: number;
  /** max ||u| - sqrt E (1 + eps / 2)|, and what it is by the formula. */
  readonly offRoot: number;
  readonly remainder: number;
}

function approximation(x: Float64Array, bank: FilterBank): Approximation {
  const paths = propagate(x, bank);
  const u = paths.find(({ wavelets }) => wavelets.join() === `${inner}`)!.propagated;
  const exact = paths.find(({ wavelets }) => wavelets.join() === `${inner},${outer}`)!.propagated;
  const square = u.map((v) => v * v);
  const root = Math.sqrt(mean(square));
  const { re, im } = convolved(bank, gridFourier([n], square), bank.wavelets[outer]!);
  const quotient = { re: re.map((v) => v / 2 / root), im: im.map((v) => v / 2 / root) };
  let [off, offRoot, remainder] = [0, 0, 0];
  for (let t = 0; t < n; t++) {
    const eps = square[t]! / root ** 2 - 1;
    off = Math.max(off, Math.abs(exact[t]! - Math.hypot(quotient.re[t]!, quotient.im[t]!)));
    offRoot = Math.max(offRoot, Math.abs(u[t]! - root * (1 + eps / 2)));
    remainder = Math.max(remainder, (root * eps ** 2) / 2 / (1 + Math.sqrt(Math.max(0, 1 + eps))) ** 2);
  }
  return { exact, quotient, root, off, offRoot, remainder };
}

function figure(bank: FilterBank, carrier: number, turns: number): Figure {
  const depths = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 0.9];
  const all = depths.map((depth) => approximation(modulated(depth, carrier, turns), bank));
  const kernel = inverseFourier({ re: bank.wavelets[outer]!.re, im: new Float64Array(n) });
  const size = kernel.re.reduce((sum, v, u) => sum + Math.hypot(v, kernel.im[u]!), 0);
  return {
    title: "A carrier with an amplitude that goes up and down",
    panels: [
      {
        title: "The approximation of order 2",
        x: { label: "depth", scale: "log" },
        y: { label: "greatest difference", scale: "log" },
        series: [
          {
            ...{ name: "measured", mark: "dots" },
            points: all.map(({ off }, k) => [depths[k]!, off] as const),
          },
          {
            ...{ name: "bound", mark: "line", role: "theory" },
            points: all.map(({ remainder }, k) => [depths[k]!, size * remainder] as const),
          },
        ],
      },
    ],
  };
}
