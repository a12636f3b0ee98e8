// The certificate of a stochastic network is checked against the ONNX file alone: its layers are read, and from each input
// the states of all units are followed. What is left open is counted as error.
import { readModel } from "../graph/onnx/read.ts";
import { sha256 } from "./certificate.ts";
import { CopyingLaw } from "./copying-law.ts";
import { Refutation } from "./error.ts";
import { type KernelCertificate, kernelCertificateSchema } from "./kernel-certificate.ts";
import { LawBound, TooLarge } from "./stochastic-law.ts";
import { type StochasticLayer, stochasticLayers } from "./stochastic-layers.ts";

/** `error` is what was found here, in doubles; `undecided` says that the network is too large, not that it is wrong. */
export type KernelCheck =
  | { readonly ok: true; readonly error: number; readonly units: number }
  | { readonly ok: false; readonly node: string; readonly reason: string; readonly undecided: boolean };

/** Rows of the table, and of the sums of chances, are this near to 1. */
const rounding = 1e-9;
/** Products and sums of a first look at everything, and of looks that take units to be right: some seconds. */
const [littleWork, muchWork] = [3e7, 2e9];
/** From here on layers that copy are looked at for all inputs at a time before they are for one after the other. */
const manyLayers = 64;

/** Between which the greatest total variation of a row lies. */
interface Distance {
  readonly lower: number;
  readonly upper: number;
}

const bitsOf = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, k) => Math.floor(value / 2 ** (count - 1 - k)) % 2);

/** Of a law q with chances of at least `found`, sum (q - p)+ is between sum (found - p)+ and that plus the mass left open. */
function distance(
  table: KernelCertificate["table"],
  lawOf: (input: readonly number[], x: number) => Float64Array,
  claimed: number,
): Distance {
  const inputs = Math.log2(table.length);
  let [lower, upper] = [0, 0];
  for (const [x, row] of table.entries()) {
    const found = lawOf(bitsOf(x, inputs), x);
    const excess = row.reduce((sum, p, y) => sum + Math.max(0, found[y]! - p), 0);
    const open = Math.max(0, 1 - found.reduce((sum, p) => sum + p, 0));
    lower = Math.max(lower, excess - rounding);
    upper = Math.max(upper, excess + open + rounding);
    if (lower > claimed + rounding) break;
  }
  return { lower, upper };
}

/** Ways to find the distance, each tried if those before it leave it open: all inputs one by one, or states of all side by side. */
function looks(
  { table, certifiedError }: KernelCertificate,
  layers: readonly StochasticLayer[],
): readonly (() => Distance)[] {
  const units = layers.reduce((sum, { bias }) => sum + bias.length, 0);
  // With which each unit may err if all of them together stay within what is claimed.
  const share = -Math.expm1(Math.log1p(-Math.min(certifiedError, 0.5)) / units) * (1 + 1e-6);
  const least = Math.min(1e-9, certifiedError * 1e-7);
  const byInput = (settled: number, work: number) => (): Distance => {
    const bound = new LawBound(layers, settled, least, work);
    return distance(table, (input) => bound.law(input), certifiedError);
  };
  const sideBySide = (): Distance => {
    const law = new CopyingLaw(layers, new LawBound(layers, share, least, muchWork), share);
    const laws = law.laws(table.map((_, x) => bitsOf(x, Math.log2(table.length))));
    return distance(table, (_, x) => laws[x]!, certifiedError);
  };
  const first = byInput(share * 1e-9, littleWork);
  const others = [byInput(share, muchWork), byInput(share * 1e-3, muchWork)];
  return layers.length > manyLayers ? [first, sideBySide, ...others] : [first, ...others, sideBySide];
}

/** The total variation, at most what is claimed; or a refutation. */
function check(certificate: KernelCertificate, layers: readonly StochasticLayer[]): number {
  const { certifiedError } = certificate;
  let seen: Distance = { lower: 0, upper: Number.POSITIVE_INFINITY };
  for (const look of looks(certificate, layers))
    try {
      const found = look();
      seen = { lower: Math.max(seen.lower, found.lower), upper: Math.min(seen.upper, found.upper) };
      if (seen.lower > certifiedError + rounding)
        throw new Refutation(
          "the network",
          `its error is ${seen.lower} at least, certifiedError says ${certifiedError}`,
        );
      if (seen.upper <= certifiedError + 2 * rounding) return seen.upper;
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
    }
  throw new TooLarge(
    seen.upper < 1 ? `its error lies between ${seen.lower} and ${seen.upper}` : "it has too many states",
  );
}

function checkTable({ table }: KernelCertificate): void {
  const [d, s] = [Math.log2(table.length), Math.log2(table[0]!.length)];
  if (!Number.isInteger(d) || !Number.isInteger(s) || s < 1)
    throw new Refutation("the table", "it does not have 2^d rows and 2^s columns");
  table.forEach((row, r) => {
    const total = row.reduce((sum, p) => sum + p, 0);
    if (row.length !== 2 ** s || !(Math.abs(total - 1) <= rounding))
      throw new Refutation(`row ${r + 1} of the table`, "it is no distribution");
  });
}

/**
 * Computes again how far a stochastic network is from its table, in total variation, or names where that fails.
 * @example (await checkKernel(bytes, {})).ok // false
 */
export async function checkKernel(bytes: Uint8Array, certificate: unknown): Promise<KernelCheck> {
  try {
    const { data, error } = kernelCertificateSchema.safeParse(certificate);
    if (!data) throw new Refutation("the certificate", error.issues[0]!.message);
    checkTable(data);
    const layers = stochasticLayers(readModel(bytes), data.network, Math.log2(data.table.length));
    if (2 ** layers.at(-1)!.bias.length !== data.table[0]!.length)
      throw new Refutation(`output "${data.network.output}"`, "the table has another number of columns");
    if ((await sha256(bytes)) !== data.network.sha256)
      throw new Refutation("the network", "the file is not the one with the certificate's SHA-256");
    return {
      ok: true,
      error: check(data, layers),
      units: layers.reduce((sum, { bias }) => sum + bias.length, 0),
    };
  } catch (error) {
    if (error instanceof TooLarge)
      return { ok: false, node: "the network", reason: error.message, undecided: true };
    if (error instanceof Refutation)
      return { ok: false, node: error.where, reason: error.message, undecided: false };
    throw error;
  }
}
