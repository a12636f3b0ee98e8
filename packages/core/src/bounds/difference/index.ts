export { weightDeviation } from "./deviation.ts";
export { matchUnits, samplePoints } from "./match.ts";
export { type DifferenceNetwork, differenceNetwork, type RowChange } from "./network.ts";
export { alignLayers, type Pairing, pairByPlace, unpaired } from "./pairing.ts";
export { Probe, type ProbeOptions } from "./probe.ts";
export { type DifferenceBounds, type DifferenceSearch, greatestDifference } from "./search.ts";
