import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { certificateSchema, sha256 } from "../../src/check/certificate.ts";
import { type BoxSide, type Compiled, compile } from "../../src/compile/compile.ts";
import { sampledError } from "../../src/compile/sample.ts";
import { run } from "../../src/engine/run.ts";
import { nodeRange } from "../../src/formula/range.ts";
import { numbers } from "../../src/graph/tensor.ts";
import type { Interval } from "../../src/numbers/interval/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { patience } from "../patience.ts";

const box = (sides: Record<string, readonly [number, number]>): BoxSide[] =>
  Object.entries(sides).map(([name, [lower, upper]]) => ({ name, lower, upper }));
const indexed = (count: number, lower: number, upper: number): BoxSide[] =>
  Array.from({ length: count }, (_, k) => ({ name: `x${k + 1}`, lower, upper }));

const seen = ({ graph, certificate, sizes }: Compiled, points = 5000): Promise<number> =>
  sampledError(graph, certificate.formula, certificate.box, sizes.hiddenUnits!, {
    points,
    dtype: certificate.dtype,
  });

/** Compiles, and checks what every compilation promises; rounding of the comparison itself is 1e-13 of the values. */
async function honest(
  formula: string,
  sides: readonly BoxSide[],
  eps: number,
  dtype: "f32" | "f64" = "f64",
): Promise<Compiled> {
  const compiled = await compile({ formula, box: sides, eps, dtype });
  const { certificate, program, budget, sizes } = compiled;
  expect(certificate.certifiedError).toBeLessThanOrEqual(eps);
  expect(certificate.realError).toBeLessThanOrEqual(certificate.certifiedError);
  const size = Math.max(
    ...program.ranges.slice(0, compiled.functionGraph.nodes.length).map((r) => Math.max(-r.lower, r.upper)),
  );
  expect(await seen(compiled)).toBeLessThanOrEqual(certificate.certifiedError + 1e-13 * (1 + size));
  expect(budget.reduce((sum, b) => sum + b.units, 0)).toBe(sizes.hiddenUnits);
  return compiled;
}

/** Every node of the graph at random points, against enclosures of its exact value: no node leaves its range or error. */
async function checkNodes(
  { graph, certificate, program, functionGraph }: Compiled,
  seed: number,
  count = 20,
): Promise<void> {
  const random = createRandom(`nodes ${seed}`);
  const dimension = certificate.box.length;
  const points = Array.from({ length: count }, () =>
    certificate.box.map(({ lower, upper }) => {
      const x = lower + (upper - lower) * random.uniform(1)[0]!;
      return certificate.dtype === "f32" ? Math.fround(x) : x;
    }),
  );
  const own = certificate.nodes.filter((n) => n.servant === undefined && n.op !== "variable");
  const tensors = [...new Set(own.map((n) => n.tensor))];
  if (tensors.length === 0) return; // the formula is one of its variables
  const type = certificate.dtype === "f32" ? ("float32" as const) : ("float64" as const);
  const outputs = tensors.map((name) => ({ name, type: { type, shape: ["N", undefined] } }));
  const data =
    certificate.dtype === "f32" ? Float32Array.from(points.flat()) : Float64Array.from(points.flat());
  const found = await run({ ...graph, outputs }, { x: { type, dims: [count, dimension], data } });
  points.forEach((point, row) => {
    const exact: Interval[] = [];
    for (const id of program.order) {
      const node = program.nodes[id]!;
      if (program.serves.has(id)) continue;
      const column =
        node.op === "variable" ? point[certificate.box.findIndex((b) => b.name === node.name)]! : 0;
      exact[id] = nodeRange(
        node,
        node.args.map((a) => exact[a]!),
        { lower: column, upper: column },
      );
    }
    for (const { id, tensor, column, range, runError } of own) {
      const values = found[tensor]!;
      const value = numbers(values)[row * values.dims[1]! + column]!;
      const { lower, upper } = exact[id]!;
      const where = `${certificate.formula} node ${id} ${program.nodes[id]!.op}`;
      expect([where, upper >= range[0] && lower <= range[1]]).toEqual([where, true]);
      expect([where, Math.max(lower - value, value - upper) <= runError]).toEqual([where, true]);
    }
  });
  expect(certificate.nodes.length).toBeGreaterThanOrEqual(functionGraph.nodes.length);
}

