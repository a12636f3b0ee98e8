// Gradients of comparisons and logic, which are constant between jumps, and of the choice by them.
import type { BackwardRules } from "../backward.ts";
import { constant, where } from "./elementwise.ts";
import { scalarLike, unbroadcast } from "./shapes.ts";

export const comparison: BackwardRules = {
  Equal: constant,
  Less: constant,
  LessOrEqual: constant,
  Greater: constant,
  GreaterOrEqual: constant,
  Not: constant,
  And: constant,
  Or: constant,
  Xor: constant,
  IsNaN: constant,
  IsInf: constant,
  BitwiseAnd: constant,
  BitwiseOr: constant,
  BitwiseXor: constant,
  BitwiseNot: constant,
  BitShift: constant,
  Where: ({ g, x: [condition, a, b] }) => [
    undefined,
    () => unbroadcast(where(condition, g), a),
    () => unbroadcast(condition.op("Where", [scalarLike(g, 0), g]), b),
  ],
};
