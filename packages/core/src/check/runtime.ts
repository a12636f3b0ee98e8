// What ONNX Runtime makes of the file: a proof is about a network that can be run, and no run may contradict it.

import { EngineError } from "../engine/error.ts";
import { Session } from "../engine/session.ts";
import { numbers, type Tensor } from "../graph/tensor.ts";
import type { Interval } from "../numbers/interval/index.ts";
import * as I from "../numbers/interval/index.ts";
import { createRandom } from "../numbers/random.ts";
import type { Certificate } from "./certificate.ts";
import { valuesOn } from "./definedness.ts";
import { readFormula } from "./formula-nodes.ts";

const count = 32;

/** Ends and middle of the box, then points at random; numbers of the network's own type. */
function pointsIn({ box, dtype }: Certificate): readonly (readonly number[])[] {
  const random = createRandom("runtime");
  const shares = [0, 1, 0.5];
  return Array.from({ length: count }, (_, k) =>
    box.map(({ lower, upper }) => {
      const share = shares[k] ?? random.uniform();
      const x = share === 1 ? upper : Math.min(upper, lower + share * (upper - lower));
      const near = dtype === "f32" ? Math.fround(x) : x;
      return Number.isFinite(near) ? near : x;
    }),
  );
}

/** Undefined where interval arithmetic on one point does not show a value. */
function formulaAt({ formula, box }: Certificate): (x: readonly number[]) => Interval | undefined {
  const { nodes, output } = readFormula(
    formula,
    box.map((side) => side.name),
  );
  const ids = [...nodes.keys()];
  return (x) => {
    const found = valuesOn(nodes, ids, x.map(I.point));
    return typeof found === "number" ? undefined : found.get(output);
  };
}

/**
 * Why a file that was verified is not to be believed after all: the runtime refuses it, or gives, at one of some points,
 * what the proved error excludes. Undefined if there is no such reason; then the runtime has run it.
 */
export async function runtimeContradiction(
  bytes: Uint8Array,
  certificate: Certificate,
  error: number,
): Promise<string | undefined> {
  const { network, box, dtype } = certificate;
  const points = pointsIn(certificate);
  const data = points.flat();
  const x: Tensor =
    dtype === "f32"
      ? { type: "float32", dims: [count, box.length], data: Float32Array.from(data) }
      : { type: "float64", dims: [count, box.length], data: Float64Array.from(data) };
  try {
    const session = await Session.create(bytes);
    const { [network.output]: y } = await session
      .run({ [network.input]: x }, [network.output])
      .finally(() => session.release());
    const [values, f] = [numbers(y!), formulaAt(certificate)];
    const bad = points.findIndex((point, k) => {
      const exact = f(point);
      const run = values[k];
      const isClose =
        exact === undefined ||
        (run !== undefined && I.addDown(exact.lower, -error) <= run && run <= I.addUp(exact.upper, error));
      return !isClose;
    });
    return bad < 0
      ? undefined
      : `ONNX Runtime gives ${values[bad]} at (${points[bad]!.join(", ")}), which the proof excludes`;
  } catch (failure) {
    if (failure instanceof EngineError) return failure.message;
    throw failure;
  }
}