describe("quality", () => {
  it("x^2 to 1e-8 on [-1, 1] in at most 50 units", async () => {
    const { sizes } = await honest("x^2", box({ x: [-1, 1] }), 1e-8);
    expect(sizes.hiddenUnits).toBeLessThanOrEqual(50);
  });

  it("x y to 1e-6 on [-1, 1]^2 in at most 100 units", async () => {
    const { sizes } = await honest("x*y", box({ x: [-1, 1], y: [-1, 1] }), 1e-6);
    expect(sizes.hiddenUnits).toBeLessThanOrEqual(100);
  });

  it("sin(x) to 1e-4 on [-10, 10] in at most 100 units", async () => {
    const { sizes } = await honest("sin(x)", box({ x: [-10, 10] }), 1e-4);
    expect(sizes.hiddenUnits).toBeLessThanOrEqual(100);
  });

  it("polynomials to 1e-10", async () => {
    await honest("x^3 - 2x + 1/3", box({ x: [-1, 2] }), 1e-10);
    await honest("x^5 + x^4 - 3x^2*y + y^3", box({ x: [-1, 1], y: [-1, 1] }), 1e-10);
    await honest("16x^5 - 20x^3 + 5x", box({ x: [-1, 1] }), 1e-10);
  });

  it("max of affine maps has no error but rounding", async () => {
    const { certificate } = await honest(
      "max(2x + y, x - 3y, min(x, 1))",
      box({ x: [-1, 1], y: [-1, 1] }),
      1e-9,
    );
    expect(certificate.realError).toBe(0);
  });
});

describe("formulas of many kinds", () => {
  it.each([
    ["prod(i, 1, 8, x[i])", indexed(8, -1, 1), 1e-4],
    ["exp(-sum(i, 1, 8, x[i]^2))", indexed(8, -1, 1), 1e-3],
    ["sqrt(x^2 + y^2)", box({ x: [-1, 1], y: [-1, 1] }), 1e-3],
    ["1/x", box({ x: [0.01, 1] }), 1e-3],
    ["x/y", box({ x: [-1, 1], y: [1, 4] }), 1e-5],
    ["log(1 + exp(x))", box({ x: [-5, 5] }), 1e-6],
    ["x^0.5 + y^1.5 + x^(1/3)", box({ x: [0, 2], y: [0, 2] }), 1e-3],
    ["asin(x) + acos(x)", box({ x: [-1, 1] }), 1e-3],
    ["tan(x) * atan(y)", box({ x: [-1.2, 1.2], y: [-3, 3] }), 1e-4],
    ["x^y", box({ x: [0.5, 2], y: [-2, 2] }), 1e-4],
    ["sin(100x)", box({ x: [0, 1] }), 1e-3],
    ["cos(x) * cosh(y) - sinh(x * y)", box({ x: [-7, 7], y: [-1, 1] }), 1e-3],
    ["x + 0 * y + pi", box({ x: [0.5, 0.5], y: [3, 4] }), 1e-9],
    ["2.5", [], 1e-3],
  ] as const)("%s", async (formula, sides, eps) => {
    await checkNodes(await honest(formula, sides, eps), 1);
  });

  it("the price of a call option by Black and Scholes", async () => {
    const d = (sign: string) => `((log(S/K) + (r ${sign} v^2/2)*T) / (v*sqrt(T)))`;
    const phi = (x: string) => `(1 + erf(${x}/sqrt(2)))/2`;
    const price = `S * ${phi(d("+"))} - K * exp(-r*T) * ${phi(d("-"))}`;
    const sides = box({ S: [80, 120], K: [90, 110], r: [0, 0.05], v: [0.1, 0.4], T: [0.25, 2] });
    await checkNodes(await honest(price, sides, 0.1), 2);
  });

  it.each(["f32", "f64"] as const)("in %s", async (dtype) => {
    await checkNodes(
      await honest("sin(3x) * y + x^2 / (2 + y)", box({ x: [-1, 1], y: [0.1, 0.7] }), 1e-3, dtype),
      3,
    );
    await checkNodes(
      await honest("max(x, y) - tanh(x * y)", box({ x: [-2, 1], y: [-1, 3] }), 1e-3, dtype),
      4,
    );
  });
});

