// What bounds read of a network, and bounds by local kernels, and damages to both.
import { describe } from "vitest";
import { numbers, tensor } from "../../src/graph/tensor.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { denseNetwork } from "../../src/train/dense-network.ts";
import { initialNetwork } from "../../src/train/network.ts";
import { agrees, delta, noticesDamage, type Trial } from "./bound-mutants.ts";
import { twiceMcDiarmid } from "./bounds-by-hand.ts";
import { damages } from "./damaged-module.ts";

type Kernels = typeof import("../../src/generalization/local-kernels/kernel-margin-bound.ts");
const kernels: Trial<Kernels> = {
  entry: "generalization/local-kernels/kernel-margin-bound.ts",
  check: async ({ kernelMarginBounds }) => {
    // 2 x 2 windows side by side on 4 x 4 pixels, three channels, ReLU, then two outputs that read all twelve numbers.
    const model = initialNetwork("1x4x4-conv3k2s2-relu-flatten-2", { seed: 3, bias: false } as never);
    const random = createRandom("kernels");
    const flat = new Map(
      [...model.initializers].map(([name, w]) => [
        name,
        /bias/.test(name) ? { ...w, data: new Float32Array(numbers(w as never).length) } : w,
      ]),
    ) as typeof model.initializers;
    const net = { ...model, initializers: flat };
    const [first, last] = [...flat]
      .filter(([name]) => !/bias/.test(name))
      .map(([, w]) => numbers(w as never)) as [Float32Array, Float32Array];
    const x = tensor(
      Float32Array.from(random.normal(60 * 16), (v) => 1e-3 * v),
      { type: "float32", dims: [60, 1, 4, 4] },
    );
    const own = Float64Array.from({ length: 60 }, (_, k) => 0.5 + (k % 10) / 5);
    const found = await kernelMarginBounds(net, x, { delta, margins: own, outputs: 2 });
    const square = (v: ArrayLike<number>): number => Array.from(v).reduce((s, w) => s + w * w, 0);
    const rows = [square(last.slice(0, 12)), square(last.slice(12))].map(Math.sqrt);
    const [kernel, row] = [Math.sqrt(square(first)), Math.max(...rows)];
    const energy = square(numbers(x));
    const window = (r: number, c: number): number => {
      let total = 0;
      for (let i = 0; i < 60; i++)
        for (const [dr, dc] of [
          [0, 0],
          [0, 1],
          [1, 0],
          [1, 1],
        ] as const)
          total += numbers(x)[i * 16 + (2 * r + dr) * 4 + 2 * c + dc]! ** 2;
      return total;
    };
    const patch = Math.max(window(0, 0), window(0, 1), window(1, 0), window(1, 1));
    const share = (k: number): number => 0.5 / ((Math.abs(k) + 1) * (Math.abs(k) + 2));
    const least = (normProduct: number, complexity: number): number => {
      const k = Math.ceil(Math.log2(normProduct));
      let best = Number.POSITIVE_INFINITY;
      for (let j = -40; j <= 60; j++) {
        const below = own.filter((t) => t <= 2 ** j).length / 60;
        const level = delta * share(k) * share(j);
        best = Math.min(best, below + (8 * complexity * 2 ** k) / 2 ** j + twiceMcDiarmid(60, level));
      }
      return best;
    };
    agrees(found[0]!.value, least(kernel * row, (2 * Math.sqrt(energy)) / 60), 1e-6);
    const exponential = (1 + Math.sqrt(2 * (Math.log(2) + Math.log(4)))) * Math.sqrt(4 * patch);
    agrees(found[1]!.value, least(kernel * row, exponential / 60), 1e-6);
    agrees(
      found[2]!.value,
      least(2 * kernel * row, ((1 + Math.sqrt(2 * Math.log(2))) * Math.sqrt(energy)) / 60),
      1e-6,
    );
  },
  mutants: [
    ...damages(
      "generalization/local-kernels/kernel-margin-bound.ts",
      ["0.5 / ((Math.abs(k) + 1) * (Math.abs(k) + 2))", "1"],
      ["delta * prior(k) * prior(j)", "delta * prior(j)"],
      ["outputs === 1 ? 2 : 4 * outputs", "2"],
      ["below / m + (factor", "(factor"],
      ["3 * Math.sqrt(Math.log(2 / level) / (2 * m))", "Math.sqrt(Math.log(2 / level) / (2 * m))"],
      ["3 * Math.sqrt(Math.log(2 / level) / (2 * m))", "3 * Math.sqrt(Math.log2(2 / level) / (2 * m))"],
      ["(factor * rademacher) / gamma", "factor * rademacher"],
      ["Math.ceil(Math.log2(product))", "Math.floor(Math.log2(product))"],
    ),
    ...damages(
      "generalization/local-kernels/kernel-rademacher.ts",
      ["2 ** (layers.length - 1) *", "1 *"],
      ["layers.slice(1).reduce((p, { predecessors })", "layers.slice(2).reduce((p, { predecessors })"],
      ["const factor = 1 + Math.sqrt(2 * (", "const factor = Math.sqrt(2 * ("],
      ["(layers.length - 1) * Math.LN2 + Math.log(patches)", "(layers.length - 1) * Math.LN2"],
    ),
  ],
};

