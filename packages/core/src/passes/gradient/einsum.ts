// The gradient of an Einstein summation is one: of the cotangent with the other operands.
import type { Value } from "../../graph/value.ts";
import type { BackwardRule, BackwardRules, Step } from "../backward.ts";
import { integers, sameShape, shapeOf, unbroadcast } from "./shapes.ts";

const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The equation with a letter for each axis: those of an ellipsis are counted from the right, as broadcasting does. */
interface Equation {
  readonly terms: readonly (readonly string[])[];
  readonly result: readonly string[];
  /** A letter that the equation does not have. */
  readonly fresh: () => string;
}

function equationOf(equation: string, inputs: readonly Value[], fail: Step["fail"]): Equation {
  const [left = "", right] = equation.replaceAll(/\s/g, "").split("->");
  const written = left.split(",");
  const unused = [...alphabet].filter((c) => !equation.includes(c)).reverse();
  const fresh = () => unused.pop() ?? fail("its equation leaves no letter for its gradient");
  const dots = inputs.map((input, k) => {
    const rank = input.type.shape?.length ?? fail("the rank of its inputs is not known");
    return rank - written[k]!.replace("...", "").length;
  });
  const ellipsis = Array.from({ length: Math.max(0, ...dots) }, fresh);
  const lettersOf = (term: string, count: number): readonly string[] => {
    const [before = "", after = ""] = term.split("...");
    return [...before, ...ellipsis.slice(ellipsis.length - count), ...after];
  };
  const letters = written.join("").replaceAll(".", "");
  const once = [...letters].filter((c) => letters.indexOf(c) === letters.lastIndexOf(c)).sort();
  const implied = (left.includes("...") ? "..." : "") + once.join("");
  const result = right ?? implied;
  return {
    terms: written.map((term, k) => lettersOf(term, dots[k]!)),
    result: lettersOf(result, result.includes("...") ? ellipsis.length : 0),
    fresh,
  };
}

/** The identity matrix of the size of an axis of x. */
function identityOf(x: Value, axis: number): Value {
  const size = shapeOf(x).gather([axis, axis], 0);
  return size.op("ConstantOfShape").op("EyeLike", [], { dtype: x.type.type === "float64" ? 11 : 1 });
}

const einsum: BackwardRule<"Einsum"> = ({ g, x: operands, fail }, { equation }) => {
  const inputs = operands as readonly Value[];
  const { terms, result, fresh } = equationOf(equation, inputs, fail);
  const share = (k: number): Value => {
    const [x, term] = [inputs[k]!, terms[k]!];
    const others = inputs.map((value, j) => ({ value, term: terms[j]! })).filter((_, j) => j !== k);
    // A letter that the term has twice reads a diagonal: the copies are kept apart, times the identity.
    const apart = term.map((c, axis) => (term.indexOf(c) === axis ? c : fresh()));
    const diagonals = term.flatMap((c, axis) =>
      apart[axis] === c ? [] : [{ value: identityOf(x, axis), term: [c, apart[axis]!] }],
    );
    const factors = [{ value: g, term: result }, ...others, ...diagonals];
    // A letter that only this term has was summed away: every element along it gets the same.
    const known = apart.filter((c) => factors.some((factor) => factor.term.includes(c)));
    const lost = apart.flatMap((c, axis) => (known.includes(c) ? [] : [axis]));
    const product = g.builder.apply(
      "Einsum",
      factors.map((factor) => factor.value),
      { equation: `${factors.map((factor) => factor.term.join("")).join(",")}->${known.join("")}` },
    )[0]!;
    const full = lost.length > 0 ? product.op("Unsqueeze", [integers(lost)]) : product;
    // An axis of size 1 may have been broadcast here or in another operand.
    if (sameShape(full.type.shape, x.type.shape)) return full;
    return unbroadcast(full.op("Expand", [shapeOf(x)]), x);
  };
  return inputs.map((_, k) => () => share(k));
};

export const einsumRules: BackwardRules = { Einsum: einsum };
