// To a certified global minimum without ever going up: descend, slide to fewer neurons, add the neuron that the data ask for,
// again.
import type { ConvexLoss } from "./convex-loss.ts";
import { descended, objectiveOf, resized } from "./descent.ts";
import {
  type CertificateOptions,
  certifyTwoLayer,
  defaultGapTolerance,
  type OptimalityCertificate,
} from "./relu-certificate.ts";
import { slid } from "./slide.ts";
import { paddedInputs, type TwoLayer } from "./two-layer.ts";

export interface MinimumOptions extends CertificateOptions {
  readonly rounds?: number;
  /** After each step of the path. */
  readonly onStep?: (step: CertifiedMinimum["path"][number]) => void;
}

/** Cones that a round looks at while neurons that help are found without. */
const fewCones = 200;

export interface CertifiedMinimum {
  readonly net: TwoLayer;
  readonly certificate: OptimalityCertificate;
  /** What was done, and the objective after it: none is above the one before. */
  readonly path: readonly {
    readonly step: "start" | "descent" | "slide" | "neuron";
    readonly objective: number;
    readonly width: number;
  }[];
}

/**
 * From any network, perhaps one without neurons.
 * @example certifiedMinimum({ neurons: [], hasBias: false }, [Float64Array.of(1)], convexLoss("square", { values: [Float64Array.of(1)] }), 1, { decay: 0.5 }).certificate.verdict // "globally optimal"
 */
export function certifiedMinimum(
  start: TwoLayer,
  inputs: readonly Float64Array[],
  loss: ConvexLoss,
  outputs: number,
  { rounds = 40, onStep, ...options }: MinimumOptions,
): CertifiedMinimum {
  const x = paddedInputs(inputs, start);
  const settings = { outputs, decay: options.decay };
  const path: CertifiedMinimum["path"][number][] = [];
  const note = (step: (typeof path)[number]["step"], net: TwoLayer): TwoLayer => {
    const done = { step, objective: objectiveOf(net, x, loss, settings), width: net.neurons.length };
    path.push(done);
    onStep?.(done);
    options.signal?.throwIfAborted();
    return net;
  };
  const value = (net: TwoLayer): number => objectiveOf(net, x, loss, settings);
  let net = note("start", start);
  for (let round = 0; ; round++) {
    const before = value(net);
    net = note("descent", resized(descended(net, x, loss, settings), x, loss, settings));
    const shorter = slid(net, x).net;
    // The outputs are the same but for rounding.
    if (value(shorter) <= value(net) * (1 + 1e-14)) net = note("slide", shorter);
    const certify = (cones?: number): OptimalityCertificate =>
      certifyTwoLayer(net, inputs, loss, outputs, { ...options, ...(cones === undefined ? {} : { cones }) });
    const enoughGain = options.gapTolerance ?? defaultGapTolerance;
    let certificate = certify(Math.min(fewCones, options.cones ?? fewCones));
    if (
      !(certificate.neuron && certificate.improved! < certificate.objective * (1 - enoughGain)) ||
      round >= rounds
    )
      certificate = certify();
    const { neuron, improved, verdict, objective } = certificate;
    const isStuck = !(objective < before * (1 - 1e-13));
    const helps = neuron !== undefined && improved! < objective;
    if (verdict === "globally optimal" || round >= rounds || (!helps && isStuck))
      return { net, certificate, path };
    if (helps) net = note("neuron", { ...net, neurons: [...net.neurons, neuron] });
  }
}
