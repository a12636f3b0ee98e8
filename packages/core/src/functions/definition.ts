// All that is known of a function of one variable. A file of library/ defines one function, or a few that belong together.
import type { OperatorName } from "../graph/operators/index.ts";
import type { Value } from "../graph/value.ts";
import type { Interval, RealFunction } from "../numbers/interval/index.ts";
import type { Bend } from "./bends.ts";
import type { Curve } from "./curves.ts";
import type { Dual } from "./dual.ts";
import type { ActivationFacts } from "./facts.ts";
import type { UnivariateName } from "./names.ts";

/** What is left out is not known, or not needed so far; what takes parameters is exported beside it. */
export interface FunctionOfOneVariable {
  /** The operator of ONNX that is this function, without attributes. */
  readonly operator?: OperatorName;
  readonly activation?: Family;
  /** In operators of ONNX, for what is not in the table of activations. */
  readonly apply?: (x: Value) => Value;
  /** For an activation that is smooth everywhere and no polynomial. */
  readonly taylor?: Taylor;
  readonly formula?: Univariate;
  /** Holds f(x) for all x of the interval; a formula's is not said twice. */
  readonly enclosure?: RealFunction;
  /** How linear bounds know it: by one of these. */
  readonly curve?: Curve;
  readonly bend?: Bend;
  /** E f(u) f(v) and E f'(u) f'(v) of Gaussian pairs in closed form, by the parameter if there is one. */
  readonly dual?: (parameter: number) => Dual;
}

/** Enclosures of f^(k) / k! on an interval, k = 0 .. order; ends may be infinite at the edge of the domain. */
export type Taylor = (x: Interval, order: number) => readonly Interval[];

/** f(x), f'(x), f''(x) / 2!, ... */
export type Jet = readonly number[];

/** An activation as it stands in the table: facts, operators, derivatives. */
export interface Row extends ActivationFacts {
  apply(x: Value): Value;
  /** Taylor coefficients at x up to an order; NaN from the order on at which there is no derivative. */
  jet(x: number, order: number): Jet;
}

export interface Family {
  readonly parameter?: Parameter;
  make(parameter: number): Row;
  /** The parameter (or any number, where there is none) of an operator with attributes, if it is of this family. */
  read?(node: ReadNode): number | undefined;
}

export interface Parameter {
  readonly default: number;
  /** "it takes ..." */
  readonly range: string;
  /** Unlikely to be a constant that the activation is written with: shows where its operators have the parameter. */
  readonly marker: number;
  allows(value: number): boolean;
}

/** A node of a graph, as an activation reads it. */
export interface ReadNode {
  readonly op: string;
  /** A number among the attributes, which may be a default. */
  attribute(name: string): number;
  /** The numbers of an input, if it is a constant with few axes. */
  constants(input: number): readonly number[] | undefined;
}

/** An activation without a parameter. */
export const plain = (row: Row): { make(): Row } => ({ make: () => row });

/** A function of formulas. */
export interface Univariate {
  readonly name: UnivariateName;
  readonly exponent?: number;
  value(x: number): number;
  derivative(x: number): number;
  second(x: number): number;
  /** Holds f(x) for all x in the interval; throws where f is not defined. */
  enclosure(x: Interval): Interval;
  readonly taylor: Taylor;
  /** Where f'' changes its sign, inside (from, to). */
  inflections(from: number, to: number): readonly number[];
  readonly isEven: boolean;
  /** Infinitely steep at an end of its domain, where the slope is greatest. */
  readonly isSteep: boolean;
}
