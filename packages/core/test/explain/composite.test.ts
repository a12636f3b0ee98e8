// Which rule meets which node: every composite on a small convolutional network, composites from files, and what is said
// about those that are wrong.
import { describe, expect, it } from "vitest";
import { assign, composite, compositeNames } from "../../src/explain/composite.ts";
import { readComposite } from "../../src/explain/composite-file.ts";
import { type ExplainOptions, explain } from "../../src/explain/explain.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { parseRule, relevance, ruleText } from "../../src/passes/relevance.ts";

const full = (...dims: number[]): Tensor =>
  tensor(new Float64Array(dims.reduce((n, d) => n * d, 1)).fill(0.1), { type: "float64", dims });

const random = createRandom("composites");
const drawn = (...dims: number[]): Tensor =>
  tensor(random.normal(dims.reduce((n, d) => n * d, 1)), { type: "float64", dims });

/** conv, conv, pool, residual sum, dense, dense. */
const net: Graph = graph({ x: float64(1, 1, 6, 6) }, ({ x }) => {
  const first = x!.op("Conv", [full(2, 1, 3, 3), full(2)]).relu();
  const second = first.op("Conv", [full(2, 2, 1, 1), full(2)]).relu();
  const joined = first.add(second).op("AveragePool", [], { kernel_shape: [2, 2], strides: [2, 2] });
  const hidden = joined.op("Flatten").affine(full(4, 8), full(4)).relu();
  return { y: hidden.affine(full(2, 4), full(2)) };
});

/** From the output down: operator and rule, without the movers. */
const table = (name: string): string[] =>
  relevance(net, { assign: (g, wrt) => assign(composite(name, { low: -1, high: 1 }), g, wrt), ledger: true })
    .rows.filter(({ node }) => node.op !== "Flatten")
    .map(({ node, rule }) => `${node.op} ${rule}`);

/** Gemm, Relu, Gemm, AveragePool, Add, Relu, Conv, Relu, Conv. */
const expected = (
  last: string,
  dense: string,
  second: string,
  first: string,
  { sum = "norm", activation = "pass" } = {},
): string[] => [
  `Gemm ${last}`,
  `Relu ${activation}`,
  `Gemm ${dense}`,
  `AveragePool ${sum}`,
  `Add ${sum}`,
  `Relu ${activation}`,
  `Conv ${second}`,
  `Relu ${activation}`,
  `Conv ${first}`,
];
const eps = "epsilon=0.000001";
const same = (rule: string) => expected(rule, rule, rule, rule);

const presets: Readonly<Record<string, string[]>> = {
  "epsilon-plus": expected(eps, eps, "z-plus", "z-plus"),
  "epsilon-plus-flat": expected(eps, eps, "z-plus", "flat"),
  "epsilon-alpha2-beta1": expected(eps, eps, "alpha-beta=2,1", "alpha-beta=2,1"),
  "epsilon-alpha2-beta1-flat": expected(eps, eps, "alpha-beta=2,1", "flat"),
  "epsilon-gamma-box": expected(eps, eps, "gamma=0.25", "z-box=-1,1"),
  "excitation-backprop": expected("z-plus", "z-plus", "z-plus", "z-plus", { activation: "gradient" }),
  "guided-backprop": expected("gradient", "gradient", "gradient", "gradient", {
    sum: "gradient",
    activation: "guided",
  }),
  deconvnet: expected("gradient", "gradient", "gradient", "gradient", {
    sum: "gradient",
    activation: "deconvolution",
  }),
  "epsilon-alpha1-beta0": expected(eps, eps, "alpha-beta=1,0", "alpha-beta=1,0"),
  "alpha1-beta0": same("alpha-beta=1,0"),
  montavon: expected("zero", "epsilon=0.25rms", "gamma=0.25", "z-box=-1,1"),
  "montavon-real": expected("zero", "epsilon=0.25rms", "gamma=0.25", "w-square"),
  "deep-taylor": expected("z-plus (no bias)", "z-plus (no bias)", "z-plus (no bias)", "z-box=-1,1"),
  text: expected("epsilon=0.001", "epsilon=0.001", "epsilon=0.001", "epsilon=0.001", {
    sum: "epsilon=0.001",
  }),
  "uniform(zero)": expected("zero", "zero", "zero", "zero", { sum: "zero" }),
  "uniform(gamma=0.1)": same("gamma=0.1"),
};

