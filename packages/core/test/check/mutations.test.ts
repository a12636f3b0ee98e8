import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Certificate, CertificateBlock } from "../../src/check/certificate.ts";
import { checkCertificate } from "../../src/check/check.ts";
import { compile } from "../../src/compile/compile.ts";
import { sampledError } from "../../src/compile/sample.ts";
import type { Graph } from "../../src/graph/graph.ts";
import { box, weightsOf, withWeight } from "./mutations.ts";

const compiled = await compile({
  formula: "max(sin(x) * y, 0.5x^2 - 1)",
  box: box({ x: [-3, 3], y: [0.5, 1] }),
  eps: 1e-2,
});
const byPowers = await compile({ formula: "exp(x) * 3 + y", box: box({ x: [0, 1], y: [0, 1] }), eps: 1e-6 });
const single = await compile({
  formula: "abs(x) - cos(2y)",
  box: box({ x: [-3, 3], y: [-5, 1] }),
  eps: 1e-3,
  dtype: "f32",
});
const networks = [compiled, byPowers, single];
const byPieces = await compile({ formula: "1/x", box: box({ x: [0.05, 1] }), eps: 1e-4 });

type Draft = { -readonly [K in keyof Certificate]: Certificate[K] };
/** A copy of the certificate with something changed. */
function changed(certificate: Certificate, change: (draft: Draft) => void): Certificate {
  const draft = structuredClone(certificate);
  change(draft);
  return draft;
}

/** What is seen at many points does not contradict the certificate; 1e-13 is for the formula's own rounding. */
async function expectTrue(
  graph: Graph,
  { formula, box: sides, dtype, certifiedError }: Certificate,
): Promise<void> {
  const seen = await sampledError(graph, formula, sides, 500, { points: 4000, dtype });
  expect(seen).toBeLessThanOrEqual(certifiedError + 1e-13);
}

