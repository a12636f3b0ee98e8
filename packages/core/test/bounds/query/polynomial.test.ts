// Queries with products of variables, against what is known of them and against all points of a grid.
import { describe, expect, it } from "vitest";
import { verifyQuery } from "../../../src/bounds/query/verify.ts";
import { parseVnnlib } from "../../../src/bounds/query/vnnlib.ts";
import { float32, float64, graph } from "../../../src/graph/builder.ts";
import type { Graph } from "../../../src/graph/graph.ts";
import { tensor } from "../../../src/graph/tensor.ts";
import { createRandom } from "../../../src/numbers/random.ts";

const f64 = { type: "float64" } as const;
/** y0 = relu(x0 - x1), y1 = x0 + x1 / 2. */
const net = graph({ x: float64(1, 2) }, ({ x }) => ({
  y: x
    .affine(
      tensor(
        [
          [1, -1],
          [1, 0.5],
          [-1, -0.5],
        ],
        f64,
      ),
    )
    .relu()
    .affine(
      tensor(
        [
          [1, 0, 0],
          [0, 1, -1],
        ],
        f64,
      ),
    ),
}));
const query = (...assertions: readonly string[]): string =>
  `(vnnlib-version <2.0>)
(declare-network f (declare-input X real [2]) (declare-output Y real [2]))
(assert (and (>= X[0] -1) (<= X[0] 1) (>= X[1] -1) (<= X[1] 1)))
${assertions.map((a) => `(assert ${a})`).join("\n")}`;
const verdictOf = async (...assertions: readonly string[]): Promise<string> =>
  (await verifyQuery(parseVnnlib(query(...assertions)), new Map([["f", net]]), { seconds: 20 })).verdict;

const disc = "(<= (+ (* X[0] X[0]) (* X [1] X [1])) 1.0)";

describe("products of variables", () => {
  it.each([
    ["unsat", [disc, "(>= (+ X[0] X[1]) 1.4143)"]],
    ["sat", [disc, "(>= (+ X[0] X[1]) 1.4141)"]],
    ["unsat", ["(<= (+ X[0] X[1]) 1)", "(> (* X[0] X[1]) 0.2501)", "(>= X[0] 0)"]],
    ["unsat", ["(<= (* Y[1] Y[1]) -0.0001)"]],
    // y0 y1 = (x0 - x1)(x0 + x1 / 2) for x0 > x1: 9/8 at most, at x0 = 1 and x1 = -1/2.
    ["unsat", ["(>= (* Y[0] Y[1]) 1.126)"]],
    ["sat", ["(>= (* Y[0] Y[1]) 1.124)"]],
    // A cube, an output times an input, and a product that has to be multiplied out.
    ["unsat", ["(>= (* X[0] X[0] X[0]) 1.0001)"]],
    ["sat", ["(<= (* X[0] Y[0] 2) -0.24)"]],
    ["unsat", ["(< (* (- X[0] X[1]) (- X[0] X[1])) -0.001)"]],
    [
      "unsat",
      ["(> (* Y[0] Y[0]) (* 4.01 (+ 0.01 (* X[0] X[0] X[0] X[0])))) ", "(>= X[1] 0)", "(>= X[0] 0.9)"],
    ],
  ] as const)("%s: %j", async (verdict, assertions) => {
    expect(await verdictOf(...assertions)).toBe(verdict);
  });

  it("witnesses satisfy products exactly, and name variables alone", async () => {
    const { verdict, witness } = await verifyQuery(
      parseVnnlib(query("(== (* X[0] X[1]) 0.25)", "(>= X[0] 0.3)", "(<= X[0] 0.9)")),
      new Map([["f", net]]),
      { seconds: 5 },
    );
    // An equation of products holds at single points only: to find none is no error.
    expect(["sat", "unknown", "timed-out"]).toContain(verdict);
    if (witness) {
      const value = new Map(witness.map((w) => [w.name, w.value]));
      expect(value.get("X[0]")! * value.get("X[1]")!).toBe(0.25);
    }
    const easy = await verifyQuery(parseVnnlib(query("(<= (* X[0] X[1]) -0.5)")), new Map([["f", net]]), {});
    expect(easy.witness!.map((w) => w.name)).toEqual(["X[0]", "X[1]", "Y[0]", "Y[1]"]);
  });

  it("two networks whose inputs are the same", async () => {
    const text = `(vnnlib-version <2.0>)
(declare-network f (declare-input X real [2]) (declare-output Y real [2]))
(declare-network g (equal-to f) (declare-input U real [2]) (declare-output V real [2]))
(assert (and (== X[0] U[0]) (== X[1] U[1]) (>= X[0] 0) (<= X[0] 1) (>= X[1] 0) (<= X[1] 1)))`;
    const ask = async (last: string) =>
      (await verifyQuery(parseVnnlib(`${text}\n(assert ${last})`), new Map([["f", net]]), { seconds: 20 }))
        .verdict;
    // (y - v)^2 = 0, though y v is no square to whoever reads both networks apart.
    expect(await ask("(>= (* (- Y[1] V[1]) (- Y[1] V[1])) 0.01)")).toBe("unsat");
    expect(await ask("(>= (* Y[1] V[1]) 2.2)")).toBe("sat");
    expect(await ask("(< (* X[0] U[0]) -0.000001)")).toBe("unsat");
  });
});

