import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { run } from "../../src/engine/index.ts";
import { checkGraph, float32, float64, graph, numbers, type Tensor, tensor } from "../../src/graph/index.ts";
import {
  activationNames,
  applyActivation,
  initialNetwork,
  parseSpec,
  parseSpecJson,
  specFromJson,
  TrainError,
  train,
  trainableWeights,
} from "../../src/train/index.ts";
import { weightsAsInputs } from "../../src/train/weights.ts";
import { checkGradient, randomTensor } from "../passes/gradient-check.ts";

const conv = "1x28x28-conv16k5s2-relu-conv32k5s2-relu-flatten-10";

describe("a specification in one line", () => {
  it("is the layers between its hyphens", () => {
    expect(parseSpec("784-256-relu-10nobias")).toEqual({
      input: [784],
      layers: [
        { layer: "dense", units: 256, bias: true },
        { layer: "activation", activation: "relu" },
        { layer: "dense", units: 10, bias: false },
      ],
    });
    expect(parseSpec("6x9x9-conv8k3s2sameg2d2nobias-maxpool3s2p1").layers).toEqual([
      {
        layer: "conv",
        channels: 8,
        size: 3,
        stride: 2,
        dilation: 2,
        padding: "same",
        groups: 2,
        bias: false,
      },
      { layer: "maxpool", size: 3, stride: 2, padding: 1 },
    ]);
  });

  it("may have spaces, capitals, and hyphens in parentheses", () => {
    expect(parseSpec(" 2 - 3 -LeakyReLU(1e-3)- residual( 3 - tanh )-1").layers).toEqual([
      { layer: "dense", units: 3, bias: true },
      { layer: "activation", activation: "leakyrelu(1e-3)" },
      {
        layer: "residual",
        layers: [
          { layer: "dense", units: 3, bias: true },
          { layer: "activation", activation: "tanh" },
        ],
      },
      { layer: "dense", units: 1, bias: true },
    ]);
  });

  it.each([
    ["784-256-rleu-10", 9, /no layer is called "rleu".*relu/],
    ["784", 4, /no layer comes after the input/],
    ["", 1, /nothing stands here/],
    ["784--10", 5, /nothing stands here/],
    ["784-256-", 9, /nothing stands here/],
    ["relu-10", 1, /no shape of an input/],
    ["1x2x3x4-10", 1, /no shape of an input/],
    ["0-10", 1, /whole number from 1/],
    ["784-0-10", 5, /number of units is a whole number from 1/],
    ["784-9999999999999-10", 5, /whole number from 1 to 1e9/],
    ["1x28x28-10", 9, /put flatten before it/],
    ["784-conv16k5-10", 5, /write the input as 1x28x28/],
    ["1x28x28-conv16", 9, /conv<channels>k<size>/],
    ["1x28x28-conv16k5q2", 9, /"q2" is not understood/],
    ["1x28x28-conv16k5s2s3", 9, /stride is given twice/],
    ["1x28x28-conv16k5p1same", 9, /padding is given twice/],
    ["1x28x28-conv4k3-maxpool2g2", 17, /takes no g2/],
    ["1x28x28-maxpool", 9, /as in maxpool2/],
    ["1x28x28-maxpool2p2-flatten-1", 9, /must be below the window/],
    ["1x4x4-conv16k5", 7, /window of 5 does not fit/],
    ["3x8x8-conv16k3g2", 7, /2 groups must divide/],
    ["2-3-leakyrelu(1)-1", 5, /slope/],
    ["2-3-relu(2)-1", 5, /no parameter/],
    ["2-3-silu(2)-1", 5, /no parameter/],
    ["2-3-residual(4-relu)-1", 5, /keep the shape \[3\].*\[4\]/],
    ["2-3-residual(tanhh-3)-1", 14, /"tanhh"/],
    ["2-3-residual(3-1", 17, /not closed/],
    [`3-${"residual(".repeat(5000)}3${")".repeat(5000)}`, 191, /parentheses are open/],
    ["2-3)-1", 4, /closes nothing/],
    ["100000-100000-10", 8, /more than an ONNX file holds/],
  ])("%.40s is wrong at character %i", (text, at, message) => {
    expect(() => parseSpec(text)).toThrow(TrainError);
    expect(() => parseSpec(text)).toThrow(new RegExp(`", character ${at}: .*${message.source}`));
  });

  it("without weights is refused", () => expect(() => parseSpec("3-relu")).toThrow(/has weights/));

  it("gives an architecture or one line, whatever is written", () => {
    const piece = fc.constantFrom(
      "3",
      "-",
      "x",
      "relu",
      "conv4k3",
      "s2",
      "(",
      ")",
      "residual",
      "flatten",
      "\n",
      "é",
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 12 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (written) => {
        try {
          expect(parseSpec(written).layers.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(TrainError);
          expect((error as Error).message).not.toMatch(/[\n\r]/);
        }
      }),
      { seed: 1, numRuns: 2000 },
    );
  });
});

