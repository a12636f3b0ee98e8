import { run } from "../../engine/run.ts";
import { activation } from "../../functions/activation.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { layer, network } from "../../networks/layers/layers.ts";
import { checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";
import { type Dense, networkOfDense, randomDense, denseRounding as tolerance } from "../shen/dense.ts";

export default lemma({
  id: "C1a-03",
  covers: ["C1a-03"],
  kind: "construction",
  title: "A network without biases, on the input (x, 1)",
  source: "Book, chapter 1, Remark 1.5",
  statement: String.raw`\rho(c) \ne 0, \; \tau_0 = 1, \; \tau_\ell = \rho(c): \quad \hat W^{(\ell)} = \begin{bmatrix} W^{(\ell)} & b^{(\ell)} / \tau_{\ell-1} \\ 0 & c / \tau_{\ell-1} \end{bmatrix}, \quad \hat W^{(L)} = [W^{(L)} \; b^{(L)} / \tau_{L-1}]`,
  parameters: {
    activation: choice(["relu", "tanh", "logistic", "softplus", "elu"], { label: "activation" }),
    width: integer({ min: 1, max: 20, default: 6, label: "units a layer" }),
    depth: integer({ min: 1, max: 3, default: 2, label: "hidden layers" }),
  },
  claims: {
    "difference on (x, 1)": equals("0"),
    "biases that are not zero": equals("0"),
    weights: equals(String.raw`\sum_{\ell < L} (N_\ell + 1)(N_{\ell-1} + 1) + N_L (N_{L-1} + 1)`),
    "one hidden layer, with 1 in the corner: difference": equals(
      String.raw`\max_i |b^{(2)}_i| \, |\rho(1) - 1|`,
    ),
    "difference, with 1 in the corner": equals("0").printed({
      where: "Remark 1.5",
      printed: String.raw`any NN can always be written without bias vectors by redefining $x \rightarrow \begin{bmatrix} x \\ 1 \end{bmatrix}; \quad (W^{(\ell)}, b^{(\ell)}) \rightarrow \begin{bmatrix} W^{(\ell)} & b^{(\ell)} \\ 0 & 1 \end{bmatrix}; \quad \ell \in [L-1]$`,
      corrected: String.raw`only if $\varrho(1) = 1$; else the corner is $c / \varrho(c)$ (in the first layer $c$), and the biases of later layers are divided by $\varrho(c)$`,
    }),
  },
  mutants: {
    "the constant unit not counted": {
      weights: ({ width, depth }) => 4 * width + (depth - 1) * (width + 1) * width + 2 * (width + 1),
    },
    "the unit of the constant taken for ρ(0)": {
      "one hidden layer, with 1 in the corner: difference": ({ activation: name }, { theory }) =>
        (theory * (activation(name).value(0) - 1)) / (activation(name).value(1) - 1),
    },
  },
  async run({ activation: name, width, depth }, { random, scale }) {
    const rho = activation(name);
    const layers = randomDense(random, [3, ...Array.from({ length: depth }, () => width), 2]);
    const net = networkOfDense(layers, name);
    const right = augmented(layers, (l) => (l === 0 ? 1 : rho.value(1)));
    const printed = augmented(layers, () => 1);
    const [biasless, asPrinted] = [right, printed].map((rows) =>
      network(
        rows.map((r) => layer(r)),
        { activation: name },
      ),
    );
    const x = random.normal(3 * scale(200));
    const outputs = layers.at(-1)!.bias.map(Math.abs);
    const shift = Math.max(...outputs) * Math.abs(rho.value(1) - 1);
    const widthsOf = [4, ...new Array<number>(depth).fill(width + 1)];
    return {
      graph: biasless!,
      claims: {
        "difference on (x, 1)": sampled(await gap(net, biasless!, x), 0, { tolerance }),
        "biases that are not zero": checked(
          right.flatMap((rows) => layer(rows).bias).reduce((n, b) => n + b.filter((v) => v !== 0).length, 0),
          0,
        ),
        weights: checked(
          right.reduce((sum, rows) => sum + rows.length * rows[0]!.length, 0),
          widthsOf.slice(1).reduce((sum, n, l) => sum + n * widthsOf[l]!, 2 * (width + 1)),
        ),
        ...(depth === 1 && {
          "one hidden layer, with 1 in the corner: difference": sampled(
            await gap(net, asPrinted!, x, false),
            shift,
            { tolerance },
          ),
        }),
        "difference, with 1 in the corner": sampled(await gap(net, asPrinted!, x), 0, { tolerance }),
      },
    };
  },
});

/** Rows of each layer on (x, 1); tau(l) is the value of the last unit before layer l. */
function augmented(
  layers: readonly Dense[],
  tau: (l: number) => number,
): readonly (readonly (readonly number[])[])[] {
  return layers.map(({ weights, bias }, l) => {
    const rows = weights.map((row, i) => [...row, bias[i]! / tau(l)]);
    const constant = [...weights[0]!.map(() => 0), 1 / tau(l)];
    return l === layers.length - 1 ? rows : [...rows, constant];
  });
}

/** The greatest difference at these points; if relative, over the greatest value. */
async function gap(net: Graph, other: Graph, x: Float64Array, relative = true): Promise<number> {
  const count = x.length / 3;
  const wide = Float64Array.from({ length: 4 * count }, (_, k) =>
    k % 4 === 3 ? 1 : x[3 * Math.floor(k / 4) + (k % 4)]!,
  );
  const u = numbers((await run(net, { x: tensor(x, { dims: [count, 3] }) }))["y"]!);
  const v = numbers((await run(other, { x: tensor(wide, { dims: [count, 4] }) }))["y"]!);
  let [most, size] = [0, 1];
  for (let k = 0; k < u.length; k++) {
    most = Math.max(most, Math.abs(u[k]! - v[k]!));
    if (relative) size = Math.max(size, Math.abs(u[k]!));
  }
  return most / size;
}
