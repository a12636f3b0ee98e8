import { symmetryGroup } from "../../symmetry/group.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import {
  type Dense,
  differenceOf,
  networkOfDense,
  randomDense,
  denseRounding as tolerance,
} from "./dense.ts";

export default lemma({
  id: "S-05",
  covers: ["S-05"],
  kind: "algorithm",
  title: "Negating a unit on the way in and on the way out",
  source: "Shen, slides of April 2024, sign flipping",
  statement: String.raw`\sigma(-z) = c - \sigma(z): \quad (W^{(l)}_j, b^{(l)}_j) \to -(W^{(l)}_j, b^{(l)}_j), \; W^{(l+1)}_{\cdot j} \to -W^{(l+1)}_{\cdot j}, \; b^{(l+1)} \to b^{(l+1)} + c \, W^{(l+1)}_{\cdot j}`,
  parameters: {
    activation: choice(["tanh", "logistic", "sin", "arctan", "relu"], { label: "activation" }),
    width: integer({ min: 1, max: 30, default: 8, label: "units a layer" }),
    depth: integer({ min: 1, max: 3, default: 2, label: "hidden layers" }),
  },
  claims: {
    "difference after random flips, biases corrected": equals("0"),
    "signs that the graph shows": equals(String.raw`\sum_l d_l`),
    "sigmoid: networks that a flip with corrected bias changes": equals(String.raw`\checkmark = 1`).printed({
      where: "table of activations, row Sigmoid, column Sign flipping",
      printed: "no sign flipping for the sigmoid",
      corrected: "1/(1 + e^z) = 1 - 1/(1 + e^-z): with the next bias corrected it is a symmetry",
    }),
  },
  async run({ activation: name, width, depth }, { random, scale }) {
    const layers = randomDense(random, [3, ...Array.from({ length: depth }, () => width), 2]);
    const net = networkOfDense(layers, name);
    const signs = Array.from({ length: depth }, () =>
      Array.from({ length: width }, (_, j) => (j === 0 || random.uniform() < 0.5 ? -1 : 1)),
    );
    const flipped = networkOfDense(negated(layers, signs, name === "logistic" ? 1 : 0), name);
    const difference = await differenceOf(net, flipped, random, 3, scale(200));
    const isOdd = name !== "relu";
    const count = symmetryGroup(net).signs;
    return {
      graph: flipped,
      claims: {
        ...(isOdd && {
          "difference after random flips, biases corrected": sampled(difference, 0, { tolerance }),
        }),
        // The graph pass knows Tanh, Sin and Sigmoid as operators; arctan is written with others in f64.
        ...(name !== "arctan" && { "signs that the graph shows": checked(count, isOdd ? depth * width : 0) }),
        ...(name === "logistic" && {
          "sigmoid: networks that a flip with corrected bias changes": sampled(
            difference > tolerance ? 1 : 0,
            1,
          ),
        }),
      },
    };
  },
});

/** Row j times s_j, the next column too; where s_j = -1, the next bias gains c times the old column. */
function negated(
  layers: readonly Dense[],
  signs: readonly (readonly number[])[],
  c: number,
): readonly Dense[] {
  return layers.map(({ weights, bias }, l) => {
    const before = signs[l - 1];
    const own = signs[l];
    const gained = bias.map(
      (b, i) => b + (before ? c * weights[i]!.reduce((sum, w, j) => sum + (before[j]! < 0 ? w : 0), 0) : 0),
    );
    return {
      weights: weights.map((row, i) => row.map((w, j) => w * (own?.[i] ?? 1) * (before?.[j] ?? 1))),
      bias: gained.map((b, i) => b * (own?.[i] ?? 1)),
    };
  });
}
