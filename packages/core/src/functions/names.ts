// The functions of one variable that formulas have, by name: all that the checker takes from this folder.

/** Functions of one variable that a formula may call and that are not piecewise linear. */
export const curvedNames = [
  ...(["sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan"] as const),
  ...(["sinh", "cosh", "tanh", "erf", "sigmoid"] as const),
] as const;

/** Functions of one variable that a node may be; `power` has its exponent in the node. */
export const univariateNames = [...curvedNames, "reciprocal", "power"] as const;
export type UnivariateName = (typeof univariateNames)[number];
