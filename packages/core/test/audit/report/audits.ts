// Audits of small networks for the tests of reports.
import type { Audit } from "../../../src/audit/audit.ts";
import { auditModel } from "../../../src/audit/audit-model.ts";
import type { Graph } from "../../../src/graph/graph.ts";
import { cast, numbers, tensor } from "../../../src/graph/tensor.ts";
import { createRandom } from "../../../src/numbers/random.ts";
import { initialNetwork } from "../../../src/train/network.ts";

const random = createRandom("reports");

/** Points whose class is the sign of their first coordinate. */
function halves(n: number, dims: readonly number[]) {
  const size = dims.reduce((p, q) => p * q, 1);
  const x = cast(tensor(random.normal(n * size), { dims: [n, ...dims] }), "float32");
  const values = numbers(x);
  const y = tensor(
    Array.from({ length: n }, (_, k) => (values[k * size]! > 0 ? 1 : 0)),
    { type: "int64" },
  );
  return { x, y };
}

export interface Audited {
  readonly graph: Graph;
  readonly audit: Audit;
}

/** All parts are there. */
export async function fullAudit(spec = "3-6-relu-5-relu-2", seed = 1): Promise<Audited> {
  const graph = initialNetwork(spec, { seed });
  const audit = await auditModel(graph, {
    data: halves(40, [3]),
    test: halves(30, [3]),
    initial: initialNetwork(spec, { seed: seed + 1 }),
    pacBayes: false,
    sharpnessExamples: 10,
    name: `net ${spec}`,
    dataName: "halves",
  });
  return { graph, audit };
}

/** A convolution, no test data, no sharpness. */
export async function convolutionalAudit(): Promise<Audited> {
  const graph = initialNetwork("1x6x6-conv2k3p1-relu-flatten-2", { seed: 1 });
  const audit = await auditModel(graph, {
    data: halves(20, [1, 6, 6]),
    pacBayes: false,
    sharpnessExamples: 0,
  });
  return { graph, audit };
}

/** Numbers as targets: no classes, no margins. */
export async function regressionAudit(): Promise<Audited> {
  const graph = initialNetwork("2-4-tanh-1", { seed: 1 });
  const { x } = halves(24, [2]);
  const y = cast(tensor(random.normal(24), { dims: [24, 1] }), "float32");
  return { graph, audit: await auditModel(graph, { data: { x, y }, pacBayes: false, sharpnessExamples: 0 }) };
}
