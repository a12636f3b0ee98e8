// The certificate of a stochastic network: the table of probabilities, and how far from it the network's own may be.
import { z } from "zod";

export const kernelCertificateSchema = z.strictObject({
  version: z.literal(1),
  kind: z.literal("kernel"),
  /** P(y | x): a row for each input, a column for each output, bits with the highest first. */
  table: z.array(z.array(z.number().min(0).max(1)).min(1)).min(1),
  /** Bounds the total variation between each row and the law of the network's output, uniform numbers in [0, 1). */
  certifiedError: z.number().min(0).max(1),
  network: z.strictObject({
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    input: z.string(),
    output: z.string(),
    /** The inputs with uniform numbers, layer by layer. */
    uniforms: z.array(z.string()),
  }),
});

/** What `lemmata compile --kernel FILE --certificate c.json` writes and `lemmata verify` reads. */
export type KernelCertificate = z.infer<typeof kernelCertificateSchema>;
