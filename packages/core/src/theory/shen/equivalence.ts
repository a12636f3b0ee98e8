import { Probe } from "../../bounds/difference/probe.ts";
import { networkOf } from "../../bounds/linear.ts";
import { compareShallow, shallowForm } from "../../equivalence/compare/shallow-form.ts";
import type { Figure } from "../../figure/figure.ts";
import { affineChain } from "../../graph/affine-chain.ts";
import type { Graph } from "../../graph/graph.ts";
import { tensor } from "../../graph/tensor.ts";
import type { Random } from "../../numbers/random.ts";
import { checked, equals, proved } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { choice, integer } from "../parameter.ts";

/** c act(w . x + b). */
interface Unit {
  readonly w: readonly number[];
  readonly b: number;
  readonly c: number;
}
const activations = { relu: "Relu", tanh: "Tanh", sigmoid: "Sigmoid" } as const;
type Name = keyof typeof activations;
const values: Readonly<Record<Name, (z: number) => number>> = {
  relu: (z) => Math.max(0, z),
  tanh: Math.tanh,
  sigmoid: (z) => 1 / (1 + Math.exp(-z)),
};

/** What is added to an outgoing weight. */
const change = 2 ** -10;

export default lemma({
  id: "S-03",
  covers: ["S-03"],
  kind: "algorithm",
  title: "Are two shallow networks the same function?",
  source: "Shen, Definition 1 (functional equivalence)",
  statement: String.raw`f = \alpha + \sum_i c_i |h_i| \text{ (ReLU)}, \quad f = \alpha + \sum_i c_i \tanh(h_i) \text{ (tanh, sigmoid)}: \quad f = g \iff \text{the same } \alpha, h_i, c_i, \text{ up to } h_i \mapsto \lambda h_i \;\; (\lambda = -1 \text{ for tanh}), \text{ equal } h_i \text{ merged}`,
  parameters: {
    d: integer({ min: 1, max: 12, default: 2, label: "inputs d" }),
    units: integer({ min: 1, max: 40, default: 8, label: "units" }),
    activation: choice(["relu", "tanh", "sigmoid"], { label: "activation" }),
  },
  claims: {
    "parts in which a permuted, scaled or flipped copy with split units differs": equals("0"),
    "greatest difference from that copy seen": equals("0"),
    "parts in which a copy differs that has one weight changed": equals(
      String.raw`1 \text{ (tanh)}, \; 2 \text{ (a unit and } \alpha\text{: ReLU, sigmoid)}`,
    ),
    "its difference where the changed unit sees 1": equals(String.raw`2^{-10} \rho(1)`),
  },
  mutants: {
    "a ReLU is |h| / 2, without h / 2": {
      "parts in which a copy differs that has one weight changed": () => 1,
    },
    "ρ(1) = 1 for all": { "its difference where the changed unit sees 1": () => change },
    "a ReLU is |h|": {
      "its difference where the changed unit sees 1": ({ activation }, { theory }) =>
        activation === "relu" ? 2 * theory : theory,
    },
  },
  run({ d, units: count, activation }, { random, scale, budget }) {
    const units = Array.from({ length: count }, () => drawUnit(d, random));
    const copy = disguised(units, activation, random);
    const changed = units.map((u, k) => (k === 0 ? { ...u, c: u.c + change } : u));
    const nets = [units, copy.units, changed].map((list, k) =>
      shallow(list, activation, k === 1 ? copy.shift : 0),
    );
    const same = nets[1]!;
    const [f, g, h] = nets.map((net) => networkOf(net)) as [Network, Network, Network];
    const parts = (x: Network): number => {
      const { ridges, affine } = compareShallow(shallowForm(f)!, shallowForm(x)!);
      return ridges + affine;
    };
    const probe = new Probe(f, g);
    const box = { lower: new Float64Array(d).fill(-2), upper: new Float64Array(d).fill(2) };
    probe.search(box, random, { points: scale(200), climbs: 2, steps: 10 });
    // w (1 - b) / |w|^2, where the unit sees 1.
    const { w, b } = units[0]!;
    const squared = w.reduce((sum, v) => sum + v * v, 0);
    const witness = Float64Array.from(w, (v) => (v * (1 - b)) / squared);
    const { first, second } = new Probe(f, h).valuesAt(witness);
    const size = units.reduce(
      (sum, u) => sum + Math.abs(u.c) * (1 + Math.abs(u.b) + 2 * u.w.reduce((n, v) => n + Math.abs(v), 0)),
      0,
    );
    const reach = 1 + Math.abs((1 - b) / Math.sqrt(squared));
    return {
      graph: same,
      ...(budget === "cheap" ? {} : { figure: figure(f, g, h, witness) }),
      claims: {
        "parts in which a permuted, scaled or flipped copy with split units differs": proved(parts(g), 0),
        "greatest difference from that copy seen": checked(Math.max(0, probe.greatest), 0, {
          tolerance: 2 ** -51 * (2 * count + d) * size, // two sums of d and of up to 2 * count terms, rounded
        }),
        "parts in which a copy differs that has one weight changed": proved(
          parts(h),
          activation === "tanh" ? 1 : 2,
        ),
        "its difference where the changed unit sees 1": checked(
          second[0]! - first[0]!,
          change * values[activation](1),
          {
            tolerance: 2 ** -51 * (count + d) * size * reach, // of the two sums that are subtracted
          },
        ),
      },
    };
  },
});

