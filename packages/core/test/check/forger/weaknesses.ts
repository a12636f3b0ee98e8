// Mistakes that a checker could have, or has had.
import type { Weakness } from "./weakened.ts";

/** Found within ten thousand forgeries. */
export const weaknesses: readonly Weakness[] = [
  {
    what: "ordinary nodes read servants (as it was once)",
    soon: "b",
    changes: [
      [
        "column.ts",
        'if (node.servant !== undefined && this.node.servant === undefined && this.#block.kind !== "polynomial")',
        "if (false)",
      ],
      ["polynomial.ts", "servant !== undefined ? [] : op", "op"],
    ],
  },
  {
    what: "the error of the argument does not reach a polynomial",
    soon: "d",
    changes: [["univariate.ts", "X.add(sum(errorOf), growth(errorOf(id)))", "sum(errorOf)"]],
  },
  {
    what: "servants' errors do not count",
    changes: [["univariate.ts", "X.add(sum(errorOf), growth(errorOf(id)))", "growth(errorOf(id))"]],
  },
  {
    what: "a polynomial is near whatever it is",
    soon: "b",
    changes: [["univariate.ts", "column.need(isNear,", "column.need(isNear || true,"]],
  },
  {
    what: "a spline is looked at up to its first knot only",
    changes: [["spline.ts", "[...spline.knots, { at: upper, change: 0 }]", "spline.knots.slice(0, 1)"]],
  },
  {
    what: "weights of a sum may be any",
    changes: [
      ["blocks.ts", "...weights.map((w, k) => X.mul(off(node.coefficients![k]!, w), size(ranges[k]!))),", ""],
    ],
  },
  {
    what: "the constant of a square is not compared",
    changes: [["square.ts", "total([X.abs(constant),", "total([0,"]],
  },
  {
    what: "the last fold of a square is taken for 0",
    changes: [["square.ts", "{ lower: X.neg(X.mul(last, last)), upper: 0 }", "spanOf(0)"]],
  },
  {
    what: "what a maximum bends at is not compared",
    changes: [["blocks.ts", "of.get(bend!) === sign && isDifference", "of.get(bend!) === sign"]],
  },
  {
    what: "ranges are believed",
    soon: "e",
    changes: [["ranges.ts", "if (open.length === 0) return;", "return;"]],
  },
  {
    what: "the box is not compared with the ranges of the variables",
    soon: "e",
    changes: [["check.ts", "if (!holds(node.range, side))", "if (false)"]],
  },
  {
    what: "coefficients of the formula are not compared",
    soon: "b",
    changes: [["nodes.ts", "if (!isSame || !holdsAll ||", "if (!isSame ||"]],
  },
  {
    what: "a run does not round",
    soon: "b",
    changes: [["rounding.ts", "const error = addUp(addUp(carried, met),", "const error = addUp(carried,"]],
  },
  {
    what: "errors of arguments do not come through a square",
    changes: [
      [
        "blocks.ts",
        "X.mul(X.add(X.mul(2, size(column.exact(id))), errorOf(id)), errorOf(id))",
        "X.mul(errorOf(id), errorOf(id))",
      ],
    ],
  },
  {
    what: "errors of arguments do not come through a product",
    changes: [
      [
        "blocks.ts",
        "total([X.mul(x, errorOf(b)), X.mul(y, errorOf(a)), X.mul(errorOf(a), errorOf(b))])",
        "X.mul(errorOf(a), errorOf(b))",
      ],
    ],
  },
  {
    what: "errors of arguments do not come through a spline",
    soon: "e",
    changes: [
      ["univariate.ts", "growthOf(column.function, outward(column.exact(id)), steepest, errorOf(id))", "0"],
    ],
  },
  {
    what: "a fold need not be one of the fold before",
    soon: "a",
    changes: [["square.ts", " || only.of !== before", ""]],
  },
];

/** Found within thirty thousand: several changes must go together, or one must be of the right size. */
export const hardWeaknesses: readonly Weakness[] = [
  {
    what: "a node may stand anywhere",
    changes: [["check.ts", "y.scalars[0] !== scalarOf(scene.circuit, end)", "false"]],
  },
  {
    what: "computed values are taken to lie in exact ranges",
    changes: [
      [
        "column.ts",
        "return around(spanOf(lower, upper), this.#scene.known.get(id)!.runError);",
        "return spanOf(lower, upper);",
      ],
    ],
  },
];
