// Is what was accepted true? Values of the formula to more than 60 digits, against a run and the exact network, where they
// differ most among many points.
import type { Certificate } from "../../../src/check/certificate.ts";
import type { Graph } from "../../../src/graph/graph.ts";
import type { Random } from "../../../src/numbers/random.ts";
import { computed, exact } from "./network.ts";
import { fixed, one, reference, toDouble } from "./reference.ts";

/** More than the reference can be off by. */
const slack = one >> 200n;
const size = (x: bigint): bigint => (x < 0n ? -x : x);

interface Seen {
  readonly x: readonly number[];
  readonly value: bigint;
  readonly off: bigint;
}

export interface Accepted {
  readonly graph: Graph;
  readonly certificate: Certificate;
  /** What is proved of a run and of the real function. */
  readonly error: number;
  readonly realError: number;
}

/** A point that shows that an accepted bound is false, in words; or nothing. */
export function falsehood(
  { graph, certificate, error, realError }: Accepted,
  random: Random,
): string | undefined {
  const { formula, box, dtype } = certificate;
  const f = reference(
    formula,
    box.map((side) => side.name),
  );
  const onGrid = dtype === "f32" ? Math.fround : (x: number): number => x;
  const inside = (x: number, k: number): number =>
    Math.min(Math.max(onGrid(x), box[k]!.lower), box[k]!.upper);
  const at = (x: readonly number[]): Seen => {
    const value = f(x);
    const run = computed(graph, x, dtype);
    return { x, value, off: Number.isFinite(run) ? size(fixed(run) - value) : one << 2000n };
  };
  const place = (shares: (k: number) => number): number[] =>
    box.map(({ lower, upper }, k) => inside(lower + shares(k) * (upper - lower), k));
  try {
    const shares = [
      ...[0, 1, 0.5, 2 ** -20, 1 - 2 ** -20, 0.25, 0.75].map((s) => () => s),
      ...Array.from({ length: 9 }, () => () => random.uniform()),
    ];
    const seen = shares.map((share) => at(place(share)));
    const best = () => seen.reduce((a, b) => (b.off > a.off ? b : a));
    for (let step = 0.1; step > 0.005; step /= 2) {
      const { x } = best();
      seen.push(
        ...[1, -1].map((sign) =>
          at(x.map((v, k) => inside(v + sign * step * (box[k]!.upper - box[k]!.lower), k))),
        ),
      );
    }
    const worst = best();
    if (worst.off > fixed(error) + slack)
      return `${formula} at ${worst.x}: a run is off by ${toDouble(worst.off)}, accepted ${error}`;
    const real = size(exact(graph, worst.x) - worst.value);
    if (real > fixed(realError) + slack)
      return `${formula} at ${worst.x}: the network is off by ${toDouble(real)}, accepted ${realError}`;
  } catch (failure) {
    if (failure instanceof RangeError) return `${formula}: ${failure.message}, but accepted`;
    throw failure;
  }
  return undefined;
}
