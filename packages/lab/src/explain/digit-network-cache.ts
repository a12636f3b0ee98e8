// The network of the digits, trained once a visit.
import { keptNetwork as network } from "../parts/kept-network.ts";

export const { kept: keptNetwork, keep: keepNetwork } = network("lemmata-digit-network-1", "digits.onnx");
