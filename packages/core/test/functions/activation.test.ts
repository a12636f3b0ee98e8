import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/run.ts";
import { type ActivationName, activation, activationFamilies } from "../../src/functions/activation.ts";
import { ConstructError } from "../../src/functions/error.ts";
import {
  type Hypothesis,
  hypothesisNames,
  requireHypothesis,
  satisfies,
  UnmetHypothesis,
} from "../../src/functions/hypothesis.ts";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { layer, layersOf, network } from "../../src/networks/layers/layers.ts";

const names: readonly ActivationName[] = [
  ...activationFamilies,
  "leakyRelu(0.25)",
  "leakyRelu(2)",
  "repu(1)",
  "repu(3)",
  "isru(4)",
  "isrlu(0.5)",
];
const derivatives = (name: ActivationName, x: number, orders: number): number[] =>
  Array.from({ length: orders + 1 }, (_, k) => activation(name).derivative(k, x));

describe.each(names)("%s", (name) => {
  const rho = activation(name);

  it("comes to its limits", () => {
    const [below, above] = rho.limits;
    for (const [limit, x] of [
      [below, -1e9],
      [above, 1e9],
    ] as const)
      if (limit !== undefined && Number.isFinite(limit)) expect(rho.value(x)).toBeCloseTo(limit, 6);
  });

  it("runs on ONNX Runtime in float64 to the last bits, and in float32", async () => {
    const points = [-60, -3, -1, -0.3, -1e-9, 0, 1e-9, 0.3, 1, 3, 60];
    for (const [precision, tolerance] of [
      ["float64", 2 ** -50],
      ["float32", 2 ** -20],
    ] as const) {
      const net = network([layer([[1]]), layer([[1]])], { activation: name, precision });
      const x = tensor(points, { type: precision, dims: [points.length, 1] });
      const { y } = await run(net, { x });
      numbers(y!).forEach((value, k) => {
        const exact = rho.value(numbers(x)[k]!);
        expect(Math.abs(value - exact)).toBeLessThanOrEqual(tolerance * Math.max(1, Math.abs(exact)));
      });
    }
  });

  it("is read back from its operators", () => {
    for (const precision of ["float64", "float32"] as const) {
      const net = network([layer([[2]], [1]), layer([[3]])], { activation: name, precision });
      const read = layersOf({ ...net });
      if (name === "linear") expect(read.layers).toHaveLength(1);
      else
        expect([read.activation.replace(/0\.0099999.*\)/, "0.01)"), read.layers.length]).toEqual([
          rho.name === "repu(1)" ? "relu" : rho.name,
          2,
        ]);
    }
  });

  it("has each derivative that differences of the one before show", () => {
    const h = 1e-3;
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 3, noNaN: true }), fc.boolean(), (size, left) => {
        const x = left ? -size : size;
        for (let k = 1; k <= 12; k++) {
          const f = (t: number) => rho.derivative(k - 1, t);
          const slope = (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h);
          const around = [k - 1, k, Math.min(k + 1, 12)].map((j) => Math.abs(rho.derivative(j, x)));
          expect(Math.abs(slope - rho.derivative(k, x))).toBeLessThanOrEqual(1e-6 * Math.max(...around));
        }
      }),
      { numRuns: 50 },
    );
  });

  it("is never steeper than its Lipschitz constant, and between its bounds", () => {
    const finite = fc.double({ min: -20, max: 20, noNaN: true });
    fc.assert(
      fc.property(finite, finite, (s, t) => {
        const rise = Math.abs(rho.value(s) - rho.value(t));
        if (rho.lipschitz < Infinity)
          expect(rise).toBeLessThanOrEqual(rho.lipschitz * Math.abs(s - t) * (1 + 1e-9) + 1e-15);
        if (rho.bounded) expect(Math.abs(rho.value(s))).toBeLessThanOrEqual(2);
      }),
    );
  });

  it("is as steep as its Lipschitz constant somewhere, or in the limit", () => {
    if (rho.lipschitz === Infinity) return;
    let steepest = 0;
    for (let x = -30; x <= 30; x += 1 / 64) {
      const rise = Math.abs(rho.value(x + 1e-4) - rho.value(x - 1e-4)) / 2e-4;
      steepest = Math.max(steepest, rise);
    }
    expect(steepest).toBeGreaterThan(0.999 * rho.lipschitz);
  });

  it("has exactly the continuous derivatives at 0 that it says", () => {
    const near = 2 ** -60;
    const jump = (k: number) => Math.abs(rho.derivative(k, near) - rho.derivative(k, -near));
    for (let k = 0; k <= Math.min(rho.smoothness, 12); k++) expect(jump(k)).toBeLessThan(1e-3);
    if (rho.smoothness < 12) expect(jump(rho.smoothness + 1)).toBeGreaterThan(0.01);
    if (rho.smoothness < 12) expect(rho.derivative(rho.smoothness + 1 || 1, 0)).toBeNaN();
  });

  it("has no derivative that vanishes at its generic point", () => {
    if (rho.genericPoint === undefined) expect(rho.pieces).toBeDefined();
    else expect(Math.min(...derivatives(name, rho.genericPoint, 12).map(Math.abs))).toBeGreaterThan(1e-3);
  });
});

