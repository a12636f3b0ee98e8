// Products of matrices in double precision, many at a time, on ONNX Runtime.
import { run } from "../../engine/run.ts";
import { float64, graph } from "../../graph/builder.ts";

interface Matrices {
  readonly data: Float64Array;
  readonly dims: readonly number[];
}

const product = graph({ w: float64("g", "m", "k"), x: float64("n", "g", "k", "p") }, ({ w, x }) => ({
  y: w.matmul(x),
}));

/** [g, m, k] times [n, g, k, p]. */
export async function multiplied(w: Matrices, x: Matrices): Promise<Float64Array> {
  const { y } = await run(product, { w: { type: "float64", ...w }, x: { type: "float64", ...x } });
  return y.data as Float64Array;
}
