export { type RadialCertificate, radialCertificate } from "./certificate.ts";
export { tubeMeasure, tubeShare, tubeShareBound, unitBallVolume, unitVolumeRadius } from "./fourier-tubes.ts";
export { type RadialNetwork, type RadialOptions, radialNetwork } from "./radial.ts";