describe("derivatives", () => {
  it("of tanh at 0 are the signed tangent numbers", () => {
    expect(derivatives("tanh", 0, 12).map((v) => Math.round(v) + 0)).toEqual([
      0, 1, 0, -2, 0, 16, 0, -272, 0, 7936, 0, -353792, 0,
    ]);
  });

  it("of the logistic function satisfy the polynomial recursion p' (s - s^2)", () => {
    let p = [0, 1]; // in powers of s
    for (let k = 0; k <= 12; k++) {
      for (const x of [-2, -0.5, 0, 1, 4]) {
        const s = activation("logistic").value(Math.min(x, -x)); // p_k(1 - s) = +- p_k(s): no cancellation
        const value = p.reduceRight((sum, c) => sum * s + c, 0) * (x > 0 && k > 0 && k % 2 === 0 ? -1 : 1);
        const expected = k === 0 && x > 0 ? 1 - value : value;
        expect(Math.abs(activation("logistic").derivative(k, x) - expected)).toBeLessThan(
          1e-7 * Math.max(1, 2 ** k),
        );
      }
      const slope = p.slice(1).map((c, j) => c * (j + 1));
      p = Array.from({ length: p.length + 1 }, (_, j) => (slope[j - 1] ?? 0) - (slope[j - 2] ?? 0));
    }
  });

  it("take the values that the tables imply", () => {
    expect(activation("logistic").derivative(2, 0)).toBe(0);
    expect(activation("softplus").derivative(2, 0)).toBe(0.25);
    expect(activation("gaussian").derivative(12, 0)).toBeCloseTo(10395, 6); // 11!!
    expect(activation("arctan").derivative(11, 0)).toBeCloseTo(-3628800, 4); // -10!
    expect(activation("isrlu(2)").derivative(3, -1e-9)).toBeCloseTo(-6, 6);
    expect(activation("repu(3)").derivative(3, 5)).toBe(6);
    expect(activation("repu(3)").derivative(4, 5)).toBe(0);
    expect(activation("leakyRelu(2)").value(-3)).toBe(-3);
    expect(activation("heaviside").value(0)).toBe(0);
    expect(activation("threshold").value(0)).toBe(1);
    expect(activation("tanh").value(800)).toBe(1);
    expect(activation("logistic").derivative(5, -800)).toBe(0);
    expect(activation("isru").value(-1e200)).toBe(-1);
  });

  it("stop at order 12, and exist only where they exist", () => {
    expect(() => activation("tanh").derivative(13, 0)).toThrow(
      "derivatives of tanh go from order 0 to 12, not 13",
    );
    expect(activation("relu").derivative(1, 0)).toBeNaN();
    expect(activation("relu").value(0)).toBe(0);
  });
});