describe("which rule meets which node", () => {
  it("every composite is here", () => {
    expect(Object.keys(presets)).toEqual(expect.arrayContaining([...compositeNames]));
  });

  it.each(Object.entries(presets))("%s", (name, rows) => {
    expect(table(name)).toEqual(rows);
  });

  it("an unknown one is answered with the list", () => {
    expect(() => composite("epsilon-plus-flt")).toThrow(
      /no composite "epsilon-plus-flt": there are .*deep-taylor/,
    );
  });
});

describe("composites from files", () => {
  it("the first line that fits gives the rule", () => {
    const own = readComposite(
      JSON.stringify({
        name: "mine",
        product: "half",
        rules: [
          { node: "conv_2", rule: "gamma=0.5" },
          { operator: "AveragePool", rule: "flat" },
          { at: "first", rule: "z-box=-2,2" },
          { at: "layer", rule: "epsilon=0.1" },
        ],
      }),
    );
    expect([own.name, own.product]).toEqual(["mine", "half"]);
    const { rows } = relevance(net, { assign: (g, wrt) => assign(own, g, wrt), ledger: true });
    expect(rows.filter(({ node }) => /Conv|Gemm|Pool/.test(node.op)).map(({ rule }) => rule)).toEqual([
      "epsilon=0.1",
      "epsilon=0.1",
      "flat",
      "gamma=0.5",
      "z-box=-2,2",
    ]);
  });

  const wrong: Readonly<Record<string, readonly [string, RegExp]>> = {
    "no JSON": ["{ rules: ", /^a composite is JSON, and this is none: /],
    "a list": ["[]", /^a composite is an object in braces$/],
    "no rules": ["{}", /^a composite has "rules": a list/],
    "an empty list": ['{ "rules": [] }', /^a composite has "rules": a list/],
    "a name that is a number": ['{ "name": 3, "rules": [] }', /^the name of a composite is a text$/],
    "no such product": ['{ "product": "most", "rules": [] }', /^"product" is all, prop or half$/],
    "a rule that is a text": ['{ "rules": ["flat"] }', /^rule 1 is an object in braces$/],
    "no rule": ['{ "rules": [{ "at": "first" }] }', /^rule 1 has no "rule", a text such as "gamma=0.25"$/],
    "no place": [
      '{ "rules": [{ "rule": "flat" }] }',
      /^rule 1 says not where: "at" one of first, first-convolution, last, /,
    ],
    "no such place": [
      '{ "rules": [{ "at": "layer", "rule": "flat" }, { "at": "top", "rule": "flat" }] }',
      /^rule 2 says not where: /,
    ],
    "a word that nobody reads": [
      '{ "rules": [{ "at": "layer", "rul": "flat", "rule": "zero" }] }',
      /^rule 1 has no "rul"/,
    ],
    "two places": [
      '{ "rules": [{ "at": "layer", "operator": "Gemm", "rule": "flat" }] }',
      /^rule 1 is at more than one place/,
    ],
    "no such rule": [
      '{ "rules": [{ "at": "layer", "rule": "gama=1" }] }',
      /^no rule "gama=1": there are zero, /,
    ],
  };
  it.each(Object.entries(wrong))("%s", (_, [text, message]) => {
    expect(() => readComposite(text)).toThrow(message);
  });
});

describe("what is shown as a gradient", () => {
  /** A gate, a product, a softmax and a normalization between two layers. */
  const gated = graph({ x: float64(1, 3) }, ({ x }) => {
    const below = x!.affine(drawn(4, 3), drawn(4));
    const gate = below
      .op("Sigmoid")
      .mul(below)
      .add(below.op("Softmax").mul(below.op("Tanh")));
    return { y: gate.div(gate.mul(gate).sum([1], 1).add(1).sqrt()).affine(drawn(2, 4), drawn(2)) };
  });
  const x = tensor([[0.3, -1, 0.7]], { type: "float64" });
  const of = async (options: ExplainOptions): Promise<number[]> =>
    Array.from(
      numbers(
        (await explain(gated, { x }, { ...options, target: { kind: "class", index: 1 } })).relevance.get(
          "x",
        )!,
      ),
    );
  it.each(["uniform(gradient)", "guided-backprop", "deconvnet"])(
    "%s is one where there is no Relu",
    async (name) => {
      const [slopes, found] = [await of({ method: "gradient" }), await of({ composite: name })];
      found.forEach((v, k) => {
        expect(v).toBeCloseTo(slopes[k]!, 10);
      });
    },
  );
});

