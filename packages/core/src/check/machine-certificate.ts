// The certificate of a machine's network: the table of rules, and layer by layer which units make which value of which cell.
import { z } from "zod";

const count = z
  .number()
  .int()
  .nonnegative()
  .max(2 ** 31 - 1);

/** Units of one value, as many as `units` says, in the order of the columns: cell, state (-1 where the head is elsewhere), symbol. */
const value = z.tuple([count, z.number().int().min(-1), count, count]);

const layer = z.strictObject({
  /** The value of the ONNX graph that holds the units. */
  tensor: z.string(),
  /** Every column belongs to one value: the value is the sum of its columns. */
  values: z.array(value),
});

export const machineCertificateSchema = z.strictObject({
  version: z.literal(1),
  kind: z.literal("machine"),
  /** The file that the machine was read from, for those who have it. */
  source: z.strictObject({ file: z.string(), sha256: z.string() }).optional(),
  /** In the order of the output's columns. */
  states: z.array(z.string()).min(1),
  symbols: z.array(z.string()).min(1),
  /** The state before the first step. */
  start: count,
  /** State, symbol read, symbol written, move, next state; where there is none, the machine has halted. */
  rules: z.array(z.tuple([count, count, count, z.number().int().min(-1).max(1), count])),
  tape: z.strictObject({ cells: count.min(1), head: count }),
  /** How many steps the network makes; of a Loop, which makes as many as it is told, none is said. */
  steps: count.min(1).optional(),
  network: z.strictObject({
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    input: z.string(),
    output: z.string(),
    /** Of a Loop: the input that says how many steps. */
    steps: z.string().optional(),
  }),
  /** A layer for each step; of a Loop, what goes round, then the units of its body. */
  layers: z.array(layer).min(1),
});

/** What `lemmata compile --machine FILE --certificate c.json` writes and `lemmata verify` reads. */
export type MachineCertificate = z.infer<typeof machineCertificateSchema>;