describe("a specification in JSON", () => {
  it("is the same architecture, with layers as objects or text", () => {
    const layers = [
      { layer: "conv", channels: 16, size: 5, stride: 2 },
      "relu",
      "conv32k5s2",
      { layer: "activation", activation: "ReLU" },
      { layer: "flatten" },
      { layer: "dense", units: 10 },
    ];
    expect(parseSpecJson(JSON.stringify({ input: [1, 28, 28], layers }))).toEqual(parseSpec(conv));
    expect(specFromJson({ input: "1x28x28", layers })).toEqual(parseSpec(conv));
    const block = { layer: "residual", layers: ["3", { layer: "activation", activation: "tanh" }] };
    expect(specFromJson({ input: 3, layers: [block] })).toEqual(parseSpec("3-residual(3-tanh)"));
    const pool = { layer: "maxpool", size: 2 };
    expect(specFromJson({ input: [1, 4, 4], layers: [pool, "flatten", "1"] })).toEqual(
      parseSpec("1x4x4-maxpool2-flatten-1"),
    );
  });

  it.each([
    ["{", /^n\.json: the specification is not JSON/],
    ["[]", /^n\.json: the specification: .*expected object/],
    ['{"input": 3, "layers": [], "x": 1}', /^n\.json: layers: /],
    ['{"input": [0], "layers": ["3"]}', /^n\.json: input\[0\]: .*>=1/],
    ['{"input": true, "layers": ["3"]}', /^n\.json: input: write 784/],
    ['{"input": 3, "layers": ["rleu"]}', /^n\.json: layers\[0\]: no layer is called "rleu"/],
    ['{"input": 3, "layers": [{"layer": "dens"}]}', /^n\.json: layers\[0\]: .*one of dense, conv/],
    ['{"input": 3, "layers": [null]}', /^n\.json: layers\[0\]: .*one of dense, conv/],
    ['{"input": 3, "layers": [{"layer": "dense", "units": 2.5}]}', /^n\.json: layers\[0\]\.units: /],
    ['{"input": 3, "layers": [{"layer": "dense", "units": 2, "unit": 3}]}', /^n\.json: layers\[0\]: .*unit/],
    [
      '{"input": 3, "layers": ["3", {"layer": "residual", "layers": ["4"]}]}',
      /^n\.json: layers\[1\]: .*keep/,
    ],
    ['{"input": 3, "layers": [{"layer": "residual", "layers": ["3", "x"]}]}', /layers\[0\]\.layers\[1\]: no/],
    [
      `{"input": 3, "layers": [${'{"layer": "residual", "layers": ['.repeat(5000)}"3"${"]}".repeat(5000)}]}`,
      /blocks are nested/,
    ],
  ])("%.60s is wrong", (text, message) => {
    expect(() => parseSpecJson(text, { file: "n.json" })).toThrow(TrainError);
    expect(() => parseSpecJson(text, { file: "n.json" })).toThrow(message);
  });
});

