import { describe, expect, test } from "vitest";
import { run } from "../../src/engine/run.ts";
import { float64, graph } from "../../src/graph/builder.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { numbers, type Tensor, tensor, view } from "../../src/graph/tensor.ts";
import {
  cutsOf,
  gaussianOperator,
  generatorOf,
  identityOperator,
  intermediateRecovery,
  latentDescent,
  matrixOfMap,
  meanSquaredError,
  plugAndPlay,
  randomPixels,
  trainedFlow,
  trainedReconstruction,
} from "../../src/inverse/index.ts";
import { createRandom } from "../../src/numbers/random.ts";
import { initialNetwork } from "../../src/train/network.ts";

const random = createRandom("learned");
const single = (dims: readonly number[], values: ArrayLike<number>): Tensor =>
  view("float32", dims, Float32Array.from(values));
const outputs = async (network: Graph, x: Tensor): Promise<Record<string, Float64Array>> => {
  const found = await run(network, { [network.inputs[0]!.name]: x });
  return Object.fromEntries(Object.entries(found).map(([k, v]) => [k, Float64Array.from(numbers(v))]));
};
const distance = (a: Float64Array, b: Float64Array): number =>
  Math.hypot(...Array.from(a, (v, k) => v - b[k]!));

/** x with M x = b, by elimination; and det M. */
function solved(
  M: readonly (readonly number[])[],
  b: readonly number[],
): { x: number[]; determinant: number } {
  const rows = M.map((r, i) => [...r, b[i]!]);
  let determinant = 1;
  for (let k = 0; k < rows.length; k++) {
    const best = rows.reduce((m, r, i) => (i >= k && Math.abs(r[k]!) > Math.abs(rows[m]![k]!) ? i : m), k);
    if (best !== k) [rows[k], rows[best], determinant] = [rows[best]!, rows[k]!, -determinant];
    determinant *= rows[k]![k]!;
    for (let i = 0; i < rows.length; i++) {
      const factor = rows[i]![k]! / rows[k]![k]!;
      if (i !== k) rows[i] = rows[i]!.map((v, j) => v - factor * rows[k]![j]!);
    }
  }
  return { x: rows.map((r, i) => r.at(-1)! / r[i]!), determinant };
}

