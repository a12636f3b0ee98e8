import { checkCircuit } from "../../check/check-circuit.ts";
import { CircuitBuilder } from "../../discrete/circuit/builder.ts";
import { certifiedCircuit } from "../../discrete/circuit/certified.ts";
import type { Circuit, Literal } from "../../discrete/circuit/circuit.ts";
import { disjointCover } from "../../discrete/circuit/cover.ts";
import { equality } from "../../discrete/circuit/equality.ts";
import { truthTables } from "../../discrete/circuit/evaluate.ts";
import { tableCircuit } from "../../discrete/circuit/from-table.ts";
import { type CircuitNetwork, circuitNetwork } from "../../discrete/circuit/network.ts";
import { unitCount } from "../../discrete/circuit/plan.ts";
import type { Figure } from "../../figure/figure.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals, proved } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer } from "../parameter.ts";

interface Dag {
  readonly circuit: Circuit;
  /** Arguments of the nodes before anything is simplified. */
  readonly fanIns: readonly number[];
}

/** Nodes that are random functions of k literals each; the last ones are outputs. */
function randomDag(random: Random, inputs: number, nodes: number, k: number): Dag {
  const b = new CircuitBuilder(Array.from({ length: inputs }, (_, i) => `x${i}`));
  const literals: Literal[] = b.inputs.map((_, i) => b.input(i));
  const fanIns: number[] = [];
  for (let v = 0; v < nodes; v++) {
    const known = new Map(literals.filter((l) => l > 1).map((l) => [l >> 1, l]));
    const args = [...random.permutation(known.size)].slice(0, k).map((i) => [...known.values()][i]!);
    const bits = Array.from({ length: 2 ** args.length }, () => random.integer(0, 1));
    literals.push(b.disjointCubes(args, disjointCover(bits)));
    fanIns.push(args.length);
  }
  const outputs = literals.slice(-2).map((literal, i) => ({ name: `y${i}`, literal }));
  return { circuit: b.finish(outputs), fanIns };
}

/** Values that are carried past a layer: one unit each. */
const carriedUnits = ({ plan }: CircuitNetwork, { gates }: Circuit): number =>
  plan.layers.reduce((sum, { forms }) => sum + forms.length, 0) - gates.length;

/**
 * Weights that thresholds need at least to compute all functions of k bits: one with w weights has at most (2 e 2^k)^w
 * patterns on the 2^k points, whatever the units before it are (Cover), and there are 2^(2^k) functions.
 */
const leastWeights = (k: number): number => Math.ceil(2 ** k / Math.log2(2 * Math.E * 2 ** k));

const parityUnits = (k: number): number => {
  const bits = Array.from({ length: 2 ** k }, (_, x) => (x.toString(2).split("1").length % 2) ^ 1);
  return unitCount(circuitNetwork(tableCircuit([{ name: "y", bits }], "products")).plan);
};