const ramp = (...dims: number[]) =>
  tensor(
    Array.from({ length: dims.reduce((n, d) => n * d, 1) }, (_, k) => Math.sin(k)),
    { dims, type: "float32" },
  );

describe("the network of a specification", () => {
  it("is x W + b layer by layer", async () => {
    const network = initialNetwork("2-3-relu-1", { seed: 5, initialization: "pytorch", type: "float64" });
    const [W1, b1, W2, b2] = trainableWeights(network).map((name) => {
      const weight = network.initializers.get(name)!;
      return "data" in weight ? numbers(weight) : [];
    });
    const x = [0.3, -1.2];
    const hidden = [0, 1, 2].map((j) => Math.max(0, x[0]! * W1![j]! + x[1]! * W1![3 + j]! + b1![j]!));
    const y = hidden.reduce((sum, h, j) => sum + h * W2![j]!, b2![0]!);
    const out = await run(network, { x: tensor([x]) });
    expect(numbers(out["y"]!)[0]).toBeCloseTo(y, 14);
  });

  it.each([
    ["784-256-relu-256-relu-10", [784], [10]],
    [conv, [1, 28, 28], [10]],
    ["4x7x9-conv6k3s2sameg2nobias-elu-maxpool3s2p1-avgpool2s1-globalavgpool-flatten-5", [4, 7, 9], [5]],
    ["3x20-conv8k5d2p1-tanh-maxpool2-flatten-2", [3, 20], [2]],
    ["1x8x8-conv4k3same-residual(conv4k3same-relu-conv4k3same)-relu-conv2k1", [1, 8, 8], [2, 8, 8]],
  ])("%s runs, from %j to %j", async (text, input, output) => {
    const network = initialNetwork(text, { seed: 1 });
    checkGraph(network);
    expect(network.inputs).toEqual([{ name: "x", type: float32("N", ...input) }]);
    expect(network.outputs).toEqual([{ name: "y", type: float32("N", ...output) }]);
    const { y } = await run(network, { x: ramp(3, ...input) });
    expect(y!.dims).toEqual([3, ...output]);
    expect(numbers(y!).every(Number.isFinite)).toBe(true);
    expect(new Set(numbers(y!)).size).toBeGreaterThan(1);
  });

  it("adds a residual block to its input", async () => {
    const [plain, block] = ["3-3-tanh", "3-residual(3-tanh)"].map((text) =>
      initialNetwork(text, { seed: 2 }),
    );
    const x = ramp(4, 3);
    const [a, b] = [(await run(plain!, { x }))["y"]!, (await run(block!, { x }))["y"]!];
    const sum = numbers(a).map((v, k) => v + numbers(x)[k]!);
    expect(numbers(b)).toEqual(sum);
  });

  it("names what is trained, and stores weights as inputs x outputs", () => {
    const network = initialNetwork(conv);
    expect(trainableWeights(network)).toEqual(
      [1, 2, 3].flatMap((k) => [`layer${k}.weight`, `layer${k}.bias`]),
    );
    expect([...network.initializers.values()].map((w) => w.dims)).toEqual([
      [16, 1, 5, 5],
      [16],
      [32, 16, 5, 5],
      [32],
      [512, 10],
      [10],
    ]);
  });

  it.each(["1x6x6-conv2k3-gelu-avgpool2-flatten-2", "2x5x5-conv3k3s2p1-tanh-globalavgpool-flatten-2"])(
    "in float64 too, where its gradient is that of central differences: %s",
    async (text) => {
      const network = initialNetwork(text, { seed: 2, type: "float64" });
      const { input } = parseSpec(text);
      const x = randomTensor([3, ...input], 7);
      const names = [...network.initializers.keys()];
      const open = weightsAsInputs(network, new Map(names.map((name) => [name, `weight/${name}`])));
      const weights = Object.fromEntries(
        names.map((name) => [`weight/${name}`, network.initializers.get(name) as Tensor]),
      );
      const { error } = await checkGradient(open, { x, ...weights }, { wrt: "inputs" });
      expect(error).toBeLessThan(1e-7);
    },
  );

  it("in float64 too, where it trains", async () => {
    const network = initialNetwork("1x6x6-conv2k3-gelu-avgpool2-flatten-2", { seed: 2, type: "float64" });
    const data = { x: randomTensor([12, 1, 6, 6], 7), target: randomTensor([12, 2], 8) };
    const options = { loss: "square", rate: 0.05, batch: 4, epochs: 3, seed: 1 } as const;
    const { losses } = await train(network, data, options);
    expect(losses).toHaveLength(9);
    expect(losses.at(-1)).toBeLessThan(losses[0]!);
  });
});

