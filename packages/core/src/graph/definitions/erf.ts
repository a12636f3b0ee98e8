// The error function, by rational approximations: near 0 that of Sun's fdlibm, beyond that of W. J. Cody
// (Math. Comp. 23, 1969), which is exact to the last places there because it is only a part of 1.
import type { Value } from "../value.ts";
import type { Definitions } from "./definition.ts";
import { constant, greater, less, odd, polynomial, where } from "./expression.ts";

/** Below this, erf x = x + x P(x^2) / Q(x^2); above it, erf x = 1 - exp(-x^2) R(x) / S(x). */
const boundary = 0.84375;
/** From here on erf x rounds to 1; to the left of it, R / S is good beyond the range (to 4) that it was made for. */
const saturation = 6;

const P = [
  -0.000023763016656650163, -0.005770270296489442, -0.02848174957559851, -0.3250421072470015,
  0.12837916709551256,
];
const Q = [
  -0.000003960228278775368, 0.00013249473800432164, 0.005081306281875766, 0.0650222499887673,
  0.39791722395915535, 1,
];
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
  const inner = small.add(small.mul(polynomial(squared, P).div(polynomial(squared, Q))));
  const large = where(greater(a, saturation), saturation, where(near, boundary, a, a), a);
  const tail = large
    .mul(large)
    .neg()
    .exp()
    .mul(polynomial(large, R).div(polynomial(large, S)));
  return where(near, inner, constant(a, 1).sub(tail), a);
}

export const erf: Definitions = { Erf: ([x]) => odd(x!, errorFunction) };
