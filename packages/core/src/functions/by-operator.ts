// The functions of the library that are an operator of ONNX without attributes, by its name.
import type { OperatorName } from "../graph/operators/index.ts";
import type { RealFunction } from "../numbers/interval/index.ts";
import { bent } from "./bends.ts";
import { rising } from "./curves.ts";
import type { FunctionOfOneVariable } from "./definition.ts";
import { type LibraryName, library, partsOf } from "./library.ts";
import type { Activation } from "./lines.ts";
import type { PlainFamily } from "./table.ts";

/** What each operator is given by its function, if it is given anything. */
const byOperator = <T>(
  given: (f: FunctionOfOneVariable, name: LibraryName) => T | undefined,
): ReadonlyMap<OperatorName, T> =>
  new Map(
    partsOf("operator").flatMap(([name, operator]) => {
      const found = given(library[name], name);
      return found === undefined ? [] : [[operator, found] as const];
    }),
  );

/** The names of activations. */
export const activationOfOperator = byOperator(({ activation }, name) => activation && (name as PlainFamily));

/** What holds the values on an interval. */
export const enclosureOfOperator = byOperator<RealFunction>(
  ({ enclosure, formula }) => enclosure ?? formula?.enclosure,
);

/** Curves and bends, as linear bounds read them. */
export const linesOfOperator = byOperator<Activation>(({ curve, bend }) =>
  curve ? rising(curve) : bend && bent(bend),
);
