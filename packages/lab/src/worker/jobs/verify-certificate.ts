// Proves again what a certificate says of a network, as `lemmata verify net.onnx c.json` does.
import {
  checkCertificate,
  checkCircuit,
  checkKernel,
  circuitCertificateSchema,
  kernelCertificateSchema,
} from "@lemmata/core/check";
import { certificateSchema } from "@lemmata/core/compile";
import type { Job } from "../protocol.ts";

export interface VerifyInput {
  readonly network: Uint8Array;
  /** The JSON of the certificate. */
  readonly certificate: string;
}

export type Verdict =
  | {
      readonly kind: "verified";
      readonly formula: string;
      readonly error: number;
      readonly seconds: number;
    }
  /** A circuit, on so many inputs. */
  | { readonly kind: "circuit"; readonly inputs: number; readonly gates: number; readonly seconds: number }
  /** A table of probabilities: total variation for each of its rows. */
  | { readonly kind: "table"; readonly rows: number; readonly error: number; readonly seconds: number }
  | { readonly kind: "undecided"; readonly reason: string }
  | { readonly kind: "refuted"; readonly node: string; readonly reason: string }
  /** There is nothing to check: a file is not what it should be. */
  | { readonly kind: "unreadable"; readonly reason: string };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const kindOf = (json: unknown): unknown =>
  typeof json === "object" && json !== null && "kind" in json ? json.kind : undefined;

interface Issues {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}
const strange = ({ issues: [issue] }: Issues): Verdict => ({
  kind: "unreadable",
  reason: `this is no certificate: ${issue!.path.join(".") || "it"}: ${issue!.message}`,
});

/** The verdict of the checker for this kind of certificate; seconds are counted by who asks. */
async function verdictOf(network: Uint8Array, json: unknown): Promise<Verdict> {
  const seconds = 0;
  if (kindOf(json) === "circuit") {
    const { data, error } = circuitCertificateSchema.safeParse(json);
    if (!data) return strange(error);
    const found = await checkCircuit(network, data);
    return found.ok
      ? { kind: "circuit", inputs: data.inputs.length, gates: found.gates, seconds }
      : { kind: "refuted", node: found.node, reason: found.reason };
  }
  if (kindOf(json) === "kernel") {
    const { data, error } = kernelCertificateSchema.safeParse(json);
    if (!data) return strange(error);
    const found = await checkKernel(network, data);
    if (found.ok) return { kind: "table", rows: data.table.length, error: found.error, seconds };
    return found.undecided
      ? { kind: "undecided", reason: found.reason }
      : { kind: "refuted", node: found.node, reason: found.reason };
  }
  const { data, error } = certificateSchema.safeParse(json);
  if (!data) return strange(error);
  const found = await checkCertificate(network, data);
  return found.ok
    ? { kind: "verified", formula: data.formula, error: found.error, seconds }
    : { kind: "refuted", node: found.node, reason: found.reason };
}

export const verifyCertificate: Job<VerifyInput, Verdict> = async ({ network, certificate: text }) => {
  const json = parsed(text);
  if (json === undefined) return { kind: "unreadable", reason: "the certificate is no JSON" };
  const start = performance.now();
  try {
    const verdict = await verdictOf(network, json);
    return "seconds" in verdict ? { ...verdict, seconds: (performance.now() - start) / 1000 } : verdict;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "unreadable", reason: `the network: ${message}` };
  }
};
