// Intervals of real numbers with outward-rounded ends: one by one, in arrays, in products of matrices.
export {
  addDown,
  addUp,
  divDown,
  divUp,
  mulDown,
  mulUp,
  nextDown,
  nextUp,
  sqrtDown,
  sqrtUp,
} from "../rounding.ts";
export * from "./array.ts";
export * from "./functions.ts";
export * from "./product.ts";
export * from "./scalar.ts";
