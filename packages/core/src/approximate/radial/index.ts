export { type RadialCertificate, radialCertificate } from "./certificate.ts";
export { type RadialNetwork, type RadialOptions, radialNetwork } from "./radial.ts";
