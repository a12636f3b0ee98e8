// Proves again what a certificate says of a network, as `lemmata verify net.onnx c.json` does.
import { checkCertificate } from "@lemmata/core/check";
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

export const verifyCertificate: Job<VerifyInput, Verdict> = async ({ network, certificate: text }) => {
  const json = parsed(text);
  if (json === undefined) return { kind: "unreadable", reason: "the certificate is no JSON" };
  const { data: certificate, error } = certificateSchema.safeParse(json);
  if (!certificate) {
    const [issue] = error.issues;
    return {
      kind: "unreadable",
      reason: `this is no certificate: ${issue!.path.join(".") || "it"}: ${issue!.message}`,
    };
  }
  const start = performance.now();
  try {
    const result = await checkCertificate(network, certificate);
    if (!result.ok) return { kind: "refuted", node: result.node, reason: result.reason };
    const seconds = (performance.now() - start) / 1000;
    return { kind: "verified", formula: certificate.formula, error: result.error, seconds };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "unreadable", reason: `the network: ${message}` };
  }
};
