import { symmetryGroup } from "../../equivalence/group.ts";
import { type ActivationName, activation } from "../../functions/activation.ts";
import { logFactorial } from "../../numbers/combinatorics.ts";
import type { Random } from "../../numbers/random.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import {
  type Dense,
  denseValue,
  differenceOf,
  networkOfDense,
  randomDense,
  denseRounding as tolerance,
} from "./dense.ts";

export default lemma({
  id: "S-06",
  covers: ["S-06"],
  kind: "algorithm",
  title: "Reordering hidden units",
  source: "Shen, slides of April 2024, functionally equivalent networks via permutation",
  statement: String.raw`W_1^{(l)} = P_l W_2^{(l)} P_{l-1}^\top, \quad b_1^{(l)} = P_l b_2^{(l)}, \quad W_1^{(L+1)} = W_2^{(L+1)} P_L^\top, \quad b_1^{(L+1)} = b_2^{(L+1)}`,
  parameters: {
    activation: choice(["relu", "tanh", "softplus"], { label: "activation" }),
    width: integer({ min: 1, max: 30, default: 4, label: "units a layer" }),
    depth: integer({ min: 1, max: 3, default: 1, label: "hidden layers" }),
  },
  claims: {
    "difference, P transposed on the way out": equals("0"),
    "ln of the permutations that the graph shows": equals(String.raw`\sum_l \ln d_l!`),
    "difference, a cycle P on the way out": equals("0").printed({
      where: "Example (Permutation)",
      printed: String.raw`(PW_2^{(1)}, Pb_2^{(1)}) = (W_1^{(1)}, b_1^{(1)}) \quad \text{and} \quad W_2^{(2)}P = W_1^{(2)}`,
      corrected: String.raw`(PW_2^{(1)}, Pb_2^{(1)}) = (W_1^{(1)}, b_1^{(1)}) \quad \text{and} \quad W_2^{(2)}P^\top = W_1^{(2)}`,
    }),
    "difference, b^{(L)} the same and b^{(L+1)} another": equals("0").printed({
      where: "Proposition (Permutation equivalence for deep networks), the last condition",
      printed: String.raw`W_1^{(L+1)} = W_2^{(L+1)} P_L^\top, \quad b_1^{(L)} = b_2^{(L)}`,
      corrected: String.raw`W_1^{(L+1)} = W_2^{(L+1)} P_L^\top, \quad b_1^{(L+1)} = b_2^{(L+1)}`,
    }),
  },
  mutants: {
    "one permutation for all layers": {
      "ln of the permutations that the graph shows": ({ width }) => logFactorial(width),
    },
    "orders up to rotation": {
      "ln of the permutations that the graph shows": ({ width, depth }) => depth * logFactorial(width - 1),
    },
  },
  async run({ activation: name, width, depth }, { random, scale }) {
    const layers = randomDense(random, [3, ...Array.from({ length: depth }, () => width), 2]);
    const net = networkOfDense(layers, name);
    // moves[j] is where unit j goes: (P x)_{moves[j]} = x_j.
    const moves = Array.from({ length: depth }, () => Array.from(random.permutation(width)));
    const cycle = Array.from({ length: width }, (_, j) => (j + 1) % width);
    const backwards = cycle.map((_, j) => (j + width - 1) % width);
    const difference = (other: readonly Dense[]) =>
      differenceOf(net, networkOfDense(other, name), random, 3, scale(200));
    const right = permuted(layers, moves, moves);
    return {
      graph: networkOfDense(right, name),
      claims: {
        "difference, P transposed on the way out": sampled(await difference(right), 0, { tolerance }),
        "ln of the permutations that the graph shows": checked(
          symmetryGroup(net).logPermutations,
          depth * logFactorial(width),
          { tolerance: 1e-12 * depth * width ** 2 }, // logarithms of up to 30!, added up
        ),
        "difference, b^{(L)} the same and b^{(L+1)} another": sampled(
          await otherOutputBias(layers, moves, name, random),
          0,
          { tolerance },
        ),
        ...(depth === 1 && {
          "difference, a cycle P on the way out": sampled(
            await difference(permuted(layers, [cycle], [backwards])),
            0,
            { tolerance },
          ),
        }),
      },
    };
  },
});

/** All that the proposition asks for, biases of the last hidden layer equal so that P_L keeps them; at one point. */
async function otherOutputBias(
  layers: readonly Dense[],
  moves: readonly (readonly number[])[],
  name: ActivationName,
  random: Random,
): Promise<number> {
  const even = layers.map((layer, l) =>
    l === layers.length - 2 ? { ...layer, bias: layer.bias.map(() => layer.bias[0]!) } : layer,
  );
  const moved = permuted(even, moves, moves);
  const other = [...moved.slice(0, -1), { ...moved.at(-1)!, bias: Array.from(random.normal(2)) }];
  const x = Array.from(random.normal(3));
  const sigma = activation(name).value;
  const [u, v] = [denseValue(even, sigma, x), denseValue(other, sigma, x)];
  return Math.max(...u.map((y, i) => Math.abs(y - v[i]!)));
}

/** Rows of layer l go where `rows` says, columns of the next where `columns` says. */
function permuted(
  layers: readonly Dense[],
  rows: readonly (readonly number[])[],
  columns: readonly (readonly number[])[],
): readonly Dense[] {
  return layers.map(({ weights, bias }, l) => {
    const [to, from] = [rows[l], columns[l - 1]];
    const place = <T>(items: readonly T[], moves: readonly number[] | undefined): T[] => {
      const placed = [...items];
      moves?.forEach((target, j) => {
        placed[target] = items[j]!;
      });
      return placed;
    };
    return {
      weights: place(
        weights.map((row) => place(row, from)),
        to,
      ),
      bias: place(bias, to),
    };
  });
}
