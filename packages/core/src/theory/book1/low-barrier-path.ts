import { convexLoss } from "../../landscape/certificate/convex-loss.ts";
import { outputsOf, type TwoLayer } from "../../landscape/certificate/two-layer.ts";
import {
  type LowBarrierPath,
  lowBarrierPath,
  mixedTwoLayer,
  pathCertificate,
} from "../../landscape/path/keep-half.ts";
import { leastSquares, matrixOfRows } from "../../linear-algebra/index.ts";
import type { Random } from "../../numbers/random.ts";
import { denseNetwork } from "../../train/dense-network.ts";
import { atMost, checked, equals, sampled } from "../claim.ts";
import { lemma } from "../lemma.ts";
import { integer, real } from "../parameter.ts";

const examples = 30;
/** The bound on the farthest neuron may fail this often. */
const delta = 1e-4;

export default lemma({
  id: "C1b-17",
  covers: ["C1b-17"],
  kind: "construction",
  title: "A path between two wide networks that hardly climbs",
  source: "Book, chapter 1, (1.43) to (1.45), Figure 1.15; Freeman and Bruna 2017",
  statement: String.raw`r(\gamma(t)) \le \max_{\theta, \theta_{\min}} \bigl(\sqrt r + \delta\bigr)^2, \quad \delta = \varepsilon \operatorname{Lip}(\varrho) \|\theta^{(2)}\|_1 \max_i \|\tilde x_i\|, \quad \varepsilon = \max_j \min_{k \text{ kept}} \|\theta^{(1)}_j - \theta^{(1)}_k\|`,
  parameters: {
    half: integer({ min: 5, max: 150, default: 100, label: "half of the neurons" }),
    shift: real({ min: 0.25, max: 3, default: 1, label: "move of the instance that attains the bound" }),
  },
  claims: {
    "change of the risk on the four constant segments": equals("0"),
    "rise on the segment of outgoing weights above its ends": atMost("0"),
    "greatest risk on the path": atMost("the certificate").looseBy(1.2),
    certificate: atMost(String.raw`\max (\sqrt r + \delta)^2`).looseBy(2),
    "ε of random neurons on the sphere": atMost(
      String.raw`2 \sqrt{1 - (\eta / h)^{1/h}}, \; h = n/2, \text{ with probability } 1 - \eta`,
    ).probable(),
    "risk at the end of a move straight away from the target": equals(String.raw`(\sqrt r + \delta)^2`),
    "certificate of that move": equals(String.raw`(\sqrt r + \delta)^2`),
    "root of the risk after the move of θ_min, less that before": atMost(
      String.raw`\varepsilon_{\min} \|\theta^{(2)}\|_1 \max_i \|\tilde x_i\|`,
    ).printed({
      where: "sect. 1.5.1, after (1.45)",
      printed: String.raw`Of course,  $\gamma_2$  can be constructed in the same way.`,
      corrected: String.raw`\theta_{\min} is no random point: \|\theta_{\min}^{(2)}\|_1 and its own \varepsilon have to be measured, and with them the bound is another one (here \|\theta_{\min}^{(2)}\|_1 is many times \|\theta^{(2)}\|_1).`,
    }),
    "change of the risk to outputs mixed as in (1.45)": equals("0").printed({
      where: "sect. 1.5.1, after (1.45)",
      printed: String.raw`In particular, this path does not change the risk between  $(\theta_*^{(1)}, \theta_*^{(2)})$  and  $(\theta_*^{(1)}, \hat{\theta}^{(2)})$ .`,
      corrected: String.raw`between (\theta_*^{(1)}, \theta^{(2)}) and (\theta_*^{(1)}, \theta_*^{(2)}): \hat\theta^{(2)} is not defined, and the identity before it, \Phi(\cdot, (\theta_*^{(1)}, \theta_*^{(2)})) = \Phi(\cdot, (\theta_*^{(1)}, \lambda \theta_*^{(2)} + (1 - \lambda) \theta_*^{(2)})), is empty; one of its \theta_*^{(2)} is \theta^{(2)}`,
    }),
    "risk inside a half-line of outgoing weights": atMost("that at its boundary").printed({
      where: "sect. 1.5.1, after (1.44)",
      printed: String.raw`hence, for every parameter set  $\mathcal{P} \subset \mathbb{R}^n$  this map assumes its maximum on  $\partial\mathcal{P}$`,
      corrected: String.raw`for every compact \mathcal{P}`,
    }),
  },
  mutants: {
    "δ added to the risk, not to its root": {
      "certificate of that move": ({ shift }) => 4 + shift,
    },
    "a move counted twice": {
      "risk at the end of a move straight away from the target": ({ shift }) => (2 + 2 * shift) ** 2,
    },
    "the share of a cap e², not e²/4": {
      "ε of random neurons on the sphere": ({ half }) => farthestOf(half) / 2,
    },
  },
  async run({ half, shift }, { random, budget }) {
    const problem = drawProblem(random);
    const [from, to] = [
      drawnNetwork(2 * half, random.split("θ")),
      await fittedNetwork(problem, 2 * half, random),
    ];
    const path = lowBarrierPath(from, to, { multiples: false });
    const loss = convexLoss("square", { values: [problem.y] });
    const risk = (net: TwoLayer): number => loss.value(outputsOf(net, problem.x, 1));
    const profile = profileOf(path, risk, budget === "cheap" ? 4 : 12);
    const { greatest, moves } = pathCertificate(path, problem.inputs, loss, 1);
    const longest = Math.max(...problem.x.map((row) => Math.hypot(...row)));
    const sizes = [from, to].map(({ neurons }) =>
      neurons.reduce((s, { outgoing }) => s + Math.abs(outgoing[0]!), 0),
    );
    const bound = (side: 0 | 1): number =>
      (Math.sqrt(risk(side === 0 ? from : to)) + moves[side] * sizes[side]! * longest) ** 2;
    const steady = profile.flatMap(({ kind, values }) =>
      kind === "constant" ? [Math.max(...values) - Math.min(...values)] : [],
    );
    const [, moved, gathered] = path.nodes;
    const convex = profile.find(({ kind }) => kind === "convex")!.values;
    // Outputs are sums of 2 half terms, each of some roundings, of the sizes |u| |x|.
    const rounding = 2 ** -50 * (2 * half + 8) * Math.max(...sizes) * longest * (1 + Math.sqrt(greatest));
    const move = straightAway(shift);
    const far = withOutgoing(from, (u, j) => (j === 0 ? u + 1e3 : u));
    const mixedOutputs = withOutgoing(moved!, (u, j) => (j < half ? u : to.neurons[j]!.outgoing[0]!));
    return {
      graph: denseNetwork(
        [
          {
            W: from.neurons.map(({ incoming: [a, b] }) => [a!, b!]),
            b: from.neurons.map((n) => n.incoming[2]!),
          },
          { W: [from.neurons.map(({ outgoing: [u] }) => u!)] },
        ],
        "relu",
      ),
      ...(budget !== "cheap" && { figure: figure(profile, greatest, await byWidth(problem, random)) }),
      claims: {
        "change of the risk on the four constant segments": checked(Math.max(...steady), 0, {
          tolerance: rounding,
        }),
        "rise on the segment of outgoing weights above its ends": checked(
          Math.max(...convex) - Math.max(convex[0]!, convex.at(-1)!),
          0,
          { tolerance: rounding },
        ),
        "greatest risk on the path": sampled(Math.max(...profile.flatMap(({ values }) => values)), greatest),
        certificate: checked(greatest, Math.max(bound(0), bound(1)), { tolerance: rounding }),
        "ε of random neurons on the sphere": checked(moves[0], farthestOf(half), { delta }),
        "risk at the end of a move straight away from the target": checked(move.risk, (2 + shift) ** 2, {
          tolerance: 2 ** -46,
        }),
        "certificate of that move": checked(move.certificate, (2 + shift) ** 2, { tolerance: 2 ** -46 }),
        "root of the risk after the move of θ_min, less that before": checked(
          Math.sqrt(risk(path.nodes[6]!)) - Math.sqrt(risk(to)),
          moves[1] * sizes[0]! * longest,
        ),
        "change of the risk to outputs mixed as in (1.45)": checked(
          Math.abs(risk(mixedOutputs) - risk(gathered!)),
          0,
          { tolerance: rounding },
        ),
        "risk inside a half-line of outgoing weights": checked(risk(far), risk(from)),
      },
    };
  },
});