type Network = ReturnType<typeof networkOf>;

/** Weights with few digits, so that the copy's are exact. */
function drawUnit(d: number, random: Random): Unit {
  const digit = (): number => Math.round(64 * random.normal()) / 64;
  const w = Array.from({ length: d }, digit);
  return { w: w.some((v) => v !== 0) ? w : [1, ...w.slice(1)], b: digit(), c: digit() || 1 };
}

/** The same function from other units: each in two, moved, scaled by a power of two (ReLU) or flipped. */
function disguised(units: readonly Unit[], activation: Name, random: Random) {
  let shift = 0;
  const split = units.flatMap((u) => {
    const part = Math.round(64 * random.normal()) / 64;
    return random.uniform() < 0.5
      ? [u]
      : [
          { ...u, c: part },
          { ...u, c: u.c - part },
        ];
  });
  const moved = split.map(({ w, b, c }): Unit => {
    if (activation === "relu") {
      const factor = 2 ** random.integer(-3, 3);
      return { w: w.map((v) => v * factor), b: b * factor, c: c / factor };
    }
    if (random.uniform() < 0.5) return { w, b, c };
    if (activation === "sigmoid") shift += c; // sigmoid(-z) = 1 - sigmoid(z)
    return { w: w.map((v) => -v), b: -b, c: -c };
  });
  const order = random.permutation(moved.length);
  return { units: Array.from(order, (k) => moved[k]!), shift };
}

const shallow = (units: readonly Unit[], activation: Name, shift: number): Graph =>
  affineChain(
    [
      { W: tensor(units.map(({ w }) => [...w])), b: tensor(units.map(({ b }) => b)) },
      { W: tensor([units.map(({ c }) => c)]), b: tensor([shift]) },
    ],
    (z) => z.op(activations[activation]),
  );

/** Both differences on the line through 0 and the witness. */
function figure(f: Network, same: Network, changed: Network, witness: Float64Array): Figure {
  const along = Array.from({ length: 201 }, (_, k) => -3 + (6 * k) / 200);
  const length = Math.hypot(...witness) || 1;
  const difference = (g: Network, unit = 1) => {
    const probe = new Probe(f, g);
    return along.map((t) => {
      const { first, second } = probe.valuesAt(witness.map((v) => (t * v) / length));
      return [t, (second[0]! - first[0]!) / unit] as const;
    });
  };
  const name = "way towards the witness";
  return {
    title: "Differences from the network",
    panels: [
      {
        title: "One outgoing weight changed by 1/1024",
        x: { label: name },
        y: { label: "difference" },
        series: [{ name: "changed copy", mark: "line", points: difference(changed) }],
      },
      {
        title: "Units split, moved, scaled, flipped: rounding",
        x: { label: name },
        y: { label: "difference · 2^52" },
        series: [{ name: "disguised copy", mark: "line", points: difference(same, 2 ** -52) }],
      },
    ],
  };
}