describe("activations", () => {
  const points = [-4, -1.5, -0.3, 0.2, 1, 3.5];
  const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));
  const softplus = (x: number) => Math.log1p(Math.exp(x));
  const [lambda, alpha] = [1.0507009873554805, 1.6732632423543772];
  const gelutanh = (x: number) => (x / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
  // Phi by its series, 1/2 + density(x) (x + x^3 / 3 + x^5 / 15 + ...): no error function is at hand to copy from.
  const phi = (x: number) => {
    let [sum, term] = [0, x];
    for (let k = 1; k < 120; k++) {
      sum += term;
      term *= (x * x) / (2 * k + 1);
    }
    return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
  };
  const reference: Record<string, (x: number) => number> = {
    relu: (x) => Math.max(x, 0),
    leakyrelu: (x) => Math.max(x, 0.01 * x),
    tanh: Math.tanh,
    sigmoid,
    logistic: sigmoid,
    softplus,
    softsign: (x) => x / (1 + Math.abs(x)),
    elu: (x) => (x < 0 ? Math.expm1(x) : x),
    sin: Math.sin,
    cos: Math.cos,
    exp: Math.exp,
    arctan: Math.atan,
    gaussian: (x) => Math.exp((-x * x) / 2),
    repu: (x) => Math.max(x, 0) ** 2,
    isru: (x) => x / Math.sqrt(1 + x * x),
    isrlu: (x) => (x < 0 ? x / Math.sqrt(1 + x * x) : x),
    linear: (x) => x,
    gelu: (x) => x * phi(x),
    gelutanh,
    silu: (x) => x * sigmoid(x),
    swish: (x) => x * sigmoid(x),
    mish: (x) => x * Math.tanh(softplus(x)),
    selu: (x) => lambda * (x < 0 ? alpha * Math.expm1(x) : x),
    abs: Math.abs,
    square: (x) => x * x,
    cube: (x) => x ** 3,
    erf: (x) => 2 * phi(x * Math.SQRT2) - 1,
  };

  it("are all here", () => expect(Object.keys(reference).sort()).toEqual([...activationNames].sort()));

  const cases = activationNames.flatMap((name) =>
    (["float32", "float64"] as const).map((type) => [name, type] as const),
  );
  it.each(cases)("%s is right in %s", async (name, type) => {
    const input = type === "float32" ? float32(points.length) : float64(points.length);
    const network = graph({ x: input }, ({ x }) => ({ y: applyActivation(name, x) }));
    const { y } = await run(network, { x: tensor(points, { type }) });
    // A few roundings of numbers below 40; the points themselves are rounded in float32.
    const rounding = type === "float32" ? 2 ** -24 : 2 ** -53;
    numbers(y!).forEach((value, k) => {
      const exact = reference[name]!(type === "float32" ? Math.fround(points[k]!) : points[k]!);
      expect(Math.abs(value - exact)).toBeLessThan(40 * rounding * Math.max(1, Math.abs(exact)));
    });
  });
});
