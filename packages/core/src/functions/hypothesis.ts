// Hypotheses of theorems on the activation, by name; one that is not met is refused, with the reason.
import { type Activation, type ActivationName, activation } from "./activation.ts";
import { ConstructError } from "./error.ts";

/** A theorem's hypothesis on the activation does not hold. */
export class UnmetHypothesis extends ConstructError {
  override readonly name: string = "UnmetHypothesis";
  readonly activation: ActivationName;
  readonly hypothesis: Hypothesis;

  constructor(name: ActivationName, hypothesis: Hypothesis) {
    const { needs, but } = hypotheses[hypothesis];
    super(`${name} ${but(activation(name))}, but the theorem needs ${needs}`);
    this.activation = name;
    this.hypothesis = hypothesis;
  }
}

interface HypothesisRow {
  holds(rho: Activation): boolean;
  /** "the theorem needs ..." */
  readonly needs: string;
  /** What the activation is instead. */
  but(rho: Activation): string;
}

const limitsOf = ({ limits }: Activation): string =>
  `has ${limits.map((l, k) => `${l === undefined ? "no limit" : `limit ${Number(l.toPrecision(6))}`} at ${k === 0 ? "-inf" : "inf"}`).join(" and ")}`;
const smoothnessOf = ({ smoothness }: Activation): string =>
  smoothness < 0 ? "is not continuous" : `has ${smoothness} continuous derivatives`;

const hypotheses = {
  nonpolynomial: {
    holds: (rho) => rho.polynomialDegree === undefined,
    needs: "an activation that is not a polynomial",
    but: (rho) => `is a polynomial of degree ${rho.polynomialDegree}`,
  },
  sigmoidal: {
    holds: ({ limits: [left, right] }) => left === 0 && right === 1,
    needs: "a sigmoidal activation: limits 0 at -inf and 1 at inf",
    but: limitsOf,
  },
  piecewiseLinear: {
    holds: ({ pieces, smoothness }) => pieces !== undefined && pieces.degree <= 1 && smoothness >= 0,
    needs: "a piecewise-linear activation: continuous, and affine between finitely many breakpoints",
    but: (rho) =>
      rho.pieces
        ? rho.smoothness < 0
          ? "is not continuous"
          : `has pieces of degree ${rho.pieces.degree}`
        : "is not made of finitely many polynomials",
  },
  piecewisePolynomial: {
    holds: ({ pieces }) => pieces !== undefined,
    needs: "a piecewise-polynomial activation: a polynomial between finitely many breakpoints",
    but: () => "is not made of finitely many polynomials",
  },
  positivelyHomogeneous: {
    holds: ({ homogeneity }) => homogeneity === 1,
    needs: "a positively homogeneous activation: rho(c x) = c rho(x) for c > 0",
    but: ({ homogeneity }) =>
      homogeneity === undefined ? "is not homogeneous" : `is homogeneous of degree ${homogeneity}`,
  },
  /** Euler's identity, which is the same thing as positive homogeneity where rho has a derivative. */
  rhoEqualsXTimesDerivative: {
    holds: ({ homogeneity }) => homogeneity === 1,
    needs: "an activation with rho(x) = x rho'(x)",
    but: () => "does not have it",
  },
  lipschitz: {
    holds: ({ lipschitz }) => lipschitz < Number.POSITIVE_INFINITY,
    needs: "a Lipschitz continuous activation",
    but: () => "has no Lipschitz constant",
  },
  bounded: {
    holds: ({ bounded }) => bounded,
    needs: "a bounded activation",
    but: () => "is unbounded",
  },
  continuous: {
    holds: ({ smoothness }) => smoothness >= 0,
    needs: "a continuous activation",
    but: smoothnessOf,
  },
  smooth: {
    holds: ({ smoothness }) => smoothness === Number.POSITIVE_INFINITY,
    needs: "a smooth activation: derivatives of every order",
    but: smoothnessOf,
  },
  genericPoint: {
    holds: ({ genericPoint }) => genericPoint !== undefined,
    needs: "a point near which the activation is smooth with no derivative zero",
    but: (rho) => (rho.polynomialDegree === undefined ? "is piecewise a polynomial" : "is a polynomial"),
  },
} as const satisfies Record<string, HypothesisRow>;

export type Hypothesis = keyof typeof hypotheses;
export const hypothesisNames = Object.keys(hypotheses) as readonly Hypothesis[];

/** Whether an activation has a property; `satisfies("tanh", "sigmoidal")` is false. */
export const satisfies = (name: ActivationName, hypothesis: Hypothesis): boolean =>
  hypotheses[hypothesis].holds(activation(name));

/**
 * The activation, if it has the property; an error that names the hypothesis if not.
 * @example requireHypothesis("logistic", "sigmoidal").limits // [0, 1]
 */
export function requireHypothesis(name: ActivationName, hypothesis: Hypothesis): Activation {
  if (!satisfies(name, hypothesis)) throw new UnmetHypothesis(name, hypothesis);
  return activation(name);
}