/** A random network of two inputs and two outputs. */
function drawn(seed: number): Graph {
  const random = createRandom(`polynomial ${seed}`);
  const matrix = (rows: number, columns: number) =>
    tensor(
      Array.from({ length: rows }, () =>
        Array.from({ length: columns }, () => Math.round(8 * random.normal()) / 8),
      ),
      { type: "float32" },
    );
  return graph({ x: float32(1, 2) }, ({ x }) => ({ y: x.affine(matrix(5, 2)).relu().affine(matrix(2, 5)) }));
}

it("agrees with all points of a grid", async () => {
  const { run } = await import("../../../src/engine/run.ts");
  const random = createRandom("polynomial queries");
  const names = ["X[0]", "X[1]", "Y[0]", "Y[1]"] as const;
  const side = 41;
  let decided = 0;
  for (let seed = 0; seed < 5; seed++) {
    const model = drawn(seed);
    const rows: number[][] = [];
    for (let i = 0; i < side; i++)
      for (let j = 0; j < side; j++) {
        const x = [-1 + (2 * i) / (side - 1), -1 + (2 * j) / (side - 1)];
        const { y } = await run(model, { x: tensor([x], { type: "float32" }) });
        rows.push([...x, ...Array.from(y!.data as Float32Array)]);
      }
    for (let trial = 0; trial < 4; trial++) {
      const terms = Array.from({ length: 3 }, () => ({
        c: Math.round(16 * random.normal()) / 8,
        of: Array.from({ length: random.integer(1, 3) }, () => random.integer(0, 3)),
      }));
      const value = (row: readonly number[]): number =>
        terms.reduce((sum, { c, of }) => sum + of.reduce((p, k) => p * row[k]!, c), 0);
      const greatest = Math.max(...rows.map(value));
      const sum = terms.map(({ c, of }) => `(* ${c} ${of.map((k) => names[k]).join(" ")})`).join(" ");
      // What a point of the grid shows is sat; well above the greatest value of a fine grid a proof of unsat is wrong seldom.
      for (const [threshold, known] of [
        [greatest - 0.05, "sat"],
        [greatest + 1.5 + Math.abs(greatest), undefined],
      ] as const) {
        const text = query(`(>= (+ ${sum}) ${threshold.toFixed(6)})`);
        const { verdict, witness } = await verifyQuery(parseVnnlib(text), new Map([["f", model]]), {
          seconds: 3,
        });
        if (known) expect(verdict, text).not.toBe("unsat");
        if (verdict === "sat" || verdict === "unsat") decided++;
        if (witness)
          expect(value(witness.map((w) => w.value)), text).toBeGreaterThanOrEqual(
            Number(threshold.toFixed(6)) - 1e-9,
          );
      }
    }
  }
  expect(decided).toBeGreaterThan(30);
});

