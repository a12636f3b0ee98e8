// A forger: whatever is changed in a circuit's certificate or in its network, the checker sees it, unless nothing changed.
import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/check/certificate.ts";
import { checkCircuit } from "../../src/check/check-circuit.ts";
import type { CircuitCertificate } from "../../src/check/circuit-certificate.ts";
import { circuitContradiction } from "../../src/check/circuit-runtime.ts";
import { adder, multiplier } from "../../src/discrete/circuit/arithmetic.ts";
import { certifiedCircuit } from "../../src/discrete/circuit/certified.ts";
import { circuitNetwork } from "../../src/discrete/circuit/network.ts";
import { readFormulas } from "../../src/discrete/circuit/read/formula.ts";
import { writeModel } from "../../src/graph/onnx/write.ts";
import { graphOf, layersOf } from "../../src/networks/layers/layers.ts";
import { createRandom } from "../../src/numbers/random.ts";

const certified = (circuit: Parameters<typeof certifiedCircuit>[0], kind: "relu" | "threshold" = "relu") =>
  certifiedCircuit(circuit, circuitNetwork(circuit, { kind }));

/** The numbers of a certificate, each with what sets it. */
function numbersIn(value: unknown): { readonly get: number; set(v: number): void }[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => {
    const inner = holder[key];
    if (typeof inner !== "number") return numbersIn(inner);
    return [
      {
        get: inner,
        set: (v: number) => {
          holder[key] = v;
        },
      },
    ];
  });
}

describe("the certificate of a circuit", () => {
  it.each([
    ["a wide conjunction", readFormulas(`y = and(${Array.from({ length: 40 }, (_, k) => `x${k}`).join()})`)],
    [
      "a wide parity, some negated",
      readFormulas(`!a ^ ${Array.from({ length: 20 }, (_, k) => `!x${k}`).join("^")}`),
    ],
    ["a choice", readFormulas("if(a ^ b, c | d, maj(a, !c, d)) & !a")],
    ["no gate at all", readFormulas("!a")],
    ["an adder of 16 bits", adder(16)],
    ["a multiplier of 6 bits", multiplier(6)],
  ])("proves %s, of ReLUs and of thresholds", async (_, circuit) => {
    for (const kind of ["relu", "threshold"] as const) {
      const { bytes, certificate } = await certified(circuit, kind);
      expect(await checkCircuit(bytes, certificate)).toMatchObject({ ok: true });
      expect(await circuitContradiction(bytes, certificate)).toBeUndefined();
      const other = { ...certificate, units: kind === "relu" ? "threshold" : undefined };
      if (certificate.layers.length > 0)
        expect(await checkCircuit(bytes, other)).toMatchObject({ ok: false });
    }
  });

  it.each(["relu", "threshold"] as const)(
    "of %s is refuted when any one of its numbers is another one",
    async (kind) => {
      const circuit = readFormulas("s = a ^ b ^ c; d = maj(a, b, c) & !if(a, b, c)");
      const { bytes, certificate } = await certified(circuit, kind);
      const size = numbersIn(certificate).length;
      expect(size).toBeGreaterThan(60);
      for (let k = 0; k < size; k++)
        for (const change of [-1, 1]) {
          const forged = structuredClone(certificate);
          const number = numbersIn(forged)[k]!;
          number.set(number.get + change);
          expect([k, change, (await checkCircuit(bytes, forged)).ok]).toEqual([k, change, false]);
        }
    },
  );

  it("is refuted when any one weight of the network is another one, its SHA-256 set right", async () => {
    const { bytes, certificate } = await certified(adder(2));
    const layered = layersOf(circuitNetwork(adder(2)).graph);
    for (let l = 0; l < layered.layers.length; l++)
      for (const part of ["weights", "bias"] as const) {
        const list = part === "weights" ? layered.layers[l]!.weights.values : layered.layers[l]!.bias;
        for (let k = 0; k < list.length; k++) {
          list[k]! += 1;
          const forged = writeModel(graphOf(layered, { name: "circuit" }));
          list[k]! -= 1;
          const network = { ...certificate.network, sha256: await sha256(forged) };
          expect((await checkCircuit(forged, { ...certificate, network })).ok).toBe(false);
        }
      }
    expect((await checkCircuit(bytes, certificate)).ok).toBe(true);
  });

  it("is refuted when gates read each other, names go wrong or parts are missing", async () => {
    const { bytes, certificate } = await certified(adder(3));
    const random = createRandom(1);
    const forgeries: ((c: CircuitCertificate) => unknown)[] = [
      (c) => c.gates.reverse(),
      (c) => c.layers.pop(),
      (c) => c.layers[1]!.forms.pop(),
      (c) => c.layers[0]!.units.reverse(),
      (c) => c.outputs.pop(),
      (c) => c.inputs.push("more"),
      (c) => c.gates.pop(),
      (c) => c.layers[0]!.forms.push(c.layers[0]!.forms[random.integer(0, 2)]!),
      (c) => {
        c.network.output = "x";
      },
    ];
    for (const forge of forgeries) {
      const forged = structuredClone(certificate);
      forge(forged);
      expect([forge.toString(), (await checkCircuit(bytes, forged)).ok]).toEqual([forge.toString(), false]);
    }
  });
});
