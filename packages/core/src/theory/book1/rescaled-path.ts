import { convexLoss } from "../../landscape/certificate/convex-loss.ts";
import { rescaledPath } from "../../landscape/path/rescaled-path.ts";
import type { Random } from "../../numbers/random.ts";
import { atMost, checked, equals } from "../claim.ts";
import { HypothesisError, lemma } from "../lemma.ts";
import { choice, integer, real } from "../parameter.ts";

const examples = 12;
const steps = 24;

export default lemma({
  id: "C1b-19",
  covers: ["C1b-19"],
  kind: "algorithm",
  title: "A path from a bad start made to go down all the way",
  source: "Book, chapter 1, sect. 1.5.1; Safran and Shamir 2016",
  statement: String.raw`\phi_s(c) = r(c \, \Phi_{\theta(s)}) \text{ convex}, \; \phi_s(0) = r(0) < r(\theta_0): \quad \phi_s(c(s)) = \ell(s) \text{ for any decreasing } \ell \text{ from } r(\theta_0) \text{ to above } r(0)`,
  parameters: {
    loss: choice(["square", "logistic"], { label: "loss" }),
    n: integer({ min: 2, max: 20, default: 8, label: "neurons" }),
    size: real({ min: 4, max: 40, default: 10, label: "size of the start's outgoing weights" }),
    c: real({ min: 0.05, max: 0.95, default: 0.5, label: "factor c below 1" }),
  },
  claims: {
    "greatest distance of a value from its level, relative": equals("0"),
    "rise from one of 25 places to the next": atMost(String.raw`-\tfrac{r(\theta_0) - r(0)}{48}`),
    "midpoint excess of φ_s": atMost("0"),
    "risk of c θ_0, c below 1": atMost(String.raw`(1 - c) r(0) + c \, r(\theta_0)`),
    "risk of θ_0 / c": equals("at least r(θ_0) (1), where r(θ_0) > r(0)"),
    "rise of the risk from the last factor down to the best one": atMost("0"),
    "risk of c θ at the end of the path": atMost("r(θ)").printed({
      where: "sect. 1.5.1, on Safran and Shamir (2016)",
      printed:
        "Multiplying the last layer with a number smaller than 1 will decrease the risk, whereas choosing a number larger than 1 will increase it.",
      corrected:
        "as long as the risk is above that of the network that is 0; below, as at the end of the path, a number smaller than 1 may increase it, and only a number that is large enough brings it up to a given level above r(0)",
    }),
  },
  mutants: {
    "all the way down to r(0)": {
      "rise from one of 25 places to the next": (_, { theory }) => 2 * theory,
    },
    "the risk itself is linear in c": {
      "risk of c θ_0, c below 1": ({ c }, { theory }) => c * theory,
    },
  },
  run({ loss: name, n, size, c }, { random, budget }) {
    const { features, targets } = drawProblem(n, random);
    const loss =
      name === "square"
        ? convexLoss("square", { values: [targets] })
        : convexLoss("logistic", { classes: Int32Array.from(targets, (y) => (y > 0 ? 1 : 0)) });
    const outgoing = (place: number): Float64Array => {
      const [from, to] = [random.split("start").normal(n), best(features, targets)];
      // Against the targets: worse than 0, however the features came out.
      const sign = inner(outputsOf(features, from), targets) > 0 ? -1 : 1;
      // A detour on the way, for a path that goes up and down.
      const detour = random.split("detour").normal(n);
      const wave = size * Math.sin(2 * Math.PI * place) ** 2;
      return from.map((u, j) => (1 - place) * size * sign * u + place * to[j]! + wave * detour[j]!);
    };
    const risk = (place: number, factor: number): number =>
      loss.value([outputsOf(features, outgoing(place)).map((z) => factor * z)]);
    if (!(risk(0, 1) > risk(0, 0))) throw new HypothesisError("the start is worse than a network that is 0");
    const isRightAt = (k: number): boolean =>
      outputsOf(features, outgoing(k / steps)).every((z, i) => z * targets[i]! >= 0);
    if (name === "logistic" && Array.from({ length: steps + 1 }, (_, k) => isRightAt(k)).includes(true))
      throw new HypothesisError(
        "no network of the path is right on all examples: its logistic risk falls with every factor",
      );
    const { factors, values, zero } = rescaledPath(risk, steps);
    const [start, drop] = [values[0]!, (values[0]! - zero) / 2 / steps];
    const levels = values.map((_, k) => start - k * drop);
    const rises = values.slice(1).map((v, k) => v - values[k]!);
    const last = factors.at(-1)!;
    const least = leastFactor((f) => risk(1, f), last);
    const down = Array.from({ length: 20 }, (_, k) => risk(1, last + (least - last) * (k / 19)));
    const downRises = down.slice(1).map((v, k) => v - down[k]!);
    return {
      ...(budget !== "cheap" && { figure: figure(risk, { factors, values, zero }) }),
      table: {
        title: "factors of the last layer along the path",
        columns: ["place", "risk as it is", "factor", "risk with it"],
        rows: factors.map((f, k) => [k / steps, risk(k / steps, 1), f, values[k]!]),
      },
      claims: {
        // A factor is found to its last bit, which moves the risk by its slope times that.
        "greatest distance of a value from its level, relative": checked(
          Math.max(...values.map((v, k) => Math.abs(v / levels[k]! - 1))),
          0,
          { tolerance: 2 ** -40 },
        ),
        "rise from one of 25 places to the next": checked(Math.max(...rises), -drop, {
          tolerance: 2 ** -40 * start,
        }),
        "midpoint excess of φ_s": checked(
          Math.max(
            ...[0, 0.5, 1].flatMap((s) =>
              [0.5, 1, 2].map((f) => risk(s, f) - (risk(s, f - 0.4) + risk(s, f + 0.4)) / 2),
            ),
          ),
          0,
          { tolerance: 2 ** -48 * start },
        ),
        "risk of c θ_0, c below 1": checked(risk(0, c), (1 - c) * zero + c * start, {
          tolerance: 2 ** -48 * start,
        }),
        "risk of θ_0 / c": checked(risk(0, 1 / c) > start ? 1 : 0, 1),
        "rise of the risk from the last factor down to the best one": checked(Math.max(...downRises), 0, {
          tolerance: 2 ** -48 * start,
        }),
        "risk of c θ at the end of the path": checked(risk(1, c), risk(1, 1)),
      },
    };
  },
});