export default lemma({
  id: "P-16",
  covers: ["P-16"],
  kind: "construction",
  title: "A Boolean circuit as an exact network, as sparse as the circuit",
  source: "Poggio, section 6.7.1, Theorem 8",
  statement: String.raw`g(u) = \sum_{v: g(v) = 1} \Big( \sum_j \ell_j(v) - (d_v - 1) \Big)_+, \qquad \text{units} \le \sum_v 2^{d_v - 1} + \text{carried values}`,
  parameters: {
    inputs: integer({ min: 2, max: 8, default: 6, label: "inputs" }),
    nodes: integer({ min: 1, max: 12, default: 8, label: "nodes" }),
    fanIn: integer({ min: 1, max: 4, default: 3, label: "arguments of a node" }),
    k: integer({ min: 2, max: 8, default: 8, label: "arguments of one gate" }),
  },
  claims: {
    "inputs on which ReLUs differ from the circuit": equals("0"),
    "inputs on which thresholds differ from the circuit": equals("0"),
    "the proof gate by gate holds": equals("1"),
    "units beyond those that carry": atMost(String.raw`\sum_v 2^{d_v - 1}`),
    "hidden layers": atMost(String.raw`\#V`),
    "parity of k bits, units of its products": equals("2^{k-1}"),
    "parity of k bits, units of its count": equals("k"),
    "parity of k bits by a diagram, units beyond those that carry": equals("2(k - 1)"),
    "weights for all functions of k + 8 bits, over those for 2": atMost("(k + 8) / 2").printed({
      where: "Theorem 8",
      printed: String.raw`the number of required parameters is $\propto O(poly(d))(max_v d_v)$`,
      corrected: String.raw`$O(poly(d)) \, 2^{\max_v d_v}$: all functions of $k$ bits need $2^k / O(k)$ weights`,
    }),
  },
  mutants: {
    "half of the products": { "units beyond those that carry": (_, { measured }) => measured - 1 },
    "a product for every point": { "parity of k bits, units of its products": ({ k }) => 2 ** k },
    "a bit more": ({ k }) => ({ k: k - 1 }),
  },
  async run({ inputs, nodes, fanIn, k }, { random, budget }) {
    const { circuit, fanIns } = randomDag(random, inputs, nodes, fanIn);
    const network = circuitNetwork(circuit);
    const steps = circuitNetwork(circuit, { kind: "threshold" });
    const { bytes, certificate } = await certifiedCircuit(circuit, network);
    const b = new CircuitBuilder(Array.from({ length: k }, (_, i) => `x${i}`));
    const parity = b.finish([{ name: "y", literal: b.xor(b.inputs.map((_, i) => b.input(i))) }]);
    const diagram = tableCircuit([{ name: "y", bits: truthTables(parity)[0]! }]);
    const deep = circuitNetwork(diagram);
    const different = (n: CircuitNetwork): number => (equality(n.graph, circuit).difference ? 1 : 0);
    return {
      graph: network.graph,
      figure: budget === "cheap" ? undefined : figure(),
      claims: {
        "inputs on which ReLUs differ from the circuit": checked(different(network), 0),
        "inputs on which thresholds differ from the circuit": checked(different(steps), 0),
        "the proof gate by gate holds": proved((await checkCircuit(bytes, certificate)).ok ? 1 : 0, 1),
        "units beyond those that carry": checked(
          unitCount(network.plan) - carriedUnits(network, circuit),
          fanIns.reduce((sum, d) => sum + 2 ** (d - 1), 0),
        ),
        "hidden layers": checked(network.plan.layers.length, nodes),
        "parity of k bits, units of its products": checked(parityUnits(k), 2 ** (k - 1)),
        "parity of k bits, units of its count": checked(unitCount(circuitNetwork(parity).plan), k),
        "parity of k bits by a diagram, units beyond those that carry": checked(
          unitCount(deep.plan) - carriedUnits(deep, diagram),
          2 * (k - 1),
        ),
        // A network of two bits has at most 2 units and 9 weights.
        "weights for all functions of k + 8 bits, over those for 2": proved(
          leastWeights(k + 8) / 9,
          (k + 8) / 2,
        ),
      },
    };
  },
});

function figure(): Figure {
  const ks = Array.from({ length: 9 }, (_, i) => i + 2);
  return {
    title: "Parity of k bits, by products and by a count",
    panels: [
      {
        title: "Hidden units against bits",
        x: { label: "bits k" },
        y: { label: "hidden units", scale: "log" },
        series: [
          { name: "products", mark: "dots", points: ks.map((k) => [k, parityUnits(k)] as const) },
          {
            name: "theory: 2^(k-1)",
            mark: "line",
            role: "theory",
            points: ks.map((k) => [k, 2 ** (k - 1)] as const),
          },
          {
            name: "theory: a count, k",
            mark: "line",
            role: "theory",
            points: ks.map((k) => [k, k] as const),
          },
        ],
      },
    ],
  };
}
