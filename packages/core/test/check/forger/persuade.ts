// A certificate that is raised until the checker is content: its reasons say which number is too small.

import { type Certificate, sha256 } from "../../../src/check/certificate.ts";
import type { CheckResult } from "../../../src/check/check.ts";
import type { Graph } from "../../../src/graph/graph.ts";
import { writeModel } from "../../../src/graph/onnx/index.ts";

export type Checker = (bytes: Uint8Array, certificate: Certificate) => Promise<CheckResult>;

const number = String.raw`([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)`;
const patterns = {
  between: new RegExp(`may lie between ${number} and ${number},`),
  box: new RegExp(`the box has it from ${number} to ${number},`),
  local: new RegExp(`its block errs by up to ${number},`),
  rounding: new RegExp(`rounding may cost ${number},`),
  error: new RegExp(`its error may be ${number},`),
  runError: new RegExp(`its error in a run may be ${number},`),
  end: new RegExp(`its error is up to ${number},`),
};

/** Changes the number that the reason names; false if it names none. */
function raise(draft: Certificate, { node: where, reason }: CheckResult & { ok: false }): boolean {
  const id = Number(/^node (\d+)/.exec(where)?.[1] ?? -1);
  const node = draft.nodes[id];
  const block = draft.blocks.find(({ nodes }) => nodes.includes(id));
  const column = block?.nodes.indexOf(id) ?? -1;
  const found = (kind: keyof typeof patterns): number[] | undefined =>
    patterns[kind].exec(reason)?.slice(1).map(Number);
  if (!node) return false;
  const range = found("between") ?? found("box");
  const [local, rounding, error, runError] = (["local", "rounding", "error", "runError"] as const).map(
    (kind) => found(kind)?.[0],
  );
  if (range) node.range = [range[0]!, range[1]!];
  else if (block && local !== undefined) block.localError[column] = local;
  else if (block && /farther than/.test(reason))
    block.localError[column] = Math.max(1e-6, 8 * block.localError[column]!);
  else if (block && rounding !== undefined) block.rounding[column] = rounding;
  else if (error !== undefined) {
    // What is wrong in real arithmetic is wrong in a run, and for those who read it.
    node.error = error;
    node.runError = Math.max(node.runError, error);
  } else if (runError !== undefined) node.runError = runError;
  else if (found("end")) {
    draft.realError = Math.max(draft.realError, node.error);
    draft.certifiedError = Math.max(draft.certifiedError, node.runError);
    draft.eps = Math.max(draft.eps, draft.certifiedError);
  } else return false;
  return true;
}

export interface Persuaded {
  readonly result: CheckResult;
  readonly certificate: Certificate;
  /** Certificates that were shown to the checker. */
  readonly shown: number;
}

/** The hash is always right: a forger can compute it. */
export async function persuaded(
  check: Checker,
  graph: Graph,
  certificate: Certificate,
  rounds: number,
): Promise<Persuaded> {
  const bytes = writeModel(graph);
  const draft = structuredClone(certificate);
  draft.network.sha256 = await sha256(bytes);
  let result = await check(bytes, draft);
  let shown = 1;
  let before = "";
  while (!result.ok && shown < rounds) {
    const text = result.node + result.reason;
    if (text === before || !raise(draft, result)) break;
    before = text;
    result = await check(bytes, draft);
    shown++;
  }
  return { result, certificate: draft, shown };
}