describe("large formulas", () => {
  const tree = (names: readonly string[], join: (a: string, b: string) => string): string => {
    if (names.length === 1) return names[0]!;
    return tree(
      Array.from({ length: names.length / 2 }, (_, k) => join(names[2 * k]!, names[2 * k + 1]!)),
      join,
    );
  };

  it("a tree of 1,024 leaves: operators grow with the depth, units with the nodes", async () => {
    const sizesOf = async (leaves: number) => {
      const sides = indexed(leaves, -1, 1);
      const formula = tree(
        sides.map((s) => s.name),
        (a, b) => `(${a})*(${b})/2 + 0.3`,
      );
      const compiled = await compile({ formula, box: sides, eps: 1e-2 });
      expect(compiled.certificate.certifiedError).toBeLessThanOrEqual(1e-2);
      expect(await seen(compiled, 500)).toBeLessThanOrEqual(compiled.certificate.certifiedError);
      return { operators: compiled.graph.nodes.length, units: compiled.sizes.hiddenUnits! };
    };
    const [small, large] = [await sizesOf(256), await sizesOf(1024)];
    expect(large.units).toBeGreaterThan(3 * small.units);
    expect(large.units).toBeLessThan(8 * small.units);
    expect(large.operators).toBeLessThan(2.5 * small.operators);
  });

  it("a sum of squares of 1,024 variables", async () => {
    await honest("sum(i, 1, 1024, x[i]^2)", indexed(1024, 0, 1), 1e-2);
  });
});

describe("what cannot be compiled", () => {
  it.each([
    ["1/x", "1/x on a box that contains x = 0: x ranges from -1 to 1"],
    ["log(x + 1)", "log of a range that reaches 0: x \\+ 1 ranges from 0 to 2"],
    ["sqrt(x)", "sqrt\\(x\\) is not defined"],
    ["tan(2x)", "pole"],
    ["asin(2x)", "asin\\(2 x\\) is not defined"],
    ["x^-2", "contains x = 0"],
    ["exp(2000x)", "grows beyond all doubles"],
  ])("%s on [-1, 1]", async (formula, message) => {
    await expect(compile({ formula, box: box({ x: [-1, 1] }), eps: 1e-3 })).rejects.toThrow(
      new RegExp(message),
    );
  });

  it("says which node rounding hinders, in f32 and in f64", async () => {
    const asked = (dtype: "f32" | "f64", eps: number) =>
      compile({ formula: "x^2 + 1", box: box({ x: [-1, 1] }), eps, dtype });
    await expect(asked("f32", 1e-8)).rejects.toThrow(
      /eps 1e-8 cannot be met: .*rounding may cost .* at the node/,
    );
    await expect(asked("f64", 1e-17)).rejects.toThrow(/cannot be met/);
  });

  it("refuses what may overflow in f32, though the formula does not", async () => {
    const asked = (formula: string, dtype: "f32" | "f64") =>
      compile({ formula, box: box({ x: [-1, 1] }), eps: 1e36, dtype });
    await expect(asked("2e38 * x + 2e38 * sin(x) - 2e38 * tanh(x)", "f32")).rejects.toThrow(/cannot be met/);
    expect(
      (await asked("2e38 * x + 2e38 * sin(x) - 2e38 * tanh(x)", "f64")).certificate.certifiedError,
    ).toBeLessThanOrEqual(1e36);
  });

  it("a box out of order, twice the same name, eps that is not positive", async () => {
    await expect(compile({ formula: "x", box: box({ x: [1, 0] }), eps: 1 })).rejects.toThrow(
      /in order for x/,
    );
    await expect(
      compile({ formula: "x", box: [...box({ x: [0, 1] }), ...box({ x: [0, 1] })], eps: 1 }),
    ).rejects.toThrow(/x twice/);
    await expect(compile({ formula: "x", box: box({ x: [0, 1] }), eps: 0 })).rejects.toThrow(/eps/);
    await expect(
      compile({ formula: "x", box: box({ x: [0, Number.POSITIVE_INFINITY] }), eps: 1 }),
    ).rejects.toThrow(/finite/);
  });
});

