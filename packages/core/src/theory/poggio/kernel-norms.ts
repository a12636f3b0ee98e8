import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import { kernelNorms } from "../../generalization/local-kernels/kernel-norms.ts";
import { float64, graph } from "../../graph/builder.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { checked, equals } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

/** Rounding of norms and products of a few hundred numbers, relative. */
const rounding = 1e-10;
/** Levels up to which the whole matrix of the first layer is looked at. */
const mostColumns = 6;

export default lemma({
  id: "P-20",
  covers: ["P-20"],
  kind: "measure",
  title: "The norm of a kernel, and that of its whole layer",
  source: "Poggio, Theorem 2 and section 8.1",
  statement: String.raw`\|w\| = \sqrt{k/n} \, \|W\|_F \quad (\text{kernel of size } k, \text{ stride } k, \text{ layer of } n \text{ inputs}); \qquad \prod_{l=1}^L \frac{\|W^l\|_F}{\|w^l\|} = 2^{L(L-1)/4} \text{ for the binary tree}`,
  parameters: {
    L: integer({ min: 1, max: 9, default: 6, label: "levels L of the tree, 2^L inputs" }),
    kernel: integer({ min: 1, max: 5, default: 3, label: "kernel of the second network" }),
    stride: integer({ min: 1, max: 3, default: 1, label: "its stride" }),
    pad: integer({ min: 0, max: 2, default: 1, label: "its padding" }),
    channels: integer({ min: 1, max: 4, default: 2, label: "its channels" }),
  },
  claims: {
    "first kernel's norm over its layer's": equals(String.raw`\sqrt{k/n} = 2^{-(L-1)/2}`),
    "Frobenius norms over kernel norms, product": equals("2^{L(L-1)/4}"),
    "norm of the first matrix, column by column": equals(String.raw`\|W\|_F \text{ of the report}`),
    "padded, overlapping, several channels: norm of the matrix": equals(
      String.raw`\bigl(\textstyle\sum_t w_t^2 \cdot |\{\text{windows with tap } t \text{ inside}\}|\bigr)^{1/2}`,
    ),
    "windows that share a place, at most": equals(String.raw`\max_x |\{\text{windows that see } x\}|`),
  },
  mutants: {
    "k/n without its root": { "first kernel's norm over its layer's": ({ L }) => 2 ** -(L - 1) },
    "L(L + 1) for L(L - 1)": {
      "Frobenius norms over kernel norms, product": ({ L }) => 2 ** ((L * (L + 1)) / 4),
    },
    "kernel over stride, rounded down": {
      "windows that share a place, at most": ({ kernel, stride }) => Math.floor(kernel / stride),
    },
  },
  async run({ L, kernel, stride, pad, channels }, { random, budget }) {
    const tree = treeNetwork(L, random);
    const { layers, frobeniusProduct, kernelProduct } = await kernelNorms(tree);
    const first = layers[0]!;
    const size = 7;
    const conv = convolution({ size, kernel, stride, pad, channels }, random);
    const other = (await kernelNorms(conv)).layers[0]!;
    const columns = await columnsOf(conv, channels, size);
    const gap = 2 ** ((L * (L - 1)) / 4);
    return {
      graph: tree,
      ...(budget === "cheap" ? {} : { figure: await normFigure(random) }),
      claims: {
        "first kernel's norm over its layer's": checked(
          first.kernelNorm / first.frobeniusNorm,
          2 ** (-(L - 1) / 2),
          { tolerance: rounding },
        ),
        "Frobenius norms over kernel norms, product": checked(frobeniusProduct / kernelProduct, gap, {
          tolerance: rounding * gap,
        }),
        ...(L > mostColumns
          ? {}
          : {
              "norm of the first matrix, column by column": checked(
                await firstMatrixNorm(tree, L),
                first.frobeniusNorm,
                { tolerance: rounding * first.frobeniusNorm },
              ),
            }),
        "padded, overlapping, several channels: norm of the matrix": checked(
          Math.sqrt(columns.reduce((s, { square }) => s + square, 0)),
          other.frobeniusNorm,
          { tolerance: rounding * other.frobeniusNorm },
        ),
        "windows that share a place, at most": checked(
          Math.max(...columns.map(({ windows }) => windows)),
          other.multiplicity,
        ),
      },
    };
  },
});

