// The certificate of a circuit's network: the gates, and layer by layer how units and gates are made of each other, so that
// a checker goes from the inputs to the outputs gate by gate. docs/certificate.md says what each number claims.
import { z } from "zod";

const integer = z.number().int();
/** Nodes, literals and columns; the checker halves literals as 32-bit numbers. */
const count = integer.nonnegative().max(2 ** 31 - 1);
const pair = z.tuple([count, integer]);
const bit = z.union([z.literal(0), z.literal(1)]);

const gate = z.discriminatedUnion("kind", [
  /** on[c], where c of the literals are true. */
  z.strictObject({ kind: z.literal("count"), args: z.array(count), on: z.array(bit) }),
  /** 1 where, for one [mask, value], the arguments of mask have the bits of value. */
  z.strictObject({ kind: z.literal("cubes"), args: z.array(count), cubes: z.array(z.tuple([count, count])) }),
]);
export type CertifiedGate = z.infer<typeof gate>;

export const circuitCertificateSchema = z.strictObject({
  version: z.literal(1),
  kind: z.literal("circuit"),
  /** The file that the circuit was read from, for those who have it. */
  source: z.strictObject({ file: z.string(), sha256: z.string() }).optional(),
  /** Names; input k is column k of the network's input, and node k + 1. Node 0 is false, gates come after the inputs. */
  inputs: z.array(z.string()),
  /** Arguments are literals: 2 node, and 1 more where it is negated. */
  gates: z.array(gate),
  /** Output k is column k of the network's output. */
  outputs: z.array(z.strictObject({ name: z.string(), literal: count })),
  network: z.strictObject({
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    input: z.string(),
    output: z.string(),
  }),
  /** What units are: ReLUs if nothing is said, or steps that are 1 from 0 on. */
  units: z.enum(["relu", "threshold"]).optional(),
  layers: z.array(
    z.strictObject({
      /** The value of the ONNX graph that holds the units of this layer. */
      tensor: z.string(),
      /** activation(bias + sum coefficient node), in terms of the nodes at the layer before; biases of steps may be halves. */
      units: z.array(z.strictObject({ bias: z.number().multipleOf(0.5), reads: z.array(pair) })),
      /** A node's bit is constant + sum coefficient unit. */
      forms: z.array(z.strictObject({ node: count, constant: integer, terms: z.array(pair) })),
    }),
  ),
});

/** What `lemmata compile --circuit FILE --certificate c.json` writes and `lemmata verify` reads. */
export type CircuitCertificate = z.infer<typeof circuitCertificateSchema>;
