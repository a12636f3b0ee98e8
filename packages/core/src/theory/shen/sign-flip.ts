import { symmetryGroup } from "../../equivalence/group.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import {
  type Dense,
  denseValue,
  differenceOf,
  networkOfDense,
  randomDense,
  runtimeValue,
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
    "sigmoid: output less the same with units flipped and biases kept": equals(
      String.raw`c \sum_{j \text{ flipped}} W^{(2)}_{\cdot j}, \; c = 1`,
    ),
  },
  mutants: {
    "c = 1/2, where σ - 1/2 is odd": {
      "sigmoid: output less the same with units flipped and biases kept": (_, { theory }) => theory / 2,
    },
    "c with the other sign": {
      "sigmoid: output less the same with units flipped and biases kept": (_, { theory }) => -theory,
    },
    "one sign a layer": {
      "signs that the graph shows": ({ activation: name, depth }) => (name === "relu" ? 0 : depth),
    },
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
          "sigmoid: output less the same with units flipped and biases kept": await uncorrected(
            [layers[0]!, layers.at(-1)!],
            signs[0]!,
            Array.from(random.normal(3)),
          ),
        }),
      },
    };
  },
});

/** One hidden layer of sigmoids, flipped and run, against the original by plain sums. */
async function uncorrected(shallow: readonly [Dense, Dense], signs: readonly number[], x: readonly number[]) {
  const [after] = await runtimeValue(networkOfDense(negated(shallow, [signs], 0), "logistic"), x);
  const [before] = denseValue(shallow, (z) => 1 / (1 + Math.exp(-z)), x);
  const column = shallow[1].weights[0]!;
  const theory = signs.reduce((sum, sign, j) => sum + (sign < 0 ? column[j]! : 0), 0);
  return sampled(before! - after!, theory, { tolerance });
}

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
