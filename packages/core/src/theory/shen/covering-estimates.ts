import type { Figure } from "../../figure/figure.ts";
import { certifiedLogCovering } from "../../generalization/covering.ts";
import {
  drawTiny,
  finiteCovering,
  greedyCover,
  packing,
  type TinyClass,
  tinyDistance,
} from "../../generalization/tiny-class.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { real } from "../parameter.ts";

export default lemma({
  id: "S-11",
  covers: ["S-11"],
  kind: "algorithm",
  title: "Covering numbers of tiny classes, from both sides",
  source: "Shen, Definition 2",
  statement: String.raw`M(2\varepsilon) \le \mathcal N(\varepsilon) \le M(\varepsilon), \qquad M(\varepsilon) = \max \{ |G| : \|f - g\|_\infty > \varepsilon \text{ for all } f \ne g \in G \}`,
  parameters: {
    B: real({ min: 0.25, max: 1, default: 1, label: "bound B of parameters" }),
    share: real({ min: 0.7, max: 2, default: 0.8, label: "ε in units of B" }),
    near: real({ min: 0.05, max: 2, default: 0.4, label: "ε of a finite class, in units of B" }),
  },
  claims: {
    "ten functions, greatest packing of radius 2ε": atMost("least cover of radius ε"),
    "ten functions, least cover of radius ε": atMost("greatest packing of radius ε"),
    "packing of radius 2ε": atMost("cover of radius ε").looseBy(1.2),
    "ln of the cover of radius ε": atMost(
      String.raw`\text{certified bound at } \varepsilon / 2, \text{ which counts the grid's cells}`,
    ).looseBy(2),
  },
  mutants: {
    "ε for 2ε": ({ near }) => ({ near: near / 2 }),
    "one parameter less": { "ln of the cover of radius ε": (_, { theory }) => 0.75 * theory },
  },
  run({ B, share, near }, { random, scale, budget }) {
    const networks: TinyClass = { units: 1, B, inputRadius: 1 };
    const eps = share * B;
    const ten = drawTiny(networks, 10, random);
    const exact = finiteCovering(
      ten.map((s) => ten.map((t) => tinyDistance(s, t, 1))),
      near * B,
    );
    const cover = greedyCover(networks, eps);
    const apart = packing(networks, eps, scale(4000), random);
    const whole = { widths: [1, 1, 1], B, inputRadius: 1, activation: "relu" } as const;
    return {
      ...(budget === "cheap" ? {} : { figure: figure(networks, random, scale(2000)) }),
      claims: {
        "ten functions, greatest packing of radius 2ε": checked(exact.packingTwice, exact.cover),
        "ten functions, least cover of radius ε": checked(exact.cover, exact.packing),
        "packing of radius 2ε": checked(apart.length, cover.size),
        "ln of the cover of radius ε": checked(
          Math.log(cover.size),
          certifiedLogCovering(whole, eps / 2).logCovering,
        ),
      },
    };
  },
});

/** Both sides and the certified bound as eps shrinks, for one unit. */
function figure({ B }: TinyClass, random: Random, tries: number): Figure {
  const one: TinyClass = { units: 1, B, inputRadius: 1 };
  const whole = { widths: [1, 1, 1], B, inputRadius: 1, activation: "relu" } as const;
  const radii = [2, 1.6, 1.3, 1, 0.8, 0.65].map((e) => e * B);
  return {
    title: "Covering numbers of a relu(w x + b) + c",
    panels: [
      {
        title: `Parameters within ±${B}`,
        x: { label: "ε", scale: "log" },
        y: { label: "functions", scale: "log" },
        series: [
          {
            name: "packing, 2ε apart",
            mark: "dots",
            points: radii.map((e) => [e, packing(one, e, tries, random).length]),
          },
          { name: "greedy cover", mark: "dots", points: radii.map((e) => [e, greedyCover(one, e).size]) },
          {
            name: "certified bound",
            mark: "line",
            role: "theory",
            points: radii.map((e) => [e, Math.exp(certifiedLogCovering(whole, e).logCovering)]),
          },
        ],
      },
    ],
  };
}