describe("the certificate", () => {
  it("is what its schema says, with the file's hash and names of the graph", async () => {
    const { certificate, bytes, graph } = await compile({
      formula: "sin(5x) * y + exp(x)",
      box: box({ x: [-3, 3], y: [0, 1] }),
      eps: 1e-7,
    });
    const again = certificateSchema.parse(JSON.parse(JSON.stringify(certificate)));
    expect(again).toEqual(certificate);
    expect(certificate.network.sha256).toBe(await sha256(bytes));
    const names = new Set([...graph.inputs.map((i) => i.name), ...graph.nodes.flatMap((n) => n.outputs)]);
    for (const node of certificate.nodes) expect(names).toContain(node.tensor);
    for (const block of certificate.blocks) {
      expect(names).toContain(block.output);
      for (const input of block.inputs) expect(names).toContain(input);
      if ("chain" in block) for (const fold of block.chain.folds) expect(names).toContain(fold);
    }
    expect(certificate.blocks.map((b) => b.kind)).toContain("polynomial");
  });
});

const positive = (x: string): string => `(1.5 + tanh(${x}))`;
const leaf = fc.oneof(
  fc.constantFrom("x", "y", "z"),
  fc.double({ min: -2, max: 2, noNaN: true }).map((c) => `(${Number(c.toPrecision(3))})`),
);
const { formula: anyFormula } = fc.letrec<{ formula: string }>((tie) => ({
  formula: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc
      .tuple(tie("formula"), tie("formula"), fc.constantFrom("+", "-", "*"))
      .map(([a, b, op]) => `(${a} ${op} ${b})`),
    fc
      .tuple(tie("formula"), tie("formula"), fc.constantFrom("max", "min"))
      .map(([a, b, f]) => `${f}(${a}, ${b})`),
    fc
      .tuple(tie("formula"), fc.constantFrom("sin", "cos", "tanh", "atan", "abs", "erf", "sigmoid", "relu"))
      .map(([a, f]) => `${f}(${a})`),
    tie("formula").map((a) => `exp(sin(${a}))`),
    fc.tuple(tie("formula"), fc.constantFrom("log", "sqrt", "1/")).map(([a, f]) => `${f}(${positive(a)})`),
    fc.tuple(tie("formula"), fc.integer({ min: 2, max: 4 })).map(([a, n]) => `(${a})^${n}`),
  ),
}));

describe("soundness", () => {
  it("no node of a random formula leaves its range or its error, in f32 or f64", {
    timeout: patience(300_000),
  }, async () => {
    let compiledCount = 0;
    await fc.assert(
      fc.asyncProperty(
        anyFormula,
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom("f32" as const, "f64" as const),
        fc.array(
          fc.tuple(fc.double({ min: -2, max: 2, noNaN: true }), fc.double({ min: 0, max: 2, noNaN: true })),
          { minLength: 3, maxLength: 3 },
        ),
        async (formula, digits, dtype, sides) => {
          const names = ["x", "y", "z"];
          const text = `${formula} + 0*x + 0*y + 0*z`;
          const given = names.map((name, k) => ({
            name,
            lower: sides[k]![0],
            upper: sides[k]![0] + sides[k]![1],
          }));
          let compiled: Compiled;
          try {
            compiled = await compile({ formula: text, box: given, eps: 10 ** -digits, dtype });
          } catch (error) {
            expect((error as Error).message).toMatch(/cannot be met|grows beyond/);
            return;
          }
          compiledCount++;
          expect(compiled.certificate.certifiedError).toBeLessThanOrEqual(10 ** -digits);
          await checkNodes(compiled, 7, 12);
        },
      ),
      { numRuns: 120 },
    );
    expect(compiledCount).toBeGreaterThan(60);
  });
});
