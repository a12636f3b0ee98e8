// Two ACAS Xu networks on the box of the epsilon-equivalence query: bounds on the difference of both copies, carried layer
// by layer, against bounds of a product network that relaxes them side by side; first on the whole box, then split.

import { loadModel } from "@lemmata/core/graph";
import { createRandom } from "@lemmata/core/numbers";
import {
  alignLayers,
  differenceNetwork,
  greatestDifference,
  matchUnits,
  Probe,
  unpaired,
} from "../packages/core/src/bounds/difference/index.ts";
import { networkOf } from "../packages/core/src/bounds/linear.ts";
import { sharedModel } from "./models.ts";

const box = {
  lower: Float64Array.from([0.6, -0.5, -0.5, 0.45, -0.5]),
  upper: Float64Array.from([0.679857769, 0.5, 0.5, 0.5, -0.45]),
};
const paths = ["ACASXU_run2a_1_1_batch_2000.onnx", "ACASXU_run2a_1_1_perturbed.onnx"].map(sharedModel);
if (paths.every((path) => path !== undefined)) {
  const [first, second] = await Promise.all(paths.map(async (path) => networkOf(await loadModel(path))));
  const random = createRandom(1);
  const probe = new Probe(first!, second!);
  probe.search(box, random, { points: 2000 });
  console.log(`seen ${probe.greatest.toPrecision(3)}`);
  const { pairing, layers } = matchUnits(first!, second!, random);
  const ways = {
    difference: differenceNetwork(first!, second!, pairing, layers),
    product: differenceNetwork(first!, second!, unpaired(second!), alignLayers(first!, second!)),
  };
  for (const [way, network] of Object.entries(ways)) {
    const once = await greatestDifference(network, box, new Probe(first!, second!), {
      below: Number.POSITIVE_INFINITY,
    });
    console.log(`${way}: whole box ${once.upper.toPrecision(3)}`);
    for (const below of [0.05, 0.005, 0.002]) {
      const { upper, boxes, seconds } = await greatestDifference(network, box, new Probe(first!, second!), {
        below,
        seconds: 60,
      });
      console.log(
        `${way}: ${upper <= below ? "within" : "not within"} ${below} after ${boxes} boxes, ${seconds.toFixed(1)} s`,
      );
    }
  }
}
