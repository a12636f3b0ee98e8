// Gradients of operators that place elements by their position.
// Conventions: of several updates of a place that one has the derivative which ONNX Runtime leaves there (ONNX asks for
// distinct indices, where there is no reduction); max and min share a tie equally among
// the element of the data and the updates that attain it; mul has no derivative with respect to its updates, since the
// product of the other updates of a place would be needed.
import type { Value } from "../../graph/value.ts";
import type { BackwardRules, Shares, Step } from "../backward.ts";
import { indicator, where } from "./elementwise.ts";
import { fullLike, positions, zerosLike } from "./shapes.ts";

/**
 * Zeros in the shape of x, to which each cotangent is added at its place. ONNX Runtime does not add up halves there:
 * they go through f32.
 */
export function addedUp(
  op: "ScatterElements" | "ScatterND",
  x: Value,
  places: Value,
  g: Value,
  axis?: number,
): Value {
  const { type } = g.type;
  const isHalf = type === "float16" || type === "bfloat16";
  const [zeros, terms] = isHalf ? [zerosLike(x, "float32"), g.cast("float32")] : [zerosLike(x), g];
  const along = axis === undefined ? {} : { axis };
  const sums = terms.builder.apply(op, [zeros, places, terms], { reduction: "add", ...along })[0]!;
  return isHalf ? sums.cast(type) : sums;
}

/** The places of one scatter: written to, and read from. */
interface Places {
  write(data: Value, updates: Value, reduction?: string): Value;
  read(data: Value): Value;
}

function scatter(step: Step, reduction: string, { write, read }: Places): Shares {
  const { g, x, fail } = step;
  const [data, , updates] = x;
  /** What each update gets: nothing where another one was written over it. */
  const kept = (): Value => {
    const names = positions(updates);
    return where(names.op("Equal", [read(write(zerosLike(data, "int64"), names))]), read(g));
  };
  switch (reduction) {
    case "none":
      return [() => write(g, zerosLike(updates)), undefined, kept];
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
  const attained = () => data.op("Equal", [y]);
  const placed = () => updates.op("Equal", [read(y)]);
  const each = (kept: Value, put: Value) => g.div(write(indicator(kept, g), indicator(put, g), "add"));
  // Where nothing was placed, the data attains its own value, so that no count is 0.
  return [
    () => {
      const kept = attained();
      return where(kept, each(kept, placed()));
    },
    undefined,
    () => {
      const put = placed();
      return where(put, read(each(attained(), put)));
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
