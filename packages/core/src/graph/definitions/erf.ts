// The error function, by the rational approximations of W. J. Cody (Math. Comp. 23, 1969).
import type { Value } from "../value.ts";
import type { Definitions } from "./definition.ts";
import { constant, greater, less, odd, polynomial, where } from "./expression.ts";

/** Below this, erf x = x P(x^2) / Q(x^2); above it, erfc x = exp(-x^2) R(x) / S(x). */
const boundary = 0.46875;
/** From here on erf x rounds to 1; to the left of it, R / S is good beyond the range (to 4) that it was made for. */
const saturation = 6;

const P = [0.18577770618460315, 3.1611237438705655, 113.86415415105016, 377.485237685302, 3209.3775891384694];
const Q = [1, 23.601290952344122, 244.02463793444417, 1282.6165260773723, 2844.236833439171];
const R = [
  2.1531153547440383e-8, 0.5641884969886701, 8.883149794388377, 66.11919063714163, 298.6351381974001,
  881.952221241769, 1712.0476126340707, 2051.0783778260716, 1230.3393547979972,
];
const S = [
  1, 15.744926110709835, 117.6939508913125, 537.1811018620099, 1621.3895745666903, 3290.7992357334597,
  4362.619090143247, 3439.3676741437216, 1230.3393548037495,
];

function errorFunction(a: Value): Value {
  const near = less(a, boundary);
  const small = where(near, a, 0, a);
  const squared = small.mul(small);
  const inner = small.mul(polynomial(squared, P).div(polynomial(squared, Q)));
  const large = where(greater(a, saturation), saturation, where(near, boundary, a, a), a);
  const tail = large
    .mul(large)
    .neg()
    .exp()
    .mul(polynomial(large, R).div(polynomial(large, S)));
  return where(near, inner, constant(a, 1).sub(tail), a);
}

export const erf: Definitions = { Erf: ([x]) => odd(x!, errorFunction) };
