import type { Figure } from "../../figure/figure.ts";
import { battleLemarieBank } from "../../scattering/battle-lemarie.ts";
import { angularFrequency } from "../../scattering/filter-bank.ts";
import { propagate, type Scattered } from "../../scattering/propagate.ts";
import { translated, translationCertificate, translationFactor } from "../../scattering/translation.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { difference, distance, drawnSignal, norm } from "./signals.ts";

const rounding = 1e-11;
const order = 3;

export default lemma({
  id: "C8-16",
  covers: ["C8-16"],
  kind: "bound",
  title: "The scattering metric falls with J, and hardly sees a translation",
  source: "Book, chapter 8, Proposition 8.5, Theorem 8.6",
  statement: String.raw`\|S_{J+1} x - S_{J+1} y\| \le \|S_J x - S_J y\|, \qquad \|S_J[\Lambda^m] T_v x - S_J[\Lambda^m] x\| \le \|U[\Lambda^m] x\| \max_\omega |\hat\phi_J(\omega)| \, |e^{-i v \omega} - 1|`,
  parameters: {
    n: integer({ min: 12, max: 40, default: 32, label: "samples" }),
    J: integer({ min: 1, max: 3, default: 2, label: "scale J" }),
    v: integer({ min: 1, max: 6, default: 3, label: "shift" }),
  },
  claims: {
    "d at J + 1, orders up to 3": atMost(String.raw`d_J \text{, with what it has beyond order 3}`),
    "order 0, moved by v": atMost(String.raw`c_J(v) \|x\|`),
    "orders 1 and 2, moved by v": atMost(String.raw`c_J(v) \|U[\Lambda^m] x\|`).looseBy(1.3),
    "order 0 of the cosine that moves most": equals(String.raw`c_J(v) \|x\|`),
    "c_J(v), against its slope in v": atMost(String.raw`|v| \max_\omega |\omega \hat\phi_J(\omega)|`),
  },
  mutants: {
    "a smaller shift certified": {
      "order 0 of the cosine that moves most": ({ n, J, v }) =>
        translationFactor(battleLemarieBank({ length: n, scale: J }), [v - 1]) * Math.sqrt(n / 2),
    },
    "d falls to half with each J": { "d at J + 1, orders up to 3": (_, { theory }) => theory / 2 },
    "the slope of one sample": {
      "c_J(v), against its slope in v": ({ v }, { theory }) => theory / (2 * v),
    },
  },
  run({ n, J, v }, { random, budget }) {
    const [bank, coarser] = [J, J + 1].map((scale) => battleLemarieBank({ length: n, scale }));
    const x = drawnSignal(random, n);
    const y = random.integer(0, 1) === 0 ? translated(x, [n], [v]) : x.map((value) => value + 1);
    const factor = translationFactor(bank!, [v]);
    const { measured, bound } = translationCertificate(x, bank!, [v]);
    const { wave, size } = mover(n, v, bank!.lowPass.re);
    const moved = translationCertificate(wave, bank!, [v], { order: 0 }).measured[0]!;
    const zero = random.integer(0, 1) === 0 ? wave : x;
    const slope = bank!.lowPass.re.reduce(
      (most, h, k) => Math.max(most, Math.abs(angularFrequency(k, n) * h)),
      0,
    );
    const [far, near] = [scatteringDistance(x, y, coarser!, false), scatteringDistance(x, y, bank!, true)];
    const tight = [1, 2].reduce((a, b) => (measured[b]! * bound[a]! > measured[a]! * bound[b]! ? b : a));
    return {
      ...(budget !== "cheap" && { figure: figure(x, v) }),
      claims: {
        "d at J + 1, orders up to 3": checked(far, near, { tolerance: rounding * (1 + norm(x)) }),
        "order 0, moved by v": checked(
          translationCertificate(zero, bank!, [v], { order: 0 }).measured[0]!,
          factor * norm(zero),
          { tolerance: rounding * (1 + norm(x)) },
        ),
        "orders 1 and 2, moved by v": checked(measured[tight]!, bound[tight]!, {
          tolerance: rounding * (1 + norm(x)),
        }),
        "order 0 of the cosine that moves most": checked(moved, factor * size, {
          tolerance: rounding * size,
        }),
        "c_J(v), against its slope in v": checked(factor, v * slope, { tolerance: rounding }),
      },
    };
  },
});

/** The cosine whose average moves most, of frequencies below pi, and its norm. */
function mover(n: number, v: number, low: Float64Array): { wave: Float64Array; size: number } {
  const gains = Array.from(low, (h, k) => Math.abs(h * 2 * Math.sin((Math.PI * k * v) / n)));
  const k = gains.indexOf(Math.max(...gains));
  const wave = Float64Array.from({ length: n }, (_, u) => Math.cos((2 * Math.PI * k * u) / n));
  return { wave, size: norm(wave) };
}

/** |S x - S y| over all paths up to the order; with what further orders can add, if that is asked for. */
function scatteringDistance(
  x: Float64Array,
  y: Float64Array,
  bank: Parameters<typeof propagate>[1],
  isWhole: boolean,
): number {
  const options = { order: order + (isWhole ? 1 : 0), paths: "all" } as const;
  const [a, b] = [propagate(x, bank, options), propagate(y, bank, options)];
  const part = (p: Scattered): Float64Array => (p.wavelets.length > order ? p.propagated : p.averaged);
  return norm(a.map((p, k) => norm(difference(part(p), part(b[k]!)))));
}

function figure(x: Float64Array, v: number): Figure {
  const n = x.length;
  const scales = [1, 2, 3, 4, 5].filter((J) => 2 ** J <= n);
  const y = translated(x, [n], [v]);
  return {
    title: `A shift by ${v} of ${n} samples`,
    panels: [
      {
        title: "Distance, and the factor of its certificate",
        x: { label: "J" },
        y: { label: "relative to |x|", scale: "log" },
        series: [
          {
            ...{ name: "|S x_v - S x|", mark: "dots" as const },
            points: scales.map((J) => {
              const bank = battleLemarieBank({ length: n, scale: J });
              return [J, Math.max(2 ** -52, scatteringDistance(x, y, bank, false) / norm(x))] as const;
            }),
          },
          {
            ...{ name: "c_J(v)", mark: "line" as const, role: "theory" as const },
            points: scales.map(
              (J) =>
                [
                  J,
                  Math.max(2 ** -52, translationFactor(battleLemarieBank({ length: n, scale: J }), [v])),
                ] as const,
            ),
          },
          {
            ...{ name: "|x_v - x|", mark: "line" as const },
            points: scales.map((J) => [J, distance(x, y) / norm(x)] as const),
          },
        ],
      },
    ],
  };
}