/**
 * With h kept and h other neurons on the sphere of R^3, where a cap of chord e has the share e^2 / 4, some other one is farther
 * than e from all kept ones with probability at most h (1 - e^2 / 4)^h.
 */
const farthestOf = (h: number): number => 2 * Math.sqrt(1 - (delta / h) ** (1 / h));

interface Problem {
  readonly inputs: readonly Float64Array[];
  /** With a 1 at the end. */
  readonly x: readonly Float64Array[];
  readonly y: Float64Array;
}

function drawProblem(random: Random): Problem {
  const inputs = Array.from({ length: examples }, (_, i) => random.split(`x ${i}`).normal(2));
  return {
    inputs,
    x: inputs.map((row) => Float64Array.of(...row, 1)),
    y: Float64Array.from(inputs, ([a, b]) => Math.sin(2 * a!) + b!),
  };
}

const drawnNetwork = (n: number, random: Random): TwoLayer => ({
  neurons: Array.from({ length: n }, (_, j) => ({
    incoming: random.split(`a ${j}`).sphere(3),
    outgoing: random
      .split(`b ${j}`)
      .normal(1)
      .map((u) => u / n),
  })),
  hasBias: true,
});

const withOutgoing = (net: TwoLayer, change: (u: number, neuron: number) => number): TwoLayer => ({
  ...net,
  neurons: net.neurons.map(({ incoming, outgoing }, j) => ({
    incoming,
    outgoing: outgoing.map((u) => change(u, j)),
  })),
});

