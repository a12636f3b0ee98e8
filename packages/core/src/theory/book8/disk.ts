import type { Figure } from "../../figure/figure.ts";
import { firstSectors, type Sector, secondSectors, sectorArea } from "../../scattering/disk.ts";
import { energy } from "../../scattering/energy.ts";
import { polarBank } from "../../scattering/polar.ts";
import { propagate } from "../../scattering/propagate.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { mean } from "./signals.ts";

export default lemma({
  id: "C8-20",
  covers: ["C8-20"],
  kind: "algorithm",
  title: "Scattering coefficients on a disk of frequencies",
  source: "Book, chapter 8, section 8.3.5, Figure 8.5",
  statement: String.raw`|\Omega[\lambda_1]| \propto \|\psi_{\lambda_1}\|^2 \sim K^{-1} 2^{-2 j_1}, \quad \#\Omega = K J \text{ and } K^2 \tbinom J 2`,
  parameters: {
    side: integer({ min: 4, max: 5, default: 4, label: "side of the picture + 1, log2" }),
    J: integer({ min: 2, max: 3, default: 3, label: "scales J" }),
    K: integer({ min: 4, max: 8, default: 6, label: "angles K" }),
  },
  claims: {
    "sectors of order 1": equals("K J"),
    "sectors of order 2": equals(String.raw`K^2 \tbinom J 2`),
    "areas of order 1, both halves, over that of the disk": equals("1"),
    "areas of order 2, over those of the sectors that go on": equals("1"),
    "share of the area of the coarsest ring": equals(
      String.raw`\text{that of its energy } \sum \|\psi_\lambda\|^2`,
    ),
    "a picture turned by 90°, K even: order 1 against the sectors turned": equals("0"),
    "|ψ_{j+1}|² / |ψ_j|², on a fine grid": equals("1/2").printed({
      where: "sect. 8.3.5, on Figure 8.5",
      printed: String.raw`Their areas are proportional to  $\|\psi_{\lambda_1}\|^2 \sim K^{-1} 2^{-j_1}$ .`,
      corrected: String.raw`$K^{-1} 2^{-2 j_1}$ for pictures: a quarter from scale to scale`,
    }),
  },
  mutants: {
    "an angle lost": ({ K }) => ({ K: Math.max(4, K - 1) }),
    "paths that may stay on a scale": {
      "sectors of order 2": ({ J, K }) => (K * K * J * (J + 1)) / 2,
    },
    "half of the disk": { "areas of order 1, both halves, over that of the disk": () => 0.5 },
  },
  run({ side, J, K }, { random, budget }) {
    // Odd, so that no frequency is its own opposite but 0: turning the grid is exact then.
    const n = 2 ** side - 1;
    const bank = polarBank({ shape: [n, n], scale: J, angles: K });
    const [first, second] = [firstSectors(bank), secondSectors(bank)];
    const area = (sectors: readonly Sector[]): number =>
      sectors.reduce((sum, sector) => sum + sectorArea(sector), 0);
    const weights = bank.wavelets.map(({ re }) => energy(re));
    const share = (j: number): number =>
      weights.reduce((sum, w, k) => sum + (bank.wavelets[k]!.j === j ? w : 0), 0) /
      weights.reduce((a, b) => a + b, 0);
    const goOn = first.filter(({ wavelets: [k] }) => bank.wavelets[k!]!.j < J - 1);
    const last = first.filter(({ wavelets: [k] }) => bank.wavelets[k!]!.j === J - 1);
    const x = random.normal(n * n);
    const turned = Float64Array.from(x, (_, u) => {
      const [row, column] = [Math.floor(u / n), u % n];
      return x[((n - column) % n) * n + row]!; // (row, column) -> (column, -row), about the origin
    });
    const averages = (z: Float64Array): Float64Array =>
      Float64Array.from(
        propagate(z, bank, { order: 1 })
          .slice(1)
          .map(({ propagated }) => mean(propagated)),
      );
    const [Sx, St] = [averages(x), averages(turned)];
    const moved = bank.wavelets.map(({ j, theta }, k) => {
      const from = bank.wavelets.findIndex((w) => w.j === j && w.theta === (theta! + K / 2) % K);
      return Math.abs(St[k]! - Sx[from]!);
    });
    const fine = polarBank({ shape: [32, 32], scale: 3, angles: 4 }).wavelets.map(({ re }) => energy(re));
    return {
      ...(budget !== "cheap" && { figure: figure() }),
      claims: {
        "sectors of order 1": checked(first.length, K * J),
        "sectors of order 2": checked(second.length, (K * K * J * (J - 1)) / 2),
        "areas of order 1, both halves, over that of the disk": checked((2 * area(first)) / Math.PI, 1, {
          tolerance: 1e-12,
        }),
        "areas of order 2, over those of the sectors that go on": checked(area(second) / area(goOn), 1, {
          tolerance: 1e-12,
        }),
        "share of the area of the coarsest ring": checked((2 * area(last)) / Math.PI, share(J - 1), {
          tolerance: 1e-12,
        }),
        ...(K % 2 === 0 && {
          "a picture turned by 90°, K even: order 1 against the sectors turned": checked(
            Math.max(...moved),
            0,
            { tolerance: 1e-12 * n },
          ),
        }),
        "|ψ_{j+1}|² / |ψ_j|², on a fine grid": checked(fine[8]! / fine[4]!, 1 / 2, { tolerance: 0.1 }),
      },
    };
  },
});

/** The sectors as outlines. */
function figure(): Figure {
  const bank = polarBank({ shape: [32, 32], scale: 3, angles: 6 });
  // One line, which is interrupted where a coordinate is no number.
  const outlines = (sectors: readonly Sector[]) => ({
    ...{ name: "sectors", mark: "line" as const },
    points: sectors.flatMap(({ radii, angles: [from, to] }) =>
      [0, Math.PI].flatMap((half) => {
        const arc = (r: number, back: boolean) =>
          Array.from({ length: 9 }, (_, i) => {
            const a = half + from + ((to - from) * (back ? 8 - i : i)) / 8;
            return [r * Math.cos(a), r * Math.sin(a)] as const;
          });
        const line = [...arc(radii[0], false), ...arc(radii[1], true)];
        return [...line, line[0]!, [Number.NaN, Number.NaN] as const];
      }),
    ),
  });
  return {
    title: "Figure 8.5: the disk of frequencies, J = 3, K = 6",
    panels: [firstSectors(bank), secondSectors(bank)].map((sectors, m) => ({
      title: `Order ${m + 1}: ${sectors.length} sectors, and their mirror images`,
      x: { label: "frequency, row" },
      y: { label: "frequency, column" },
      series: [outlines(sectors)],
    })),
  };
}