describe("flows", () => {
  /** Two arcs in the plane. */
  const arcs = Array.from({ length: 400 }, (_, k) => {
    const angle = Math.PI * random.uniform();
    return k % 2 === 0
      ? [Math.cos(angle), Math.sin(angle) - 0.3]
      : [1 - Math.cos(angle), 0.3 - Math.sin(angle)];
  });

  test("a density that adds up to 1, is higher where signals are, and is undone exactly", async () => {
    const { generator, density, losses } = await trainedFlow(single([400, 2], arcs.flat()), {
      ...{ couplings: 6, hidden: 24, noise: 0.1, epochs: 40, batch: 100, rate: 0.01, seed: 2 },
    });
    // -ln p of points of a normal distribution with their variances: what the flow begins with.
    expect(losses.at(-1)!).toBeLessThan(losses[0]! - 0.5);
    const [side, low, high] = [240, -3, 4];
    const cell = (high - low) / side;
    const grid = Float32Array.from({ length: 2 * side * side }, (_, k) => {
      const point = Math.floor(k / 2);
      return low + cell * ((k % 2 === 0 ? Math.floor(point / side) : point % side) + 0.5);
    });
    const { logp } = await outputs(density, single([side * side, 2], grid));
    expect(logp!.reduce((sum, v) => sum + Math.exp(v) * cell * cell, 0)).toBeCloseTo(1, 2);
    const z = random.normal(2 * 50);
    const back = await outputs(generator, single([50, 2], z));
    const again = await outputs(density, single([50, 2], back["x"]!));
    expect(distance(again["z"]!, z)).toBeLessThan(1e-4);
    for (let k = 0; k < 50; k++) {
      const normal = -(z[2 * k]! ** 2 + z[2 * k + 1]! ** 2) / 2 - Math.log(2 * Math.PI);
      expect(again["logp"]![k]).toBeCloseTo(normal - back["logdet"]![k]!, 4);
    }
  });

  test("the logarithm of the volume is that of differences", async () => {
    const { generator } = await trainedFlow(single([60, 5], random.normal(300)), {
      ...{ couplings: 4, hidden: 8, epochs: 20, batch: 20, rate: 0.03, seed: 1 },
    });
    const [z, h] = [random.normal(5), 1e-2];
    const at = (j: number, by: number): Float64Array => z.map((v, k) => (k === j ? v + by : v));
    const rows = [z, ...[...z.keys()].flatMap((j) => [at(j, h), at(j, -h)])].flatMap((v) => [...v]);
    const { x, logdet } = await outputs(generator, single([11, 5], rows));
    const J = Array.from({ length: 5 }, (_, i) =>
      Array.from({ length: 5 }, (_, j) => (x![5 * (2 * j + 1) + i]! - x![5 * (2 * j + 2) + i]!) / (2 * h)),
    );
    expect(Math.log(Math.abs(solved(J, [0, 0, 0, 0, 0]).determinant))).toBeCloseTo(logdet![0]!, 2);
  });

  test("before any training the most probable signal is that of a normal distribution", async () => {
    const signals = single(
      [500, 3],
      random.normal(1500).map((v, k) => [0.2, 1, 2][k % 3]! * v + (k % 3)),
    );
    const noise = 0.05;
    const { generator } = await trainedFlow(signals, { couplings: 2, hidden: 4, epochs: 0, noise });
    const data = Float64Array.from(numbers(signals));
    const mean = [0, 1, 2].map((j) => data.reduce((s, v, k) => s + (k % 3 === j ? v / 500 : 0), 0));
    const variance = mean.map(
      (m, j) => noise ** 2 + data.reduce((s, v, k) => s + (k % 3 === j ? (v - m) ** 2 / 500 : 0), 0),
    );
    const map = gaussianOperator(2, 3, random.split("A"));
    const A = matrixOfMap(map).entries;
    const y = Float64Array.of(0.7, -0.4);
    const s = 0.5;
    // (A^T A + s^2 V^-1) x = A^T y + s^2 V^-1 m.
    const M = mean.map((_, i) =>
      mean.map((_, j) => A[i]! * A[j]! + A[3 + i]! * A[3 + j]! + (i === j ? s ** 2 / variance[i]! : 0)),
    );
    const right = mean.map((m, i) => A[i]! * y[0]! + A[3 + i]! * y[1]! + (s ** 2 * m) / variance[i]!);
    const found = await latentDescent(generatorOf(generator), map, y, createRandom(1), {
      ...{ posterior: s, restarts: 2, steps: 200 },
    });
    solved(M, right).x.forEach((v, i) => {
      expect(found.x[i]).toBeCloseTo(v, 3);
    });
    const dense = generatorOf(initialNetwork("3-3", { seed: 1 }));
    await expect(latentDescent(dense, map, y, random, { posterior: s })).rejects.toThrow(/for a flow/);
  });
});