describe("what a network declares", () => {
  const layered = graph({ a: float32(1, 1), b: float32(1, 2) }, ({ a, b }) => {
    const hidden = b.mul([[2, 3]]).op("Identity");
    return { first: a.add(hidden.sum([1], 1)), second: a.neg() };
  });
  const inside = layered.nodes.find(({ op }) => op === "Identity")!.outputs[0]!;
  const declared = (network: string, ...assertions: readonly string[]) =>
    parseVnnlib(
      `(vnnlib-version <2.0>)\n(declare-network f ${network})\n${assertions.map((a) => `(assert ${a})`).join("\n")}`,
    );
  const box = ["(and (>= A[0,0] 0) (<= A[0,0] 1) (>= B[0,0] 0) (<= B[0,0] 1) (>= B[0,1] 0) (<= B[0,1] 1))"];
  const ask = (text: ReturnType<typeof parseVnnlib>) =>
    verifyQuery(text, new Map([["f", layered]]), { seconds: 10 });

  it("values inside, by their names in the model", async () => {
    const network = `(declare-input A float32 [1,1]) (declare-input B float32 [1,2]) (declare-hidden H float32 [1,2] "${inside}") (declare-output Y float32 [1,1]) (declare-output Z float32 [1,1])`;
    expect((await ask(declared(network, ...box, "(>= H[0,1] 3.01)"))).verdict).toBe("unsat");
    const { verdict, witness } = await ask(declared(network, ...box, "(>= H[0,1] 2.99)", "(<= Y[0,0] 3.5)"));
    expect(verdict).toBe("sat");
    const value = new Map(witness!.map((w) => [w.name, w.value]));
    expect(value.get("H[0,1]")).toBe(Math.fround(3 * value.get("B[0,1]")!));
    expect(value.get("Z[0,0]")).toBe(-value.get("A[0,0]")!);
  });

  it("inputs and outputs by name, in another order", async () => {
    const network =
      '(declare-input B float32 [1,2] "b") (declare-input A float32 [1,1] "a") (declare-output Z float32 [1,1] "second") (declare-output Y float32 [1,1] "first")';
    expect((await ask(declared(network, ...box, "(> Z[0,0] 0)"))).verdict).toBe("unsat");
    expect((await ask(declared(network, ...box, "(>= Y[0,0] 5.9)"))).verdict).toBe("sat");
  });

  it("names that the model has not are said, with those that it has", async () => {
    const network = (name: string) =>
      `(declare-input B float32 [1,2] "b") (declare-input A float32 [1,1] "${name}") (declare-output Y float32 [1,1]) (declare-output Z float32 [1,1])`;
    await expect(ask(declared(network("c"), ...box, "(> Y[0,0] 0)"))).rejects.toThrow(
      'the model of network f has no input "c"; it has "a", "b"',
    );
    const hidden =
      '(declare-input A real [3]) (declare-hidden H real [2] "nowhere") (declare-output Y real [2])';
    await expect(ask(declared(hidden, "(> Y[0] 0)"))).rejects.toThrow('computes no value "nowhere"');
    expect(() =>
      declared('(declare-input A real [1] "a") (declare-input B real [2]) (declare-output Y real [2])'),
    ).toThrow("line 2: some inputs have a name of the model and others have none: all or none");
    expect(() =>
      declared("(declare-input A real [3]) (declare-hidden H real [2]) (declare-output Y real [2])"),
    ).toThrow('line 2: expected (declare-hidden NAME real [5] "NAME IN THE MODEL")');
  });
});
