// Gradients of operators that place elements by their position.
// Conventions: without a reduction the indices must be distinct, as ONNX asks; max and min share a tie equally among
// the element of the data and the updates that attain it; mul has no derivative with respect to its updates, since the
// product of the other updates of a place would be needed.
import type { Value } from "../../graph/value.ts";
import type { BackwardRules, Shares, Step } from "../backward.ts";
import { indicator } from "./elementwise.ts";
import { fullLike, zerosLike } from "./shapes.ts";

/** The places of one scatter: written to, and read from. */
interface Places {
  write(data: Value, updates: Value, reduction?: string): Value;
  read(data: Value): Value;
}

function scatter(step: Step, reduction: string, { write, read }: Places): Shares {
  const { g, x, fail } = step;
  const [data, , updates] = x;
  switch (reduction) {
    case "none":
      return [() => write(g, zerosLike(updates)), undefined, () => read(g)];
    case "add":
      return [() => g, undefined, () => read(g)];
    case "mul":
      return [
        () => g.mul(write(fullLike(data, 1), updates, "mul")),
        undefined,
        () => fail('reduction "mul" has no derivative with respect to the updates'),
      ];
    case "max":
    case "min":
      return extreme(step, { write, read });
    default:
      return fail(`there is no reduction "${reduction}"`);
  }
}

function extreme({ g, x: [data, , updates], y: [y] }: Step, { write, read }: Places): Shares {
  const attained = () => indicator(data.op("Equal", [y]), g);
  const placed = () => indicator(updates.op("Equal", [read(y)]), g);
  const each = (kept: Value, put: Value) => g.div(write(kept, put, "add"));
  // Where nothing was placed, the data attains its own value, so that no count is 0.
  return [
    () => {
      const kept = attained();
      return kept.mul(each(kept, placed()));
    },
    undefined,
    () => {
      const put = placed();
      return put.mul(read(each(attained(), put)));
    },
  ];
}

export const scattering: BackwardRules = {
  ScatterElements: (step, { axis, reduction }) =>
    scatter(step, reduction, {
      write: (data, updates, by = "none") =>
        data.op("ScatterElements", [step.x[1], updates], { axis, reduction: by }),
      read: (data) => data.op("GatherElements", [step.x[1]], { axis }),
    }),
  ScatterND: (step, { reduction }) =>
    scatter(step, reduction, {
      write: (data, updates, by = "none") => data.op("ScatterND", [step.x[1], updates], { reduction: by }),
      read: (data) => data.op("GatherND", [step.x[1]]),
    }),
};