describe("intermediate layers", () => {
  const network = initialNetwork("2-10-relu-14-relu-30", { seed: 3, type: "float64" });
  const generator = generatorOf(network);

  test("a network is cut between its layers", async () => {
    const cuts = cutsOf(generator);
    expect(cuts.map(({ after }) => after.latent)).toEqual([10, 14]);
    const z = view("float64", [3, 2], random.normal(6));
    const whole = (await outputs(network, z))[generator.output]!;
    for (const { before, after } of cuts) {
      const values = (await run(before, { [generator.input]: z }))[after.input]!;
      const again = (await run(after.graph, { [after.input]: values }))[after.output]!;
      expect(Float64Array.from(numbers(again))).toEqual(whole);
    }
    const past = graph({ z: float64("N", 2) }, ({ z }) => ({ x: z.relu().add(z) }));
    expect(cutsOf(generatorOf(past))).toEqual([]);
    await expect(
      intermediateRecovery(generatorOf(past), identityOperator(2), new Float64Array(2), random),
    ).rejects.toThrow(/no layer between/);
  });

  test("each layer fits no worse, and stays where it may be", async () => {
    const y = random.normal(30);
    const { objectives, moved } = await intermediateRecovery(generator, identityOperator(30), y, random, {
      ...{ restarts: 4, steps: 200, share: 0.3 },
    });
    expect(objectives).toHaveLength(3);
    expect(objectives[1]).toBeLessThan(0.99 * objectives[0]!);
    expect(objectives[2]).toBeLessThan(0.99 * objectives[1]!);
    for (const share of moved) expect(share).toBeLessThanOrEqual(0.3 + 1e-9);
    expect(Math.max(...moved)).toBeGreaterThan(0.25);
  });

  test("without a limit the last layer ends at the projection on what it spans", async () => {
    const small = initialNetwork("2-3-relu-6", { seed: 5, type: "float64" });
    const W = numbers(small.initializers.get("layer2.weight") as never); // 3 x 6
    const column = (i: number): number[] => Array.from(W.slice(6 * i, 6 * i + 6));
    const made = (await outputs(small, view("float64", [1, 2], Float64Array.of(1, -1))))[
      generatorOf(small).output
    ]!;
    const y = made.map((v, k) => v + (k % 2 === 0 ? 0.3 : -0.2));
    const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
      Array.from(a).reduce((sum, v, k) => sum + v * b[k]!, 0);
    const M = [0, 1, 2].map((i) => [0, 1, 2].map((j) => dot(column(i), column(j))));
    const h = solved(
      M,
      [0, 1, 2].map((i) => dot(column(i), y)),
    ).x;
    const nearest = y.map((_, k) => h.reduce((sum, v, i) => sum + v * W[6 * i + k]!, 0));
    const found = await intermediateRecovery(generatorOf(small), identityOperator(6), y, createRandom(4), {
      ...{ restarts: 6, steps: 3000, share: 1e6, rate: 0.05 },
    });
    expect(distance(found.x, nearest)).toBeLessThan(1e-2);
  });
});

describe("a denoiser plugged in", () => {
  test("one that shrinks gives ridge regression", async () => {
    const map = gaussianOperator(3, 4, random.split("ridge"));
    const A = matrixOfMap(map).entries;
    // A^T (A x - y) + lambda (x - c x) = 0.
    const [y, lambda, c] = [random.normal(3), 0.4, 0.25];
    const mu = lambda * (1 - c);
    const shrink = graph({ x: float64("N", 4) }, ({ x }) => ({ y: x.mul(c) }));
    const found = await plugAndPlay(generatorOf(shrink), map, y, { lambda, steps: 500, tolerance: 1e-14 });
    const M = [0, 1, 2, 3].map((i) =>
      [0, 1, 2, 3].map((j) => [0, 4, 8].reduce((s, r) => s + A[r + i]! * A[r + j]!, i === j ? mu : 0)),
    );
    const ridge = solved(M, [...map.transpose(y)]).x;
    expect(distance(found.x, Float64Array.from(ridge))).toBeLessThan(1e-9);
    const wide = generatorOf(initialNetwork("4-5", { seed: 1 }));
    await expect(plugAndPlay(generatorOf(shrink), map, y, { lambda: 0 })).rejects.toThrow(/positive/);
    await expect(plugAndPlay(wide, map, y)).rejects.toThrow(/takes 4 and makes 5/);
    const wild = graph({ x: float64("N", 4) }, ({ x }) => ({ y: x.mul(1e200) }));
    await expect(plugAndPlay(generatorOf(wild), map, y)).rejects.toThrow(/left every bound/);
  });
});

