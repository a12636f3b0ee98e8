// A machine's network as a file with the certificate that it makes the machine's steps on every tape.
import { sha256 } from "../../check/certificate.ts";
import type { MachineCertificate } from "../../check/machine-certificate.ts";
import { type Graph, subgraphs } from "../../graph/graph.ts";
import { writeModel } from "../../graph/onnx/write.ts";
import type { Machine } from "./machine.ts";
import type { LayerValues, MachineLoop, MachineNetwork } from "./network.ts";

const layerOf = (tensor: string, values: LayerValues): MachineCertificate["layers"][number] => ({
  tensor,
  values: values.map(([{ cell, state, symbol }, units]) => [cell, state, symbol, units]),
});

const namesOf = ({ nodes }: Graph, op: string): readonly string[] =>
  nodes.filter((node) => node.op === op).map(({ outputs }) => outputs[0]!);

/** What goes round, and the one layer of the body. */
function loopLayers({ graph, around, body }: MachineLoop): MachineCertificate["layers"] {
  const loop = graph.nodes.find(({ op }) => op === "Loop")!;
  const [inner] = subgraphs(loop);
  return [layerOf(loop.outputs[0]!, around), layerOf(namesOf(inner!, "Relu")[0]!, body)];
}

/**
 * The bytes of a network, unrolled or with a Loop, and its certificate.
 * @example (await certifiedMachine(readMachine('{"start":"A","blank":"0","rules":[["A","0","1","N","H"]]}'), machineNetwork(readMachine('{"start":"A","blank":"0","rules":[["A","0","1","N","H"]]}'), 1))).certificate.layers.length // 1
 */
export async function certifiedMachine(
  { states, symbols, start, rules }: Machine,
  network: MachineNetwork | MachineLoop,
  source?: MachineCertificate["source"],
): Promise<{ readonly bytes: Uint8Array; readonly certificate: MachineCertificate }> {
  const bytes = writeModel(network.graph);
  const isLoop = "body" in network;
  const tensors = namesOf(network.graph, "Relu");
  return {
    bytes,
    certificate: {
      version: 1,
      kind: "machine",
      ...(source && { source }),
      states: [...states],
      symbols: [...symbols],
      start,
      rules: rules.flatMap((rule) =>
        rule ? [[rule.state, rule.read, rule.write, rule.move, rule.next] as const] : [],
      ) as MachineCertificate["rules"],
      tape: { ...network.tape },
      ...(!isLoop && { steps: network.values.length }),
      network: { sha256: await sha256(bytes), input: "x", output: "y", ...(isLoop && { steps: "steps" }) },
      layers: isLoop ? loopLayers(network) : network.values.map((values, l) => layerOf(tensors[l]!, values)),
    },
  };
}
