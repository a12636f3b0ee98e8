import {
  codesOf,
  drawnCode,
  effectiveDictionary,
  modelDimension,
  nonzeros,
} from "../../sparse/layers/model.ts";
import { synthesize } from "../../sparse/pursuit/dictionary.ts";
import { atMost, checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";
import { normalDictionary, someOf } from "./draws.ts";

export default lemma({
  id: "C7-07",
  covers: ["C7-07"],
  kind: "measure",
  title: "Signals with two sparse layers: how many dimensions they have, and when there are none",
  source: "Book, chapter 7, (7.7), (7.19) and section 7.5; Aberdam, Sulam and Elad 2019",
  statement: String.raw`\{x_2 : \operatorname{supp} x_2 \subseteq \Lambda, \; (D_2 x_2)_Z = 0\} \text{ has dimension } s_2 - r, \quad r = \operatorname{rank} \Phi_\Lambda = \min(n_1 - s_1, s_2) \text{ for dictionaries in general position}`,
  parameters: {
    n0: integer({ min: 2, max: 20, default: 15, label: "numbers of a signal" }),
    n1: integer({ min: 3, max: 30, default: 20, label: "atoms of the first dictionary" }),
    n2: integer({ min: 3, max: 40, default: 25, label: "atoms of the second" }),
    s1: integer({
      min: 1,
      max: 30,
      default: 14,
      label: "nonzeros of the first code, as far as there are atoms",
    }),
    s2: integer({ min: 1, max: 40, default: 10, label: "nonzeros of the second, likewise" }),
  },
  claims: {
    r: equals(String.raw`\min(n_1 - s_1, s_2)`),
    "dimensions of the signals' codes, from drawn codes": equals("s_2 - r"),
    "codes that a drawn one makes: nonzeros of x_1": equals("s_1"),
    "nonzeros of x_2": equals("s_2"),
    "x_1 where it must vanish": equals("0"),
    "x_0 by way of x_1, less the effective dictionary's": equals("0"),
    "nonzeros of D_2 x_2": atMost("s_2").printed({
      where: "(7.19)",
      printed:
        "$\\|\\mathbf{D}^{[i,L]} \\mathbf{x}^{[L]}\\|_0 \\leq s_i, \\quad \\text{for all } 2 \\leq i \\leq L$",
      corrected:
        "$\\|D^{[i,L]} x^{[L]}\\|_0 \\le s_{i-1}$: it is $x^{[i-1]}$ that $D^{[i,L]}$ makes of $x^{[L]}$, and with $s_2 < s_1$ no code of the model is sparse enough",
    }),
  },
  mutants: {
    "a zero not counted": { r: ({ n1, s1, s2, n2 }) => Math.min(n1 - Math.min(s1, n1) - 1, s2, n2) },
    "zeros that are counted twice": {
      "dimensions of the signals' codes, from drawn codes": (_, { theory }) => Number(theory) - 1,
    },
    "a nonzero lost": {
      "codes that a drawn one makes: nonzeros of x_1": ({ s1, n1 }) => Math.min(s1, n1) - 1,
    },
  },
  run({ n0, n1, n2, s1: most1, s2: most2 }, { random }) {
    const [s1, s2] = [Math.min(most1, n1), Math.min(most2, n2)];
    const layers = [
      normalDictionary(n0, n1, random.split("D1")),
      normalDictionary(n1, n2, random.split("D2")),
    ] as const;
    const pattern = {
      support: someOf(n2, s2, random.split("support")),
      zeros: [someOf(n1, n1 - s1, random.split("zeros"))],
    };
    const r = Math.min(n1 - s1, s2);
    const { rank, dimension } = modelDimension(layers, pattern);
    const draws = Array.from({ length: s2 + 1 }, (_, k) =>
      drawnCode(layers, pattern, random.split(`code ${k}`)),
    ).filter((x) => x !== undefined);
    const [x] = draws;
    if (!x)
      return {
        claims: {
          r: checked(rank, r),
          "dimensions of the signals' codes, from drawn codes": checked(dimension, s2 - r),
        },
      };
    const [x1, x2] = codesOf(layers, x) as [Float64Array, Float64Array];
    const plain = synthesize(layers[1], x);
    const direct = synthesize(effectiveDictionary(layers), x);
    const layered = synthesize(layers[0], plain);
    const size = Math.hypot(...layered) + Math.hypot(...plain);
    return {
      claims: {
        r: checked(rank, r),
        "dimensions of the signals' codes, from drawn codes": checked(rankOf(draws, n2), s2 - r),
        "codes that a drawn one makes: nonzeros of x_1": checked(nonzeros(x1), s1),
        "nonzeros of x_2": checked(nonzeros(x2), s2),
        "x_1 where it must vanish": checked(
          pattern.zeros[0]!.reduce((m, i) => Math.max(m, Math.abs(plain[i]!)), 0),
          0,
          { tolerance: 1e-12 * size },
        ),
        "x_0 by way of x_1, less the effective dictionary's": checked(
          direct.reduce((m, v, i) => Math.max(m, Math.abs(v - layered[i]!)), 0),
          0,
          { tolerance: 1e-12 * size },
        ),
        "nonzeros of D_2 x_2": checked(nonzeros(x1), s2),
      },
    };
  },
});

/** Independent vectors among some, by elimination with the greatest pivots. */
function rankOf(vectors: readonly Float64Array[], length: number): number {
  const rows = vectors.map((v) => v.map((e) => e / Math.hypot(...v)));
  let rank = 0;
  for (let column = 0; column < length && rank < rows.length; column++) {
    let best = rank;
    for (let i = rank; i < rows.length; i++)
      if (Math.abs(rows[i]![column]!) > Math.abs(rows[best]![column]!)) best = i;
    if (Math.abs(rows[best]![column]!) < 1e-9) continue;
    const pivot = rows[best]!;
    [rows[rank], rows[best]] = [pivot, rows[rank]!];
    for (let i = rank + 1; i < rows.length; i++) {
      const factor = rows[i]![column]! / pivot[column]!;
      rows[i] = rows[i]!.map((v, j) => v - factor * pivot[j]!);
    }
    rank++;
  }
  return rank;
}
