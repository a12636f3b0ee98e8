import type { Figure } from "../../figure/figure.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import { energyLedger } from "../../scattering/energy.ts";
import { decayBound, gaussianGain, logSobolevBounds } from "../../scattering/energy-decay.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { drawnSignal } from "./signals.ts";

export default lemma({
  id: "C8-14",
  covers: ["C8-14", "C8-15", "C8-19"],
  kind: "measure",
  title: "Where the energy of a signal goes, layer by layer",
  source: "Book, chapter 8, section 8.3.2, Theorem 8.4, Proposition 8.10",
  statement: String.raw`\|x\|^2 = \sum_{|p| < m} \|S_J[p] x\|^2 + \sum_{|p| = m} \|U[p] x\|^2 \text{ for every } m, \qquad \sum_{|p| = m} \|U[p] x\|^2 \le \int |\hat x|^2 \bigl(1 - e^{-2 (\omega / 2 \pi s_m)^2}\bigr)`,
  parameters: {
    n: integer({ min: 8, max: 40, default: 32, label: "samples" }),
    J: integer({ min: 1, max: 3, default: 3, label: "scale J" }),
    m: integer({ min: 1, max: 4, default: 3, label: "order m" }),
    wavelets: choice(["analytic", "real"], { label: "wavelets" }),
    s: real({ min: 0.05, max: 2, default: 0.3, label: "width s of the Gaussian, cycles a sample" }),
    decades: integer({ min: 3, max: 6, default: 4, label: "orders 10^k in the tail of Proposition 8.10" }),
  },
  claims: {
    "energy that is in no account": equals("0"),
    "R(m), against R(m - 1)": atMost("R(m - 1)"),
    "energy on paths of decreasing frequency, orders up to m": atMost(String.raw`\|x\|^2`),
    "|χ̂_s| at a frequency in radians": equals(String.raw`e^{-(\omega / 2 \pi s)^2}`),
    "m times the bound of order m, |x̂|² = 1 / (ω log³ ω)": equals(String.raw`1 / (\sqrt 2 \log a)`),
    "|χ̂_s|² at a frequency of the chapter": equals(String.raw`1 - h_m(\omega)`).printed({
      where: "after Theorem 8.9",
      printed: String.raw`with  $h_m(\omega) = 1 - \exp(-2(\omega/(ra^m))^2)$  and  $a > 1$`,
      corrected: String.raw`$h_m(\omega) = 1 - \exp(-2 (\omega / (2 \pi r a^m))^2)$ with the chapter's $e^{-i \omega u}$; as printed for frequencies in cycles`,
    }),
    "what the bounds of orders M to 2M - 1 add up to, an x of the class": equals(
      String.raw`0 \text{ as } M \to \infty`,
    ).printed({
      where: "Proposition 8.10",
      printed: String.raw`If  $\mathbf{x} \in \mathcal{F}$  then  $\|U[\mathcal{P}_J]\mathbf{x}\|_1 < \infty$`,
      corrected: String.raw`does not follow from the bound before it, which gives $\sum_m \|U[\Lambda^m] x\|^2 < \infty$; with $\int |\hat x|^2 \log^{2 + \delta}(1 + |\omega|) < \infty$ it does`,
    }),
  },
  mutants: {
    "a Gaussian of half the width": { "|χ̂_s| at a frequency in radians": (_, { theory }) => theory ** 4 },
    "bounds that fall like 1 / m²": {
      "m times the bound of order m, |x̂|² = 1 / (ω log³ ω)": ({ decades }, { theory }) =>
        theory / 10 ** decades,
    },
    "half of the energy on other paths": {
      "energy on paths of decreasing frequency, orders up to m": (_, { theory }) => theory / 2,
    },
  },
  run({ n, J, m, wavelets, s, decades }, { random, budget }) {
    const bank = battleLemarieBank({ length: n, scale: J, real: wavelets === "real" });
    const x = drawnSignal(random, n);
    const all = energyLedger(x, bank, { order: m, paths: "all" });
    const decreasing = energyLedger(x, bank, { order: m });
    const tolerance = 1e-12 * all.input * n;
    const rest = all.propagated[m]!;
    const M = 10 ** decades;
    const bounds = logSobolevBounds(M, 2);
    const omega = 2 * Math.PI * s * (0.1 + 1.5 * random.uniform());
    return {
      ...(budget !== "cheap" && { figure: figure(x, n, J) }),
      table: {
        title: "Energy in percent of |x|², and the widest Gaussian that admits what goes on",
        columns: ["order", "averaged", "going on", "s"],
        rows: all.averaged.map((v, k) => [
          k,
          (100 * v) / all.input,
          (100 * all.propagated[k]!) / all.input,
          widest(x, all.propagated[k]!) ?? "none",
        ]),
      },
      claims: {
        "energy that is in no account": checked(all.missing[m]!, 0, { tolerance }),
        "R(m), against R(m - 1)": checked(rest, all.propagated[m - 1]!, { tolerance }),
        "energy on paths of decreasing frequency, orders up to m": checked(
          decreasing.averaged.reduce((a, b) => a + b, 0),
          all.input,
          { tolerance },
        ),
        "|χ̂_s| at a frequency in radians": sampled(
          gaussianGain(s, omega),
          Math.exp(-((omega / (2 * Math.PI * s)) ** 2)),
          { tolerance: 1e-9 },
        ),
        // The next term is of the relative size 1 / M.
        "m times the bound of order m, |x̂|² = 1 / (ω log³ ω)": sampled(
          M * bounds.bound,
          1 / (Math.SQRT2 * Math.LN2),
          { tolerance: 4 / M },
        ),
        "|χ̂_s|² at a frequency of the chapter": sampled(
          gaussianGain(s, omega) ** 2,
          Math.exp(-2 * (omega / s) ** 2),
          { tolerance: 1e-9 },
        ),
        "what the bounds of orders M to 2M - 1 add up to, an x of the class": sampled(bounds.block, 0, {
          tolerance: 0.1,
        }),
      },
    };
  },
});

/** The largest s with R <= |x|^2 - |x * chi_s|^2, by bisection; none if R or all of x is nothing. */
function widest(x: Float64Array, rest: number): number | undefined {
  let [low, high] = [1e-4, 1e4];
  if (!(decayBound(x, low) > rest && decayBound(x, high) < rest)) return undefined;
  for (let k = 0; k < 100; k++) {
    const middle = Math.sqrt(low * high);
    if (decayBound(x, middle) >= rest) low = middle;
    else high = middle;
  }
  return low;
}

function figure(x: Float64Array, n: number, J: number): Figure {
  const orders = [0, 1, 2, 3, 4, 5];
  return {
    title: "Energy falls from layer to layer, faster for analytic wavelets",
    panels: [
      {
        title: "What goes on from each order",
        x: { label: "order m" },
        y: { label: "R(m) / |x|²", scale: "log" },
        series: [false, true].map((real) => {
          const ledger = energyLedger(x, battleLemarieBank({ length: n, scale: J, real }), {
            ...{ order: 5, paths: "all" },
          });
          return {
            name: real ? "real wavelets" : "analytic wavelets",
            mark: "line" as const,
            points: orders.map((m) => [m, ledger.propagated[m]! / ledger.input] as const),
          };
        }),
      },
    ],
  };
}
