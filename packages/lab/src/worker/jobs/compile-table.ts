// Compiles tables of values or Boolean formulas to a network that computes them on every input, with the proof.
import { checkCircuit } from "@lemmata/core/check";
import {
  type Circuit,
  certifiedCircuit,
  circuitNetwork,
  DiscreteError,
  degreeOf,
  influences,
  monomialCount,
  readFormulas,
  readTables,
  signsOf,
  tableCircuit,
  truthTables,
  walshCoefficients,
  weightByDegree,
} from "@lemmata/core/discrete";
import type { Figure } from "@lemmata/core/figure";
import { sizes } from "@lemmata/core/passes";
import { isTable } from "../../compile/truth-table.ts";
import type { Job } from "../protocol.ts";

/** Inputs up to which all values are shown and analysed. */
const mostShown = 16;

export interface OutputView {
  readonly name: string;
  /** All values, for few inputs. */
  readonly bits: Uint8Array | undefined;
  readonly spectrum:
    | {
        readonly ones: number;
        readonly degree: number;
        readonly monomials: number;
        readonly influences: readonly number[];
      }
    | undefined;
}

export interface TableView {
  readonly text: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly OutputView[];
  readonly gates: number;
  readonly units: number;
  readonly layers: number;
  readonly nonzeros: number;
  /** Why the proof fails, if it does. */
  readonly unproved: string | undefined;
  readonly bytes: Uint8Array;
  readonly certificate: string;
  readonly figure: Figure | undefined;
  readonly seconds: number;
}

const circuitOf = (text: string): Circuit =>
  isTable(text) ? tableCircuit(readTables(text)) : readFormulas(text);

function outputsOf(circuit: Circuit): { readonly outputs: readonly OutputView[]; readonly figure?: Figure } {
  if (circuit.inputs.length > mostShown)
    return { outputs: circuit.outputs.map(({ name }) => ({ name, bits: undefined, spectrum: undefined })) };
  const coefficients = truthTables(circuit).map((bits) => ({ bits, hat: walshCoefficients(signsOf(bits)) }));
  return {
    outputs: coefficients.map(({ bits, hat }, k) => ({
      name: circuit.outputs[k]!.name,
      bits,
      spectrum: {
        ones: bits.reduce((sum, b) => sum + b, 0),
        degree: degreeOf(hat),
        monomials: monomialCount(hat),
        influences: [...influences(hat)],
      },
    })),
    figure: {
      title: "Walsh-Fourier weight by degree, with 0 as 1 and 1 as −1",
      panels: [
        {
          title: "Sum of the squared coefficients",
          x: { label: "degree" },
          y: { label: "weight" },
          series: coefficients.slice(0, 7).map(({ hat }, k) => ({
            name: circuit.outputs[k]!.name,
            mark: "dots" as const,
            points: Array.from(weightByDegree(hat), (w, degree) => [degree, w] as const),
          })),
        },
      ],
    },
  };
}

export const compileTable: Job<string, TableView | { readonly trouble: string }> = async (text) => {
  const start = performance.now();
  try {
    const circuit = circuitOf(text);
    const network = circuitNetwork(circuit);
    const { bytes, certificate } = await certifiedCircuit(circuit, network);
    const proof = await checkCircuit(bytes, certificate);
    const { layers } = network.plan;
    const { nonzeros } = sizes(network.graph);
    const { outputs, figure } = outputsOf(circuit);
    return {
      ...{ text, inputs: circuit.inputs, outputs, figure, gates: circuit.gates.length },
      units: layers.reduce((sum, { units }) => sum + units.length, 0),
      ...{ layers: layers.length, nonzeros, bytes, certificate: JSON.stringify(certificate) },
      unproved: proof.ok ? undefined : `${proof.node}: ${proof.reason}`,
      seconds: (performance.now() - start) / 1000,
    };
  } catch (error) {
    if (error instanceof DiscreteError) return { trouble: error.message };
    throw error;
  }
};