describe("a weight of the network is changed by a hundredth", () => {
  it.each(networks.map((n) => [n.certificate.formula, n] as const))(
    "%s: refuted with a node's name, or true all the same",
    async (_, { bytes, certificate, graph }) => {
      let [refuted, all] = [0, 0];
      for (const weight of weightsOf(graph)) {
        for (const factor of [0.99, 1.01]) {
          const value = weight.value === 0 ? factor - 1 : weight.value * factor;
          const mutant = await withWeight(bytes, certificate, weight, value);
          const result = await checkCertificate(mutant.bytes, mutant.certificate);
          all++;
          if (result.ok) await expectTrue(mutant.graph, certificate);
          else {
            refuted++;
            expect(result.node).toMatch(/^node \d+ \(/);
          }
        }
      }
      expect(refuted / all).toBeGreaterThan(0.8);
    },
  );
});

describe("local polynomials", () => {
  const { bytes, certificate, graph } = byPieces;
  const bends = certificate.nodes.filter(({ op }) => op === "min" || op === "max");

  it("are what the network is made of", () => {
    expect(bends.length).toBeGreaterThan(1);
    expect(certificate.blocks.some((b) => b.kind === "polynomial")).toBe(true);
  });

  it("a weight is changed: refuted, or true all the same", async () => {
    const weights = weightsOf(graph).filter((_, k) => k % 8 === 0);
    let refuted = 0;
    for (const weight of weights) {
      const value = weight.value === 0 ? 1e-3 : weight.value * 1.001;
      const mutant = await withWeight(bytes, certificate, weight, value);
      const result = await checkCertificate(mutant.bytes, mutant.certificate);
      if (result.ok) await expectTrue(mutant.graph, certificate);
      else refuted++;
    }
    expect(refuted / weights.length).toBeGreaterThan(0.8);
  });

  it("coefficients, constants, operations and readers of servants are changed: refuted", async () => {
    const servants = certificate.nodes.filter(({ servant }) => servant !== undefined);
    const refutes = async (
      id: number,
      change: (node: Certificate["nodes"][number]) => void,
    ): Promise<void> => {
      const result = await checkCertificate(
        bytes,
        changed(certificate, ({ nodes }) => change(nodes[id]!)),
      );
      expect(result.ok, `node ${id}`).toBe(false);
    };
    for (const { id, op, args, coefficients } of servants) {
      if (op === "affine" && args.length > 0)
        await refutes(id, (node) => {
          const c = coefficients![0]![0] * 1.01;
          node.coefficients![0] = [c, c];
        });
      if (op === "affine")
        await refutes(id, (node) => {
          node.constant = [node.constant![0] + 0.01, node.constant![0] + 0.01];
        });
      if (op === "min" || op === "max")
        await refutes(id, (node) => {
          node.op = op === "min" ? "max" : "min";
        });
      await refutes(id, (node) => {
        delete node.servant;
      });
    }
  });
});

describe("a number of the certificate is changed", () => {
  const { bytes, certificate } = compiled;
  const refute = async (change: (draft: Draft) => void): Promise<string> => {
    const result = await checkCertificate(bytes, changed(certificate, change));
    expect(result.ok).toBe(false);
    return result.ok ? "" : result.node;
  };

  it("any node's range, made narrower", async () => {
    for (const { id, range } of certificate.nodes) {
      const cut = (range[1] - range[0]) / 20;
      for (const narrower of [
        [range[0] + cut, range[1]],
        [range[0], range[1] - cut],
      ] as [number, number][])
        expect(
          await refute(({ nodes }) => {
            nodes[id]!.range = narrower;
          }),
        ).toMatch(`node ${id} `);
    }
  });

  it("any node's error, made smaller", async () => {
    for (const { id, error, runError } of certificate.nodes) {
      if (error > 0)
        expect(
          await refute(({ nodes }) => {
            nodes[id]!.error *= 0.99;
          }),
        ).toMatch(`node ${id} `);
      if (runError > 0)
        expect(
          await refute(({ nodes }) => {
            nodes[id]!.runError *= 0.99;
          }),
        ).toMatch(`node ${id} `);
    }
  });

  it("any block's own error or rounding, made smaller", async () => {
    for (const [k, block] of certificate.blocks.entries()) {
      for (const [j, id] of block.nodes.entries()) {
        if (block.localError[j]! > 0)
          expect(
            await refute(({ blocks }) => {
              blocks[k]!.localError[j]! *= 0.99;
            }),
          ).toMatch(`node ${id} `);
        if (block.rounding[j]! > 0)
          expect(
            await refute(({ blocks }) => {
              blocks[k]!.rounding[j]! = 0;
            }),
          ).toMatch(`node ${id} `);
      }
    }
  });

  it("claims made greater: what is found is not, but for the distance of a curve, which is proved as claimed", async () => {
    const greater = changed(certificate, ({ nodes, blocks }) => {
      for (const node of nodes) [node.error, node.runError] = [2 * node.error, 2 * node.runError];
      for (const block of blocks) {
        block.rounding = block.rounding.map((e) => 2 * e);
        if (block.kind !== "spline") block.localError = block.localError.map((e) => 2 * e);
      }
    });
    expect(await checkCertificate(bytes, greater)).toEqual(await checkCertificate(bytes, certificate));
  });

  it("the formula, the box, the claims", async () => {
    const by = (formula: string) =>
      refute((draft) => {
        draft.formula = formula;
      });
    expect(await by("max(sin(x) * y, 0.51x^2 - 1)")).toMatch(/^node \d+ \(affine/);
    expect(await by("max(cos(x) * y, 0.5x^2 - 1)")).toMatch(/^node \d+ \(sin/);
    expect(await by("min(sin(x) * y, 0.5x^2 - 1)")).toMatch(/^node \d+ \(max/);
    expect(await by("max(sin(x) * y, 0.5x^2 - ")).toBe("the formula");
    expect(await by("max(sin(x) * z, 0.5x^2 - 1)")).toBe("the formula");
    expect(
      await refute((draft) => {
        draft.box[0]!.upper = 3.001;
      }),
    ).toBe("node 0 (x)");
    expect(
      await refute((draft) => {
        draft.box[1]!.lower = 0.499;
      }),
    ).toBe("node 1 (y)");
    expect(await refute((draft) => void draft.box.reverse())).toMatch("node 0 ");
    const end = `node ${certificate.output} `;
    expect(
      await refute((draft) => {
        draft.certifiedError *= 0.999;
      }),
    ).toMatch(end);
    expect(
      await refute((draft) => {
        draft.realError *= 0.999;
      }),
    ).toMatch(end);
    expect(
      await refute((draft) => {
        draft.eps = draft.certifiedError * 0.999;
      }),
    ).toMatch(end);
    expect(
      await refute((draft) => {
        draft.output -= 1;
      }),
    ).toBe("the formula");
    expect(
      await refute((draft) => {
        draft.dtype = "f32";
      }),
    ).toMatch(/^node 0|input/);
  });

  it("names of values are exchanged", async () => {
    const names = [...new Set(certificate.nodes.map((node) => node.tensor))];
    for (const { id, tensor } of certificate.nodes)
      for (const other of names.filter((name) => name !== tensor))
        expect(
          await refute(({ nodes }) => {
            nodes[id]!.tensor = other;
          }),
        ).toMatch("node ");
    for (const [k, block] of certificate.blocks.entries())
      for (const [key, name] of namesIn(block))
        for (const [, other] of namesIn(block).filter(([, n]) => n !== name))
          await refute(({ blocks }) => {
            blocks[k] = renamed(blocks[k]!, key, other);
          });
  });

  it("a servant that is called an ordinary node, or the reverse, so that errors would not be counted", async () => {
    const { nodes } = byPowers.certificate;
    expect(nodes.some((node) => node.servant !== undefined)).toBe(true);
    for (const { id } of nodes) {
      const disguised = changed(byPowers.certificate, (draft) => {
        const { servant, ...node } = draft.nodes[id]!;
        draft.nodes[id] = servant === undefined ? { ...node, servant: 0 } : node;
      });
      expect(await checkCertificate(byPowers.bytes, disguised)).toMatchObject({ ok: false });
    }
  });

  it("blocks are left out, doubled or reversed", async () => {
    for (const k of certificate.blocks.keys()) {
      await refute(({ blocks }) => void blocks.splice(k, 1));
      await refute(({ blocks }) => void blocks.splice(k, 0, blocks[k]!));
    }
    await refute(({ blocks }) => void blocks.reverse());
  });
});

/** Every name of a value in a block, with the way to it. */
const namesIn = (block: CertificateBlock): readonly (readonly [string, string])[] =>
  Object.entries(block).flatMap(([key, value]) => {
    if (key === "kind" || key === "nodes") return [];
    if (key === "chain") return [["chain.square", (value as { square: string }).square] as const];
    return typeof value === "string" ? [[key, value] as const] : [];
  });

function renamed(block: CertificateBlock, key: string, name: string): CertificateBlock {
  if (key !== "chain.square") return { ...block, [key]: name } as CertificateBlock;
  return {
    ...block,
    chain: { ...(block as CertificateBlock & { kind: "square" }).chain, square: name },
  } as CertificateBlock;
}

describe("random changes", () => {
  it("whatever is confirmed is true at every point that is tried", async () => {
    const factor = fc.oneof(
      fc.constantFrom(0, -1, 2, 1 + 2 ** -40),
      fc.double({ min: 0.5, max: 1.5, noNaN: true }),
    );
    const anyChange = fc.record({
      network: fc.nat(networks.length - 1),
      place: fc.nat(),
      factor,
      kind: fc.constantFrom("weight", "range", "error", "local", "box", "args", "coefficient", "eps"),
    });
    const count = { confirmed: 0, refuted: 0 };
    await fc.assert(
      fc.asyncProperty(anyChange, async ({ network, place, factor: by, kind }) => {
        const { bytes, certificate, graph } = networks[network]!;
        const weights = weightsOf(graph);
        const weight = weights[place % weights.length]!;
        const mutant =
          kind === "weight"
            ? await withWeight(bytes, certificate, weight, weight.value * by)
            : { bytes, graph, certificate: changed(certificate, (draft) => spoil(draft, kind, place, by)) };
        fc.pre(JSON.stringify(mutant.certificate) !== JSON.stringify(certificate));
        const result = await checkCertificate(mutant.bytes, mutant.certificate);
        count[result.ok ? "confirmed" : "refuted"]++;
        if (result.ok) await expectTrue(mutant.graph, mutant.certificate);
      }),
      { numRuns: 300, seed: 5 },
    );
    // Wider ranges, smaller boxes and greater eps are confirmed, other changes refuted: both must have been tried.
    expect(Math.min(count.confirmed, count.refuted)).toBeGreaterThan(0);
  });
});

function spoil(draft: Draft, kind: string, place: number, by: number): void {
  const node = draft.nodes[place % draft.nodes.length]!;
  const block = draft.blocks[place % draft.blocks.length]!;
  const side = draft.box[place % draft.box.length]!;
  if (kind === "range") node.range = [node.range[0] * by, node.range[1]];
  if (kind === "error")
    [node.error, node.runError] = [Math.abs(node.error * by), Math.abs(node.runError * by)];
  if (kind === "local") block.localError = block.localError.map((e) => Math.abs(e * by));
  if (kind === "box") side.upper = side.lower + (side.upper - side.lower) * Math.abs(by);
  if (kind === "args") node.args = node.args.map((a) => (a + place) % draft.nodes.length);
  if (kind === "coefficient") node.coefficients = node.coefficients?.map(([c]) => [c * by, c * by]);
  if (kind === "eps") draft.certifiedError = draft.eps = Math.abs(draft.eps * by);
}
