import { createRandom } from "./src/numbers/random.ts";
import * as O from "./src/inverse/operators.ts";
import { initialNetwork } from "./src/train/network.ts";
import { numbers, tensor } from "./src/graph/index.ts";
import { run } from "./src/engine/index.ts";
import { generatorOf, latentDescent, untrainedRecovery, untrainedNetwork, totalVariation, sparseRecovery, cosineBasis, waveletBasis, peakSignalToNoise, structuralSimilarity } from "./src/inverse/index.ts";
const r = createRandom(3);
const g = generatorOf(initialNetwork("5-40-relu-160",{seed:1,type:"float64"}));
const z = r.normal(5);
const x = Float64Array.from(numbers((await run(g.graph,{x:tensor(z,{type:"float64",dims:[1,5]})})).y!));
const A = O.gaussianOperator(20,160,r.split("A"));
let t0=performance.now();
const f = await latentDescent(g,A,A.apply(x),r.split("z"));
console.log(f.restarts, f.objective, f.x.reduce((s,v,k)=>s+(v-x[k]!)**2,0), f.trace.length, performance.now()-t0);
const shape=[16,16];
const pic = Float64Array.from({length:256},(_,k)=>{const i=k>>4,j=k&15; return (i-8)**2+(j-6)**2<20?0.9:(i>11?0.5:0.1)});
for (const [n,B] of [["gauss",O.gaussianOperator(100,256,r)],["pixels",O.randomPixels(0.4,shape,r)],["fourier",O.fourierSamples(40,shape,r)],["dct",O.cosineSamples(100,shape,r)],["blur",O.blurOperator(1,shape)],["down",O.downsampling(2,shape)],["radon",O.radonOperator(8,shape)],["box",O.hiddenBox([4,8,4,8],shape)]] as const) {
  const u=r.normal(B.inputs), v=r.normal(B.outputs); const d=(a:any,b:any)=>a.reduce((s:number,e:number,k:number)=>s+e*b[k],0);
  const y=B.apply(pic).map(v=>v+0.01*r.normal());
  console.log(n,B.outputs,"adj",d(B.apply(u),v)-d(u,B.transpose(v)));
  t0=performance.now(); const t=await totalVariation(B,y,shape,{lambda:0.01,range:[0,1]}); console.log("  tv",t.iterations,t.objective,t.dualityGap,peakSignalToNoise(t.x,pic,1).toFixed(1),structuralSimilarity(t.x,pic,shape,1).toFixed(3),performance.now()-t0|0);
  t0=performance.now(); const s=await sparseRecovery(B,y,cosineBasis(shape),{lambda:0.01}); console.log("  dct",s.iterations,s.dualityGap,peakSignalToNoise(s.x,pic,1).toFixed(1),performance.now()-t0|0);
  t0=performance.now(); const w=await sparseRecovery(B,y,waveletBasis(shape),{lambda:0.01}); console.log("  db2",w.iterations,w.dualityGap,peakSignalToNoise(w.x,pic,1).toFixed(1),performance.now()-t0|0);
  if (n==="gauss"||n==="box"||n==="fourier") for (const p of ["dip","deep-decoder"] as const){ t0=performance.now(); const c=await untrainedRecovery(p,B,y,shape,r.split(p),{steps:400,width:16}); console.log("  ",p,c.weights,c.losses[0],c.losses.at(-1),c.ended,peakSignalToNoise(c.x,pic,1).toFixed(1),performance.now()-t0|0); }
}
