import { polynomialDimension, universality } from "../../approximate/interpolation/index.ts";
import type { Figure } from "../../figure/figure.ts";
import { type ActivationName, activation } from "../../functions/activation.ts";
import { dot } from "../../linear-algebra/dot.ts";
import { symmetricEigen } from "../../linear-algebra/symmetric-eigen.ts";
import type { Random } from "../../numbers/random.ts";
import { checked, equals, type Measurement } from "../claim.ts";
import { type LemmaTable, lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

const names = [
  "relu",
  "tanh",
  "logistic",
  "softplus",
  "heaviside",
  "gaussian",
  "sin",
  "elu",
  "linear",
] as const;

export default lemma({
  id: "C1a-15",
  covers: ["C1a-15"],
  kind: "measure",
  title: "Which activations are universal",
  source: "Book, chapter 1, Theorem 1.16; Leshno, Lin, Pinkus, Schocken 1993",
  statement: String.raw`C(K) \subset \operatorname{cl} \bigcup_n \mathcal F_{(d, n, 1), \varrho} \iff \varrho \text{ is no polynomial}; \qquad \deg \varrho = q: \; \dim \operatorname{span}\{\varrho(\langle w, \cdot \rangle + b)\} = \binom{q + d}{d}`,
  parameters: {
    rho: choice(names, { label: "activation" }),
    q: integer({ min: 1, max: 3, default: 2, label: "degree of a drawn polynomial" }),
    d: integer({ min: 1, max: 3, default: 2, label: "inputs d" }),
  },
  claims: {
    "universal by the rank of its neurons": equals(String.raw`1 \text{ unless a polynomial}`),
    "rank of neurons that are polynomials": equals(String.raw`\binom{q + d}{d}`),
    "degree that the rank tells": equals("q"),
    "neurons of degree q against a measure on one point more": equals("0"),
  },
  mutants: {
    "homogeneous polynomials only": {
      "rank of neurons that are polynomials": ({ q, d }) =>
        polynomialDimension(q, d) - polynomialDimension(q - 1, d),
    },
    "the identity taken for universal": { "universal by the rank of its neurons": () => 1 },
    "a degree more": ({ q }) => ({ q: q + 1 }),
  },
  run({ rho, q, d }, { random, budget }) {
    const coefficients = [...random.normal(q), 1];
    const drawn = (z: number): number => coefficients.reduceRight((sum, c) => sum * z + c, 0);
    const polynomial = universality(drawn, d, random);
    return {
      ...(budget === "cheap" ? {} : shown(random)),
      claims: {
        "universal by the rank of its neurons": checked(
          Number(universality(activation(rho).value, d, random).universal),
          Number(activation(rho).polynomialDegree === undefined),
        ),
        "rank of neurons that are polynomials": checked(polynomial.rank, polynomialDimension(q, d)),
        "degree that the rank tells": checked(polynomial.degree ?? -1, q),
        "neurons of degree q against a measure on one point more": annihilated(drawn, q, d, random),
      },
    };
  },
});

/** Exponents of all monomials of d variables up to this degree. */
const exponents = (q: number, d: number): readonly (readonly number[])[] =>
  d === 0
    ? [[]]
    : Array.from({ length: q + 1 }, (_, k) => exponents(q - k, d - 1).map((rest) => [k, ...rest])).flat();

/**
 * Such a rho is not discriminatory: weights mu on C(q + d, d) + 1 points that no monomial of degree q sees, against fresh
 * neurons. mu is an eigenvector of the least eigenvalue, exact up to rounding over the gap.
 */
function annihilated(rho: (z: number) => number, q: number, d: number, random: Random): Measurement {
  const count = polynomialDimension(q, d) + 1;
  const x = Array.from({ length: count }, () => random.uniform(d).map((u) => 2 * u - 1));
  const rows = exponents(q, d).map((powers) => x.map((v) => powers.reduce((p, e, k) => p * v[k]! ** e, 1)));
  const gram = x.map((_, i) => x.map((__, j) => rows.reduce((sum, row) => sum + row[i]! * row[j]!, 0)));
  const { values, vectors } = symmetricEigen(gram);
  let [greatest, size] = [0, 0];
  for (let k = 0; k < 20; k++) {
    const [w, b] = [random.normal(d), random.normal()];
    const outputs = x.map((v) => rho(dot(w, v) + b));
    greatest = Math.max(greatest, Math.abs(dot(outputs, vectors[0]!)));
    size = Math.max(size, Math.sqrt(dot(outputs, outputs)));
  }
  return checked(greatest, 0, { tolerance: (2 ** -48 * count * size * values.at(-1)!) / values[1]! });
}

/** Rank against points, in two dimensions: it stays where a polynomial's dimensions end. */
function shown(random: Random): { figure: Figure; table: LemmaTable } {
  const d = 2;
  const degrees = [1, 2, 3, 4, 5];
  const rank = (rho: (z: number) => number) =>
    degrees.map((q) => {
      const { rank: found, points } = universality(rho, d, random, q);
      return [points, found] as const;
    });
  const shapes: readonly (readonly [string, (z: number) => number])[] = [
    ["z", (z) => z],
    ["z²", (z) => z * z],
    ["z³ - z", (z) => z ** 3 - z],
    ...(["relu", "tanh", "heaviside"] as const).map((name) => [name, activation(name).value] as const),
  ];
  const inLibrary = names.map((name: ActivationName) => {
    const found = universality(activation(name).value, d, random);
    return [name, found.universal ? "yes" : `no, degree ${found.degree}`, found.rank, found.points] as const;
  });
  return {
    figure: {
      title: "Neurons that are polynomials span few functions, however many there are",
      panels: [
        {
          title: "Rank of random neurons, two inputs",
          x: { label: "points" },
          y: { label: "rank" },
          series: shapes.map(([name, rho]) => ({ name, mark: "line" as const, points: rank(rho) })),
        },
      ],
    },
    table: {
      title: "Universal, as far as neurons at points of the square tell",
      columns: ["activation", "universal", "rank", "points"],
      rows: inLibrary,
    },
  };
}
