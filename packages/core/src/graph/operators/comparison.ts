// Comparisons and logic: true or false for each element, and the choice by it.
import type { Dim } from "../graph.ts";
import { combined } from "./constant.ts";
import { broadcast, sameAsFirst } from "./dims.ts";
import { broadcastAll, onNumbers } from "./elementwise.ts";
import { operator } from "./operator.ts";
import { flag, type Inferred, required, type ShapeContext, string } from "./spec.ts";

type Inputs = readonly (Inferred | undefined)[];

const truth = (inputs: Inputs, fold: (...entries: readonly Dim[]) => Dim, context: ShapeContext): Inferred =>
  combined(inputs, "bool", broadcastAll(inputs, undefined, context).shape, fold);

const relation = (holds: (a: number, b: number) => boolean) =>
  operator({
    inputs: [2, 2],
    shape: (inputs, _, context) =>
      truth(
        inputs,
        onNumbers((a, b) => Number(holds(a!, b!))),
        context,
      ),
  });

const predicate = operator({ inputs: [1, 1], shape: ([x]) => ({ type: "bool", shape: x?.shape }) });
const bitwise = operator({ inputs: [2, 2], shape: broadcastAll });

export const comparison = {
  Equal: operator({
    inputs: [2, 2],
    shape: (inputs, _, context) => {
      const comparable = inputs.every((x) => x?.type !== "string");
      return comparable
        ? truth(inputs, (a, b) => (a === undefined || b === undefined ? undefined : sameEntry(a, b)), context)
        : { type: "bool", shape: broadcastAll(inputs, _, context).shape };
    },
  }),
  Less: relation((a, b) => a < b),
  LessOrEqual: relation((a, b) => a <= b),
  Greater: relation((a, b) => a > b),
  GreaterOrEqual: relation((a, b) => a >= b),
  Not: operator({
    inputs: [1, 1],
    shape: (inputs, _, context) =>
      truth(
        inputs,
        onNumbers((a) => Number(a === 0)),
        context,
      ),
  }),
  And: relation((a, b) => a !== 0 && b !== 0),
  Or: relation((a, b) => a !== 0 || b !== 0),
  Xor: relation((a, b) => (a !== 0) !== (b !== 0)),
  IsNaN: predicate,
  IsInf: operator({
    inputs: [1, 1],
    attributes: { detect_negative: flag(1), detect_positive: flag(1) },
    shape: ([x]) => ({ type: "bool", shape: x?.shape }),
  }),
  BitwiseAnd: bitwise,
  BitwiseOr: bitwise,
  BitwiseXor: bitwise,
  BitwiseNot: operator({ inputs: [1, 1], shape: sameAsFirst }),
  BitShift: operator({ inputs: [2, 2], attributes: { direction: required(string()) }, shape: broadcastAll }),
  Where: operator({
    inputs: [3, 3],
    shape: (inputs, _, context) => {
      const [, x, y] = inputs;
      const shape = broadcast(
        inputs.map((v) => v?.shape),
        context,
      );
      const type = x?.type ?? y?.type ?? "undefined";
      return combined(inputs, type, shape, (condition, a, b) =>
        typeof condition === "number" ? (condition ? a : b) : a === b ? a : undefined,
      );
    },
  }),
};

/** A name is surely equal to itself only; it may or may not equal a number. A dimension is never negative. */
function sameEntry(a: Exclude<Dim, undefined>, b: Exclude<Dim, undefined>): Dim {
  if (typeof a === "number" && typeof b === "number") return Number(a === b);
  if (a === b) return 1;
  return (typeof a === "number" && a < 0) || (typeof b === "number" && b < 0) ? 0 : undefined;
}
