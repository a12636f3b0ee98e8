import type { Figure } from "../../figure/figure.ts";
import { dropoutLoss, expectedDropoutLoss, type Factors } from "../../landscape/linear/dropout.ts";
import { doubles, matrixAlgebra, rationals } from "../../linear-algebra/matrix-algebra.ts";
import { div } from "../../numbers/exact/rational.ts";
import { equals, proved } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

const algebra = matrixAlgebra(rationals);

export default lemma({
  id: "C4-24",
  covers: ["C4-24"],
  kind: "measure",
  title: "Dropout of linear hidden units is a penalty on products of norms",
  source: "Book, chapter 4, introduction (cited there); Cavazza et al. 2018",
  statement: String.raw`\mathbb E \bigl\| Y - \tfrac1q U \operatorname{diag}(b) V^\top \bigr\|_F^2 = \|Y - U V^\top\|_F^2 + \tfrac{1 - q}{q} \sum_i \|u_i\|^2 \|v_i\|^2`,
  parameters: {
    n0: integer({ min: 1, max: 4, default: 3, label: "inputs" }),
    n1: integer({ min: 1, max: 6, default: 4, label: "hidden units" }),
    n2: integer({ min: 1, max: 4, default: 2, label: "outputs" }),
    tenths: integer({ min: 1, max: 10, default: 7, label: "probability of keeping a unit, in tenths" }),
  },
  claims: {
    "mean of the loss over all masks": equals(
      String.raw`\|Y - U V^\top\|_F^2 + \tfrac{1 - q}{q} \sum_i \|u_i\|^2 \|v_i\|^2`,
    ),
  },
  mutants: {
    "q (1 - q) for (1 - q) / q": {
      "mean of the loss over all masks": ({ n0, n1, n2, tenths }, { theory }) =>
        theory + n0 * n1 * n2 * (1 - tenths / 10) * (tenths / 10 - 10 / tenths),
    },
    "another probability of keeping a unit": ({ tenths }) => ({ tenths: Math.max(1, tenths - 1) }),
  },
  run({ n0, n1, n2, tenths }, { random, budget }) {
    const draw = (rows: number, columns: number, label: string) =>
      Array.from({ length: rows }, (_, i) =>
        Array.from({ length: columns }, (__, j) => random.split(`${label} ${i} ${j}`).integer(1, 4)),
      );
    const factors = { u: draw(n2, n1, "u"), v: draw(n0, n1, "v"), y: draw(n2, n0, "y") };
    const keep = div(tenths, 10);
    return {
      ...(budget !== "cheap" && { figure: figure(factors) }),
      claims: {
        "mean of the loss over all masks": proved(
          expectedDropoutLoss(algebra, factors, keep),
          dropoutLoss(algebra, factors, keep),
        ),
      },
    };
  },
});

/** The mean over all masks at each tenth, beside the penalized loss, by the probability of keeping a unit. */
function figure(factors: Factors<number>): Figure {
  const numbers = matrixAlgebra(doubles);
  const from = (low: number, count: number) =>
    Array.from({ length: count }, (_, k) => low + ((1 - low) * k) / (count - 1));
  return {
    title: "Dropout of linear hidden units",
    panels: [
      {
        title: "Loss by the probability of keeping a unit",
        x: { label: "probability of keeping a unit" },
        y: { label: "loss" },
        series: [
          {
            name: "loss and penalty",
            mark: "line",
            role: "theory",
            points: from(0.1, 91).map((q) => [q, dropoutLoss(numbers, factors, q)] as const),
          },
          {
            name: "mean over all masks",
            mark: "dots",
            like: "loss and penalty",
            points: from(0.1, 10).map((q) => [q, expectedDropoutLoss(numbers, factors, q)] as const),
          },
        ],
      },
    ],
  };
}
