// What functions of one number are on the other side of 0.

/** f(-z) = sign * f(z) + slope * z + constant. */
export interface Reflection {
  readonly sign: 1 | -1;
  readonly slope: number;
  readonly constant: number;
}

const odd: Reflection = { sign: -1, slope: 0, constant: 0 };
const even: Reflection = { sign: 1, slope: 0, constant: 0 };
/** z - f(z) on the other side, as z times a sigmoid has it. */
const ramp: Reflection = { sign: 1, slope: -1, constant: 0 };

const reflections: ReadonlyMap<string, Reflection> = new Map<string, Reflection>([
  ...["Tanh", "Atan", "Softsign", "Erf", "Sin", "Asinh", "Sinh", "Asin", "Tan", "Atanh"].map(
    (name): [string, Reflection] => [name, odd],
  ),
  ["Sigmoid", { ...odd, constant: 1 }],
  ["Cos", even],
  ["Cosh", even],
  ["Softplus", ramp],
]);

/** Of an activation, by its name; undefined where none is known. */
export const reflectionOf = (name: string): Reflection | undefined => reflections.get(name);
