import { type CheckResult, checkCertificate, runtimeContradiction } from "@lemmata/core/check";
import { type Certificate, certificateSchema } from "@lemmata/core/compile";
import { GraphError } from "@lemmata/core/graph";
import { elapsed } from "../elapsed.ts";
import { negative } from "../exit-code.ts";
import { readBytes } from "../files.ts";
import { tellGuard } from "../guarded.ts";
import { atMost, type CommonOptions, print, printJson, printLine } from "../output.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions {
  readonly certificate?: string | undefined;
}

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

/** `lemmata verify net.onnx c.json` */
export async function verifyCertificate(path: string, options: Options): Promise<void> {
  if (options.certificate === undefined)
    throw new UsageError(
      `${path}: what can be verified ends in .vnnlib, or is a network with its certificate: lemmata verify net.onnx c.json`,
    );
  const bytes = readBytes(path);
  const certificate = readCertificate(options.certificate);
  await tellGuard({ model: `verify ${path}` });
  const proof = await checkCertificate(bytes, certificate).catch((error) => {
    throw error instanceof GraphError ? new GraphError(`${path}: ${error.message}`) : error;
  });
  const contradiction = proof.ok ? await runtimeContradiction(bytes, certificate, proof.error) : undefined;
  const result: CheckResult =
    contradiction === undefined ? proof : { ok: false, node: "the network", reason: contradiction };
  const seconds = elapsed();
  if (!result.ok) process.exitCode = negative;
  if (options.json) printJson(answer(result, certificate, seconds));
  else if (!result.ok) printLine(`refuted: ${result.node}: ${result.reason}`);
  else show(result.error, result.realError, certificate, options);
}

function answer(result: CheckResult, { formula, box, dtype, certifiedError }: Certificate, seconds: number) {
  return {
    ...{ verdict: result.ok ? "verified" : "refuted", formula, box, dtype, certifiedError },
    checkedError: result.ok ? result.error : null,
    realError: result.ok ? result.realError : null,
    ...(result.ok ? {} : { node: result.node, reason: result.reason }),
    ...{ seconds, strength: result.ok ? "proved" : "checked" },
  };
}

/** Longer formulas and boxes are cut; --json has all of them. */
const [longestFormula, mostSides] = [300, 8];

/** What was proved, in full: of which function, where, and for which runs. */
function show(
  error: number,
  realError: number,
  { formula, box, dtype }: Certificate,
  { quiet }: Options,
): void {
  print(`verified: |network - formula| <= ${atMost(error, 3)} on the box (proved)`);
  if (quiet) return;
  const text = formula.length > longestFormula ? `${formula.slice(0, longestFormula)} ...` : formula;
  const sides = box.slice(0, mostSides).map(({ name, lower, upper }) => `${name} in [${lower}, ${upper}]`);
  const more = box.length > mostSides ? `, and ${box.length - mostSides} more` : "";
  printLine(`  formula    ${text}`);
  printLine(`  box        ${sides.join(", ")}${more}`);
  print(`  precision  runs in ${dtype}; in real arithmetic the error is <= ${atMost(realError, 3)}`);
}
