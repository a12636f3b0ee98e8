// Risks from covering numbers in the sup norm.
import { certifiedLogCovering, type NetworkClass } from "../covering.ts";
import { excessRiskBound, type RiskOptions } from "../risk-from-covering.ts";
import { arePositive, type GeneralizationBound, type Hypothesis, sampleHypotheses, stated } from "./bound.ts";
import { type MarginBase, marginHypotheses } from "./margin.ts";
import { gridLevel } from "./union-grid.ts";

const lossHypotheses = ({ M, lipschitz, ...sample }: RiskOptions): readonly Hypothesis[] => [
  ...sampleHypotheses(sample),
  ["losses lie in [0, M] and are Lipschitz in the prediction", arePositive(M, lipschitz)],
];

/** R(empirical minimizer) - min R over a class that was fixed before the sample. */
export const coveringExcessBound = (
  logCovering: (eps: number) => number,
  options: RiskOptions,
): GeneralizationBound =>
  stated(
    {
      id: "covering-excess",
      name: "Covering numbers (excess risk of the minimizer)",
      quantity: "excess",
      delta: options.delta,
      trivial: options.M,
      hypotheses: [...lossHypotheses(options), ["the function minimizes the empirical risk in the class"]],
    },
    () => excessRiskBound(logCovering, options).value,
  );

export interface CoveringMarginOptions extends MarginBase {
  /** Widths, activation and radius of the inputs; B is the greatest size of a trained weight or bias. */
  readonly networks: NetworkClass;
}

/**
 * marginLoss + 2 (2 / margin) eps + sqrt((ln N(eps) + ln 1/delta') / (2 n)), with the certified covering number of all
 * networks whose parameters are at most B; grids of B and of the margin share delta, eps is chosen from these alone.
 */
export const coveringMarginBound = ({
  networks,
  margin,
  marginLoss,
  n,
  delta,
}: CoveringMarginOptions): GeneralizationBound =>
  stated(
    {
      id: "covering",
      name: "Covering numbers (certified)",
      delta,
      hypotheses: [
        ...marginHypotheses({ margin, marginLoss, n, delta }),
        ["the network is layered and fully connected", networks.widths.length >= 2],
        ["inputs stay within a known radius", arePositive(networks.inputRadius)],
        ["the greatest parameter is positive", arePositive(networks.B)],
      ],
    },
    () => {
      const size = gridLevel(networks.B);
      const steepness = gridLevel(1 / margin);
      const whole = { ...networks, B: size.level };
      const share = Math.log((size.cost * steepness.cost) / delta);
      // One score is compared with 0, several with each other: twice as steep in the sup norm.
      const lipschitz = (networks.widths.at(-1) === 1 ? 1 : 2) * steepness.level;
      let least = Number.POSITIVE_INFINITY;
      for (let k = -80; k <= 8; k++) {
        const eps = 2 ** (k / 2) / lipschitz;
        const deviation = Math.sqrt((certifiedLogCovering(whole, eps).logCovering + share) / (2 * n));
        least = Math.min(least, 2 * lipschitz * eps + deviation);
      }
      return marginLoss + least;
    },
  );
