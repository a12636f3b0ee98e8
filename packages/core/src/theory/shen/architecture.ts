import { complexity, layersOf } from "../../networks/layers/layers.ts";
import { randomNetwork } from "../../networks/layers/random.ts";
import { sizes } from "../../passes/sizes.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "S-01",
  covers: ["S-01"],
  kind: "measure",
  title: "Depth, width, size and neurons of a network",
  source: "Shen, slides of April 2024, feedforward neural networks",
  statement: String.raw`\mathcal{D} = L, \quad \mathcal{W} = \max(d_1, \dots, d_L), \quad \mathcal{S} = \sum_{i=0}^{L} d_{i+1} (d_i + 1), \quad \mathcal{U} = \sum_{i=1}^{L} d_i`,
  parameters: {
    d0: integer({ min: 1, max: 20, default: 3, label: "inputs d_0" }),
    d1: integer({ min: 1, max: 20, default: 4, label: "units d_1" }),
    d2: integer({ min: 0, max: 20, default: 3, label: "units d_2 (0: no such layer)" }),
    out: integer({ min: 1, max: 10, default: 2, label: "outputs" }),
  },
  claims: {
    depth: equals("L"),
    width: equals(String.raw`\max(d_1, \dots, d_L)`),
    size: equals(String.raw`\sum_i d_{i+1} (d_i + 1)`),
    neurons: equals(String.raw`\sum_{i=1}^L d_i`),
    "size of a shallow network": equals("(d_0 + 2) d_1 + 1"),
    "columns of W⁽¹⁾": equals("d_1").printed({
      where: "Feedforward neural networks, item 2",
      printed: String.raw`$\mathcal{A}_i(x) = W^{(i)}x + b^{(i)}$ is the $i$-th linear transformation with $x \in \mathbb{R}^{d_i}$ where $W^{(i)} \in \mathbb{R}^{d_{i+1} \times d_i}$ is the weight matrix`,
      corrected: String.raw`$x \in \mathbb{R}^{d_{i-1}}$, $W^{(i)} \in \mathbb{R}^{d_i \times d_{i-1}}$: the network starts with $\mathcal{A}_1$, inputs are $d_0$ in the size $\mathcal{S}$ and in the figure with $(d_0, d_1, d_2, d_3) = (3, 4, 3, 2)$`,
    }),
  },
  mutants: {
    "biases not counted": {
      size: ({ d0, d1, d2, out }) => (d2 > 0 ? d0 * d1 + d1 * d2 + d2 * out : d0 * d1 + d1 * out),
    },
    "inputs among the neurons": { neurons: ({ d0, d1, d2 }) => d0 + d1 + d2 },
    "outputs among the layers": { depth: ({ d2 }) => (d2 > 0 ? 3 : 2) },
  },
  run({ d0, d1, d2, out }, { random }) {
    const dims = [d0, d1, ...(d2 > 0 ? [d2] : []), out];
    const net = randomNetwork(random, dims);
    const hidden = dims.slice(1, -1);
    // Counted in the graph itself, not from the widths.
    const found = sizes(net);
    const S = dims.slice(1).reduce((sum, d, i) => sum + d * (dims[i]! + 1), 0);
    return {
      graph: net,
      claims: {
        depth: checked(found.depth, hidden.length),
        width: checked(complexity(net).width, Math.max(...hidden)),
        size: checked(found.parameters, S),
        neurons: checked(
          found.hiddenUnits!,
          hidden.reduce((a, b) => a + b, 0),
        ),
        "size of a shallow network": checked(
          sizes(randomNetwork(random, [d0, d1, 1])).parameters,
          (d0 + 2) * d1 + 1,
        ),
        "columns of W⁽¹⁾": checked(layersOf(net).layers[0]!.weights.columns, d1),
      },
    };
  },
});
