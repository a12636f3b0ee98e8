// The functions of one variable, by name: a new one is a file of library/ and its name in this list.
import type { FunctionOfOneVariable } from "./definition.ts";
import { acos, asin } from "./library/arc.ts";
import { arctan } from "./library/arctan.ts";
import { elu } from "./library/elu.ts";
import { erf } from "./library/erf.ts";
import { exp } from "./library/exp.ts";
import { gaussian } from "./library/gaussian.ts";
import { gelu, tanhGelu } from "./library/gelu.ts";
import { hardSwish } from "./library/hard-swish.ts";
import { cosh, sinh } from "./library/hyperbolic.ts";
import { acosh, asinh, atanh } from "./library/inverse-hyperbolic.ts";
import { isrlu, isru } from "./library/isru.ts";
import { leakyRelu } from "./library/leaky-relu.ts";
import { linear } from "./library/linear.ts";
import { log } from "./library/log.ts";
import { logistic } from "./library/logistic.ts";
import { mish } from "./library/mish.ts";
import { reciprocal, sqrt } from "./library/power.ts";
import { relu } from "./library/relu.ts";
import { repu } from "./library/repu.ts";
import { silu } from "./library/silu.ts";
import { softplus } from "./library/softplus.ts";
import { softsign } from "./library/softsign.ts";
import { heaviside, threshold } from "./library/step.ts";
import { tan } from "./library/tan.ts";
import { tanh } from "./library/tanh.ts";
import { cos, sin } from "./library/waves.ts";

/** Those without a part for activations are functions of formulas, and of networks that are read. */
export const library = {
  ...{ relu, linear, heaviside, threshold, logistic, elu, softsign, tanh, arctan, softplus, gaussian },
  ...{ exp, sin, cos, leakyRelu, repu, isrlu, isru },
  ...{ log, sqrt, reciprocal, tan, asin, acos, sinh, cosh, asinh, acosh, atanh, erf },
  ...{ hardSwish, gelu, tanhGelu, silu, mish },
} satisfies Readonly<Record<string, FunctionOfOneVariable>>;

export type LibraryName = keyof typeof library;

/** The names of the functions that have these parts. */
export type Having<Parts> = {
  [Name in LibraryName]: (typeof library)[Name] extends Parts ? Name : never;
}[LibraryName];

/** One part of all functions that have it, with their names, in the order of the list. */
export const partsOf = <Part extends keyof FunctionOfOneVariable>(
  part: Part,
): readonly (readonly [LibraryName, NonNullable<FunctionOfOneVariable[Part]>])[] =>
  (Object.keys(library) as LibraryName[]).flatMap((name) => {
    const found = (library[name] as FunctionOfOneVariable)[part];
    return found === undefined ? [] : [[name, found] as const];
  });