/** The binary tree as convolutions with kernel and stride 2, ReLU between. */
function treeNetwork(L: number, random: Random): Graph {
  return graph({ x: float64("N", 1, 2 ** L) }, ({ x }) => {
    let value = x;
    for (let l = 0; l < L; l++) {
      const w = tensor(Array.from(random.sphere(2)), { dims: [1, 1, 2] });
      const sum = value.op("Conv", [w], { kernel_shape: [2], strides: [2] });
      value = l < L - 1 ? sum.relu() : sum;
    }
    return { y: value };
  });
}

interface Window {
  readonly size: number;
  readonly kernel: number;
  readonly stride: number;
  readonly pad: number;
  readonly channels: number;
}

function convolution({ size, kernel, stride, pad, channels }: Window, random: Random): Graph {
  // Weights from 1 to 2: none is zero, so that a column's nonzeros are its windows.
  const weights = Array.from(random.normal(2 * channels * kernel), (v) => 1 + Math.abs(Math.sin(v)));
  return graph({ x: float64("N", channels, size) }, ({ x }) => ({
    y: x.op("Conv", [tensor(weights, { dims: [2, channels, kernel] })], {
      ...{ kernel_shape: [kernel], strides: [stride], pads: [pad, pad] },
    }),
  }));
}

/** The columns of the matrix, by unit vectors: their squared norms and in how many windows the place is. */
async function columnsOf(
  net: Graph,
  channels: number,
  size: number,
): Promise<readonly { readonly square: number; readonly windows: number }[]> {
  const count = channels * size;
  const units = Float64Array.from({ length: count * count }, (_, k) => (k % (count + 1) === 0 ? 1 : 0));
  const { y } = await run(net, { x: tensor(units, { dims: [count, channels, size] }) });
  const values = Float64Array.from(numbers(y!));
  const width = values.length / count;
  return Array.from({ length: count }, (_, c) => {
    const column = values.subarray(c * width, (c + 1) * width);
    const first = column.subarray(0, width / 2); // of the first of two output channels
    return {
      square: column.reduce((s, v) => s + v * v, 0),
      windows: first.reduce((s, v) => s + (v === 0 ? 0 : 1), 0),
    };
  });
}

/** The first layer alone, by unit vectors. */
async function firstMatrixNorm(tree: Graph, L: number): Promise<number> {
  const [conv] = tree.nodes;
  const half = {
    ...tree,
    nodes: [conv!],
    outputs: [{ name: conv!.outputs[0]!, type: { type: "float64" as const } }],
  };
  const n = 2 ** L;
  const units = Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
  const found = await run(half, { x: tensor(units, { dims: [n, 1, n] }) });
  return Math.sqrt(Array.from(numbers(found[conv!.outputs[0]!]!)).reduce((s, v) => s + v * v, 0));
}

async function normFigure(random: Random): Promise<Figure> {
  const levels = Array.from({ length: 10 }, (_, k) => k + 1);
  const gaps = await Promise.all(levels.map((L) => kernelNorms(treeNetwork(L, random))));
  return {
    title: "A binary tree of convolutions: products of norms over all layers",
    panels: [
      {
        title: "Whole matrices against kernels",
        x: { label: "levels L" },
        y: { label: "product of Frobenius norms / product of kernel norms", scale: "log" },
        series: [
          { name: "measured", mark: "dots", points: levels.map((L, k) => [L, 10 ** gaps[k]!.log10Gap]) },
          {
            name: "2^(L(L-1)/4)",
            mark: "line",
            role: "theory",
            points: levels.map((L) => [L, 2 ** ((L * (L - 1)) / 4)]),
          },
        ],
      },
    ],
  };
}
