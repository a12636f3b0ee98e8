import { differenceErrorAtLeast } from "../../approximate/smooth-activation/difference.ts";
import { measuredDifference } from "../../approximate/smooth-activation/measure.ts";
import { differenceMonomial } from "../../approximate/smooth-activation/monomial-network.ts";
import { run } from "../../engine/run.ts";
import { activation as activationOf } from "../../functions/activation.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { complexity } from "../../networks/layers/layers.ts";
import { unitRoundoff } from "../../numbers/floating-point.ts";
import { atLeast, atMost, checked, equals, fitted, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";
import { smoothMonomialFigure } from "../poggio/smooth-monomial-figure.ts";

export default lemma({
  id: "C1a-16",
  covers: ["C1a-16"],
  kind: "construction",
  title: "Monomials by divided differences of the activation",
  source: "Book, chapter 1, (1.12)",
  statement: String.raw`\Phi_h(x) = \sum_{i=0}^p \frac{(-1)^i \binom{p}{i}}{h^p \varrho^{(p)}(\lambda)} \varrho((p/2 - i) h x + \lambda), \qquad |\Phi_h(x) - x^p| \le \frac{p}{24} h^2 |x|^{p+2} \frac{\sup |\varrho^{(p+2)}|}{|\varrho^{(p)}(\lambda)|}`,
  parameters: {
    activation: choice(["tanh", "logistic", "softplus", "gaussian", "arctan", "exp", "sin", "cos"], {
      label: "activation ϱ",
    }),
    p: integer({ min: 1, max: 8, default: 3, label: "degree p" }),
    M: real({ min: 0.25, max: 2, default: 1, label: "interval [-M, M]" }),
    log2h: real({ min: -10, max: -2, default: -4, label: "log2 of the step h" }),
  },
  claims: {
    "sup |Φ_h - x^p|": atMost(
      String.raw`\frac{p}{24} h^2 M^{p+2} \frac{\sup |\varrho^{(p+2)}|}{|\varrho^{(p)}(\lambda)|} + \text{rounding}`,
    ),
    "sup |Φ_h - x^p|, from below": atLeast(
      String.raw`\frac{p}{24} h^2 M^{p+2} \frac{\inf |\varrho^{(p+2)}|}{|\varrho^{(p)}(\lambda)|} - \text{rounding}`,
    ),
    "exponent of the error in h": equals("2").rate(),
    units: equals("p + 1"),
    "exponent of the greatest weight in 1/h": equals("p"),
    "sup |Φ_h - x^p|, chosen h": atMost(String.raw`\text{truncation} + \text{rounding at this } h`),
    "truncation + rounding, chosen h": atMost(
      String.raw`\text{the same at the power of two next to } (2^{-53})^{1/(p+2)} / M`,
    ),
  },
  mutants: {
    "variance 1/12 of one uniform number, not of p": { "sup |Φ_h - x^p|": ({ p }, { theory }) => theory / p },
    "h for its square": {
      "sup |Φ_h - x^p|, from below": ({ log2h }, { theory }) => theory / 2 ** log2h,
    },
    "p units": { units: ({ p }) => p },
  },
  async run({ activation: name, p, M, log2h }, { budget, scale, progress }) {
    const h = 2 ** log2h;
    const built = differenceMonomial(name, p, { h, radius: M });
    const chosen = differenceMonomial(name, p, { radius: M });
    const options = { h, radius: M, at: built.at };
    const points = 2 * scale(200) + 1;
    const xs = Array.from({ length: points }, (_, k) => M * ((2 * k) / (points - 1) - 1));
    const errorOf = async (network: typeof built.network): Promise<number> => {
      const { y } = await run(network, { x: tensor(xs.map((x) => [x])) });
      return Float64Array.from(numbers(y!)).reduce(
        (most, v, k) => Math.max(most, Math.abs(v - xs[k]! ** p)),
        0,
      );
    };
    const [given, best] = [await errorOf(built.network), await errorOf(chosen.network)];
    await progress(0.5);
    // The dozen smallest steps above rounding: there the next order, h^4, is least.
    const steps = Array.from({ length: 33 }, (_, e) => 2 ** (-2 - e / 4) / M)
      .filter((s) => {
        const { error, rounding } = differenceMonomial(name, p, { h: s, radius: M });
        return error > 1000 * rounding;
      })
      .slice(-12);
    const half = differenceMonomial(name, p, { h: h / 2, radius: M });
    const balance = 2 ** Math.round(Math.log2(unitRoundoff) / (p + 2) - Math.log2(M));
    const balanced = differenceMonomial(name, p, { h: balance, radius: M });
    return {
      graph: chosen.network,
      ...(budget === "cheap" ? {} : { figure: smoothMonomialFigure(name, "central") }),
      claims: {
        "sup |Φ_h - x^p|": sampled(given, built.error + built.rounding),
        "sup |Φ_h - x^p|, from below": sampled(
          given,
          differenceErrorAtLeast(name, p, options) - built.rounding,
        ),
        ...(steps.length >= 6 && curvatureIsPlain(name, p)
          ? {
              "exponent of the error in h": fitted(
                steps.map((s) => [s, measuredDifference(name, p, { ...options, h: s })] as const),
                2,
                2 * (M * steps[0]!) ** 2 * nextOrder(name, p),
              ),
            }
          : {}),
        units: checked(complexity(built.network).width, p + 1),
        "exponent of the greatest weight in 1/h": checked(
          Math.log2(half.greatestWeight / built.greatestWeight),
          p,
          { tolerance: 2 ** -40 },
        ),
        "sup |Φ_h - x^p|, chosen h": sampled(best, chosen.error + chosen.rounding),
        "truncation + rounding, chosen h": checked(
          chosen.error + chosen.rounding,
          balanced.error + balanced.rounding,
        ),
      },
    };
  },
});

/** The central difference is x^p (1 + c_2 (h x)^2 + c_4 (h x)^4 + ...): |c_4 / c_2|. */
function nextOrder(name: Parameters<typeof measuredDifference>[0], p: number): number {
  const { derivative, genericPoint } = activationOf(name);
  return (
    (1 / 80 + (p - 1) / 48) * Math.abs(derivative(p + 4, genericPoint!) / derivative(p + 2, genericPoint!))
  );
}

/** The leading term is h^2 only where ϱ^(p+2)(λ) is not small itself. */
function curvatureIsPlain(name: Parameters<typeof measuredDifference>[0], p: number): boolean {
  const sigma = activationOf(name);
  const at = sigma.genericPoint!;
  return p + 4 <= 12 && Math.abs(sigma.derivative(p + 2, at)) > Math.abs(sigma.derivative(p + 4, at)) / 100;
}
