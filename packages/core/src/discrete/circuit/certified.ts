// A circuit's network as a file with the certificate that it computes the circuit on every input.
import { sha256 } from "../../check/certificate.ts";
import type { CircuitCertificate } from "../../check/circuit-certificate.ts";
import type { Graph } from "../../graph/graph.ts";
import { writeModel } from "../../graph/onnx/write.ts";
import type { Circuit } from "./circuit.ts";
import type { CircuitNetwork } from "./network.ts";
import type { UnitKind } from "./units.ts";

/** The values that hold the units, layer by layer: ReLUs, or 1 - relu(-sign z), which an Add ends. */
function unitTensors({ nodes }: Graph, kind: UnitKind): readonly string[] {
  const named = (ops: readonly Graph["nodes"][number][]) => ops.map(({ outputs }) => outputs[0]!);
  const relus = nodes.filter(({ op }) => op === "Relu");
  if (kind === "relu") return named(relus);
  const reader = (name: string) => nodes.find(({ inputs }) => inputs[0] === name)!;
  return named(relus.map(({ outputs }) => reader(reader(outputs[0]!).outputs[0]!)));
}

/**
 * The bytes of a network of ReLUs or thresholds, and its certificate.
 * @example (await certifiedCircuit(readFormulas("a & b"), circuitNetwork(readFormulas("a & b")))).certificate.layers.length // 1
 */
export async function certifiedCircuit(
  circuit: Circuit,
  { graph, plan }: CircuitNetwork,
  source?: CircuitCertificate["source"],
): Promise<{ readonly bytes: Uint8Array; readonly certificate: CircuitCertificate }> {
  const bytes = writeModel(graph);
  const tensors = unitTensors(graph, plan.kind);
  return {
    bytes,
    certificate: {
      version: 1,
      kind: "circuit",
      ...(source && { source }),
      inputs: [...circuit.inputs],
      gates: circuit.gates.map((gate) =>
        gate.kind === "count"
          ? { kind: "count", args: [...gate.args], on: gate.on.map((b) => (b ? 1 : 0)) }
          : {
              kind: "cubes",
              args: [...gate.args],
              cubes: gate.cubes.map(({ mask, value }): [number, number] => [mask, value]),
            },
      ),
      outputs: circuit.outputs.map(({ name, literal }) => ({ name, literal })),
      network: { sha256: await sha256(bytes), input: "x", output: "y" },
      ...(plan.kind === "threshold" && { units: plan.kind }),
      layers: plan.layers.map(({ units, forms }, l) => ({
        tensor: tensors[l]!,
        units: units.map(({ bias, reads }) => ({
          bias,
          reads: reads.map(([n, c]): [number, number] => [n, c]),
        })),
        forms: forms.map(({ node, constant, terms }) => ({
          node,
          constant,
          terms: terms.map(([c, w]): [number, number] => [c, w]),
        })),
      })),
    },
  };
}
