import type { Figure } from "../../figure/figure.ts";
import { morletBank1d } from "../../scattering/morlet-1d.ts";
import {
  scalogram,
  type TimeFrequencyCoefficient,
  timeFrequencyScattering,
} from "../../scattering/time-frequency.ts";
import { translated } from "../../scattering/translation.ts";
import { atLeast, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";
import { distance, norm } from "./signals.ts";

export default lemma({
  id: "C8-37",
  covers: ["C8-37"],
  kind: "algorithm",
  title: "Joint time-frequency scattering tells what rises from what falls",
  source: "Book, chapter 8, section 8.5.2, time-frequency scattering",
  statement: String.raw`z(t, \lambda) = |x \star \psi_\lambda(t)|, \quad \Psi_{\alpha, \beta, s}(t, \lambda) = \psi_\alpha(t) \, \psi_\beta(s \lambda), \; s = \pm 1: \qquad x'(t) = x(-t) \Rightarrow \operatorname{mean} |z' \star \Psi_{\alpha, \beta, s}| = \operatorname{mean} |z \star \Psi_{\alpha, \beta, -s}|`,
  parameters: {
    k: integer({ min: 6, max: 7, default: 7, label: "samples, log2" }),
    quality: integer({ min: 4, max: 8, default: 6, label: "wavelets an octave Q" }),
    octaves: real({ min: 1.5, max: 2.5, default: 2, label: "octaves of the chirp" }),
    v: integer({ min: 1, max: 100, default: 40, label: "shift" }),
  },
  claims: {
    "joint coefficients of the reversed signal, against those with the other spin": equals("0"),
    "averages of each band, of the reversed signal against the signal": equals("0"),
    "averages of |z(·, λ) ⋆ ψ_α| band by band, of the reversed against the signal": equals("0"),
    "joint coefficients of a shifted signal, against those of the signal": equals("0"),
    "energies of all joint coefficients over |z|²": equals("1"),
    "energy of a chirp that rises: the spin of rising over the other": atLeast("5").looseBy(2),
  },
  mutants: {
    "spins that are not exchanged": {
      "joint coefficients of the reversed signal, against those with the other spin": () => 0.01,
    },
    "both spins counted in full": { "energies of all joint coefficients over |z|²": () => 1.1 },
    "a hundred thousand times as much": {
      "energy of a chirp that rises: the spin of rising over the other": () => 5e5,
    },
  },
  run({ k, quality, octaves, v }, { random, budget }) {
    const n = 2 ** k;
    const bank = morletBank1d({ length: n, scale: k - 2, quality });
    const x = random.normal(n);
    const of = (z: Float64Array) => timeFrequencyScattering(z, bank, { scale: k - 2 });
    const slow = morletBank1d({ length: 128, scale: 5, quality });
    const reversed = (z: Float64Array): Float64Array => z.map((_, t) => z[(n - t) % n]!);
    const [found, back, moved] = [x, reversed(x), translated(x, [n], [v])].map(of) as [
      ReturnType<typeof of>,
      ReturnType<typeof of>,
      ReturnType<typeof of>,
    ];
    const values = (joint: readonly TimeFrequencyCoefficient[]): Float64Array =>
      Float64Array.from(joint, ({ value }) => value);
    const other = found.joint.map(
      (c) =>
        found.joint.find((d) => d.alpha === c.alpha && d.beta === c.beta && d.spin === -c.spin + 0)!.value,
    );
    const apart = ({ joint }: typeof found): Float64Array => values(joint.filter(({ spin }) => spin === 0));
    const chirp = timeFrequencyScattering(rising(128, octaves), slow, { scale: 5 });
    const spun = (spin: number): number =>
      chirp.joint.reduce((sum, c) => sum + (c.spin === spin ? c.energy : 0), 0);
    const total = found.joint.reduce((sum, { energy }) => sum + energy, 0);
    const tolerance = 1e-11 * norm(x);
    return {
      ...(budget !== "cheap" && { figure: figure() }),
      claims: {
        "joint coefficients of the reversed signal, against those with the other spin": checked(
          distance(values(back.joint), other),
          0,
          { tolerance },
        ),
        "averages of each band, of the reversed signal against the signal": checked(
          distance(back.first, found.first),
          0,
          { tolerance },
        ),
        "averages of |z(·, λ) ⋆ ψ_α| band by band, of the reversed against the signal": checked(
          distance(apart(back), apart(found)),
          0,
          { tolerance },
        ),
        "joint coefficients of a shifted signal, against those of the signal": checked(
          distance(values(moved.joint), values(found.joint)),
          0,
          { tolerance },
        ),
        "energies of all joint coefficients over |z|²": checked(total / found.energy, 1, {
          tolerance: 1e-12,
        }),
        "energy of a chirp that rises: the spin of rising over the other": checked(spun(1) / spun(-1), 5),
      },
    };
  },
});

/** A wave whose frequency grows by so many octaves, under a smooth window. */
function rising(n: number, octaves: number): Float64Array {
  let phase = 0;
  return Float64Array.from({ length: n }, (_, t) => {
    phase += 2 * Math.PI * 0.06 * 2 ** ((octaves * t) / n);
    return Math.sin((Math.PI * t) / n) ** 2 * Math.sin(phase);
  });
}

function figure(): Figure {
  const n = 256;
  const bank = morletBank1d({ length: n, scale: 6, quality: 6 });
  const up = rising(n, 2);
  const found = timeFrequencyScattering(up, bank, { scale: 6 });
  const { rows, columns, z } = scalogram(up, bank);
  const bands = bank.wavelets.length;
  const field = {
    x: [0, rows] as const,
    y: [0, bands - 1] as const,
    values: Array.from({ length: bands }, (_, y) =>
      Array.from({ length: 64 }, (__, x) => z[4 * x * columns + (bands - 1 - y)]!),
    ),
  };
  const spins = (spin: number) => ({
    ...{ name: `spin ${spin}: what ${spin > 0 ? "rises" : "falls"}`, mark: "line" as const },
    points: [0, 1, 2, 3, 4, 5].map((alpha) => {
      const own = found.joint.filter((c) => c.spin === spin && c.alpha === alpha);
      return [alpha, own.reduce((sum, { energy }) => sum + energy, 0) / found.energy] as const;
    }),
  });
  return {
    title: "A chirp that rises",
    panels: [
      { title: "Its scalogram", x: { label: "t" }, y: { label: "band" }, series: [], field },
      {
        title: "Share of the energy, by spin",
        x: { label: "scale α in time" },
        y: { label: "share of |z|²" },
        series: [spins(1), spins(-1)],
      },
    ],
  };
}