describe("names", () => {
  it("are written in full", () => {
    expect(activation("leakyRelu").name).toBe("leakyRelu(0.01)");
    expect(activation("relu").name).toBe("relu");
  });

  it.each([
    ["swish", 'no activation "swish"; there are relu, linear'],
    ["toString", 'no activation "toString"'],
    ["tanh(2)", "tanh has no parameter"],
    ["leakyRelu(1)", "leakyRelu takes a slope a >= 0 that is not 1"],
    ["leakyRelu()", "leakyRelu takes"],
    ["repu(1.5)", "repu takes a whole exponent of at least 1"],
    ["isru(-1)", "isru takes a finite number above 0"],
  ])("%s is refused", (name, message) => {
    expect(() => activation(name as ActivationName)).toThrow(message);
  });
});

describe("hypotheses", () => {
  const holding: Record<Hypothesis, readonly ActivationName[]> = {
    nonpolynomial: activationFamilies.filter((n) => n !== "linear"),
    sigmoidal: ["heaviside", "threshold", "logistic"],
    piecewiseLinear: ["relu", "linear", "leakyRelu"],
    piecewisePolynomial: ["relu", "linear", "heaviside", "threshold", "leakyRelu", "repu"],
    positivelyHomogeneous: ["relu", "linear", "leakyRelu"],
    rhoEqualsXTimesDerivative: ["relu", "linear", "leakyRelu"],
    lipschitz: activationFamilies.filter((n) => !["heaviside", "threshold", "exp", "repu"].includes(n)),
    bounded: [
      "heaviside",
      "threshold",
      "logistic",
      "softsign",
      "tanh",
      "arctan",
      "gaussian",
      "sin",
      "cos",
      "isru",
    ],
    continuous: activationFamilies.filter((n) => n !== "heaviside" && n !== "threshold"),
    smooth: ["linear", "logistic", "tanh", "arctan", "softplus", "gaussian", "exp", "sin", "cos", "isru"],
    genericPoint: activationFamilies.filter(
      (n) => !["relu", "linear", "heaviside", "threshold", "leakyRelu", "repu"].includes(n),
    ),
  };

  it.each(hypothesisNames)("%s holds for the activations it should", (hypothesis) => {
    expect(activationFamilies.filter((n) => satisfies(n, hypothesis))).toEqual(holding[hypothesis]);
  });

  it("that are not met are refused by name", () => {
    expect(() => requireHypothesis("tanh", "sigmoidal")).toThrow(
      "tanh has limit -1 at -inf and limit 1 at inf, but the theorem needs a sigmoidal activation: limits 0 at -inf and 1 at inf",
    );
    expect(() => requireHypothesis("relu", "sigmoidal")).toThrow(
      /relu has limit 0 at -inf and limit Infinity at inf/,
    );
    expect(() => requireHypothesis("sin", "sigmoidal")).toThrow(/sin has no limit at -inf/);
    expect(() => requireHypothesis("linear", "nonpolynomial")).toThrow(/linear is a polynomial of degree 1/);
    expect(() => requireHypothesis("repu", "positivelyHomogeneous")).toThrow(/homogeneous of degree 2/);
    expect(() => requireHypothesis("repu(3)", "piecewiseLinear")).toThrow(/has pieces of degree 3/);
    expect(() => requireHypothesis("elu", "smooth")).toThrow(/elu has 1 continuous derivatives/);
    expect(requireHypothesis("logistic", "sigmoidal").limits).toEqual([0, 1]);
  });

  it("carry the activation and the hypothesis in the error", () => {
    try {
      requireHypothesis("gaussian", "piecewiseLinear");
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(UnmetHypothesis);
      expect(error).toBeInstanceOf(ConstructError);
      expect(error).toMatchObject({ activation: "gaussian", hypothesis: "piecewiseLinear" });
    }
  });
});
