// Boolean functions, circuits, tables of probabilities and Turing machines: what compiling takes, in seconds of the processor.
import { walshSums } from "../packages/core/src/discrete/boolean/walsh.ts";
import { adder, multiplier } from "../packages/core/src/discrete/circuit/arithmetic.ts";
import { CircuitBuilder } from "../packages/core/src/discrete/circuit/builder.ts";
import type { Circuit } from "../packages/core/src/discrete/circuit/circuit.ts";
import { tableCircuit } from "../packages/core/src/discrete/circuit/from-table.ts";
import { circuitNetwork } from "../packages/core/src/discrete/circuit/network.ts";
import { unitCount } from "../packages/core/src/discrete/circuit/plan.ts";
import { exampleMachines } from "../packages/core/src/discrete/machine/examples.ts";
import { readMachine } from "../packages/core/src/discrete/machine/machine.ts";
import { machineNetwork } from "../packages/core/src/discrete/machine/network.ts";
import { samplingGraph, unitsOf } from "../packages/core/src/discrete/stochastic/belief-network.ts";
import { compileKernel } from "../packages/core/src/discrete/stochastic/certified-kernel.ts";
import { randomKernel } from "../packages/core/src/discrete/stochastic/random-kernel.ts";
import { writeModel } from "../packages/core/src/graph/onnx/write.ts";
import { createRandom } from "../packages/core/src/numbers/random.ts";

const random = createRandom(1);

function measured(name: string, work: () => string): void {
  const start = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(start);
  console.log(`  ${name.padEnd(44)} ${((user + system) / 1e6).toFixed(2).padStart(7)} s   ${result}`);
}

const compiled = (circuit: Circuit): string => {
  const { graph, plan } = circuitNetwork(circuit);
  const bytes = writeModel(graph).length;
  return `${circuit.gates.length} gates, ${unitCount(plan)} units, ${plan.layers.length} layers, ${(bytes / 1e6).toFixed(1)} MB`;
};

/** Gates of two or three of the 400 before them. */
function randomGates(count: number): Circuit {
  const b = new CircuitBuilder(Array.from({ length: 64 }, (_, k) => `x${k}`));
  const literals = b.inputs.map((_, k) => b.input(k));
  const pick = (): number =>
    literals[Math.max(0, literals.length - 1 - random.integer(0, 400))]! ^ random.integer(0, 1);
  while (literals.length < count + 64)
    literals.push(
      [b.and([pick(), pick()]), b.xor([pick(), pick()]), b.or([pick(), pick(), pick()])][
        random.integer(0, 2)
      ]!,
    );
  return b.finish(literals.map((literal, k) => ({ name: `y${k}`, literal })).slice(64));
}

const values = Float64Array.from({ length: 2 ** 24 }, (_, k) => (Math.imul(k, 0x9e3779b1) >>> 13) & 1);
measured("fast Walsh transform of 2^24 values", () => `${walshSums(values).length} coefficients`);
measured("adder of 16 bits", () => compiled(adder(16)));
measured("multiplier of 16 bits", () => compiled(multiplier(16)));
const bits = Uint8Array.from({ length: 2 ** 16 }, () => random.integer(0, 1));
measured("table of 2^16 values", () => compiled(tableCircuit([{ name: "y", bits }])));
measured("10,000 gates, each an output", () => compiled(randomGates(10_000)));
for (const [d, s, depth] of [
  [12, 4, "shallow"],
  [12, 4, 12],
] as const)
  measured(`probabilities of ${s} bits given ${d} (2^16), ${depth}`, () => {
    const { network } = compileKernel(randomKernel(random, d, s, "dirichlet"), 1e-3, depth);
    const bytes = writeModel(samplingGraph(network)).length;
    return `${unitsOf(network)} units, ${network.layers.length} layers, ${(bytes / 1e6).toFixed(1)} MB`;
  });
measured("busy beaver of four states, 107 steps", () => {
  const { graph, units } = machineNetwork(readMachine(exampleMachines["busy-beaver-4"]!), 107);
  return `${units} units, ${(writeModel(graph).length / 1e6).toFixed(1)} MB`;
});
