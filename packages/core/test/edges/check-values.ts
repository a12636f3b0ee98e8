// Types, shapes, folded constants, the upgrade to today's opset and interval bounds, against what the runtime computed.
import { inferTypes } from "../../src/graph/infer.ts";
import { constantOf } from "../../src/graph/operators/constant.ts";
import { isFloat, numbers, type Tensor } from "../../src/graph/tensor.ts";
import { canonical } from "../../src/graph/upgrade.ts";
import type { IntervalTensor } from "../../src/passes/interval.ts";
import { intervalPass } from "../../src/passes/interval.ts";
import { runGraph } from "../graph/operators-runtime.ts";
import { roomAround, runningEnclosure } from "./enclosure.ts";
import { Finding, orRefusal, type Verdict } from "./finding.ts";
import type { Trial } from "./trial.ts";

const readable = /^(u?int(8|16|32|64)|bool|b?float16|float32|float64)$/;
export const isReadable = ({ type }: Tensor): boolean => readable.test(type);

export function checkShapes({ model, outputs }: Trial): Verdict {
  const types = orRefusal(() => inferTypes(model.graph));
  if (!types) return "refused";
  // Nothing keeps its axes when it is reduced along one of them, in the runtime, if reducing along none would change nothing.
  const isNoop = model.graph.nodes.some(({ attributes: a }) => a.get("noop_with_empty_axes")?.value === 1n);
  let known = false;
  for (const [name, t] of outputs[0]!) {
    const found = types.get(name);
    if (!found) continue;
    if (found.type !== "undefined" && found.type !== t.type)
      throw new Finding(`${name} is ${t.type}, inferred as ${found.type}`);
    if (!found.shape || (t.data.length === 0 && isNoop)) continue;
    known = true;
    const isWrong =
      found.shape.length !== t.dims.length ||
      found.shape.some((d, k) => typeof d === "number" && d !== t.dims[k]);
    if (isWrong) throw new Finding(`${name} has shape [${t.dims}], inferred as [${found.shape}]`);
    checkFolded(name, found, t);
  }
  return known ? "agrees" : "refused";
}

/** A constant that inference computed is what the runtime computes. */
function checkFolded(name: string, found: Parameters<typeof constantOf>[0], t: Tensor): void {
  const constant = constantOf(found);
  if (!constant || !isReadable(t)) return;
  const values = numbers(t);
  constant.entries.forEach((entry, k) => {
    if (typeof entry !== "number") return;
    const room = isFloat(t.type) ? 2 ** -20 * (1 + Math.abs(entry)) : 0;
    if (Math.abs(entry - values[k]!) > room || Number.isNaN(entry) !== Number.isNaN(values[k]!))
      throw new Finding(`${name}[${k}] is ${values[k]}, folded to ${entry}`);
  });
}

/** The same bits, or those of another kernel: within the enclosure of a run, or the rounding of a few operations. */
export async function checkUpgrade({ model, points, outputs, enclosures }: Trial): Promise<Verdict> {
  // Products over nothing, pads wider than what they wrap and the last states of a sequence without steps are
  // memory that nobody wrote, in the runtime.
  const mayBeUnwritten = /^(Pad|MatMul|Gemm|LSTM|GRU|RNN)$/;
  if (!enclosures[0] && model.graph.nodes.some(({ op }) => mayBeUnwritten.test(op))) return "refused";
  if (model.graph.nodes.some(({ op, inputs }) => op === "Dropout" && inputs[2])) return "refused"; // may be random
  const upgraded = orRefusal(() => canonical(model.graph));
  if (!upgraded) return "refused";
  if (upgraded === model.graph) return "agrees";
  // Some kernels exist for older opsets only: what cannot run says nothing false.
  const again = await runGraph(upgraded, points[0]!).catch(() => undefined);
  if (!again) return "refused";
  // Half precision is computed as such, or in single precision, as there are kernels.
  const isHalf = [...model.feeds.values(), ...model.graph.initializers.values()].some(
    (t) => t.type === "float16",
  );
  for (const [name, t] of outputs[0]!) {
    const other = again.get(name)!;
    if (other.type !== t.type || other.dims.join() !== t.dims.join())
      throw new Finding(`${name} is ${t.type}[${t.dims}], upgraded ${other.type}[${other.dims}]`);
    if (!isReadable(t)) continue;
    const [p, q] = [numbers(t), numbers(other)];
    p.forEach((v, k) => {
      const room = isFloat(t.type)
        ? (isHalf || t.type === "float16" ? 2 ** -9 : 2 ** -18) * (1 + Math.abs(v))
        : 0;
      const isSame = Object.is(v, q[k]) || Math.abs(v - q[k]!) <= room || v === q[k];
      if (!isSame) throw new Finding(`${name}[${k}] is ${v}, upgraded ${q[k]}`);
    });
  }
  return "agrees";
}

/** What overflows, to infinity or to the greatest number of f32 as kernels of GRU have it, lies in no bound. */
const overflows = (v: number): boolean => !(Math.abs(v) < 3.4e38);

/** A number that is finite: what overflows or is none lies in no bound. */
export function checkInside(label: string, bound: IntervalTensor, t: Tensor): void {
  if (bound.dims.join() !== t.dims.join())
    throw new Finding(`${label} has shape [${t.dims}], bounded as [${bound.dims}]`);
  if (bound.type !== t.type) throw new Finding(`${label} is ${t.type}, bounded as ${bound.type}`);
  numbers(t).forEach((v, k) => {
    if (overflows(v)) return;
    if (!(bound.lower[k]! <= v && v <= bound.upper[k]!))
      throw new Finding(`${label}[${k}] is ${v}, outside ${bound.lower[k]} .. ${bound.upper[k]}`);
  });
}

/** At each point the enclosure of a run holds what was computed, and meets the bounds on the box. */
export function checkIntervals(trial: Trial): Verdict {
  const { model, points, outputs, box } = trial;
  const bounds = orRefusal(() => intervalPass(model.graph, box));
  let isRead = false;
  points.forEach((feeds, n) => {
    const enclosure = orRefusal(() => runningEnclosure(model.graph, feeds));
    trial.enclosures[n] = enclosure;
    for (const [name, t] of outputs[n]!) {
      if (!isReadable(t)) continue;
      const here = enclosure?.get(name);
      if (here) checkInside(name, here, t);
      const whole = bounds?.get(name);
      if (!whole) continue;
      isRead = true;
      if (here) checkMeets(name, whole, here, t);
      else checkInside(name, roomy(whole), t);
    }
  });
  return isRead ? "agrees" : "refused";
}

const roomy = (x: IntervalTensor): IntervalTensor => ({
  ...x,
  lower: x.lower.map((v) => v - roomAround(v, x.type)),
  upper: x.upper.map((v) => v + roomAround(v, x.type)),
});

function checkMeets(name: string, whole: IntervalTensor, here: IntervalTensor, t: Tensor): void {
  const values = numbers(t);
  if (whole.dims.join() !== t.dims.join())
    throw new Finding(`${name} has shape [${t.dims}], bounded as [${whole.dims}]`);
  here.lower.forEach((low, k) => {
    if (overflows(values[k]!)) return;
    if (!(whole.lower[k]! <= here.upper[k]! && low <= whole.upper[k]!))
      throw new Finding(
        `${name}[${k}] is ${values[k]}, outside the bounds ${whole.lower[k]} .. ${whole.upper[k]} on a box`,
      );
  });
}