type Facts = typeof import("../../src/audit/classifier-facts.ts");
const facts: Trial<Facts> = {
  entry: "audit/classifier-facts.ts",
  check: async (module) => {
    const { networkChain } = await import("../../src/audit/network-chain.ts");
    const { auditedModel } = await import("../../src/measures/audited-model.ts");
    const { linearLayers } = await import("../../src/measures/linear-layers.ts");
    const { measureModel } = await import("../../src/measures/measure-model.ts");
    const { singularValues } = await import("../measures/plain-network.ts");
    const [A, b, C, c] = [
      [
        [1, 2],
        [3, -4],
        [0.5, 1],
      ],
      [0.3, -2, 1],
      [
        [1, 0.5, -1],
        [2, 1, 0],
      ],
      [0.7, -0.4],
    ] as const;
    const net = denseNetwork(
      [
        { W: A, b },
        { W: C, b: c },
      ],
      "relu",
    );
    const x = tensor([
      [1, 2],
      [0, 1],
      [3, 1],
    ]);
    const data = { x, y: tensor([0, 1, 0], { type: "int64" }) };
    const [model, measures] = [
      await auditedModel(net),
      await measureModel(net, { data, sharpnessExamples: 0, slopes: false }),
    ];
    const { layers } = await linearLayers(model.graph);
    const input = {
      model,
      layers,
      chain: networkChain(model.graph, layers, 2),
      measures,
      x,
      delta,
      inputRadius: 4,
    };
    const plain = module.classifierFacts(input);
    const whole = module.homogenizedFacts(plain, input);
    const first = [...A.map((row, i) => [...row, b[i]!]), [0, 0, 1]];
    const second = C.map((row, i) => [...row, c[i]!]);
    const root = (v: readonly number[]): number => Math.sqrt(v.reduce((s, w) => s + w * w, 0));
    const near = { from: (found: number, exact: number) => agrees(found, exact, 1e-6) };
    near.from(plain.frobeniusNorms[0]!, root(A.flat()));
    near.from(plain.spectralNorms[0]!, singularValues(A)[0]!);
    near.from(
      plain.rowNormSums[0]!,
      A.map(root).reduce((s, r) => s + r, 0),
    );
    near.from(plain.lastRowNorm, Math.max(...C.map(root)));
    near.from(plain.dataNorm, root([1, 2, 0, 1, 3, 1]));
    near.from(plain.greatestParameter, 4);
    near.from(plain.bits * plain.parameters, 64 * 17);
    near.from(whole.frobeniusNorms[0]!, root(first.flat()));
    near.from(whole.frobeniusNorms[1]!, root(second.flat()));
    near.from(whole.lastRowNorm, Math.max(...second.map(root)));
    near.from(whole.dataNorm, root([1, 2, 1, 0, 1, 1, 3, 1, 1]));
    near.from(whole.inputRadius, Math.sqrt(17));
    const sound = (found: number, exact: number, times: number): void => {
      if (!(found >= exact && found <= times * exact)) throw new Error(`${found} does not bound ${exact}`);
    };
    sound(whole.spectralNorms[0]!, singularValues(first)[0]!, 1.3);
    sound(whole.spectralNorms[1]!, singularValues(second)[0]!, 1.3);
    const sizes = (v: readonly number[]): number => v.reduce((total, w) => total + Math.abs(w), 0);
    near.from(whole.rowNormSums[0]!, A.map(root).reduce((total, r) => total + r, 0) + sizes(b) + 1);
    near.from(whole.rowNormSums[1]!, C.map(root).reduce((total, r) => total + r, 0) + sizes(c));
    if (plain.biasFree || !whole.biasFree || String(whole.widths) !== "3,4,2")
      throw new Error("another network");
  },
  mutants: [
    ...damages(
      "audit/classifier-facts.ts",
      ["measures.layers.map((l) => l.spectral.upper)", "measures.layers.map((l) => l.spectral.upper / 2)"],
      ["Math.max(...rowNorms(last)) * roundedUp : 0", "Math.min(...rowNorms(last)) * roundedUp : 0"],
      ["euclidean(numbers(x)) * roundedUp", "euclidean(numbers(x)) / Math.sqrt(x.dims[0]!)"],
      ["Math.hypot(f, norm[k]!, isLast(k) ? 0 : 1)", "Math.hypot(f, norm[k]!)"],
      ["Math.hypot(f, norm[k]!, isLast(k) ? 0 : 1)", "Math.hypot(f, isLast(k) ? 0 : 1)"],
      ["s + size[k]! + (isLast(k) ? 0 : 1)", "s + (isLast(k) ? 0 : 1)"],
      ["s + size[k]! + (isLast(k) ? 0 : 1)", "s + size[k]! - (isLast(k) ? 0 : 1)"],
      ["isLast(k) ? Math.hypot(s, norm[k]!) * roundedUp : blockNorm(s, norm[k]!)", "s"],
      ["blockNorm(s, norm[k]!),", "Math.max(s, norm[k]!, 1),"],
      ["Math.hypot(facts.dataNorm, Math.sqrt(facts.n))", "facts.dataNorm"],
      ["Math.hypot(facts.inputRadius, 1)", "facts.inputRadius"],
      ["Math.hypot(r, chain.biases.at(-1)![i] ?? 0)", "r"],
    ),
    ...damages("audit/code-length.ts", ["8 * byteLength(weight", "byteLength(weight"]),
  ],
};

describe("local kernels", () => noticesDamage(kernels));
describe("what bounds read of a network", () => noticesDamage(facts));
