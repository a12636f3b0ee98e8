// The figure of P-12 and C1a-16: error against step, truncation on the right and rounding on the left.
import { type DifferenceScheme, differenceError } from "../../approximate/smooth-activation/difference.ts";
import { measuredDifference } from "../../approximate/smooth-activation/measure.ts";
import { differenceMonomial, genericPoint } from "../../approximate/smooth-activation/monomial-network.ts";
import type { Figure, Series } from "../../figure/figure.ts";
import type { SmoothActivation } from "../../functions/smooth.ts";

const steps = Array.from({ length: 49 }, (_, e) => 2 ** (-e / 2));
const orders = [1, 2, 3, 4, 5];
const drawn = (y: number): boolean => y > 1e-12 && y < 10;

export function smoothMonomialFigure(name: SmoothActivation, scheme: DifferenceScheme): Figure {
  const at = genericPoint(name);
  const measured = orders.map(
    (k): Series => ({
      name: `x^${k}`,
      mark: "line",
      points: steps
        .map((h) => [h, measuredDifference(name, k, { h, at, scheme }, 61)] as const)
        .filter(([, y]) => drawn(y)),
    }),
  );
  const theory = (k: number): Series[] => [
    {
      name: `truncation, bound, x^${k}`,
      mark: "line",
      role: "theory",
      points: steps
        .map((h) => [h, differenceError(name, k, { h, at, scheme })] as const)
        .filter(([, y]) => drawn(y)),
    },
    {
      name: `rounding, bound, x^${k}`,
      mark: "line",
      role: "theory",
      points: steps
        .map((h) => [h, differenceMonomial(name, k, { h, at, scheme }).rounding] as const)
        .filter(([, y]) => drawn(y)),
    },
  ];
  const axes = {
    x: { label: "step h", scale: "log" },
    y: { label: "sup error on [-1, 1]", scale: "log" },
  } as const;
  return {
    title: `Monomials from ${scheme} differences of ${name}`,
    panels: [
      { title: "Measured in doubles", ...axes, series: measured },
      { title: "What bounds it", ...axes, series: [measured[1]!, ...theory(2), measured[3]!, ...theory(4)] },
    ],
  };
}
