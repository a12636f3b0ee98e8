import {
  type CheckResult,
  type CircuitCertificate,
  checkCertificate,
  checkCircuit,
  checkKernel,
  checkMachine,
  circuitCertificateSchema,
  circuitContradiction,
  type KernelCertificate,
  kernelCertificateSchema,
  kernelContradiction,
  type MachineCertificate,
  machineCertificateSchema,
  machineContradiction,
  runtimeContradiction,
} from "@lemmata/core/check";
import { type Certificate, certificateSchema } from "@lemmata/core/compile";
import { GraphError } from "@lemmata/core/graph";
import { elapsed } from "../elapsed.ts";
import { negative, undecided } from "../exit-code.ts";
import { readBytes } from "../files.ts";
import { tellGuard } from "../guarded.ts";
import { atMost, type CommonOptions, counted, print, printJson, printLine } from "../output.ts";
import { UsageError } from "../usage-error.ts";

interface Options extends CommonOptions {
  readonly certificate?: string | undefined;
}

/** What a certificate may be about; one without a kind is about a formula. */
const schemas = {
  circuit: circuitCertificateSchema,
  kernel: kernelCertificateSchema,
  machine: machineCertificateSchema,
  formula: certificateSchema,
} as const;

function readCertificate(
  path: string,
): Certificate | CircuitCertificate | KernelCertificate | MachineCertificate {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(readBytes(path)));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path}: this is no JSON`);
  }
  const kind = typeof json === "object" && json !== null && "kind" in json ? json.kind : "formula";
  const schema = schemas[kind === "circuit" || kind === "kernel" || kind === "machine" ? kind : "formula"];
  const { data, error } = schema.safeParse(json);
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
  if ("kind" in certificate) {
    if (certificate.kind === "kernel") return verifyKernel(path, bytes, certificate, options);
    if (certificate.kind === "machine") return verifyMachine(path, bytes, certificate, options);
    return verifyCircuit(path, bytes, certificate, options);
  }
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

/** Gate by gate, however many inputs there are; then some runs that must not contradict. */
async function verifyCircuit(
  path: string,
  bytes: Uint8Array,
  certificate: CircuitCertificate,
  { json, quiet }: Options,
): Promise<void> {
  const proof = await checkCircuit(bytes, certificate).catch((error) => {
    throw error instanceof GraphError ? new GraphError(`${path}: ${error.message}`) : error;
  });
  const contradiction = proof.ok ? await circuitContradiction(bytes, certificate) : undefined;
  const result =
    contradiction === undefined ? proof : { ok: false as const, node: "the network", reason: contradiction };
  const { inputs, outputs, gates, source } = certificate;
  if (!result.ok) process.exitCode = negative;
  if (json)
    return printJson({
      ...{ verdict: result.ok ? "verified" : "refuted", inputs, outputs: outputs.map(({ name }) => name) },
      ...{ gates: gates.length, source: source ?? null },
      ...(result.ok ? { units: result.units } : { node: result.node, reason: result.reason }),
      ...{ seconds: elapsed(), strength: result.ok ? "proved" : "checked" },
    });
  if (!result.ok) return printLine(`refuted: ${result.node}: ${result.reason}`);
  print(`verified: the network is the circuit on all 2^${inputs.length} inputs (proved)`);
  if (quiet) return;
  print(
    `  circuit    ${counted(gates.length, "gate")}, ${counted(outputs.length, "output")}; ${counted(result.units, "unit")}, gate by gate`,
  );
  if (source) printLine(`  from       ${source.file}, SHA-256 ${source.sha256}`);
}

/** Cell by cell, however many tapes there are; then some runs that must not contradict. */
async function verifyMachine(
  path: string,
  bytes: Uint8Array,
  certificate: MachineCertificate,
  { json, quiet }: Options,
): Promise<void> {
  const proof = await checkMachine(bytes, certificate).catch((error) => {
    throw error instanceof GraphError ? new GraphError(`${path}: ${error.message}`) : error;
  });
  const contradiction = proof.ok ? await machineContradiction(bytes, certificate) : undefined;
  const result =
    contradiction === undefined ? proof : { ok: false as const, node: "the network", reason: contradiction };
  const { states, symbols, rules, tape, steps, source } = certificate;
  if (!result.ok) process.exitCode = negative;
  if (json)
    return printJson({
      ...{ verdict: result.ok ? "verified" : "refuted", states, symbols, rules: rules.length },
      ...{ tape, steps: steps ?? null, recurrent: steps === undefined, source: source ?? null },
      ...(result.ok ? { units: result.units } : { node: result.node, reason: result.reason }),
      ...{ seconds: elapsed(), strength: result.ok ? "proved" : "checked" },
    });
  if (!result.ok) return printLine(`refuted: ${result.node}: ${result.reason}`);
  const after = steps === undefined ? "any number of steps" : counted(steps, "step");
  print(`verified: the network is the machine after ${after}, on every tape of ${tape.cells} cells (proved)`);
  if (quiet) return;
  print(
    `  machine    ${counted(states.length, "state")}, ${counted(symbols.length, "symbol")}, ${counted(rules.length, "rule")}; ${counted(result.units, "unit")}, cell by cell`,
  );
  if (source) printLine(`  from       ${source.file}, SHA-256 ${source.sha256}`);
}

/** From each input to the law of the outputs; a network that is too large for that stays undecided. */
async function verifyKernel(
  path: string,
  bytes: Uint8Array,
  certificate: KernelCertificate,
  { json, quiet }: Options,
): Promise<void> {
  const found = await checkKernel(bytes, certificate).catch((error) => {
    throw error instanceof GraphError ? new GraphError(`${path}: ${error.message}`) : error;
  });
  const contradiction = found.ok ? await kernelContradiction(bytes, certificate) : undefined;
  const result =
    contradiction === undefined
      ? found
      : { ok: false as const, node: "the network", reason: contradiction, undecided: false };
  const { table, certifiedError } = certificate;
  const verdict = result.ok ? "verified" : result.undecided ? "unknown" : "refuted";
  if (!result.ok) process.exitCode = result.undecided ? undecided : negative;
  if (json)
    return printJson({
      ...{ verdict, inputs: Math.log2(table.length), outputs: Math.log2(table[0]!.length), certifiedError },
      ...(result.ok
        ? { checkedError: result.error, units: result.units }
        : { checkedError: null, node: result.node, reason: result.reason }),
      ...{ seconds: elapsed(), strength: "checked" },
    });
  if (!result.ok) return printLine(`${verdict}: ${result.node}: ${result.reason}`);
  print(
    `verified: total variation <= ${atMost(result.error, 3)} for each of ${table.length} inputs (checked)`,
  );
  if (quiet) return;
  print(
    `  table      ${table.length} rows, ${table[0]!.length} columns; the certificate says ${atMost(certifiedError, 3)}`,
  );
  print(
    `  network    ${counted(result.units, "unit")}, their states followed from each input; what is left open is counted as error`,
  );
}