describe("networks from measurements to signals", () => {
  /** 5 x 5 pictures with a row or a column lit. */
  const bars = Float32Array.from({ length: 200 * 25 }, (_, k) => {
    const [picture, pixel] = [Math.floor(k / 25), k % 25];
    const which = picture % 5;
    return Number(picture % 10 < 5 ? Math.floor(pixel / 5) === which : pixel % 5 === which);
  });
  const signals = single([200, 25], bars);

  test.each([
    ["dense", { kind: "dense", hidden: [60] }, 0.02, 50],
    ["unrolled", { kind: "unrolled", steps: 3, channels: 8 }, 0.06, 25],
  ] as const)("%s: hidden pixels come back", async (_, network, most, epochs) => {
    const map = randomPixels(0.5, [5, 5], random.split("pixels"));
    const learned = await trainedReconstruction(signals, {
      ...{ network, map, shape: [5, 5], noise: 0.02, epochs, batch: 20, rate: 0.01, seed: 1 },
    });
    const measured = Array.from({ length: 200 }, (_, k) => [
      ...map.apply(Float64Array.from(bars.subarray(25 * k, 25 * k + 25))),
    ]);
    const { x } = await outputs(learned.network, single([200, map.outputs], measured.flat()));
    expect(meanSquaredError(x!, Float64Array.from(bars))).toBeLessThan(most);
  });

  test("unrolled: what plain loops make of its weights", async () => {
    const map = gaussianOperator(4, 6, random.split("unrolled"));
    const line = single([30, 6], random.uniform(180));
    const { network, weights } = await trainedReconstruction(line, {
      ...{ network: { kind: "unrolled", steps: 2, channels: 3 }, map, shape: [6] },
      ...{ epochs: 3, batch: 10, rate: 0.01 },
    });
    const of = (name: string): ArrayLike<number> => numbers(weights.get(name)!);
    const convolved = (u: number[][], l: number): number[][] => {
      const [W, b] = [of(`c${l}.weight`), of(`c${l}.bias`)];
      return Array.from(b, (start, o) =>
        Array.from({ length: 6 }, (_, i) =>
          u.reduce(
            (sum, channel, c) =>
              sum +
              [0, 1, 2].reduce((s, t) => s + W[(o * u.length + c) * 3 + t]! * (channel[i + t - 1] ?? 0), 0),
            start,
          ),
        ),
      );
    };
    const relu = (u: number[][]): number[][] => u.map((row) => row.map((v) => Math.max(0, v)));
    const learnedMap = (v: Float64Array): Float64Array => {
      const [added] = convolved(relu(convolved(relu(convolved([[...v]], 0)), 1)), 2);
      return v.map((e, i) => e + added![i]!);
    };
    const y = random.normal(4);
    let x: Float64Array = new Float64Array(6);
    for (const k of [1, 2]) {
      const slope = map.transpose(map.apply(x).map((v, i) => v - y[i]!));
      x = learnedMap(x.map((v, i) => v - of(`step${k}`)[0]! * slope[i]!));
    }
    const found = await outputs(network, single([1, 4], y));
    expect(distance(found["x"]!, x)).toBeLessThan(1e-5);
  });

  test("what is refused", async () => {
    const options = { network: { kind: "dense", hidden: [4] }, shape: [5, 5] } as const;
    const map = identityOperator(24);
    await expect(trainedReconstruction(signals, { ...options, map })).rejects.toThrow(/takes 24 numbers/);
    await expect(
      trainedReconstruction(signals, { ...options, map: identityOperator(25), noise: -1 }),
    ).rejects.toThrow(/deviation from 0 up/);
    await expect(trainedFlow(signals, { noise: 0 })).rejects.toThrow(/positive/);
    await expect(trainedFlow(tensor([[1], [2]], { type: "float32" }))).rejects.toThrow(/two numbers/);
  });
});