/** Random neurons with the outgoing weights that fit best. */
async function fittedNetwork({ x, y }: Problem, n: number, random: Random): Promise<TwoLayer> {
  const net = drawnNetwork(n, random.split("θ_min"));
  const features = x.map((row) =>
    net.neurons.map(({ incoming }) =>
      Math.max(
        0,
        incoming.reduce((s, v, c) => s + v * row[c]!, 0),
      ),
    ),
  );
  const { solution } = await leastSquares(matrixOfRows(features), matrixOfRows([...y].map((v) => [v])));
  return withOutgoing(net, (_, j) => solution.entries[j]!);
}

const profileOf = ({ nodes, segments }: LowBarrierPath, risk: (net: TwoLayer) => number, steps: number) =>
  segments.map((kind, s) => ({
    kind,
    values: Array.from({ length: steps + 1 }, (_, k) =>
      risk(mixedTwoLayer(nodes[s]!, nodes[s + 1]!, k / steps)),
    ),
  }));

/** u = 1 at v = 1 and v = 1 + shift, on x = 1 with the target 4 + shift: the output falls from 2 + shift to 2. */
function straightAway(shift: number) {
  const net = (u: number): TwoLayer => ({
    neurons: [1, 1 + shift].map((v) => ({ incoming: Float64Array.of(v), outgoing: Float64Array.of(u) })),
    hasBias: false,
  });
  const [inputs, loss] = [
    [Float64Array.of(1)],
    convexLoss("square", { values: [Float64Array.of(4 + shift)] }),
  ] as const;
  const path = lowBarrierPath(net(1), net(1), { multiples: false });
  return {
    risk: loss.value(outputsOf(path.nodes[1]!, inputs, 1)),
    certificate: pathCertificate(path, inputs, loss, 1).greatest,
  };
}

/** Barrier, certificate and ε at several widths. */
async function byWidth(problem: Problem, random: Random) {
  const loss = convexLoss("square", { values: [problem.y] });
  const rows: { readonly n: number; readonly excess: number; readonly certified: number }[] = [];
  for (const n of [20, 40, 100, 200, 400, 1000]) {
    const [from, to] = [drawnNetwork(n, random.split("θ")), await fittedNetwork(problem, n, random)];
    const path = lowBarrierPath(from, to, { multiples: false });
    const risk = (net: TwoLayer): number => loss.value(outputsOf(net, problem.x, 1));
    const most = Math.max(risk(from), risk(to));
    rows.push({
      n,
      excess: Math.max(...profileOf(path, risk, 4).flatMap(({ values }) => values)) - most,
      certified: pathCertificate(path, problem.inputs, loss, 1).greatest - most,
    });
  }
  return rows;
}

function figure(
  profile: readonly { readonly values: readonly number[] }[],
  greatest: number,
  widths: readonly { readonly n: number; readonly excess: number; readonly certified: number }[],
) {
  const points = profile.flatMap(({ values }, s) =>
    values.map((v, k) => [s + k / (values.length - 1), v] as const),
  );
  return {
    title: "From a random network to a fitted one",
    panels: [
      {
        title: `Risk along seven segments; certified below ${greatest.toPrecision(3)}`,
        x: { label: "segment" },
        y: { label: "risk" },
        series: [{ name: "risk", mark: "line" as const, role: "measured" as const, points }],
      },
      {
        title: "Barrier by width",
        x: { label: "neurons n", scale: "log" as const },
        y: { label: "above the greater end", scale: "log" as const },
        series: [
          {
            name: "measured",
            mark: "dots" as const,
            role: "measured" as const,
            points: widths.flatMap(({ n, excess }) => (excess > 0 ? [[n, excess] as const] : [])),
          },
          {
            name: "certified",
            mark: "line" as const,
            role: "theory" as const,
            points: widths.map(({ n, certified }) => [n, certified] as const),
          },
        ],
      },
    ],
  };
}
