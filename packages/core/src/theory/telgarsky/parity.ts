import { run } from "../../engine/run.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Graph } from "../../graph/graph.ts";
import { numbers, tensor } from "../../graph/tensor.ts";
import { affine, compose } from "../../networks/calculus/calculus.ts";
import { parity } from "../../networks/parity.ts";
import { triangle } from "../../networks/triangle/triangle.ts";
import type { Random } from "../../numbers/random.ts";
import { piecesAlong } from "../../passes/pieces.ts";
import { sizes } from "../../passes/sizes.ts";
import { atLeast, checked, equals, proved } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { pieceCount } from "../line.ts";
import { integer } from "../parameter.ts";

export default lemma({
  id: "T-24",
  covers: ["T-24"],
  kind: "construction",
  title: "Parity with logarithmically many units",
  source: "Telgarsky, section 4.1, applications of the fractal property, item 2",
  statement: String.raw`\prod_{i=1}^{d} x_i = 1 - 2 \Delta^L\!\left(\frac{d - \sum_i x_i}{2^{L+1}}\right), \quad x \in \{\pm 1\}^d, \; 2^L \ge d`,
  parameters: { L: integer({ min: 1, max: 6, default: 3, label: "d = 2^L bits" }) },
  claims: {
    "wrong answers, d = 2^L": equals("0"),
    "wrong answers, another d between 2^{L-1} and 2^L": equals("0"),
    "hidden units": equals("2L"),
    "hidden layers": equals("L"),
    "linear pieces from all plus to all minus": atLeast("d"),
    "counts of minus signs that the printed formula gets wrong": equals("0").printed({
      where: "section 4.1, applications of the fractal property, item 2",
      printed: String.raw`in $d = 2^L$ dimensions: given $x \in \{\pm 1\}^d$, then $\prod_{i=1}^d x_i = \Delta^{L-1}\left(\frac{d + \sum_i x_i}{2d}\right)$`,
      corrected: String.raw`$\prod_{i=1}^d x_i = 1 - 2 \Delta^L\left(\frac{d + \sum_i x_i}{2d}\right)$`,
    }),
    "share of them": equals(String.raw`1 - \frac{d/4}{d+1} \; (d \ge 4), \quad \tfrac23 \; (d = 2)`),
  },
  mutants: {
    "one iteration short": ({ L }) => ({ L: L - 1 }),
    "three units for a triangle": { "hidden units": ({ L }) => 3 * L },
    "a piece more than the changes of sign": {
      "linear pieces from all plus to all minus": ({ L }) => 2 ** L + 1,
    },
  },
  async run({ L }, { random, budget }) {
    const d = 2 ** L;
    const other = random.integer(2 ** (L - 1) + 1, d);
    const network = parity(d);
    const { hiddenUnits, depth } = sizes(network);
    const wrongAsPrinted = await wrongAnswers(printed(L), oneOfEach(d, random));
    const [plus, minus] = [1, -1].map((sign) => ({ x: tensor([Array<number>(d).fill(sign)]) }));
    const diagonal = piecesAlong(network, plus!, minus!).y!.components[0]!;
    return {
      graph: network,
      ...(budget !== "cheap" && { figure: figure(L) }),
      claims: {
        "wrong answers, d = 2^L": checked(await wrongAnswers(network, inputs(d, random)), 0),
        "wrong answers, another d between 2^{L-1} and 2^L": checked(
          await wrongAnswers(parity(other), inputs(other, random)),
          0,
        ),
        "hidden units": checked(hiddenUnits!, 2 * L),
        "hidden layers": checked(depth, L),
        "linear pieces from all plus to all minus": proved(pieceCount(diagonal), d),
        "counts of minus signs that the printed formula gets wrong": checked(wrongAsPrinted, 0),
        "share of them": checked(wrongAsPrinted / (d + 1), d === 2 ? 2 / 3 : (d + 1 - d / 4) / (d + 1)),
      },
    };
  },
});

/** D^{L-1}((d + sum x_i) / (2 d)), d = 2^L. */
function printed(L: number): Graph {
  const d = 2 ** L;
  return compose(triangle(L - 1), affine([Array(d).fill(1 / (2 * d))], [1 / 2]));
}

type Signs = readonly number[];

/** For each number of minus signs one input, with the signs in random places. */
const oneOfEach = (d: number, random: Random): Signs[] =>
  Array.from({ length: d + 1 }, (_, minus) =>
    random.shuffle(Array.from({ length: d }, (_, i) => (i < minus ? -1 : 1))),
  );

/** All inputs where they are few, one for each number of minus signs where they are not: only that number matters. */
const inputs = (d: number, random: Random): Signs[] =>
  d > 8
    ? oneOfEach(d, random)
    : Array.from({ length: 2 ** d }, (_, code) =>
        Array.from({ length: d }, (_, i) => ((code >> i) & 1 ? -1 : 1)),
      );

async function wrongAnswers(network: Graph, points: readonly Signs[]): Promise<number> {
  const { y } = await run(network, { x: tensor(points) });
  const answers = numbers(y!);
  return points.filter((x, k) => answers[k] !== x.reduce((product, sign) => product * sign, 1)).length;
}

function figure(L: number): Figure {
  const d = 2 ** L;
  const counts = Array.from({ length: d + 1 }, (_, c) => c);
  const fine = Array.from({ length: 8 * d + 1 }, (_, k) => k / 8);
  const iterate = (times: number, x: number): number =>
    Array.from({ length: times }).reduce<number>((t) => 1 - Math.abs(2 * t - 1), x);
  const sizesOf = [2, 4, 8, 16, 32, 64, 128, 256];
  return {
    title: `Parity of ${d} signs with ${2 * L} units`,
    panels: [
      {
        title: "Along the number of minus signs",
        x: { label: "minus signs" },
        y: { label: "value" },
        series: [
          { name: "network", mark: "line", points: fine.map((c) => [c, 1 - 2 * iterate(L, c / d)]) },
          {
            name: "product of the signs",
            mark: "dots",
            points: counts.map((c) => [c, c % 2 === 0 ? 1 : -1]),
          },
          {
            name: "printed formula, one iteration short",
            mark: "line",
            role: "theory",
            points: fine.map((c) => [c, iterate(L - 1, 1 - c / d)]),
          },
        ],
      },
      {
        title: "Units for the parity of d signs",
        x: { label: "d", scale: "log" },
        y: { label: "hidden units", scale: "log" },
        series: [
          {
            name: "deep, built: 2 log2 d",
            mark: "dots",
            points: sizesOf.map((bits) => [bits, sizes(parity(bits)).hiddenUnits!]),
          },
          {
            name: "one hidden layer: at least d - 1 (d changes of sign on a line)",
            mark: "line",
            role: "theory",
            points: sizesOf.map((bits) => [bits, bits - 1]),
          },
        ],
      },
    ],
  };
}