describe("rules at nodes that do not have them", () => {
  const attempt = (...lines: object[]) => {
    const own = readComposite(JSON.stringify({ rules: lines }));
    return relevance(net, { assign: (g, wrt) => assign(own, g, wrt), ledger: true });
  };
  it.each([
    ["layer", "pass", /^Gemm node ".*": "pass" is no rule that it has/],
    ["layer", "guided", /^Gemm node ".*": "guided" is no rule that it has/],
    ["sum", "gamma=0.5", /^AveragePool node ".*": "gamma=0.5" is no rule that it has/],
    ["sum", "pass", /^AveragePool node ".*": "pass" is for/],
    ["sum", "flat", /^Add node ".*": "flat" is for/],
    ["activation", "epsilon=0.1", /^Relu node ".*": "epsilon=0.1" is no rule that it has/],
  ])("%s: %s", (at, rule, message) => {
    expect(() => attempt({ at, rule })).toThrow(message);
  });

  it("flat of a mean shares alike, and its books add up", async () => {
    const own = readComposite('{ "rules": [{ "operator": "AveragePool", "rule": "flat" }] }');
    const x = tensor(
      Float64Array.from({ length: 36 }, (_, k) => k / 36),
      { type: "float64", dims: [1, 1, 6, 6] },
    );
    const { ledger, imbalance } = await explain(net, { x }, { composite: own });
    expect(ledger!.find(({ operator }) => operator === "AveragePool")!.rule).toBe("flat");
    expect(imbalance).toBeUndefined();
  });

  it("a node is called as the books call it", () => {
    const conv = net.nodes.find(({ op }) => op === "Conv")!;
    const nodes = net.nodes.map((node) => ({ ...node, name: "" }));
    const own = readComposite(JSON.stringify({ rules: [{ node: conv.outputs[0], rule: "w-square" }] }));
    const { rows } = relevance({ ...net, nodes }, { assign: (g, wrt) => assign(own, g, wrt) });
    expect(rows.filter(({ rule }) => rule === "w-square")).toHaveLength(1);
    expect(() => attempt({ node: "conv17", rule: "zero" })).toThrow('a rule for node "conv17"');
  });

  it.each([
    [{ low: 1, high: 0 }, "low is below high"],
    [{ low: [0, 0], high: [1, 0] }, "low is below high"],
    [{ low: [0, 0], high: [1, 1, 1] }, "there are 2 numbers below and 3 above"],
  ])("no box %j", (bounds, message) => {
    expect(() => composite("montavon", bounds)).toThrow(message);
  });

  it("a box has a number for each channel", () => {
    const own = composite("montavon", { low: [0, 0], high: 1 });
    expect(() => relevance(net, { assign: (g, wrt) => assign(own, g, wrt) })).toThrow(
      "a box has 2 numbers for the 1 channels",
    );
  });
});

describe("rules in writing", () => {
  const read: Readonly<Record<string, object>> = {
    zero: { kind: "zero" },
    epsilon: { kind: "epsilon", epsilon: 1e-6 },
    "epsilon=0.25rms": { kind: "epsilon", epsilon: 0.25, relative: true },
    gamma: { kind: "gamma", gamma: 0.25 },
    "alpha-beta": { kind: "alpha-beta", alpha: 2, beta: 1 },
    "alpha-beta=3": { kind: "alpha-beta", alpha: 3, beta: 2 },
    "z-box": { kind: "z-box", low: 0, high: 1 },
    "z-box=-1,0.5": { kind: "z-box", low: -1, high: 0.5 },
  };
  it.each(Object.entries(read))("%s", (text, rule) => {
    expect(parseRule(text)).toEqual(rule);
    expect(parseRule(ruleText(parseRule(text)))).toEqual(rule);
  });

  const wrong: Readonly<Record<string, string>> = {
    "": "there are zero, ",
    epsilonn: "there are zero, ",
    "zero=1": "it has no parameter",
    "gamma=1,2": "it has at most 1",
    "z-box=0,1,2": "it has at most 2",
    "gamma=": "its parameters are no numbers",
    "gamma=1=2": "its parameters are no numbers",
    "gamma=big": "its parameters are no numbers",
    "gamma=Infinity": "its parameters are no numbers",
    "epsilon=-1": "epsilon is at least 0",
    "gamma=-0.1": "gamma is at least 0",
    "gamma=0.1rms": "its parameters are no numbers",
    "alpha-beta=2,2": "alpha is at least 1, and alpha - beta = 1",
    "alpha-beta=0.5": "alpha is at least 1, and alpha - beta = 1",
    "alpha-beta=0,1": "alpha is at least 1, and alpha - beta = 1",
    "z-box=1,1": "low is below high",
  };
  it.each(Object.entries(wrong))("%s", (text, reason) => {
    expect(() => parseRule(text)).toThrow(`no rule "${text}": ${reason}`);
  });
});
