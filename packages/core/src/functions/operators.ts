// Activations written in operators that ONNX Runtime has in float64. In float32, an operator of its own is used
// where ONNX has one.
import type { OperatorName } from "../graph/operators/index.ts";
import type { Value } from "../graph/value.ts";

type Apply = (x: Value) => Value;

const inFloat32 =
  (op: OperatorName, rewritten: Apply): Apply =>
  (x) =>
    x.type.type === "float32" ? x.op(op) : rewritten(x);

/** (x, 1) divided by max(1, |x|), and the length of (sqrt(a) x, 1) divided by it: nothing overflows. */
function scaledPoint(
  x: Value,
  a: number,
): { readonly sine: Value; readonly cosine: Value; readonly length: Value } {
  const m = x.abs().max(1);
  const [sine, cosine] = [x.div(m), m.op("Reciprocal")];
  return { sine, cosine, length: cosine.mul(cosine).add(sine.mul(sine).mul(a)).sqrt() };
}

/** x / sqrt(1 + a x^2). */
export const isru =
  (a: number): Apply =>
  (x) => {
    const { sine, length } = scaledPoint(x, a);
    return sine.div(length);
  };

export const isrlu =
  (a: number): Apply =>
  (x) =>
    x.relu().add(isru(a)(x.min(0)));

/** e^m - 1 = 2 t / (1 - t) with t = tanh(m / 2), which loses no digits near 0. */
export const elu: Apply = inFloat32("Elu", (x) => {
  const t = x.min(0).mul(0.5).tanh();
  return x.relu().add(t.mul(2).div(t.neg().add(1)));
});

/** ln(1 + e^x): one operator, since a sum of bent functions would have no derivative at 0 though this one has. */
export const softplus: Apply = (x) => x.op("Softplus");

export const softsign: Apply = inFloat32("Softsign", (x) => x.div(x.abs().add(1)));

/** y + sin(theta - y), from y = sin(theta), three times: the error d becomes d - sin d, at most 0.571, 0.031, 5e-6, 2e-17. */
export const arctan: Apply = inFloat32("Atan", (x) => {
  const { length, ...point } = scaledPoint(x, 1);
  const [sine, cosine] = [point.sine.div(length), point.cosine.div(length)];
  const step = (y: Value): Value => y.add(sine.mul(y.cos()).sub(cosine.mul(y.sin())));
  return step(step(step(sine)));
});

export const gaussian: Apply = (x) => x.mul(x).mul(-0.5).exp();

/** 1 on (0, inf). */
export const heaviside: Apply = (x) => x.op("Sign").relu();

/** 1 on [0, inf). */
export const threshold: Apply = (x) => x.op("Sign").neg().relu().neg().add(1);

/** max(a x, x). ONNX Runtime has LeakyRelu in float32 only, and it is that maximum for alpha <= 1 only. */
export const leakyRelu =
  (a: number): Apply =>
  (x) =>
    a <= 1 && x.type.type === "float32" ? x.op("LeakyRelu", [], { alpha: a }) : x.mul(a).max(x);

export const repu =
  (degree: number): Apply =>
  (x) =>
    degree === 1 ? x.relu() : x.relu().pow(degree);
