// A servant's errors are counted from a computed argument. Who calls an ordinary node a servant forgets those errors.
import { describe, expect, it } from "vitest";
import type { Certificate } from "../../src/check/certificate.ts";
import { type CheckResult, checkCertificate } from "../../src/check/check.ts";
import { compile } from "../../src/compile/compile.ts";
import { box, weightsOf, withWeight } from "./mutations.ts";

const number = /[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?/;

/** Whatever number the checker finds too small is raised, as long as it says so. */
async function persuaded(bytes: Uint8Array, certificate: Certificate, rounds: number): Promise<CheckResult> {
  const draft = structuredClone(certificate);
  let result = await checkCertificate(bytes, draft);
  for (let k = 0; k < rounds && !result.ok; k++) {
    const id = Number(/^node (\d+)/.exec(result.node)?.[1]);
    const node = draft.nodes[id];
    const block = draft.blocks.find(({ nodes }) => nodes.includes(id));
    const column = block?.nodes.indexOf(id) ?? -1;
    const { reason } = result;
    const [between] = [new RegExp(`between (${number.source}) and (${number.source}),`).exec(reason)];
    const found = Number(
      new RegExp(`(?:to|cost|is|be) (${number.source}), the certificate`).exec(reason)?.[1],
    );
    if (!node) return result;
    if (between) node.range = [Number(between[1]), Number(between[2])];
    else if (/its block errs|farther than/.test(reason))
      block!.localError[column] = Number.isFinite(found) ? found : 2 * block!.localError[column]!;
    else if (/rounding may cost/.test(reason)) block!.rounding[column] = found;
    else if (/in a run may|in real arithmetic/.test(reason)) node.runError = found;
    else if (/its error may be/.test(reason)) node.error = found;
    else if (/its error is up to/.test(reason)) {
      draft.realError = node.error;
      draft.certifiedError = node.runError;
      draft.eps = Math.max(draft.eps, draft.certifiedError);
    } else return result;
    result = await checkCertificate(bytes, draft);
  }
  return result;
}

/** |y - sin(x)^4| is beyond this at x = 0.5 when the sine is off by a quarter. */
const small = 0.1;
/** Compiled for more than is asked, so that the squares are right beyond the sine's range. */
const compiled = await compile({ formula: "sin(x)^4", box: box({ x: [-1.5, 1.5] }), eps: 1e-3 });

describe("sin(x)^4 by squares, with a sine that is off by 1/4", () => {
  const { bytes, graph } = compiled;
  const certificate: Certificate = {
    ...compiled.certificate,
    box: box({ x: [0, 0.5] }),
    nodes: compiled.certificate.nodes.map((node) =>
      node.op === "variable"
        ? { ...node, range: [0, 0.5] }
        : node.op === "sin"
          ? { ...node, range: [0, 0.4795] }
          : node,
    ),
  };
  const sine = certificate.nodes.find(({ op }) => op === "sin")!;
  const gemm = graph.nodes.find(({ outputs }) => outputs[0] === sine.tensor)!;
  const bias = weightsOf(graph).find(({ name }) => name === gemm.inputs[2])!;
  const squares = certificate.nodes.filter(({ op, servant }) => op === "square" && servant === undefined);
  const forged = async (servants: readonly number[], change: number): Promise<CheckResult> => {
    const mutant = await withWeight(bytes, certificate, bias, bias.value + change);
    const nodes = certificate.nodes.map((node) =>
      servants.includes(node.id) ? { ...node, servant: certificate.output } : node,
    );
    return persuaded(mutant.bytes, { ...mutant.certificate, nodes }, 200);
  };

  it("is confirmed as it is, and with the error of the change when nobody is called a servant", async () => {
    expect(squares).toHaveLength(2);
    expect(await forged([], 0)).toMatchObject({ ok: true });
    const result = await forged([], 0.25);
    expect(result.ok && result.error).toBeGreaterThan(small);
  });

  it.each([[[0]], [[1]], [[0, 1]]])("squares %s called servants: never a small error", async (places) => {
    const result = await forged(
      places.map((k) => squares[k]!.id),
      0.25,
    );
    expect(result.ok ? result.error : 1).toBeGreaterThan(small);
  });
});

/** s (1 - s) with s = t^2 and t from -1 to 1 between 1/16 and 1/8, where it is 0 at the middle and at both ends. */
const square = "((max(min(x, 0.125), 0.0625) - 0.09375) * 32)^2";
const hill = `4 * ${square} * (1 - ${square})`;

describe("cos(x) by servants 1 - x^2/2 + max(-h, 0) + h, where h >= 0 touches 0 at the middle of a cell", () => {
  it("is never near to the cosine: max(-h, 0) is 0, though -h is as great at that point", async () => {
    const { bytes, certificate } = await compile({
      formula: `1 - x^2/2 + max(-${hill}, 0) + ${hill}`,
      box: box({ x: [0, 0.25] }),
      eps: 1e-3,
    });
    const later = (id: number): number => (id === 0 ? 0 : id + 1);
    const [x, ...others] = certificate.nodes;
    const servants = others.map((node) => ({
      ...node,
      id: later(node.id),
      args: node.args.map(later),
      servant: 1,
    }));
    const cosine: Certificate["nodes"][number] = {
      ...{ id: 1, op: "cos", args: [0], range: [0.96, 1.01] },
      ...{ error: 1e-2, runError: 1e-2, tensor: "y", column: 0 },
    };
    const forged: Certificate = {
      ...{ ...certificate, formula: "cos(x)", output: 1, eps: 1e-2, certifiedError: 1e-2, realError: 1e-2 },
      nodes: [x!, cosine, ...servants],
      blocks: [
        ...certificate.blocks.map((block) => ({ ...block, nodes: block.nodes.map(later) })),
        {
          ...{ kind: "polynomial", nodes: [1], argument: [0], output: "y" },
          ...{ inputs: [certificate.nodes[certificate.output]!.tensor] },
          ...{ localError: [1e-3], rounding: [1e-6] },
        },
      ],
    };
    const result = await persuaded(bytes, forged, 200);
    expect(result.ok ? result.error : 1).toBeGreaterThan(0.9);
  });
});
