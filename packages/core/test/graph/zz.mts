import { graphOfCase, feedsOf, runGraph, ramp } from "./operators-runtime.ts";
for (const op of ["MaxPool","AveragePool","LpPool","Conv"] as const) for (const [n,k,s,c] of [[1,2,1,0],[1,2,2,0],[1,4,1,0],[1,4,2,0],[1,4,3,0],[1,4,3,1],[2,4,2,0],[1,3,3,0],[1,2,3,1],[1,5,2,1]]) {
  const usage = op === "Conv" ? { inputs: [ramp([1,1,n]), ramp([1,1,k])], attributes: { strides: [s] } } : { inputs: [ramp([1,1,n])], attributes: { kernel_shape: [k], strides: [s], ceil_mode: c } };
  try { const r = await runGraph(graphOfCase(op, usage), feedsOf(usage)); console.log(op,n,k,s,c, r.get("y0")!.dims, [...r.get("y0")!.data as any]); } catch (e) { console.log(op,n,k,s,c,String(e).slice(0,150)); }
}
