// What ONNX Runtime makes of a stochastic network on some uniform numbers: no run may contradict the layers that were read.
import { EngineError } from "../engine/error.ts";
import { Session } from "../engine/session.ts";
import { readModel } from "../graph/onnx/read.ts";
import { numbers } from "../graph/tensor.ts";
import { createRandom } from "../numbers/random.ts";
import type { KernelCertificate } from "./kernel-certificate.ts";
import { type StochasticLayer, stochasticLayers } from "./stochastic-layers.ts";

const count = 32;
/** A uniform number this near to its chance may fall to either side by rounding. */
const near = 1e-9;

/** The bits of the outputs, or undefined where a uniform number does not decide. */
function sample(
  layers: readonly StochasticLayer[],
  input: readonly number[],
  uniforms: readonly Float64Array[],
): readonly number[] | undefined {
  let bits = input;
  for (const [l, { bias, starts, units, weights }] of layers.entries()) {
    const z = bias.slice();
    bits.forEach((bit, c) => {
      if (bit === 1) for (let k = starts[c]!; k < starts[c + 1]!; k++) z[units[k]!]! += weights[k]!;
    });
    const apart = [...z].map((value, k) => 1 / (1 + Math.exp(-value)) - uniforms[l]![k]!);
    if (apart.some((v) => Math.abs(v) < near)) return undefined;
    bits = apart.map((v) => (v > 0 ? 1 : 0));
  }
  return bits;
}

/** Why a network that was verified is not to be believed after all; undefined if the runtime has run it and agrees. */
export async function kernelContradiction(
  bytes: Uint8Array,
  { table, network }: KernelCertificate,
): Promise<string | undefined> {
  const inputs = Math.log2(table.length);
  const layers = stochasticLayers(readModel(bytes), network, inputs);
  const random = createRandom("kernel");
  const points = Array.from({ length: count }, () =>
    Array.from({ length: inputs }, () => random.integer(0, 1)),
  );
  const drawn = layers.map(({ bias }) => random.uniform(count * bias.length));
  const feeds = Object.fromEntries([
    [
      network.input,
      { type: "float64" as const, dims: [count, inputs], data: Float64Array.from(points.flat()) },
    ],
    ...network.uniforms.map((name, l) => [
      name,
      { type: "float64" as const, dims: [count, layers[l]!.bias.length], data: drawn[l]! },
    ]),
  ]);
  try {
    const session = await Session.create(bytes);
    const { [network.output]: y } = await session.run(feeds).finally(() => session.release());
    const found = numbers(y!);
    const width = layers.at(-1)!.bias.length;
    for (const [row, input] of points.entries()) {
      const uniforms = drawn.map((u, l) => {
        const size = layers[l]!.bias.length;
        return u.subarray(row * size, (row + 1) * size);
      });
      const wrong =
        sample(layers, input, uniforms)?.findIndex((bit, k) => found[row * width + k] !== bit) ?? -1;
      if (wrong >= 0)
        return `ONNX Runtime gives ${found[row * width + wrong]} for output ${wrong} of sample ${row}`;
    }
    return undefined;
  } catch (error) {
    if (error instanceof EngineError) return `ONNX Runtime refuses it: ${error.message}`;
    throw error;
  }
}
