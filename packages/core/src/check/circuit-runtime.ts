// What ONNX Runtime makes of a circuit's network, on some inputs: no run may contradict what was proved.
import { EngineError } from "../engine/error.ts";
import { Session } from "../engine/session.ts";
import { numbers } from "../graph/tensor.ts";
import { createRandom } from "../numbers/random.ts";
import type { CircuitCertificate } from "./circuit-certificate.ts";
import { gateBit } from "./gate.ts";

const count = 32;

/** Why a network that was verified is not to be believed after all; undefined if the runtime has run it and agrees. */
export async function circuitContradiction(
  bytes: Uint8Array,
  { inputs, gates, outputs, network }: CircuitCertificate,
): Promise<string | undefined> {
  const random = createRandom("circuit");
  const points = Array.from({ length: count }, (_, k) =>
    inputs.map(() => (k < 2 ? k : random.integer(0, 1))),
  );
  const expected = points.flatMap((bits) => {
    const nodes = [0, ...bits];
    for (const gate of gates) nodes.push(gateBit(gate, (node) => nodes[node]!));
    return outputs.map(({ literal }) => nodes[literal >> 1]! ^ (literal & 1));
  });
  const data = Float64Array.from(points.flat());
  try {
    const session = await Session.create(bytes);
    const { [network.output]: y } = await session
      .run({ [network.input]: { type: "float64", dims: [count, inputs.length], data } })
      .finally(() => session.release());
    const found = numbers(y!);
    const wrong = expected.findIndex((bit, k) => found[k] !== bit);
    if (wrong < 0) return undefined;
    const at = Math.floor(wrong / outputs.length);
    return `ONNX Runtime gives ${found[wrong]} for "${outputs[wrong % outputs.length]!.name}" at ${points[at]!.join("")}`;
  } catch (error) {
    if (error instanceof EngineError) return `ONNX Runtime refuses it: ${error.message}`;
    throw error;
  }
}
