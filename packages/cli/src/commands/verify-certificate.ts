import { checkCertificate } from "@lemmata/core/check";
import { type Certificate, certificateSchema } from "@lemmata/core/compile";
import { GraphError } from "@lemmata/core/graph";
import { readBytes } from "../files.ts";
import { tellGuard } from "../guarded.ts";
import { type CommonOptions, print, printJson } from "../output.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions {
  readonly certificate?: string | undefined;
}

/** A certificate that does not hold is a negative verdict. */
const refuted = 1;

function readCertificate(path: string): Certificate {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(readBytes(path)));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path}: this is no JSON`);
  }
  const { data, error } = certificateSchema.safeParse(json);
  if (data) return data;
  const [issue] = error.issues;
  throw new UsageError(
    `${path}: this is no certificate: ${issue!.path.join(".") || "it"}: ${issue!.message}`,
  );
}

/** Three digits, rounded up, so that the printed bound holds. */
function atMost(x: number): string {
  const text = x.toExponential(2);
  const [digits, exponent] = text.split("e") as [string, string];
  return String(
    Number(text) >= x ? Number(text) : Number(`${(Number(digits) + 0.01).toFixed(2)}e${exponent}`),
  );
}

/** `lemmata verify net.onnx c.json` */
export async function verifyCertificate(path: string, options: Options): Promise<void> {
  if (options.certificate === undefined)
    throw new UsageError(
      `${path}: what can be verified ends in .vnnlib, or is a network with its certificate: lemmata verify net.onnx c.json`,
    );
  const bytes = readBytes(path);
  const certificate = readCertificate(options.certificate);
  await tellGuard({ model: `verify ${path}` });
  const start = performance.now();
  const result = await checkCertificate(bytes, certificate).catch((error) => {
    throw error instanceof GraphError ? new GraphError(`${path}: ${error.message}`) : error;
  });
  const seconds = (performance.now() - start) / 1000;
  const { certifiedError } = certificate;
  if (!result.ok) process.exitCode = refuted;
  if (options.json)
    printJson({
      verdict: result.ok ? "verified" : "refuted",
      certifiedError,
      checkedError: result.ok ? result.error : null,
      ...(result.ok ? {} : { node: result.node, reason: result.reason }),
      seconds,
      strength: result.ok ? "proved" : "checked",
    });
  else if (result.ok) print(`verified: |network - formula| <= ${atMost(result.error)} on the box (proved)`);
  else print(`refuted: ${result.node}: ${result.reason}`);
}
