// What ONNX Runtime makes of a machine's network, on some tapes: no run may contradict what was proved.
import { EngineError } from "../engine/error.ts";
import { Session } from "../engine/session.ts";
import { numbers } from "../graph/tensor.ts";
import { createRandom } from "../numbers/random.ts";
import type { MachineCertificate } from "./machine-certificate.ts";

const count = 16;
/** Turns of a Loop that is tried. */
const turns = 64;

/** The output for a tape: symbols, state, place of the head; a head that leaves the tape is gone. */
function configuration(
  { states, symbols, start, rules, tape }: MachineCertificate,
  given: readonly number[],
  steps: number,
): Float64Array {
  const table = new Map(rules.map((rule) => [rule[0] * symbols.length + rule[1], rule]));
  const cells = [...given];
  let [state, head] = [start, tape.head];
  for (let step = 0; step < steps && head >= 0 && head < cells.length; step++) {
    const rule = table.get(state * symbols.length + cells[head]!);
    if (!rule) break;
    cells[head] = rule[2];
    head += rule[3];
    state = rule[4];
  }
  const y = new Float64Array(cells.length * symbols.length + states.length + cells.length);
  cells.forEach((symbol, cell) => {
    y[cell * symbols.length + symbol] = 1;
  });
  if (head >= 0 && head < cells.length) {
    y[cells.length * symbols.length + state] = 1;
    y[cells.length * symbols.length + states.length + head] = 1;
  }
  return y;
}

/** Why a network that was verified is not to be believed after all; undefined if the runtime has run it and agrees. */
export async function machineContradiction(
  bytes: Uint8Array,
  certificate: MachineCertificate,
): Promise<string | undefined> {
  const { symbols, tape, steps = turns, network } = certificate;
  const random = createRandom("machine");
  const tapes = Array.from({ length: count }, (_, k) =>
    Array.from({ length: tape.cells }, () => (k === 0 ? 0 : random.integer(0, symbols.length - 1))),
  );
  const width = tape.cells * symbols.length;
  const x = new Float64Array(count * width);
  tapes.forEach((cells, k) => {
    cells.forEach((symbol, cell) => {
      x[k * width + cell * symbols.length + symbol] = 1;
    });
  });
  try {
    const session = await Session.create(bytes);
    const { [network.output]: y } = await session
      .run({
        [network.input]: { type: "float64", dims: [count, width], data: x },
        ...(network.steps !== undefined && {
          [network.steps]: { type: "int64" as const, dims: [], data: BigInt64Array.of(BigInt(steps)) },
        }),
      })
      .finally(() => session.release());
    const found = numbers(y!);
    for (const [k, cells] of tapes.entries()) {
      const expected = configuration(certificate, cells, steps);
      const wrong = expected.findIndex((bit, c) => found[k * expected.length + c] !== bit);
      if (wrong >= 0)
        return `ONNX Runtime gives ${found[k * expected.length + wrong]} in column ${wrong} after ${steps} steps on a tape`;
    }
    return undefined;
  } catch (error) {
    if (error instanceof EngineError) return `ONNX Runtime refuses it: ${error.message}`;
    throw error;
  }
}