const inner = (a: Float64Array, b: Float64Array): number => a.reduce((sum, v, k) => sum + v * b[k]!, 0);

interface Problem {
  /** One row an example: what its hidden neurons give. */
  readonly features: readonly Float64Array[];
  readonly targets: Float64Array;
}

function drawProblem(n: number, random: Random): Problem {
  const weights = Array.from({ length: n }, (_, j) => random.split(`neuron ${j}`).normal(3));
  const x = Array.from({ length: examples }, (_, i) =>
    Float64Array.of(...random.split(`x ${i}`).normal(2), 1),
  );
  return {
    features: x.map((row) => Float64Array.from(weights, (w) => Math.max(0, inner(w, row)))),
    targets: Float64Array.from(x, ([a, b]) => (a! * b! > 0 ? 1 : -1)),
  };
}

const outputsOf = (features: readonly Float64Array[], outgoing: Float64Array): Float64Array =>
  Float64Array.from(features, (row) => inner(row, outgoing));

/** Outgoing weights with a lower risk than 0: the targets' part in each feature. */
const best = (features: readonly Float64Array[], targets: Float64Array): Float64Array => {
  const pull = Float64Array.from(features[0]!, (_, j) =>
    features.reduce((sum, row, i) => sum + row[j]! * targets[i]!, 0),
  );
  const outputs = outputsOf(features, pull);
  const square = inner(outputs, outputs);
  return square === 0 ? pull : pull.map((u) => (u * inner(outputs, targets)) / square);
};

/** The least of a convex function on [0, end], by golden sections. */
function leastFactor(f: (c: number) => number, end: number): number {
  let [low, high] = [0, end];
  for (let k = 0; k < 100; k++) {
    const [a, b] = [high - 0.618 * (high - low), low + 0.618 * (high - low)];
    if (f(a) < f(b)) high = b;
    else low = a;
  }
  return (low + high) / 2;
}

function figure(
  risk: (place: number, factor: number) => number,
  { factors, values, zero }: ReturnType<typeof rescaledPath>,
) {
  const places = factors.map((_, k) => k / steps);
  const line = (name: string, role: "measured" | "theory", of: (place: number, k: number) => number) => ({
    name,
    mark: "line" as const,
    role,
    points: places.map((s, k) => [s, of(s, k)] as const),
  });
  return {
    title: "A path made to go down",
    panels: [
      {
        title: "Risk",
        x: { label: "place on the path" },
        y: { label: "risk", scale: "log" as const },
        series: [
          line("as it is", "measured", (s) => risk(s, 1)),
          line("outputs rescaled", "measured", (_, k) => values[k]!),
          line("network that is 0", "theory", () => zero),
        ],
      },
      {
        title: "Factor of the last layer",
        x: { label: "place on the path" },
        y: { label: "c", scale: "log" as const },
        series: [line("c(s)", "measured", (_, k) => factors[k]!)],
      },
    ],
  };
}
