import type { Figure } from "../../figure/figure.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import { energy } from "../../scattering/energy.ts";
import { inverseFourier } from "../../scattering/fourier.ts";
import { propagate } from "../../scattering/propagate.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { norm } from "./signals.ts";

export default lemma({
  id: "C8-21",
  covers: ["C8-21"],
  kind: "measure",
  title: "First-order coefficients at the largest scale are l1 norms of wavelet bands",
  source: "Book, chapter 8, section 8.3.5",
  statement: String.raw`\|S_J[\lambda] x\|^2 \to \|\phi_J\|^2 \, \|x \star \psi_\lambda\|_1^2, \quad \|\phi_J\|^2 = 2^{-dJ} \|\phi\|^2, \qquad \frac{\|x \star \psi_\lambda\|_1^2}{N \|x \star \psi_\lambda\|_2^2} \le 1`,
  parameters: {
    k: integer({ min: 3, max: 7, default: 6, label: "samples, log2" }),
    j: integer({ min: 0, max: 2, default: 1, label: "scale of the band" }),
    signal: choice(["cosine", "noise", "spike"], { label: "signal" }),
  },
  claims: {
    "S_J[λ]x where 2^J is the whole line": equals(String.raw`\|x \star \psi_\lambda\|_1 / N`),
    "|S_J[λ]x|² where 2^J is the whole line": equals(String.raw`\|\phi_J\|^2 \|x \star \psi_\lambda\|_1^2`),
    "share of a band that its average keeps": atMost("1"),
    "S_J[λ]x, against the printed limit": equals(String.raw`\|\phi\|^2 \|x \star \psi_\lambda\|_1^2`).printed(
      {
        where: "sect. 8.3.5",
        printed: String.raw`converges to  $\|\phi\|^2 \|\mathbf{x} \star \psi_{\lambda}\|_1^2$`,
        corrected: String.raw`$2^{dJ} \|S_J[\lambda_1] x\|^2$ converges to that`,
      },
    ),
  },
  mutants: {
    "an l2 norm": { "share of a band that its average keeps": () => 0.5 },
    "another band": ({ j }) => ({ j: j + 1 }),
    "without the norm of φ_J": {
      "|S_J[λ]x|² where 2^J is the whole line": ({ k }, { theory }) => 2 ** k * theory,
    },
  },
  run({ k, j, signal }, { random, budget }) {
    const n = 2 ** k;
    const f = random.integer(1, n / 2 - 1);
    const x =
      signal === "noise"
        ? random.normal(n)
        : Float64Array.from({ length: n }, (_, u) =>
            signal === "cosine" ? Math.cos((2 * Math.PI * f * u) / n) : u === 1 ? 1 : 0,
          );
    const bank = battleLemarieBank({ length: n, scale: k });
    const { propagated, averaged } = propagate(x, bank, { order: 1 })[1 + j]!;
    const l1 = propagated.reduce((sum, v) => sum + v, 0);
    const low = inverseFourier({ re: bank.lowPass.re, im: new Float64Array(n) }).re;
    const tolerance = 1e-12 * norm(x);
    return {
      ...(budget !== "cheap" && { figure: figure(j) }),
      claims: {
        "S_J[λ]x where 2^J is the whole line": checked(averaged[random.integer(0, n - 1)]!, l1 / n, {
          tolerance,
        }),
        "|S_J[λ]x|² where 2^J is the whole line": checked(energy(averaged), energy(low) * l1 ** 2, {
          tolerance: tolerance * norm(x),
        }),
        ...(norm(propagated) > 1e-9 && {
          "share of a band that its average keeps": checked(l1 ** 2 / (n * energy(propagated)), 1, {
            tolerance: 1e-9,
          }),
        }),
        "S_J[λ]x, against the printed limit": checked(averaged[0]!, n * energy(low) * l1 ** 2, { tolerance }),
      },
    };
  },
});

/** 2^J |S_J[lambda] x|^2 of a spike over J, and its limit. */
function figure(j: number): Figure {
  const n = 4096;
  const x = Float64Array.from({ length: n }, (_, u) => (u === n / 2 ? 1 : 0));
  const scales = [3, 4, 5, 6, 7, 8, 9, 10];
  const at = scales.map(
    (J) => propagate(x, battleLemarieBank({ length: n, scale: J }), { order: 1 })[1 + j]!,
  );
  const l1 = at[0]!.propagated.reduce((sum, v) => sum + v, 0);
  const low = battleLemarieBank({ length: n, scale: 10 }).lowPass.re;
  const limit = ((2 ** 10 * energy(low)) / n) * l1 ** 2;
  return {
    title: "First order of a spike, times 2^J, and its limit",
    panels: [
      {
        title: `Band j = ${j}`,
        x: { label: "J" },
        y: { label: "2^J |S_J x|²" },
        series: [
          {
            ...{ name: "measured", mark: "dots" },
            points: at.map(({ averaged }, k) => [scales[k]!, 2 ** scales[k]! * energy(averaged)] as const),
          },
          {
            ...{ name: "|φ|² |x ⋆ ψ|₁²", mark: "line", role: "theory" },
            points: scales.map((J) => [J, limit] as const),
          },
        ],
      },
    ],
  };
}
